"""A formula as SVG, as large as the text around it and in its colour. No Qt."""

from __future__ import annotations

import re
from html import escape

from neodeskpet.core.markdown.formulas import Formula
from neodeskpet.ui.formulas.drawing import EM, FormulaDrawing, Stroke

_INLINE, _DISPLAY = 1.1, 1.2
_INK = re.compile(r"[A-Za-z]+|#[0-9A-Fa-f]{3,8}")


def formula_to_svg(formula: Formula, drawing: FormulaDrawing) -> str:
    """What a page shows; its source is what is read aloud."""
    size = (_DISPLAY if formula.display else _INLINE) / EM
    high = drawing.ascent + drawing.descent
    place = (
        f"width:{drawing.width * size:.3f}em;height:{high * size:.3f}em;"
        f"vertical-align:{-drawing.descent * size:.3f}em"
    )
    inside = "".join(_stroke(stroke, drawing) for stroke in drawing.strokes)
    return (
        f'<svg role="img" aria-label="{escape(formula.source)}" style="{place}" '
        f'viewBox="0 {-drawing.ascent:.1f} {drawing.width:.1f} {high:.1f}">{inside}</svg>'
    )


def _stroke(stroke: Stroke, drawing: FormulaDrawing) -> str:
    ink = f' fill="{stroke.ink}"' if _INK.fullmatch(stroke.ink) else ""
    at = f"translate({stroke.x:.1f} {stroke.y:.1f})"
    if stroke.letter:
        size = EM * stroke.scale
        return f'<text transform="{at}" font-size="{size:.0f}"{ink}>{escape(stroke.letter)}</text>'
    outline = ' fill="none"' + ink.replace("fill", "stroke") if stroke.frame else ink
    if stroke.frame:
        color = "" if ink else ' stroke="currentColor"'
        outline += f'{color} stroke-width="{stroke.frame:.1f}"'
    if not stroke.glyph:
        box = f'width="{stroke.width:.1f}" height="{stroke.height:.1f}"'
        return f'<rect transform="{at}" {box}{outline}/>'
    path = escape(drawing.glyphs[stroke.glyph])
    return f'<path transform="{at} scale({stroke.scale:.4f})" d="{path}"{outline}/>'
