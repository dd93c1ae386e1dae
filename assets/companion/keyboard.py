"""The small keyboard on which Neo types along: its two halves give way under the paws."""

import numpy as np

from companion.curves import even, resample
from companion.figure import Figure, Move, Values
from companion.ink import contour, vertical, volume
from companion.moc_model import Points
from companion.palette import GREY, GREY_DEEP, GREY_LIGHT, INK, WHITE
from companion.raster import Box, Painter
from companion.space import CX

_Y = 1382.0
_CASE = ((-236.0, -64.0), (236.0, -64.0), (268.0, 72.0), (-268.0, 72.0))
_ROWS = ((-44.0, 6), (-6.0, 6), (34.0, 5))
"""Height of each row of keys from the middle of the keyboard, and the keys of a half."""
_DETAIL = 0.8
_PRESSED = 15.0
"""Pixels by which a half gives way."""


def add_keyboard(figure: Figure) -> None:
    """Add the keyboard under ``WarpTorso``, behind the paws."""
    part = figure.part("PartKeyboard", "Keyboard", "键盘")
    box = Box(CX - 290, _Y - 90, CX + 290, _Y + 110)
    shown = {"ParamKeyboard": (0.0, 1.0)}
    part.warp("WarpKeyboard", "WarpTorso", box, (1, 1), shown, _unfold, _opacity)
    _paint_case(figure.paint("Keyboard", box, _DETAIL, second=True))
    part.mesh("Keyboard", "WarpKeyboard", 393, 110)
    for side, letter in ((-1, "R"), (1, "L")):
        _paint_keys(figure.paint(f"Keys{letter}", box, _DETAIL, second=True), side)
        pressed = f"ParamKey{letter}"
        part.mesh(
            f"Keys{letter}",
            "WarpKeyboard",
            394,
            80,
            keys={pressed: (0.0, 1.0)},
            move=_giving_way(pressed),
        )


def _opacity(values: Values) -> float:
    return values["ParamKeyboard"]


def _unfold(rest: Points, values: Values) -> Points:
    middle = np.array([[CX, _Y]])
    shown = values["ParamKeyboard"]
    return np.asarray(middle + (rest - middle) * np.array([[0.4 + 0.6 * shown, 0.2 + 0.8 * shown]]))


def _giving_way(parameter: str) -> Move:
    def move(rest: Points, values: Values) -> Points:
        return np.asarray(rest + np.array([[0.0, _PRESSED * values[parameter]]]))

    return move


def _case(size: float) -> Points:
    corners = np.array(_CASE) + np.array([CX, _Y])
    line = np.concatenate([corners, corners[:1]])
    return np.asarray(resample(line, 120) + np.array([0.0, size]))


def _paint_case(p: Painter) -> None:
    shades = p.palette.scarf
    for low, colour in ((22.0, shades.shade), (0.0, shades.base)):
        line = _case(low)
        p.fill(p.stroke_mask(line, even(42), closed=True), INK)
        p.fill(p.stroke_mask(line, even(25), closed=True), colour)
        p.fill(p.mask(line), colour)
    p.fill(p.mask(_case(0.0)), vertical(_Y - 70, _Y + 80, (0.0, shades.shade), (1.0, shades.deep)))


def _paint_keys(p: Painter, side: int) -> None:
    for row, (y, count) in enumerate(_ROWS):
        wide = 236 + 32 * (y + 64) / 136
        step = (wide - 8) / count
        for number in range(count):
            x = CX + side * (8 + step * (number + 0.5))
            half, high = step / 2 - 6, 14.0
            key = np.array(
                [
                    (x - half, _Y + y - high),
                    (x + half, _Y + y - high),
                    (x + half + 1, _Y + y + high),
                    (x - half - 1, _Y + y + high),
                ]
            )
            mask = p.mask(key)
            accent = (row + number) % 5 == 2
            light = p.palette.hair.glow if accent else WHITE
            base = p.palette.hair.base if accent else GREY_LIGHT
            top, low = _Y + y - high, _Y + y + high
            p.fill(mask, vertical(top, low, (0.0, light), (0.6, base), (1.0, GREY)))
            volume(p, mask, 6, GREY_DEEP, WHITE)
            contour(p, key, 6.0)
