"""Puts the whole character together, back to front."""

import numpy as np

from companion.arms import add_arms
from companion.beret import add_beret
from companion.birthday_crown import add_birthday_crown
from companion.body import add_body
from companion.brows import add_brows
from companion.curl import add_curl
from companion.ears import add_ears
from companion.effects import add_effects
from companion.eyes import add_eyes
from companion.figure import BRINK, STRIP, Figure
from companion.flower import add_flower
from companion.glasses import add_glasses
from companion.hair import add_hair
from companion.head import add_head
from companion.headband import add_headband
from companion.headphones import add_headphones
from companion.ink import vertical
from companion.keyboard import add_keyboard
from companion.lantern import add_lantern
from companion.mouth import add_mouth
from companion.palette import GOLD, INK_DEEP, INK_SOFT, TIDE, Palette, Rgba
from companion.props import add_props
from companion.ribbon import add_ribbon
from companion.santa_hat import add_santa_hat
from companion.scarf import add_scarf
from companion.straw_hat import add_straw_hat
from companion.tail import add_tail
from companion.umbrella import add_umbrella
from companion.witch_hat import add_witch_hat


def _strip(figure: Figure, name: str, colour: Rgba) -> None:
    """Paint the strip that ribbons of one colour show."""
    p = figure.paint(name, STRIP)
    top, whole = BRINK
    # Beyond the other three sides, so that only the brink is an edge.
    ink = np.array([(-9.0, top), (60.0, top), (60.0, 60.0), (-9.0, 60.0)])
    p.fill(p.mask(ink), vertical(top, whole, (0.0, colour.fade(0)), (1.0, colour)))


def draw(scale: float = 1.0, palette: Palette = TIDE) -> Figure:
    """The finished figure in the colours of ``palette``, painted at ``scale`` texels per canvas
    pixel.
    """
    figure = Figure(scale, palette)
    _strip(figure, "StripInk", INK_DEEP)
    _strip(figure, "StripLine", INK_SOFT.fade(150))
    _strip(figure, "StripBrow", palette.brow)
    _strip(figure, "StripShade", INK_DEEP.fade(70))
    _strip(figure, "StripGold", GOLD)
    _strip(figure, "StripBand", palette.scarf.light)
    add_body(figure)
    add_tail(figure)
    add_curl(figure)
    add_scarf(figure)
    add_head(figure)
    add_ears(figure)
    add_mouth(figure)
    add_eyes(figure)
    add_brows(figure)
    add_hair(figure)
    add_glasses(figure)
    add_headphones(figure)
    add_ribbon(figure)
    add_santa_hat(figure)
    add_beret(figure)
    add_witch_hat(figure)
    add_straw_hat(figure)
    add_flower(figure)
    add_headband(figure)
    add_birthday_crown(figure)
    add_arms(figure)
    add_lantern(figure)
    add_umbrella(figure)
    add_props(figure)
    add_keyboard(figure)
    add_effects(figure)
    return figure
