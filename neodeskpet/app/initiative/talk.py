"""Remarks in the bubble: the words, "Why?", "Less of this" and "Open in chat", and the inbox."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial
from random import Random

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from neodeskpet.conversation.chat_events import ChatEvent, MessageAdded
from neodeskpet.conversation.initiative.speaker import Presence, Speaker, Surroundings
from neodeskpet.conversation.initiative.words import WHY
from neodeskpet.core.blocks import Role
from neodeskpet.core.errors import StoreError
from neodeskpet.core.initiative.moment import Kind, Remark, Wishes
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.ui.pet.companion import Companion, chosen
from neodeskpet.ui.work import Work

LOOK_MS = 15_000
_KEY, _LESS, _LEFT = "remark", "less of this", "left meanwhile"
_DAY = 86_400.0


class RemarkChoice(StrEnum):
    """What the person answers to a remark."""

    OPEN = "open"
    WHY = "why"
    LESS = "less"
    UNDO = "undo"
    INBOX = "inbox"


class RemarkTalk(QObject):
    """`seen`: the figure is there and bubbles are wanted; `writing`: something stands in the
    composer; `neo`: the bundled figure speaks. It is the inbox's port too.
    """

    chat_requested = Signal()
    inbox_requested = Signal()
    troubled = Signal(object)

    def __init__(
        self,
        engine: Engine,
        companion: Companion,
        presence: Presence,
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
        self._work = Work("initiative", failed=self.troubled.emit)
        self._shown: Remark | None = None
        self._undo: Callable[[], Awaitable[None]] | None = None
        self._talk_at: float | None = None
        self._hushed_at: float | None = None
        around = Surroundings(
            wishes=self._wishes,
            quiet=self._is_quiet,
            talking=lambda: engine.chat.busy or companion.busy or writing(),
            talked=lambda: self._talk_at,
            fact=self._fact,
            neo=neo,
            ask=engine.errands.run,
            has_model=lambda errand: engine.minds.errand(errand) is not None,
        )
        self.speaker = Speaker(engine.store, presence, around, self._say)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        companion.answered.connect(self._answered)
        engine.chat.listen(self, MessageAdded)

    async def begin(self) -> None:
        """The windows are there."""
        await self.speaker.open()
        known = await self._engine.store.conversations()
        self._talk_at = max((info.updated for info in known), default=None)
        self._timer.start()

    async def close(self) -> None:
        self._timer.stop()
        await self._work.close()

    @Slot()
    def look(self) -> None:
        """Is there something to say?"""
        self._work.start_once("look", self.speaker.look)

    def hear(self, event: ChatEvent) -> None:
        """A `ChatListener`: when the two talked last."""
        if isinstance(event, MessageAdded) and event.message.role is Role.USER:
            self._talk_at = event.message.created

    def tell_task(self, words: str) -> None:
        """A background task has ended. That is told at once, unless speaking by itself is on: then
        it waits for a pause like everything else, or lies in the inbox.
        """
        if self._hushed_at is not None:
            self.speaker.leave(Kind.TASK, words, words)
            self._work.start("keep", self.speaker.keep)
        elif not self.speaker.wants(Kind.TASK):
            self._companion.say(words)
        elif not self.speaker.offer(Kind.TASK, words, words):
            self.speaker.leave(Kind.TASK, words, words)

    def hush(self, hushed: bool) -> None:
        """The person looks at a full screen, where nothing is to be said; or no longer, and what
        came meanwhile is told in one line.
        """
        if hushed:
            self._hushed_at = self.speaker.clock()
            return
        since, self._hushed_at = self._hushed_at, None
        came = [one for one in self.speaker.inbox if since is not None and one.at >= since]
        if not came:
            return
        if len(came) == 1:
            words = tr("While you looked at a full screen: {words}", words=self.words(came[0]))
        else:
            words = tr(
                "While you looked at a full screen, {count} things came that you may read.",
                count=str(len(came)),
            )
        self._companion.remark(_LEFT, words, ((RemarkChoice.INBOX, tr("Show")),))

    # The inbox

    def inbox(self) -> Sequence[Remark]:
        return self.speaker.inbox

    def observe(self, observer: Callable[[], object]) -> Callable[[], None]:
        return self.speaker.observe(observer)

    def words(self, remark: Remark) -> str:
        return remark.words or remark.about

    def why(self, remark: Remark) -> str:
        return tr(WHY[remark.kind], about=remark.about)

    async def open(self, remark: Remark) -> None:
        """In the conversation, where it can be answered."""
        await self._engine.chat.remark(self.words(remark))
        await self.speaker.forget(remark.id)
        self.chat_requested.emit()

    async def less(self, remark: Remark) -> None:
        lay = any(one.id == remark.id for one in self.speaker.inbox)
        take_back = await self.speaker.less(remark.kind)
        await self.speaker.forget(remark.id)

        async def undo() -> None:
            await take_back()
            if lay:
                await self.speaker.put_back(remark)

        self._undo = undo
        self._companion.remark(_LESS, self.promise(), ((RemarkChoice.UNDO, tr("Undo")),))

    def promise(self) -> str:
        return tr("All right: none of that for a day, and seldom afterwards.")

    async def undo_less(self) -> None:
        undo, self._undo = self._undo, None
        self._companion.settle(_LESS)
        if undo is not None:
            await undo()

    async def forget(self, remark: Remark) -> None:
        await self.speaker.forget(remark.id)

    # In the bubble

    def _say(self, remark: Remark) -> None:
        self._shown = remark
        self._companion.remark(_KEY, remark.words, _choices((RemarkChoice.WHY, tr("Why?"))))

    @Slot(str, str)
    def _answered(self, key: str, choice: str) -> None:
        said = chosen(RemarkChoice, choice)
        if key == _LESS and said is RemarkChoice.UNDO:
            self._work.start_once("undo", self.undo_less)
        if key == _LEFT:
            self._companion.settle(_LEFT)
            self.inbox_requested.emit()
        remark = self._shown
        if key != _KEY or remark is None:
            return
        if said is RemarkChoice.WHY:
            self._companion.remark(_KEY, self.why(remark), _choices())
            return
        self._companion.settle(_KEY)
        self._shown = None
        if said is RemarkChoice.LESS:
            self._work.start("answer", partial(self.less, remark))
        elif said is RemarkChoice.OPEN or not choice:  # a click on the words opens it too
            self._work.start("answer", partial(self.open, remark))

    # What the speaker asks

    def _wishes(self) -> Wishes:
        wanted = self._engine.settings.settings.initiative
        kinds = frozenset(kind for kind in Kind if getattr(wanted, kind.value))
        return Wishes(wanted.on, kinds, wanted.quiet_from, wanted.quiet_to)

    def _is_quiet(self) -> bool:
        hushed = self._hushed_at is not None
        return hushed or self._engine.settings.settings.companion.quiet or not self._seen()

    async def _fact(self, random: Random) -> str:
        """Something the person told more than a day ago, "" where nothing may be told."""
        info = self._engine.chat.conversation
        if info is None or not self._engine.minds.keeps_facts(info.id):
            return ""
        try:
            facts = await self._engine.memory.facts.all()
        except StoreError:
            return ""
        now = datetime.now()
        old = [one for one in facts if not one.rival and (now - one.time).total_seconds() > _DAY]
        return random.choice(old).text if old else ""


def _choices(*more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return ((RemarkChoice.OPEN, tr("Open in chat")), *more, (RemarkChoice.LESS, tr("Less of this")))
