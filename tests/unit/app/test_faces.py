"""Faces are made from pictures of figures, once for each."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from neodeskpet.app.companion_manager import CompanionFaces
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from tests.support.scenario import play, until


class Studio:
    """Draws a figure; "torn" can't be drawn."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "figure.png"
        picture = QImage(40, 80, QImage.Format.Format_ARGB32)
        picture.fill(QColor("teal"))
        picture.save(str(self.file))
        self.drawn: list[str] = []

    async def draw(self, figure: str) -> Path:
        self.drawn.append(figure)
        if figure == "torn":
            raise KnownError(N_("The disk is full."))
        return self.file


def test_a_face_is_drawn_once_and_reported(qtbot: QtBot, tmp_path: Path) -> None:
    async def scenario() -> None:
        studio = Studio(tmp_path)
        faces = CompanionFaces(studio.draw)
        told: list[None] = []
        faces.changed.connect(lambda: told.append(None))
        assert faces.face_of("Blobby").isNull()
        assert faces.face_of("Blobby").isNull(), "it is being drawn"
        await until(lambda: len(told) == 1)
        assert not faces.face_of("Blobby").isNull()
        assert not (await faces.load("Blobby")).isNull()
        assert (await faces.load("torn")).isNull()
        assert (await faces.load("torn")).isNull()
        assert studio.drawn == ["Blobby", "torn"]
        await faces.close()

    play(scenario())
