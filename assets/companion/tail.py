"""The tail: one fluffy drawing bent along its spine."""

import numpy as np

from companion.curves import spline, tube
from companion.figure import Figure, Values
from companion.ink import contour, strokes, vertical, volume
from companion.moc_model import Points
from companion.palette import CREAM, CREAM_DEEP, CREAM_LIGHT, MINT, TEAL, TEAL_LIGHT
from companion.raster import Box, Linear
from companion.space import CX
from companion.spine import Bend, Spine

_SPINE = "90,1420 230,1476 390,1474 510,1398 560,1268 548,1128 560,998 640,850"


def _width(t: float) -> float:
    table = ((0.0, 80.0), (0.2, 140.0), (0.42, 205.0), (0.6, 210.0), (0.78, 160.0), (0.9, 90.0), (1.0, 0.0))
    for (a, wa), (b, wb) in zip(table, table[1:], strict=False):
        if t <= b:
            k = (t - a) / (b - a)
            k = k * k * (3 - 2 * k)
            return wa + (wb - wa) * k
    return 0.0


def add_tail(figure: Figure) -> None:
    """Add the tail under ``WarpLean``."""
    tail = figure.part("PartTail", "Tail", "尾巴")
    line = spline(_SPINE) + np.array([CX, 0])
    shape = tube(line, _width)
    p = figure.paint("Tail", Box.around(shape, margin=12))
    mask = p.mask(shape)
    p.fill(mask, Linear((CX + 200, 1570), (CX + 500, 870), ((0.0, CREAM_DEEP), (0.6, CREAM), (1.0, CREAM_LIGHT))))
    tip = spline("380,720! 800,720! 760,1090! 690,1050 660,1100 610,1050 570,1096 520,1040 470,1080! 400,1020!", closed=True) + np.array([CX, 0])
    p.fill(p.mask(tip), vertical(840, 1100, (0.0, MINT), (0.5, TEAL_LIGHT), (1.0, TEAL)), clip=mask)
    volume(p, mask, reach=34)
    contour(p, shape)
    spine = Spine(line)
    tail.rotation("RotTail", "WarpLean", (CX + 110, 1425.0), {"ParamTailWag": (-1.0, 0.0, 1.0)}, lambda v: v["ParamTailWag"] * 9)

    def move(rest: Points, v: Values) -> Points:
        wag = v["ParamTailWag"]
        return spine.pose(rest, [
            Bend(v["ParamTailBase"] * 16 + wag * 14, 0.0, 0.6),
            Bend(v["ParamTailTip"] * 32 + wag * 10, 0.45, 1.0),
        ])

    three = (-1.0, 0.0, 1.0)
    tail.mesh("Tail", "RotTail", 100, cell=56, keys={"ParamTailBase": three, "ParamTailTip": three, "ParamTailWag": three}, move=move)
