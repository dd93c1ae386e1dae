"""Frequent first tasks of new users take at most four clicks, or only the keyboard.

The count begins with the figure on the desktop. Words that are typed or pasted are no clicks.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from neodeskpet.core.grant_scope import Grant
from neodeskpet.ui.notebook.today_window import CALENDAR, TODOS
from neodeskpet.ui.settings.field_controls import SwitchControl
from neodeskpet.ui.settings.proactive_page import ProactivePage
from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.settings.tool_rows import GrantRow
from neodeskpet.ui.windows.character_gallery import CharacterGallery
from tests.support.desk import DeskStory
from tests.support.hand import CONTROL, Hand
from tests.support.replies import calling, end
from tests.support.sseserver import Reply, Request, ScriptedServer, text

Play = Callable[..., None]
Task = Callable[[Hand, ScriptedServer], Awaitable[None]]
MOST_CLICKS = 4
QUESTION = "Delete the note “PIN of the bike lock”?"
SLOW = 60.0
"""Seconds that a figure may take where the processor draws several."""


@pytest.fixture(params=["mouse", "keyboard"])
def keyboard(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "keyboard")


@pytest.fixture
def service() -> Iterator[ScriptedServer]:
    """A service that isn't connected yet."""

    def answer(_request: Request) -> Reply:
        return Reply([text("one "), text("two"), *end()])

    with ScriptedServer() as running:
        running.fallback = answer
        running.pages["/v1/models"] = {"data": [{"id": "a-model"}]}
        yield running


async def connect_a_service(hand: Hand, service: ScriptedServer) -> None:
    desk, until = hand.person.desk, hand.person.until
    window = await hand.open_settings()
    assert window.group().name == "models"  # nothing answers yet
    page = window.pages["service"]
    assert isinstance(page, ServicesPage)
    await hand.press(page.add.button)
    await until(page.add.menu.isVisible, "the menu didn't open")
    custom = next(one for one in page.add.menu.actions() if one.data() == "custom")
    await hand.choose_in(page.add.menu, custom.text())
    await until(page.add.address.isVisible, "no address is asked for")
    QTest.keyClicks(page.add.address, service.url)
    QTest.keyClick(page.add.address, Qt.Key.Key_Return)
    editor = page.services.editor
    assert editor is not None
    await until(lambda: editor.model.value() == "a-model", "no model was chosen")
    await until(lambda: editor.trial.text.text().startswith("Works"), "not tested")
    assert [one.id for one in desk.chat.catalogue.catalog.models] == ["a-model"]


async def make_the_figure_calmer(hand: Hand, _service: ScriptedServer) -> None:
    window = await hand.open_settings()
    page = window.pages["initiative"]
    assert isinstance(page, ProactivePage)
    if hand.keyboard:
        await hand.search(window, "liveliness")
    else:
        await hand.open_group(window, "you")
    await hand.press(page.liveliness.choice.button("calm"))
    assert not hand.person.desk.engine.settings.settings.companion.welcome_back


async def find_the_web_search(hand: Hand, _service: ScriptedServer) -> None:
    window = await hand.open_settings()
    await hand.search(window, "web search")
    row = window.pages["web"].fields["search"]
    await hand.person.until(row.isVisible, "it isn't found")
    assert not window.pages["appearance"].isVisible()
    window.search.clear()


