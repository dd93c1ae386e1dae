"""The window of timers and notes: the user and Neo's tools change the same data."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import date

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QWidget

from neodeskpet.core.schedule.due import Due
from neodeskpet.notebook.timers import Repeat
from neodeskpet.ui.notebook.today_window import NOTES, TIMERS, TodayWindow
from neodeskpet.ui.widgets.list_pane import ListPane
from tests.support.desk import DeskStory
from tests.support.notebook import noted
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


def open_window(person: DeskStory, tab: str = TIMERS) -> TodayWindow:
    """By the menu of the chat, which has the companion's rows too."""
    rows = person.desk.chat.window.header.menu.actions()
    (row,) = (action for action in rows if action.objectName() == "today")
    row.trigger()
    window = person.desk.side_windows.today
    assert window.isVisible()
    person.click(window.tab_buttons[tab])
    return window


def lines(pane: ListPane) -> list[str]:
    """The rows as a screen reader reads them; the sentence if there are none."""
    if not pane.empty.isHidden():
        return [pane.empty.text()]
    role = Qt.ItemDataRole.AccessibleTextRole
    rows = [pane.list.item(row) for row in range(pane.list.count())]
    return [str(row.data(role)) for row in rows if row.flags() != Qt.ItemFlag.NoItemFlags]


async def shows(person: DeskStory, pane: ListPane, *starts: str) -> list[str]:
    """Wait until the rows begin like this."""

    def there() -> bool:
        found = lines(pane)
        pairs = zip(found, starts, strict=False)
        return len(found) == len(starts) and all(line.startswith(said) for line, said in pairs)

    await person.until(there, f"{lines(pane)} isn't {starts}")
    return lines(pane)


def press(person: DeskStory, name: str, within: QWidget) -> None:
    person.click(person.button(name, within))


def write(field: QWidget, words: str) -> None:
    """Replace the text of the field, as an input method commits it."""
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    event = QInputMethodEvent()
    event.setCommitString(words)
    QApplication.sendEvent(field, event)


