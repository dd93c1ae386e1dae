"""The list of conversations: several selected at a time, archived, in folders, deleted and
restored; drafts are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from neodeskpet.language import set_language
from tests.stories.test_conversations import info, titles
from tests.stories.test_find import BEGIN, indexed, opens, remembers
from tests.support.desk import DeskStory

Play = Callable[..., None]
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_several_are_deleted_and_restored(desk_story: Play, tmp_path: Path, language: str) -> None:
    secret = "xyzzyplughword"

    async def story(person: DeskStory) -> None:
        for name in ("one", "two", "three"):
            last = await remembers(person, name, [f"{secret} {name}", "yes"], BEGIN)
        await opens(person, last)
        window, side = person.desk.chat.window, person.desk.chat.window.sidebar
        window.show_sidebar(True)
        await person.until(lambda: len(titles(person)) == 4)
        side.list.setCurrentIndex(side.model.index_of(last))
        QTest.keyClick(side.list, Qt.Key.Key_Down, SHIFT)
        gone = side.selected_ids()
        assert len(gone) == 2
        QTest.keyClick(side.list, Qt.Key.Key_Delete)
        await person.until(lambda: len(titles(person)) == 2, "they aren't deleted")
        await person.until(lambda: info(person).id not in gone, "a deleted one is open")
        await person.until(side.undo.isVisible)
        await indexed(person)
        person.click(side.undo.button)
        await person.until(lambda: len(titles(person)) == 4, "they don't come back")
        await person.until(lambda: info(person).id == last, "it isn't open again")
        await indexed(person)
        side.list.selectAll()
        QTest.keyClick(side.list, Qt.Key.Key_Delete)
        await person.until(lambda: len(titles(person)) == 1, "an empty one is left")

    async def after(person: DeskStory) -> None:
        assert len(await person.desk.engine.storage.store.conversations()) == 1

    desk_story(story, settings={"appearance": {"language": language}})
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in files if secret.encode() in path.read_bytes()] == []
    desk_story(after, settings={"appearance": {"language": language}})


def test_archived_and_moved_into_folders_by_keyboard(desk_story: Play, qapp: QApplication) -> None:
    async def story(person: DeskStory) -> None:
        set_language("zh_CN")
        person.desk.chat.window.retranslate()
        a = await remembers(person, "天气", ["天气怎么样", "很好"], BEGIN)
        b = await remembers(person, "旅行", ["去哪里", "京都"], BEGIN)
        await opens(person, a)
        window, side = person.desk.chat.window, person.desk.chat.window.sidebar
        window.show_sidebar(True)
        await person.until(lambda: side.model.index_of(b).isValid())
        side.list.setCurrentIndex(side.model.index_of(b))
        QTest.keyClick(side.list, Qt.Key.Key_E, CONTROL)
        await person.until(lambda: not side.model.index_of(b).isValid(), "it isn't put away")
        assert side.archived_button.text() == "已归档（1）" and side.undo.text.text() == "已归档：1"
        person.click(side.archived_button)
        await person.until(lambda: titles(person) == ["旅行"])
        side.list.setCurrentIndex(side.model.index(0, 0))
        QTest.keyClick(side.list, Qt.Key.Key_E, CONTROL)
        await person.until(
            lambda: side.model.index_of(b).isValid() and not side.model.shows_archived
        )

        side.list.setCurrentIndex(side.model.index_of(b))
        side.list.menu_requested.emit(side.model.index_of(b), side.list.mapToGlobal(side.pos()))
        (choice,) = [menu for menu in side.findChildren(QMenu) if menu.title() == "移到文件夹"]
        next(one for one in choice.actions() if one.text() == "新建文件夹…").trigger()
        for menu in side.findChildren(QMenu):
            menu.close()
        QTest.keyClicks(side.naming.field, "outings")
        QTest.keyClick(side.naming.field, Qt.Key.Key_Return)
        await person.until(lambda: titles(person)[:2] == ["outings", "旅行"], "no folder")

        def stands_in(one: str) -> str:
            found = side.model.conversation(one)
            return found.folder if found is not None else ""

        data = side.model.mimeData([side.model.index_of(a)])
        side.model.dropMimeData(data, Qt.DropAction.MoveAction, -1, -1, side.model.index(0, 0))
        await person.until(lambda: stands_in(a) == "outings", "not dragged in")
        assert side.undo.text.text() == "已移到“outings”。"
        person.click(side.undo.button)
        await person.until(lambda: not stands_in(a), "not out again")
        assert stands_in(b) == "outings"

    async def after(person: DeskStory) -> None:
        person.desk.show_chat()
        await person.until(lambda: titles(person)[:2] == ["outings", "旅行"], "folder forgotten")

    desk_story(story)
    desk_story(after)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_draft_with_its_picture_survives(desk_story: Play, language: str) -> None:
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))

    async def first(person: DeskStory) -> None:
        store, composer = person.desk.engine.storage.store, person.desk.chat.window.composer
        here = await remembers(person, "here", ["a", "b"], BEGIN)
        await opens(person, here)
        QApplication.clipboard().setImage(image)
        composer.field.paste()
        person.type("half a thought", send=False)
        await person.until(lambda: len(composer.attachments.items()) == 1, "no picture")
        kept: list[tuple[str, int]] = []

        async def look() -> None:
            text, pictures = await store.get_draft(here)
            kept.append((text, len(pictures)))

        while not kept or kept[-1] != ("half a thought", 1):  # as a killed app leaves it
            await look()

        other = await remembers(person, "there", ["c", "d"], BEGIN)
        await opens(person, other)
        assert composer.draft() == "" and composer.attachments.count == 0
        await opens(person, here)
        await person.until(lambda: composer.draft() == "half a thought")
        await person.until(lambda: len(composer.attachments.items()) == 1)

    async def second(person: DeskStory) -> None:
        composer, store = person.desk.chat.window.composer, person.desk.engine.storage.store
        (here,) = [one.id for one in await store.conversations() if one.title == "here"]
        await opens(person, here)
        await person.until(lambda: composer.draft() == "half a thought", "the text is lost")
        await person.until(lambda: len(composer.attachments.items()) == 1, "the picture is lost")
        (attached,) = composer.attachments.items()
        assert await store.picture(attached.content.digest) is not None
        composer.set_draft("")
        composer.attachments.restore(())
        composer.attachments.changed.emit()
        while await store.picture(attached.content.digest) is not None:  # nothing shows it now
            await person.until(lambda: True)
        assert await store.get_draft(here) == ("", [])

    desk_story(first, settings={"appearance": {"language": language}})
    desk_story(second, settings={"appearance": {"language": language}})
