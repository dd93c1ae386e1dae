"""What ends in the background is told: at once, or with the rest of what is said by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from neodeskpet.app.initiative.talk import RemarkTalk
from neodeskpet.conversation.initiative.speaker import Presence
from neodeskpet.core.initiative.moment import Kind, Noticed, Sense
from neodeskpet.engine import Engine
from neodeskpet.ui.pet.companion import Companion
from tests.unit.app.engines import with_engine


class Mouth(QObject):
    """The companion, as far as remarks go."""

    answered = Signal(str, str)
    busy = False

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def say(self, words: str) -> None:
        self.said.append(words)

    def remark(self, key: str, words: str, choices: Any) -> None:
        self.said.append(f"{words} {[str(choice) for choice, _name in choices]}")

    def settle(self, key: str) -> None:
        self.said.append(f"settled {key}")


class Awake:
    """The person sits there and does nothing that is not to be disturbed."""

    async def notice(self) -> Noticed:
        return Noticed(idle=300.0, fullscreen=Sense.NO, call=Sense.NO, shared=Sense.NO)


def with_talk(home: Path, work: Callable[[Engine, Mouth, RemarkTalk], Any]) -> None:
    async def live(engine: Engine) -> None:
        mouth = Mouth()
        talk = RemarkTalk(
            engine,
            cast(Companion, mouth),
            cast(Presence, Awake()),
            seen=lambda: True,
            writing=lambda: False,
            neo=lambda: True,
        )
        await talk.begin()
        try:
            await work(engine, mouth, talk)
        finally:
            await talk.close()

    with_engine(home, live)


def test_an_ended_task_is_told_at_once_by_default(qapp: QApplication, tmp_path: Path) -> None:
    async def work(_engine: Engine, mouth: Mouth, talk: RemarkTalk) -> None:
        talk.tell_task("The export is done.")
        assert mouth.said == ["The export is done."]
        assert not talk.inbox()

    with_talk(tmp_path, work)


def test_with_speaking_on_it_waits_for_a_pause(qapp: QApplication, tmp_path: Path) -> None:
    async def work(engine: Engine, mouth: Mouth, talk: RemarkTalk) -> None:
        engine.settings.change("initiative", "on", True)
        assert talk.speaker.wants(Kind.TASK)
        talk.tell_task("The export is done.")
        assert mouth.said == []

    with_talk(tmp_path, work)


def test_less_of_this_is_taken_back(qapp: QApplication, tmp_path: Path) -> None:
    async def work(engine: Engine, mouth: Mouth, talk: RemarkTalk) -> None:
        engine.settings.change("initiative", "on", True)
        talk.speaker.leave(Kind.TASK, "tea", "Tea is ready.")
        (left,) = talk.inbox()
        await talk.less(left)
        assert (list(talk.inbox()), mouth.said[-1]) == ([], f"{talk.promise()} ['undo']")
        assert not talk.speaker.offer(Kind.TASK, "more", "x")
        mouth.answered.emit("less of this", "undo")
        await talk._work.settled()
        assert [one.id for one in talk.inbox()] == [left.id]
        assert talk.speaker.offer(Kind.TASK, "more", "x")
        await talk.undo_less()  # once is enough
        assert [one.id for one in talk.inbox()] == [left.id]

    with_talk(tmp_path, work)
