"""The deformers that carry everything, the torso and the feet."""

import numpy as np

from companion.curl import CURL, crouched, stands
from companion.curves import ellipse, even, mirror, resample, spline, tube
from companion.figure import Figure, Keys, Move, PartBuilder, Scalar, Values
from companion.ink import contour, strokes, vertical, volume
from companion.moc_model import Points
from companion.palette import INK, INK_SOFT, SNOW_SHADE
from companion.raster import Box, Mask, Painter
from companion.space import CX, SIDES, TURN_KEYS, ease, rotated, rounded

_FLOOR = 1575.0
_SCRUFF = (CX, 940.0)
_THREE = (-1.0, 0.0, 1.0)
_HIPS = 1480.0
STRIDE, LIFT = 60.0, 38.0
"""Pixels that a walking foot goes to either side of where it stands, and how high it is lifted."""
_LEAN = 1.4
"""Degrees for each degree of the body's angle."""
_CHEST, _LAP = 1011.0, 1600.0
"""Between these rows, two of the lean's grid, the trunk grows shorter or longer."""
_SINKS, _RISES = 172.0, 116.0
"""Pixels by which the head comes down as it crouches, and up as it stretches."""
_SIDE = (
    "0,900 80,915 126,1000 158,1110 184,1220 212,1320 230,1410 222,1468 184,1508 110,1520 0,1522"
)
_WAIST, _LEG = 1250.0, 96.0
_NEAR, _FAR = 236.0, 224.0
"""The draw orders of the near and the far foot of a turned body."""
_EVERYTHING = Box(20, 20, 1380, 1660)
_UPRIGHT = Box(40, 30, 1370, 1600)
_TRUNK = Box(CX - 260, 900, CX + 260, 1580)


def add_body(figure: Figure) -> None:
    """Add the carrying deformers ``WarpRoot``, ``WarpLean``, ``WarpTorso`` and the trunk."""
    body = figure.part("PartBody", "Body", "身体")
    base = {"ParamBaseX": (-10.0, 0.0, 10.0), "ParamBaseY": (-10.0, 0.0, 10.0)}
    squash = {"ParamSquash": (-1.0, 0.0, 1.0)}
    tilt = {"ParamBaseAngle": (-45.0, 0.0, 45.0)}
    body.rotation("RotWhole", None, _SCRUFF, tilt, lambda v: v["ParamBaseAngle"])
    body.warp("WarpRoot", "RotWhole", _EVERYTHING, (4, 4), base | squash, _whole)
    crouch = {"ParamCrouch": _THREE}
    lean = {"ParamBodyAngleZ": (-10.0, 0.0, 10.0)} | crouch | {"ParamCurl": (0.0, 0.5, 1.0)}
    body.warp("WarpLean", "WarpRoot", _UPRIGHT, (8, 5), lean, _lean)
    turn = {"ParamBodyAngleX": (-10.0, 0.0, 10.0), "ParamBodyAngleY": (-10.0, 0.0, 10.0)}
    shrug = {"ParamShoulder": (-1.0, 0.0, 1.0)}
    body.warp("WarpTorso", "WarpLean", _UPRIGHT, (8, 8), turn | shrug, _torso_turn)
    breath = {"ParamBreath": (0.0, 1.0)} | CURL | crouch
    body.warp("WarpBreath", "WarpTorso", _TRUNK, (6, 5), breath, _breathe, stands)
    body.warp("WarpTrunk", "WarpBreath", _TRUNK, (10, 24), TURN_KEYS, _trunk_turn)
    legs = figure.part("PartLegs", "Legs", "腿")
    _legs(legs)
    _feet(legs)
    _trunk(body)


def _whole(rest: Points, values: Values) -> Points:
    squash = values["ParamSquash"]
    out = rest.copy()
    out[:, 0] = CX + (rest[:, 0] - CX) * (1 + 0.07 * squash) + values["ParamBaseX"] * 14
    out[:, 1] = _FLOOR + (rest[:, 1] - _FLOOR) * (1 - 0.09 * squash) - values["ParamBaseY"] * 12
    return out


def _lean(rest: Points, values: Values) -> Points:
    """Leans from the hips; crouching, the trunk shortens, and a head is never squashed."""
    crouch = values["ParamCrouch"]
    crouch += (1 - crouch) * crouched(values["ParamCurl"])
    above = np.clip((_LAP - rest[:, 1]) / (_LAP - _CHEST), 0.0, 1.0)
    out = rest.copy()
    out[:, 1] += crouch * (_SINKS if crouch > 0 else _RISES) * above
    weight = ease((_FLOOR - 40 - rest[:, 1]) / 560)
    return rotated(out, (CX, _HIPS), values["ParamBodyAngleZ"] * _LEAN * weight)


