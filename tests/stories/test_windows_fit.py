"""Every window in both languages, at its least size and at its usual one: no text is cut, nothing
overlaps, nothing is outside, and no list has to be scrolled sideways.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from neodeskpet.app.memory_adapter import MemoryAdapter
from neodeskpet.core.schedule.due import Due
from neodeskpet.tools.apps.window_log import Actor
from neodeskpet.ui.first_steps import Step
from neodeskpet.ui.notebook.today_window import HISTORY, TABS, TODOS
from neodeskpet.ui.windows.window_geometry import WIDE_COLUMN_WIDTH
from tests.support.desk import DeskStory
from tests.support.fit import faults_of, too_wide

Play = Callable[..., None]
LAYOUT_TIMEOUT = 2.0
"""Seconds until a window is laid out."""


async def settled_faults(person: DeskStory, window: QWidget) -> list[str]:
    """The faults of a window at its present size, once it is laid out."""
    with suppress(TimeoutError):
        await person.until(lambda: not faults_of(window), timeout=LAYOUT_TIMEOUT)
        return []
    return faults_of(window)


async def check(person: DeskStory, name: str, window: QWidget, usual: QSize) -> list[str]:
    """The faults of a window at both sizes."""
    found = []
    for size in (window.minimumSize(), usual):
        window.resize(size)
        faults = await settled_faults(person, window)
        found += [f"{name} {size.toTuple()}: {fault}" for fault in faults]
    return found


async def fill(person: DeskStory) -> None:
    """Entries in every list of the notebook, a fact, and a conversation with a tool call."""
    book = person.desk.engine.notebook
    long_text = (
        "A long entry whose text needs far more room than any line of a list has, 很长的文字"
    )
    await book.notes.add(long_text, ["tag"])
    await book.todos.add(long_text, due=Due(date.today() - timedelta(days=1)))
    await book.todos.add("short")
    await book.timers.add(book.timers.now() + 900, long_text)
    recent = await book.timers.add(book.timers.now() + 300, long_text)
    await book.timers.cancel(recent.id)
    apps = person.desk.engine.tools.apps
    today = {"text": long_text, "due": f"{date.today()}"}
    await apps.caller.run_action(Actor.COMPANION, "todo", "add", today)
    await MemoryAdapter(person.desk.engine).add(long_text)
    person.type("6*7?")
    await person.idle()


@pytest.mark.timeout(240)
@pytest.mark.parametrize("text_size", [14, 28])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_window_shows_its_texts_completely(
    desk_story: Play, language: str, text_size: int
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        faults = await check(person, "welcome", desk.chat.window, QSize(560, 760))
        await fill(person)
        faults += await check(person, "chat", desk.chat.window, QSize(560, 760))
        reply = await person.reply()
        desk.chat.window.hide()
        desk.side_windows.inspector.inspect(reply.id)
        desk.side_windows.reply_reasons.show_reasons(reply.id)
        # The settings have a test of their own, and the summary needs a long conversation.
        for entry in desk.windows:
            if entry.key in ("chat", "settings", "today"):
                continue
            window = desk.windows[entry.key]
            usual = window.size()
            desk.windows.present(entry.key)
            await person.until(window.isVisible, entry.key)
            await asyncio.sleep(0.1)
            faults += await check(person, entry.key, window, usual)
            window.hide()
        today = desk.side_windows.today
        today.resize(today.minimumSize())
        desk.windows.present("today")
        for tab in (*(key for key, _title, _icon in TABS), HISTORY):
            today.show_tab(tab)
            await asyncio.sleep(0.1)
            faults += await check(person, f"today {tab}", today, QSize(384, 676))
            today.resize(320, 420)
            if today.width() != 320:
                faults.append(f"today {tab} is {today.width()} px wide")
            faults += await check(person, f"wide today {tab}", today, QSize(900, 640))
        today.show_tab(TODOS)
        person.click(today.foot)
        faults += await check(person, "the switches of a list", today, QSize(384, 676))
        today.hide()
        assert not faults, "\n".join(faults)

    appearance = {"language": language, "reduced_motion": True, "font_size": text_size}
    desk_story(story, mode=None, settings={"appearance": appearance}, limit=220)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_what_opens_over_a_window_fits_in_large_text(desk_story: Play, language: str) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        window = desk.chat.window
        window.resize(320, 560)
        person.press(Qt.Key.Key_Escape)
        palette, picker = desk.command_palette.palette, window.header.picker
        faults = []
        QTest.keyClick(window.composer.field, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
        await person.until(palette.isVisible, "no palette")
        faults += await settled_faults(person, palette)
        palette.hide()
        person.click(window.header.model_button)
        await person.until(picker.isVisible, "no list of models")
        faults += await settled_faults(person, picker)
        picker.hide()
        QTest.keyClick(window.composer.field, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        await person.until(window.find_bar.isVisible, "no find bar")
        faults += await check(person, "find", window, QSize(560, 760))
        assert not faults, "\n".join(faults)

    desk_story(story, mode=None, settings=large_text(language))


@pytest.mark.timeout(240)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_first_steps_fit_in_large_text(desk_story: Play, language: str) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.chat.window.hide()
        await desk.wait_for_figure()
        await desk.welcome.greet()
        steps = desk.first_run.steps
        assert steps is not None
        bubble, faults = steps.bubble, []
        for step in (Step.LANGUAGE, Step.NAME, Step.SERVICE, Step.TRY):
            await person.until(lambda step=step: bubble.step is step, f"no step {step}")
            faults += [f"{step}: {fault}" for fault in await settled_faults(person, bubble)]
            room = bubble.screen().availableGeometry()
            if not room.contains(bubble.frameGeometry()):
                faults.append(f"{step} is out of the screen: {bubble.frameGeometry()}")
            QTest.keyClick(bubble, Qt.Key.Key_Escape)
        assert not faults, "\n".join(faults)

    desk_story(story, pet=True, settings=large_text(language))


@pytest.mark.timeout(240)
def test_no_field_or_line_of_text_crosses_a_wide_window(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await fill(person)
        wide = desk.chat.window.screen().availableGeometry().size()
        faults: list[str] = []

        async def note(name: str, window: QWidget) -> None:
            window.resize(wide)
            await person.until(lambda: window.width() > WIDE_COLUMN_WIDTH, name)
            with suppress(TimeoutError):
                await person.until(
                    lambda: not too_wide(window, WIDE_COLUMN_WIDTH), timeout=LAYOUT_TIMEOUT
                )
            faults.extend(f"{name}: {one}" for one in too_wide(window, WIDE_COLUMN_WIDTH))

        await note("chat", desk.chat.window)
        for entry in desk.windows:
            window = desk.windows[entry.key]
            desk.windows.present(entry.key)
            await person.until(window.isVisible, entry.key)
            await note(entry.key, window)
            if entry.key == "today":
                for tab in (*(key for key, _title, _icon in TABS), HISTORY):
                    desk.side_windows.today.show_tab(tab)
                    await note(f"today {tab}", window)
            window.hide()
        assert not faults, "\n".join(faults)

    desk_story(story, mode=None, limit=220)


def large_text(language: str) -> dict[str, dict[str, object]]:
    return {"appearance": {"language": language, "reduced_motion": True, "font_size": 28}}
