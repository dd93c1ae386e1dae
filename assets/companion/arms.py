"""The arms: shoulder, elbow and hand bend one drawing, so nothing can come apart."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import ImageChops

from companion.curves import ellipse, mirror, placed, resample, smooth, spline
from companion.figure import Figure, PartBuilder, Scalar, Values
from companion.ink import strokes, vertical, volume
from companion.moc_model import Points
from companion.palette import (
    CREAM,
    CREAM_DEEP,
    CREAM_LIGHT,
    INK,
    PINK,
    PINK_DEEP,
    TEAL,
    TEAL_DEEP,
    TEAL_LIGHT,
    TEAL_SHADE,
)
from companion.raster import Box, Painter
from companion.space import CX
from companion.spine import Bend, Spine

_LINE = np.array([(CX + 112, 1076.0), (CX + 160, 1196.0), (CX + 190, 1330.0)])
_BEHIND = 52.0
"""Up to this lift, in degrees, the arm stays under scarf and head."""
_SCARF = ("Scarf",)
"""The shoulders stay under it even where an arm is in front of the head."""
_CUFF = "70,1276! 112,1258 134,1280 160,1246 186,1274 214,1240 280,1262! 330,1480! 40,1480!"


def _girth(t: float) -> float:
    if t < 0.62:
        return 76 + 10 * t
    k = (t - 0.62) / 0.38
    return 82.2 + 22 * k * (2 - k)


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm; ``side`` is 1 for the character's left, on the viewer's right."""

    letter: str
    side: int

    def sided(self, shape: Points) -> Points:
        """``shape``, drawn for the left arm, on this side."""
        return shape if self.side > 0 else mirror(shape, CX)

    @property
    def line(self) -> Points:
        return self.sided(smooth(_LINE))

    @property
    def keys(self) -> dict[str, tuple[float, ...]]:
        return {
            f"ParamArm{self.letter}B": (-100.0, -50.0, 0.0, 45.0, 90.0, 130.0),
            f"ParamHand{self.letter}": (-40.0, 0.0, 40.0),
        }

    def move(self, rest: Points, values: Values) -> Points:
        """Bend at elbow and wrist; positive values bend inwards and up."""
        elbow = values[f"ParamArm{self.letter}B"] * self.side
        hand = values[f"ParamHand{self.letter}"] * self.side
        return Spine(self.line).pose(rest, [Bend(elbow, 0.18, 0.72), Bend(hand, 0.62, 0.92)])


ARMS = (Arm("R", -1), Arm("L", 1))


def add_arms(figure: Figure) -> None:
    """Add both arms under ``WarpTorso``."""
    for arm, name, chinese in zip(ARMS, ("Right arm", "Left arm"), ("右臂", "左臂"), strict=True):
        part = figure.part(f"PartArm{arm.letter}A", name, chinese)
        raised = f"ParamArm{arm.letter}A"
        shoulder = (float(arm.line[0][0]), float(arm.line[0][1]))
        keys = {raised: (-40.0, 0.0, 60.0, 150.0)}
        part.rotation(
            f"RotArm{arm.letter}",
            "WarpTorso",
            shoulder,
            keys,
            _lift(arm, raised),
            _reach(arm, raised),
        )
        _paint(figure.paint(f"Arm{arm.letter}", _box(arm)), arm)
        _add_mesh(part, arm)
        _add_pads(part, arm)


def _lift(arm: Arm, raised: str) -> Scalar:
    return lambda values: -arm.side * values[raised]


def _reach(arm: Arm, raised: str) -> Callable[[Values], tuple[float, float]]:
    """The shoulder moves outwards as the arm rises, then up, and so stays under the scarf."""

    def shift(values: Values) -> tuple[float, float]:
        out = min(1.0, max(0.0, values[raised]) / 60)
        up = max(0.0, values[raised] - 60) / 90
        return (arm.side * 44 * out, 6 * out - 34 * up)

    return shift


def _add_mesh(part: PartBuilder, arm: Arm) -> None:
    raised = f"ParamArm{arm.letter}A"

    def order(values: Values) -> float:
        # Raised, the arm passes in front of the head.
        if values[raised] > _BEHIND:
            return 700
        # Bent, it passes in front of the panel and the hanging ends of the scarf.
        return 398 if values[f"ParamArm{arm.letter}B"] > 0 else 380

    part.mesh(
        f"Arm{arm.letter}",
        f"RotArm{arm.letter}",
        order,
        cell=20,
        keys=arm.keys | {raised: (-40.0, _BEHIND, _BEHIND + 6, 150.0)},
        move=arm.move,
        masks=_SCARF,
        outside=True,
    )


def _add_pads(part: PartBuilder, arm: Arm) -> None:
    """The pink pads of the paw, seen when the arm is raised."""
    x, y = CX + 190.0, 1316.0
    p = part.figure.paint(f"Pads{arm.letter}", Box.around(arm.line, margin=66))
    palm = placed("0,-20 22,-10 26,12 10,18 0,12 -10,18 -26,12 -22,-10", x, y)
    toes = [ellipse(x + dx, y + dy, 9, 11) for dx, dy in ((-32, 32), (-3, 42), (27, 34))]
    for shape in (palm, *toes):
        mask = p.mask(arm.sided(shape))
        p.fill(mask, PINK)
        p.shade(mask, PINK_DEEP.fade(170), -4, -5, 3)
    raised = f"ParamArm{arm.letter}A"
    part.mesh(
        f"Pads{arm.letter}",
        f"RotArm{arm.letter}",
        702,
        cell=22,
        keys=arm.keys | {raised: (-40.0, 72.0, 96.0, 150.0)},
        move=arm.move,
        masks=_SCARF,
        outside=True,
        opacity=lambda values: 1.0 if values[raised] >= 96 else 0.0,
    )


def _box(arm: Arm) -> Box:
    return Box.around(arm.line, margin=66)


def _paint(p: Painter, arm: Arm) -> None:
    line = resample(arm.line, 60)
    outer = p.stroke_mask(line, lambda t: _girth(t) + 7.5)
    p.fill(outer, INK)
    mask = p.stroke_mask(line, lambda t: _girth(t) - 7.5)
    fur = ((0.0, CREAM_LIGHT), (0.55, CREAM), (1.0, CREAM_DEEP))
    p.fill(mask, vertical(1040, 1330, *fur))
    volume(p, mask, reach=22)
    cuff = arm.sided(spline(_CUFF, closed=True) + np.array([CX, 0]))
    teal = ((0.0, TEAL_LIGHT), (0.5, TEAL), (1.0, TEAL_DEEP))
    p.fill(p.blur(p.moved(p.mask(cuff), 0, -7), 3), TEAL_SHADE.fade(70), clip=mask)
    glove = ImageChops.multiply(p.mask(cuff), mask)
    p.fill(glove, vertical(1245, 1390, *teal))
    p.shade(glove, TEAL_SHADE.fade(120), -12, -14, 7)
    fingers = [spline("178,1376 176,1360 170,1346"), spline("212,1368 208,1354 202,1342")]
    strokes(p, [arm.sided(f + np.array([CX, 0])) for f in fingers], 6)
