"""The missed messages: read, opened, dropped; failures are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.proactive import Remark, RemarkKind
from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.windows.missed_messages_window import MissedMessagesWindow
from tests.support.scenario import play, until

NOW = 1_800_000_000.0


class Box:
    def __init__(self) -> None:
        self.left = [
            Remark("1", RemarkKind.TASK, "the export", NOW - 60, "The export is done."),
            Remark("2", RemarkKind.MEMORY, "your exam", NOW - 7200, "How was the exam?"),
        ]
        self.done: list[str] = []
        self.observers: list[Callable[[], object]] = []
        self.broken = False

    def missed_messages(self) -> list[Remark]:
        return self.left

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: self.observers.remove(observer)

    def text(self, remark: Remark) -> str:
        return remark.words

    def reason(self, remark: Remark) -> str:
        return f"because of {remark.about}"

    async def open(self, remark: Remark) -> None:
        await self._do("open", remark)

    async def reduce(self, remark: Remark) -> None:
        await self._do("less", remark)

    def reduction_text(self) -> str:
        return "none of these for a day"

    async def undo_reduction(self) -> None:
        self.done.append("undo")

    async def delete(self, remark: Remark) -> None:
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
def window(qtbot: QtBot, box: Box) -> Iterator[MissedMessagesWindow]:
    made = MissedMessagesWindow(LIGHT, box, now=lambda: NOW)
    qtbot.addWidget(made)
    made.show()
    yield made
    made.close()


def test_a_waiting_message_is_read_and_answered(window: MissedMessagesWindow, box: Box) -> None:
    async def scenario() -> None:
        assert not window.settings_button.isVisible()
        window.list.select("2")
        assert window.full_text.text() == "How was the exam?"
        assert window.reason_label.text() == "because of your exam"
        window.less_button.click()
        await until(lambda: box.done == ["less 2"])
        window.list.select("1")
        window.open_button.click()
        await until(lambda: box.done == ["less 2", "open 1"])
        assert window.empty.isVisible()
        assert not window.list.isVisible()
        assert not window.open_button.isVisible()
        asked = []
        window.settings_requested.connect(lambda: asked.append(1))
        window.settings_button.click()
        assert asked == [1], "the text for an empty list names a setting"
        await window.aclose()
        assert not box.observers

    play(scenario())


def test_a_failure_is_reported_and_the_rest_stays(window: MissedMessagesWindow, box: Box) -> None:
    async def scenario() -> None:
        box.broken = True
        window.list.select("1")
        window.delete_button.click()
        await until(window.error_label.isVisible)
        assert len(box.left) == 2
        box.broken = False
        window.delete_button.click()
        await until(lambda: box.done == ["forget 1"])

    play(scenario())


def test_escape_closes_it(window: MissedMessagesWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()
