"""The window "Today" by itself: each task by mouse and by keyboard, with its steps counted."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.schedule.due import Due
from neodeskpet.core.tool_settings import ToolRule
from neodeskpet.language import set_language
from neodeskpet.notebook.appointment import Maker
from neodeskpet.notebook.appointment_tools import AppointmentUndo
from neodeskpet.notebook.note_tools import NoteAddUndo, NoteEditUndo
from neodeskpet.notebook.timer_tools import TimerUndo
from neodeskpet.notebook.timers import Repeat, Timer
from neodeskpet.notebook.todo_tools import todo_undoers
from neodeskpet.notebook.todos import Todo
from neodeskpet.platform.installation import assets_dir
from neodeskpet.settings.store import SettingsStore
from neodeskpet.settings.tool_permissions import ListPermissions
from neodeskpet.toolkit.undo import Undoer, WindowCallsUndo
from neodeskpet.tools.apps.window_log import Actor
from neodeskpet.ui.formatting import format_countdown
from neodeskpet.ui.notebook.day_agenda import DayItem
from neodeskpet.ui.notebook.month_view import DayLine
from neodeskpet.ui.notebook.next_timer import NextTimer
from neodeskpet.ui.notebook.overview import overview_entries
from neodeskpet.ui.notebook.today_window import (
    CALENDAR,
    FILES,
    HISTORY,
    NOTES,
    OVERVIEW,
    TABS,
    TIMERS,
    TODOS,
    TodayData,
    TodayWindow,
)
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.widgets.entry_list import EntryList
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.windows.app_panel import LoggedActions
from tests.support.fit import cut_texts, overlaps, shown_in
from tests.unit.tools.apps.house import House, house

FRIDAY = date.today() + timedelta(days=(4 - date.today().weekday()) % 7)

NEXT_YEAR = date.today().year + 1


@asynccontextmanager
async def opened(qtbot: QtBot) -> AsyncIterator[tuple[TodayWindow, House]]:
    with TemporaryDirectory() as folder:
        settings = SettingsStore(Path(folder) / "settings.json", environ={})
        async with house() as home, shown(qtbot, home, settings) as window:
            yield window, home


@asynccontextmanager
async def shown(qtbot: QtBot, home: House, settings: SettingsStore) -> AsyncIterator[TodayWindow]:
    data = TodayData(
        home.timers,
        home.notes,
        home.todos,
        home.appointments,
        LoggedActions(home.apps, WindowCallsUndo(undoers_of(home))),
        ListPermissions(settings, home.apps.host.specs),
        lambda: asyncio.sleep(0, "Focus: 2 sessions today, 50 min"),
    )
    window = TodayWindow(LIGHT, data, name=lambda: "Neo")
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    await until(window.isActiveWindow, "it isn't active")
    yield window
    await window.aclose()
    window.close()


def undoers_of(home: House) -> dict[str, Undoer]:
    return {
        "note.add": NoteAddUndo(home.notes),
        "note.edit": NoteEditUndo(home.notes),
        "timer.set": TimerUndo(home.timers, made=True),
        "schedule.add": AppointmentUndo(home.appointments, made=True),
        **todo_undoers(home.todos),
    }


async def until(there: Callable[[], bool], why: str) -> None:
    """Run Qt and asyncio alternately until the condition holds."""
    for _ in range(6_000):
        if there():
            return
        QApplication.processEvents()
        await asyncio.sleep(0.005)
    raise AssertionError(why)


async def settled(ask: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(6_000):
        if await ask():
            return
        QApplication.processEvents()
        await asyncio.sleep(0.005)
    raise AssertionError("it didn't come")


def fits(window: TodayWindow) -> bool:
    parts = list(shown_in(window))
    return not cut_texts(parts) and not overlaps(window, parts)


def titles(entries: EntryList) -> list[str]:
    return [entry.title for entry in entries.entries()]


def click_row(entries: EntryList, title: str, x: int | None = None) -> None:
    """Click a row, at `x` from its left edge."""
    row = next(n for n in range(entries.count()) if entries.item(n).text() == title)
    area = entries.visualItemRect(entries.item(row))
    at = area.center() if x is None else QPoint(area.left() + x, area.center().y())
    QTest.mouseClick(entries.viewport(), Qt.MouseButton.LeftButton, pos=at)


class Steps:
    """Counts what the user does."""

    def __init__(self) -> None:
        self.count = 0

    def click(self, button: QWidget) -> None:
        self.count += 1
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def key(self, widget: QWidget, key: Qt.Key, *, alt: bool = False) -> None:
        self.count += 1
        none, held = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
        QTest.keyClick(widget, key, held if alt else none)


def test_a_todo_for_friday_is_written_and_ticked_by_mouse(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            steps = Steps()
            steps.click(window.quick.field)
            QTest.keyClicks(window.quick.field, "hand in the form friday")
            steps.key(window.quick.field, Qt.Key.Key_Return)
            steps.click(window.tab_buttons[TODOS])
            rows = window.todos.pane.list
            await until(lambda: titles(rows) == ["hand in the form"], "it isn't listed")
            assert (await home.todos.todos())[0].due == Due(FRIDAY)
            steps.count += 1
            click_row(rows, "hand in the form", x=18)
            await until(lambda: rows.entries()[0].checked is True, "it isn't ticked")
            assert steps.count <= 4
            window.undo.button.click()
            await until(lambda: rows.entries()[0].checked is False, "it can't be undone")
            (_undone, ticked, added) = (await home.apps.record.list_entries())[:3]
            assert {one.actor for one in (ticked, added)} == {Actor.PERSON}

    asyncio.run(story())


def test_a_todo_for_friday_is_written_and_ticked_by_keyboard(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, _home):
            steps = Steps()
            window.quick.field.setFocus()  # Ctrl+N
            steps.count += 1
            QTest.keyClicks(window.quick.field, "hand in the form fri")
            steps.key(window.quick.field, Qt.Key.Key_Return)
            rows = window.todos.pane.list
            await until(lambda: titles(rows) == ["hand in the form"], "it isn't listed")
            steps.key(window, Qt.Key.Key_2, alt=True)
            await until(lambda: window.current_tab == TODOS, "the tab isn't shown")
            steps.key(rows, Qt.Key.Key_Space)
            await until(lambda: rows.entries()[0].checked is True, "it isn't ticked")
            assert steps.count <= 4

    asyncio.run(story())


def test_next_week_is_visible_with_four_clicks_or_keys(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            book = home.appointments
            meant = book.read("every friday at 16:00")
            await book.add("Yoga", "", meant, prompt="", zone="", maker=Maker.PERSON)
            month, steps = window.calendar.month, Steps()
            steps.click(window.tab_buttons[CALENDAR])
            steps.click(window.calendar.views.button("week"))
            steps.click(window.calendar.forth)
            assert window.calendar.forth.accessibleName() == "Next week"
            monday = date.today() + timedelta(days=7 - date.today().weekday())
            assert (month.first, month.last) == (monday, monday + timedelta(days=6))
            friday = monday + timedelta(days=4)
            await until(lambda: bool(month.lines_of(friday)), "the appointment isn't shown")
            assert month.lines_of(friday)[0].words == "16:00 Yoga"
            assert steps.count <= 4

            steps = Steps()
            window.show_tab(OVERVIEW)
            window.calendar.show_view("month")
            window.calendar.today.click()
            assert window.calendar.back.accessibleName() == "Previous month"
            steps.key(window, Qt.Key.Key_3, alt=True)
            assert window.current_tab == CALENDAR
            steps.key(month, Qt.Key.Key_Down)
            assert monday <= month.day <= month.last
            steps.key(month, Qt.Key.Key_Return)
            assert steps.count <= 4

    asyncio.run(story())


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_note_is_deleted_and_restored(qtbot: QtBot, by: str) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            await home.notes.add("PIN of the bike lock")
            rows, steps = window.notes.pane.list, Steps()
            await until(lambda: bool(titles(rows)), "it isn't listed")
            if by == "mouse":
                steps.click(window.tab_buttons[NOTES])
                steps.count += 1
                click_row(rows, "PIN of the bike lock")
                steps.click(window.notes.pane.actions_of["delete"])
            else:
                steps.key(window, Qt.Key.Key_4, alt=True)
                steps.key(rows, Qt.Key.Key_Delete)
            await until(lambda: not titles(rows), "it isn't deleted")
            assert steps.count <= 4
            window.undo.button.click()
            await until(lambda: bool(titles(rows)), "it isn't restored")

    asyncio.run(story())


def test_each_kind_can_be_added_and_undone(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            read = {
                "tea 5 min": home.timers.timers,
                "dentist Tue 4pm": home.appointments.appointments,
                "buy milk": home.todos.todos,
                "the umbrella is in the car": lambda: home.notes.search((), 9),
            }
            for line, stored in read.items():
                window.show_tab(NOTES if "umbrella" in line else OVERVIEW)
                window.quick.field.setText(line)
                QTest.keyClick(window.quick.field, Qt.Key.Key_Return)

                async def one(stored: Callable[[], Awaitable[object]] = stored) -> bool:
                    return len(await stored()) == 1  # type: ignore[arg-type]

                async def none(stored: Callable[[], Awaitable[object]] = stored) -> bool:
                    return not await stored()

                await settled(one)
                await until(lambda: not window.quick.field.text(), "the field isn't cleared")
                window.undo.button.click()
                await settled(none)

    asyncio.run(story())


def test_the_button_shows_what_was_understood_and_changes_it(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            quick = window.quick
            quick.field.setFocus()
            await until(lambda: bool(quick.property("focused")), "the focus isn't marked")
            window.tab_buttons[next(iter(window.tab_buttons))].setFocus()
            await until(lambda: not quick.property("focused"), "two focus marks")
            quick.field.setText("tea 5 min")
            await until(
                lambda: "as: Timer · " in quick.pill.accessibleName(), "nothing is understood"
            )
            quick.pill.click()
            await until(
                lambda: "Write when: “dentist Tue 4pm”." in quick.pill.accessibleName(), "not said"
            )
            quick.pill.click()
            await until(
                lambda: "as: To-do." in quick.pill.accessibleName(), "the kind isn't changed"
            )
            assert not await home.appointments.appointments()
            QTest.keyClick(quick.field, Qt.Key.Key_Escape)
            assert not quick.field.text()
            assert window.isVisible()

    asyncio.run(story())


def test_today_shows_ringing_timers_and_due_entries(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            rows = window.overview.list
            assert window.overview.empty.text().startswith("Nothing due today")
            window.overview.empty_button.click()
            assert window.focusWidget() is window.quick.field
            await home.timers.add(time.time() - 5, "Tea")
            await home.todos.add("Send the invoice", due=Due(date.today() - timedelta(days=1)))
            await home.todos.add("Buy milk", due=Due(date.today()))
            await home.todos.add("Someday")
            expected = ["Tea", "Send the invoice", "Buy milk"]
            await until(lambda: titles(rows) == expected, str(titles(rows)))
            headings = [rows.item(n).text() for n in range(rows.count())]
            assert headings[0] == "Rings now"
            assert rows.item(0).flags() == Qt.ItemFlag.NoItemFlags, "the keyboard skips it"
            rows.select("timer t1")
            window.overview.actions_of["done"].click()
            await until(lambda: titles(rows) == expected[1:], "it rings on")
            click_row(rows, "Buy milk", x=18)
            await until(lambda: titles(rows) == expected[1:2], "it isn't ticked")
            rows.select("todo 1")
            QTest.keyClick(rows, Qt.Key.Key_Return)
            assert window.current_tab == TODOS
            assert window.todos.pane.is_editing()
            QTest.keyClick(window, Qt.Key.Key_Escape)
            assert not window.todos.pane.is_editing()

    asyncio.run(story())


def test_the_switches_of_a_list_open_from_the_foot(qtbot: QtBot, tmp_path: Path) -> None:
    settings = SettingsStore(tmp_path / "settings.json", environ={})

    async def story() -> None:
        async with house() as home, shown(qtbot, home, settings) as window:
            window.show_tab(TODOS)
            assert window.foot.accessibleName() == "Neo sees this and can change it"
            window.foot.setFocus()
            QTest.keyClick(window.foot, Qt.Key.Key_Space)
            card = window.sharing
            assert card.isVisible() and card.sees.hasFocus()
            assert card.sees.accessibleName() == "Neo sees this: To-dos"
            QTest.keyClick(card.sees, Qt.Key.Key_Space)
            assert settings.settings.mode.hidden_lists == ("todo",)
            assert window.foot.accessibleName() == "Neo doesn't see this"
            assert not card.changes.isEnabled() and not card.changes.isChecked()
            window.show_tab(NOTES)
            assert not card.isVisible()
            assert window.foot.accessibleName() == "Neo sees this and can change it"
            window.show_tab(OVERVIEW)
            assert window.foot.accessibleName() == "Neo doesn't see this"
            window.show_tab(TODOS)
            window.foot.click()
            card.sees.click()
            assert card.changes.isChecked()
            card.changes.click()
            assert window.foot.accessibleName() == "Neo sees this and can't change it"
            QTest.keyClick(window, Qt.Key.Key_Escape)
            assert not card.isVisible() and window.foot.hasFocus()
            window.foot.click()
            card.history.click()
            assert window.current_tab == HISTORY
            QTest.keyClick(window, Qt.Key.Key_Escape)
            assert window.current_tab == TODOS
            QTest.keyClick(window, Qt.Key.Key_Escape)
            assert not window.isVisible()

    asyncio.run(story())


def test_each_tab_is_an_app_that_a_model_can_open(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (_window, home):
            apps = {app.id for app in home.apps.host.apps}
            assert {key for key, _title, _icon in TABS} - {OVERVIEW} <= apps

    asyncio.run(story())


def test_it_is_shown_in_both_languages_and_themes(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, _home):
            set_language("zh_CN")
            window.retranslate()
            window.set_theme(DARK)
            names = [button.accessibleName() for button in window.tab_buttons.values()]
            assert names == ["今天", "待办", "日历", "笔记", "计时器"]
            assert window.windowTitle() == "今天 – Neo"
            window.quick.field.setText("周五交表")
            QTest.keyClick(window.quick.field, Qt.Key.Key_Return)
            await until(window.undo.isVisible, "no undo is offered")
            assert window.undo.text.text().endswith("：交表")
            assert ":" not in window.undo.text.text()
            window.show_tab(HISTORY)
            assert window.history.log.heading.text() == "历史"
            window.resize(900, 676)
            assert window.quick.field.accessibleName()
            assert window.quick.pill.accessibleName() or window.quick.pill.isHidden()

    try:
        asyncio.run(story())
    finally:
        set_language("en")


def test_an_entry_is_dropped_on_another_day(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            day = date.today() + timedelta(days=1)
            await home.todos.add("Buy milk", due=Due(day, dt.time(17)))
            meant = home.appointments.read("tomorrow at 18:00")
            await home.appointments.add(
                "Dentist", "", meant, prompt="", zone="", maker=Maker.PERSON
            )
            calendar = window.calendar
            window.show_tab(CALENDAR)
            calendar.month.go_to(day)
            rows = calendar.day_pane.list
            await until(lambda: titles(rows) == ["Buy milk", "Dentist"], "they aren't listed")
            to = day + timedelta(days=1)
            for number in range(2):
                data = rows.mimeData([rows.item(0)])
                at = (to - calendar.month.first).days
                cell = calendar.month.item(at // 7, at % 7)
                place = calendar.month.visualItemRect(cell).center()
                action, none = Qt.DropAction.MoveAction, Qt.KeyboardModifier.NoModifier
                left = Qt.MouseButton.LeftButton
                drop = QDropEvent(QPointF(place), action, data, left, none)
                calendar.month.dropEvent(drop)
                await until(lambda left=1 - number: len(titles(rows)) == left, "it stays")  # type: ignore[misc]
            assert (await home.todos.todos())[0].due == Due(to, dt.time(17))
            (moved,) = await home.appointments.appointments()
            assert dt.datetime.fromtimestamp(moved.due or 0) == dt.datetime.combine(to, dt.time(18))
            window.undo.button.click()
            await until(lambda: titles(rows) == ["Dentist"], "it can't be undone")

    asyncio.run(story())


def calendar_file(folder: Path, *titles: str) -> Path:
    entries = (
        f"BEGIN:VEVENT\nUID:{title}\nSUMMARY:{title}\nDTSTART:{NEXT_YEAR}1204T170000Z\nEND:VEVENT\n"
        for title in titles
    )
    path = folder / "team.ics"
    path.write_text(f"BEGIN:VCALENDAR\n{''.join(entries)}END:VCALENDAR\n", "utf-8")
    return path


def drop(window: QWidget, path: Path) -> bool:
    """Drag a file over the window and drop it there; return whether it is accepted."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    action, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), action, mime, left, none)
    enter.ignore()
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(50, 50), action, mime, left, none))
    return enter.isAccepted()