def _torso_turn(rest: Points, values: Values) -> Points:
    """The middle of the trunk comes forward, the side turned away draws in."""
    bx, by = values["ParamBodyAngleX"] / 10, values["ParamBodyAngleY"] / 10
    u = (rest[:, 0] - CX) / 240
    near = np.exp(-1.0 * u * u)
    away = np.clip(u * np.sign(bx), 0.0, 1.2)
    height = ease((_FLOOR - 30 - rest[:, 1]) / 560)
    out = rest.copy()
    out[:, 0] += bx * (height * (22 + 44 * near) - 16 * away * height)
    out[:, 1] += -by * height * (20 + 10 * near)
    # Shoulders beside the neck rise and fall with the arms that hang on them.
    beside = ease((np.abs(u) - 0.2) / 0.4) * np.exp(-(((rest[:, 1] - 1060) / 90) ** 2))
    out[:, 1] -= 30 * values["ParamShoulder"] * beside
    return out


def _breathe(rest: Points, values: Values) -> Points:
    breath = values["ParamBreath"]
    chest = np.exp(-(((rest[:, 1] - 1180) / 190) ** 2))
    out = rest.copy()
    # The fur of one who crouches bulges at the haunches; who stretches is slim.
    haunch = np.exp(-(((rest[:, 1] - 1400) / 170) ** 2))
    wide = 0.028 * breath * chest + 0.11 * values["ParamCrouch"] * haunch
    out[:, 0] += (rest[:, 0] - CX) * wide
    out[:, 1] -= 7 * breath * chest
    return out


def _trunk_turn(rest: Points, values: Values) -> Points:
    """Turned, belly and thighs slide to the front, the chest comes out there, the rump behind."""
    bx = values["ParamBodyAngleX"] / 10
    side = spline(_SIDE)[:-20]
    half = np.maximum(90.0, np.interp(rest[:, 1], side[:, 1], side[:, 0]))
    out = rounded(rest, half, values, 0.9)
    u = (rest[:, 0] - CX) / half * np.sign(bx)
    front, behind = np.clip(u, 0.0, 1.0), np.clip(-u, 0.0, 1.0)
    chest = np.exp(-(((rest[:, 1] - 1190) / 100) ** 2))
    rump = np.exp(-(((rest[:, 1] - 1430) / 100) ** 2))
    out[:, 0] += bx * (front * (18 * chest - 22 * rump) - behind * (26 * rump - 8 * chest))
    return out


def _trunk(body: PartBuilder) -> None:
    half = spline(_SIDE) + np.array([CX, 0])
    shape = np.concatenate([half, mirror(half, CX)[::-1]])
    p = body.figure.paint("Torso", Box.around(shape, margin=10))
    mask = p.mask(shape)
    fur = p.palette.fur
    p.fill(mask, vertical(930, 1520, (0.0, fur.light), (0.45, fur.base), (1.0, fur.deep)))
    volume(p, mask, reach=34)
    _belly(p, mask)
    _haunches(p, mask)
    # The scarf's shadow on the chest.
    p.fill(p.blur(p.mask(ellipse(CX + 10, 1060, 190, 82)), 12), fur.shade.fade(130), clip=mask)
    _fluff(p)
    contour(p, shape)
    keys = {"ParamLegs": _THREE}
    body.mesh("Torso", "WarpTrunk", 200, cell=34, keys=keys, move=_hips)


def _hips(rest: Points, values: Values) -> Points:
    """The trunk of one whose legs hang down ends above them, and is narrow there."""
    dangle = max(0.0, values["ParamLegs"])
    low = np.maximum(0.0, rest[:, 1] - _WAIST)
    out = rest.copy()
    out[:, 0] = CX + (rest[:, 0] - CX) * (1 - 0.3 * dangle * ease((rest[:, 1] - 1330) / 190))
    out[:, 1] = rest[:, 1] - 0.3 * dangle * low
    return out


def _belly(p: Painter, trunk: Mask) -> None:
    """The light front, with an edge of fur."""
    side = spline(
        "0,1050 84,1076 122,1150 138,1214 150,1248! 138,1252 134,1262 146,1300 150,1338! "
        "136,1338 130,1346 126,1400 96,1470 0,1500"
    ) + np.array([CX, 0])
    shape = np.concatenate([side, mirror(side, CX)[::-1]])
    mask = p.mask(shape)
    p.fill(
        p.blur(mask, 2),
        vertical(
            1060,
            1500,
            (0.0, p.palette.fur.light),
            (0.35, p.palette.fur.glow),
            (0.75, p.palette.fur.glow),
            (1.0, p.palette.fur.light),
        ),
        clip=trunk,
    )


