"""The scarf: a wrapped band, a knot with two hanging ends, and the bell."""

import numpy as np

from companion.curl import CURL, HEAD_DOWN, risen, stands, sunk
from companion.curves import ellipse, even, resample, smooth, spline, tapered, tube
from companion.figure import Figure, PartBuilder, Values
from companion.ink import contour, silhouette, strokes, vertical, volume
from companion.iris import star
from companion.moc_model import Points
from companion.palette import GOLD, GOLD_DEEP, GOLD_LIGHT, INK, WHITE
from companion.raster import Box, Mask, Painter, Radial
from companion.space import CX, SIDES, TURN_KEYS, rounded
from companion.spine import Bend, Spine

_ORIGIN = np.array([CX, 0.0])
_THREE = (-1.0, 0.0, 1.0)
_BAND = (
    "-212,912 -120,966 0,986 120,966 212,912! 246,964 222,1046 132,1104 0,1126 -132,1104 "
    "-222,1046 -246,964!"
)
_HEM = "-226,1010 -136,1074 0,1098 136,1074 226,1010"
_LYING = (
    "-230,1420! -120,1450 0,1456 120,1450 230,1420! 276,1480 250,1538 140,1578 0,1588 -140,1578 "
    "-250,1538 -276,1480!"
)
_NECK = CX - 70
"""Where the neck of one who lies is."""
_WIDTH = 246.0
_FOLDS = (
    "-232,984 -160,1020 -84,1030",
    "-222,1030 -150,1062 -70,1072",
    "232,984 168,1016 96,1028",
    "216,1036 150,1064 92,1072",
    "-120,986 -60,1006 10,1008",
)


def add_scarf(figure: Figure) -> None:
    """Add scarf and bell under ``WarpTorso``."""
    scarf = figure.part("PartScarf", "Scarf", "围巾")
    box = Box(CX - 320, 840, CX + 320, 1420)
    scarf.warp("WarpScarf", "WarpTorso", box, (2, 2), CURL, _sinking, stands)
    scarf.warp("WarpScarfTurn", "WarpScarf", box, (2, 16), TURN_KEYS, _sliding)
    scarf.warp("WarpScarfEnds", "WarpScarf", box, (2, 2), SIDES, _swinging)
    long = "-150,1060! -58,1076! -60,1160 -74,1290 -92,1330! -140,1312 -206,1300! -186,1180"
    short = "-120,1060! -16,1080! -8,1140 -2,1230! -50,1226 -96,1232! -112,1150"
    _end(scarf, "ScarfShort", short, "-66,1070 -56,1150 -50,1230", 1.0, 390)
    _end(scarf, "ScarfLong", long, "-104,1068 -118,1180 -146,1310", 1.3, 392)
    _back(scarf)
    _band(scarf)
    _bell(scarf)
    _lying(scarf)


def _sinking(rest: Points, values: Values) -> Points:
    """It goes down with the head, which would else come through it, for as long as it is seen."""
    down = sunk({"ParamCurl": min(0.5, values["ParamCurl"])})
    return np.asarray(rest + np.array([HEAD_DOWN]) * down)


def _sliding(rest: Points, values: Values) -> Points:
    """The band is seen from the side of the turn."""
    return rounded(rest, _WIDTH, values, 0.75)


def _swinging(rest: Points, values: Values) -> Points:
    """The ends hang before the right of the chest: they go round to its middle or to its edge."""
    bx = values["ParamBodyAngleX"] / 10
    root = CX - 100
    out = rest.copy()
    if bx > 0:
        out[:, 0] += 96 * bx
        return out
    low = (rest[:, 1] - 1060) / 250
    out[:, 0] = root + (rest[:, 0] - root) * (1 + 0.15 * bx) + bx * (62 + 18 * low)
    out[:, 1] += 14 * bx
    return out


