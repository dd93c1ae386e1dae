"""A document is shown around the passage that is meant, which is marked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from neodeskpet.memory.knowledge.library import (
    Hit,
    KnownFile,
    KnownPassage,
    Progress,
    Reading,
    Source,
    SourceKind,
)
from neodeskpet.ui.knowledge.reader import AROUND, ReadingWindow
from neodeskpet.ui.theme import LIGHT


class Documents:
    """A `KnowledgePort` with one document."""

    progress = Progress()

    def __init__(self, reading: Reading | None) -> None:
        self._reading = reading

    async def reading(self, file: str) -> Reading | None:
        return self._reading

    async def sources(self) -> list[Source]:
        return []

    async def refused(self, source: str) -> list[KnownFile]:
        return []

    async def search(self, text: str) -> list[Hit]:
        return []

    async def add_path(self, path: Path) -> str:
        return ""

    async def add_page(self, address: str) -> str:
        return ""

    async def remove(self, source: str) -> bool:
        return False

    async def refresh(self, source: Source) -> None: ...

    async def pause(self, paused: bool) -> None: ...

    def observe(self, observer: Callable[[], object]) -> Callable[[], None]:
        return lambda: None


def document(path: str, count: int = 200) -> Reading:
    found = tuple(
        KnownPassage(f"f.{n}", f"Number {n} 🫖 stands here.\n\n", n * 30, n + 1)
        for n in range(count)
    )
    return Reading(KnownFile("f", "s", path, Path(path).name, ""), SourceKind.FILE, found)


def show(qtbot: QtBot, reading: Reading | None, passage: str) -> tuple[ReadingWindow, list[str]]:
    opened: list[str] = []

    def open_url(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return True

    window = ReadingWindow(LIGHT, Documents(reading), open_url)
    qtbot.addWidget(window)
    asyncio.run(window._read("f", passage))
    return window, opened


def test_the_passage_is_marked_and_the_rest_is_near(qtbot: QtBot) -> None:
    window, _ = show(qtbot, document("/a/notes.txt"), "f.100")
    (mark,) = window.text.extraSelections()
    assert mark.cursor.selectedText() == "Number 100 🫖 stands here."
    text = window.text.toPlainText()
    assert f"Number {100 - AROUND} " in text and f"Number {100 - AROUND - 1} " not in text
    window.before.click()
    assert f"Number {100 - AROUND - 1} " in window.text.toPlainText()
    window.after.click()
    assert f"Number {100 + 2 * AROUND} " in window.text.toPlainText()
    (mark,) = window.text.extraSelections()
    assert mark.cursor.selectedText() == "Number 100 🫖 stands here."
    window.after.click()
    window.before.click()
    assert not window.after.isVisible() and not window.before.isVisible()


def test_the_original_opens_after_a_look(qtbot: QtBot) -> None:
    window, opened = show(qtbot, document("/a/notes.txt"), "f.1")
    window.open.click()
    assert opened == [] and "/a/notes.txt" in window.undo.text.text()
    window.undo.button.click()
    assert opened == ["/a/notes.txt"]


def test_what_could_run_is_not_opened(qtbot: QtBot) -> None:
    window, opened = show(qtbot, document("/a/harmful.py"), "f.1")
    window.open.click()
    window.undo.button.click()
    assert opened == ["/a"]


def test_what_is_gone_is_said(qtbot: QtBot) -> None:
    window, _ = show(qtbot, None, "f.1")
    assert "any more" in window.heading.text() and not window.open.isVisible()
    window, _ = show(qtbot, document("/a/notes.txt"), "f.other")
    assert "changed or forgotten" in window.place.text()
