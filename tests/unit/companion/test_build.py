"""The committed model is the output of the generator, and it contains what the app needs."""

import json
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from companion.build import build
from companion.stage import Shot, render
from PIL import Image

NEO = Path(__file__).parents[3] / "assets/companion/neo"
MODEL = NEO / "neo.model3.json"

EXPRESSIONS = {
    "neutral",
    "smile",
    "joy",
    "shy",
    "sad",
    "cry",
    "angry",
    "surprised",
    "sleepy",
    "wink",
    "thinking",
    "love",
    "dizzy",
}
GROUPS = {
    "Idle",
    "Greet",
    "Wave",
    "Nod",
    "Shake",
    "Think",
    "Work",
    "Listen",
    "Happy",
    "Sorry",
    "Sleep",
    "Wake",
    "TapHead",
    "TapBody",
    "TapTail",
    "TapHandL",
    "TapHandR",
    "TapCheekL",
    "TapCheekR",
    "Purr",
    "Dizzy",
    "ShakeOff",
    "Dance",
    "Ask",
    "Shy",
    "Surprised",
    "Stretch",
    "Sneeze",
    "WalkLeft",
    "WalkRight",
    "Sit",
    "Fall",
    "Landing",
    "Held",
    "Dragged",
    "Groggy",
    "Sleepy",
    "Type",
    "Groove",
    "Lie",
    "PeekLeft",
    "PeekRight",
    "Bridge",
}

# Loads, plays and updates everything without a window; a broken model ends the process.
PLAY = """
import sys
import live2d
live2d.enableLog(False)
live2d.init()
model = live2d.Model()
model.LoadModelJson(sys.argv[1], False)
assert model.HasMocConsistencyFromFile(sys.argv[1].replace("model3.json", "moc3"))
for name in model.GetExpressions():
    model.SetExpression(name)
    for _ in range(15):
        model.Update(1 / 30)
for group, count in model.GetMotionGroups().items():
    for index in range(count):
        model.StartMotion(group, index, 3)
        for _ in range(330):
            model.Update(1 / 30)
low, high = 1e9, -1e9
for index in range(len(model.GetDrawableIds())):
    points = model.GetDrawableVertices(index)
    low, high = min(low, *points), max(high, *points)
print("PLAYED", low, high)
"""

# Interrupts every motion after two seconds; parameters that Idle does not move must then be at
# rest.
BREAK_OFF = """
import sys
import live2d
live2d.enableLog(False)
live2d.init()
model = live2d.Model()
model.LoadModelJson(sys.argv[1], False)
signs = [f"Param{name}" for name in sys.argv[2:]]
for group, count in model.GetMotionGroups().items():
    for index in range(count):
        model.StartMotion(group, index, 3)
        for _ in range(60):
            model.Update(1 / 30)
        model.StartMotion("Idle", 0, 3)
        for _ in range(60):
            model.Update(1 / 30)
        left = {name: model.GetParamValueById(name) for name in signs}
        left = {name: value for name, value in left.items() if abs(value) > 0.01}
        assert not left, (group, index, left)
print("RESTED")
"""
SIGNS = (
    "Question",
    "Note",
    "Heart",
    "Dizzy",
    "Sparkle",
    "SleepZ",
    "Anger",
    "Sweat",
    "Surprise",
    "Wisp",
    "Panel",
    "Squash",
    "BaseX",
    "BaseY",
    "O",
    "U",
    "EyeForm",
    "Curl",
    "Paws",
    "Legs",
    "StepL",
    "StepR",
    "BaseAngle",
    "Shoulder",
    "StrideL",
    "StrideR",
    "LiftL",
    "LiftR",
)


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(MODEL.read_text(encoding="utf-8"))
    return document


def filters(file: Path) -> set[int]:
    """The filters of the rows of a PNG (RGBA) whose pixels are one block."""
    content = file.read_bytes()
    width = int.from_bytes(content[16:20])
    at = content.index(b"IDAT")
    block = content[at + 4 : at + 4 + int.from_bytes(content[at - 4 : at])]
    return set(zlib.decompressobj().decompress(block)[:: 4 * width + 1])


