"""What errands say to the person: a bubble that stays until it is answered, and the way into the
chat, where one can answer.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial

from PySide6.QtCore import QObject, Signal

from neodeskpet.conversation.errands.errand import PromptRun
from neodeskpet.core.errors import KnownError
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.minds import approval_policy
from neodeskpet.ui.calendar.tools import ToolChoice
from neodeskpet.ui.pet.companion import CompanionPresenter, parse_answer
from neodeskpet.ui.work import TaskRunner

_PROMPT_NOTICE = "errand "


def tool_choices(engine: Engine) -> list[ToolChoice]:
    """The tools that an appointment may be allowed."""
    policy = approval_policy(engine.settings.settings)
    return [
        ToolChoice(spec.name, spec.title, policy.asks(spec, {})) for spec in engine.toolbox.specs()
    ]


class PromptResultAction(StrEnum):
    """What the person answers to the result of an errand."""

    DONE = "done"
    OPEN = "open"


class BackgroundPromptNotifier(QObject):
    """`chat_requested`: the words stand in the chat now. `failed` is told what went wrong."""

    chat_requested = Signal()

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        failed: Callable[[KnownError], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._work = TaskRunner("errands", failed=failed)
        self._said: dict[str, str] = {}
        self._end = engine.background_prompts.subscribe(self._see)
        companion.answered.connect(self._answered)

    def open(self, words: str) -> None:
        """Put them into the chat, as a message of the companion."""
        self._work.start("open", partial(self._open, words))

    def stop(self) -> None:
        """The app ends."""
        self._end()
        self._work.cancel_all()

    def _see(self, run: PromptRun) -> None:
        words = run.outcome.text.strip() if run.outcome is not None else ""
        if run.stage != "ended" or not run.prompt.instructions_note or not words or run.failure:
            return  # what fails is silent: it stands in the list
        key = _PROMPT_NOTICE + run.id
        self._said[key] = words
        choices = (
            (PromptResultAction.DONE, tr("Done")),
            (PromptResultAction.OPEN, tr("Open in chat")),
        )
        self._companion.ask(key, words, choices, sign="bell")

    def _answered(self, key: str, choice: str) -> None:
        words = self._said.pop(key, "")
        if not words:
            return
        self._companion.withdraw(key)
        if parse_answer(PromptResultAction, choice) is PromptResultAction.OPEN or not choice:
            self.open(words)  # a click on the words opens them too

    async def _open(self, words: str) -> None:
        await self._engine.chat.add_remark(words)
        self.chat_requested.emit()
