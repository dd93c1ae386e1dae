"""The motion language and its curves."""

import pytest
from companion.expressions import expressions
from companion.motion import Curve, parse, segments, value_at
from companion.motions import all_motions, written_motions
from companion.parameters import PARAMETERS
from companion.reach import laid_on

RANGES = {row.parameter.id: row.parameter for row in PARAMETERS}


def test_shorthands() -> None:
    (motion,) = parse("[Nod/nod 2 loop]\nEarDroopLR 0:0 1:0.5\n  2:0\nBlink 1\nPartPanel 0:1")
    curves = {curve.id: curve for curve in motion.curves}
    assert curves["ParamEarDroopL"].keys == ((0, 0), (1, 0.5), (2, 0))
    assert curves["ParamEarDroopR"].keys == curves["ParamEarDroopL"].keys
    assert [value for _, value in curves["ParamEyeLOpen"].keys] == [1, 1, 0, 0, 1, 1]
    # Parameters come first: the framework stops reading them at the first part.
    assert [curve.target for curve in motion.curves][-1] == "PartOpacity"


def test_segments_hit_their_keys_without_overshoot() -> None:
    curve = Curve("Parameter", "ParamAngleX", ((0.0, 0.0), (1.0, 10.0), (2.0, 10.0), (3.0, 0.0)))
    flat = segments(curve, loop=False)
    assert flat[:2] == [0, 0]
    ends = [(flat[i + 5], flat[i + 6]) for i in range(2, len(flat), 7)]
    assert ends == [(1, 10), (2, 10), (3, 0)]
    heights = [flat[i + k] for i in range(2, len(flat), 7) for k in (2, 4, 6)]
    assert min(heights) >= 0 and max(heights) <= 10


def test_a_loop_that_jumps_is_refused() -> None:
    with pytest.raises(ValueError, match="jumps"):
        parse("[Idle/breathe 2 loop]\nBreath 0:0 2:1")


def test_keys_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="out of order"):
        parse("[Nod/nod 2]\nAngleY 0:0 1:5 1:2 2:0")


NAMES = [(motion.group, motion.name) for motion in written_motions()]


@pytest.mark.parametrize("name", NAMES, ids="-".join)
def test_motions_stay_in_range(name: tuple[str, str]) -> None:
    motion = all_motions()[NAMES.index(name)]
    for curve in motion.curves:
        if curve.target == "Parameter":
            parameter = RANGES[curve.id]
            values = [value for _, value in curve.keys]
            assert parameter.low <= min(values) and max(values) <= parameter.high, curve.id


def test_single_motions_come_to_rest() -> None:
    for motion in all_motions():
        # Steps follow steps, and may be interrupted anywhere: the fade brings them to rest.
        if not motion.loop and not motion.group.startswith("Walk"):
            for curve in motion.curves:
                assert curve.keys[-1][1] == RANGES[curve.id].default, (motion.name, curve.id)


def test_expressions_name_known_parameters() -> None:
    for name, changes in expressions().items():
        assert {change.parameter for change in changes} <= set(RANGES), name


def test_a_mirrored_motion_is_the_same_on_the_other_side() -> None:
    left = (
        "[PeekLeft/peek 2 loop]\n=StrideL 0:1 2:1\nArmRA 0:5 2:5\nAngleX 0:-9 2:-9\nTailWag 0:1 2:1"
    )
    _, right = parse(f"{left}\n[PeekRight/peek =PeekLeft]\nTailWag 0:0 2:0")
    assert (right.group, right.seconds, right.loop) == ("PeekRight", 2.0, True)
    first = {curve.id: (curve.keys[0][1], curve.straight) for curve in right.curves}
    assert first == {
        "ParamStrideR": (-1.0, True),
        "ParamArmLA": (5.0, False),
        "ParamAngleX": (9.0, False),
        "ParamTailWag": (0.0, False),
    }


def test_a_straight_curve_consists_of_lines() -> None:
    curve = Curve("Parameter", "ParamStrideL", ((0.0, 0.0), (0.2, 1.0), (0.6, -1.0)), straight=True)
    assert segments(curve, loop=False) == [0.0, 0.0, 0, 0.2, 1.0, 0, 0.6, -1.0]


def test_the_value_between_two_keys_is_that_of_the_bezier() -> None:
    curve = Curve("Parameter", "ParamAngleX", ((0.0, 0.0), (1.0, 10.0), (2.0, 30.0), (4.0, 0.0)))
    flat = segments(curve, loop=False)
    (_, t0, v0, t1, v1, at, value), before = flat[9:16], flat[7:9]
    assert (round(t0, 3), round(t1, 3), at) == (1.333, 1.667, 2.0)
    for t in (0.0, 0.25, 0.5, 1.0):
        s = 1 - t
        bezier = s**3 * before[1] + 3 * s * s * t * v0 + 3 * s * t * t * v1 + t**3 * value
        assert value_at(curve, 1.0 + t, loop=False) == pytest.approx(bezier, abs=0.01)


def test_a_touch_replaces_the_joints_only_while_it_lasts() -> None:
    text = "[Groggy/rub 4]\nArmRA 0:5 1:5 3:7 4:0\nArmRB 0:0 4:0\nTouchR eye 1.5:0 2:0"
    motion = laid_on(parse(text)[0])
    curves = {curve.id: dict(curve.keys) for curve in motion.curves}
    assert list(curves["ParamArmRA"]) == [0, 1, 1.5, 1.75, 2, 3, 4]
    assert curves["ParamArmRA"][1] == 5 and curves["ParamArmRA"][1.5] > 60
    assert list(curves["ParamReachR"].values()) == [0, 0.1, 0.1, 0]
    assert "ParamArmLA" not in curves and not motion.touches


def test_a_touch_is_mirrored_with_its_arm() -> None:
    left = "[PeekLeft/peek 2 loop]\nTouchR chin 0:0 2:0"
    _, right = parse(f"{left}\n[PeekRight/peek =PeekLeft]")
    assert [(touch.letter, touch.contact) for touch in right.touches] == [("L", "chin")]
