"""Files that are dropped on the companion or on the chat are accepted, after a question what to do
with them.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from neodeskpet.characters.cards.card_files import write_card
from neodeskpet.characters.cards.character_card import Card
from neodeskpet.core.blocks import Document, Image
from neodeskpet.ui.pet.dropped_files import DroppedFilesController, DropReceivers
from tests.bench.mutations import small_neo
from tests.support.desk import DeskStory
from tests.support.pictures import encoded
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text
from tests.unit.figure.sprites.packs import pet

Play = Callable[..., None]
COPY, LEFT = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drag(target: QObject, data: QMimeData) -> bool:
    event = QDragEnterEvent(QPoint(9, 9), COPY, data, LEFT, NONE)
    event.ignore()
    QApplication.sendEvent(target, event)
    return event.isAccepted()


def drop(target: QObject, data: QMimeData) -> None:
    assert drag(target, data)
    QApplication.sendEvent(target, QDropEvent(QPointF(9, 9), COPY, data, LEFT, NONE))


def press(person: DeskStory, name: str) -> None:
    buttons = person.desk.companion.bubble.findChildren(QPushButton)
    wanted = next(button for button in buttons if button.text() == name and not button.isHidden())
    QTest.mouseClick(wanted, Qt.MouseButton.LeftButton)


def test_dropped_on_the_companion(desk_story: Play, server: ScriptedServer, tmp_path: Path) -> None:
    notes, picture, book = tmp_path / "notes.md", tmp_path / "cat.png", tmp_path / "book.pdf"
    notes.write_text("Buy *milk*.", encoding="utf-8")
    picture.write_bytes(encoded())
    book.write_bytes(b"%PDF\x00\x01")

    async def story(person: DeskStory) -> None:
        desk, bubble = person.desk, person.desk.companion.bubble
        composer = desk.chat.window.composer
        assert drag(desk.companion.pet, files(notes))
        assert "Drop it on me" in bubble.page_text
        QApplication.sendEvent(desk.companion.pet, QDragLeaveEvent())
        assert not bubble.is_speaking

        drop(desk.companion.pet, files(notes))
        assert "notes.md" in bubble.page_text
        assert bubble.choices == ["Ask about it", "Add to the message", "Never mind"]
        press(person, "Never mind")
        assert not bubble.is_speaking
        assert composer.draft() == ""

        drop(desk.companion.pet, files(notes))
        press(person, "Add to the message")
        await person.until(composer.attachments.items, "it isn't attached")
        composer.attachments.restore(())

        server.reply(text("A list and a cat."), *end())
        drop(desk.companion.pet, files(notes, picture))
        assert "2 files" in bubble.page_text
        press(person, "Ask about it")
        await person.until(lambda: desk.engine.chat.running, "nothing is asked")
        await person.idle()
        asked, reply = (await person.messages())[-2:]
        assert asked.text == "What do you think of this?"
        (read,) = [block for block in asked.blocks if isinstance(block, Document)]
        assert read.text == "Buy *milk*."
        assert any(isinstance(block, Image) for block in asked.blocks)
        assert reply.text == "A list and a cat."

        words = QMimeData()
        words.setText("https://example.org/a")
        drop(desk.companion.pet, words)
        press(person, "Add to the message")
        assert composer.draft() == "https://example.org/a"
        composer.set_draft("")

        drop(desk.companion.pet, files(book))
        press(person, "Ask about it")
        told = composer.attachments
        await person.until(
            lambda: "book.pdf" in told.message_text, "nobody says that it can't be taken"
        )
        assert "damaged" in told.message_text
        assert not desk.engine.chat.running

    desk_story(story, server.url)


def test_a_figure_dropped_on_the_companion_is_used_or_kept(
    desk_story: Play, tmp_path: Path
) -> None:
    mimi = small_neo(tmp_path / "Mimi")
    (mimi / "neo.model3.json").rename(mimi / "Mimi.model3.json")
    packed = Path(shutil.make_archive(str(tmp_path / "Momo"), "zip", mimi))
    broken = tmp_path / "Broken"
    broken.mkdir()
    (broken / "x.model3.json").write_text("{}", encoding="utf-8")
    plain = tmp_path / "papers"
    plain.mkdir()

    async def story(person: DeskStory) -> None:
        desk, bubble = person.desk, person.desk.companion.bubble

        async def asked(words: str) -> None:
            await person.until(lambda: words in bubble.page_text, f"{words} isn't asked")

        drop(desk.companion.pet, files(mimi))
        await asked("figure “Mimi”")
        assert bubble.choices == ["Use this figure", "Keep it for later", "Never mind"]
        press(person, "Use this figure")
        await person.until(
            lambda: desk.chat.window.windowTitle().startswith("Mimi"), "it isn't worn"
        )
        worn = str(desk.engine.storage.home / "models" / "Mimi")
        assert desk.engine.settings.settings.companion.model == worn
        await desk.companion.pet.wait_until_loaded()

        drop(desk.companion.pet, files(packed))
        await asked("figure “Momo.zip”")
        press(person, "Keep it for later")
        await asked("It is saved")
        assert desk.engine.settings.settings.companion.model == worn
        assert len(await desk.figure_settings.tiles()) == 3

        drop(desk.companion.pet, files(broken))
        await asked("figure “Broken”")
        press(person, "Use this figure")
        await asked("x.model3.json")
        assert desk.engine.settings.settings.companion.model == worn

        drop(desk.companion.pet, files(plain))
        await asked("I have “papers”")
        press(person, "Never mind")

        without = DroppedFilesController(
            desk.companion.pet,
            desk.companion.presenter,
            DropReceivers(
                desk.chat.presenter.attachment_controller, desk.figure_settings, desk.characters
            ),
            show_chat=desk.show_chat,
            failed=desk.notices.show_error,
            core=False,
        )
        without.handle_files([plain])
        await asked("I have “papers”")
        without.handle_files([packed])
        await asked("“Momo.zip” is a Live2D figure, and this NeoDeskPet comes without")
        assert "Figures made of pictures can be used" in bubble.page_text
        assert bubble.choices == []  # there is another page
        QTest.mouseClick(bubble, LEFT)
        assert "start NeoDeskPet from its source" in bubble.page_text
        press(person, "OK")
        assert "Momo.zip" not in bubble.page_text
        without.handle_files([pet(tmp_path / "Blobby", 11).parent])
        await asked("figure “Blobby”")
        press(person, "Never mind")
        await without.aclose()

    desk_story(story)


def test_a_card_dropped_or_opened_with_the_app_is_used_or_kept(
    desk_story: Play, tmp_path: Path
) -> None:
    card = Card("Ada\nLovelace", description="{{char}} counts.", greeting="What shall we count?")
    portrait, plain = tmp_path / "ada.png", tmp_path / "cat.png"
    portrait.write_bytes(write_card(card, encoded(), ".png"))
    plain.write_bytes(encoded())

    async def story(person: DeskStory) -> None:
        desk, bubble = person.desk, person.desk.companion.bubble
        gallery = desk.engine.storage.characters.library
        known = len(gallery.list_all())

        async def asked(words: str) -> None:
            await person.until(lambda: words in bubble.page_text, f"{words} isn't asked")

        desk.open_files([plain])
        await asked("I have “cat.png”")
        press(person, "Never mind")

        desk.open_files([portrait])
        await asked("character “Ada Lovelace”")
        press(person, "Keep it for later")
        await asked("It is saved")
        assert len(gallery.list_all()) == known + 1

        drop(desk.companion.pet, files(portrait))
        await asked("character “Ada Lovelace”")
        press(person, "Talk to it")
        await person.until(lambda: not desk.chat.view.is_empty, "it doesn't greet")
        assert desk.chat.window.isVisible()
        assert (await person.messages())[-1].text == "What shall we count?"

    desk_story(story)


def test_other_files_on_the_chat(desk_story: Play, tmp_path: Path) -> None:
    code = tmp_path / "main.py"
    code.write_text("print(1)\n", encoding="utf-8")

    async def story(person: DeskStory) -> None:
        window = person.desk.chat.window
        assert drag(window, files(code))
        assert window.drop_zone.isVisible()
        drop(window.drop_zone, files(code))
        strip = window.composer.attachments
        await person.until(strip.items, "it isn't attached")
        assert (file := strip.items()[0].file) and file.text == "print(1)"

        drop(window, files(tmp_path))
        told = window.composer.attachments
        await person.until(lambda: "folder" in told.message_text, "nothing is said of a folder")

    desk_story(story)
