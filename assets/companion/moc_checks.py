"""The invariants of a ``.moc3`` model whose breach the Core answers with a crash or silence."""

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import numpy as np

from companion.moc_model import Bindings, Mesh, Moc, Parameter, Points, Rotation, Warp

_MAX_VERTICES = 32767
_MAX_ID = 63


def check(moc: Moc) -> None:
    """Raise ``ValueError`` naming the first object of ``moc`` that breaks an invariant."""
    _check_ids("parameter", [p.id for p in moc.parameters])
    _check_ids("part", [p.id for p in moc.parts])
    _check_ids("deformer", [d.id for d in moc.deformers])
    _check_ids("mesh", [m.id for m in moc.meshes])
    parameters = {p.id: p for p in moc.parameters}
    for parameter in moc.parameters:
        _require(
            parameter.low <= parameter.default <= parameter.high and parameter.low < parameter.high,
            parameter.id,
            "default outside its range",
        )
    for thing in (*moc.deformers, *moc.meshes):
        _check_bindings(thing.id, thing.bindings, len(thing.forms), parameters)
    _check_tree(moc)
    for mesh in moc.meshes:
        _check_mesh(mesh, {m.id for m in moc.meshes})


def _require(holds: bool, where: str, what: str) -> None:
    if not holds:
        raise ValueError(f"{where}: {what}")


def _check_ids(kind: str, ids: Sequence[str]) -> None:
    _require(bool(ids), kind, "none given")
    for name in ids:
        _require(name.isascii() and 0 < len(name) <= _MAX_ID, name, f"not a valid {kind} id")
        _require(ids.count(name) == 1, name, f"{kind} id used twice")


def _check_bindings(
    where: str, bindings: Bindings, forms: int, parameters: dict[str, Parameter]
) -> None:
    names = [b.parameter for b in bindings]
    _require(len(set(names)) == len(names), where, "a parameter bound twice")
    for binding in bindings:
        _require(binding.parameter in parameters, where, f"unknown {binding.parameter}")
        parameter = parameters[binding.parameter]
        keys = binding.keys
        _require(all(a < b for a, b in pairwise(keys)), where, "keys do not ascend")
        # Outside its outermost keys an object and its children vanish.
        spans = len(keys) > 1 and keys[0] == parameter.low and keys[-1] == parameter.high
        _require(spans, where, f"keys of {parameter.id} do not span its range")
    _require(forms == prod(len(b.keys) for b in bindings), where, "wrong number of forms")


def _check_tree(moc: Moc) -> None:
    parts = {p.id for p in moc.parts}
    seen: dict[str, Warp | Rotation] = {}
    for deformer in moc.deformers:
        _require(deformer.part in parts, deformer.id, "unknown part")
        _require(deformer.parent is None or deformer.parent in seen, deformer.id, "parent later")
        seen[deformer.id] = deformer
        if isinstance(deformer, Warp):
            size = (deformer.rows + 1) * (deformer.cols + 1)
            for form in deformer.forms:
                _check_points(deformer.id, form.points, size)
        else:
            _check_scale(deformer, _has_rotation_above(deformer, seen), moc.width)
    for mesh in moc.meshes:
        _require(mesh.part in parts, mesh.id, "unknown part")
        _require(mesh.parent is None or mesh.parent in seen, mesh.id, "unknown parent")


def _has_rotation_above(deformer: Warp | Rotation, seen: dict[str, Warp | Rotation]) -> bool:
    parent = deformer.parent
    while parent is not None:
        if isinstance(seen[parent], Rotation):
            return True
        parent = seen[parent].parent
    return False


def _check_scale(rotation: Rotation, nested: bool, pixels_per_unit: float) -> None:
    unit = 1.0 if nested else 1.0 / pixels_per_unit
    for form in rotation.forms:
        _require(0.2 < form.scale / unit < 5.0, rotation.id, "scale is in the wrong unit")


def _check_points(where: str, points: Points, count: int) -> None:
    _require(points.shape == (count, 2), where, f"{points.shape} points, not {count}")
    _require(bool(np.isfinite(points).all()), where, "a point is not finite")


def _check_mesh(mesh: Mesh, meshes: set[str]) -> None:
    count = len(mesh.uvs)
    _require(3 <= count <= _MAX_VERTICES, mesh.id, "vertex count")
    _check_points(mesh.id, mesh.uvs, count)
    _require(bool(((mesh.uvs >= 0) & (mesh.uvs <= 1)).all()), mesh.id, "uv outside the texture")
    _require(mesh.triangles.ndim == 2 and mesh.triangles.shape[1] == 3, mesh.id, "triangles")
    used = np.unique(mesh.triangles)
    _require(bool((used == np.arange(count)).all()), mesh.id, "a vertex unused or out of range")
    _require(set(mesh.masks) <= meshes - {mesh.id}, mesh.id, "unknown mask")
    for form in mesh.forms:
        _check_points(mesh.id, form.points, count)
        _require(0.0 <= form.opacity <= 1.0, mesh.id, "opacity")
        _require(0.0 <= form.order <= 1000.0, mesh.id, "draw order")
