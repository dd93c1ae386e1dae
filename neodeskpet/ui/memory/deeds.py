"""What the person does with what is remembered, for each window that shows it.

To forget is one press, and can't be undone once it is done: so for a few seconds it isn't done yet.
It is done at once when the window closes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from neodeskpet.language import tr
from neodeskpet.ui.chat.items.wording import one_line, printable
from neodeskpet.ui.memory.card import MemoryCard
from neodeskpet.ui.memory.port import MemoryPort, Remembered
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.work import Begin, Work

UNDO_MS = 6_000


class Deeds(QObject):
    """`changed()`: read anew what is remembered. `wanted(spot)`: the person wants to go there."""

    changed = Signal()
    wanted = Signal(object)

    def __init__(self, port: MemoryPort, work: Work, undo: UndoBar, parent: QObject) -> None:
        super().__init__(parent)
        self._port = port
        self._work = work
        self._undo = undo
        self._waits: Remembered | None = None
        self._timer = QTimer(self, singleShot=True, interval=UNDO_MS)
        self._timer.timeout.connect(self.carry_out)

    def serve(self, card: MemoryCard) -> None:
        """Do what is pressed on this card."""
        one, port = card.one, self._port
        card.wanted.connect(self.wanted)
        card.corrected.connect(lambda text: self._do(partial(port.correct, one, text)))
        card.pin_wanted.connect(lambda on: self._do(partial(port.pin, one, on)))
        card.dropped.connect(lambda: self.forget(one))
        card.both.connect(lambda: self._do(partial(port.keep_both, one)))
        rival = one.rival
        if rival is not None:
            card.decided.connect(
                lambda newer: self._do(
                    partial(port.decide, one, rival) if newer else partial(port.decide, rival, one)
                )
            )

    def hides(self, one: Remembered) -> bool:
        """Whether it is about to be forgotten."""
        return self._waits is not None and self._waits.id == one.id

    def forget(self, one: Remembered) -> None:
        """Forget this in a moment, if nothing is said."""
        self.carry_out()
        self._waits = one
        words = tr("Forgotten: “{text}”.", text=one_line(printable(one.text), 60))
        self._undo.offer(words, self._take_back)
        self._timer.start()
        self.changed.emit()

    def carry_out(self) -> None:
        """Do now what waits."""
        one, self._waits = self._waits, None
        self._timer.stop()
        if one is not None:
            self._undo.clear()
            self._work.start("forget", partial(self._forget, one))

    def _take_back(self) -> None:
        self._timer.stop()
        self._waits = None
        self.changed.emit()

    async def _forget(self, one: Remembered) -> None:
        messages = await self._port.forget(one)
        self.changed.emit()
        if messages and self._waits is None:
            self._undo.offer(
                tr("The fact is forgotten; what you said still stands in the conversation."),
                partial(self._forget_messages, messages),
                tr("Forget that too"),
            )

    def _forget_messages(self, messages: Sequence[str]) -> None:
        self._do(partial(self._port.forget_messages, messages))

    def _do(self, begin: Begin) -> None:
        async def done() -> None:
            await begin()
            self.changed.emit()

        self._work.start("change", done)
