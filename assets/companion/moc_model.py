"""What a ``.moc3`` file holds, as plain data.

Coordinates here are already in the space of each object's parent deformer; ``rig`` makes them from
canvas pixels and ``moc_writer`` turns them into bytes.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Points: TypeAlias = NDArray[np.float64]
"""An (n, 2) array of x, y."""


@dataclass(frozen=True, slots=True)
class Binding:
    """One parameter and the ascending key values at which an object was drawn."""

    parameter: str
    keys: tuple[float, ...]


Bindings: TypeAlias = tuple[Binding, ...]
"""Bindings of one object; the first one varies fastest in the list of its forms."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the model; its value is clamped to ``low``..``high``."""

    id: str
    low: float
    high: float
    default: float


@dataclass(frozen=True, slots=True)
class Part:
    """A group of meshes whose opacity can be set from outside; parts are flat here."""

    id: str


@dataclass(frozen=True, slots=True)
class WarpForm:
    """(rows + 1) * (cols + 1) grid points in the parent's space, row by row, top row first."""

    points: Points
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Warp:
    """A grid deformer."""

    id: str
    part: str
    parent: str | None
    rows: int
    cols: int
    bindings: Bindings
    forms: tuple[WarpForm, ...]


@dataclass(frozen=True, slots=True)
class RotationForm:
    """Pivot in the parent's space, angle in degrees clockwise on screen."""

    origin: tuple[float, float]
    angle: float
    scale: float
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Rotation:
    """A rotation deformer."""

    id: str
    part: str
    parent: str | None
    bindings: Bindings
    forms: tuple[RotationForm, ...]


@dataclass(frozen=True, slots=True)
class MeshForm:
    """Vertex positions in the parent's space, with opacity 0..1 and draw order 0..1000."""

    points: Points
    opacity: float
    order: float


@dataclass(frozen=True, slots=True)
class Mesh:
    """A textured triangle mesh."""

    id: str
    part: str
    parent: str | None
    bindings: Bindings
    forms: tuple[MeshForm, ...]
    uvs: Points
    triangles: NDArray[np.int64]
    """(m, 3) vertex indices."""
    masks: tuple[str, ...] = ()
    blend: int = 0
    """0 normal, 1 add, 2 multiply."""
    outside: bool = False
    """Seen where the masks are not, instead of where they are."""
    texture: int = 0


@dataclass(frozen=True, slots=True)
class Moc:
    """A whole model; ``deformers`` lists every parent before its children."""

    width: float
    height: float
    parameters: tuple[Parameter, ...]
    parts: tuple[Part, ...]
    deformers: tuple[Warp | Rotation, ...]
    meshes: tuple[Mesh, ...] = field(default=())