def test_a_timer_is_set_changed_snoozed_and_cancelled(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        window = open_window(person)
        pane, form = window.timers.pane, window.timers.form
        await shows(person, pane, "No timers.")
        press(person, "Add: Timers", pane)
        write(form.label, "Water the plants")
        write(form.when, "soonish")
        QTest.keyClick(form.when, Qt.Key.Key_Return)
        assert "not a future time" in form.sheet.error_label.text()
        write(form.when, "25 min")
        QTest.keyClick(form.when, Qt.Key.Key_Return)
        (line,) = await shows(person, pane, "Water the plants, ")
        assert "in 24 min" in line or "in 25 min" in line
        (timer,) = await person.desk.engine.notebook.timers.timers()

        await person.until(lambda: not pane.is_editing(), "the form stays")
        QTest.keyClick(pane.list, Qt.Key.Key_Return)
        write(form.label, "Feed the cat")
        form.repeat.set_value("daily")
        press(person, "Save", form)
        (line,) = await shows(person, pane, "Feed the cat, ")
        assert "Every day" in line
        (changed,) = await person.desk.engine.notebook.timers.timers()
        assert (changed.id, changed.due, changed.repeat) == (timer.id, timer.due, Repeat.DAILY)

        await person.until(lambda: not pane.is_editing(), "the form stays")
        press(person, "5 minutes later", pane)
        await person.until(lambda: "in 29 min" in lines(pane)[0], lines(pane)[0])
        QTest.keyClick(pane.list, Qt.Key.Key_Delete)
        await shows(person, pane, "No timers.")
        assert "“Feed the cat” was cancelled." in window.undo.text.text()
        press(person, "Undo", window.undo)
        await shows(person, pane, "Feed the cat, ")
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert not window.isVisible()

    desk_story(story)


def test_a_ringing_timer_can_be_answered_there(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        window, bubble = open_window(person), person.desk.companion.bubble
        await person.desk.engine.notebook.timers.add(time.time(), "Tea")
        await person.desk.engine.notebook.timers.add(time.time() + 3000, "Later")
        pane = window.timers.pane
        (line, _) = await shows(person, pane, "Tea, ", "Later, ")
        assert line.endswith("rings")
        await person.until(lambda: bubble.choices, "it doesn't ring")
        pane.list.setCurrentRow(1)
        assert not pane.actions_of["done"].isEnabled()
        pane.list.setCurrentRow(0)
        person.click(pane.actions_of["done"])
        await shows(person, pane, "Later, ")
        await person.until(lambda: not bubble.choices, "it rings on")
        await person.desk.engine.notebook.timers.add(time.time(), "Soup")
        await shows(person, pane, "Soup, ", "Later, ")
        await person.until(lambda: bubble.choices, "it doesn't ring")
        buttons = [b for b in bubble.findChildren(QPushButton) if b.text() == "Dismiss"]
        person.click(buttons[0])
        await shows(person, pane, "Later, ")

    desk_story(story)


def test_notes_are_written_found_pinned_and_restored(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        window, home = open_window(person, NOTES), person.desk.engine.storage.home
        pane, form = window.notes.pane, window.notes.form
        await shows(person, pane, "No notes.")
        for words, tags in (("Milk and bread", "todo，shop"), ("伞放在玄关", "")):
            press(person, "Add: Notes", pane)
            assert form.text.hasFocus() or not window.isActiveWindow()
            write(form.text, words)
            write(form.tags, tags)
            press(person, "Save", form)
            await person.until(lambda: not pane.is_editing(), "the form stays")
        found = await shows(person, pane, "伞放在玄关, ", "Milk and bread, ")
        assert found[1].endswith("#todo #shop")
        QTest.keyClicks(pane.search, "SHOP milk")
        await shows(person, pane, "Milk and bread, ")
        QTest.keyClicks(pane.search, "x")
        await shows(person, pane, "No note contains these words.")
        QTest.keyClick(window, Qt.Key.Key_Escape)
        await shows(person, pane, "伞放在玄关, ", "Milk and bread, ")

        pane.list.setCurrentRow(1)
        press(person, "Pin", pane)
        await shows(person, pane, "Milk and bread, ", "伞放在玄关, ")
        person.button("Unpin", pane)
        press(person, "Edit", pane)
        write(form.text, " ")
        press(person, "Save", form)
        assert "Enter a text" in form.sheet.error_label.text()
        write(form.text, "Oat milk")
        QTest.keyClick(form.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await shows(person, pane, "Oat milk, ", "伞放在玄关, ")
        await person.until(lambda: not pane.is_editing(), "the form stays")
        QTest.keyClick(pane.list, Qt.Key.Key_Delete)
        await shows(person, pane, "伞放在玄关, ")
        assert noted(home) == ["伞放在玄关"]
        press(person, "Undo", window.undo)
        await shows(person, pane, "Oat milk, ", "伞放在玄关, ")

    desk_story(story)


def test_a_note_of_neo_is_there_at_once(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        window = open_window(person)
        await shows(person, window.notes.pane, "No notes.")
        calls = calling("native", ("note.add", {"text": "milk"}), ("timer.set", {"minutes": 90}))
        server.reply(*calls, *end("tool_calls"))
        server.reply(text("Done."), *end())
        person.type("note milk, and set a timer")
        await shows(person, window.notes.pane, "milk, ")
        await shows(person, window.timers.pane, "Timer, ")
        await person.idle()
        server.reply(*calling("native", ("timer.cancel", {"id": "t1"})), *end("tool_calls"))
        server.reply(text("Gone."), *end())
        person.type("no timer")
        await shows(person, window.timers.pane, "No timers.")
        await person.idle()

    desk_story(story, server.url)


def test_everything_fits_and_has_a_name(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        window, settings = open_window(person), person.desk.engine.settings
        await person.desk.engine.notebook.notes.add("Milk")
        await shows(person, window.notes.pane, "Milk, ")
        for language in ("en", "zh_CN"):
            settings.change("appearance", "language", language)
            for size in (14, 27):
                settings.change("appearance", "font_size", size)
                window.resize(320, 520)
                await asyncio.sleep(0)
                await person.until(
                    lambda: window.minimumSizeHint().width() <= 320,
                    f"{language}, {size} px: {window.minimumSizeHint().width()} px wide",
                )
                assert window.width() == 320
        for tab, button in window.tab_buttons.items():
            person.click(button)
            assert window.current_tab == tab
            for part in window.findChildren(QAbstractButton):
                if part.isVisible():
                    assert part.accessibleName() or part.text(), part
        assert window.windowTitle() == "计时器 – 尼奥"
        settings.change("appearance", "language", "en")

    desk_story(story)


def test_a_sign_beside_the_figure_shows_that_something_is_due(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        sign = desk.due_sign.sign.window
        todos = desk.engine.notebook.todos
        await todos.add("Some day")
        await todos.add("Buy milk", due=Due(date.today()))
        await person.until(sign.isVisible, "no sign of what is due")
        assert sign.accessibleName() == "1 due"
        assert desk.companion.pet.placement.figure_rect().intersects(sign.geometry())
        desk.companion.pet.hide()
        assert not sign.isVisible()
        desk.companion.pet.show()
        await person.until(sign.isVisible, "it isn't back with the figure")
        person.click(sign)
        assert desk.side_windows.today.isVisible()
        assert not sign.isVisible(), "the user has seen it"
        await todos.add("Pay the rent", due=Due(date.today()))
        await person.until(sign.isVisible, "another entry is due")
        for one in await todos.todos():
            await todos.set_done(one.id, done=True)
        await person.until(lambda: not sign.isVisible(), "nothing is due")

    desk_story(story, pet=True)
