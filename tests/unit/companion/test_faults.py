"""The check finds the faults of an earlier figure, and none in the present one."""

from pathlib import Path

import numpy as np
import pytest
from companion import faults
from companion.arms import ARMS, rims
from companion.faults import INK, LIMB, NOTHING, OTHER, TAIL, TRUNK, Raster
from companion.inspection import LIMITS, Found, told
from PIL import Image

BROKEN = Path(__file__).parent / "broken"
"""Frames of the figure whose raised arms were cut by the scarf's mask."""


def old(name: str) -> Raster:
    return np.array(Image.open(BROKEN / f"{name}.png"))


@pytest.mark.parametrize("name", ["idle_stretch", "happy", "wake", "hides_face", "listen"])
def test_arms_that_end_in_stumps_are_open(name: str) -> None:
    assert faults.open_edge(old(name)) > LIMITS["open outline"]
    assert faults.open_edge(old("rest")) == 0


def test_a_look_upwards_uncovered_the_neck() -> None:
    seen = faults.bare_neck(old("looks_up")) - faults.bare_neck(old("rest"))
    assert seen > LIMITS["bare neck"]


@pytest.mark.parametrize(("rim", "seen"), [(OTHER, 25), (LIMB, 0), (TAIL, 0)])
def test_a_gap_beside_an_arm_or_the_tail_is_no_hole(rim: int, seen: int) -> None:
    raster = np.full((60, 60), NOTHING, dtype=np.uint8)
    raster[10:50, 10:50] = TRUNK
    raster[26:35, 26:35] = INK
    raster[28:33, 28:33] = NOTHING
    raster[26:35, 35:40] = rim
    assert faults.holes(raster) == seen


def test_an_elbow_that_folds_over() -> None:
    kept = np.load(BROKEN / "elbow.npz")
    triangles = kept["triangles"].astype(np.int64)
    held = faults.stations(kept["rest"], triangles, *rims(ARMS[1]))
    assert faults.pinched(held, kept["rest"]) > 0.8
    assert faults.thinnest(held, kept["rest"]) > 0.99
    assert faults.pinched(held, kept["bent"]) < LIMITS["needle"]


def test_a_squeezed_limb_is_thin_and_a_torn_one_jumps() -> None:
    kept = np.load(BROKEN / "elbow.npz")
    held = faults.stations(kept["rest"], kept["triangles"].astype(np.int64), *rims(ARMS[1]))
    squeezed = kept["rest"] * [0.3, 1.0]
    assert faults.thinnest(held, squeezed) < LIMITS["thin limb"]
    torn = kept["rest"].copy()
    torn[3] += [200.0, 0.0]
    assert faults.leap(kept["rest"], torn) > LIMITS["jump"]
    assert faults.leap(kept["rest"], kept["rest"] + 300.0) < 1e-9


def test_parts_at_the_edge_are_cut_off() -> None:
    raster = np.full((6, 9), NOTHING, dtype=np.uint8)
    raster[2:5, 2:5] = INK
    assert faults.cut_off(raster) == 0
    raster[2:, 2:5] = INK
    assert faults.cut_off(raster) == 3
    raster[3, :] = INK
    assert faults.cut_off(raster) == 5


def test_a_fading_part_is_transparent_and_a_soft_edge_is_not() -> None:
    opacity = np.zeros((40, 40), dtype=np.uint8)
    opacity[10:30, 10:30] = 255
    opacity[9, 10:30] = opacity[10:30, 9] = 128
    assert faults.seen_through(opacity) == 0
    assert faults.seen_through(opacity // 2) > 250


def test_a_sign_over_an_ear_is_counted() -> None:
    sign, ear = np.zeros((20, 20), dtype=np.uint8), np.zeros((20, 20), dtype=np.uint8)
    sign[5:10, 5:10] = ear[8:15, 8:15] = 255
    assert faults.covered(sign, ear) == 4


def test_a_leg_that_ends_beside_its_foot_is_open() -> None:
    foot = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 6.0], [0.0, 6.0]])
    assert faults.outside(np.array([[3.0, 2.0], [7.0, 2.0]]), foot) == 0
    assert faults.outside(np.array([[3.0, 2.0], [7.0, -1.0]]), foot) == 1


def test_a_part_attached_to_a_mesh_is_where_the_mesh_is_drawn() -> None:
    rest = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    triangles = np.array([[0, 1, 2], [1, 3, 2]])
    point = faults.held(rest, triangles, np.array([[2.0, 3.0]]))
    assert np.allclose(point.at(rest * 2 + 1), [[5.0, 7.0]])


def test_a_squeezed_flame_is_flat() -> None:
    flame = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 8.0]])
    assert faults.flattened(flame, flame * 3 + 7) == pytest.approx(1.0)
    assert faults.flattened(flame, flame * [1.0, 0.5]) == pytest.approx(0.5)
    assert faults.flattened(flame, flame * [0.5, 1.0]) == pytest.approx(0.5)


def test_colours_are_mapped_to_kinds() -> None:
    colours = [(0, 0, 0, 0), (9, 9, 9, 255), (250, 9, 9, 255), (9, 250, 9, 255), (9, 9, 250, 255)]
    colours.append((250, 250, 9, 255))
    seen = faults.classified(np.array([colours], dtype=np.uint8))
    assert seen.tolist() == [[NOTHING, INK, LIMB, TRUNK, OTHER, TAIL]]


def test_connected_areas() -> None:
    bits = np.array([[1, 0, 0, 0], [1, 0, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0]], dtype=bool)
    found = sorted((one.area, one.open) for one in faults.components(bits))
    assert found == [(2, False), (3, True)]


def test_one_line_reports_a_pose_and_a_kind() -> None:
    stumps = [Found("Wave:0", 0.5, "open outline", 40.0), Found("Wave:0", 0.6, "open outline", 9.0)]
    assert told(stumps) == ["Wave:0 0.50-0.60 s (2 frames): open outline 40.00"]
