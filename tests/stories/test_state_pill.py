"""The pill at the figure's feet shows a slow tool, a question, the quiet mode and that the user is
heard; without a place for the figure, the chat or a message shows what happens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import closing

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.toolkit.schema_tool import schema_tool
from neodeskpet.ui.chat.chat_header import LARGE_PORTRAIT_SIZE, PORTRAIT_SIZE
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sounds import OpenInput, tone
from tests.support.sseserver import ScriptedServer, text
from tests.support.toolsource import ToolServer
from tests.support.transcription_server import TranscriptionServer

Play = Callable[..., None]


def test_the_pill_shows_what_the_companion_does(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        done = asyncio.Event()

        async def dig(_arguments: Mapping[str, object], _progress: object) -> str:
            await done.wait()
            return "a bone"

        desk = person.desk
        source = ToolServer("garden")
        schema = {"type": "object", "properties": {}}
        spec = ToolSpec("garden.dig", "Dig.", schema, risk=Risk.READ, timeout=600)
        source.take(schema_tool(spec, dig))
        source.add("garden.bury", "buried", risk=Risk.WRITE)
        desk.engine.tools.toolbox.add(source)
        await desk.wait_for_figure()
        pill = desk.state_pill.pill.window
        assert not pill.isVisible()
        server.reply(*calling("native", ("garden.dig", {})), *end())
        server.reply(*calling("native", ("garden.bury", {})), *end())
        server.reply(text("Buried."), *end())
        person.type("dig and bury")
        await person.until(lambda: pill.accessibleName().endswith("1 s"), "no seconds of the tool")
        assert pill.isVisible()
        assert not pill.geometry().intersects(desk.companion.pet.placement.figure_rect())
        desk.companion.pet.hide()
        assert not pill.isVisible()
        desk.companion.pet.show()
        await person.until(pill.isVisible, "the pill isn't back with the figure")
        done.set()
        await person.until(lambda: pill.accessibleName().endswith("?"), "no question in the pill")
        desk.chat.window.hide()
        person.click(pill)
        assert desk.chat.window.isVisible()
        desk.engine.settings.change("companion", "bubble", False)
        await person.until(lambda: not pill.isVisible(), "the pill is shown without the bubble")
        desk.engine.settings.change("companion", "bubble", True)
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        person.press_in_message("Allow once")
        await person.until(lambda: person.sees("Buried."), person.shown())
        await person.idle()
        await person.until(lambda: not pill.isVisible(), "the pill is shown after the reply")
        desk.menu.quiet_mode.quiet_for_an_hour()
        await person.until(lambda: pill.accessibleName().startswith("until "), "no quiet mode")
        person.click(pill)
        await person.until(lambda: not desk.engine.settings.settings.companion.quiet, "still quiet")
        assert not pill.isVisible()

    desk_story(story, server.url, mode="native", pet=True)


def test_the_pill_shows_that_the_user_is_heard_until_esc(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        pill, line = desk.state_pill.pill.window, desk.quick_message.line
        desk.voice.listening.make_microphone = lambda _device: OpenInput(tone(5000, 0.5))
        desk.engine.settings.change("voice", "listen", "push_to_talk")
        with closing(TranscriptionServer()) as words:
            desk.engine.settings.change("voice", "listen_address", words.url)
            desk.show_chat()
            composer = desk.chat.window.composer
            composer.insert("a draft")
            person.click(composer.dictation)
            await person.until(lambda: pill.kind.name == "LISTENING", "the pill doesn't say it")
            await person.until(pill.isVisible, "no pill")
            await person.until(lambda: desk.voice.hearing_level > 0, "no level")
            QTest.keyClick(composer.field, Qt.Key.Key_Escape)
            await person.until(lambda: not desk.voice.sign.isVisible(), "the microphone is open")
            await person.until(lambda: not pill.isVisible(), "the pill is still shown")

            desk.chat.window.hide()
            desk.voice.talk()
            await person.until(lambda: desk.voice.hearing_since is not None, "nothing is heard")
            QTest.keyClick(line.composer.field, Qt.Key.Key_Escape)
            await person.until(lambda: not desk.voice.sign.isVisible(), "the microphone is open")
            assert line.isVisible(), "the key closed the line as well"
            QTest.keyClick(line.composer.field, Qt.Key.Key_Escape)
            assert not line.isVisible()
            assert composer.draft() == "a draft"
            assert not words.paths, "what was recorded before Esc was recognized"

    desk_story(story, pet=True)


def test_without_a_place_for_the_figure_the_chat_shows_what_happens(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        source = ToolServer("garden")
        source.add("garden.bury", "buried", risk=Risk.WRITE)
        desk.engine.tools.toolbox.add(source)
        await desk.wait_for_figure()
        pet, chat, bubble = desk.companion.pet, desk.chat.window, desk.companion.bubble
        portrait, pill = chat.header.portrait, desk.state_pill.pill.window
        assert portrait.width() == PORTRAIT_SIZE
        chat.setGeometry(chat.screen().geometry())
        await person.until(lambda: not pet.isVisible(), "the figure is over the chat")
        assert portrait.width() == LARGE_PORTRAIT_SIZE
        server.reply(*calling("native", ("garden.bury", {})), *end())
        server.reply(text("Buried."), *end())
        person.type("bury it")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        assert not pill.isVisible()
        assert not pet.isVisible()

        # The settings cover the screen in place of the chat: the question comes as a message.
        settings = desk.side_windows.settings
        settings.present("service")
        settings.setGeometry(settings.screen().geometry())
        chat.hide()
        await person.until(lambda: bubble.shows_question and bubble.isVisible(), "no question")
        assert not pet.isVisible()
        title = settings.windowTitle()
        desk.menu.quiet_mode.quiet_for_an_hour()
        assert settings.windowTitle().startswith(f"{title} · Quiet until "), "there is no pill"
        desk.engine.settings.change("companion", "quiet", False)
        assert settings.windowTitle() == title
        settings.hide()
        await person.until(pet.isVisible, "the figure isn't back")
        assert portrait.width() == PORTRAIT_SIZE
        await person.until(pill.isVisible, "no pill at its feet")
        desk.show_chat()
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        person.press_in_message("Allow once")
        await person.until(lambda: person.sees("Buried."), person.shown())
        await person.idle()

    desk_story(story, server.url, mode="native", pet=True)
