"""The allowed folders, and the warnings about them."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from neodeskpet.ui.settings.files_page import FilesPage
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.settings.doubles import live_settings, section


def test_a_whole_home_folder_causes_a_warning(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = FilesPage(section("files"), live_settings(tmp_path), LIGHT)
    qtbot.addWidget(page)
    page.retranslate()

    def warned(*folders: Path) -> str:
        page.port.change("files", "folders", tuple(map(str, folders)))
        page.setting_changed("files", "folders")
        return page.row.error_label.text()

    assert warned(tmp_path / "docs") == ""
    gone = tmp_path / "gone"
    for wide in (Path.home(), Path.home().parent):
        assert warned(wide).startswith(f"{wide} holds all of your home folder.")
        assert warned(wide, gone).endswith(f"Not there: {gone}")
