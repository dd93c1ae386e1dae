"""Ends of background tasks are reported at once, or with the other proactive remarks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from neodeskpet.app.engine import Engine
from neodeskpet.app.remark_notifier import RemarkNotifier
from neodeskpet.conversation.proactive_remarks import PresenceDetector
from neodeskpet.core.proactive import Detection, RemarkKind, UserPresence
from neodeskpet.core.speech_bubble import BubbleRank
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from tests.unit.app.engines import with_engine


class Mouth(QObject):
    """The companion, as far as remarks are concerned."""

    answered = Signal(str, str)
    busy = False

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def show_notice(self, words: str, rank: BubbleRank) -> None:
        assert rank is BubbleRank.REMARK, "it can wait for the end of a reply"
        self.said.append(words)

    def show_remark(self, key: str, words: str, choices: Any) -> None:
        self.said.append(f"{words} {[str(choice) for choice, _name in choices]}")

    def withdraw(self, key: str) -> None:
        self.said.append(f"settled {key}")


class Awake:
    """The user is present and may be disturbed."""

    async def read_presence(self) -> UserPresence:
        return UserPresence(
            idle=300.0, fullscreen=Detection.NO, call=Detection.NO, shared=Detection.NO
        )


def with_talk(home: Path, work: Callable[[Engine, Mouth, RemarkNotifier], Any]) -> None:
    async def live(engine: Engine) -> None:
        mouth = Mouth()
        talk = RemarkNotifier(
            engine,
            cast(CompanionPresenter, mouth),
            cast(PresenceDetector, Awake()),
            seen=lambda: True,
            writing=lambda: False,
            neo=lambda: True,
        )
        await talk.start()
        try:
            await work(engine, mouth, talk)
        finally:
            await talk.close()

    with_engine(home, live)


def test_an_ended_task_is_reported_at_once_by_default(qapp: QApplication, tmp_path: Path) -> None:
    async def work(_engine: Engine, mouth: Mouth, talk: RemarkNotifier) -> None:
        talk.report_task("The export is done.")
        assert mouth.said == ["The export is done."]
        assert not talk.missed_messages()

    with_talk(tmp_path, work)


def test_with_proactive_remarks_it_waits_for_a_pause(qapp: QApplication, tmp_path: Path) -> None:
    async def work(engine: Engine, mouth: Mouth, talk: RemarkNotifier) -> None:
        engine.settings.change("initiative", "on", True)
        assert talk.scheduler.is_wanted(RemarkKind.TASK)
        talk.report_task("The export is done.")
        assert mouth.said == []

    with_talk(tmp_path, work)


def test_less_of_this_can_be_undone(qapp: QApplication, tmp_path: Path) -> None:
    async def work(engine: Engine, mouth: Mouth, talk: RemarkNotifier) -> None:
        engine.settings.change("initiative", "on", True)
        talk.scheduler.add_to_inbox(RemarkKind.TASK, "tea", "Tea is ready.")
        (left,) = talk.missed_messages()
        await talk.reduce(left)
        assert (list(talk.missed_messages()), mouth.said[-1]) == (
            [],
            f"{talk.reduction_text()} ['undo']",
        )
        assert not talk.scheduler.offer(RemarkKind.TASK, "more", "x")
        mouth.answered.emit("less of this", "undo")
        await talk._work.wait_until_idle()
        assert [one.id for one in talk.missed_messages()] == [left.id]
        assert talk.scheduler.offer(RemarkKind.TASK, "more", "x")
        await talk.undo_reduction()  # once is enough
        assert [one.id for one in talk.missed_messages()] == [left.id]

    with_talk(tmp_path, work)
