"""What errands say to the person: a bubble that stays until it is answered, and the way into the
chat, where one can answer.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial

from PySide6.QtCore import QObject, Signal

from neodeskpet.conversation.errands.errand import Run
from neodeskpet.core.errors import KnownError
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.minds import approval_policy
from neodeskpet.ui.calendar.tools import ToolChoice
from neodeskpet.ui.pet.companion import Companion, chosen
from neodeskpet.ui.work import Work

_KEY = "errand "


def tool_choices(engine: Engine) -> list[ToolChoice]:
    """The tools that an appointment may be allowed."""
    policy = approval_policy(engine.settings.settings)
    return [
        ToolChoice(spec.name, spec.title, policy.asks(spec, {})) for spec in engine.toolbox.specs()
    ]


class ErrandChoice(StrEnum):
    """What the person answers to the result of an errand."""

    DONE = "done"
    OPEN = "open"


class ErrandTalk(QObject):
    """`chat_requested`: the words stand in the chat now. `failed` is told what went wrong."""

    chat_requested = Signal()

    def __init__(
        self,
        engine: Engine,
        companion: Companion,
        failed: Callable[[KnownError], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._work = Work("errands", failed=failed)
        self._said: dict[str, str] = {}
        self._end = engine.errands.observe(self._see)
        companion.answered.connect(self._answered)

    def open(self, words: str) -> None:
        """Put them into the chat, as a message of the companion."""
        self._work.start("open", partial(self._open, words))

    def stop(self) -> None:
        """The app ends."""
        self._end()
        self._work.cancel()

    def _see(self, run: Run) -> None:
        words = run.outcome.text.strip() if run.outcome is not None else ""
        if run.stage != "ended" or not run.errand.told or not words or run.fault:
            return  # what fails is silent: it stands in the list
        key = _KEY + run.id
        self._said[key] = words
        choices = ((ErrandChoice.DONE, tr("Done")), (ErrandChoice.OPEN, tr("Open in chat")))
        self._companion.ask(key, words, choices, sign="bell")

    def _answered(self, key: str, choice: str) -> None:
        words = self._said.pop(key, "")
        if not words:
            return
        self._companion.settle(key)
        if chosen(ErrandChoice, choice) is ErrandChoice.OPEN or not choice:
            self.open(words)  # a click on the words opens them too

    async def _open(self, words: str) -> None:
        await self._engine.chat.remark(words)
        self.chat_requested.emit()
