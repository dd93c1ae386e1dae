"""Formulas as SVG for exported pages, drawn by the child process while the calling thread waits.
Without Qt.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Sequence
from html import escape

from neodeskpet.core.markdown.formulas import Formula
from neodeskpet.platform.child_process import FrameWorker
from neodeskpet.ui.rendering.formula_drawing import EM, FormulaDrawing, Stroke, unpack

_INLINE, _DISPLAY = 1.1, 1.2
_INK = re.compile(r"[A-Za-z]+|#[0-9A-Fa-f]{3,8}")


def formula_to_svg(formula: Formula, drawing: FormulaDrawing) -> str:
    """Return the SVG of a formula; screen readers read its source."""
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


TIMEOUT_SECONDS = 2.0
_AT_ONCE = 12
_MAX_KEPT = 1_000

_Key = tuple[str, bool]


class BlockingFormulaRenderer:
    """Draws formulas with a child process. `end` ends the process; the next request starts a new
    one.
    """

    def __init__(self, *, seconds: float = TIMEOUT_SECONDS) -> None:
        self._child = FrameWorker("formula", seconds)
        self._known: OrderedDict[_Key, FormulaDrawing | None] = OrderedDict()

    def draw(self, wanted: Sequence[_Key]) -> list[FormulaDrawing | None]:
        """Return a drawing for each (TeX, whether it is a display formula); None if it can't be
        drawn.
        """
        drawn = {key: self._known[key] for key in wanted if key in self._known}
        missing = [key for key in dict.fromkeys(wanted) if key not in drawn]
        for start in range(0, len(missing), _AT_ONCE):
            keys = missing[start : start + _AT_ONCE]
            drawn |= zip(keys, self._ask(keys), strict=True)
        self._known |= drawn
        while len(self._known) > _MAX_KEPT:
            self._known.popitem(last=False)
        return [drawn[key] for key in wanted]

    def packed(self, wanted: list[_Key]) -> list[object | None]:
        """Return serialized drawings for another process."""
        return [one and one.packed() for one in self.draw(wanted)]

    def svg(self, formulas: Sequence[Formula]) -> list[str | None]:
        """Return SVG for each formula."""
        drawings = self.draw([(one.tex, one.display) for one in formulas])
        pairs = zip(formulas, drawings, strict=True)
        return [None if one is None else formula_to_svg(formula, one) for formula, one in pairs]

    def end(self) -> None:
        self._child.close()

    def _ask(self, keys: Sequence[_Key]) -> list[FormulaDrawing | None]:
        answer = self._child.ask(json.dumps(keys).encode())
        if answer is not None:
            return unpack(answer)
        if len(keys) == 1:
            return [None]
        # One of them caused the failure.
        return [drawing for key in keys for drawing in self._ask([key])]
