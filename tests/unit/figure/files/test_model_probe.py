from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from neodeskpet.figure.files.model_probe import BAD_WORD, OK_WORD, STEP_WORD, MotionReach
from tests.unit.figure.models import NEO, SETTINGS, copy_neo


def run(*arguments: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-m", "neodeskpet.figure.files.model_probe", *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


def test_a_valid_model_is_played_without_gl() -> None:
    code, lines = run(str(NEO / SETTINGS), "--no-gl")
    assert code == 0
    found = json.loads(lines[-1].removeprefix(OK_WORD))
    assert found["motions"]
    assert "reach" not in found
    steps = [line for line in lines if line.startswith(STEP_WORD)]
    assert len(steps) > len(found["expressions"]) + len(found["motions"])
    assert len(steps) == len(lines) - 1, "the library itself must not write"


def test_a_valid_model_is_drawn_if_there_is_gl() -> None:
    code, lines = run(str(NEO / SETTINGS))
    assert code == 0
    found = json.loads(lines[-1].removeprefix(OK_WORD))
    if "step draw" in lines:
        assert len(found["reach"]) == 4


def test_a_mesh_without_its_texture_is_reported(tmp_path: Path) -> None:
    folder = copy_neo(tmp_path / "neo")
    settings = folder / SETTINGS
    tree = json.loads(settings.read_text("utf-8"))
    tree["FileReferences"]["Textures"] = []
    settings.write_text(json.dumps(tree, indent=1), encoding="utf-8")
    code, lines = run(str(settings), "--no-gl")
    assert code == 1
    assert lines[-1].startswith(BAD_WORD)
    assert "texture" in lines[-1]


class _Boxes:
    def __init__(self, v3: bool) -> None:
        self.points = [0.0, 0.0, 2.0, 4.0]
        self.v3 = v3

    def GetDrawableIds(self) -> list[str]:
        return ["a"]

    def GetDrawableVertices(self, index: int) -> list[float]:
        return self.points

    def IsV3(self) -> bool:
        return self.v3


def test_the_reach_is_measured_in_shares() -> None:
    for v3 in (True, False):
        model = _Boxes(v3)
        reach = MotionReach(model)
        model.points = [-1.0, 0.0, 2.0, 6.0]
        reach.grow()
        # Up is a growing y in Cubism 3, a falling one in Cubism 2.
        assert reach.shares() == [0.5, 0.5 if v3 else 0.0, 0.0, 0.0 if v3 else 0.5]


def test_a_canvas_without_a_size_is_reported(tmp_path: Path) -> None:
    folder = copy_neo(tmp_path / "neo")
    moc = folder / "neo.moc3"
    data = bytearray(moc.read_bytes())
    canvas = int.from_bytes(data[68:72], "little")
    data[canvas + 12 : canvas + 20] = bytes(8)
    moc.write_bytes(data)
    code, lines = run(str(folder / SETTINGS), "--no-gl")
    assert code == 1
    assert lines[-1] == BAD_WORD + "Its canvas has no size."
