"""A headband for exams: a knotted white band with a red 100, the best mark, on the forehead."""

import numpy as np

from companion.curves import ellipse, even, spline, tube
from companion.figure import Figure
from companion.ink import contour, strokes, vertical, volume
from companion.palette import GREY, GREY_DEEP, GREY_LIGHT, RED, WHITE
from companion.raster import Box
from companion.space import CX, rotated
from companion.worn import DETAIL, PREFIX, add_worn, swaying

_PARAMETER = f"{PREFIX}ExamHeadband"
_ORIGIN = np.array([CX, 0.0])
_LINE = "-326,530 -220,484 -110,460 0,452 110,460 220,484 326,530"
_KNOT = (CX - 336.0, 536.0)
_ENDS = (
    "-330,528! -386,520 -436,540 -492,528! -474,560 -482,592! -424,590 -376,572 -334,560!",
    "-334,540! -380,560 -408,604 -452,640! -418,650 -402,678! -362,632 -340,596 -322,560!",
)
_MARK_Y = 456.0


def add_headband(figure: Figure) -> None:
    """Add the band under ``WarpHead`` before the fringe, and its knot behind the head."""
    part = figure.part("PartHeadband", "Exam headband", "考试头带")
    band = tube(spline(_LINE) + _ORIGIN, even(66))
    p = figure.paint("Headband", Box.around(band, margin=30), DETAIL, second=True)
    mask = p.mask(band)
    p.fill(mask, vertical(420, 570, (0.0, WHITE), (0.5, GREY_LIGHT), (1.0, GREY)))
    volume(p, mask, 12, GREY_DEEP, WHITE)
    one = np.array([(-60.0, -12.0), (-46.0, -22.0), (-46.0, 22.0)]) + np.array([CX, _MARK_Y])
    p.fill(p.stroke_mask(one, even(11)), RED)
    for x in (-6.0, 46.0):
        nought = ellipse(CX + x, _MARK_Y, 17, 21)
        p.fill(p.stroke_mask(nought, even(11), closed=True), RED)
    contour(p, band, 9.0)
    move = swaying((CX, 500.0), 900.0, 60.0, 0.6)
    add_worn(part, "Headband", "WarpHead", 622.5, _PARAMETER, move)
    ends = [spline(text, closed=True) + _ORIGIN for text in _ENDS]
    p = figure.paint("HeadbandEnds", Box.around(*ends, margin=12), DETAIL, second=True)
    for shape in ends:
        mask = p.mask(shape)
        p.fill(mask, vertical(520, 680, (0.0, WHITE), (1.0, GREY)))
        volume(p, mask, 12, GREY_DEEP, WHITE)
        contour(p, shape, 8.0)
    folds = [spline("-350,538 -400,548 -440,560"), spline("-346,566 -376,598")]
    strokes(p, [fold + _ORIGIN for fold in folds], 6.0, GREY_DEEP)
    add_worn(
        part,
        "HeadbandEnds",
        "WarpHead",
        499,
        _PARAMETER,
        lambda rest, values: rotated(rest, _KNOT, values["ParamWornSway"] * 14),
    )
