"""Where a file dialog starts."""

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from pytestqt.qtbot import QtBot

from neodeskpet.ui.folders import Folders, Kind


def test_it_begins_in_a_folder_of_the_person(qtbot: QtBot) -> None:
    for kind, place in (
        (Kind.DOCUMENTS, QStandardPaths.StandardLocation.DocumentsLocation),
        (Kind.PICTURES, QStandardPaths.StandardLocation.PicturesLocation),
    ):
        standard = Path(QStandardPaths.writableLocation(place))
        assert Folders().of(kind) == (standard if standard.is_dir() else Path.home())


def test_then_where_they_went_last_time(qtbot: QtBot, tmp_path: Path) -> None:
    folders = Folders()
    told: list[tuple[str, str]] = []
    folders.chosen.connect(lambda kind, folder: told.append((kind, folder)))
    (tmp_path / "deep").mkdir()
    folders.keep(Kind.PICTURES, tmp_path / "deep" / "cat.png")
    folders.keep(Kind.PICTURES, tmp_path / "deep" / "dog.png")
    folders.restore(Kind.PICTURES, str(tmp_path))
    assert folders.of(Kind.PICTURES) == tmp_path / "deep"
    assert told == [("pictures", str(tmp_path / "deep"))]
    (tmp_path / "deep").rmdir()
    assert folders.of(Kind.PICTURES) != tmp_path / "deep"


def test_also_after_a_new_start(qtbot: QtBot, tmp_path: Path) -> None:
    folders = Folders()
    folders.restore(Kind.DOCUMENTS, str(tmp_path))
    assert folders.of(Kind.DOCUMENTS) == tmp_path