def test_a_dropped_calendar_file_is_previewed(qtbot: QtBot, tmp_path: Path) -> None:
    path = calendar_file(tmp_path, "Fair", "Concert")
    picture = tmp_path / "picture.png"

    async def story() -> None:
        async with opened(qtbot) as (window, home):
            assert not drop(window, picture)
            assert drop(window, path)
            page = window.files
            await until(page.add_button.isEnabled, "the file isn't read")
            assert titles(page.list) == ["Fair", "Concert"]
            assert page.summary.text().startswith("2 new entries")
            assert await home.appointments.appointments() == []
            QTest.keyClick(window, Qt.Key.Key_Escape)
            assert window.current_tab == CALENDAR
            assert await home.appointments.appointments() == []

            assert drop(window, path)
            await until(page.add_button.isEnabled, "the file isn't read")
            assert window.focusWidget() is page.add_button
            QTest.keyClick(page.add_button, Qt.Key.Key_Space)
            await until(lambda: window.current_tab == CALENDAR, "it isn't added")
            assert len(await home.appointments.appointments()) == 2
            await until(window.undo.isVisible, "nothing is offered")
            window.undo.button.click()

            async def gone() -> bool:
                return await home.appointments.appointments() == []

            await settled(gone)

    asyncio.run(story())


