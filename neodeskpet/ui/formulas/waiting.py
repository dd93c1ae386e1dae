"""Has formulas drawn by the child process, for a thread that waits for them. No Qt."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence

from neodeskpet.children import FrameWorker
from neodeskpet.core.markdown.formulas import Formula
from neodeskpet.ui.formulas.drawing import FormulaDrawing, unpack
from neodeskpet.ui.formulas.svg import formula_to_svg

TIMEOUT_SECONDS = 2.0
_AT_ONCE = 12
_MAX_KEPT = 1_000

_Key = tuple[str, bool]


class BlockingFormulaRenderer:
    """Ends its process with `end`; a new question begins another."""

    def __init__(self, *, seconds: float = TIMEOUT_SECONDS) -> None:
        self._child = FrameWorker("formula", seconds)
        self._known: OrderedDict[_Key, FormulaDrawing | None] = OrderedDict()

    def draw(self, wanted: Sequence[_Key]) -> list[FormulaDrawing | None]:
        """A drawing of each (TeX, whether it stands on its own); None for what can't be drawn."""
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
        """The same, for another process."""
        return [one and one.packed() for one in self.draw(wanted)]

    def svg(self, formulas: Sequence[Formula]) -> list[str | None]:
        """The same, for a page."""
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
        return [drawing for key in keys for drawing in self._ask([key])]  # one is the culprit
