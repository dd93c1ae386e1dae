"""A walk of the built figure that is interrupted: its feet return under it step by step, and none
slides on the ground.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from companion.body import LIFT, STRIDE

from tests.support.unmeasured import unmeasured_children
from tests.unit.companion.test_walk import CANVAS, FPS, HEIGHT, LEAVES, MOVED, NEO, SLIDES, WALKS

ROUND = 24
"""The frames of two steps: the walk is interrupted at each of them."""
AFTER = 45
"""The number of frames after which it stands."""

# It walks for that many frames and gets another command, at every frame of two steps; the
# parameters of its feet, from the last frame of the walk until it walks again.
HALTS = """
import json, sys
from pathlib import Path
from random import Random
from neodeskpet.figure.live2d.model_actor import ModelActor
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.files.figure_settings import apply_figure_settings, read_figure_settings
from neodeskpet.figure.live2d.library import new_model
from neodeskpet.figure.poses import Pose

path, side, told, fps, between, after = sys.argv[1:7]
found = apply_figure_settings(describe_model(Path(path)), read_figure_settings(Path(path)))
model = new_model(found.settings, str(found.root))
now = 100.0
actor = ModelActor(model, found, Random(1), now)

def frames(count):
    global now
    seen = []
    for _ in range(int(count)):
        now += 1 / float(fps)
        actor.advance(now, 1 / float(fps))
        seen.append([model.GetParamValueById(f"Param{name}") for name in sys.argv[7:]])
    return seen

def tell(name):
    if name == "quiet":
        actor.quiet = True
    if name in ("idle", "quiet"):
        actor.pose(Pose.IDLE, now)
    elif name[0].isupper():
        actor.play(name, 0, now)
        actor.pose(Pose.IDLE, now)
    else:
        actor.pose(Pose(name), now)

runs = []
for late in range(int(between)):
    actor.quiet = False
    actor.pose(Pose.IDLE, now)
    now += 30  # whatever it was told is over
    actor.play("Nod", 0, now)
    frames(2 * float(fps))
    actor.pose(Pose.IDLE, now)
    now += 30
    frames(2 * float(fps))
    actor.pose(Pose(f"walking-{side}"), now)
    walked = frames(int(between) + late + 1)
    tell(told)
    run = walked[-1:]
    while len(run) <= int(after) and not (told.startswith("walking") and actor.walking):
        run += frames(1)
    runs.append(run + run[-1:] * (int(after) + 1 - len(run)))
print(json.dumps(runs))
"""


@pytest.mark.parametrize("told", ["idle", "quiet", "listening", "speaking", "TapHead", "round"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_no_foot_slides_when_a_walk_is_interrupted(side: str, told: str) -> None:
    if told == "round":
        told = {"left": "walking-right", "right": "walking-left"}[side]
    feet = _feet(side, told)
    assert len(feet) == ROUND
    assert abs(feet[:, 0, :, 0]).max() > 10.0, "its feet are apart"
    slides = [max(_slides(run[:, foot]) for foot in (0, 1)) for run in feet]
    assert max(slides) < SLIDES
    assert abs(feet[:, -1, :, 0]).max() < 0.3, "in the end they are under it"


def _slides(foot: np.ndarray) -> float:
    """Return how far at most the foot moved while it was on the ground, from the frames' x and
    height.
    """
    stands = groupby(foot, lambda frame: bool(frame[1] < LEAVES))
    ways = [[frame[0] for frame in frames] for on_ground, frames in stands if on_ground]
    return max((float(max(way) - min(way)) for way in ways), default=0.0)


def _feet(side: str, told: str) -> np.ndarray:
    """(time of the command, frame, foot, x and height): how far the feet are from their place, in
    pixels of a figure of HEIGHT. x is that of the desktop too, because the figure stays where it is
    after the command.
    """
    arguments = [str(NEO), side, told, str(FPS), str(ROUND), str(AFTER), *WALKS, *MOVED]
    with unmeasured_children():
        done = subprocess.run(
            [sys.executable, "-c", HALTS, *arguments],
            capture_output=True,
            text=True,
            timeout=100,
            cwd=Path(__file__).parents[3],
        )
    assert done.returncode == 0, done.stderr
    values = np.array(json.loads(done.stdout))
    reach = np.array([STRIDE, LIFT]) * HEIGHT / CANVAS
    return np.asarray(values[..., : len(WALKS)].reshape(*values.shape[:2], 2, 2) * reach)
