"""Tapping along with the user's keystrokes."""

from __future__ import annotations

from neodeskpet.figure.animation_script import ParameterRange, parse_script
from neodeskpet.figure.behaviour.tricks import TAPS, TypingTaps, script_steps
from neodeskpet.figure.files.model_reader import describe_model
from tests.unit.figure.models import NEO


def test_left_and_right_alternate_and_no_faster_than_a_paw() -> None:
    paws = TypingTaps()
    times = [0.0, 0.01, 0.05, 0.2, 0.21, 5.0]
    assert [paws.press(now) for now in times] == [TAPS[1], None, None, TAPS[0], None, TAPS[1]]


def test_neo_has_both_paws() -> None:
    neo = describe_model(NEO)
    both = {f"ParamArm{side}{joint}" for side in "LR" for joint in "AB"}
    for side, tap in zip("LR", TAPS, strict=True):
        script = parse_script(script_steps(tap.pulses, neo.parameters, tap.stays), neo.parameters)
        assert both | {f"ParamHand{side}"} <= script.parameters
        assert script.seconds < 0.3
        key = f"ParamKey{side}"
        assert {"ParamKeyboard", key} <= script.parameters
        assert [script.held(at)[key].weight > 0.5 for at in (0.06, script.seconds)] == [True, False]
        down = script.held(script.seconds)
        up = script.held(0.12)
        assert all(down[name].weight == 1.0 for name in both), "earlier, while the user types"
        arms = {name for name in both if abs(up[name].value - down[name].value) > 5.0}
        assert arms == {f"ParamArm{side}A", f"ParamArm{side}B"}


def test_a_figure_without_arms_looks_down_and_leans() -> None:
    spans = {name: ParameterRange(-30.0, 30.0, 0.0) for name in ("ParamAngleY", "ParamBodyAngleZ")}
    moved = [step for tap in TAPS for step in script_steps(tap.pulses, spans, tap.stays)]
    assert parse_script(moved[:2], spans).parameters == set(spans)
