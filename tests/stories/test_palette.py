"""Ctrl+K finds everything by its name, F1 shows all keys: by the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from neodeskpet.core.grant_scope import Grant
from neodeskpet.language import tr
from neodeskpet.ui.notebook.today_window import CALENDAR
from neodeskpet.ui.settings.field_controls import HotKeyControl
from neodeskpet.ui.settings.proactive_page import ProactivePage
from neodeskpet.ui.settings.tool_rows import GrantRow
from tests.support.desk import DeskStory
from tests.support.keyboard import ALT, CONTROL, Keyboard

Play = Callable[..., None]
CTRL = Qt.KeyboardModifier.ControlModifier


async def call(person: DeskStory, of: QWidget, typed: str) -> None:
    """Press Ctrl+K where the focus is, and type these letters."""
    palette = person.desk.command_palette.palette
    of.activateWindow()
    await person.until(of.isActiveWindow, "the window isn't active")
    QTest.keyClick(of.focusWidget() or of, Qt.Key.Key_K, CTRL)
    await person.until(palette.search.hasFocus, "the palette took no focus")
    palette.search.insert(typed)


def enter(person: DeskStory) -> None:
    QTest.keyClick(person.desk.command_palette.palette.search, Qt.Key.Key_Return)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_everything_by_its_name(desk_story: Play, language: str) -> None:
    chinese = language == "zh_CN"

    async def story(person: DeskStory) -> None:
        desk, palette = person.desk, person.desk.command_palette.palette
        window, field = desk.chat.window, desk.chat.window.composer.field
        cats = await desk.engine.storage.store.create_conversation(
            "我家的猫" if chinese else "Our cats"
        )
        field.insertPlainText("half a thought")
        field.moveCursor(field.textCursor().MoveOperation.Start)

        # A conversation, also by the first letters of its pinyin
        await call(person, window, "wjdm" if chinese else "our c")
        await person.until(lambda: cats.title in palette.line_texts())
        enter(person)
        assert not palette.isVisible()
        chat = desk.engine.chat
        await person.until(lambda: chat.conversation and chat.conversation.id == cats.id)

        # A setting, from there the palette again, and the recent choice comes first
        await call(person, window, "zh" if chinese else "text siz")
        assert palette.line_texts()[0] == tr("Text size")
        enter(person)
        slider = desk.side_windows.settings.pages["appearance"].fields["font_size"].control
        await person.until(
            lambda: slider.isAncestorOf(QApplication.focusWidget() or window), "no focus"
        )
        assert desk.side_windows.settings.section() == "appearance"
        await call(person, desk.side_windows.settings, "")
        assert palette.line_texts()[:2] == [tr("Text size"), cats.title]
        QTest.keyClick(palette.search, Qt.Key.Key_Down)
        current = palette.current()
        assert current is not None and current.title == cats.title
        QTest.keyClick(palette.search, Qt.Key.Key_Escape)
        assert not palette.isVisible()

        # A command of the companion's menu, and one of the chat
        await call(person, window, tr("Quiet for an hour"))
        enter(person)
        assert desk.engine.settings.settings.companion.quiet
        await call(person, window, tr("Show or hide the list of conversations"))
        shown = window.is_sidebar_visible()
        enter(person)
        assert window.is_sidebar_visible() is not shown

        # a tab of "Today", which the menu doesn't name
        await call(person, window, tr("Calendar"))
        enter(person)
        await person.until(desk.side_windows.today.isVisible, "it isn't shown")
        assert desk.side_windows.today.current_tab == CALENDAR
        desk.side_windows.today.close()

        # no entry has this name: the settings may have more words
        await call(person, window, "zzzzqqqq")
        line = tr("Search the settings for “{words}”", words="zzzzqqqq")
        assert (palette.line_texts(), palette.no_matches.isHidden()) == ([line], False)
        QTest.keyClick(palette.search, Qt.Key.Key_K, CTRL)
        assert not palette.isVisible()
        await call(person, window, "zzzzqqqq")
        enter(person)
        assert not palette.isVisible()
        await person.until(desk.side_windows.settings.isVisible)
        assert desk.side_windows.settings.search.text() == "zzzzqqqq"

        # a row of several settings
        await call(person, window, "文静" if chinese else "calm")
        await person.until(lambda: tr("Liveliness") in palette.line_texts())
        await call(person, window, tr("Liveliness"))
        enter(person)
        page = desk.side_windows.settings.pages["initiative"]
        assert isinstance(page, ProactivePage)
        await person.until(
            lambda: page.liveliness.choice.isAncestorOf(QApplication.focusWidget() or window),
            "it isn't focused",
        )

        # the first permission, by what is done with it
        desk.engine.settings.change("mode", "always_allowed", (Grant("file.write"),))
        for words in ("总是允许", "撤回", "收回") if chinese else ("allowed tools", "take back"):
            await call(person, window, words)
            assert palette.line_texts()[0] == tr("Always allowed")
            if words in ("收回", "take back"):
                enter(person)
            else:
                QTest.keyClick(palette.search, Qt.Key.Key_Escape)
        tools = desk.side_windows.settings.pages["mode"]
        await person.until(lambda: [row for row in tools.rows if isinstance(row, GrantRow)])
        (grant,) = (row for row in tools.rows if isinstance(row, GrantRow))
        await person.until(grant.button.hasFocus, "it isn't focused")
        QTest.keyClick(grant.button, Qt.Key.Key_Space)
        assert desk.engine.settings.settings.mode.always_allowed == ()

    desk_story(story, settings={"appearance": {"language": language, "reduced_motion": True}})


def test_rare_windows_are_created_when_needed(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        person.desk.show_chat()
        await person.until(person.desk.chat.window.isVisible)
        created = {type(widget).__name__ for widget in QApplication.allWidgets()}
        assert "ChatWindow" in created
        assert not created & {"FirstRunGuide", "ShortcutsWindow", "DatePopup"}

    settings = {
        "appearance": {"language": "en", "reduced_motion": True},
        "service": {"base_url": "http://127.0.0.1:9/v1", "model": "test-model"},
    }
    desk_story(story, settings=settings)


def test_all_keys_are_shown(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        page = desk.command_palette.shortcuts
        field = desk.chat.window.composer.field
        field.insertPlainText("not cut")
        desk.chat.window.activateWindow()
        await person.until(field.hasFocus, "the window isn't active")
        QTest.keyClick(field, Qt.Key.Key_F1)
        await person.until(page.search.hasFocus, "the page took no focus")
        rows = dict(page.rows())
        assert rows["New conversation"] == "Ctrl+N"
        assert rows["Keyboard shortcuts"] == "F1   Ctrl+/"
        assert rows["New"] == "Ctrl+N"
        every = [one for _, has in desk.command_palette.commands.shortcut_groups() for one in has]
        assert len(page.rows()) == len(every) > 20
        page.search.insert("ctrl+b")
        assert page.rows() == [("Show or hide the list of conversations", "Ctrl+B")]
        desk.engine.settings.change("appearance", "language", "zh_CN")
        assert page.rows() == [("显示或隐藏对话列表", "Ctrl+B")]
        QTest.keyClick(page.search, Qt.Key.Key_Escape)
        assert not page.isVisible()

        await call(person, desk.chat.window, "")
        assert field.text() == "not cut"

    desk_story(story)


@pytest.fixture
def keyboard(qapp: QApplication) -> Iterator[Keyboard]:
    try:
        made = Keyboard()
    except OSError:
        pytest.skip("no XTest")
    yield made
    made.close()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_hot_keys_are_set_used_and_removed(
    desk_story: Play, keyboard: Keyboard, language: str
) -> None:
    both = CTRL | Qt.KeyboardModifier.AltModifier

    async def story(person: DeskStory) -> None:
        desk = person.desk
        companion = desk.engine.settings.settings.companion
        assert companion.click_through
        desk.side_windows.settings.show_setting("keys", "show_chat")
        fields = desk.side_windows.settings.pages["keys"].fields
        for name, key in (("show_chat", "8"), ("toggle_pet", "8"), ("take_clicks", "9")):
            control = fields[name].control
            assert isinstance(control, HotKeyControl)
            QTest.keyClick(control.entry, key, both)
        wrong = [name for name, row in fields.items() if row.error_label.isVisible()]
        assert wrong == ["toggle_pet"]
        assert fields["toggle_pet"].error_label.text() == tr("Another program uses these keys.")
        desk.chat.window.close()
        desk.side_windows.settings.close()
        keyboard.press(CONTROL, ALT, ord("8"))
        await person.until(desk.chat.window.isVisible, "the chat didn't come")
        keyboard.press(CONTROL, ALT, ord("9"))
        await person.until(lambda: not desk.engine.settings.settings.companion.click_through)

        desk.side_windows.settings.show_setting("keys", "show_chat")
        control = fields["show_chat"].control
        assert isinstance(control, HotKeyControl)
        person.click(control.button)
        assert desk.engine.settings.value("keys", "show_chat") == ""
        assert not fields["toggle_pet"].error_label.isVisible()  # they are free for it now

    desk_story(
        story,
        settings={
            "appearance": {"language": language, "reduced_motion": True},
            "companion": {"click_through": True},
        },
    )


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_character_is_chosen_and_left_by_its_name(desk_story: Play, language: str) -> None:
    async def story(person: DeskStory) -> None:
        desk, palette = person.desk, person.desk.command_palette.palette
        desk.show_chat()
        made = await desk.characters.create()
        name = tr("Character: {name}", name=tr("New character"))
        own = tr("Character: the figure itself")
        for title, wanted in ((name, made), (own, "")):
            await call(person, desk.chat.window, title)
            await person.until(
                lambda title=title: title in palette.line_texts()[:1], str(palette.line_texts())
            )
            enter(person)
            await person.until(
                lambda wanted=wanted: desk.characters.current_character() == wanted, "not taken"
            )

    desk_story(story, settings={"appearance": {"language": language}})
