"""Gets drawings of formulas from the child process and caches them, without blocking."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from weakref import WeakSet

from PySide6.QtCore import QObject, QTimer, Signal

from neodeskpet.core.markdown.formulas import Formula
from neodeskpet.ui.qt_child_worker import QtChildWorker
from neodeskpet.ui.rendering.formula_drawing import FormulaDrawing, unpack

TIMEOUT_SECONDS = 2.0
"""Time limit for all formulas of one request."""
CAPACITY = 1_000
"""Maximum number of cached drawings."""
_AT_ONCE = 12
_MAX_LENGTH = 3_000

_Key = tuple[str, bool]


class FormulaListener:
    """A viewer of formulas that is notified when requested ones are drawn."""


class FormulaCache(QObject):
    """The drawings of formulas. Emits `drawn(waiters)` with those that have new drawings."""

    drawn = Signal(object)

    def __init__(self, parent: QObject | None = None, *, seconds: float = TIMEOUT_SECONDS) -> None:
        super().__init__(parent)
        self._child = QtChildWorker("formula", seconds, self)
        self._known: OrderedDict[_Key, FormulaDrawing | None] = OrderedDict()
        self._wanted: OrderedDict[_Key, WeakSet[FormulaListener]] = OrderedDict()
        self._asked: dict[_Key, WeakSet[FormulaListener]] = {}
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._ask)

    def get(self, formula: Formula, waiter: FormulaListener) -> FormulaDrawing | None:
        """Return its drawing; None while it is being drawn or if it can't be drawn. `waiter` is
        notified when it is available.
        """
        key = (formula.tex, formula.display)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if len(formula.tex) > _MAX_LENGTH:
            return None
        waiting = self._asked.get(key)
        if waiting is None:
            waiting = self._wanted.setdefault(key, WeakSet())
            self._soon.start()
        waiting.add(waiter)
        return None

    def is_undrawable(self, formula: Formula) -> bool:
        """Whether it is known that the formula can't be drawn."""
        key = (formula.tex, formula.display)
        return len(formula.tex) > _MAX_LENGTH or (key in self._known and self._known[key] is None)

    def _ask(self) -> None:
        """Request the wanted drawings, a few at a time."""
        wanted = list(self._wanted)
        self._asked |= self._wanted
        self._wanted.clear()
        for start in range(0, len(wanted), _AT_ONCE):
            self._ask_for(wanted[start : start + _AT_ONCE])

    def _ask_for(self, keys: Sequence[_Key]) -> None:
        def take(answer: bytes | None) -> None:
            if answer is not None:
                self._settle(keys, unpack(answer))
            elif len(keys) == 1:
                self._settle(keys, [None])
            else:
                for key in keys:  # one of them caused the failure
                    self._ask_for([key])

        self._child.ask(json.dumps(keys).encode(), take)

    def _settle(self, keys: Sequence[_Key], drawings: Sequence[FormulaDrawing | None]) -> None:
        notified: set[FormulaListener] = set()
        for key, drawing in zip(keys, drawings, strict=True):
            self._known[key] = drawing
            notified.update(self._asked.pop(key, ()))
        while len(self._known) > CAPACITY:
            self._known.popitem(last=False)
        if notified:
            self.drawn.emit(notified)
