"""Shows remarks in the bubble, with "Why?", "Less of this" and "Open in chat", and keeps the inbox
of missed messages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial
from random import Random

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from neodeskpet.app.engine import Engine
from neodeskpet.conversation.chat_events import ChatEvent, MessageAdded
from neodeskpet.conversation.proactive_remarks import (
    PresenceDetector,
    RemarkConditions,
    RemarkScheduler,
)
from neodeskpet.conversation.remark_texts import REMARK_REASONS
from neodeskpet.core.blocks import Role
from neodeskpet.core.errors import StoreError
from neodeskpet.core.proactive import Remark, RemarkKind, RemarkSettings
from neodeskpet.core.speech_bubble import BubbleRank
from neodeskpet.language import tr
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter, parse_answer
from neodeskpet.ui.task_runner import TaskRunner

REMARK_CHECK_MS = 15_000
_REMARK_NOTICE, _LESS_NOTICE, _MISSED_NOTICE = "remark", "less of this", "left meanwhile"
_DAY = 86_400.0


class RemarkAction(StrEnum):
    """The user's answer to a remark."""

    OPEN = "open"
    WHY = "why"
    LESS = "less"
    UNDO = "undo"
    INBOX = "inbox"


class RemarkNotifier(QObject):
    """Shows remarks, and is the data source of the inbox. `seen`: the figure is visible and bubbles
    are on; `writing`: the composer has text; `neo`: the bundled figure speaks.
    """

    chat_requested = Signal()
    inbox_requested = Signal()
    error_occurred = Signal(object)

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        presence: PresenceDetector,
        *,
        seen: Callable[[], bool],
        writing: Callable[[], bool],
        neo: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._seen = seen
        self._work = TaskRunner("initiative", failed=self.error_occurred.emit)
        self._shown: Remark | None = None
        self._undo: Callable[[], Awaitable[None]] | None = None
        self._talk_at: float | None = None
        self._hushed_at: float | None = None
        around = RemarkConditions(
            settings=self._wishes,
            quiet=self._is_quiet,
            is_reply_running=lambda: engine.chat.busy or companion.is_busy or writing(),
            last_talked=lambda: self._talk_at,
            random_fact=self._fact,
            is_bundled_figure=neo,
            run_prompt=engine.models.background_prompts.run,
            has_model=lambda prompt: (
                engine.models.turn_factory.create_background_setup(prompt) is not None
            ),
        )
        self.scheduler = RemarkScheduler(engine.storage.store, presence, around, self._say)
        self._timer = QTimer(self, interval=REMARK_CHECK_MS)
        self._timer.timeout.connect(self.check)
        companion.answered.connect(self._answered)
        engine.chat.subscribe(self, MessageAdded)

    async def start(self) -> None:
        """Start; the windows exist by then."""
        await self.scheduler.load()
        known = await self._engine.storage.store.conversations()
        self._talk_at = max((info.updated for info in known), default=None)
        self._timer.start()

    async def close(self) -> None:
        self._timer.stop()
        await self._work.aclose()

    @Slot()
    def check(self) -> None:
        """Make a remark if one is due."""
        self._work.start_once("look", self.scheduler.check)

    def on_chat_event(self, event: ChatEvent) -> None:
        """A `ChatListener`: note the time of the last message."""
        if isinstance(event, MessageAdded) and event.message.role is Role.USER:
            self._talk_at = event.message.created

    def report_task(self, words: str) -> None:
        """Report an ended background task: at once, unless proactive remarks are on. Then the
        report waits for a pause like other remarks, or goes to the inbox.
        """
        if self._hushed_at is not None:
            self.scheduler.add_to_inbox(RemarkKind.TASK, words, words)
            self._work.start("keep", self.scheduler.save)
        elif not self.scheduler.is_wanted(RemarkKind.TASK):
            self._companion.show_notice(words, BubbleRank.REMARK)
        elif not self.scheduler.offer(RemarkKind.TASK, words, words):
            self.scheduler.add_to_inbox(RemarkKind.TASK, words, words)

    def set_muted(self, hushed: bool) -> None:
        """Show no remarks while the user has a full-screen window; afterwards show one line with
        what came meanwhile.
        """
        if hushed:
            self._hushed_at = self.scheduler.clock()
            return
        since, self._hushed_at = self._hushed_at, None
        came = [one for one in self.scheduler.inbox if since is not None and one.at >= since]
        if not came:
            return
        if len(came) == 1:
            words = tr("During full screen: {words}", words=self.text(came[0]))
        else:
            words = tr(
                "During full screen you missed {count} messages.",
                count=str(len(came)),
            )
        self._companion.show_remark(_MISSED_NOTICE, words, ((RemarkAction.INBOX, tr("Show")),))

    # The inbox

    def missed_messages(self) -> Sequence[Remark]:
        return self.scheduler.inbox

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        return self.scheduler.subscribe(observer)

    def text(self, remark: Remark) -> str:
        return remark.words or remark.about

    def reason(self, remark: Remark) -> str:
        return tr(REMARK_REASONS[remark.kind], about=remark.about)

    async def open(self, remark: Remark) -> None:
        """Add a remark to the conversation, where the user can answer it."""
        await self._engine.chat.add_remark(self.text(remark))
        await self.scheduler.delete(remark.id)
        self.chat_requested.emit()

    async def reduce(self, remark: Remark) -> None:
        lay = any(one.id == remark.id for one in self.scheduler.inbox)
        take_back = await self.scheduler.reduce(remark.kind)
        await self.scheduler.delete(remark.id)

        async def undo() -> None:
            await take_back()
            if lay:
                await self.scheduler.put_back(remark)

        self._undo = undo
        self._companion.show_remark(
            _LESS_NOTICE, self.reduction_text(), ((RemarkAction.UNDO, tr("Undo")),)
        )

    def reduction_text(self) -> str:
        return tr("All right: none of these for a day, and fewer after that.")

    async def undo_reduction(self) -> None:
        undo, self._undo = self._undo, None
        self._companion.withdraw(_LESS_NOTICE)
        if undo is not None:
            await undo()

    async def delete(self, remark: Remark) -> None:
        await self.scheduler.delete(remark.id)

    # The bubble

    def _say(self, remark: Remark) -> None:
        self._shown = remark
        self._companion.show_remark(
            _REMARK_NOTICE, remark.words, _choices((RemarkAction.WHY, tr("Why?")))
        )

    @Slot(str, str)
    def _answered(self, key: str, choice: str) -> None:
        said = parse_answer(RemarkAction, choice)
        if key == _LESS_NOTICE and said is RemarkAction.UNDO:
            self._work.start_once("undo", self.undo_reduction)
        if key == _MISSED_NOTICE:
            self._companion.withdraw(_MISSED_NOTICE)
            self.inbox_requested.emit()
        remark = self._shown
        if key != _REMARK_NOTICE or remark is None:
            return
        if said is RemarkAction.WHY:
            self._companion.show_remark(_REMARK_NOTICE, self.reason(remark), _choices())
            return
        self._companion.withdraw(_REMARK_NOTICE)
        self._shown = None
        if said is RemarkAction.LESS:
            self._work.start("answer", partial(self.reduce, remark))
        elif said is RemarkAction.OPEN or not choice:  # a click on the text opens it too
            self._work.start("answer", partial(self.open, remark))

    # Facts for remarks

    def _wishes(self) -> RemarkSettings:
        wanted = self._engine.settings.settings.initiative
        kinds = frozenset(kind for kind in RemarkKind if getattr(wanted, kind.value))
        return RemarkSettings(wanted.on, kinds, wanted.quiet_from, wanted.quiet_to)

    def _is_quiet(self) -> bool:
        hushed = self._hushed_at is not None
        return hushed or self._engine.settings.settings.companion.quiet or not self._seen()

    async def _fact(self, random: Random) -> str:
        """Return a fact that the user told more than a day ago; "" where facts may not be used."""
        info = self._engine.chat.conversation
        if info is None or not self._engine.models.turn_factory.keeps_facts(info.id):
            return ""
        try:
            facts = await self._engine.memory.store.facts.list_facts()
        except StoreError:
            return ""
        now = datetime.now()
        old = [
            one
            for one in facts
            if not one.conflicting_id and (now - one.time).total_seconds() > _DAY
        ]
        return random.choice(old).text if old else ""


def _choices(*more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return ((RemarkAction.OPEN, tr("Open in chat")), *more, (RemarkAction.LESS, tr("Less of this")))
