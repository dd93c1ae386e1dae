"""Checks a .moc3 with the library's own functions, without loading a model.

The core needs 64-byte aligned memory and trusts data that passed its consistency check, so both are
done here, by ctypes on the functions that the extension exports. `check_moc` is quick (under 1 ms)
and safe for any bytes; `check_indices` builds the model and can end the process: call it in the
probe only.
"""

from __future__ import annotations

import ctypes
import struct
from functools import lru_cache

from neodeskpet.figure.animation_script import ParameterRange
from neodeskpet.figure.live2d.library import cubism_library, without_stdout
from neodeskpet.language import tr

MAGIC_3 = b"MOC3"
MAGIC_2 = b"moc"
_HEADER = 64
_ALIGN_MOC = 64
_ALIGN_MODEL = 16
_NEWEST_2 = 11
_PARAMETER_SLOTS = (0, 50, 51, 52, 53)
"""Slots of the section table: counts, ids, maxima, minima, defaults."""
_PARAMETER_COUNT = 5
_MOST_PARAMETERS = 5000
_ID = 64
_WARPS, _MESHES = 2, 4
_WARP_SLOTS, _MESH_SLOTS = (20, 21, 22, 60), (35, 36, 43, 70)
"""Slots of the section table: for each its first keyform, the number of keyforms, and its points;
and for each keyform the start of its coordinates.
"""
_COORDINATES = 71


@lru_cache(maxsize=1)
def _core() -> ctypes.CDLL:
    library = cubism_library()
    core = ctypes.CDLL(library._live2d.__file__)
    pointer, size = ctypes.c_void_p, ctypes.c_uint
    for name, result, arguments in (
        ("csmHasMocConsistency", ctypes.c_int, (pointer, size)),
        ("csmGetLatestMocVersion", ctypes.c_uint, ()),
        ("csmReviveMocInPlace", pointer, (pointer, size)),
        ("csmGetSizeofModel", size, (pointer,)),
        ("csmInitializeModelInPlace", pointer, (pointer, pointer, size)),
        ("csmGetDrawableCount", ctypes.c_int, (pointer,)),
        ("csmGetDrawableTextureIndices", ctypes.POINTER(ctypes.c_int), (pointer,)),
        ("csmGetDrawableVertexCounts", ctypes.POINTER(ctypes.c_int), (pointer,)),
        ("csmGetDrawableIndexCounts", ctypes.POINTER(ctypes.c_int), (pointer,)),
        ("csmGetDrawableIndices", ctypes.POINTER(ctypes.POINTER(ctypes.c_ushort)), (pointer,)),
        ("csmGetDrawableMaskCounts", ctypes.POINTER(ctypes.c_int), (pointer,)),
        ("csmGetDrawableMasks", ctypes.POINTER(ctypes.POINTER(ctypes.c_int)), (pointer,)),
    ):
        function = getattr(core, name)
        function.restype, function.argtypes = result, list(arguments)
    return core


class _Aligned:
    """Zeroed memory of `size` bytes at an address that is a multiple of `alignment`."""

    def __init__(self, size: int, alignment: int) -> None:
        self._memory = ctypes.create_string_buffer(size + alignment)
        start = ctypes.addressof(self._memory)
        self.address = start + (-start % alignment)


def check_moc(data: bytes, version: int) -> None:
    """Check a moc. Raises ValueError if `data` can't be the moc of a Cubism `version` (2 or 3)
    model.
    """
    if version == 2:
        _check_moc_2(data)
        return
    if not data.startswith(MAGIC_3):
        raise ValueError(tr("It is not a .moc3 file."))
    if len(data) <= _HEADER:
        raise ValueError(tr("It is incomplete."))
    core = _core()
    newest = int(core.csmGetLatestMocVersion())
    if not 1 <= data[4] <= newest:
        raise ValueError(
            tr(
                "Its format version {version} is newer than this app supports ({newest}).",
                version=str(data[4]),
                newest=str(newest),
            )
        )
    memory = _Aligned(len(data), _ALIGN_MOC)
    ctypes.memmove(memory.address, data, len(data))
    with without_stdout():
        sound = core.csmHasMocConsistency(memory.address, len(data)) == 1
    if not (sound and _has_its_coordinates(data)):
        raise ValueError(tr("Its content is inconsistent: the file is damaged."))


