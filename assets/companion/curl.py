"""Curled up to sleep: the head lies on the floor, the body behind it, the tail over the nose.

``ParamCurl`` crouches and lays the head down; half way the curled body takes the standing one's
place between two frames, while the tail, which sweeps round, lies in front of both.
"""

import numpy as np
from PIL import ImageChops

from companion.curves import ellipse, resample, spline, tube
from companion.figure import Figure, PartBuilder, Values
from companion.ink import contour, leaf, silhouette, strokes, vertical, volume
from companion.moc_model import Points
from companion.raster import Box
from companion.space import CX, rotated
from companion.spine import Bend, Spine

_BEFORE, _AFTER = 0.4995, 0.5005
SWEEPS, SWEPT = 0.15, 0.85
"""Between these values of ``ParamCurl`` the tail sweeps round in front of the body."""
INSTANT = 0.0005
"""The step of ``ParamCurl`` within which parts are exchanged: no frame shows both."""
CURL: dict[str, tuple[float, ...]] = {"ParamCurl": (0.0, SWEEPS, _BEFORE, _AFTER, 1.0)}
HEAD_DOWN = (-70.0, 404.0)
"""How far the head's pivot goes when it lies down."""
_RAISED = 96.0
_ORIGIN = np.array([CX, 0.0])
_BODY = (
    "-250,1560 -300,1470 -250,1360 -120,1270 60,1208 240,1200 400,1246 520,1340 560,1450 530,1540 "
    "440,1580 100,1584 -120,1582"
)
_TAIL = "541,1378 564,1470 532,1546 450,1580 330,1586 180,1566 50,1508 -50,1424 -110,1346"

_SWEEP = (
    (SWEEPS, 1.5, "690,1404 800,1466 930,1482 1050,1450 1140,1376 1196,1280 1250,1170 1320,1060"),
    (0.25, 1.5, "720,1410 830,1455 950,1470 1060,1450 1140,1400 1200,1330 1240,1260 1270,1190"),
    (0.32, 1.4, "730,1404 830,1446 940,1462 1040,1452 1120,1424 1180,1384 1226,1336 1256,1284"),
    (0.37, 1.1, "800,1300 900,1300 990,1326 1060,1384 1060,1440 1000,1476 920,1486 840,1488"),
    (0.43, 1.2, "920,1240 1030,1280 1084,1370 1036,1450 910,1480 780,1478 660,1458 560,1420"),
    (0.5, 1.3, "1010,1230 1090,1320 1064,1420 940,1462 780,1462 620,1436 480,1390 380,1310"),
    (0.64, 1.3, "1050,1290 1110,1370 1070,1450 930,1475 770,1468 620,1436 500,1376 430,1290"),
)
"""``ParamCurl``, the tail's width and its line from root to tip as it sweeps round."""
HANDED = 0.32
"""Up to here it is the drawing of the standing tail, from here on that of the curled one: each
straightened out, or bent the other way, would tear at its inner side. The first is behind the body.
"""
_WIDER = 1.5
"""The standing tail is drawn so much wider than the curled one."""
_ROOT = (CX + 90, 1420.0)
_SINKS = 53.0
"""How far the root of the tail comes down with a body that crouches."""
_PAWS_AT = 1528.0
_PAW = "-66,10 -60,-34 -34,-62 4,-70 40,-58 62,-30 66,12 54,40 20,54 -22,54 -54,40"


def stands(values: Values) -> float:
    """The opacity of what is seen only while the figure isn't curled up."""
    return 1.0 if values["ParamCurl"] <= _BEFORE else 0.0


def lies(values: Values) -> float:
    """The opacity of what is seen only when it is."""
    return 1.0 if values["ParamCurl"] >= _AFTER else 0.0


def risen(values: Values) -> float:
    """How far it is from lying, 1..0; what isn't seen yet stays as small as when it will be."""
    return min(1.0, 2 * (1 - values["ParamCurl"]))


def sunk(values: Values) -> float:
    """How far the head has come down, 0..1: most of the way while the bodies change."""
    curl = values["ParamCurl"]
    if curl <= SWEEPS:
        return 0.06 * curl / SWEEPS
    return 0.06 + 0.94 * (curl - SWEEPS) / (1 - SWEEPS)


def crouched(curl: float) -> float:
    """How far it crouches by curling up, 0..1: most where the bodies are exchanged."""
    return 2 * min(curl, 1 - curl)


def add_curl(figure: Figure) -> None:
    """Add the curled body and its tail under ``WarpRoot``."""
    curl = figure.part("PartCurl", "Curled up", "蜷睡")
    box = Box(CX - 380, 1100, CX + 680, 1660)
    curl.warp(
        "WarpCurl",
        "WarpRoot",
        box,
        (4, 6),
        CURL | {"ParamBreath": (0.0, 1.0)},
        _rise,
        lies,
    )
    _body(curl)
    _tail(curl)
    _paws(curl)


