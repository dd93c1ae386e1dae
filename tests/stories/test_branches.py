"""Messages are edited and regenerated: every version is kept, and one path is shown and sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu

from neodeskpet.core.blocks import MessageState
from neodeskpet.language import tr
from neodeskpet.ui.chat.composer.dropped_content import PictureSource
from neodeskpet.ui.chat.composer.message_editor import MessageEditor
from neodeskpet.ui.chat.view.accessibility import RegionNode
from tests.support.desk import DeskStory
from tests.support.menus import choose_in_head
from tests.support.pictures import encoded
from tests.support.reader import focused
from tests.support.replies import bare, calling, end
from tests.support.sseserver import HANG, ScriptedServer, check_history, text

Play = Callable[..., None]


def said_in(language: str) -> dict[str, dict[str, object]]:
    return {"appearance": {"language": language}}


async def says(person: DeskStory, server: ScriptedServer, words: str, *answer: object) -> None:
    server.reply(*answer, *end())
    person.type(words)
    await person.idle()


def shown(person: DeskStory) -> list[str]:
    """Return the content of the messages in the window."""
    person.desk.chat.bridge.flush()
    view = person.desk.chat.view
    return [view.message_text(head.id) for head in view.column.heads]


def part(person: DeskStory, number: int, name: str) -> RegionNode:
    """Return the part with this name in message `number` of the window."""
    nodes = person.desk.chat.view.access.messages()[number].regions()
    named = [node for node in nodes if node.region is not None and node.region.name == tr(name)]
    assert named, [node.region.name for node in nodes if node.region is not None]
    return named[0]


def press(person: DeskStory, number: int, name: str) -> None:
    """Press with the mouse."""
    view, node = person.desk.chat.view, part(person, number, name)
    assert node.place is not None
    view.scroller.reveal(node.place)
    spot = view.viewport().mapFromGlobal(node.rect.center())
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)


def choose(person: DeskStory, number: int, name: str) -> None:
    """Choose from the menu of message `number`."""
    press(person, number, "More…")
    menu = person.desk.chat.view.findChildren(QMenu)[-1]
    next(action for action in menu.actions() if action.text() == tr(name)).trigger()
    menu.close()


def editor(person: DeskStory) -> MessageEditor:
    found = person.desk.chat.view.message_editing.editor
    assert found is not None
    return found


async def rewrites(person: DeskStory, number: int, words: str) -> None:
    """Edit message `number` in its place, and send it with Enter."""
    press(person, number, "Edit")
    field = editor(person).composer.field
    await person.until(lambda: QApplication.focusWidget() is field)
    field.selectAll()
    commit = QInputMethodEvent()
    commit.setCommitString(words)
    QApplication.sendEvent(field, commit)
    QTest.keyClick(field, Qt.Key.Key_Return)
    await person.until(lambda: person.desk.engine.chat.running or words in shown(person))
    await person.idle()


def sent(server: ScriptedServer) -> list[str]:
    """The texts of the last request, without those of the app."""
    return [bare(m.get("content") or "") for m in server.requests[-1].body["messages"][1:]]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_first_of_three_is_edited_and_nothing_is_lost(
    desk_story: Play, server: ScriptedServer, language: str
) -> None:
    before: list[str] = []

    async def first(person: DeskStory) -> None:
        server.reply(text("Let me see. "), *calling("native", ("time.now", {})), *end("tool_calls"))
        await says(person, server, "one", text("It is late."))
        await says(person, server, "two", text("Two it is."))
        await says(person, server, "three", text("Three it is."))
        before.extend(shown(person))
        assert len(before) == 6
        server.reply(text("Anew."), *end())
        await rewrites(person, 0, "一")
        assert shown(person) == ["一", "Anew."]
        assert sent(server) == ["一"]
        await says(person, server, "more", text("More it is."))
        assert sent(server) == ["一", "Anew.", "more"]
        assert person.desk.chat.view.column.versions_of(
            person.desk.chat.view.column.heads[0].id
        ) == (2, 2)
        press(person, 0, "Previous version")
        await person.until(lambda: shown(person) == before, "version 1 isn't back")
        await says(person, server, "four", text("Four it is."))
        roles = [m["role"] for m in server.requests[-1].body["messages"][1:]]
        assert roles[:5] == ["user", "assistant", "tool", "assistant", "user"], "call and result"
        assert sent(server)[-1] == "four"

    async def second(person: DeskStory) -> None:
        await person.until(lambda: len(shown(person)) == 8, "the restart lost something")
        await person.until(lambda: shown(person)[:6] == before)
        press(person, 0, "Next version")
        await person.until(lambda: shown(person)[0] == "一")
        await person.until(lambda: shown(person) == ["一", "Anew.", "more", "More it is."])

    desk_story(first, server.url, mode="native", settings=said_in(language))
    desk_story(second, server.url, mode="native", settings=said_in(language))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_an_answer_is_regenerated_while_another_version_is_read(
    desk_story: Play, server: ScriptedServer, language: str
) -> None:
    async def story(person: DeskStory) -> None:
        await says(person, server, "one", text("First."))
        await says(person, server, "two", text("Second."))
        server.reply(text("Other"), HANG)
        press(person, 1, "Retry")
        await person.until(lambda: shown(person) == ["one", "Other"])
        press(person, 1, "Previous version")
        await person.until(lambda: shown(person) == ["one", "First.", "two", "Second."])
        assert person.desk.engine.chat.running, "only looking doesn't end it"
        press(person, 1, "Next version")
        await person.until(lambda: shown(person) == ["one", "Other"])
        QTest.keyClick(person.desk.chat.window, Qt.Key.Key_Escape)
        await person.idle()
        assert (await person.reply()).state is MessageState.CANCELLED
        server.reply(text("Edited."), *end())
        await rewrites(person, 0, "uno")
        assert shown(person) == ["uno", "Edited."]

    desk_story(story, server.url, settings=said_in(language))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_deleting_is_undone(desk_story: Play, server: ScriptedServer, language: str) -> None:
    async def story(person: DeskStory) -> None:
        for words in ("one", "two"):
            await says(person, server, words, text(f"{words}!"))
        whole = shown(person)
        window = person.desk.chat.window
        choose(person, 1, "Delete the message")
        await person.until(lambda: shown(person) == ["one", "two", "two!"])
        assert window.undo.text.text() == tr("The message was deleted.")
        person.click(window.undo.button)
        await person.until(lambda: shown(person) == whole)
        choose(person, 0, "Delete this and all following messages")
        await person.until(window.welcome.isVisible, "nothing is left to show")
        person.click(window.undo.button)
        await person.until(lambda: shown(person) == whole and window.view.isVisible())
        choose(person, 2, "Delete this and all following messages")
        await person.until(lambda: shown(person) == whole[:2])
        await says(person, server, "three", text("three!"))
        assert sent(server) == ["one", "one!", "three"]
        assert not window.undo.isVisible()

    desk_story(story, server.url, settings=said_in(language))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_new_conversation_from_here(
    desk_story: Play, server: ScriptedServer, language: str
) -> None:
    async def story(person: DeskStory) -> None:
        for words in ("one", "two"):
            await says(person, server, words, text(f"{words}!"))
        old = person.desk.engine.chat.conversation
        choose(person, 1, "New conversation from here")
        await person.until(lambda: shown(person) == ["one", "one!"])
        now = person.desk.engine.chat.conversation
        assert old is not None and now is not None and now.id != old.id
        assert now.title == tr("{title} (branch)", title="one")
        await says(person, server, "three", text("three!"))
        assert sent(server) == ["one", "one!", "three"]
        await person.desk.engine.chat.open(old.id)
        await person.until(lambda: shown(person) == ["one", "one!", "two", "two!"])

    desk_story(story, server.url, settings=said_in(language))


def test_pictures_stay_with_the_message_that_is_edited(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        composer = person.desk.chat.window.composer
        picture = encoded()
        person.desk.chat.presenter.attachment_controller.attach_pictures(
            [PictureSource(data=picture)]
        )
        await person.until(lambda: composer.attachments.items())
        await says(person, server, "look", text("A square."))
        server.reply(text("Still a square."), *end())
        press(person, 0, "Edit")
        await person.until(lambda: editor(person).composer.attachments.items())
        editor(person).composer.insert(" again")
        QTest.keyClick(editor(person).composer.field, Qt.Key.Key_Return)
        await person.until(lambda: shown(person) == ["look again", "Still a square."])
        await person.idle()
        (first, second) = (r.body["messages"][1]["content"] for r in server.requests[-2:])
        assert [p for p in first if p["type"] != "text"] == [
            p for p in second if p["type"] != "text"
        ]

    desk_story(story, server.url)


@pytest.fixture
def other() -> Iterator[ScriptedServer]:
    with ScriptedServer(check_history) as running:
        yield running


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_with_another_model(
    desk_story: Play, server: ScriptedServer, other: ScriptedServer, tmp_path: Path, language: str
) -> None:
    document = {
        "endpoints": [
            {"name": name, "protocol": "openai", "base_url": place.url}
            for name, place in (("First", server), ("Second", other))
        ],
        "models": [
            {"endpoint": "First", "id": "first-model"},
            {"endpoint": "Second", "id": "second-model"},
        ],
        "purposes": {"chat": "first-model"},
    }
    (tmp_path / "llm-config.json").write_text(json.dumps(document), encoding="utf-8")

    async def story(person: DeskStory) -> None:
        await says(person, server, "one", text("First."))
        other.reply(text("Second."), *end())
        choose(person, 1, "Regenerate with another model…")
        picker = person.desk.chat.window.header.picker
        await person.until(picker.isVisible)
        QTest.keyClicks(picker.search, "second")
        QTest.keyClick(picker.search, Qt.Key.Key_Return)
        await person.until(lambda: shown(person) == ["one", "Second."])
        await person.idle()
        assert other.requests[-1].body["model"] == "second-model"
        assert "second-model" in person.shown()
        await says(person, server, "two", text("Two."))
        assert server.requests[-1].body["model"] == "first-model", "only for this answer"
        assert sent(server) == ["one", "Second.", "two"]

    desk_story(story, settings=said_in(language))


def choose_file(person: DeskStory, entry: str, file: Path, among: str = "") -> None:
    """Choose from the menu in the head of the window."""
    choose_in_head(person, entry, among)
    (dialog,) = person.desk.chat.window.findChildren(QFileDialog)
    dialog.selectFile(str(file))
    dialog.accept()


def test_versions_are_exported_and_imported(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    file = tmp_path / "out.json"

    async def story(person: DeskStory) -> None:
        await says(person, server, "one", text("First."))
        server.reply(text("Other."), *end())
        press(person, 1, "Retry")
        await person.until(lambda: shown(person) == ["one", "Other."])
        await person.idle()
        choose_file(person, "JSON, to be imported again…", file, "Export")
        await person.until(person.desk.chat.window.export_bar.isVisible)
        await person.until(lambda: not person.desk.chat.window.findChildren(QFileDialog))
        old = person.desk.engine.chat.conversation
        choose_file(person, "Import conversations…", file)
        await person.until(lambda: person.desk.engine.chat.conversation != old)
        await person.until(lambda: shown(person) == ["one", "Other."])
        press(person, 1, "Previous version")
        await person.until(lambda: shown(person) == ["one", "First."])
        await says(person, server, "two", text("Two."))
        assert sent(server) == ["one", "First.", "two"]

    desk_story(story, server.url)


def test_the_keyboard_stays_in_the_conversation_after_retry_and_edit(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await says(person, server, "one", text("First."))
        view, field = person.desk.chat.view, person.desk.chat.window.composer.field
        node = part(person, 1, "Retry")
        server.reply(text("Other."), *end())
        assert view.focus_part(view.column.heads[1].id, node.region.key)
        QTest.keyClick(view, Qt.Key.Key_Return)
        await person.until(lambda: shown(person) == ["one", "Other."])
        await person.idle()
        assert QApplication.focusWidget() is field or focused(view), "the focus is lost"
        server.reply(text("Edited."), *end())
        await rewrites(person, 0, "uno")
        assert shown(person) == ["uno", "Edited."]
        await person.until(
            lambda: QApplication.focusWidget() is field or bool(focused(view)), "the focus is lost"
        )

    desk_story(story, server.url)