def _has_its_coordinates(data: bytes) -> bool:
    """Return whether the coordinates of all keyforms are within the file. The core's own check
    omits that, and a wrong number ends the process once that keyform is shown.
    """
    try:
        counts, coordinates = (_section(data, slot) for slot in (0, _COORDINATES))
        most = (len(data) - coordinates) // 4
        for kind, slots in ((_WARPS, _WARP_SLOTS), (_MESHES, _MESH_SLOTS)):
            (number,) = struct.unpack_from("<I", data, counts + 4 * kind)
            firsts, lengths, points, starts = (_section(data, slot) for slot in slots)
            for index in range(number):
                first, length, count = (
                    struct.unpack_from("<i", data, section + 4 * index)[0]
                    for section in (firsts, lengths, points)
                )
                found = struct.unpack_from(f"<{length}i", data, starts + 4 * first)
                if any(not 0 <= start <= most - 2 * count for start in found):
                    return False
    except struct.error:
        return False
    return True


def _section(data: bytes, slot: int) -> int:
    """Return the start of a section."""
    return int(struct.unpack_from("<I", data, _HEADER + 4 * slot)[0])


def _check_moc_2(data: bytes) -> None:
    if not data.startswith(MAGIC_2) or len(data) < 16:
        raise ValueError(tr("It is not a .moc file."))
    if data[3] > _NEWEST_2:
        raise ValueError(
            tr(
                "Its format version {version} is newer than this app supports ({newest}).",
                version=str(data[3]),
                newest=str(_NEWEST_2),
            )
        )


def read_parameters(data: bytes) -> dict[str, ParameterRange]:
    """Return the parameters of a .moc3, from its bytes alone, which is safe for any bytes. Raises
    ValueError.
    """
    if not data.startswith(MAGIC_3):
        raise ValueError(tr("It is not a .moc3 file."))
    try:
        counts, ids, maxima, minima, defaults = (
            struct.unpack_from("<I", data, _HEADER + 4 * slot)[0] for slot in _PARAMETER_SLOTS
        )
        count = struct.unpack_from("<I", data, counts + 4 * _PARAMETER_COUNT)[0]
        if count > _MOST_PARAMETERS:
            raise ValueError(tr("Its content is inconsistent: the file is damaged."))
        found: dict[str, ParameterRange] = {}
        for index in range(count):
            name = struct.unpack_from(f"{_ID}s", data, ids + _ID * index)[0]
            low, high, default = (
                struct.unpack_from("<f", data, section + 4 * index)[0]
                for section in (minima, maxima, defaults)
            )
            if not -1e9 <= low <= default <= high <= 1e9:
                raise ValueError(tr("Its content is inconsistent: the file is damaged."))
            found[name.split(b"\0")[0].decode("utf-8")] = ParameterRange(low, high, default)
    except struct.error:
        raise ValueError(tr("It is incomplete.")) from None
    return found


def check_indices(data: bytes, textures: int) -> None:
    """Check the indices of meshes. Raises ValueError if a mesh names a texture, a vertex or a mask
    that doesn't exist.

    `data` has passed `check_moc`. This builds the model, so a damaged file may still end the
    process.
    """
    core = _core()
    memory = _Aligned(len(data), _ALIGN_MOC)
    ctypes.memmove(memory.address, data, len(data))
    with without_stdout():
        moc = core.csmReviveMocInPlace(memory.address, len(data))
        size = int(core.csmGetSizeofModel(moc)) if moc else 0
        space = _Aligned(size, _ALIGN_MODEL)
        model = core.csmInitializeModelInPlace(moc, space.address, size) if moc else None
    if not model:
        raise ValueError(tr("The library can't build the model."))
    _check_meshes(core, model, textures)


def _check_meshes(core: ctypes.CDLL, model: int, textures: int) -> None:
    count = int(core.csmGetDrawableCount(model))
    texture_of = core.csmGetDrawableTextureIndices(model)
    vertex_counts = core.csmGetDrawableVertexCounts(model)
    index_counts = core.csmGetDrawableIndexCounts(model)
    indices = core.csmGetDrawableIndices(model)
    mask_counts = core.csmGetDrawableMaskCounts(model)
    masks = core.csmGetDrawableMasks(model)
    for mesh in range(count):
        if not 0 <= texture_of[mesh] < textures:
            raise ValueError(tr("A mesh uses a texture that does not exist."))
        if any(indices[mesh][i] >= vertex_counts[mesh] for i in range(index_counts[mesh])):
            raise ValueError(tr("A mesh uses a vertex that does not exist."))
        if any(not -1 <= masks[mesh][i] < count for i in range(mask_counts[mesh])):
            raise ValueError(tr("A mesh uses a mask that does not exist."))
