"""Paws lie on what they touch: the geometry of two bones, and the built model."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from companion.motions import written_motions
from companion.parameters import PARAMETERS
from companion.reach import CONTACTS, built_arms, two_bone
from companion.stage import surfaceless
from hypothesis import given
from hypothesis import strategies as st

from tests.support.unmeasured import unmeasured_children

NEO = Path(__file__).parents[3] / "assets/companion/neo/neo.model3.json"
LENGTHS = st.floats(20.0, 300.0)
ANGLES = st.floats(-math.pi, math.pi)
NEAR, NEAR_ELSEWHERE = 6.0, 26.0
"""Canvas pixels, of which the figure is 1533 high and a paw 100 wide: at rest, and with the head
turned or the body leaning.
"""

# Poses the built model and prints, for each job, how far the palm is from what it touches. Both are
# found from the meshes at rest: the triangle in which a point lies, and its place in there.
MEASURE = """
import json, sys
from pathlib import Path
import numpy as np
from companion.arms import PALM
from companion.figure import VIEW
from companion.parameters import PARAMETERS
from companion.reach import CONTACTS
from companion.space import CX
from companion.stage import Shot, Stage

stage = Stage(Path(sys.argv[1]), 160, 176)
jobs = json.loads(sys.argv[2])

def canvas(mesh):
    points = stage.vertices(mesh) * VIEW.width
    middle = ((VIEW.left + VIEW.right) / 2, (VIEW.top + VIEW.bottom) / 2)
    return np.stack([middle[0] + points[:, 0], middle[1] - points[:, 1]], axis=1)

def anchor(mesh, point):
    at, triangles = canvas(mesh), stage.triangles(mesh)
    best = None
    for triangle in triangles:
        corners = np.vstack([at[triangle].T, np.ones(3)])
        if abs(np.linalg.det(corners)) < 1e-6:
            continue
        share = np.linalg.solve(corners, [*point, 1.0])
        if best is None or share.min() > best[1].min():
            best = (triangle, share)
    return best

def place(mesh, found):
    return found[1] @ canvas(mesh)[found[0]]

MESHES = {
    "WarpHead": "Face",
    "WarpMuzzle": "Muzzle",
    "WarpTrunk": "Torso",
    "WarpScarfTurn": "Scarf",
}
rest = {"ParamBreath": 0.0}
stage.pixels(Shot(values=rest))
anchors = {}
for letter, side in (("L", 1), ("R", -1)):
    mirrored = lambda point: (CX + side * (point[0] - CX), point[1])
    anchors[letter] = anchor(f"Arm{letter}", mirrored(PALM))
    for name, contact in CONTACTS.items():
        mesh = MESHES[contact.deformer]
        anchors[letter, name] = mesh, anchor(mesh, mirrored(contact.at))
found = []
for letter, name, values, motion, at in jobs:
    stage.pixels(Shot(motion=motion and tuple(motion), seconds=at, values=values))
    mesh, target = anchors[letter, name]
    away = place(f"Arm{letter}", anchors[letter]) - place(mesh, target)
    found.append(float(np.hypot(*away)))
