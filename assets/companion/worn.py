"""Worn parts: each is shown by a parameter of its own, and one pendulum moves them."""

from collections.abc import Sequence

from companion.figure import Move, PartBuilder, Scalar, Strokes, Values
from companion.moc_model import Points
from companion.raster import Box
from companion.space import HEAD_KEYS, ease, rotated, shifted

PREFIX = "ParamWear"
"""The parameters that show worn parts begin with this; the app finds them by it."""
DETAIL = 0.7
"""Texels of a canvas pixel on the second texture: enough for the largest size."""
SWAY: dict[str, tuple[float, ...]] = {"ParamWornSway": (-1.0, 0.0, 1.0)}
HATS = tuple(
    f"{PREFIX}{hat}" for hat in ("SantaHat", "Beret", "WitchHat", "StrawHat", "BirthdayCrown")
)
"""What covers the lock between the ears, which would come through it."""


def shown_by(parameter: str) -> dict[str, tuple[float, ...]]:
    """The keys of a mesh that fades in with ``parameter``."""
    return {parameter: (0.0, 1.0)}


def opacity_of(parameter: str) -> Scalar:
    """The opacity of a part that ``parameter`` shows."""
    return lambda values: values[parameter]


def bare_of(parameter: str) -> Scalar:
    """The opacity of what the part shown by ``parameter`` covers."""
    return lambda values: 1.0 - values[parameter]


def add_hat_warp(part: PartBuilder, name: str, box: Box) -> None:
    """Add the deformer of a hat, which turns with the lock that it covers."""
    part.warp(name, "RotHead", box, (4, 4), HEAD_KEYS, shifted(62, 46))


def add_worn(
    part: PartBuilder, name: str, parent: str, order: float, parameter: str, move: Move
) -> None:
    """Add the mesh of a painted piece that ``parameter`` shows and that sways by ``move``."""
    part.mesh(
        name,
        parent,
        order,
        cell=70,
        keys=shown_by(parameter) | SWAY,
        move=move,
        opacity=opacity_of(parameter),
    )


def swaying(pivot: tuple[float, float], foot: float, reach: float, degrees: float) -> Move:
    """A sway about ``pivot``: nothing at ``foot``, all of it ``reach`` pixels farther up (or down,
    if that is negative).
    """

    def move(rest: Points, values: Values) -> Points:
        share = ease((foot - rest[:, 1]) / reach)
        return rotated(rest, pivot, values["ParamWornSway"] * degrees * share)

    return move


def add_rims(
    part: PartBuilder,
    parameter: str,
    rims: Sequence[tuple[str, float, str, Strokes]],
    segments: int,
) -> None:
    """Add ribbons under ``WarpHead`` that ``parameter`` shows: name, order, piece and strokes."""
    for name, order, piece, strokes in rims:
        part.ribbons(
            name,
            "WarpHead",
            order,
            piece,
            strokes,
            segments=segments,
            keys=shown_by(parameter) | SWAY,
            opacity=opacity_of(parameter),
        )
