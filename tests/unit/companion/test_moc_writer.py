"""The binary layout, and the invariants that it must satisfy."""

import struct
from dataclasses import replace

import numpy as np
import pytest
from companion.moc_model import (
    Binding,
    Mesh,
    MeshForm,
    Moc,
    Parameter,
    Part,
    Rotation,
    RotationForm,
    Warp,
    WarpForm,
)
from companion.moc_writer import write_moc

SQUARE = np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)])
TRIANGLES = np.array([(0, 1, 2), (1, 3, 2)], dtype=np.int64)
TURN = (Binding("ParamAngleX", (-30.0, 0.0, 30.0)),)
FORMS = tuple(MeshForm(SQUARE + shift, 1.0, 500.0) for shift in (-0.1, 0.0, 0.1))
MESH = Mesh("Face", "PartHead", "WarpHead", TURN, FORMS, SQUARE, TRIANGLES)
HEAD = Rotation("RotHead", "PartHead", None, (), (RotationForm((0.0, 0.0), 0.0, 1 / 100),))
WARP = Warp("WarpHead", "PartHead", "RotHead", 1, 1, (), (WarpForm(SQUARE * 50),))
MOC = Moc(
    100.0,
    120.0,
    (Parameter("ParamAngleX", -30.0, 30.0, 0.0),),
    (Part("PartHead"),),
    (HEAD, WARP),
    (MESH,),
)


def offsets(data: bytes) -> tuple[int, ...]:
    return struct.unpack_from("<160I", data, 0x40)


def test_header_and_alignment() -> None:
    data = write_moc(MOC)
    assert data[:6] == b"MOC3\x03\x00"
    assert len(data) % 64 == 0
    table = offsets(data)
    assert table[0] == 1984
    follows_its_runtime = {3, 11, 33, 50, 90}
    for slot, offset in enumerate(table[:102]):
        assert slot in follows_its_runtime or offset % 64 == 0
    assert table[3] == table[2] + 8
    assert set(table[102:]) == {0}


def test_counts() -> None:
    data = write_moc(MOC)
    counts = struct.unpack_from("<23I", data, offsets(data)[0])
    parts, deformers, warps, rotations, meshes, parameters = counts[:6]
    assert (parts, deformers, warps, rotations, meshes, parameters) == (1, 2, 1, 1, 1, 1)
    # One warp form and three mesh forms, each padded to 16 floats.
    assert counts[10] == 64
    assert counts[15:18] == (8, 6, 0)


@pytest.mark.parametrize(("outside", "flags"), [(False, 4), (True, 12)])
def test_a_mesh_that_is_visible_outside_its_masks_is_flagged(outside: bool, flags: int) -> None:
    """Bit 3 inverts a mask; bit 2 shows a mesh from both sides."""
    data = write_moc(replace(MOC, meshes=(replace(MESH, outside=outside),)))
    assert data[offsets(data)[42]] == flags


def test_parameters_store_the_highest_value_first() -> None:
    data = write_moc(MOC)
    table = offsets(data)
    assert struct.unpack_from("<f", data, table[51]) == (30.0,)
    assert struct.unpack_from("<f", data, table[52]) == (-30.0,)


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (replace(MOC, meshes=(MESH, MESH)), "used twice"),
        (replace(MOC, deformers=(WARP, HEAD)), "parent later"),
        (replace(MOC, parts=(Part("PartTail"),)), "unknown part"),
        (replace(MOC, meshes=(replace(MESH, masks=("Nose",)),)), "unknown mask"),
        (replace(MOC, meshes=(replace(MESH, forms=FORMS[:2]),)), "wrong number of forms"),
        (replace(MOC, meshes=(replace(MESH, uvs=SQUARE * 2),)), "uv outside"),
        (replace(MOC, meshes=(replace(MESH, triangles=TRIANGLES + 1),)), "out of range"),
        (
            replace(MOC, meshes=(replace(MESH, bindings=(Binding("ParamAngleX", (0.0, 30.0)),)),)),
            "do not span",
        ),
        (
            replace(
                MOC,
                deformers=(replace(HEAD, forms=(RotationForm((0.0, 0.0), 0.0, 1.0),)), WARP),
            ),
            "wrong unit",
        ),
    ],
)
def test_a_broken_model_is_refused(broken: Moc, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        write_moc(broken)
