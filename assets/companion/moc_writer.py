"""Writes a ``Moc`` as a ``.moc3`` file, version 3 (Cubism 4.0).

The layout is a table of 160 section offsets at 0x40 and a body at 1984; every section is aligned to
64 bytes except the id sections, which follow their runtime block directly. A wrong file is not
refused by the Core but kills the process, so ``moc_checks`` asserts everything known to matter.
"""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from companion.moc_checks import check
from companion.moc_model import Bindings, Moc, Points, Rotation, Warp

_TABLE_AT = 0x40
_SLOTS = 160
_BODY_AT = 1984
_ALIGN = 64
_ID_SECTIONS = frozenset({3, 11, 33, 50, 90})
_LAST_SECTION = 101
_DOUBLE_SIDED = 4
_OUTSIDE = 8


@dataclass(slots=True)
class _Bands:
    """Interns (parameter, keys) pairs and lists of them, as the file shares them."""

    bindings: list[tuple[str, tuple[float, ...]]]
    bands: list[tuple[int, ...]] = field(default_factory=lambda: [()])

    def index(self, bindings: Bindings) -> int:
        band = tuple(self.bindings.index((b.parameter, b.keys)) for b in bindings)
        if band not in self.bands:
            self.bands.append(band)
        return self.bands.index(band)


@dataclass(slots=True)
class _Floats:
    """The position pool; every form is padded to 16 floats."""

    pool: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, points: Points) -> int:
        begin = self.size
        flat = np.asarray(points, dtype="<f4").reshape(-1)
        padding = -len(flat) % 16
        self.pool.append(flat.tobytes() + bytes(4 * padding))
        self.size += len(flat) + padding
        return begin


def write_moc(moc: Moc) -> bytes:
    """The bytes of the file; raises ``ValueError`` if the model breaks an invariant."""
    check(moc)
    return _assemble(_Sections(moc).build())


def _assemble(sections: dict[int, bytes]) -> bytes:
    body = bytearray()
    offsets = [0] * _SLOTS
    for slot in range(_LAST_SECTION + 1):
        if slot not in _ID_SECTIONS:
            body.extend(bytes(-(_BODY_AT + len(body)) % _ALIGN))
        offsets[slot] = _BODY_AT + len(body)
        body.extend(sections.get(slot, b""))
    body.extend(bytes(-(_BODY_AT + len(body)) % _ALIGN))
    head = (b"MOC3" + bytes([3, 0])).ljust(_TABLE_AT, b"\0")
    head += struct.pack(f"<{_SLOTS}I", *offsets)
    return head.ljust(_BODY_AT, b"\0") + bytes(body)


def _i32(values: Iterable[int]) -> bytes:
    listed = list(values)
    return struct.pack(f"<{len(listed)}i", *listed)


def _f32(values: Iterable[float]) -> bytes:
    listed = list(values)
    return struct.pack(f"<{len(listed)}f", *listed)


def _ids(values: Iterable[str]) -> bytes:
    return b"".join(value.encode("ascii").ljust(64, b"\0") for value in values)


def _begins(counts: Sequence[int]) -> list[int]:
    return [sum(counts[:i]) for i in range(len(counts))]


