"""The library's model can't crash the process. Calls that might do so run in a child process."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.live2d.guarded_model import fade_outs
from neodeskpet.figure.live2d.library import CubismModel, new_model
from tests.unit.figure.models import NEO

_LOAD = f"""
from pathlib import Path
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.live2d.library import new_model
found = describe_model(Path({str(NEO)!r}))
model = new_model(found.settings, str(found.root))
model.Resize(10, 10)
"""


def child(code: str) -> str:
    """Return what it printed. It must end normally."""
    done = subprocess.run([sys.executable, "-c", _LOAD + code], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def load() -> CubismModel:
    found = describe_model(NEO)
    model = new_model(found.settings, str(found.root))
    model.Resize(10, 10)
    model.SetAutoBlink(False)
    model.SetAutoBreath(False)
    return model


def test_a_motion_again_near_its_end() -> None:
    said = child("""
for times in (1, 2, 3):
    model.StartMotion("Happy", 0, 3)
    for _ in range(58):
        model.Update(0.05)
    for _ in range(times):
        model.StartMotion("Happy", 0, 3)
    began = model.IsMotionFinished()
    for _ in range(400):
        model.Update(0.05)
    print(times, began, model.IsMotionFinished())
    model = new_model(found.settings, str(found.root))
    model.Resize(10, 10)
""")
    assert said.splitlines() == ["1 False True", "2 False True", "3 False True"]


def test_a_motion_again_near_its_end_after_another() -> None:
    said = child("""
model.StartMotion("Happy", 0, 3)
for _ in range(58):
    model.Update(0.05)
model.StartMotion("Nod", 0, 3)
model.Update(0.05)
model.StartMotion("Happy", 0, 3)
began = model.IsMotionFinished()
for _ in range(400):
    model.Update(0.05)
print(began, model.IsMotionFinished())
""")
    assert said == "False True\n"


def test_a_motion_again_fades_from_the_run_before() -> None:
    def jolt(*, cut: bool) -> float:
        """The greatest change of speed of any parameter around the start, in parts of its range."""
        model = load()
        names = model.GetParamIds()
        spans = [model.GetParamMaxById(n) - model.GetParamMinById(n) or 1.0 for n in names]
        seen: list[list[float]] = []

        def frames(count: int) -> None:
            for _ in range(count):
                model.Update(1 / 30)
                seen.append(
                    [model.GetParamValueById(n) / s for n, s in zip(names, spans, strict=True)]
                )

        model.StartMotion("Work", 0, 3)
        while not model.IsMotionFinished():
            frames(1)
        length = len(seen)
        model.StartMotion("Work", 0, 3)
        frames(length - 15)
        if cut:
            model.StopAllMotions()
        at = len(seen)
        model.StartMotion("Work", 0, 3)
        frames(20)
        return max(
            abs(after - 2 * middle + before)
            for moment in range(at - 1, at + 18)
            for before, middle, after in zip(*seen[moment - 1 : moment + 2], strict=True)
        )

    assert jolt(cut=False) < jolt(cut=True) / 2


def test_an_idle_motion_starts_after_a_stop() -> None:
    model = load()
    model.StartMotion("Happy", 0, 3)
    model.Update(0.1)
    model.StopAllMotions()
    model.StartMotion("Idle", 0, 1)
    assert not model.IsMotionFinished()


def test_a_motion_of_low_priority_does_not_interrupt_a_running_one() -> None:
    model = load()
    model.StartMotion("Happy", 0, 3)
    model.Update(0.1)
    model.StartMotion("Idle", 0, 1)
    lengths = [0, 0]
    while not model.IsMotionFinished():
        model.Update(0.1)
        lengths[0] += 1
    model.StartMotion("Happy", 0, 3)
    while not model.IsMotionFinished():
        model.Update(0.1)
        lengths[1] += 1
    assert abs(lengths[0] - lengths[1]) <= 1


@pytest.mark.parametrize(("group", "no"), [("Happy", 1), ("Happy", -1), ("No such", 0)])
def test_a_missing_motion_does_nothing(group: str, no: int) -> None:
    model = load()
    model.StartMotion(group, no, 3)
    assert model.IsMotionFinished()


def test_it_returns_the_motions_of_the_settings() -> None:
    assert load().GetMotionGroups() == dict(describe_model(NEO).motions)


def test_drawing_without_a_renderer_is_an_error() -> None:
    with pytest.raises(RuntimeError):
        load().Draw()
    model = load()
    model.DestroyRenderer()
    with pytest.raises(RuntimeError):
        model.Draw()


def test_a_renderer_without_gl_is_an_error() -> None:
    said = child("""
try:
    model.CreateRenderer()
except RuntimeError as error:
    print(error)
""")
    assert "GL" in said


def test_a_missing_mesh_is_an_error() -> None:
    model = load()
    for index in (-1, len(model.GetDrawableIds())):
        with pytest.raises(IndexError):
            model.GetDrawableVertices(index)


def test_fade_outs_are_read_from_the_settings() -> None:
    tree = json.loads(describe_model(NEO).settings)
    known = fade_outs(tree)
    assert known["Happy", 0] == pytest.approx(0.3)
    old = {
        "model": "a.moc",
        "motions": {"idle": [{"file": "a.mtn", "fade_out": 500}, {"file": "b"}]},
    }
    assert fade_outs(old) == {("idle", 0): 0.5}
    assert fade_outs({"FileReferences": {}}) == {}