def _haunches(p: Painter, trunk: Mask) -> None:
    """The thighs of one who sits, either side of the belly."""
    thigh = spline(
        "246,1300 178,1296 120,1344 96,1414 104,1490 130,1540 250,1540", closed=True
    ) + np.array([CX, 0])
    edge = spline("190,1300 148,1320 112,1366 96,1424 102,1500") + np.array([CX, 0])
    fur = p.palette.fur
    for shape, line in ((thigh, edge), (mirror(thigh, CX), mirror(edge, CX))):
        mask = p.mask(shape)
        p.fill(p.blur(p.moved(mask, 0, -10), 10), fur.shade.fade(110), clip=trunk)
        p.fill(
            p.blur(mask, 5),
            vertical(1296, 1520, (0.0, fur.light), (0.4, fur.base), (1.0, fur.deep)),
            clip=trunk,
        )
        strokes(p, [line[::-1]], 7, INK, clip=trunk, head=0.2)


def _fluff(p: Painter) -> None:
    """The tuft of white fur on the chest."""
    tuft = spline(
        "-120,1060! -100,1150 -72,1204! -52,1180 -40,1150! -30,1220 4,1272! 24,1232 30,1186! "
        "46,1214 74,1230! 82,1190 82,1148! 94,1160 112,1166! 122,1110 120,1060!",
        closed=True,
    ) + np.array([CX, 0])
    mask = p.mask(tuft)
    p.fill(p.blur(p.moved(mask, 5, 10), 5), p.palette.fur.shade.fade(150), clip=p.blur(mask, 14))
    p.fill(
        mask,
        vertical(
            1060, 1270, (0.0, SNOW_SHADE), (0.4, p.palette.fur.glow), (1.0, p.palette.fur.glow)
        ),
    )
    p.fill(p.stroke_mask(tuft, even(5), closed=True), INK_SOFT.fade(190))


def foot_shape(side: int) -> Points:
    """The outline of a foot at rest; ``side`` is 1 for the character's left."""
    shape = spline(
        "-112,1612 -88,1570 -20,1552 60,1562 106,1590 112,1622 84,1652 0,1660 -88,1650", closed=True
    )
    shape = shape if side > 0 else mirror(shape, 0)
    return np.asarray(shape + np.array([CX + side * 100, -82]))


