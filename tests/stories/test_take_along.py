"""Conversations are exported as pages, paper and files, and imported again, with undo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit

from neodeskpet.language import tr
from neodeskpet.ui.windows.import_dialog import ImportDialog
from tests.support.desk import DeskStory
from tests.support.menus import choose_in_head
from tests.support.pasts import BEGUN, archive, chatgpt_talk
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


async def chooses(person: DeskStory, place: Path, entry: str, among: str = "") -> None:
    """The entry of the head's menu, and then the place in the dialog."""
    await person.until(lambda: not person.desk.chat.window.findChildren(QFileDialog))
    choose_in_head(person, tr(entry), tr(among) if among else "")
    (dialog,) = person.desk.chat.window.findChildren(QFileDialog)
    dialog.selectFile(str(place))
    dialog.accept()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_is_printed(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, language: str
) -> None:
    """Without a printer the dialog offers a file; Escape prints nothing."""

    async def dialog(person: DeskStory) -> QPrintDialog:
        window = person.desk.chat.window
        QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
        await person.until(lambda: window.findChildren(QPrintDialog), "no dialog")
        (found,) = window.findChildren(QPrintDialog)
        return found

    async def story(person: DeskStory) -> None:
        window = person.desk.chat.window
        server.reply(text("It is **42**."), *end())
        person.desk.show_chat()
        person.type("what is it?")
        await person.until(lambda: "42" in person.shown())
        await person.idle()
        (await dialog(person)).reject()
        await person.until(lambda: not window.findChildren(QPrintDialog), "it stays")
        asked = await dialog(person)
        assert asked.windowTitle() == tr("Print the conversation")
        asked.printer().setOutputFormat(QPrinter.OutputFormat.PdfFormat)
        place = asked.findChild(QLineEdit, "filename")
        assert place is not None
        place.setText(str(tmp_path / "printed.pdf"))
        asked.accept()
        await person.until(window.export_bar.isVisible, "nothing is told")
        await person.until(
            lambda: "printed.pdf" in window.export_bar.text.full_text(), "not printed"
        )
        assert (tmp_path / "printed.pdf").read_bytes().startswith(b"%PDF")

    desk_story(story, server.url, settings={"appearance": {"language": language}})


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_exported_and_imported(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, language: str
) -> None:
    out = tmp_path / "out"
    out.mkdir()

    async def story(person: DeskStory) -> None:
        desk = person.desk
        server.reply(text("It is **42** <b>, $x^2$. \u597d"), *end())
        person.type("what is it?")
        await person.until(lambda: "42" in person.shown())
        await person.idle()
        for name, entry in (("a.html", "Web page…"), ("a.pdf", "PDF…")):
            await chooses(person, out / name, entry, "Export")
            await person.until((out / name).exists, name)
        page = (out / "a.html").read_text("utf-8")
        assert "<strong>42</strong> &lt;b&gt;" in page and "<svg" in page and "\u597d" in page
        assert f"<b>{tr('You')}</b>" in page
        assert (out / "a.pdf").read_bytes().startswith(b"%PDF")

        await chooses(person, out, "JSON, to be imported again…", "Export all conversations")
        await person.until(lambda: list(out.glob("NeoDeskPet*/*.json")))
        await person.until(lambda: "NeoDeskPet" in desk.chat.window.export_bar.text.full_text())
        (file,) = out.glob("NeoDeskPet*/*.json")
        before = desk.engine.chat.conversation.id
        await chooses(person, file, "Import conversations…")
        await person.until(lambda: desk.engine.chat.conversation.id != before)
        await person.until(lambda: "42" in person.shown())
        assert len(await desk.engine.storage.store.conversations()) == 2
        await person.until(desk.chat.window.undo.isVisible)
        person.click(desk.chat.window.undo.button)
        await person.until(lambda: desk.engine.chat.conversation.id == before)
        assert [one.id for one in await desk.engine.storage.store.conversations()] == [before]

    desk_story(story, server.url, settings={"appearance": {"language": language}})


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_an_import_is_previewed_chosen_from_added_and_undone(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, language: str
) -> None:
    talks = [
        chatgpt_talk("c", "Cats", "where is the zither?", "in the attic"),
        None,
        chatgpt_talk("d", "Dogs", "woof", at=BEGUN + 90_000),
    ]
    path = archive(tmp_path / "past.zip", talks)

    async def story(person: DeskStory) -> None:
        desk = person.desk
        store = desk.engine.storage.store
        before = len(await store.conversations())
        await chooses(person, path, "Import conversations…")
        await person.until(lambda: desk.chat.window.findChildren(ImportDialog))
        (dialog,) = desk.chat.window.findChildren(ImportDialog)
        await person.until(dialog.select_none_button.isEnabled)
        assert len(dialog.choices.chosen) == 2
        assert "2024-01-01" in dialog.summary_label.text() and "#2" in dialog.omitted_label.text()
        dialog.field.setText("dog")
        person.click(dialog.select_none_button)
        assert [one.title for one in dialog.choices.chosen] == ["Cats"]
        await person.until(dialog.import_button.isEnabled)
        person.click(dialog.import_button)
        await person.until(desk.chat.window.undo.isVisible)
        await person.until(lambda: not desk.chat.window.findChildren(ImportDialog))
        found = await store.conversations()
        assert len(found) == before + 1
        cats = next(one for one in found if one.title == "Cats")
        engine = desk.engine
        await engine.memory.indexer.catch_up()
        (recalled, *_) = await engine.memory.store.search(
            "zither", engine.memory.indexer.clock(), 1
        )
        assert recalled.item.id in [one.id for one in await store.history(cats.id)]
        await engine.chat.open(cats.id)
        await person.until(lambda: "in the attic" in person.shown())

        await chooses(person, path, "Import conversations…")
        await person.until(lambda: desk.chat.window.findChildren(ImportDialog))
        (dialog,) = desk.chat.window.findChildren(ImportDialog)
        await person.until(lambda: [one.title for one in dialog.choices.chosen] == ["Dogs"])
        person.click(dialog.undo_button)
        await person.until(lambda: len(dialog.choices.chosen) == 2)
        assert "Cats" not in [one.title for one in await store.conversations()]
        await person.until(lambda: "in the attic" not in person.shown())
        await person.until(dialog.import_button.isEnabled)
        person.click(dialog.import_button)
        await person.until(lambda: not desk.chat.window.findChildren(ImportDialog))
        assert len(await store.conversations()) == before + 2
        await person.until(desk.chat.window.undo.isVisible)
        person.click(desk.chat.window.undo.button)
        await person.until(lambda: not desk.chat.window.undo.isVisible())
        await person.until(lambda: not desk.chat.presenter._work.busy("take back"))
        assert len(await store.conversations()) == before

    desk_story(story, server.url, settings={"appearance": {"language": language}})
