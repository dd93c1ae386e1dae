"""The user imports a model in the settings, names its parts, and removes it."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest

from neodeskpet.figure.files.figure_settings import read_figure_settings
from neodeskpet.figure.poses import Pose
from neodeskpet.ui.settings.figure.figure_page import FigurePage
from neodeskpet.ui.settings.figure.model_tile import ModelTileButton
from neodeskpet.ui.widgets.controls import TextEntry
from tests.bench.mutations import small_neo
from tests.support.desk import DeskStory

Play = Callable[..., None]


def companion_page(person: DeskStory) -> FigurePage:
    person.desk.side_windows.settings.present("companion")
    page = person.desk.side_windows.settings.pages["companion"]
    assert isinstance(page, FigurePage)
    return page


def drop(page: FigurePage, file: Path) -> None:
    """Drop a file on the models."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    page.gallery.dropEvent(
        QDropEvent(
            QPointF(9, 9),
            Qt.DropAction.CopyAction,
            mime,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )


def write(entry: TextEntry, text: str) -> None:
    entry.selectAll()
    QTest.keyClicks(entry, text)
    QTest.keyClick(entry, Qt.Key.Key_Return)


def titles(page: FigurePage) -> list[str]:
    return [tile.text() for tile in page.gallery.flow.findChildren(ModelTileButton)]


def faces_on_offer(person: DeskStory) -> list[str]:
    """The names of the expressions that the model is offered."""
    specs = {spec.name: spec for spec in person.desk.engine.tools.toolbox.specs()}
    schema = json.loads(json.dumps(specs["live2d.expression"].parameters))
    return list(schema["properties"]["name"]["enum"])


def test_a_model_of_the_users_own(desk_story: Play, tmp_path: Path) -> None:
    source = small_neo(tmp_path / "source")
    (source / "neo.model3.json").rename(source / "Mochi.model3.json")
    good = Path(shutil.make_archive(str(tmp_path / "mochi"), "zip", source))
    evil = tmp_path / "evil.zip"
    with zipfile.ZipFile(evil, "w") as archive:
        archive.write(source / "Mochi.model3.json", "Mochi.model3.json")
        archive.writestr("../outside.txt", "here I am")

    async def story(person: DeskStory) -> None:
        desk, pet = person.desk, person.desk.companion.pet
        page = companion_page(person)
        await person.until(pet.expressions, "the figure has no names")
        await person.until(lambda: page.editor.isVisible(), "nothing is shown of it")
        neos = pet.expressions()

        drop(page, evil)
        await person.until(lambda: page.gallery.wrong.isVisible(), "nothing is said")
        assert "evil.zip" in page.gallery.wrong.text()
        assert "path outside its folder: ../outside.txt" in page.gallery.wrong.text()
        assert not (tmp_path / "models" / "outside.txt").exists()
        assert list((tmp_path / "models").iterdir()) == []
        assert pet.expressions() == neos
        assert desk.engine.settings.settings.companion.model == ""
        assert faces_on_offer(person) == neos

        await person.until(page.gallery.bring.isEnabled, "it goes on checking")
        drop(page, good)
        assert page.gallery.busy.isVisible()
        desk.side_windows.settings.present("appearance")  # changing the page doesn't end it
        companion_page(person)
        kept = tmp_path / "models" / "Mochi"
        await person.until(lambda: pet.expressions() != neos, "it wasn't brought", timeout=120)
        assert desk.engine.settings.settings.companion.model == str(kept)
        shown = "what it can do isn't shown"
        await person.until(lambda: "Mochi" in titles(page) and page.areas.isVisible(), shown)
        assert not page.gallery.wrong.isVisible()

        own = pet.expressions()[0]
        row = page.editor.expressions.rows[own]
        person.click(page.editor.expressions.head)
        write(row.title, "calm")
        row.pose.set_value(str(Pose.THINKING))
        row.pose.activated.emit(row.pose.currentIndex())
        person.click(row.play)
        await person.until(lambda: "calm" in pet.expressions(), "the name didn't reach the figure")
        note = read_figure_settings(kept).expressions[own]
        assert (note.title, note.poses) == ("calm", (Pose.THINKING,))
        assert pet.description is not None
        assert pet.description.face_for(Pose.THINKING) == "calm"
        assert faces_on_offer(person) == pet.expressions()

        person.click(page.gallery.remove)
        assert "Delete Mochi from this computer?" in page.gallery.state.text()
        person.click(page.gallery.sure)
        await person.until(lambda: pet.expressions() == neos, "the bundled one didn't come back")
        assert not kept.exists()
        await person.until(lambda: "Mochi" not in titles(page), "its tile is still there")

    desk_story(story, limit=240)
