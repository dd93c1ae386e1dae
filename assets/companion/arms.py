"""The arms: shoulder, elbow and hand bend one drawing, so nothing can come apart."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import ImageChops

from companion.curl import CURL, stands
from companion.curves import ellipse, mirror, normals, placed, resample, smooth, spline
from companion.figure import Figure, PartBuilder, Scalar, Shape, Values, grid_shape
from companion.ink import strokes, vertical, volume
from companion.moc_model import Points
from companion.palette import INK, PINK, PINK_DEEP
from companion.raster import Box, Painter
from companion.space import CX, SIDES
from companion.spine import Bend, Spine

_LINE = np.array([(CX + 112, 1076.0), (CX + 160, 1196.0), (CX + 190, 1330.0)])
_BEHIND = 52.0
"""Up to this lift, in degrees, the arm stays under scarf and head."""
_CROSSING = 90.0
"""From this bend of the elbow on the forearm passes in front of scarf and chin."""
_FOLDED = -100.0
"""And from this bend to the other side on."""
_ELBOWS = (
    *(-165.0, -135.0, _FOLDED - 6, _FOLDED, -50.0, 0.0, 45.0),
    *(_CROSSING, _CROSSING + 5, 130.0, 170.0),
)
_ELBOW = 0.42
"""Where the forearm begins that is drawn again, above the scarf."""
_REACH = 0.62
"""How much longer a fully raised arm is."""
_HIGH, _HIGHER = 120.0, 0.38
"""And how much more from this lift on, in degrees: a paw reaches the root of its ear."""
_SHRUG, _GROWS = 62.0, 0.16
"""How far the shoulder of an arm rises that reaches for the face, and how much the arm grows."""
_IN, _OUT = 46.0, 50.0
"""Pixels that the near and the far shoulder move as the body turns."""
_BEYOND = 178.0
"""The draw order of an arm that hangs behind a turned body, before the tail. Between it and that of
an arm in front, the order passes the body late in the turn: there the least of the arm changes."""
PALM = (CX + 188.0, 1322.0)
"""The middle of the left paw."""
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
            f"ParamArm{self.letter}A": (-60.0, _BEHIND, _BEHIND + 6, _HIGH, 150.0),
            f"ParamArm{self.letter}B": _ELBOWS,
            f"ParamHand{self.letter}": (-40.0, 0.0, 40.0),
        }

    def move(self, rest: Points, values: Values) -> Points:
        """Bend at elbow and wrist, positive values inwards and up; a raised arm grows longer."""
        elbow = values[f"ParamArm{self.letter}B"] * self.side
        hand = values[f"ParamHand{self.letter}"] * self.side
        bends = [Bend(elbow, 0.1, 0.74), Bend(hand, 0.62, 0.92)]
        lift = values[f"ParamArm{self.letter}A"]
        raised = max(0.0, lift - _BEHIND) / (150 - _BEHIND)
        high = max(0.0, lift - _HIGH) / (150 - _HIGH)
        return Spine(self.line).pose(rest, bends, 1 + _REACH * raised + _HIGHER * high, 0.62)

    def forward(self, values: Values) -> bool:
        """Whether the forearm passes in front of scarf and head."""
        raised = values[f"ParamArm{self.letter}A"] > _BEHIND
        return raised or not _FOLDED <= values[f"ParamArm{self.letter}B"] <= _CROSSING


ARMS = (Arm("R", -1), Arm("L", 1))


def add_arms(figure: Figure) -> None:
    """Add both arms under ``WarpTorso``.

    Raised, an arm lies on the head with its shoulder under the scarf. Its forearm is drawn once
    more above the scarf, exactly on itself: the elbow is always beside both, so no seam shows.
    """
    for arm, name, chinese in zip(ARMS, ("Right arm", "Left arm"), ("右臂", "左臂"), strict=True):
        part = figure.part(f"PartArm{arm.letter}A", name, chinese)
        raised = f"ParamArm{arm.letter}A"
        shoulder = (float(arm.line[0][0]), float(arm.line[0][1]))
        reach = {f"ParamReach{arm.letter}": (0.0, 1.0)}
        part.rotation(
            f"RotArm{arm.letter}",
            "WarpTorso",
            shoulder,
            {raised: (-60.0, 0.0, 60.0, 150.0)} | reach | CURL | SIDES,
            _lift(arm, raised),
            _shoulder(arm),
            _nearer(arm),
            stands,
        )
        _paint(figure.paint(f"Arm{arm.letter}", _box(arm)), arm)
        _add_mesh(part, arm)
        _add_forearm(part, arm)
        _add_pads(part, arm)


def _nearer(arm: Arm) -> Scalar:
    """A raised arm comes towards the viewer, and more so if it reaches for the face."""
    raised, reach = f"ParamArm{arm.letter}A", f"ParamReach{arm.letter}"

    def scale(values: Values) -> float:
        return (1 + 0.1 * max(0.0, values[raised] - 60) / 90) * (1 + _GROWS * values[reach])

    return scale


def _lift(arm: Arm, raised: str) -> Scalar:
    def angle(values: Values) -> float:
        return -arm.side * lift_of(values[raised])

    return angle


def lift_of(raised: float) -> float:
    """The degrees by which an arm is turned outwards and up."""
    return raised if raised <= 60 else 60 + (raised - 60) * 0.6


def _shoulder(arm: Arm) -> Callable[[Values], tuple[float, float]]:
    """The shoulder moves outwards as the arm rises, then up, and up as it reaches for the face.
    It always stays under the scarf.
    """
    raised, reach = f"ParamArm{arm.letter}A", f"ParamReach{arm.letter}"

    def shift(values: Values) -> tuple[float, float]:
        out = min(1.0, max(0.0, values[raised]) / 60)
        up = max(0.0, values[raised] - 60) / 90
        far = values[reach]
        turned = _turned(arm, values)
        return (turned + arm.side * (58 * out - 100 * far), 4 * out - 22 * up - _SHRUG * far)

    return shift


def _turned(arm: Arm, values: Values) -> float:
    """How far the shoulder goes as the body turns: the near one onto the chest, the far one out
    behind it. A raised arm is beside the head all the same.
    """
    bx = values["ParamBodyAngleX"] / 10
    hangs = 1 - 0.6 * min(1.0, max(0.0, values[f"ParamArm{arm.letter}A"]) / 60)
    return bx * hangs * (_OUT if arm.side * bx > 0 else _IN)


def _add_mesh(part: PartBuilder, arm: Arm) -> None:
    raised = f"ParamArm{arm.letter}A"

    def order(values: Values) -> float:
        # Raised, the arm passes in front of the head.
        if values[raised] > _BEHIND:
            return 700
        if (
            values["ParamBodyAngleX"] * arm.side > 0
            and -100 < values[f"ParamArm{arm.letter}B"] <= 0
        ):
            return _BEYOND
        # Bent, it passes in front of the panel and the hanging ends of the scarf.
        return 398 if arm.forward(values) or values[f"ParamArm{arm.letter}B"] > 0 else 380

    part.mesh(
        f"Arm{arm.letter}",
        f"RotArm{arm.letter}",
        order,
        cell=22,
        keys=arm.keys | SIDES,
        move=arm.move,
    )


def _add_forearm(part: PartBuilder, arm: Arm) -> None:
    p = part.figure.painters[f"Arm{arm.letter}"]
    whole = grid_shape(p, 22)
    line = resample(arm.line, 101)
    gap = whole.art[:, None, :] - line[None, :, :]
    along = np.argmin(gap[..., 0] * gap[..., 0] + gap[..., 1] * gap[..., 1], axis=1) / 100
    kept = whole.triangles[along[whole.triangles].mean(axis=1) > _ELBOW]
    used = np.unique(kept)
    shape = Shape(whole.art[used], np.searchsorted(used, kept))
    part.mesh(
        f"Fore{arm.letter}",
        f"RotArm{arm.letter}",
        706,
        piece=f"Arm{arm.letter}",
        keys=arm.keys,
        move=arm.move,
        shape=shape,
        opacity=lambda values: 1.0 if arm.forward(values) else 0.0,
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
        708,
        cell=22,
        keys=arm.keys | {raised: (-60.0, _BEHIND, 72.0, 96.0, _HIGH, 150.0)},
        move=arm.move,
        opacity=lambda values: 1.0 if values[raised] >= 96 else 0.0,
    )


def rims(arm: Arm, count: int = 15) -> tuple[Points, Points]:
    """Both sides of ``arm`` at rest from below the shoulder to the paw, (count, 2) each."""
    ts = 0.12 + 0.76 * np.arange(count) / (count - 1)
    line = resample(arm.line, 201)
    at = line[np.round(ts * 200).astype(int)]
    half = np.array([_girth(float(t)) * 0.46 for t in ts])[:, None]
    side = normals(line)[np.round(ts * 200).astype(int)] * half
    return at + side, at - side


def _box(arm: Arm) -> Box:
    return Box.around(arm.line, margin=66)


def _paint(p: Painter, arm: Arm) -> None:
    line = resample(arm.line, 60)
    outer = p.stroke_mask(line, lambda t: _girth(t) + 7.5)
    p.fill(outer, INK)
    mask = p.stroke_mask(line, lambda t: _girth(t) - 7.5)
    fur = ((0.0, p.palette.fur.light), (0.55, p.palette.fur.base), (1.0, p.palette.fur.deep))
    p.fill(mask, vertical(1040, 1330, *fur))
    volume(p, mask, reach=22)
    cuff = arm.sided(spline(_CUFF, closed=True) + np.array([CX, 0]))
    paw = p.palette.paw
    stops = ((0.0, paw.light), (0.45, paw.base), (1.0, paw.deep))
    p.fill(p.blur(p.moved(p.mask(cuff), 0, -7), 3), paw.shade.fade(70), clip=mask)
    glove = ImageChops.multiply(p.mask(cuff), mask)
    p.fill(glove, vertical(1245, 1390, *stops))
    p.shade(glove, paw.shade.fade(120), -12, -14, 7)
    p.shade(glove, paw.glow.fade(110), 8, 7, 4)
    fingers = [spline("178,1376 176,1360 170,1346"), spline("212,1368 208,1354 202,1342")]
    strokes(p, [arm.sided(f + np.array([CX, 0])) for f in fingers], 6)