def test_a_file_that_adds_nothing_has_a_reason(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "team.ics"
    path.write_text("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Fair\nEND:VEVENT\nEND:VCALENDAR\n")
    other = tmp_path / "page.ics"
    other.write_text("<html>")

    async def story() -> None:
        async with opened(qtbot) as (window, _home):
            page = window.files
            page.open_file(path)
            await until(lambda: page.list.count() > 0, "the file isn't read")
            assert page.add_button.isHidden()
            assert page.list.entries()[0].detail == "It has no readable date."
            assert window.current_tab == FILES
            page.open_file(other)
            await until(lambda: window.current_tab == CALENDAR, "it isn't refused")
            assert "page.ics" in window.undo.text.text()

    asyncio.run(story())


def test_the_calendar_is_exported_from_its_menu(qtbot: QtBot, tmp_path: Path) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            assert window.files.menu_button.isHidden()
            window.show_tab(CALENDAR)
            assert window.files.menu_button.isVisible()
            labels = [one.text() for one in window.files.menu.actions()]
            assert labels == ["Import calendar…", "Export calendar…"]
            meant = home.appointments.read(f"{NEXT_YEAR}-12-04 17:00")
            await home.appointments.add("Fair", "", meant, prompt="", zone="", maker=Maker.PERSON)
            window.files.export_to(tmp_path / "out.ics")
            await until(window.undo.isVisible, "it isn't said")
            assert "SUMMARY:Fair" in (tmp_path / "out.ics").read_text("utf-8")
            window.files.export_to(tmp_path / "none" / "out.ics")
            await until(
                lambda: "could not be written" in window.undo.text.text(), "the error isn't said"
            )

    asyncio.run(story())


async def does(
    home: House, app: str, action: str, actor: Actor, who: str = "", **params: object
) -> None:
    await home.apps.caller.run_action(actor, app, action, params, who)


async def undo_in(window: TodayWindow, tab: str, pane: ListPane, title: str) -> None:
    """Read in a tab which actor added an entry, and undo it there."""
    window.show_tab(tab)
    rows = pane.list
    await until(lambda: title in titles(rows), f"{title} isn't listed")
    await until(lambda: any(one.mark for one in rows.entries()), f"{title} has no mark")
    (entry,) = [one for one in rows.entries() if one.mark]
    assert entry.title == title and "Neo added this" in entry.accessible_text
    rows.select(entry.id)
    assert pane.mark.full_text().startswith("Neo added this · ") and pane.undo.isVisible()
    QTest.mouseClick(pane.undo, Qt.MouseButton.LeftButton)
    await until(lambda: title not in titles(rows), f"{title} isn't undone")


def test_each_tab_shows_what_the_companion_did_and_undoes_it(qtbot: QtBot) -> None:
    day = (date.today() + timedelta(days=2)).isoformat()
    made = (
        ("todo", "add", {"text": "Milk", "due": "today"}),
        ("notes", "add", {"text": "Umbrella"}),
        ("timers", "set", {"minutes": 5, "label": "Tea"}),
        ("calendar", "add", {"title": "Dentist", "when": f"{day} 17:00"}),
    )

    async def story() -> None:
        async with opened(qtbot) as (window, home):
            await home.todos.add("My own")
            for app, action, params in made:
                await does(home, app, action, Actor.COMPANION, **params)
            window.calendar.show_view("list")
            panes: list[tuple[str, ListPane, str]] = [
                (TODOS, window.todos.pane, "Milk"),
                (NOTES, window.notes.pane, "Umbrella"),
                (TIMERS, window.timers.pane, "Tea"),
                (CALENDAR, window.calendar.list_pane, "Dentist"),
            ]
            for tab, pane, title in panes:
                await undo_in(window, tab, pane, title)
            assert [one.text for one in await home.todos.todos()] == ["My own"]

    asyncio.run(story())


def test_the_overview_marks_changes_of_another_program(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            await does(home, "todo", "add", Actor.PROGRAM, "Mail", text="Answer Ana", due="today")
            rows = window.overview.list
            await until(lambda: titles(rows) == ["Answer Ana"], "it isn't listed")
            await until(lambda: bool(rows.entries()[0].mark), "it has no mark")
            assert rows.entries()[0].mark.startswith("Mail added this")
            await does(home, "todo", "done", Actor.COMPANION, id=1)
            window.show_tab(TODOS)
            done = window.todos.pane
            await until(lambda: "Neo ticked this" in done.list.entries()[0].mark, "it isn't said")
            # An entry that the user changed afterwards has no mark: undoing the earlier change
            # would lose theirs.
            await does(home, "todo", "edit", Actor.PERSON, id=1, text="Answer Ana today")
            await until(lambda: done.list.entries()[0].mark == "", "the mark stays")
            assert done.undo.isHidden()

    asyncio.run(story())


def test_the_model_can_be_kept_from_changing_a_list(qtbot: QtBot, tmp_path: Path) -> None:
    settings = SettingsStore(tmp_path / "settings.json", environ={})

    async def story() -> None:
        enabled = lambda spec: settings.settings.mode.tool_rules.get(spec.id, ToolRule()).on  # noqa: E731
        async with house(enabled=enabled) as home, shown(qtbot, home, settings) as window:
            todo = home.apps.host.app("todo")
            window.show_tab(TODOS)
            window.foot.click()
            window.sharing.changes.click()
            assert home.apps.host.offered(todo) == []
            await does(home, "todo", "add", Actor.PERSON, text="I still can")
            window.sharing.changes.click()
            assert "add" in home.apps.host.offered(todo)

    asyncio.run(story())


def test_an_empty_day_shows_the_sleeping_figure_and_what_to_do(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            pane = window.overview
            assert pane.empty.text() == ("Nothing due today\nWrite “tea 5 min” below, or tell Neo.")
            assert pane.empty_picture.isHidden()
            picture = QPixmap(str(assets_dir() / "companion" / "asleep.webp"))
            assert not picture.isNull()
            pane.set_empty_picture(picture)
            assert pane.empty_picture.isVisible()
            assert pane.empty_picture.geometry().bottom() < pane.empty.geometry().top()
            pane.empty_button.click()
            assert window.quick.field.hasFocus()
            window.resize(384, 420)
            assert pane.empty_picture.isHidden() is (pane.height() < 336)
            await home.timers.add(home.timers.now() + 600, "Tea")
            await until(lambda: "Tea" in titles(pane.list), "it isn't listed")
            assert pane.empty_picture.isHidden()

    asyncio.run(story())


def test_recent_timers_are_set_again_with_one_click(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            window.show_tab(TIMERS)
            again, now = window.timers.again, home.timers.now
            assert again.isHidden()
            for label, seconds in (("Tea", 300), ("", 4_500), ("Eggs & ham", 480)):
                timer = await home.timers.add(now() + seconds, label)
                await home.timers.cancel(timer.id)
            await home.timers.add(now() + 1_234, "no whole minutes")
            await until(lambda: again.isVisible(), "they aren't offered")
            shown = [button for button in again.buttons if button.isVisible()]
            words = [button.text() for button in shown]
            assert words[:2] == ["Eggs && ham 8 min", "1 h 15 min"]
            assert shown[0].accessibleName() == "Set again: Eggs & ham 8 min"
            room = again.width()
            await until(lambda: all(one.geometry().right() <= room for one in shown), "too wide")
            shown[0].click()
            rows = window.timers.pane.list
            await until(lambda: "Eggs & ham" in titles(rows), "it isn't set")
            assert again.buttons[0].text() == "1 h 15 min"
            window.undo.button.click()
            await until(lambda: "Eggs & ham" not in titles(rows), "it isn't undone")

    asyncio.run(story())


@pytest.mark.parametrize("width", [384, 900])
def test_a_note_is_beside_the_list_where_there_is_room(qtbot: QtBot, width: int) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            window.resize(width, 676)
            window.show_tab(NOTES)
            await home.notes.add("Umbrella is in the car\nblue", ["home"])
            pane, view = window.notes.pane, window.notes.view
            await until(lambda: pane.list.count() == 1, "it isn't listed")
            pane.list.setCurrentRow(0)
            assert pane.has_two_panes is (width > 720) is view.isVisible()
            assert view.text.toPlainText() == "Umbrella is in the car\nblue"
            assert view.detail.text().endswith("#home")
            pane.list.opened.emit(pane.list.current_id())
            form = window.notes.form
            assert form.isVisible() and pane.is_editing()
            assert pane.list.isVisible() is (width > 720)
            window.resize(1284 - width, 676)
            assert form.isVisible() and pane.is_editing(), "an open form survives the change"
            assert pane.has_two_panes is (width < 720)
            QTest.keyClick(window, Qt.Key.Key_Escape)
            assert not form.isVisible() and not pane.is_editing()
            assert pane.list.isVisible() and view.isVisible() is (width < 720)

    asyncio.run(story())


@pytest.mark.parametrize("text_size", [14, 28])
@pytest.mark.parametrize("height", [56, 70, 300])
def test_the_time_that_is_left_stays_inside_its_ring(
    qtbot: QtBot, text_size: int, height: int
) -> None:
    theme = LIGHT.sized(text_size)
    card = NextTimer(theme)
    qtbot.addWidget(card)
    card.show_timer(Timer("t1", 900.0, "tea", 0.0), 0.0)
    ring = card.findChild(QWidget, "ring")
    assert ring is not None
    ring.setParent(None)
    qtbot.addWidget(ring)
    ring.resize(400, height)
    shown = ring.grab().toImage()
    ratio, left = shown.devicePixelRatio(), (400 - height) // 2 - 1
    outside = [shown.pixel(x, y) for x in range(int(left * ratio)) for y in range(shown.height())]
    assert set(outside) == {shown.pixel(0, 0)}


def test_the_next_timer_is_paused_extended_and_stopped(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            window.show_tab(TIMERS)
            card, rows = window.timers.next, window.timers.pane.list
            assert card.isHidden()
            now = home.timers.now()
            await home.timers.add(now + 600, "Tea")
            await home.timers.add(now + 3_000, "Laundry")
            await until(lambda: len(titles(rows)) == 2, "they aren't listed")
            assert card.isVisible() and card.title.text() == "Tea"
            pause, extend, stop = card.buttons.values()
            QTest.mouseClick(pause, Qt.MouseButton.LeftButton)
            await until(lambda: titles(rows) == ["Laundry", "Tea"], "it isn't paused")
            assert card.title.text() == "Laundry", "the next one that runs"
            rows.select("t1")
            assert rows.entries()[1].detail == "paused"
            QTest.keyClick(rows, Qt.Key.Key_Space)
            await until(lambda: titles(rows) == ["Tea", "Laundry"], "it isn't resumed")
            (before, _) = await home.timers.timers()
            QTest.mouseClick(extend, Qt.MouseButton.LeftButton)

            async def longer() -> bool:
                return (await home.timers.timers())[0].due == before.due + 300

            await settled(longer)
            await until(lambda: stop.isEnabled(), "it can't be stopped")
            QTest.mouseClick(stop, Qt.MouseButton.LeftButton)
            await until(lambda: titles(rows) == ["Laundry"], "it isn't stopped")
            window.undo.button.click()
            await until(lambda: titles(rows) == ["Tea", "Laundry"], "it isn't restored")

    asyncio.run(story())


def test_a_timer_that_rings_or_repeats_has_other_buttons(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            window.show_tab(TIMERS)
            card, rows = window.timers.next, window.timers.pane.list
            now = home.timers.now()
            await home.timers.add(now - 5, "Tea")
            await until(lambda: titles(rows) == ["Tea"], "it isn't listed")
            done, extend, _stop = card.buttons.values()
            assert (done.text(), extend.text()) == ("Done", "+5 min")
            done.click()
            await until(card.isHidden, "it rings on")
            await home.timers.add(now + 60, "Stand up", Repeat.DAILY)
            await until(lambda: titles(rows) == ["Stand up"], "it isn't listed")
            assert done.isHidden() and extend.isHidden()
            assert not window.timers.pane.actions_of["pause"].isEnabled()
            assert "Every day" in card.detail.text()

    asyncio.run(story())


def test_a_ticked_todo_is_struck_through_before_it_disappears(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, home):
            await home.todos.add("Buy milk", due=Due(date.today()))
            await home.todos.add("Pay the rent", due=Due(date.today()))
            rows = window.overview.list
            await until(lambda: len(titles(rows)) == 2, "they aren't listed")
            rows.select("todo 1")
            QTest.keyClick(rows, Qt.Key.Key_Space)
            await until(lambda: rows.entries()[0].checked is True, "it isn't struck")
            assert len(titles(rows)) == 2, "it disappeared at once"
            await until(lambda: titles(rows) == ["Pay the rent"], "it stays")
            # Ctrl+Z undoes it, even if the offer was hidden meanwhile
            assert window.undo.hides.interval() == 8_000
            window.undo.hides.timeout.emit()
            assert window.undo.isHidden()
            rows.setFocus()
            QTest.keyClick(rows, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: len(titles(rows)) == 2, "it isn't undone")

    asyncio.run(story())


def test_tab_changes_the_kind_and_leaves_an_empty_field(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, _home):
            quick = window.quick
            quick.field.setFocus()
            QTest.keyClicks(quick.field, "tea 5 min")
            await until(lambda: "Timer" in quick.field.accessibleDescription(), "not understood")
            QTest.keyClick(quick.field, Qt.Key.Key_Tab)
            await until(
                lambda: "Timer" not in quick.field.accessibleDescription(), "the kind stays"
            )
            assert window.focusWidget() is quick.field
            quick.field.clear()
            QTest.keyClick(quick.field, Qt.Key.Key_Tab)
            assert window.focusWidget() is not quick.field

    asyncio.run(story())


def test_the_focus_goes_to_the_page_of_a_chosen_tab(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, _home):
            window.overview.list.setFocus()
            window.show_tab(CALENDAR)
            assert window.focusWidget() is window.calendar.month
            window.calendar.show_view("list")
            window.show_tab(TODOS)
            window.show_tab(CALENDAR)
            assert window.calendar.list_pane.isAncestorOf(window.focusWidget())
            window.quick.field.setFocus()
            window.show_tab(TODOS)
            assert window.focusWidget() is window.quick.field, "a text is being entered"

    asyncio.run(story())


def test_the_sections_of_today_are_in_order_and_never_empty() -> None:
    now = dt.datetime.combine(FRIDAY, dt.time(15)).timestamp()
    timers = [
        Timer("t1", now - 5, "Tea", now - 300),
        Timer("t2", now + 900, "Eggs", now),
        Timer("t3", now, "Rice", now - 60, remaining=90.0),
    ]
    tomorrow = FRIDAY + timedelta(days=1)
    todos = [
        Todo(1, "Buy milk", now, due=Due(FRIDAY)),
        Todo(2, "Send the invoice", now, due=Due(FRIDAY - timedelta(days=1))),
        Todo(3, "Just ticked", now, done=now - 1, due=Due(FRIDAY)),
        Todo(4, "Ticked earlier", now, done=now - 2, due=Due(FRIDAY)),
        *(Todo(10 + number, f"Later {number}", now, due=Due(tomorrow)) for number in range(5)),
    ]
    coming = {
        FRIDAY: [
            DayItem("1", 15 * 60 - 1, DayLine("Over"), ""),
            DayItem("2", 15 * 60, DayLine("Dentist"), ""),
        ],
        tomorrow: [DayItem("3", 0, DayLine("Bakery"), "")],
    }
    shown = overview_entries(coming, todos, timers, now)
    assert [one.title for one in shown] == [
        *("Rings now", "Tea"),
        *("Late", "Send the invoice"),
        *("Next", "Dentist"),
        *("Timers", "Eggs", "Rice"),
        *("To do", "Buy milk", "Just ticked"),
        *("Tomorrow", "Bakery", "Later 0", "Later 1"),
    ]
    rings = {one.title: one.ring for one in shown if one.ring is not None}
    assert {one.side for one in rings.values()} == {44}
    assert (rings["Tea"].text, rings["Eggs"].text, rings["Rice"].text) == ("0:00", "15m", "1:30")
    assert overview_entries({}, [], [], now) == []


@pytest.mark.parametrize("width", [384, 720, 960])
def test_the_cells_of_the_month_are_large_enough(qtbot: QtBot, width: int) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, _home):
            window.resize(width, 676)
            window.show_tab(CALENDAR)
            month, day = window.calendar.month, window.calendar.day_pane
            await until(lambda: month.isVisible() and month.width() > 200, "it isn't shown")
            wide = width >= 720
            assert month.shows_words() is wide
            cell = month.visualItemRect(month.item(0, 0))
            assert cell.height() >= (56 if wide else 40)
            assert cell.width() >= (76 if wide else 0)
            assert day.isVisible()
            beside = day.x() > month.geometry().right()
            assert beside is wide, "the day is below the month in a narrow window"

    asyncio.run(story())


def test_an_empty_day_has_a_button_for_a_new_appointment(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, _home):
            window.resize(960, 676)
            window.show_tab(CALENDAR)
            calendar, day = window.calendar, date.today() + timedelta(days=3)
            calendar.month.go_to(day)
            button = calendar.day_pane.empty_button
            await until(button.isVisible, "it isn't shown")
            await until(lambda: fits(window), "it doesn't fit")
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
            assert calendar.form.when.text() == f"{day}"
            assert calendar.list_pane.is_editing()

    asyncio.run(story())


def test_a_timer_has_a_ring_for_the_remaining_time() -> None:
    timer = Timer("t1", due=200.0, label="Tea", set_at=100.0)
    shares = [timer.share_left(now) for now in (100.0, 150.0, 200.0, 300.0)]
    assert shares == [1.0, 0.5, 0.0, 0.0]
    assert Timer("t2", due=100.0, label="", set_at=100.0).share_left(100.0) == 0.0
    paused = replace(timer, remaining=25.0)
    assert paused.share_left(300.0) == 0.25 and not paused.rings(300.0)


@pytest.mark.parametrize(
    ("seconds", "long", "short"),
    [
        (0, "0:00", "0:00"),
        (242, "4:02", "4:02"),
        (2_890, "48:10", "48m"),
        (4_531, "1:15:31", "1h"),
        (200_000, "55:33:20", "2d"),
    ],
)
def test_the_remaining_time_in_a_ring(seconds: float, long: str, short: str) -> None:
    assert (format_countdown(seconds), format_countdown(seconds, short=True)) == (long, short)
