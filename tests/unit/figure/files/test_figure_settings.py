"""The side file: the user's settings of a figure, without changing the figure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.figure.files.figure_settings import (
    FIGURE_SETTINGS_FILE,
    FigureSettings,
    HitAreaSettings,
    PartSettings,
    apply_figure_settings,
    read_figure_settings,
    write_figure_settings,
)
from neodeskpet.figure.files.model_reader import HitArea, describe_model
from neodeskpet.figure.poses import Pose
from neodeskpet.language import set_language
from tests.unit.figure.doubles import description
from tests.unit.figure.models import make_model

SIDE = (
    FigureSettings(
        size=1.5,
        offset=(0.1, -0.2),
        areas=(HitAreaSettings(name="Nose", box=(0.4, 0.1, 0.6, 0.2)),),
    )
    .with_expression("smile", PartSettings(title="grin", about="all teeth", poses=(Pose.HAPPY,)))
    .with_motion(
        ("Wave", 1), PartSettings(title="Bow", about="deep", poses=(Pose.SORRY, Pose.GREETING))
    )
)


def test_it_is_written_and_read(tmp_path: Path) -> None:
    assert read_figure_settings(tmp_path) == FigureSettings()
    write_figure_settings(tmp_path, SIDE)
    assert read_figure_settings(tmp_path) == SIDE
    assert [path.name for path in tmp_path.iterdir()] == [FIGURE_SETTINGS_FILE]


@pytest.mark.parametrize("content", ["", "[]", '{"size": 900}', '{"areas": [{"name": ""}]}', "{"])
def test_a_broken_file_is_reported_and_ignored(tmp_path: Path, content: str) -> None:
    file = make_model(tmp_path / "toy")
    (file.parent / FIGURE_SETTINGS_FILE).write_text(content)
    with pytest.raises(ValueError, match=r"\w"):
        read_figure_settings(file.parent)
    found = describe_model(file)
    assert [one.file for one in found.dropped] == [FIGURE_SETTINGS_FILE]
    assert found.expressions == ("smile", "sad")


def test_descriptions_are_in_the_users_language() -> None:
    note = PartSettings(about="all teeth", abouts={"zh_CN": "露齿"})
    side = FigureSettings().with_expression("smile", note)
    try:
        said = []
        for name in ("zh_CN", "en"):
            set_language(name)
            said.append(apply_figure_settings(description(), side).notes.expressions["smile"])
    finally:
        set_language("en")
    assert said == ["露齿", "all teeth"]


def test_a_folder_of_its_name_is_ignored(tmp_path: Path) -> None:
    (tmp_path / FIGURE_SETTINGS_FILE).mkdir()
    assert read_figure_settings(tmp_path) == FigureSettings()
    with pytest.raises(OSError, match=r"\w"):
        write_figure_settings(tmp_path, SIDE)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_description_contains_the_users_names() -> None:
    found = apply_figure_settings(
        replace(description(), hit_areas=(HitArea("Nose", "Mesh1"),)), SIDE
    )
    assert found.expressions == ("neutral", "grin", "sad", "thinking", "surprised")
    assert found.own_expression("grin") == "smile"
    assert found.own_expression("sad") == "sad"
    assert found.shown_expression("smile") == "grin"
    assert found.shown_expression("sad") == "sad"
    assert found.shown_motion(("Wave", 1)) == ("Bow", 0)
    assert found.shown_motion(("Idle", 1)) == ("Idle", 1)
    assert found.motions == {"Idle": 2, "Nod": 1, "TapHead": 1, "Wave": 1, "Bow": 1}
    assert found.own_motion(("Bow", 0)) == ("Wave", 1)
    assert found.own_motions == {"Idle": 2, "Nod": 1, "TapHead": 1, "Wave": 2}
    assert found.notes.expressions == {"grin": "all teeth"}
    assert found.notes.motions == {"Bow": "deep"}
    assert found.face_for(Pose.HAPPY) == "grin"
    assert found.face_for(Pose.SORRY) == "sad"
    assert found.moods.motions[Pose.SORRY] == (("Bow", 0),)
    assert found.hit_areas == (HitArea("Nose", "", (0.4, 0.1, 0.6, 0.2)),)
    assert (found.size, found.offset) == (1.5, (0.1, -0.2))


def test_describe_uses_the_settings(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    side = FigureSettings().with_motion(("TapHead", 0), PartSettings(title="Purr"))
    before = describe_model(file)
    write_figure_settings(file.parent, side.with_expression("gone", PartSettings(title="x")))
    found = describe_model(file)
    assert found.motions == {"Idle": 1, "Purr": 1, "TapHead": 1}
    assert found.own_motion(("TapHead", 0)) == ("TapHead", 1)
    assert found.expressions == ("smile", "sad")
    assert found.drives["Purr", 0] == before.drives["TapHead", 0]
    assert found.settings == before.settings, "the guard's verdict stays"


def test_two_figures_of_one_name_have_separate_settings() -> None:
    side = FigureSettings().with_expression("smile", PartSettings(title="sad"))
    side = side.with_expression("thinking", PartSettings(title="x"))
    side = side.with_expression("surprised", PartSettings(title="x"))
    found = apply_figure_settings(description(), side)
    assert found.expressions == ("neutral", "smile", "sad", "x", "surprised")


def test_of_several_choices_for_a_pose_the_last_one_counts() -> None:
    side = SIDE.with_expression("sad", PartSettings(poses=(Pose.HAPPY,)))
    assert apply_figure_settings(description(), side).face_for(Pose.HAPPY) == "sad"
    assert side.expressions["smile"].title == "grin"
    assert side.with_expression("sad", PartSettings()).expressions.keys() == {"smile"}


_NOTE = st.builds(
    PartSettings,
    title=st.sampled_from(["", "a", "b", "smile", "Nod"]),
    poses=st.lists(st.sampled_from(list(Pose)), max_size=3).map(tuple),
)


@given(
    st.dictionaries(st.sampled_from(["neutral", "smile", "sad", "gone"]), _NOTE),
    st.dictionaries(st.sampled_from(["Idle:0", "Idle:1", "Nod:0", "Wave:1", "x", "Gone:7"]), _NOTE),
)
def test_every_own_name_is_shown_once(
    expressions: dict[str, PartSettings], motions: dict[str, PartSettings]
) -> None:
    plain = description()
    found = apply_figure_settings(plain, FigureSettings(expressions=expressions, motions=motions))
    assert sorted(found.own_expressions) == sorted(plain.expressions)
    assert len(set(found.expressions)) == len(found.expressions)
    shown = [(group, index) for group, n in found.motions.items() for index in range(n)]
    own = [(group, index) for group, n in plain.motions.items() for index in range(n)]
    assert sorted(found.own_motion(motion) for motion in shown) == sorted(own)
    assert set(found.moods.expressions.values()) <= set(found.expressions)
    assert {one for several in found.moods.motions.values() for one in several} <= set(shown)
