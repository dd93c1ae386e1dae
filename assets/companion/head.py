"""The head: its deformers, the face with its cheek fur, muzzle, nose and blush."""

import numpy as np

from companion.curl import CURL, HEAD_DOWN, sunk
from companion.curves import ellipse, mirror, spline
from companion.figure import Figure, PartBuilder, Values
from companion.ink import contour, strokes, vertical, volume
from companion.moc_model import Points
from companion.palette import BLUSH, INK_DEEP, INK_SOFT, WHITE
from companion.raster import Box, Radial
from companion.space import CX, HEAD_KEYS, ease, head_turn, shifted

_TILT = 0.42
"""Degrees for each degree of tilt: more, and a look into a corner rolls the head like a wheel."""
NECK = (CX, 935.0)
OPENINGS = ("EyeWhiteR", "EyeWhiteL", "MouthInside")
"""What lies in the eyes or the mouth is seen inside these. It names all three, though it only ever
meets one: each list of masks is drawn apart in every frame, as large as the whole mask buffer.
"""
HEAD_BOX = Box(CX - 480, 280, CX + 480, 980)


def add_head(figure: Figure) -> None:
    """Add ``RotHead``, ``WarpHead`` (the face), ``WarpMuzzle`` and what lies on them."""
    head = figure.part("PartHead", "Head", "头部")
    tilt = {"ParamAngleZ": (-30.0, 0.0, 30.0)}
    head.rotation(
        "RotHead",
        "WarpTorso",
        NECK,
        tilt | CURL,
        lambda v: v["ParamAngleZ"] * _TILT - 6 * sunk(v),
        lambda v: (HEAD_DOWN[0] * sunk(v), HEAD_DOWN[1] * sunk(v)),
    )
    head.warp("WarpHead", "RotHead", HEAD_BOX, (8, 8), HEAD_KEYS, head_turn(112, 84))
    muzzle = Box(CX - 170, 710, CX + 170, 960)
    head.warp("WarpMuzzle", "WarpHead", muzzle, (5, 5), HEAD_KEYS, shifted(34, 26))
    _face(head)
    _blush(head)
    _muzzle(head)


def _face(head: PartBuilder) -> None:
    half = spline(
        "0,322 125,334 245,390 330,484 370,590 380,672 412,722 474,756! 434,768 408,768! 424,800 "
        "446,832! 400,842 372,838! 330,880 250,926 130,962 0,974"
    )
    half = half + np.array([CX, 0])
    shape = np.concatenate([half, mirror(half, CX)[::-1]])
    p = head.figure.paint("Face", Box.around(shape, margin=10))
    mask = p.mask(shape)
    fur = p.palette.fur
    p.fill(mask, vertical(330, 950, (0.0, fur.light), (0.5, fur.base), (1.0, fur.deep)))
    volume(p, mask, reach=40)
    snow = spline(
        "0,700 34,716 70,756 140,800 230,806 320,776 400,742 500,740! 500,1000! 0,1000!"
    ) + np.array([CX, 0])
    snow = np.concatenate([snow, mirror(snow, CX)[::-1]])
    p.fill(p.blur(p.mask(snow), 5), fur.glow.fade(235), clip=mask)
    p.shade(mask, fur.shade.fade(90), -18, -30, 16)
    hair = spline(
        "-260,500! -150,560! -130,520 -40,640! 20,560 80,580! 100,540 160,570! 250,520! "
        "200,330! -200,330!",
        closed=True,
    )
    p.fill(p.blur(p.mask(hair + np.array([CX + 6, 6])), 5), fur.shade.fade(95), clip=mask)
    tufts = [
        spline("372,690 352,712 340,720"),
        spline("388,772 362,776 344,770"),
        spline("336,842 312,838 296,826"),
    ]
    for line in tufts:
        right = line + np.array([CX, 0])
        strokes(p, [right, mirror(right, CX)], 6.5)
    contour(p, shape, 9.5)
    keys = {"ParamHairSide": (-1.0, 0.0, 1.0)}
    head.mesh("Face", "WarpHead", 500, cell=88, keys=keys, move=_sway)


def _sway(rest: Points, values: Values) -> Points:
    """The fur of both cheeks swings up on one side and down on the other."""
    out = np.abs(rest[:, 0] - CX)
    weight = ease((out - 330) / 130) * ease((rest[:, 1] - 640) / 90)
    side = np.sign(rest[:, 0] - CX)
    step = np.stack([weight * 6, side * weight * 18], axis=1) * values["ParamHairSide"]
    return np.asarray(rest + step)


def _blush(head: PartBuilder) -> None:
    for name, side in (("BlushR", -1), ("BlushL", 1)):
        x = CX + side * 262
        p = head.figure.paint(name, Box(x - 96, 745, x + 96, 865), detail=0.5)
        paint = Radial(
            (x, 805),
            92,
            56,
            ((0.0, BLUSH.fade(190)), (0.45, BLUSH.fade(110)), (1.0, BLUSH.fade(0))),
        )
        p.fill(p.mask(ellipse(x, 805, 93, 57)), paint)
        head.mesh(
            name,
            "WarpHead",
            508,
            cell=120,
            keys={"ParamCheek": (0.0, 1.0)},
            opacity=lambda v: 0.4 + 0.6 * v["ParamCheek"],
        )


def _muzzle(head: PartBuilder) -> None:
    shape = spline(
        "0,742 62,762 118,800 128,852 84,904 0,922 -84,904 -128,852 -118,800 -62,762", closed=True
    ) + np.array([CX, 0])
    p = head.figure.paint("Muzzle", Box.around(shape, margin=14), detail=0.6)
    soft = p.blur(p.mask(shape), 4)
    p.fill(soft, p.palette.fur.glow)
    head.mesh("Muzzle", "WarpMuzzle", 512, cell=120)
    nose = spline(
        "0,764 22,758 36,766 30,786 10,802 -10,802 -30,786 -36,766 -22,758", closed=True
    ) + np.array([CX, 0])
    p = head.figure.paint("Nose", Box.around(nose, margin=8), detail=1.5)
    p.fill(p.mask(nose), vertical(756, 804, (0.0, INK_SOFT), (0.35, INK_DEEP), (1.0, INK_DEEP)))
    p.fill(p.blur(p.mask(ellipse(CX - 10, 768, 11, 5)), 1), WHITE.fade(220))
    head.mesh("Nose", "WarpMuzzle", 534, cell=52)
