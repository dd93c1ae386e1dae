"""Worn parts: each is shown by a parameter of its own, and one pendulum moves them."""

from companion.figure import Scalar

PREFIX = "ParamWear"
"""The parameters that show worn parts begin with this; the app finds them by it."""
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
