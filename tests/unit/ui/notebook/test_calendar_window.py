"""The window of the appointments by itself: narrow, wide, in both languages and looks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.language import set_language
from neodeskpet.notebook.appointment import Appointment
from neodeskpet.notebook.appointments import AppointmentService
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.ui.notebook.calendar_window import CalendarWindow
from neodeskpet.ui.theme import DARK, LIGHT


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[CalendarWindow]:
    notebook = asyncio.run(Notebook.open(None))
    found = CalendarWindow(LIGHT, AppointmentService(notebook))
    qtbot.addWidget(found)
    yield found
    asyncio.run(notebook.aclose())


def test_a_narrow_one_has_no_history(window: CalendarWindow) -> None:
    for width, hidden in ((800, False), (400, True)):
        window.resize(width, 500)
        QApplication.sendEvent(window, QResizeEvent(window.size(), window.size()))
        assert window.history_pane.isHidden() is hidden


def test_it_speaks_both_languages(window: CalendarWindow) -> None:
    try:
        set_language("zh_CN")
        window.retranslate()
        assert window.windowTitle() == "日程"
        window.set_theme(DARK)
    finally:
        set_language("en")


def test_escape_leaves_the_form_first(window: CalendarWindow) -> None:
    window.list_pane.add.click()
    assert window.list_pane.is_editing()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.list_pane.is_editing()


def test_the_next_entry_stays_when_the_one_before_is_kept(qtbot: QtBot) -> None:
    async def story() -> None:
        notebook = await Notebook.open(None)
        book = _SlowBook(notebook)
        window = CalendarWindow(LIGHT, book)
        qtbot.addWidget(window)
        window.list_pane.add.click()
        window.form.title.setText("Water the plants")
        window.form.when.setText("every Friday at 16:00")
        window.form.sheet.save.click()
        await asyncio.wait_for(book.asked.wait(), 20)  # it is kept, and read again
        assert window.list_pane.cancel_form()
        window.list_pane.add.click()
        window.form.title.setText("The next")
        book.answered.set()
        for _ in range(2000):
            await asyncio.sleep(0.005)
            if window.list_pane.list.count():
                break
        assert window.list_pane.is_editing()
        assert window.form.title.text() == "The next"
        await window.aclose()
        await notebook.aclose()

    asyncio.run(story())


class _SlowBook(AppointmentService):
    """What it has is told when the test says so."""

    def __init__(self, notebook: Notebook) -> None:
        super().__init__(notebook)
        self.asked, self.answered = asyncio.Event(), asyncio.Event()

    async def appointments(self) -> list[Appointment]:
        self.asked.set()
        await self.answered.wait()
        return await super().appointments()
