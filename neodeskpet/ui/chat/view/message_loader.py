"""Turns messages into entries without blocking the UI thread: a few milliseconds at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence

from PySide6.QtCore import QObject, QTimer

from neodeskpet.core.blocks import Message, Role
from neodeskpet.ui.chat.items.item import Scene
from neodeskpet.ui.chat.items.user_message import ActionNames
from neodeskpet.ui.chat.view.message_entry import MessageEntry

BUDGET = 0.012


class MessageLoader(QObject):
    """What fits into the budget is loaded when `load` returns. `actions_of` returns the small
    buttons for a role, `width` is the width of the column, `loaded` receives the entries.
    """

    def __init__(
        self,
        parent: QObject,
        scene: Scene,
        actions_of: Callable[[Role], ActionNames],
        width: Callable[[], int],
        loaded: Callable[[Sequence[MessageEntry]], None],
    ) -> None:
        super().__init__(parent)
        self._scene = scene
        self._actions_of = actions_of
        self._width = width
        self._loaded = loaded
        self._waiting: list[Message] = []
        self._steps: Generator[None, None, MessageEntry] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._work)

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting) or self._steps is not None

    def load(self, messages: Sequence[Message]) -> None:
        self._waiting += messages
        if not self._timer.isActive():
            self._work()

    def cancel(self) -> None:
        """Cancel loading: another conversation is shown."""
        self._waiting.clear()
        self._steps = None
        self._timer.stop()

    def _work(self) -> None:
        until = time.perf_counter() + BUDGET
        made: list[MessageEntry] = []
        while self.is_busy and time.perf_counter() < until:
            if self._steps is None:
                message = self._waiting.pop()
                actions = self._actions_of(message.role)
                self._steps = MessageEntry.build_in_steps(
                    message, self._scene, actions, self._width()
                )
            try:
                next(self._steps)
            except StopIteration as done:
                self._steps = None
                made.append(done.value)
        if self.is_busy:
            self._timer.start()
        if made:
            self._loaded(made)
