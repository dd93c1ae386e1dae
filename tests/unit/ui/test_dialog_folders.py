"""Where a file dialog starts."""

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from pytestqt.qtbot import QtBot

from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind


def test_it_starts_in_a_folder_of_the_user(qtbot: QtBot) -> None:
    for kind, place in (
        (FolderKind.DOCUMENTS, QStandardPaths.StandardLocation.DocumentsLocation),
        (FolderKind.PICTURES, QStandardPaths.StandardLocation.PicturesLocation),
    ):
        standard = Path(QStandardPaths.writableLocation(place))
        assert DialogFolders().start_folder(kind) == (
            standard if standard.is_dir() else Path.home()
        )


def test_then_in_the_last_used_folder(qtbot: QtBot, tmp_path: Path) -> None:
    folders = DialogFolders()
    told: list[tuple[str, str]] = []
    folders.chosen.connect(lambda kind, folder: told.append((kind, folder)))
    (tmp_path / "deep").mkdir()
    folders.remember(FolderKind.PICTURES, tmp_path / "deep" / "cat.png")
    folders.remember(FolderKind.PICTURES, tmp_path / "deep" / "dog.png")
    folders.restore(FolderKind.PICTURES, str(tmp_path))
    assert folders.start_folder(FolderKind.PICTURES) == tmp_path / "deep"
    assert told == [("pictures", str(tmp_path / "deep"))]
    (tmp_path / "deep").rmdir()
    assert folders.start_folder(FolderKind.PICTURES) != tmp_path / "deep"


def test_also_after_a_restart(qtbot: QtBot, tmp_path: Path) -> None:
    folders = DialogFolders()
    folders.restore(FolderKind.DOCUMENTS, str(tmp_path))
    assert folders.start_folder(FolderKind.DOCUMENTS) == tmp_path