def _rise(rest: Points, values: Values) -> Points:
    """From a crouch, as wide as who stands, it lies down to its left side, and breathes deeply."""
    up, breath = risen(values), values["ParamBreath"]
    tall = 1.0 - 0.06 * up + 0.035 * breath
    left = rest[:, 0] > CX
    wide = 1.0 - np.where(left, 0.42, 0.1) * up + 0.008 * breath
    out = rest.copy()
    out[:, 0] = CX + (rest[:, 0] - CX) * wide
    # It is drawn too low: its tail lies where the feet stand.
    out[:, 1] = 1580 + (rest[:, 1] - 1580) * tall - _RAISED
    return out


def _body(curl: PartBuilder) -> None:
    shape = spline(_BODY, closed=True) + _ORIGIN
    p = curl.figure.paint("CurlBody", Box.around(shape, margin=12), 0.7)
    mask = p.mask(shape)
    fur = p.palette.fur
    p.fill(mask, vertical(1200, 1580, (0.0, fur.light), (0.5, fur.base), (1.0, fur.deep)))
    volume(p, mask, reach=44)
    haunch = spline("560,1390 470,1330 370,1350 310,1440 330,1530 420,1600 600,1600", closed=True)
    thigh = p.mask(haunch + _ORIGIN)
    p.fill(p.blur(p.moved(thigh, -8, -10), 12), fur.shade.fade(110), clip=mask)
    p.fill(thigh, vertical(1320, 1590, (0.0, fur.light), (1.0, fur.base)), clip=mask)
    edge = spline("470,1334 380,1352 318,1440 332,1524") + _ORIGIN
    strokes(p, [edge], 7.5, clip=mask, head=0.2)
    back = ["-40,1262 -22,1282 -20,1300", "96,1226 112,1244 116,1262", "250,1222 260,1242 258,1258"]
    strokes(p, [spline(text) + _ORIGIN for text in back], 6.5, clip=mask)
    contour(p, shape)
    curl.mesh("CurlBody", "WarpCurl", 215, cell=128)


def tail_spine() -> Points:
    """From the root, which lies on the outline of the body, around the haunch to the tip."""
    return resample(spline(_TAIL) + _ORIGIN, 90)


def tail_girth(t: float) -> float:
    """It begins as a point: what is wider ends in a straight cut across the body."""
    rise = min(1.0, t / 0.55)
    fall = min(1.0, (1 - t) / 0.42)
    return 4 + 164 * rise * (2 - rise) - 168 * (1 - fall * (2 - fall))


def _tail(curl: PartBuilder) -> None:
    line, girth = tail_spine(), tail_girth
    tufts = []
    for at, side, length in ((34, -1, 90), (48, -1, 96), (62, -1, 90), (74, 1, 70)):
        step = line[at + 1] - line[at]
        along = step / np.sqrt(float((step * step).sum()))
        out = np.array([-along[1], along[0]]) * side
        start = line[at] + out * girth(at / 89) * 0.34
        knots = [start, start + along * length * 0.5 + out * 14, start + along * length + out * 26]
        tufts.append(leaf(resample(np.array(knots), 20), length * 0.5, 0.3, 0.5))
    shapes = [tube(line, girth), *tufts]
    p = curl.figure.paint("CurlTail", Box.around(*shapes, margin=12), 0.7)
    mask = silhouette(
        p, shapes, vertical(1440, 1600, (0.0, p.palette.fur.light), (1.0, p.palette.fur.deep))
    )
    volume(p, mask, reach=30)
    end = tube(line[54:], lambda t: 1.6 * girth(0.6 + 0.4 * t) + 12)
    fringe = [
        leaf(resample(np.array([line[50] + [0, dy], line[58] + [0, dy]]), 12)[::-1], 60, 0.4, 0.8)
        for dy in (-48.0, -8.0, 32.0)
    ]
    tip = p.mask(end, *fringe)
    shades = p.palette.tail_tip
    p.fill(p.blur(p.moved(tip, 8, 6), 4), shades.shade.fade(70), clip=mask)
    tip = ImageChops.multiply(tip, mask)
    p.fill(tip, vertical(1430, 1580, (0.0, shades.glow), (0.45, shades.light), (1.0, shades.base)))
    p.shade(tip, shades.shade.fade(110), -10, -22, 14)
    p.fill(p.blur(p.mask(ellipse(CX + 20, 1490, 60, 14)), 8), shades.glow.fade(150), clip=tip)
    keys = {
        "ParamTailWag": (-1.0, 0.0, 1.0),
        "ParamPaws": (0.0, 0.5, 0.55, 1.0),
        "ParamCurl": (0.0, SWEPT, SWEPT + INSTANT, 1.0),
    }
    spine = Spine(line)

    def move(rest: Points, values: Values) -> Points:
        tip = np.clip((CX + 260 - rest[:, 0]) / 300, 0.0, 1.0)
        wag = np.stack([0 * tip, -22 * tip * values["ParamTailWag"]], axis=1)
        return np.asarray(spine.pose(rest, _off_the_nose(values)) + wag)

    def swept(values: Values) -> float:
        return 1.0 if values["ParamCurl"] > SWEPT else 0.0

    curl.mesh("CurlTail", "WarpCurl", _order, cell=90, keys=keys, move=move, opacity=swept)
    _add_sweep(curl, spine)