class _Sections:
    """Builds the numbered sections of one model."""

    def __init__(self, moc: Moc) -> None:
        self._moc = moc
        self._out: dict[int, bytes] = {}
        self._positions = _Floats()
        used = [*moc.deformers, *moc.meshes]
        pairs = dict.fromkeys((b.parameter, b.keys) for o in used for b in o.bindings)
        order = {p.id: i for i, p in enumerate(moc.parameters)}
        # A parameter's bindings must stand together in the file.
        self._bands = _Bands(sorted(pairs, key=lambda pair: order[pair[0]]))
        self._warps = [d for d in moc.deformers if isinstance(d, Warp)]
        self._rotations = [d for d in moc.deformers if isinstance(d, Rotation)]
        self._part = {p.id: i for i, p in enumerate(moc.parts)}
        self._deformer: dict[str | None, int] = {d.id: i for i, d in enumerate(moc.deformers)}
        self._deformer[None] = -1

    def build(self) -> dict[int, bytes]:
        self._put_parts()
        self._put_deformers()
        self._put_warps()
        self._put_rotations()
        self._put_meshes()
        self._put_parameters()
        self._put_bands()
        self._put_draw_order()
        self._put_header()
        return self._out

    def _put(self, first: int, *sections: bytes) -> None:
        for slot, section in enumerate(sections, first):
            self._out[slot] = section

    def _put_parts(self) -> None:
        n = len(self._moc.parts)
        ids = _ids(p.id for p in self._moc.parts)
        ones = _i32([1] * n)
        self._put(2, bytes(8 * n), ids, _i32([0] * n), _i32(range(n)), ones, ones, ones)
        self._put(9, _i32([-1] * n))
        self._put(58, _f32([500.0] * n))

    def _put_deformers(self) -> None:
        deformers = self._moc.deformers
        n = len(deformers)
        ones = _i32([1] * n)
        index_in_type = {d.id: i for i, d in enumerate(self._warps)}
        index_in_type |= {d.id: i for i, d in enumerate(self._rotations)}
        self._put(
            10,
            bytes(8 * n),
            _ids(d.id for d in deformers),
            _i32(self._bands.index(d.bindings) for d in deformers),
            ones,
            ones,
            _i32(self._part[d.part] for d in deformers),
            _i32(self._deformer[d.parent] for d in deformers),
            _i32(int(isinstance(d, Rotation)) for d in deformers),
            _i32(index_in_type[d.id] for d in deformers),
        )

    def _put_warps(self) -> None:
        counts = [len(w.forms) for w in self._warps]
        self._put(
            19,
            _i32(self._bands.index(w.bindings) for w in self._warps),
            _i32(_begins(counts)),
            _i32(counts),
            _i32((w.rows + 1) * (w.cols + 1) for w in self._warps),
            _i32(w.rows for w in self._warps),
            _i32(w.cols for w in self._warps),
        )
        forms = [form for warp in self._warps for form in warp.forms]
        self._put(59, _f32(f.opacity for f in forms))
        self._put(60, _i32(self._positions.add(f.points) for f in forms))
        self._put(101, _i32([1] * len(self._warps)))

    def _put_rotations(self) -> None:
        counts = [len(r.forms) for r in self._rotations]
        self._put(
            25,
            _i32(self._bands.index(r.bindings) for r in self._rotations),
            _i32(_begins(counts)),
            _i32(counts),
            _f32([0.0] * len(counts)),
        )
        forms = [form for rotation in self._rotations for form in rotation.forms]
        self._put(
            61,
            _f32(f.opacity for f in forms),
            _f32(f.angle for f in forms),
            _f32(f.origin[0] for f in forms),
            _f32(f.origin[1] for f in forms),
            _f32(f.scale for f in forms),
            _i32([0] * len(forms)),
            _i32([0] * len(forms)),
        )

    def _put_meshes(self) -> None:
        meshes = self._moc.meshes
        n = len(meshes)
        counts = [len(m.forms) for m in meshes]
        vertices = [len(m.uvs) for m in meshes]
        indices = [m.triangles.size for m in meshes]
        masks = [len(m.masks) for m in meshes]
        self._put(29, *[bytes(8 * n)] * 4, _ids(m.id for m in meshes))
        self._put(
            34,
            _i32(self._bands.index(m.bindings) for m in meshes),
            _i32(_begins(counts)),
            _i32(counts),
            _i32([1] * n),
            _i32([1] * n),
            _i32(self._part[m.part] for m in meshes),
            _i32(self._deformer[m.parent] for m in meshes),
            _i32(m.texture for m in meshes),
            bytes(m.blend | _DOUBLE_SIDED | _OUTSIDE * m.outside for m in meshes),
            _i32(vertices),
            _i32(2 * begin for begin in _begins(vertices)),
            _i32(_begins(indices)),
            _i32(indices),
            _i32(_begins(masks)),
            _i32(masks),
        )
        forms = [form for mesh in meshes for form in mesh.forms]
        self._put(68, _f32(f.opacity for f in forms), _f32(f.order for f in forms))
        self._put(70, _i32(self._positions.add(f.points) for f in forms))
        by_id = {m.id: i for i, m in enumerate(meshes)}
        self._put(
            78,
            b"".join(np.asarray(m.uvs, dtype="<f4").tobytes() for m in meshes),
            b"".join(np.asarray(m.triangles, dtype="<i2").tobytes() for m in meshes),
            _i32(by_id[mask] for m in meshes for mask in m.masks),
        )

    def _put_parameters(self) -> None:
        parameters = self._moc.parameters
        n = len(parameters)
        owners = [pair[0] for pair in self._bands.bindings]
        self._put(
            49,
            bytes(8 * n),
            _ids(p.id for p in parameters),
            _f32(p.high for p in parameters),
            _f32(p.low for p in parameters),
            _f32(p.default for p in parameters),
            _i32([0] * n),
            _i32([3] * n),
            _i32(owners.index(p.id) if p.id in owners else -1 for p in parameters),
            _i32(owners.count(p.id) for p in parameters),
        )

    def _put_bands(self) -> None:
        keys = [pair[1] for pair in self._bands.bindings]
        key_counts = [len(k) for k in keys]
        band_counts = [len(band) for band in self._bands.bands]
        self._put(
            71,
            b"".join(self._positions.pool),
            _i32(i for band in self._bands.bands for i in band),
            _i32(_begins(band_counts)),
            _i32(band_counts),
            _i32(_begins(key_counts)),
            _i32(key_counts),
            _f32(value for k in keys for value in k),
        )

    def _put_draw_order(self) -> None:
        n = len(self._moc.meshes)
        orders = [form.order for mesh in self._moc.meshes for form in mesh.forms]
        self._put(81, _i32([0]), _i32([n]), _i32([n]))
        self._put(84, _i32([int(max(orders))]), _i32([int(min(orders))]))
        self._put(86, _i32([0] * n), _i32(range(n)), _i32([-1] * n))

    def _put_header(self) -> None:
        moc = self._moc
        n_meshes = len(moc.meshes)
        band_indices = sum(len(band) for band in self._bands.bands)
        counts = [
            len(moc.parts),
            len(moc.deformers),
            len(self._warps),
            len(self._rotations),
            n_meshes,
            len(moc.parameters),
            len(moc.parts),
            sum(len(w.forms) for w in self._warps),
            sum(len(r.forms) for r in self._rotations),
            sum(len(m.forms) for m in moc.meshes),
            self._positions.size,
            band_indices,
            len(self._bands.bands),
            len(self._bands.bindings),
            sum(len(pair[1]) for pair in self._bands.bindings),
            sum(2 * len(m.uvs) for m in moc.meshes),
            sum(m.triangles.size for m in moc.meshes),
            sum(len(m.masks) for m in moc.meshes),
            1,
            n_meshes,
            0,
            0,
            0,
        ]
        self._put(0, _i32(counts).ljust(128, b"\0"))
        # Pixels per unit is the width, so the figure spans -0.5..0.5 units in x.
        canvas = _f32([moc.width, moc.width / 2, moc.height / 2, moc.width, moc.height])
        self._put(1, canvas.ljust(64, b"\0"))