def leg_end(side: int, letter: str) -> Points:
    """Both corners of a leg's lower end while it is hidden in the trunk, (2, 2)."""
    shape = _leg_shape(side)
    ends = shape[len(shape) // 2 - 1 : len(shape) // 2 + 1]
    return _reaching(side, letter)(ends, {"ParamLegs": 0.0, f"ParamStep{letter}": 0.0})


def _leg_shape(side: int) -> Points:
    x = CX + side * _LEG
    line = np.array([(x, 1330.0), (x, 1440.0), (x, 1540.0)])
    return tube(resample(line, 60), lambda t: (170 - 86 * t) * (1 - 0.4 * max(0.0, 1 - t / 0.3)))


def _feet(legs: PartBuilder) -> None:
    paw = legs.figure.palette.paw
    for name, x in (("FootR", CX - 100), ("FootL", CX + 100)):
        shape = foot_shape(-1 if name == "FootR" else 1)
        p = legs.figure.paint(name, Box.around(shape, margin=10))
        mask = p.mask(shape)
        p.fill(mask, vertical(1468, 1578, (0.0, p.palette.fur.light), (1.0, p.palette.fur.base)))
        toes = spline(
            "-130,1700! -130,1608! -84,1624 -56,1606 -10,1626 30,1606 72,1624 130,1604! 130,1700!",
            closed=True,
        )
        p.fill(
            p.mask(toes + np.array([x, -82])),
            vertical(1518, 1578, (0.0, paw.light), (0.5, paw.base), (1.0, paw.deep)),
            clip=mask,
        )
        p.shade(mask, paw.shade.fade(90), -8, -16, 8)
        claws = [
            spline(f"{x + dx},1573 {x + dx * 0.96},1558 {x + dx * 0.9},1544") for dx in (-38, 36)
        ]
        strokes(p, claws, 7)
        contour(p, shape)
        side, letter = -1 if name == "FootR" else 1, name[-1]
        keys, move = _foot_keys(letter), _stepping(side, letter)
        keys = {**keys, "ParamBodyAngleX": (-10.0, 10.0)}
        legs.mesh(name, f"WarpTurn{letter}", _nearest(side), cell=88, keys=keys, move=move)


def _nearest(side: int) -> Scalar:
    def order(values: Values) -> float:
        return _NEAR if side * values["ParamBodyAngleX"] < 0 else _FAR

    return order


def _foot_turn(side: int) -> Move:
    """Feet stand before the body: both go to its front, the near one is lower and larger."""

    def move(rest: Points, values: Values) -> Points:
        bx = values["ParamBodyAngleX"] / 10
        near = -side * bx
        middle = CX + side * 100
        out = rest.copy()
        out[:, 0] = middle + (rest[:, 0] - middle) * (1 - 0.02 * abs(bx) + 0.06 * near)
        out[:, 0] += 48 * bx - side * 14 * abs(bx)
        out[:, 1] = 1578 + (rest[:, 1] - 1578) * (1 + 0.05 * near) + 9 * near
        return out

    return move


def _leg_keys(letter: str) -> Keys:
    return {"ParamLegs": _THREE, f"ParamStep{letter}": _THREE}


def _foot_keys(letter: str) -> Keys:
    walks = {f"ParamStride{letter}": (-1.0, 1.0), f"ParamLift{letter}": (0.0, 1.0)}
    return {**_leg_keys(letter), **walks}


def _hang(side: int, letter: str, values: Values) -> tuple[float, float]:
    """How far a foot is from where it stands."""
    legs, step = values["ParamLegs"], values[f"ParamStep{letter}"]
    dangle, tuck = max(0.0, legs), max(0.0, -legs)
    # A step forwards is lifted, one back trails; dangling, the leg swings.
    x = 44 * step * (1 - dangle) + 40 * step * dangle - side * (8 * dangle + 16 * tuck)
    y = -30 * max(0.0, step) * (1 - dangle) - 14 * abs(step) * dangle + 84 * dangle - 40 * tuck
    return x, y


def _stepping(side: int, letter: str) -> Move:
    def move(rest: Points, values: Values) -> Points:
        dangle, step = max(0.0, values["ParamLegs"]), values[f"ParamStep{letter}"]
        tuck = max(0.0, -values["ParamLegs"])
        ankle = (CX + side * 100, 1500.0)
        out = rest.copy()
        # A hanging foot points down: narrower and longer.
        out[:, 0] = ankle[0] + (rest[:, 0] - ankle[0]) * (1 - 0.3 * dangle - 0.08 * tuck)
        out[:, 1] = ankle[1] + (rest[:, 1] - ankle[1]) * (1 + 0.1 * dangle)
        out = rotated(out, ankle, 12 * step * (1 - 0.4 * dangle) - side * 7 * dangle)
        # On its way along the ground a foot neither turns nor leaves it, unless it is lifted.
        walks = (STRIDE * values[f"ParamStride{letter}"], -LIFT * values[f"ParamLift{letter}"])
        hang = np.array([_hang(side, letter, values)])
        return np.asarray(out + hang + np.array([walks]) * (1 - dangle))

    return move


def _legs(legs: PartBuilder) -> None:
    """The legs of one who dangles them, hidden in the trunk otherwise; ``WarpFeet`` for all."""
    box = Box(CX - 330, 1330, CX + 330, 1700)
    legs.warp("WarpFeet", "WarpRoot", box, (2, 2), CURL, lambda rest, _values: rest, stands)
    shape = _leg_shape(-1)
    p = legs.figure.paint("LegR", Box.around(shape, margin=12), 0.7)
    mask = p.mask(shape)
    p.fill(mask, vertical(1420, 1540, (0.0, p.palette.fur.base), (1.0, p.palette.fur.light)))
    volume(p, mask, reach=24)
    contour(p, shape)
    for letter, side in (("R", -1), ("L", 1)):
        legs.warp(f"WarpTurn{letter}", "WarpFeet", box, (2, 2), SIDES, _foot_turn(side))
        legs.mesh(
            f"Leg{letter}",
            f"WarpTurn{letter}",
            196,
            cell=60,
            piece="LegR",
            offset=((side + 1) * _LEG, 0.0),
            keys={**_leg_keys(letter), "ParamLegs": (-1.0, 0.0, 0.05, 1.0)},
            move=_reaching(side, letter),
            opacity=lambda values: 1.0 if values["ParamLegs"] > 0 else 0.0,
        )


def _reaching(side: int, letter: str) -> Move:
    """A leg's lower end, hidden in its foot, follows that; the upper one stays in the trunk."""

    def move(rest: Points, values: Values) -> Points:
        dangle = max(0.0, values["ParamLegs"])
        x, _down = _hang(side, letter, values)
        down = ease((rest[:, 1] - 1400) / 140)
        out = rest.copy()
        out[:, 0] = rest[:, 0] + x * down * dangle + side * 4 * (1 - dangle) * down
        out[:, 1] = 1400 + (rest[:, 1] - 1400) * (0.62 + 0.82 * dangle)
        return out

    return move
