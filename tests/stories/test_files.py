"""A folder is allowed in the settings; a file in it is changed only with consent, and the card
undoes the change.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QPushButton

from neodeskpet.ui.settings.files_page import FilesPage
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]
PLACE = "Settings › Tools & permissions › Files"


def page(person: DeskStory) -> FilesPage:
    person.desk.side_windows.show_settings("files")
    found = person.desk.side_windows.settings.pages["files"]
    assert isinstance(found, FilesPage)
    return found


def test_a_folder_is_allowed_and_a_change_in_it_undone(
    desk_story: Play, server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("诗")
    poem = folder / "poem.txt"
    poem.write_text("roses are red\n")

    async def story(person: DeskStory) -> None:
        files = page(person)
        assert "can't see any" in files.row.note.text()
        files.add_folder(str(folder))
        assert str(folder) in person.desk.engine.settings.settings.files.folders
        edit = ("file.edit", {"path": "poem.txt", "old": "red", "new": "blue"})
        server.reply(*calling("native", ("file.read", {"path": "poem.txt"})), *end("tool_calls"))
        server.reply(*calling("native", edit), *end("tool_calls"))
        server.reply(text("They are blue now."), *end())
        person.type("make them blue")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        assert poem.read_text() == "roses are red\n"
        await person.until(lambda: "What would change" in person.shown(), person.shown())
        assert "+roses are blue" in person.shown()
        person.press_in_message("Allow once")
        await person.until(lambda: "They are blue now." in person.shown(), person.shown())
        await person.idle()
        assert poem.read_text() == "roses are blue\n"
        person.press_in_message("Undo")
        await person.until(lambda: poem.read_text() == "roses are red\n", poem.read_text())

    desk_story(story, server.url)


def test_each_change_of_a_file_is_undone_in_its_card(
    desk_story: Play, server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("papers")
    (folder / "old.txt").write_text("old\n")
    (folder / "gone.txt").write_text("gone\n")

    def files() -> dict[str, str]:
        return {file.name: file.read_text() for file in folder.iterdir()}

    async def story(person: DeskStory) -> None:
        before = files()
        changes: list[tuple[str, dict[str, object]]] = [
            ("file.write", {"path": "new.txt", "text": "new\n"}),
            ("file.edit", {"path": "old.txt", "old": "old", "new": "changed"}),
            ("file.move", {"path": "old.txt", "to": "moved.txt"}),
            ("file.trash", {"path": "gone.txt"}),
        ]
        for change in changes:
            server.reply(*calling("native", change), *end("tool_calls"))
        server.reply(text("All four."), *end())
        person.type("change them")
        for number in range(len(changes)):
            await person.until(
                lambda number=number: (
                    "Allow once" in person.buttons() and person.buttons().count("Undo") == number
                ),
                person.shown(),
            )
            person.press_in_message("Allow once")
        await person.until(lambda: "All four." in person.shown(), person.shown())
        await person.idle()
        assert files() == {"new.txt": "new\n", "moved.txt": "changed\n"}
        for left in (3, 2, 1, 0):  # the last change first: each begins where the next one ended
            person.desk.chat.view.undo_requested.emit(*(await last_change(person)))
            await person.until(
                lambda left=left: person.buttons().count("Undo") == left, person.shown()
            )
        assert files() == before

    desk_story(story, server.url, settings={"files": {"folders": [str(folder)]}})


async def last_change(person: DeskStory) -> tuple[str, int]:
    """The message and the call of the last change that can be undone."""
    undo = person.desk.engine.tools.undo
    calls = [call for call in await person.calls() if undo.can_undo(call)]
    return (await person.reply()).id, calls[-1].index


def test_a_folder_is_removed_from_the_list(
    desk_story: Play, server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tmp_path = tmp_path_factory.mktemp("allowed")

    async def story(person: DeskStory) -> None:
        files = page(person)
        files.add_folder(str(tmp_path))
        files.add_folder(str(tmp_path / "gone"))
        assert "gone" in files.row.error_label.text()
        for button in files.list.findChildren(QPushButton):
            if button.accessibleName().endswith(tmp_path.name) and not button.isHidden():
                button.click()
                break
        await person.until(
            lambda: person.desk.engine.settings.settings.files.folders == (str(tmp_path / "gone"),),
            "still there",
        )
        server.reply(*calling("native", ("file.list", {"path": str(tmp_path)})), *end("tool_calls"))
        server.reply(text("I can't."), *end())
        person.type("what is there?")
        await person.until(lambda: "I can't." in person.shown(), person.shown())
        await person.idle()
        [call] = await person.calls()
        assert call.status == "denied"
        assert PLACE in person.shown() or PLACE in str(call)

    desk_story(story, server.url)
