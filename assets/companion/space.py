"""The fields by which head and body turn: flat drawings moved as if they had depth."""

import numpy as np

from companion.figure import Move, Values
from companion.moc_model import Points

CX = 620.0
"""The figure's axis, in canvas pixels."""
HEAD_Y = 650.0
_HEAD_RX = 400.0
_HEAD_RY = 330.0
_RECEDE = 40.0
_CHIN = 974.0
_FORESHORTEN = 0.035

TURN_KEYS = {"ParamBodyAngleX": (-10.0, -5.0, 0.0, 5.0, 10.0)}
SIDES = {"ParamBodyAngleX": (-10.0, 0.0, 10.0)}
_TURN = np.sin(np.radians(25.0))
"""The body is drawn turned by 25 degrees at ±10."""
_RIM = 0.88
"""The share of the half width beyond which the outline is, whose line keeps its thickness."""

HEAD_KEYS = {"ParamAngleX": (-30.0, 0.0, 30.0), "ParamAngleY": (-30.0, 0.0, 30.0)}


def head_turn(depth_x: float, depth_y: float, base: float = 0.0) -> Move:
    """A turn of the head: ``depth`` pixels of shift at the middle of the face at ±30°.

    ``base`` is the share of the shift that does not fall off towards the outline; negative depths
    make things behind the axis go the other way.
    """

    def move(rest: Points, values: Values) -> Points:
        ax, ay = values["ParamAngleX"] / 30, values["ParamAngleY"] / 30
        u = (rest[:, 0] - CX) / _HEAD_RX
        v = (rest[:, 1] - HEAD_Y) / _HEAD_RY
        near = base + (1 - base) * np.exp(-1.1 * (u * u + v * v))
        # The outline on the side turned away draws in.
        away = np.maximum(0.0, u * np.sign(ax))
        x = rest[:, 0] + ax * (depth_x * near - _RECEDE * away * away)
        # Looking up or down foreshortens; the chin stays in the scarf.
        chin = 1 - 0.75 * ease((v - 0.45) / 0.5)
        shorter = _FORESHORTEN * abs(ay) * (rest[:, 1] - _CHIN)
        return np.stack([x, rest[:, 1] - ay * depth_y * near * chin - shorter], axis=1)

    return move


def rounded(rest: Points, half: Points | float, values: Values, depth: float = 1.0) -> Points:
    """What is drawn on a round body slides across it as the body turns; its outline stays.

    ``half`` is half the width of the body at each point.
    """
    bx = values["ParamBodyAngleX"] / 10
    u = (rest[:, 0] - CX) / half
    slide = np.maximum(0.0, 1 - (u / _RIM) * (u / _RIM))
    return np.stack([rest[:, 0] + half * depth * _TURN * bx * slide, rest[:, 1]], axis=1)


def shifted(x: float, y: float) -> Move:
    """A turn of the head that moves all points alike: (x, y) pixels at ±30°."""

    def move(rest: Points, values: Values) -> Points:
        step = (values["ParamAngleX"] / 30 * x, -values["ParamAngleY"] / 30 * y)
        return np.asarray(rest + np.array([step]))

    return move


def rotated(rest: Points, pivot: tuple[float, float], degrees: Points | float) -> Points:
    """``rest`` turned clockwise about ``pivot``; ``degrees`` may differ from point to point."""
    angle = np.asarray(degrees) * (np.pi / 180)
    c, s = np.cos(angle), np.sin(angle)
    x, y = rest[:, 0] - pivot[0], rest[:, 1] - pivot[1]
    return np.stack([pivot[0] + c * x - s * y, pivot[1] + s * x + c * y], axis=1)


def ease(t: Points) -> Points:
    """Smoothstep of ``t`` clipped to 0..1."""
    clipped = np.clip(t, 0.0, 1.0)
    return np.asarray(clipped * clipped * (3 - 2 * clipped))
