"""The inbox: what waits is read, opened, dropped; what fails is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import KnownError
from neodeskpet.core.initiative.moment import Kind, Remark
from neodeskpet.core.wording import N_
from neodeskpet.ui.initiative.inbox import InboxWindow
from neodeskpet.ui.theme import LIGHT
from tests.support.scenario import play, until

NOW = 1_800_000_000.0


class Box:
    def __init__(self) -> None:
        self.left = [
            Remark("1", Kind.TASK, "the export", NOW - 60, "The export is done."),
            Remark("2", Kind.MEMORY, "your exam", NOW - 7200, "How was the exam?"),
        ]
        self.done: list[str] = []
        self.observers: list[Callable[[], object]] = []
        self.broken = False

    def inbox(self) -> list[Remark]:
        return self.left

    def observe(self, observer: Callable[[], object]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: self.observers.remove(observer)

    def words(self, remark: Remark) -> str:
        return remark.words

    def why(self, remark: Remark) -> str:
        return f"because of {remark.about}"

    async def open(self, remark: Remark) -> None:
        await self._do("open", remark)

    async def less(self, remark: Remark) -> None:
        await self._do("less", remark)

    def promise(self) -> str:
        return "none of that for a day"

    async def undo_less(self) -> None:
        self.done.append("undo")

    async def forget(self, remark: Remark) -> None:
        await self._do("forget", remark)

    async def _do(self, deed: str, remark: Remark) -> None:
        if self.broken:
            raise KnownError(N_("The disk is full."))
        self.done.append(f"{deed} {remark.id}")
        self.left = [one for one in self.left if one.id != remark.id]
        for observer in self.observers:
            observer()


@pytest.fixture
def box() -> Box:
    return Box()


@pytest.fixture
def window(qtbot: QtBot, box: Box) -> Iterator[InboxWindow]:
    made = InboxWindow(LIGHT, box, now=lambda: NOW)
    qtbot.addWidget(made)
    made.show()
    yield made
    made.close()


def test_what_waits_is_read_and_answered(window: InboxWindow, box: Box) -> None:
    async def scenario() -> None:
        window.list.choose("2")
        assert window.whole.text() == "How was the exam?"
        assert window.why.text() == "because of your exam"
        window.less.click()
        await until(lambda: box.done == ["less 2"])
        window.list.choose("1")
        window.open.click()
        await until(lambda: box.done == ["less 2", "open 1"])
        assert window.empty.isVisible()
        assert not window.list.isVisible()
        assert not window.open.isVisible()
        await window.finish()
        assert not box.observers

    play(scenario())


def test_what_fails_is_said_and_the_rest_stays(window: InboxWindow, box: Box) -> None:
    async def scenario() -> None:
        box.broken = True
        window.list.choose("1")
        window.delete.click()
        await until(window.trouble.isVisible)
        assert len(box.left) == 2
        box.broken = False
        window.delete.click()
        await until(lambda: box.done == ["forget 1"])

    play(scenario())


def test_escape_closes_it(window: InboxWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()
