"""Samples of the present figure; the whole check is `python -m companion.inspection`."""

import subprocess
import sys
from pathlib import Path

import pytest
from companion.inspection import WORN, still_poses

from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.poses import POSE_CANDIDATES, find_names, idle_group
from tests.support.unmeasured import unmeasured_children

ASSETS = Path(__file__).parents[3] / "assets"


@pytest.mark.timeout(400)
def test_no_frame_of_a_sample_is_broken() -> None:
    with unmeasured_children():
        done = subprocess.run(
            [sys.executable, "-m", "companion.inspection", "--sample"],
            cwd=ASSETS,
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0 and "0 faults" in done.stdout, done.stdout + done.stderr


def test_all_ends_and_corners_are_checked() -> None:
    names = [name for name, _ in still_poses()]
    assert len(names) == len(set(names)) > 150
    assert {"ParamArmLA -60", "ParamArmLA 150", "look -30 30 -30", "arms 150 130"} <= set(names)


def test_motions_are_checked_with_the_faces_that_the_app_combines() -> None:
    neo = describe_model(ASSETS / "companion" / "neo")
    for pose, look in POSE_CANDIDATES.items():
        face = neo.face_for(pose)
        found = find_names(look.motions, neo.motions)
        groups = [group for group in found if group != idle_group(neo.motions)]
        played = set(groups[:2] if look.brief else groups[:1])
        assert face == "neutral" or played <= set(WORN[face or ""]), pose
