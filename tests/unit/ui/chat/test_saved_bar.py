"""The bar that says where a file was written."""

from pathlib import Path

from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.notice_bars import ExportBar
from neodeskpet.ui.theme import DARK, LIGHT


def test_it_shows_the_place_and_opens_the_folder(qtbot: QtBot, tmp_path: Path) -> None:
    opened: list[QUrl] = []

    def opens(url: QUrl) -> bool:
        opened.append(url)
        return True

    bar = ExportBar(LIGHT, open_url=opens)
    qtbot.addWidget(bar)
    assert bar.isHidden()
    bar.show_saved(tmp_path / "talk.md")
    bar.set_theme(DARK)
    assert bar.text.full_text() == f"Saved as {tmp_path / 'talk.md'}"
    bar.open.click()
    assert opened == [QUrl.fromLocalFile(str(tmp_path))]
    assert bar.isHidden()
    bar.show_saved(tmp_path / "talk.md")
    bar.close_button.click()
    assert bar.isHidden()
    bar.show_printed("Laser")
    assert bar.text.full_text() == "Sent to the printer Laser"
    assert bar.open.isHidden() and not bar.isHidden()
    bar.show_saved(tmp_path / "talk.md")
    assert bar.text.full_text().startswith("Saved as") and not bar.open.isHidden()
