"""Turns a ``Figure`` in canvas pixels into a ``Moc`` in the coordinates of each parent."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from companion.atlas import Atlases
from companion.figure import VIEW, Figure, Keys, MeshSpec, RotationSpec, Values, WarpSpec
from companion.moc_model import (
    Binding,
    Bindings,
    Mesh,
    MeshForm,
    Moc,
    Parameter,
    Part,
    Points,
    Rotation,
    RotationForm,
    Warp,
    WarpForm,
)

_DIGITS = 3
"""Canvas positions are rounded to a thousandth of a pixel: the last bits of sines may differ."""


def build_moc(figure: Figure, atlases: Atlases, parameters: Sequence[Parameter]) -> Moc:
    """The model of ``figure`` with its textures laid out as in ``atlases``."""
    frames = _Frames(figure.deformers)
    deformers: list[Warp | Rotation] = []
    for spec in figure.deformers:
        if isinstance(spec, WarpSpec):
            deformers.append(_warp(spec, frames))
        else:
            deformers.append(_rotation(spec, frames))
    return Moc(
        VIEW.width,
        VIEW.height,
        tuple(parameters),
        tuple(Part(part) for part in figure.parts),
        tuple(deformers),
        tuple(_mesh(mesh, frames, atlases) for mesh in figure.meshes),
    )


class _Frames:
    """Converts canvas pixels into the space of any deformer's children."""

    def __init__(self, specs: Sequence[WarpSpec | RotationSpec]) -> None:
        self._specs = {spec.id: spec for spec in specs}

    def local(self, parent: str | None, canvas: Points) -> Points:
        rounded = np.round(canvas, _DIGITS)
        if parent is None:
            middle = np.array([VIEW.left + VIEW.right, VIEW.top + VIEW.bottom]) / 2
            return np.asarray((rounded - middle) / VIEW.width)
        spec = self._specs[parent]
        if isinstance(spec, RotationSpec):
            return np.asarray(rounded - np.array(spec.pivot))
        corner = np.array([spec.box.left, spec.box.top])
        return np.asarray((rounded - corner) / np.array([spec.box.width, spec.box.height]))

    def unit(self, spec: RotationSpec) -> float:
        """The scale at which ``spec`` is drawn life-size."""
        parent = spec.parent
        while parent is not None:
            above = self._specs[parent]
            if isinstance(above, RotationSpec):
                return 1.0
            parent = above.parent
        return 1.0 / VIEW.width


def _bindings(keys: Keys) -> Bindings:
    return tuple(Binding(name, values) for name, values in keys.items())


def _forms(keys: Keys) -> Iterator[Values]:
    """Every combination of keys, the first parameter varying fastest."""
    names = list(keys)[::-1]
    for combination in product(*(keys[name] for name in names)):
        yield dict(zip(names, combination, strict=True))


def _warp(spec: WarpSpec, frames: _Frames) -> Warp:
    box = spec.box
    xs = box.left + box.width * np.arange(spec.cols + 1) / spec.cols
    ys = box.top + box.height * np.arange(spec.rows + 1) / spec.rows
    rest = np.array([(x, y) for y in ys for x in xs])
    forms = [
        WarpForm(
            frames.local(spec.parent, spec.move(rest, values)),
            round(spec.opacity(values), _DIGITS),
        )
        for values in _forms(spec.keys)
    ]
    return Warp(
        spec.id,
        spec.part,
        spec.parent,
        spec.rows,
        spec.cols,
        _bindings(spec.keys),
        tuple(forms),
    )


def _rotation(spec: RotationSpec, frames: _Frames) -> Rotation:
    unit = frames.unit(spec)
    forms = []
    for values in _forms(spec.keys):
        at = np.array([spec.pivot]) + np.array([spec.shift(values)])
        x, y = frames.local(spec.parent, at)[0]
        angle = round(spec.angle(values), _DIGITS)
        opacity = round(spec.opacity(values), _DIGITS)
        forms.append(RotationForm((float(x), float(y)), angle, unit * spec.scale(values), opacity))
    return Rotation(spec.id, spec.part, spec.parent, _bindings(spec.keys), tuple(forms))


def _mesh(spec: MeshSpec, frames: _Frames, atlases: Atlases) -> Mesh:
    forms = [
        MeshForm(
            frames.local(spec.parent, spec.place(values)),
            round(spec.opacity(values), _DIGITS),
            spec.order(values),
        )
        for values in _forms(spec.keys)
    ]
    texture = int(spec.piece not in atlases[0].slots)
    return Mesh(
        spec.id,
        spec.part,
        spec.parent,
        _bindings(spec.keys),
        tuple(forms),
        atlases[texture].uv(spec.piece, spec.shape.art),
        spec.shape.triangles,
        spec.masks,
        spec.blend,
        spec.outside,
        texture,
    )
