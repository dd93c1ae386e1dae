"""How many buffers a figure's masks need.

Each different list of masks is drawn anew in every frame, into one of the four channels of a
buffer, where it has the whole buffer as long as there are no more lists than channels. The library
takes two buffers by itself: a second one costs another pass of the renderer (0.7 of 10 ms a frame
where the processor draws) and gives nothing to a figure with four lists or fewer.
"""

from __future__ import annotations

import struct

CHANNELS = 4
_SECTIONS = 0x40
_COUNTS, _BEGINS, _LENGTHS, _MASKS = 0, 47, 48, 80
"""Of the section table: how much there is of all, and of meshes the lists of masks."""
_MESHES, _ENTRIES = 4, 17
_MOST = 100_000


def mask_lists(moc: bytes) -> int | None:
    """How many different lists of masks the meshes of a .moc3 have; None if it can't be told."""
    try:
        counts, begins, lengths, masks = (
            struct.unpack_from("<I", moc, _SECTIONS + 4 * slot)[0]
            for slot in (_COUNTS, _BEGINS, _LENGTHS, _MASKS)
        )
        meshes = struct.unpack_from("<I", moc, counts + 4 * _MESHES)[0]
        entries = struct.unpack_from("<I", moc, counts + 4 * _ENTRIES)[0]
        if meshes > _MOST or entries > _MOST:
            return None
        begin = struct.unpack_from(f"<{meshes}i", moc, begins)
        length = struct.unpack_from(f"<{meshes}i", moc, lengths)
        all_masks = struct.unpack_from(f"<{entries}i", moc, masks)
    except struct.error:
        return None
    # As the library tells them apart: by what is in them, in any order.
    return len(
        {
            tuple(sorted(all_masks[first : first + number]))
            for first, number in zip(begin, length, strict=True)
            if number > 0
        }
    )


def mask_buffers(lists: int | None) -> int | None:
    """How many buffers to ask for; None: as many as the library takes by itself."""
    return 1 if lists is not None and lists <= CHANNELS else None
