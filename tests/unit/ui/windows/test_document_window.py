"""A document is opened at the cited passage, which is marked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from neodeskpet.memory.knowledge.knowledge_types import (
    DocumentText,
    IndexingProgress,
    KnowledgeHit,
    KnowledgeSource,
    KnownFile,
    KnownPassage,
    SourceKind,
)
from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.windows.document_window import CONTEXT_PASSAGES, DocumentWindow


class Documents:
    """A `KnowledgePort` with one document."""

    progress = IndexingProgress()

    def __init__(self, reading: DocumentText | None) -> None:
        self._reading = reading

    async def document_text(self, file: str) -> DocumentText | None:
        return self._reading

    async def sources(self) -> list[KnowledgeSource]:
        return []

    async def unreadable_files(self, source: str) -> list[KnownFile]:
        return []

    async def search(self, text: str) -> list[KnowledgeHit]:
        return []

    async def add_path(self, path: Path) -> str:
        return ""

    async def add_page(self, address: str) -> str:
        return ""

    async def remove(self, source: str) -> bool:
        return False

    async def refresh(self, source: KnowledgeSource) -> None: ...

    async def pause(self, paused: bool) -> None: ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        return lambda: None


def document(path: str, count: int = 200) -> DocumentText:
    found = tuple(
        KnownPassage(f"f.{n}", f"Number {n} 🫖 stands here.\n\n", n * 30, n + 1)
        for n in range(count)
    )
    return DocumentText(KnownFile("f", "s", path, Path(path).name, ""), SourceKind.FILE, found)


def show(
    qtbot: QtBot, reading: DocumentText | None, passage: str
) -> tuple[DocumentWindow, list[str]]:
    opened: list[str] = []

    def open_url(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return True

    window = DocumentWindow(LIGHT, Documents(reading), open_url)
    qtbot.addWidget(window)
    asyncio.run(window._read("f", passage))
    return window, opened


def test_the_passage_is_marked_and_the_rest_is_near(qtbot: QtBot) -> None:
    window, _ = show(qtbot, document("/a/notes.txt"), "f.100")
    (mark,) = window.text.extraSelections()
    assert mark.cursor.selectedText() == "Number 100 🫖 stands here."
    text = window.text.toPlainText()
    assert (
        f"Number {100 - CONTEXT_PASSAGES} " in text
        and f"Number {100 - CONTEXT_PASSAGES - 1} " not in text
    )
    window.earlier_button.click()
    assert f"Number {100 - CONTEXT_PASSAGES - 1} " in window.text.toPlainText()
    window.later_button.click()
    assert f"Number {100 + 2 * CONTEXT_PASSAGES} " in window.text.toPlainText()
    (mark,) = window.text.extraSelections()
    assert mark.cursor.selectedText() == "Number 100 🫖 stands here."
    window.later_button.click()
    window.earlier_button.click()
    assert not window.later_button.isVisible() and not window.earlier_button.isVisible()


def test_the_original_opens_after_a_check(qtbot: QtBot) -> None:
    window, opened = show(qtbot, document("/a/notes.txt"), "f.1")
    window.open_button.click()
    assert opened == [] and "/a/notes.txt" in window.undo.text.text()
    window.undo.button.click()
    assert opened == ["/a/notes.txt"]


def test_a_file_that_could_run_is_not_opened(qtbot: QtBot) -> None:
    window, opened = show(qtbot, document("/a/harmful.py"), "f.1")
    window.open_button.click()
    window.undo.button.click()
    assert opened == ["/a"]


def test_a_missing_document_is_reported(qtbot: QtBot) -> None:
    window, _ = show(qtbot, None, "f.1")
    assert "any more" in window.heading.text() and not window.open_button.isVisible()
    window, _ = show(qtbot, document("/a/notes.txt"), "f.other")
    assert "changed or forgotten" in window.location_label.text()