def test_a_rebuild_gives_the_committed_files(tmp_path: Path) -> None:
    build(tmp_path)
    built = {p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file()}
    committed = {p.relative_to(NEO) for p in NEO.rglob("*") if p.is_file()}
    assert built == committed
    for name in sorted(built):
        if name.suffix == ".png":
            # Compressed bytes depend on the installed zlib; the pixels must be equal.
            fresh, kept = Image.open(tmp_path / name), Image.open(NEO / name)
            assert np.array_equal(np.asarray(fresh), np.asarray(kept)), name
            assert filters(NEO / name) == {0}, "slower to read at every start"
        else:
            assert (tmp_path / name).read_bytes() == (NEO / name).read_bytes(), name


def test_every_expression_and_motion_plays() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLAY, str(MODEL)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("PLAYED"))
    low, high = (float(value) for value in line.split()[1:])
    assert -1.0 < low < high < 1.0


def test_an_interrupted_motion_leaves_nothing_behind() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BREAK_OFF, str(MODEL), *SIGNS],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and "RESTED" in done.stdout, done.stderr


def test_it_draws_a_figure() -> None:
    try:
        rest, turned = render(MODEL, [Shot(), Shot(values={"ParamAngleX": 30})], 342, 396, 60)
    except RuntimeError as error:
        if "EGL" in str(error):
            pytest.skip("no EGL here")
        raise
    drawn = np.asarray(rest).astype(int)
    covered = (np.abs(drawn - drawn[0, 0]).sum(axis=2) > 24).mean()
    assert 0.25 < covered < 0.6
    assert np.abs(drawn - np.asarray(turned)).sum() > 0


def test_it_has_everything_that_the_app_requests(settings: dict[str, Any]) -> None:
    references = settings["FileReferences"]
    assert {e["Name"] for e in references["Expressions"]} >= EXPRESSIONS
    assert set(references["Motions"]) == GROUPS
    assert len(references["Motions"]["Idle"]) == 13
    groups = {group["Name"]: group["Ids"] for group in settings["Groups"]}
    assert groups == {
        "EyeBlink": ["ParamEyeLOpen", "ParamEyeROpen"],
        "LipSync": ["ParamMouthOpenY"],
    }
    assert {area["Name"] for area in settings["HitAreas"]} == {
        "CheekL",
        "CheekR",
        "Head",
        "Body",
        "Tail",
        "HandL",
        "HandR",
    }


def test_every_expression_and_motion_has_a_short_note(settings: dict[str, Any]) -> None:
    side = json.loads((NEO / "neodeskpet.json").read_text("utf-8"))
    references = settings["FileReferences"]
    assert list(side["expressions"]) == [one["Name"] for one in references["Expressions"]]
    motions = references["Motions"].items()
    assert set(side["motions"]) == {f"{g}:{i}" for g, all_ in motions for i in range(len(all_))}
    # A language model doesn't choose these.
    by_itself = {*(f"Bridge:{n}" for n in range(5)), *(f"Idle:{n}" for n in range(6, 13))}
    for motion, note in (*side["expressions"].items(), *side["motions"].items()):
        assert (0 if motion in by_itself else 1) <= len(note["about"].split()) <= 4, note
        assert 1 <= len(note["abouts"]["zh_CN"]) <= 8, note


def test_every_named_file_exists_and_has_several_lines(settings: dict[str, Any]) -> None:
    references = settings["FileReferences"]
    single = ("Moc", "Physics", "Pose", "UserData", "DisplayInfo")
    files = [references[key] for key in single] + references["Textures"]
    files += [entry["File"] for entry in references["Expressions"]]
    files += [entry["File"] for group in references["Motions"].values() for entry in group]
    for name in files:
        path = NEO / name
        assert path.is_file(), name
        if path.suffix == ".json":
            # The framework fails on one-line JSON.
            assert path.read_text(encoding="utf-8").count("\n") > 2, name
