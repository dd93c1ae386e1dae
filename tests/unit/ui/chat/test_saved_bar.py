"""Where a file was written."""

from pathlib import Path

from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.saved_bar import SavedBar
from neodeskpet.ui.theme import DARK, LIGHT


def test_it_says_where_and_opens_the_folder(qtbot: QtBot, tmp_path: Path) -> None:
    opened: list[QUrl] = []

    def opens(url: QUrl) -> bool:
        opened.append(url)
        return True

    bar = SavedBar(LIGHT, open_url=opens)
    qtbot.addWidget(bar)
    assert bar.isHidden()
    bar.tell(tmp_path / "talk.md")
    bar.set_theme(DARK)
    assert bar.text.whole() == f"Saved as {tmp_path / 'talk.md'}"
    bar.open.click()
    assert opened == [QUrl.fromLocalFile(str(tmp_path))]
    assert bar.isHidden()
    bar.tell(tmp_path / "talk.md")
    bar.close_it.click()
    assert bar.isHidden()
    bar.tell_printed("Laser")
    assert bar.text.whole() == "Sent to the printer Laser"
    assert bar.open.isHidden() and not bar.isHidden()
    bar.tell(tmp_path / "talk.md")
    assert bar.text.whole().startswith("Saved as") and not bar.open.isHidden()
