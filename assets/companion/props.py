"""What Neo works with: a panel of light with two contents, each with its tool for the right hand.

``pose3.json`` makes the contents exclude each other; ``ParamPanel`` unfolds them.
"""

import numpy as np
from PIL import ImageChops

from companion.arms import ARMS
from companion.curves import ellipse, even, resample
from companion.figure import Figure, PartBuilder, Values
from companion.ink import vertical
from companion.moc_model import Points
from companion.palette import GOLD, GOLD_DEEP, GOLD_LIGHT, INK, PANEL, PANEL_DEEP, WHITE
from companion.raster import Box, Painter, Radial
from companion.space import CX

_X, _Y = CX, 1350.0
_SCREEN = Box(_X - 290, _Y - 150, _X + 290, _Y + 150)
_CONTENT = Box(_X - 170, _Y - 84, _X + 170, _Y + 96)
_ROWS = ((-60.0, 0.62), (-28.0, 0.86), (4.0, 0.48), (36.0, 0.76), (68.0, 0.36))
"""Height of each line of text from the middle of the panel, and its share of the width."""


def add_props(figure: Figure) -> None:
    """Add the panel under ``WarpTorso`` and the tools under the right arm."""
    panel = figure.part("PartPanel", "Light panel", "光屏")
    panel.warp(
        "WarpPanel",
        "WarpTorso",
        _SCREEN.grown(20),
        (2, 2),
        {"ParamFloat": (-1.0, 0.0, 1.0)},
        lambda rest, values: rest + np.array([[0.0, -6 * values["ParamFloat"]]]),
    )
    _paint_screen(figure.paint("Panel", _SCREEN, 0.8, second=True))
    panel.mesh(
        "Panel",
        "WarpPanel",
        393,
        64,
        keys={"ParamPanel": (0.0, 1.0)},
        move=_unfold,
        opacity=_shown,
    )
    text = figure.part("PartPanelText", "Writing", "书写")
    _paint_text(figure.paint("PanelText", _CONTENT, 0.8, second=True))
    _add_content(text, "PanelText")
    _paint_stylus(figure.paint("Stylus", Box(CX - 290, 1250, CX - 110, 1420), 0.8, second=True))
    _add_tool(text, "Stylus")
    search = figure.part("PartPanelSearch", "Searching", "搜索")
    _paint_pictures(figure.paint("PanelSearch", _CONTENT, 0.8, second=True))
    _add_content(search, "PanelSearch")
    _paint_lens(figure.paint("Lens", Box(CX - 250, 1276, CX - 60, 1466), 0.8, second=True))
    _add_tool(search, "Lens")


def _shown(values: Values) -> float:
    return values["ParamPanel"]


def _unfold(rest: Points, values: Values) -> Points:
    middle = np.array([[_X, _Y]])
    shown = values["ParamPanel"]
    return np.asarray(middle + (rest - middle) * np.array([[0.3 + 0.7 * shown, shown]]))


def _add_content(part: PartBuilder, name: str) -> None:
    part.mesh(
        name,
        "WarpPanel",
        394,
        64,
        keys={"ParamPanel": (0.0, 1.0), "ParamPanelGlow": (0.0, 1.0)},
        move=_unfold,
        opacity=lambda values: values["ParamPanel"] * (0.45 + 0.55 * values["ParamPanelGlow"]),
    )


def _add_tool(part: PartBuilder, name: str) -> None:
    arm = ARMS[0]
    keys = arm.keys | {"ParamPanel": (0.0, 1.0)}
    part.mesh(name, "RotArmR", 395, 40, keys=keys, move=arm.move, opacity=_shown)


def _paint_screen(p: Painter) -> None:
    # Corners in perspective; a broad pen along them rounds them off.
    frame = np.array([(-232, -96), (232, -96), (214, 100), (-214, 100)]) + np.array([_X, _Y])
    broad = resample(frame, 120, closed=True)
    shape = np.concatenate([frame, frame[:1]])
    glow = p.stroke_mask(broad, even(64), closed=True)
    shades = p.palette.hair
    p.fill(p.blur(glow, 7), shades.glow.fade(150))
    p.fill(p.stroke_mask(broad, even(46), closed=True), shades.light)
    mask = ImageChops.lighter(p.mask(shape), p.stroke_mask(broad, even(30), closed=True))
    p.erase(mask)
    shade = ((0.0, PANEL.fade(225)), (1.0, PANEL_DEEP.fade(240)))
    p.fill(mask, vertical(_Y - 118, _Y + 118, *shade))
    p.shade(mask, shades.glow.fade(110), 9, 11, 7)
    for i, colour in enumerate((GOLD, shades.light, shades.glow)):
        x = _X - 206 + 24 * i
        p.fill(p.mask(ellipse(x, _Y - 92, 7, 7)), colour)


def _paint_text(p: Painter) -> None:
    for y, share in _ROWS:
        line = np.array([(_X - 150, _Y + y), (_X - 150 + 300 * share, _Y + y)])
        p.fill(p.blur(p.stroke_mask(line, even(22)), 4), p.palette.hair.glow.fade(120))
        p.fill(p.stroke_mask(line, even(10)), WHITE)


def _paint_pictures(p: Painter) -> None:
    for i, y in enumerate((_Y - 36, _Y + 52)):
        for x in (_X - 96, _X + 10, _X + 112):
            tile = np.array(
                [(x - 40, y - 32), (x + 40, y - 32), (x + 40, y + 32), (x - 40, y + 32)]
            )
            p.fill(p.stroke_mask(tile, even(6), closed=True), p.palette.hair.glow if i else WHITE)
            hill = np.array(
                [(x - 34, y + 26), (x - 8, y - 8), (x + 8, y + 10), (x + 18, y), (x + 34, y + 26)]
            )
            p.fill(p.mask(hill), p.palette.hair.light)
            p.fill(p.mask(ellipse(x + 18, y - 16, 7, 7)), GOLD)


def _paint_stylus(p: Painter) -> None:
    """A pen of light across the right paw, its tip towards the panel."""
    line = np.array([(CX - 262.0, 1280.0), (CX - 150.0, 1372.0)])
    p.fill(p.stroke_mask(line, even(28)), INK)
    p.fill(p.stroke_mask(line, even(15)), vertical(1280, 1372, (0.0, GOLD_DEEP), (1.0, GOLD_LIGHT)))
    tip = (CX - 146.0, 1376.0)
    glow = ((0.0, WHITE), (0.4, p.palette.hair.glow.fade(200)), (1.0, p.palette.hair.glow.fade(0)))
    p.fill(p.mask(ellipse(*tip, 32, 32)), Radial(tip, 32, 32, glow))


def _paint_lens(p: Painter) -> None:
    """A magnifying glass held by the right paw."""
    x, y = CX - 126.0, 1400.0
    grip = np.array([(CX - 216.0, 1312.0), (x - 30, y - 30)])
    p.fill(p.stroke_mask(grip, even(28)), INK)
    p.fill(p.stroke_mask(grip, even(15)), vertical(1310, 1380, (0.0, GOLD_DEEP), (1.0, GOLD)))
    rim = ellipse(x, y, 46, 46)
    p.fill(p.mask(rim), p.palette.hair.glow.fade(120))
    p.fill(p.mask(ellipse(x - 14, y - 16, 13, 9)), WHITE.fade(230))
    p.fill(p.stroke_mask(rim, even(19), closed=True), INK)
    p.fill(p.stroke_mask(rim, even(9), closed=True), GOLD)
