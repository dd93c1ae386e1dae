"""What the person does with what is remembered, for each window that shows it.

To forget is one press, and can't be undone once it is done: so for a few seconds it isn't done yet.
It is done at once when the window closes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from neodeskpet.language import tr
from neodeskpet.ui.chat.items.wording import printable, single_line
from neodeskpet.ui.memory.card import MemoryCard
from neodeskpet.ui.memory.port import MemoryItem, MemoryPort
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.work import CoroutineFactory, TaskRunner

UNDO_MS = 6_000


class MemoryActions(QObject):
    """`changed()`: read anew what is remembered. `wanted(spot)`: the person wants to go there."""

    changed = Signal()
    source_requested = Signal(object)

    def __init__(self, port: MemoryPort, work: TaskRunner, undo: UndoBar, parent: QObject) -> None:
        super().__init__(parent)
        self._port = port
        self._work = work
        self._undo = undo
        self._waits: MemoryItem | None = None
        self._timer = QTimer(self, singleShot=True, interval=UNDO_MS)
        self._timer.timeout.connect(self.apply_pending)

    def connect_card(self, card: MemoryCard) -> None:
        """Do what is pressed on this card."""
        one, port = card.item, self._port
        card.source_requested.connect(self.source_requested)
        card.corrected.connect(lambda text: self._do(partial(port.correct, one, text)))
        card.pin_requested.connect(lambda on: self._do(partial(port.pin, one, on)))
        card.forget_requested.connect(lambda: self.forget(one))
        card.keep_both_requested.connect(lambda: self._do(partial(port.keep_both, one)))
        rival = one.contradicted
        if rival is not None:
            card.decided.connect(
                lambda newer: self._do(
                    partial(port.resolve_conflict, one, rival)
                    if newer
                    else partial(port.resolve_conflict, rival, one)
                )
            )

    def is_being_forgotten(self, one: MemoryItem) -> bool:
        """Whether it is about to be forgotten."""
        return self._waits is not None and self._waits.id == one.id

    def forget(self, one: MemoryItem) -> None:
        """Forget this in a moment, if nothing is said."""
        self.apply_pending()
        self._waits = one
        words = tr("Forgotten: “{text}”.", text=single_line(printable(one.text), 60))
        self._undo.show_undo(words, self._take_back)
        self._timer.start()
        self.changed.emit()

    def apply_pending(self) -> None:
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

    async def _forget(self, one: MemoryItem) -> None:
        messages = await self._port.forget(one)
        self.changed.emit()
        if messages and self._waits is None:
            self._undo.show_undo(
                tr("The fact is forgotten; what you said still stands in the conversation."),
                partial(self._forget_messages, messages),
                tr("Forget that too"),
            )

    def _forget_messages(self, messages: Sequence[str]) -> None:
        self._do(partial(self._port.forget_messages, messages))

    def _do(self, begin: CoroutineFactory) -> None:
        async def done() -> None:
            await begin()
            self.changed.emit()

        self._work.start("change", done)
