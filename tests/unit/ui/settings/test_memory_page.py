"""How many texts have embeddings, in plain words."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from neodeskpet.core.errors import Unreachable
from neodeskpet.memory.vectors.vector_indexer import EmbeddingProgress
from neodeskpet.platform.observers import Observers
from neodeskpet.ui.settings.memory_page import MemoryPage
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.settings.doubles import live_settings, section


class Meaning:
    def __init__(self) -> None:
        self.changed: Observers[[]] = Observers()
        self.progress = EmbeddingProgress()

    def tell(self, progress: EmbeddingProgress) -> None:
        self.progress = progress
        self.changed.notify()


def test_it_shows_the_progress(qtbot: QtBot, tmp_path: Path) -> None:
    meaning, known = Meaning(), Meaning()
    page = MemoryPage(section("memory"), live_settings(tmp_path), (meaning, known), LIGHT)
    qtbot.addWidget(page)
    page.retranslate()
    assert "nothing is sent" in page.progress.text()
    meaning.tell(EmbeddingProgress(1200, 3000, "embed-1"))
    assert "1,200 of 3,000 texts are indexed by embed-1" in page.progress.text()
    meaning.tell(EmbeddingProgress(1200, 3000, "embed-1", Unreachable(reason="x")))
    assert "Paused; it continues automatically" in page.progress.text()
    meaning.tell(EmbeddingProgress(3000, 3000, "embed-1"))
    assert page.progress.text() == "Meaning: all 3,000 texts are indexed by embed-1."
    known.tell(EmbeddingProgress(20, 40, "embed-1"))
    assert "\nMeaning of documents: 20 of 40 texts are indexed by embed-1" in page.progress.text()
    meaning.tell(EmbeddingProgress())
    assert page.progress.text().startswith("Meaning of documents: 20 of 40")
    page.search("keep")
    assert page.progress.isHidden()
    page.search("")
    assert not page.progress.isHidden()


def test_a_closed_page_is_not_notified(qapp: QApplication, tmp_path: Path) -> None:
    meaning, known = Meaning(), Meaning()
    page = MemoryPage(section("memory"), live_settings(tmp_path), (meaning, known), LIGHT)
    delete(page)
    meaning.tell(EmbeddingProgress(1, 2, "m"))
