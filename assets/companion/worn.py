"""Worn parts: each is shown by a parameter of its own, and one pendulum moves them."""

from collections.abc import Sequence

from companion.figure import PartBuilder, Scalar, Strokes

PREFIX = "ParamWear"
"""The parameters that show worn parts begin with this; the app finds them by it."""
DETAIL = 0.7
"""Texels of a canvas pixel on the second texture: enough for the largest size."""
SWAY: dict[str, tuple[float, ...]] = {"ParamWornSway": (-1.0, 0.0, 1.0)}
HAT = f"{PREFIX}SantaHat"
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
