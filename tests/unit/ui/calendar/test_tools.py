"""The tools that an appointment may use, as they are ticked."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.calendar.form import AppointmentForm
from neodeskpet.ui.calendar.tools import ToolChoice, ToolTicks

CHOICES = (
    ToolChoice("web.fetch", "Read a web page", asks=True),
    ToolChoice("time.now", "Tell the time"),
    ToolChoice("note.add", ""),
)


def words(ticks: ToolTicks) -> list[str]:
    return [ticks.item(row).text() for row in range(ticks.count())]


def test_what_is_ticked_stands_first_and_what_is_gone_stays(qtbot: QtBot) -> None:
    ticks = ToolTicks()
    qtbot.addWidget(ticks)
    ticks.offer(CHOICES, ("old.tool", "time.now"))
    assert words(ticks) == ["old.tool", "Tell the time", "note.add", "Read a web page · asks first"]
    assert ticks.ticked() == ("old.tool", "time.now")
    assert "it isn't run" in ticks.item(3).toolTip()


def test_keys_tick(qtbot: QtBot) -> None:
    ticks = ToolTicks()
    qtbot.addWidget(ticks)
    ticks.offer(CHOICES, ())
    ticks.setCurrentRow(1)
    QTest.keyClick(ticks, Qt.Key.Key_Space)
    assert ticks.ticked() == ("time.now",)
    QTest.keyClick(ticks, Qt.Key.Key_Space)
    assert ticks.ticked() == ()
    ticks.itemActivated.emit(ticks.item(0))
    assert ticks.ticked() == ("note.add",)


def test_what_only_rings_is_offered_none(qtbot: QtBot) -> None:
    form = AppointmentForm(lambda: CHOICES)
    qtbot.addWidget(form)
    form.begin(None)
    assert form.tools.isHidden()
    form.prompt.setText("Tell me the news.")
    assert not form.tools.isHidden()
    assert form.tools.count() == 3
