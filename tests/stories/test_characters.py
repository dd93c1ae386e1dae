"""A character is imported, speaks in one conversation, and keeps its own memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QImage, QPixmap

from neodeskpet.characters.cards.card_files import read_file, write_card
from neodeskpet.characters.cards.character_card import Card, Lorebook, LoreEntry
from neodeskpet.ui.settings.character_card import CharacterEditor
from neodeskpet.ui.settings.characters_page import CharactersPage
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]

MIMI = Card(
    "Mimi",
    description="{{char}} is a very calm cat.",
    greeting="Miau, {{user}}!",
    alternates=("Purr.",),
    book=Lorebook((LoreEntry(("fish",), "Fish makes {{char}} happy."),)),
)


def page(person: DeskStory) -> CharactersPage:
    found = person.desk.side_windows.settings.pages["characters"]
    assert isinstance(found, CharactersPage)
    return found


def drop(person: DeskStory, file: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    kinds = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton)
    event = QDropEvent(QPointF(5, 5), *kinds, Qt.KeyboardModifier.NoModifier)
    page(person).dropEvent(event)


async def body(person: DeskStory) -> CharacterEditor:
    """The open card."""

    def opened() -> list[CharacterEditor]:
        return [card.body for card in page(person).cards.values() if card.body is not None]

    await person.until(opened, "no card opened")
    return opened()[0]


async def ask(person: DeskStory, server: ScriptedServer, words: str) -> str:
    """Return what the model is sent."""
    server.reply(text("Hm."), *end())
    person.type(words)
    await person.idle()
    request: dict[str, Any] = server.requests[-1].body
    return str(request["messages"][0]["content"])


def title(person: DeskStory) -> str:
    return person.desk.chat.window.windowTitle()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_card_of_others_is_used_in_a_conversation(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, language: str
) -> None:
    file = tmp_path / "mimi.png"
    file.write_bytes(write_card(MIMI, b"", ".png"))
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"<html>no card</html>")

    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.side_windows.settings.present("characters")
        drop(person, bad)
        wrong = page(person).row.error_label
        await person.until(lambda: "bad.png" in wrong.text(), "the bad one wasn't named")
        drop(person, file)
        opened = await body(person)
        assert not wrong.text()
        assert opened.name.value() == "Mimi"

        person.click(opened.buttons["new"])
        you = "你" if language == "zh_CN" else "you"
        await person.until(lambda: f"Miau, {you}!" in person.shown(), "no greeting")
        await person.until(lambda: title(person).startswith("Mimi"), "not its name")
        system = await ask(person, server, "Do you like fish?")
        assert "Mimi is a very calm cat." in system
        assert "Fish makes Mimi happy." in system
        assert "live2d.expression" in system

        opened = await body(person)
        opened.texts["description"].setPlainText("{{char}} is wild now.")
        opened.texts["description"].flush()
        name = next(iter(page(person).cards))
        out = tmp_path / "out.charx"
        page(person).export(name, out)
        await person.until(lambda: is_zipfile(out), "nothing was exported")
        assert read_file(out)[0].description == "{{char}} is wild now."
        assert "Mimi is wild now." in await ask(person, server, "And now?")

        await desk.engine.chat.open_new()
        assert "Mimi" not in title(person)
        assert "Mimi" not in await ask(person, server, "Who are you?")

    async def next_start(person: DeskStory) -> None:
        (name,) = page(person).cards
        shown = person.desk.character_controller
        shown.menu.aboutToShow.emit()
        titles = [action.text() for action in shown.menu.actions()]
        assert titles[1] == "Mimi"
        await person.desk.engine.chat.open_new()
        shown.menu.actions()[1].trigger()
        await person.until(lambda: title(person).startswith("Mimi"), "not chosen")
        person.desk.side_windows.settings.present("characters")
        page(person).open(name)
        opened = await body(person)
        opened.buttons["remove"].click()
        person.click(opened.sure)
        await person.until(lambda: not page(person).cards, "still there")
        assert "Mimi" not in title(person)

    settings = {"appearance": {"language": language, "reduced_motion": True}}
    desk_story(story, server.url, settings=settings)
    desk_story(next_start, server.url)


def test_older_messages_have_the_face_of_their_speaker(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    picture = QImage(64, 64, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.darkGreen)
    picture.save(str(tmp_path / "face.png"))
    file = tmp_path / "mimi.png"
    file.write_bytes(write_card(MIMI, (tmp_path / "face.png").read_bytes(), ".png"))

    async def story(person: DeskStory) -> None:
        desk = person.desk
        own = QPixmap(32, 32)  # that of the figure, which isn't drawn here
        desk.chat.window.set_portrait(own)
        desk.side_windows.settings.present("characters")
        drop(person, file)
        opened = await body(person)
        person.click(opened.buttons["new"])
        await person.until(lambda: title(person).startswith("Mimi"), "not its name")
        faces = desk.chat.view._painter.portraits
        theirs = desk.character_controller.portrait().cacheKey()
        assert faces.current.cacheKey() == faces.resting.cacheKey() == theirs != own.cacheKey()

    desk_story(story, server.url)


def test_a_character_is_written_with_its_world_and_its_own_memory(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.side_windows.settings.present("characters")
        person.click(page(person).make)
        opened = await body(person)
        person.click(opened.memory.button("own"))
        (name,) = page(person).cards
        await person.until(lambda: desk.engine.storage.characters.has_own_memory(name), "shared")
        opened.name.setText("Mo")
        opened.name.textEdited.emit("Mo")
        opened.name.editingFinished.emit()
        opened.book.add.click()
        opened.book.keys.setText("fish, (a+)+")
        opened.book.keys.editingFinished.emit()
        opened.book.content.setPlainText("Fish is food.")
        opened.book.content.flush()
        opened.book.constant.click()
        opened.book.budget.setText("50")
        opened.book.budget.editingFinished.emit()
        opened.texts["alternates"].setPlainText("One\n---\nTwo")
        opened.texts["alternates"].flush()
        person.click(opened.buttons["here"])
        await person.until(lambda: title(person).startswith("Mo"), "not its name")
        found = desk.engine.storage.characters.library.get(name)
        assert found is not None and found.card.book is not None
        assert found.card.book.entries[0].keys == ("fish", "(a+)+")
        assert (found.card.book.budget, found.card.alternates) == (50, ("One", "Two"))
        assert "Fish is food." in await ask(person, server, "My parrot is called Zazu.")
        await desk.engine.memory.indexer.catch_up_changes()

        await desk.engine.chat.open_new()
        assert "Zazu" not in await ask(person, server, "What is my parrot called?")
        opened.book.drop.click()
        await page(person)._notes.flush()
        found = desk.engine.storage.characters.library.get(name)
        assert found is not None and found.card.book is None

        world = tmp_path / "world.json"
        entry = {"key": ["/drag(on|ons)/i"], "content": "They sleep.", "order": 5}
        world.write_text(json.dumps({"entries": {"0": entry}}))
        page(person).import_lorebook(name, world)
        await person.until(lambda: opened.book.keys.text() == "/drag(on|ons)/i", "no entry")
        await page(person)._notes.flush()
        found = desk.engine.storage.characters.library.get(name)
        assert found is not None and found.card.book is not None
        assert found.card.book.entries[0].regex
        page(person).import_card(world)
        await person.until(
            lambda: "world book" in page(person).row.error_label.text(), "not refused"
        )
        opened.figure.chosen.emit("figure:")
        await page(person)._notes.flush()
        kept = json.loads(
            (desk.engine.storage.characters.library.folder / f"{name}.json").read_text("utf-8")
        )
        assert kept["data"]["extensions"]["neodeskpet"] == {"figure": ""}

    desk_story(story, server.url)


def test_a_character_for_all_new_conversations(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    file = tmp_path / "mimi.json"
    file.write_bytes(write_card(MIMI, b"", ".json"))

    async def story(person: DeskStory) -> None:
        desk = person.desk
        before = await ask(person, server, "Who are you?")
        assert "a very calm cat" not in before
        desk.side_windows.settings.present("characters")
        drop(person, file)
        await person.until(lambda: page(person).cards, "no card")
        (name,) = page(person).cards
        page(person).open(name)
        opened = await body(person)
        person.click(opened.usual.button("usual"))
        await person.until(lambda: desk.engine.storage.characters.default is not None)
        await person.until(
            lambda: "new conversations" in page(person).cards[name].head.about.full_text()
        )
        old = desk.engine.chat.conversation.id
        await desk.engine.chat.open_new()
        await person.until(lambda: "Miau" in person.shown(), "no greeting")
        assert "a very calm cat" in await ask(person, server, "And now?")
        assert desk.engine.storage.characters.character_of(old) is None

    desk_story(story, server.url)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_voice_is_chosen_from_those_of_the_engine(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, language: str
) -> None:
    file = tmp_path / "mimi.json"
    card = json.loads(write_card(MIMI, b"", ".json"))
    card["data"]["extensions"]["neodeskpet"] = {"voice": "Zarvox"}
    file.write_text(json.dumps(card))

    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.side_windows.settings.present("characters")
        drop(person, file)
        opened = await body(person)
        field = opened.voice

        async def stored() -> str:
            await page(person)._notes.flush()
            (name,) = page(person).cards
            found = desk.engine.storage.characters.library.get(name)
            assert found is not None
            return found.voice.name

        def shown() -> list[str]:
            return [field.choice.itemText(number) for number in range(field.choice.count())]

        assert "nova" in shown()[0], "the voice of the settings is on top"
        assert "Zarvox" in field.choice.currentText(), "the name of the card was lost"
        assert await stored() == "Zarvox"
        field.choice.setCurrentIndex(shown().index("coral"))
        field.choice.activated.emit(field.choice.currentIndex())
        assert await stored() == "coral" and not any("Zarvox" in one for one in shown())

        field.choice.setCurrentIndex(len(shown()) - 1)  # another name
        field.choice.activated.emit(field.choice.currentIndex())
        assert field.other.isVisible() and field.other.hasFocus()
        field.other.setText("house voice")
        field.other.editingFinished.emit()
        assert await stored() == "house voice"

        desk.engine.settings.change("voice", "speak", "local")
        assert not field.other.isVisible() and "house voice" in field.choice.currentText()
        xiaobei = "小贝（中文，女声）" if language == "zh_CN" else "Xiaobei (Chinese, female)"
        field.choice.setCurrentIndex(shown().index(xiaobei))
        field.choice.activated.emit(field.choice.currentIndex())
        assert await stored() == "zf_xiaobei"
        field.choice.setCurrentIndex(0)
        field.choice.activated.emit(0)
        assert await stored() == ""

        desk.engine.settings.change("voice", "speak", "service")
        person.click(field.sample)
        await person.until(
            lambda: not opened.voice_row.error_label.isHidden(), "the chat's service has no voices"
        )

    settings = {
        "appearance": {"language": language, "reduced_motion": True},
        "voice": {"speak": "service", "voice": "nova"},
    }
    desk_story(story, server.url, settings=settings)
