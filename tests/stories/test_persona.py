"""Each figure has its own name and persona; an imported figure isn't Neo."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from neodeskpet.characters.persona_files import PersonaRestored
from neodeskpet.ui.settings.figure.figure_page import FigurePage
from tests.bench.mutations import small_neo
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


def page(person: DeskStory) -> FigurePage:
    found = person.desk.side_windows.settings.pages["companion"]
    assert isinstance(found, FigurePage)
    return found


def write(field: QWidget, text: str) -> None:
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, text)


def told(server: ScriptedServer) -> str:
    """The persona in the model's last request."""
    body = server.requests[-1].body
    return str(body["messages"][0]["content"])


async def ask(person: DeskStory, server: ScriptedServer) -> str:
    server.reply(text("Hm."), *end())
    person.type("Who are you?")
    await person.idle()
    return told(server)


def test_the_persona_changes_with_the_figure(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        assert "You are Neo" in await ask(person, server)
        mochi = small_neo(desk.engine.storage.home / "models" / "Mochi")
        (mochi / "neo.model3.json").rename(mochi / "Mochi.model3.json")
        desk.engine.settings.change("companion", "model", str(mochi))
        await desk.companion.pet.wait_until_loaded()

        assert desk.chat.window.windowTitle() == "Mochi – NeoDeskPet Chat"
        assert "Mochi" in desk.menu.menu.actions["visible"].text()
        system = await ask(person, server)
        assert "You are Mochi" in system
        assert "fox-cat" not in system
        assert "live2d.expression" in system

        desk.side_windows.settings.present("companion")
        editor = page(person).persona
        write(editor.name, "Mimi")
        write(editor.text, "{{char}} is a very calm cat.")
        write(editor.greeting, "Meow.")
        await page(person)._settle()
        await person.until(lambda: desk.chat.window.windowTitle().startswith("Mimi"), "no new name")
        assert desk.companion.bubble.windowTitle() == "Mimi says"
        assert "Mimi is a very calm cat." in await ask(person, server)
        assert desk.companion_identity.greeting == "Meow."
        titles = [tile.title for tile in await desk.figure_settings.tiles()]
        assert titles == ["Neo", "Mimi"]

        desk.engine.settings.change("companion", "model", "")
        assert desk.chat.window.windowTitle() == "Neo – NeoDeskPet Chat"
        assert editor.name.value() == "Neo"
        assert "You are Neo" in await ask(person, server)

    async def next_start(person: DeskStory) -> None:
        home = person.desk.engine.storage.home
        person.desk.engine.settings.change("companion", "model", str(home / "models" / "Mochi"))
        assert person.desk.chat.window.windowTitle().startswith("Mimi")
        await person.desk.companion.pet.wait_until_loaded()

    desk_story(story, server.url)
    desk_story(next_start, server.url)


def test_a_card_edited_by_hand_is_used_at_once_and_a_broken_one_is_reported(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        card = desk.engine.storage.home / "personas" / "neo.json"
        card.parent.mkdir(exist_ok=True)
        data = {"name": "Nia", "description": "You are Nia, a raven.", "first_mes": ""}
        card.write_text(json.dumps({"spec": "chara_card_v3", "data": data}), "utf-8")
        assert "a raven" in await ask(person, server)
        assert desk.chat.window.windowTitle().startswith("Nia")

        card.write_text('{"data": {"name": ""}}', "utf-8")
        assert "a raven" in await ask(person, server), "the last valid one is kept"
        assert isinstance(desk.engine.storage.personas.fault, PersonaRestored)
        assert "neo.json" in desk.companion.bubble.page_text
        desk.side_windows.settings.present("companion")
        editor = page(person).persona
        (_, text_row, _) = editor.rows
        assert "the name is missing" in text_row.error_label.text()
        person.click(editor.restore_default)
        await person.until(
            lambda: desk.chat.window.windowTitle().startswith("Neo"), "still a raven"
        )
        assert text_row.error_label.isHidden()
        assert [file.name[:10] for file in card.parent.iterdir()] == ["neo.broken"]

    desk_story(story, server.url)


def test_the_offline_helper_has_the_name_too(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        write_card(person, "Nia")
        person.type("Nia, who are you?")
        await person.idle()
        assert "I'm **Nia**" in "".join(await person.texts())

    desk_story(story)


def write_card(person: DeskStory, name: str) -> None:
    card = person.desk.engine.storage.home / "personas" / "neo.json"
    card.parent.mkdir(exist_ok=True)
    card.write_text(json.dumps({"data": {"name": name}}), "utf-8")
