from __future__ import annotations

import random
import struct

import pytest

from neodeskpet.figure.live2d.gl_programs import CHANNELS, mask_buffers, mask_lists
from tests.unit.figure.models import NEO

_MOC = next(NEO.glob("*.moc3")).read_bytes()


def test_the_lists_of_neo() -> None:
    assert mask_lists(_MOC) == 1


def _moc(lists: list[list[int]]) -> bytes:
    """A .moc3 with only the parts that are read here."""
    begins = [sum(map(len, lists[:mesh])) for mesh in range(len(lists))]
    masks = [mask for one in lists for mask in one]
    content = bytearray(struct.pack("<4s60x", b"MOC3") + bytes(4 * 160))
    counts = [0] * 4 + [len(lists)] + [0] * 12 + [len(masks)]
    for slot, numbers in ((0, counts), (47, begins), (48, list(map(len, lists))), (80, masks)):
        struct.pack_into("<I", content, 0x40 + 4 * slot, len(content))
        content += struct.pack(f"<{len(numbers)}i", *numbers)
    return bytes(content)


@pytest.mark.parametrize(
    ("lists", "number"),
    [
        ([], 0),
        ([[], []], 0),
        ([[1], [], [1]], 1),
        ([[1, 2], [2, 1], [2]], 2),
        ([[n] for n in range(9)], 9),
    ],
)
def test_lists_are_counted_by_their_content(lists: list[list[int]], number: int) -> None:
    assert mask_lists(_moc(lists)) == number


def test_a_damaged_file_gives_no_count() -> None:
    assert mask_lists(b"") is None
    assert mask_lists(_MOC[:500]) is None
    assert mask_lists(_moc([[1]])[:-4]) is None
    chance = random.Random(1)
    for _ in range(300):
        bad = bytearray(_MOC)
        for _ in range(8):
            bad[chance.randrange(0x40, 0x40 + 640)] = chance.randrange(256)
        found = mask_lists(bytes(bad))
        assert found is None or found >= 0


def test_one_buffer_if_each_list_has_a_channel() -> None:
    assert mask_buffers(None) is None
    assert mask_buffers(0) == mask_buffers(CHANNELS) == 1
    assert mask_buffers(CHANNELS + 1) is None