async def write_down_a_todo_and_tick_it(hand: Hand, _service: ScriptedServer) -> None:
    desk, until = hand.person.desk, hand.person.until
    await hand.choose("Today…")
    today = desk.side_windows.today
    await until(today.isVisible, "it isn't shown")
    await hand.activate(today)
    field = today.quick.field
    assert today.focusWidget() is field
    QTest.keyClicks(field, "milk on Friday")
    QTest.keyClick(field, Qt.Key.Key_Return)
    rows = today.todos.pane.list
    await until(lambda: not field.text(), "it isn't written down")
    (todo,) = await desk.engine.notebook.todos.todos()
    assert todo.due is not None and todo.due.day.weekday() == 4
    if hand.keyboard:
        hand.key(field, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
        await until(lambda: rows.entries(), "it isn't listed")
        hand.key(field, Qt.Key.Key_Up)
        hand.key(rows, Qt.Key.Key_Space)
    else:
        hand.click(today.tab_buttons[TODOS])
        await until(lambda: rows.entries(), "it isn't listed")
        row = next(at for at in range(rows.count()) if rows.item(at).text() == "milk")
        line = rows.visualItemRect(rows.item(row))
        hand.click(rows.viewport(), QPoint(line.left() + rows.box_area // 2, line.center().y()))
    await until(lambda: rows.entries()[0].checked, "it isn't ticked")


async def see_next_week(hand: Hand, _service: ScriptedServer) -> None:
    today = hand.person.desk.side_windows.today
    await hand.choose("Today…")
    await hand.person.until(today.isVisible, "it isn't shown")
    await hand.activate(today)
    if hand.keyboard:
        hand.key(today, Qt.Key.Key_3, Qt.KeyboardModifier.AltModifier)
    else:
        hand.click(today.tab_buttons[CALENDAR])
    day = datetime.now().date() + timedelta(days=7)
    if today.calendar.month.last < day:  # on the last days of some months
        await hand.press(today.calendar.forth)
    assert today.calendar.month.first <= day <= today.calendar.month.last
    assert today.calendar.month.isVisible()


async def take_back_an_always(hand: Hand, _service: ScriptedServer) -> None:
    settings = hand.person.desk.engine.settings
    settings.change("mode", "always_allowed", (Grant("file.write"),))
    window = await hand.open_settings()
    await hand.open_group(window, "tools")
    page = window.pages["mode"]
    await hand.person.until(lambda: any(isinstance(row, GrantRow) for row in page.rows))
    (grant,) = (row for row in page.rows if isinstance(row, GrantRow))
    await hand.press(grant.button)
    assert settings.settings.mode.always_allowed == ()


async def change_the_character(hand: Hand, _service: ScriptedServer) -> None:
    desk, until = hand.person.desk, hand.person.until
    await hand.choose("More", "Characters and companions…")
    gallery = desk.windows["gallery"]
    assert isinstance(gallery, CharacterGallery)
    await until(lambda: len(gallery.tiles) == 10, "nobody is shown", SLOW)
    tile = gallery.tiles["ready mochi"]
    await hand.press(tile)
    await until(tile.isChecked, "it stays", SLOW)
    await desk.wait_for_figure()
    assert desk.companion.pet.title() == "Mochi"
    assert str(desk.engine.settings.value("companion", "model")).endswith("Mochi")
    assert desk.character_controller.character is not None
    gallery.tiles["neo"].click()
    await until(gallery.tiles["neo"].isChecked, "Neo doesn't come", SLOW)
    assert desk.engine.settings.value("companion", "model") == ""


async def find_out_what_is_known(hand: Hand, _service: ScriptedServer) -> None:
    await hand.choose("More", "What Neo knows about you…")
    await hand.person.until(hand.person.desk.side_windows.memory.isVisible, "it isn't shown")


async def switch_the_memory_off(hand: Hand, _service: ScriptedServer) -> None:
    window = await hand.open_settings()
    await hand.open_group(window, "memory")
    control = window.pages["memory"].fields["recall"].control
    assert isinstance(control, SwitchControl)
    await hand.press(control.switch)
    assert not hand.person.desk.engine.settings.settings.memory.recall


async def make_it_quiet_for_an_hour(hand: Hand, _service: ScriptedServer) -> None:
    desk = hand.person.desk
    await hand.choose("Quiet and position", "Quiet for an hour")
    assert desk.engine.settings.settings.companion.quiet
    assert desk.menu.quiet_mode.until is not None
    desk.engine.settings.change("companion", "quiet", False)


async def ask_to_delete(hand: Hand, service: ScriptedServer) -> None:
    """Let the model ask whether it may delete a note."""
    note = await hand.person.desk.engine.notebook.notes.add("PIN of the bike lock", [])
    service.reply(*calling("native", ("note.delete", {"id": note.id})), *end())
    service.reply(text("It is gone."), *end())
    hand.person.type("delete the note with the PIN")


async def assert_deleted(hand: Hand) -> None:
    person = hand.person
    await person.until(lambda: "It is gone." in person.shown(), person.shown())
    await person.idle()
    assert list(await person.desk.engine.notebook.notes.search((), 10)) == []


async def delete_a_note_through_the_model(hand: Hand, service: ScriptedServer) -> None:
    """One sentence, and the answer to the question."""
    person = hand.person
    window = person.desk.chat.window
    window.present()
    await ask_to_delete(hand, service)
    await person.until(lambda: QUESTION in person.shown(), person.shown())
    field = window.composer.field
    if hand.keyboard:
        hand.key(field, Qt.Key.Key_J, CONTROL)
        QTest.keyClick(person.desk.chat.view, Qt.Key.Key_Escape)  # it leaves the question open
        assert QUESTION in person.shown()
        hand.key(field, Qt.Key.Key_Return, CONTROL)
    else:
        hand.presses += 1
        person.press_in_message("Delete")
    await assert_deleted(hand)


async def answer_from_the_bubble(hand: Hand, service: ScriptedServer) -> None:
    person = hand.person
    bubble, window = person.desk.companion.bubble, person.desk.chat.window
    await ask_to_delete(hand, service)
    window.hide()
    answers = ["Delete", "Keep it", "Chat"]
    await person.until(lambda: bubble.choices == answers, "the bubble doesn't ask")
    if hand.keyboard:
        field = await hand.open_line()
        hand.key(field, Qt.Key.Key_A, CONTROL | Qt.KeyboardModifier.ShiftModifier)
        harmless, deleting = (person.button(name, bubble) for name in ("Keep it", "Delete"))
        await person.until(harmless.hasFocus, "the bubble took no focus")
        hand.key(harmless, Qt.Key.Key_Backtab)
        assert deleting.hasFocus()
        hand.key(deleting, Qt.Key.Key_Return)
    else:
        hand.click(person.button("Delete", bubble))
    await assert_deleted(hand)
    assert bubble.choices == []


TASKS: dict[str, Task] = {
    "connect a service": connect_a_service,
    "make the figure calmer": make_the_figure_calmer,
    "find “web search”": find_the_web_search,
    "write down a to-do for Friday and tick it": write_down_a_todo_and_tick_it,
    "see next week's calendar": see_next_week,
    "delete a note through the model": delete_a_note_through_the_model,
    "answer a question from the bubble": answer_from_the_bubble,
    "take back an “always”": take_back_an_always,
    "change the character": change_the_character,
    "find out what Neo knows about you": find_out_what_is_known,
    "switch the memory off": switch_the_memory_off,
    "make it quiet for an hour": make_it_quiet_for_an_hour,
}


def test_what_users_want_first_takes_few_clicks(
    desk_story: Play, service: ScriptedServer, keyboard: bool
) -> None:
    """All in one app, one after the other, as a new user would."""
    counts: dict[str, int] = {}

    async def story(person: DeskStory) -> None:
        hand = Hand(person, keyboard=keyboard)
        for name, task in TASKS.items():
            await hand.begin()
            began = time.monotonic()
            await task(hand, service)
            took = time.monotonic() - began
            counts[name] = hand.presses
            print(f"{name}: {hand.presses} {'keys' if keyboard else 'clicks'}, {took:.1f} s")

    desk_story(story, pet=True, limit=240)
    assert len(counts) == 12
    if not keyboard:
        assert all(clicks <= MOST_CLICKS for clicks in counts.values()), counts
