"""Puts the whole character together, back to front."""

from companion.arms import add_arms
from companion.body import add_body
from companion.ears import add_ears
from companion.eyes import add_eyes, strip
from companion.figure import Figure
from companion.hair import add_hair
from companion.head import add_head
from companion.mouth import add_mouth
from companion.palette import INK_DEEP, INK_SOFT, TEAL_DEEP
from companion.scarf import add_scarf
from companion.tail import add_tail


def draw(scale: float = 1.0) -> Figure:
    """The finished figure, painted at ``scale`` texels per canvas pixel."""
    figure = Figure(scale)
    strip(figure, "StripInk", INK_DEEP)
    strip(figure, "StripLine", INK_SOFT)
    strip(figure, "StripBrow", TEAL_DEEP)
    add_body(figure)
    add_tail(figure)
    add_scarf(figure)
    add_head(figure)
    add_ears(figure)
    add_mouth(figure)
    add_eyes(figure)
    add_hair(figure)
    add_arms(figure)
    return figure