def _order(values: Values) -> float:
    return 720 if values["ParamPaws"] <= 0.5 else 218


def _off_the_nose(values: Values) -> list[Bend]:
    """Awake, its tail comes off the nose and lies along its side, the tip free to sway."""
    return [Bend(-44 * min(1.0, values["ParamPaws"] * 2), 0.4, 0.85)]


def _add_sweep(curl: PartBuilder, spine: Spine) -> None:
    """The rest of the tail's way round, until it lies, in front of both bodies."""
    ways = tuple(at for at, _wide, _line in _SWEEP if at > HANDED)
    seen = (HANDED + INSTANT, *ways, SWEPT)
    keys = {
        "ParamCurl": (0.0, HANDED, *seen, SWEPT + INSTANT, 1.0),
        "ParamPaws": (0.0, 0.5, 0.55, 1.0),
    }

    def move(rest: Points, values: Values) -> Points:
        # Hidden meshes count for the figure's size: at rest it is before the body.
        curl = min(max(values["ParamCurl"], ways[0]), SWEPT)
        if curl == SWEPT:
            posed = spine.pose(rest, _off_the_nose(values))
            out = _rise(posed, {"ParamBreath": 0.0, "ParamCurl": curl})
        else:
            line, wide = _way(curl)
            out = spine.laid(rest, line, wide)
        return np.asarray(out - np.array([[0.0, sinks(curl)]]))

    def order(values: Values) -> float:
        return 720 if values["ParamCurl"] < SWEPT else _order(values)

    curl.rotation("RotSweep", "WarpLean", _ROOT, {}, lambda _values: 0.0)
    curl.mesh(
        "TailSweep",
        "RotSweep",
        order,
        piece="CurlTail",
        cell=36,
        keys=keys,
        move=move,
        opacity=lambda values: 1.0 if values["ParamCurl"] in seen else 0.0,
    )


def _way(curl: float) -> tuple[Points, float]:
    """The line of the tail, from its root, and its width as it sweeps round."""
    _at, wide, text = [way for way in _SWEEP if way[0] <= curl][-1]
    return spline(text), wide


def add_sweep_begins(tail: PartBuilder, spine: Spine) -> None:
    """The beginning of the standing tail's way round, behind the body."""
    seen = (SWEEPS + INSTANT, *(at for at, _wide, _line in _SWEEP[1:] if at <= HANDED))
    keys = {"ParamCurl": (0.0, SWEEPS, *seen, HANDED + INSTANT, 1.0)}

    def move(rest: Points, values: Values) -> Points:
        curl = min(max(values["ParamCurl"], SWEEPS), HANDED)
        return np.asarray(laid_on_its_way(spine, rest, curl))

    tail.rotation("RotRound", "WarpLean", _ROOT, {}, lambda _values: 0.0)
    tail.mesh(
        "TailRound",
        "RotRound",
        100,
        piece="Tail",
        cell=76,
        keys=keys,
        move=move,
        opacity=lambda values: 1.0 if values["ParamCurl"] in seen else 0.0,
    )


def laid_on_its_way(spine: Spine, rest: Points, curl: float) -> Points:
    """Where points of the standing tail are as it sweeps round."""
    line, wide = _way(curl)
    return np.asarray(spine.laid(rest, line, wide / _WIDER) - np.array([[0.0, sinks(curl)]]))


def sinks(curl: float) -> float:
    """How far the root of the tail comes down with the body as it curls up."""
    return _SINKS * crouched(curl)


def _paws(curl: PartBuilder) -> None:
    """The forepaws on which the chin of one lies who is awake."""
    paw = curl.figure.palette.paw
    for letter, x, lean in (("R", CX - 176, -7), ("L", CX + 12, 5)):
        shape = spline(_PAW, closed=True) + np.array([x, _PAWS_AT])
        shape = rotated(shape, (x, _PAWS_AT), lean)
        p = curl.figure.paint(f"CurlPaw{letter}", Box.around(shape, margin=10), 0.7)
        mask = p.mask(shape)
        stops = ((0.0, paw.light), (0.45, paw.base), (1.0, paw.deep))
        p.fill(mask, vertical(_PAWS_AT - 80, _PAWS_AT + 40, *stops))
        p.shade(mask, paw.shade.fade(120), -10, -12, 7)
        claws = [spline(f"{x + dx},46 {x + dx * 0.97},30 {x + dx * 0.9},14") for dx in (-26, 24)]
        down = np.array([[0.0, _PAWS_AT]])
        claws = [rotated(line + down, (x, _PAWS_AT), lean) for line in claws]
        strokes(p, claws, 6)
        contour(p, shape, 7.5)

        def move(rest: Points, values: Values) -> Points:
            hidden = 1 - max(0.0, values["ParamPaws"] - 0.55) / 0.45
            return np.asarray(rest - np.array([[0.0, 70.0 * hidden]]))

        curl.mesh(
            f"CurlPaw{letter}",
            "WarpCurl",
            330,
            cell=80,
            keys={"ParamPaws": (0.0, 0.5, 0.55, 1.0)},
            move=move,
            opacity=lambda values: 1.0 if values["ParamPaws"] > 0.5 else 0.0,
        )
