from __future__ import annotations

import json
from pathlib import Path

from neodeskpet.figure.files.file_lookup import MOST_UNLISTED
from neodeskpet.figure.files.model_reader import describe_model
from tests.unit.figure.models import make_model, make_old_model, motion, write_json


def test_files_that_the_settings_do_not_name_are_found(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    expression = {"Parameters": [{"Id": "ParamCheek", "Value": 1}]}
    for name in ("blush", "sub/wink", "sub/smile"):
        write_json(file.parent / f"{name}.exp3.json", expression)
    for name in ("wave_01", "wave_02", "sub/Dance", "07"):
        write_json(file.parent / f"{name}.motion3.json", motion())
    found = describe_model(file)
    assert found.expressions == ("smile", "sad", "blush", "smile 2", "wink")
    assert found.motions == {"Idle": 1, "TapHead": 2, "07": 1, "wave": 2, "Dance": 1}
    assert found.dropped == ()


def test_broken_ones_are_left_out(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    (file.parent / "bad.exp3.json").write_text("{")
    found = describe_model(file)
    assert found.expressions == ("smile", "sad")
    assert [one.file for one in found.dropped] == ["bad.exp3.json"]


def test_a_listed_one_that_is_broken_is_not_added_again(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    (file.parent / "sad.exp3.json").write_text("{")
    found = describe_model(file)
    assert found.expressions == ("smile",)
    assert len(found.dropped) == 1


def test_also_in_cubism_2(tmp_path: Path) -> None:
    file = make_old_model(tmp_path / "old")
    write_json(file.parent / "f02.exp.json", {"params": [{"id": "P", "val": 1}]})
    (file.parent / "flick.mtn").write_text("PARAM_X=0,1,2\n")
    found = describe_model(file)
    assert found.expressions == ("f01", "f02")
    assert found.motions["flick"] == 1


def test_files_of_another_model_are_not_added(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    inner = make_model(file.parent / "inner").parent
    write_json(inner / "extra.motion3.json", motion())
    assert describe_model(file).motions == {"Idle": 1, "TapHead": 2}
    write_json(file.parent / "extra.motion3.json", motion())
    (file.parent / "twin.model3.json").write_text(file.read_text())
    assert "extra" not in describe_model(file).motions, "its model is unknown"


def test_their_number_is_limited(tmp_path: Path) -> None:
    file = make_model(tmp_path / "toy")
    text = json.dumps({"Parameters": []})
    for number in range(MOST_UNLISTED + 50):
        (file.parent / f"e{number:04}x.exp3.json").write_text(text)
    assert len(describe_model(file).expressions) <= MOST_UNLISTED + 2
