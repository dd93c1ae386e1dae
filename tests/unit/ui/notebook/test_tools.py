"""Ticking the tools that an appointment may use."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.notebook.appointment_form import AppointmentForm, ToolChecklist, ToolChoice

CHOICES = (
    ToolChoice("web.fetch", "Read a web page", needs_approval=True),
    ToolChoice("time.now", "Tell the time"),
    ToolChoice("note.add", ""),
)


def words(ticks: ToolChecklist) -> list[str]:
    return [ticks.item(row).text() for row in range(ticks.count())]


def test_ticked_tools_come_first_and_removed_ones_stay(qtbot: QtBot) -> None:
    ticks = ToolChecklist()
    qtbot.addWidget(ticks)
    ticks.set_tools(CHOICES, ("old.tool", "time.now"))
    assert words(ticks) == ["old.tool", "Tell the time", "note.add", "Read a web page · asks first"]
    assert ticks.checked_tools() == ("old.tool", "time.now")
    assert "can't run in the background" in ticks.item(3).toolTip()


def test_keys_tick(qtbot: QtBot) -> None:
    ticks = ToolChecklist()
    qtbot.addWidget(ticks)
    ticks.set_tools(CHOICES, ())
    ticks.setCurrentRow(1)
    QTest.keyClick(ticks, Qt.Key.Key_Space)
    assert ticks.checked_tools() == ("time.now",)
    QTest.keyClick(ticks, Qt.Key.Key_Space)
    assert ticks.checked_tools() == ()
    ticks.itemActivated.emit(ticks.item(0))
    assert ticks.checked_tools() == ("note.add",)


def test_an_appointment_that_only_rings_offers_none(qtbot: QtBot) -> None:
    form = AppointmentForm(lambda: CHOICES)
    qtbot.addWidget(form)
    form.edit(None)
    assert form.tools.isHidden()
    form.prompt.setText("Tell me the news.")
    assert not form.tools.isHidden()
    assert form.tools.count() == 3
