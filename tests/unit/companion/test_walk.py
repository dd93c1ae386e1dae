"""A walk of the built figure: the standing foot keeps its place on the desktop."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from companion.body import LIFT, STRIDE

from neodeskpet.figure.behaviour.walking import Walk
from neodeskpet.figure.files.figure_settings import apply_figure_settings, read_figure_settings
from neodeskpet.figure.files.model_reader import describe_model

NEO = Path(__file__).parents[3] / "assets/companion/neo"
HEIGHT, FPS, STEPS = 340.0, 30, 12
CANVAS = 1533.0
"""The height of the figure in canvas pixels."""
SLIDES, LEAVES = 2.0, 0.5
"""Pixels that a standing foot may slide, and be above the ground."""

# It breathes, walks for that many frames, and stands: the parameters of its feet in each of them.
WALK = """
import json, sys
import live2d
live2d.enableLog(False)
live2d.init()
model = live2d.Model()
model.LoadModelJson(sys.argv[1], False)
def play(group, frames):
    model.StartMotion(group, 0, 3)
    seen = []
    for _ in range(frames):
        model.Update(1 / 30)
        seen.append([model.GetParamValueById(f"Param{name}") for name in sys.argv[4:]])
    return seen
play("Idle", 30)
print("FEET", json.dumps([*play(sys.argv[2], int(sys.argv[3])), *play("Idle", 30)]))
"""
WALKS = ("StrideL", "LiftL", "StrideR", "LiftR")
MOVED = ("StepL", "StepR", "Legs", "BaseX", "BaseY", "BaseAngle", "Squash", "Curl")
"""Further parameters that move the feet."""


@pytest.mark.parametrize("side", ["Left", "Right"])
def test_the_standing_foot_keeps_its_place(side: str) -> None:
    gait = apply_figure_settings(describe_model(NEO), read_figure_settings(NEO)).gait
    assert gait is not None
    far = STEPS * gait.length / 2 * HEIGHT
    walk = Walk(0.0, far if side == "Right" else -far, HEIGHT, gait=gait)
    places = [walk.x]
    while not walk.over:
        walk.advance(1 / FPS)
        places.append(walk.x)
    assert len(places) == pytest.approx(STEPS * gait.seconds / 2 * FPS + 1, abs=1)
    feet = _feet(side, len(places) - 1)  # It begins to stand with the last frame.
    on_desk = feet[..., 0] + np.array([*places, *[walk.x] * (len(feet) - len(places))])[:, None]
    each = round(gait.seconds / 2 * FPS)
    slides = []
    # From one double stand to the next one foot stands: first that of the side it comes from.
    for number, start in enumerate(range(-each // 2, len(feet) - each, each)):
        foot = (number + (side == "Right")) % 2
        if start >= len(places):
            break
        frames = slice(max(0, start), min(start + each, len(places) - 1) + 1)
        stands = on_desk[frames, foot]
        slides.append(float(stands.max() - stands.min()))
        assert abs(feet[frames, foot, 1]).max() < LEAVES, f"step {number} is in the air"
    assert len(slides) == STEPS + 1
    assert max(slides) < SLIDES
    last = (STEPS + (side == "Right")) % 2
    halts = on_desk[len(places) - 1 :, last]
    assert halts.max() - halts.min() < SLIDES, "nor does it slide after its arrival"


def _feet(side: str, frames: int) -> np.ndarray:
    """(frames, foot, x and height): how far the feet are from their place, in pixels of a figure of
    HEIGHT; a second longer than the walk.
    """
    arguments = [str(NEO / "neo.model3.json"), f"Walk{side}", str(frames), *WALKS, *MOVED]
    done = subprocess.run(
        [sys.executable, "-c", WALK, *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("FEET"))
    values = np.array(json.loads(line[5:]))
    assert abs(values[:, len(WALKS) :]).max() < 0.01, "something else moves its feet"
    reach = np.array([STRIDE, LIFT]) * HEIGHT / CANVAS
    return np.asarray(values[:, : len(WALKS)].reshape(-1, 2, 2) * reach)
