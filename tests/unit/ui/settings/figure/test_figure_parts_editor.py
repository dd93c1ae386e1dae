from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.figure.files.figure_settings import (
    FigureSettings,
    PartSettings,
    apply_figure_settings,
)
from neodeskpet.figure.files.model_reader import DroppedFile
from neodeskpet.figure.poses import Pose
from neodeskpet.language import set_language
from neodeskpet.ui.settings.figure.figure_parts_editor import (
    POSE_LABELS,
    FigurePartRow,
    FigurePartsEditor,
)
from neodeskpet.ui.settings.figure.figure_ports import FigureParts
from neodeskpet.ui.theme import DARK, LIGHT
from tests.unit.figure.doubles import description

SIDE = FigureSettings().with_expression("smile", PartSettings(title="grin", poses=(Pose.HAPPY,)))
SIDE = SIDE.with_motion(("Wave", 1), PartSettings(title="Bow", about="deep"))


def parts(side: FigureSettings = SIDE, *, editable: bool = True) -> FigureParts:
    return FigureParts(apply_figure_settings(description(), side), side, editable)


@pytest.fixture
def editor(qtbot: QtBot) -> FigurePartsEditor:
    made = FigurePartsEditor(LIGHT)
    qtbot.addWidget(made)
    made.show_parts(parts())
    made.show()
    return made


def write(row: FigurePartRow, text: str) -> None:
    row.title.setText(text)
    row.title.textEdited.emit(text)
    row.title.editingFinished.emit()


def test_it_shows_names_notes_and_moments(editor: FigurePartsEditor) -> None:
    smile, bow = editor.expressions.rows["smile"], editor.motions.rows["Wave:1"]
    assert (smile.title.text(), smile.pose.value()) == ("grin", "happy")
    assert (bow.title.text(), bow.about.text(), bow.pose.value()) == ("Bow", "deep", "")
    assert editor.motions.rows["Nod:0"].title.text() == "Nod"
    assert editor.motions.rows["Wave:0"].title.text() == "Wave 1"
    assert "5" in editor.expressions.head.text()


def test_the_names_of_the_bundled_figure_follow_the_language(editor: FigurePartsEditor) -> None:
    editor.show_parts(parts(FigureSettings(), editable=False))
    assert editor.motions.chips["Wave:1"].text() == "goodbye 2"
    set_language("zh_CN")
    try:
        editor.retranslate()
        assert editor.motions.chips["Wave:1"].text() == "挥手道别 2"
        assert editor.expressions.chips["smile"].text() == "微笑"
    finally:
        set_language("en")


def test_it_opens_and_closes(editor: FigurePartsEditor) -> None:
    assert not editor.expressions.body.isVisible()
    editor.expressions.head.click()
    assert editor.expressions.body.isVisible()


def test_previews_use_the_models_own_names(editor: FigurePartsEditor) -> None:
    faces: list[str] = []
    acts: list[tuple[str, int]] = []
    editor.expression.connect(faces.append)
    editor.motion.connect(lambda group, index: acts.append((group, index)))
    editor.expressions.rows["smile"].play.click()
    editor.motions.rows["Wave:1"].play.click()
    editor.motions.rows["Idle:1"].play.click()
    assert faces == ["smile"]
    assert acts == [("Wave", 1), ("Idle", 1)]


def test_changes_are_reported(editor: FigurePartsEditor) -> None:
    told: list[FigureSettings] = []
    editor.noted.connect(told.append)
    write(editor.expressions.rows["sad"], "gloomy")
    assert told[-1].expressions["sad"].title == "gloomy"
    editor.show_parts(parts(told[-1]))
    row = editor.motions.rows["Nod:0"]
    row.pose.chosen.emit("greeting")
    assert told[-1].motions["Nod:0"].poses == (Pose.GREETING,)
    row.pose.chosen.emit("")
    row.about.setText("yes")
    row.about.textEdited.emit("yes")
    row.about.editingFinished.emit()
    assert told[-1].motions["Nod:0"] == PartSettings(about="yes")
    write(editor.expressions.rows["smile"], "smile")
    assert told[-1].expressions["smile"].title == "", "its own name again"


def test_rows_stay_while_the_model_does(editor: FigurePartsEditor) -> None:
    row = editor.expressions.rows["smile"]
    editor.show_parts(parts(FigureSettings()))
    assert editor.expressions.rows["smile"] is row
    assert row.title.text() == "smile"
    editor.show_parts(parts(editable=False))
    assert not editor.expressions.rows
    editor.show_parts(parts())
    assert editor.expressions.rows["smile"] is not row


def test_the_bundled_one_can_only_be_played(editor: FigurePartsEditor) -> None:
    editor.show_parts(parts(FigureSettings(), editable=False))
    editor.expressions.head.click()
    chip = editor.expressions.chips["smile"]
    assert chip.isVisible()
    assert chip.text() == "smile"
    faces: list[str] = []
    editor.expression.connect(faces.append)
    chip.click()
    assert faces == ["smile"]
    assert not editor.expressions.rows
    assert "keep their names" in editor.facts.text()


def test_many_rows_are_made_in_several_steps(editor: FigurePartsEditor, qtbot: QtBot) -> None:
    base = description()
    many = replace(base, expressions=tuple(f"e{number}" for number in range(100)))
    side = FigureSettings().with_expression("e99", PartSettings(title="the last"))
    editor.show_parts(FigureParts(apply_figure_settings(many, side), side))
    assert "100" in editor.expressions.head.text()
    assert 0 < len(editor.expressions.rows) < 100
    qtbot.waitUntil(lambda: len(editor.expressions.rows) == 100)
    assert editor.expressions.rows["e99"].title.text() == "the last"
    qtbot.waitUntil(lambda: "Wave:1" in editor.motions.rows)


def test_omissions_are_named(editor: FigurePartsEditor) -> None:
    shown = parts()
    dropped = replace(shown.description, dropped=(DroppedFile("pose.json", "It is empty."),))
    editor.show_parts(FigureParts(dropped, shown.side))
    assert "pose.json" in editor.facts.text()
    editor.show_parts(None)
    assert not editor.isVisible()


def test_narrow_dark_and_in_another_language(editor: FigurePartsEditor) -> None:
    editor.set_narrow(True)
    editor.set_theme(DARK)
    editor.retranslate()
    assert editor.expressions.rows["smile"].title.text() == "grin"
    assert set(POSE_LABELS) == set(Pose)