print("FOUND", json.dumps(found))
"""


@given(upper=LENGTHS, fore=LENGTHS, share=st.floats(0.02, 0.98), way=ANGLES)
def test_two_bones_end_at_the_target(upper: float, fore: float, share: float, way: float) -> None:
    nearest = abs(upper - fore)
    far = nearest + share * (upper + fore - nearest)
    target = (5.0 + far * math.cos(way), 7.0 + far * math.sin(way))
    for elbow in (1, -1):
        first, bend = two_bone((5.0, 7.0), target, upper, fore, elbow)
        assert elbow * bend >= 0
        one, two = math.radians(first), math.radians(first + bend)
        x = 5.0 + upper * math.cos(one) + fore * math.cos(two)
        y = 7.0 + upper * math.sin(one) + fore * math.sin(two)
        assert math.hypot(x - target[0], y - target[1]) < 1e-3 * (upper + fore)


@given(upper=LENGTHS, fore=LENGTHS, way=ANGLES)
def test_an_arm_points_straight_at_what_is_too_far(upper: float, fore: float, way: float) -> None:
    far = 2 * (upper + fore)
    target = (far * math.cos(way), far * math.sin(way))
    first, bend = two_bone((0.0, 0.0), target, upper, fore, 1)
    assert bend == pytest.approx(0.0, abs=1e-3)
    assert math.cos(math.radians(first) - way) == pytest.approx(1.0, abs=1e-6)


def test_an_arm_is_folded_for_what_is_too_near() -> None:
    first, bend = two_bone((0.0, 0.0), (1.0, 0.0), 100.0, 60.0, 1)
    assert bend == pytest.approx(180.0)
    assert first == pytest.approx(0.0)


@pytest.mark.parametrize("contact", CONTACTS)
def test_a_paw_leaves_by_as_much_as_is_asked(contact: str) -> None:
    arms, values = built_arms(), _at_rest()
    touching, apart = (arms.target("R", contact, gap, values) for gap in (0.0, 30.0))
    assert math.hypot(apart[0] - touching[0], apart[1] - touching[1]) == pytest.approx(30, abs=1)


def test_each_paw_of_the_built_model_touches_each_contact() -> None:
    """Also with the head turned and the body leaning."""
    poses: list[dict[str, float]] = [
        {},
        {"ParamAngleX": 12.0, "ParamAngleZ": -10.0},
        {"ParamBodyAngleZ": 6.0, "ParamCrouch": 0.3},
    ]
    jobs: list[Any] = []
    for letter in "LR":
        for contact in CONTACTS:
            for pose in poses:
                joints = built_arms().solved(letter, contact, 0.0, {**_at_rest(), **pose})
                jobs.append((letter, contact, {"ParamBreath": 0.0, **pose, **joints}, None, 0.0))
    found = _measured(jobs)
    limits = [NEAR, NEAR_ELSEWHERE, NEAR_ELSEWHERE] * (len(jobs) // 3)
    far = [
        (*job[:3], round(away))
        for job, away, limit in zip(jobs, found, limits, strict=True)
        if away > limit
    ]
    assert not far


def test_paws_stay_on_what_they_touch_during_the_motions() -> None:
    jobs: list[Any] = []
    groups: dict[str, int] = {}
    for motion in written_motions():
        index = groups[motion.group] = groups.get(motion.group, -1) + 1
        for touch in motion.touches:
            for at, gap in touch.keys:
                # Before that the motion fades in, and a paw that leaves is somewhere else.
                if at >= motion.fade_in and gap == 0.0:
                    jobs.append((touch.letter, touch.contact, {}, (motion.group, index), at))
    assert {job[1] for job in jobs} >= {"chin", "eye", "mouth", "ear"}
    found = _measured(jobs)
    far = [
        (*job, round(away)) for job, away in zip(jobs, found, strict=True) if away > NEAR_ELSEWHERE
    ]
    assert not far


def test_the_motions_touch_what_they_are_about() -> None:
    touched = {
        (motion.group, touch.contact) for motion in written_motions() for touch in motion.touches
    }
    assert touched >= {
        ("Think", "chin"),
        ("Groggy", "eye"),
        ("TapBody", "mouth"),
        ("Listen", "ear"),
    }


def _at_rest() -> dict[str, float]:
    return {row.parameter.id: row.parameter.default for row in PARAMETERS}


def _measured(jobs: list[Any]) -> list[float]:
    with unmeasured_children():
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, str(NEO), json.dumps(jobs)],
            capture_output=True,
            text=True,
            timeout=100,
            env=surfaceless(),
        )
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("FOUND"))
    return [float(away) for away in json.loads(line[6:])]