def _end(scarf: PartBuilder, name: str, text: str, axis: str, reach: float, order: int) -> None:
    shape = spline(text, closed=True) + _ORIGIN
    fringe = _fringe(spline(axis) + _ORIGIN, reach)
    p = scarf.figure.paint(name, Box.around(shape, *fringe, margin=10))
    shades = p.palette.scarf
    silhouette(p, fringe, shades.deep, 7.0)
    mask = p.mask(shape)
    top, bottom = float(shape[:, 1].min()), float(shape[:, 1].max())
    p.fill(mask, vertical(top, bottom, (0.0, shades.shade), (0.3, shades.deep), (1.0, shades.base)))
    spine = spline(axis) + _ORIGIN
    _stripes(p, spine, mask)
    volume(p, mask, 15, shades.shade, shades.light)
    if reach > 1:
        # A star embroidered on the long end.
        at = spine[round(0.4 * len(spine))]
        p.fill(p.mask(star(float(at[0]) - 4, float(at[1]) + 4, 26)), GOLD)
    strokes(p, [spine[: len(spine) // 2] + np.array([14.0, 0.0])], 5.5, shades.shade, clip=mask)
    contour(p, shape, 7.5)
    bones = Spine(resample(spine, 24))

    def move(rest: Points, values: Values) -> Points:
        first = Bend(values["ParamScarf"] * 16 * reach, 0.0, 0.6)
        return bones.pose(rest, [first, Bend(values["ParamScarfTip"] * 18 * reach, 0.4, 1.0)])

    keys = {"ParamScarf": _THREE, "ParamScarfTip": _THREE}
    scarf.mesh(name, "WarpScarfEnds", order, cell=76, keys=keys, move=move)


def _fringe(spine: Points, reach: float) -> list[Points]:
    """The tassels at the lower hem of a hanging end."""
    end, step = spine[-1], spine[-1] - spine[-4]
    along = step / np.sqrt(step[0] * step[0] + step[1] * step[1])
    side = np.array([-along[1], along[0]])
    tassels = []
    for k in (-1.5, -0.5, 0.5, 1.5):
        root = end + side * (k * 24 * reach) - along * 12
        line = smooth(np.array([root, root + along * 26, root + along * 48 - side * 3]))
        tassels.append(tube(line, tapered(15, 0.2, 0.5, 9.0)))
    return tassels


def _stripes(p: Painter, spine: Points, mask: Mask) -> None:
    """Two light bands across the lower part of a hanging end."""
    for at, wide in ((0.66, 15.0), (0.8, 8.0)):
        i = round(at * (len(spine) - 1))
        step = spine[i] - spine[i - 1]
        side = np.array([-step[1], step[0]]) / np.sqrt(step[0] * step[0] + step[1] * step[1])
        knots = np.array([spine[i] - side * 90, spine[i] + step * 0.8, spine[i] + side * 90])
        line = smooth(knots)
        p.fill(p.stroke_mask(line, even(wide)), p.palette.trim, clip=mask)


def _back(scarf: PartBuilder) -> None:
    """The inside of the scarf behind the neck, seen when the head is raised or tilted."""
    loop = ellipse(CX, 944, 214, 66)
    p = scarf.figure.paint("ScarfBack", Box.around(loop, margin=10), 0.8)
    p.fill(
        p.mask(loop), vertical(890, 1000, (0.0, p.palette.scarf.deep), (1.0, p.palette.scarf.shade))
    )
    contour(p, loop)
    scarf.mesh("ScarfBack", "WarpScarf", 210, cell=120)


def _band(scarf: PartBuilder) -> None:
    band = spline(_BAND, closed=True) + _ORIGIN
    p = scarf.figure.paint("Scarf", Box.around(band, margin=10))
    mask = p.mask(band)
    shades = p.palette.scarf
    p.fill(mask, vertical(940, 1120, (0.0, shades.deep), (0.5, shades.base), (1.0, shades.light)))
    # The head's shadow falls on the upper half.
    p.fill(p.blur(p.mask(ellipse(CX, 940, 240, 76)), 5), shades.shade.fade(120), clip=mask)
    for fold in _FOLDS:
        line = spline(fold) + _ORIGIN
        soft = p.blur(p.stroke_mask(line + np.array([0.0, 7.0]), tapered(20, 0.2)), 4)
        p.fill(soft, shades.shade.fade(120), clip=mask)
        p.fill(
            p.stroke_mask(line + np.array([0.0, -6.0]), tapered(6, 0.3)),
            shades.glow.fade(110),
            clip=mask,
        )
    hem = spline(_HEM) + _ORIGIN
    p.fill(p.stroke_mask(hem, even(7)), p.palette.trim.fade(235), clip=mask)
    volume(p, mask, 20, shades.shade, shades.light)
    strokes(p, [spline(f) + _ORIGIN for f in _FOLDS], 5.5, INK, clip=mask)
    contour(p, band)
    scarf.mesh("Scarf", "WarpScarfTurn", 704, cell=44)


def _bell(scarf: PartBuilder) -> None:
    x, y, r = CX, 1122.0, 47.0
    swing = {"ParamBell": _THREE}
    scarf.rotation("RotBell", "WarpScarfTurn", (x, y - 42), swing, lambda v: v["ParamBell"] * 22)
    ball = ellipse(x, y, r, r)
    p = scarf.figure.paint("Bell", Box.around(ball, margin=9), detail=1.5)
    mask = p.mask(ball)
    gold = ((0.0, GOLD_LIGHT), (0.5, GOLD), (1.0, GOLD_DEEP))
    p.fill(mask, Radial((x - 14, y - 18), 68, 68, gold))
    p.shade(mask, GOLD_DEEP.fade(190), -9, -12, 3)
    for dy in (-6.0, 6.0):
        rim = spline(f"{x - r},{y - 6 + dy} {x},{y + 6 + dy} {x + r},{y - 6 + dy}")
        p.fill(p.stroke_mask(rim, even(4.5)), INK, clip=mask)
    p.fill(p.mask(ellipse(x, y + 20, 8.5, 7.5)), INK)
    p.fill(p.stroke_mask(np.array([(x, y + 20), (x, y + 44)]), even(6)), INK, clip=mask)
    p.fill(p.blur(p.mask(ellipse(x - 17, y - 24, 13, 8)), 1), WHITE.fade(240))
    contour(p, ball, 7.5)
    scarf.mesh("Bell", "RotBell", 705, cell=68)


def _lying(scarf: PartBuilder) -> None:
    """The scarf of one who lies: pressed flat between chin and floor, the bell on it."""
    at = np.array([_NECK, 0.0])
    band = spline(_LYING, closed=True) + at
    p = scarf.figure.paint("CurlScarf", Box.around(band, margin=10), 0.7)
    mask = p.mask(band)
    shades = p.palette.scarf
    p.fill(mask, vertical(1430, 1590, (0.0, shades.shade), (0.5, shades.base), (1.0, shades.deep)))
    hem = spline("-256,1500 -140,1548 0,1560 140,1548 256,1500") + at
    p.fill(p.stroke_mask(hem, even(7)), p.palette.trim.fade(235), clip=mask)
    volume(p, mask, 16, shades.shade, shades.light)
    folds = ("-262,1470 -190,1506 -120,1516", "262,1470 190,1506 124,1514")
    strokes(p, [spline(fold) + at for fold in folds], 5.5, INK, clip=mask)
    contour(p, band)
    scarf.mesh("CurlScarf", "WarpCurl", 300, cell=110, keys=CURL, move=_loose)
    bell = (_NECK - CX, 418.0)
    scarf.mesh("CurlBell", "WarpCurl", 302, 68, "Bell", keys=CURL, move=_loose, offset=bell)


def _loose(rest: Points, values: Values) -> Points:
    """It is about the neck while the head comes down, its upper edge most."""
    out = rest.copy()
    out[:, 1] -= risen(values) * (70 + 1.3 * (1588 - rest[:, 1]))
    return out
