"""Scripts over parameters: any JSON is read or refused, and any script stays within the ranges."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.figure.animation_script import (
    DEFAULT_STEP_SECONDS,
    HOLD_SECONDS,
    MOST_SECONDS,
    MOST_STEPS,
    RELEASE_SECONDS,
    Easing,
    HeldValue,
    ParameterRange,
    ScriptPlayer,
    StepKind,
    ease,
    parse_script,
)

RANGES = {"Head": ParameterRange(-30.0, 30.0, 0.0), "Blush": ParameterRange(0.0, 1.0, 0.0)}


def step(do: str, parameter: str | None = None, **fields: object) -> dict[str, object]:
    return {"do": do, **({} if parameter is None else {"parameter": parameter}), **fields}


def test_a_tween_follows_its_weight_and_stays() -> None:
    tween = parse_script([step("tween", "Head", to=20, seconds=1, easing="linear")], RANGES)
    assert tween.seconds == 1.0
    assert tween.held(0.25) == {"Head": HeldValue(20.0, 0.25)}
    assert tween.held(1.0) == tween.held(5.0) == {"Head": HeldValue(20.0, 1.0)}


def test_a_second_tween_continues_from_the_first() -> None:
    steps = [step("set", "Head", to=10), step("tween", "Head", to=20, seconds=1, easing="linear")]
    tween = parse_script([step("sequence", steps=steps)], RANGES)
    assert tween.held(0.5)["Head"] == HeldValue(15.0, 1.0)


def test_values_are_clamped() -> None:
    tween = parse_script([step("set", "Head", to=-500), step("set", "Blush", to=7)], RANGES)
    assert tween.held(0.0) == {"Head": HeldValue(-30.0, 1.0), "Blush": HeldValue(1.0, 1.0)}


def test_a_pulse_goes_there_and_back() -> None:
    tween = parse_script([step("pulse", "Blush", to=1, seconds=1, times=3)], RANGES)
    assert tween.seconds == 3.0
    for peak in (0.5, 1.5, 2.5):
        assert tween.held(peak)["Blush"].weight == pytest.approx(1.0)
    for rest in (0.0, 1.0, 2.0, 3.0, 9.0):
        assert tween.held(rest)["Blush"].weight == pytest.approx(0.0)


def test_a_pulse_of_a_held_value_returns_to_it() -> None:
    steps = [step("set", "Head", to=10), step("pulse", "Head", to=20, seconds=1)]
    tween = parse_script([step("sequence", steps=steps)], RANGES)
    assert tween.held(0.5)["Head"].value == pytest.approx(20.0)
    assert tween.held(1.0)["Head"] == HeldValue(10.0, 1.0)


def test_a_sequence_waits_and_a_bare_reset_resets_its_own_parameters() -> None:
    script = [
        step("set", "Blush", to=1),
        step(
            "sequence",
            steps=[
                step("wait", seconds=1),
                step("tween", "Head", to=9, seconds=1),
                step("reset", seconds=1),
            ],
        ),
    ]
    tween = parse_script(script, RANGES)
    assert tween.seconds == 3.0
    assert "Head" not in tween.held(0.9)
    assert tween.held(2.0)["Head"] == HeldValue(9.0, 1.0)
    assert tween.held(3.0) == {"Head": HeldValue(9.0, 0.0), "Blush": HeldValue(1.0, 1.0)}


def test_a_bare_reset_at_the_top_resets_everything() -> None:
    assert parse_script([step("reset")], RANGES).held(1.0) == {}
    assert parse_script([step("reset", "Head")], RANGES).held(1.0)["Head"].weight == 0.0


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ([], "no step"),
        ("nonsense", "must be a list"),
        (["set"], r"script\[0\]: must be an object"),
        ([{}], r"script\[0\]\.do: must be one of set, tween"),
        ([step("jump")], "do: must be one of"),
        ([step("set", "Haed", to=1)], "there is no Haed\\. Did you mean Head"),
        ([step("set", to=1)], "there is no None"),
        ([step("set", "Head")], "to: must be a number"),
        ([step("set", "Head", to=True)], "to: must be a number"),
        ([step("set", "Head", to=10**400)], "finite"),
        ([step("set", "Head", to=float("nan"))], "finite"),
        ([step("tween", "Head", to=1, seconds=-1)], "seconds: must be 0 to 10"),
        ([step("tween", "Head", to=1, easing="bounce")], "easing: must be one of linear"),
        ([step("pulse", "Head", to=1, times=0)], "times: must be 1 to 40"),
        ([step("pulse", "Head", to=1, seconds=6, times=2)], "takes 12.0 s, at most 10"),
        ([step("sequence", steps=[step("wait", seconds=9)] * 2)], "takes 18.0 s"),
        ([step("sequence", steps=[step("sequence", steps=[])])], "inside a sequence"),
        ([step("sequence")], r"steps: must be a list"),
        ([step("tween", "Head", to=1), step("tween", "Head", to=2)], "at the same time"),
        ([step("set", "Head", to=1), step("set", "Head", to=2)], "at the same time"),
        ([step("wait", seconds=0)] * (MOST_STEPS + 1), "more than"),
    ],
)
def test_errors_have_reasons(script: object, said: str) -> None:
    with pytest.raises(InvalidArguments, match=said):
        parse_script(script, RANGES)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)
_PARAMETER = st.sampled_from([*RANGES, "Nose"])
_FIELDS = st.fixed_dictionaries(
    {"do": st.sampled_from([do.value for do in StepKind])},
    optional={
        "parameter": _PARAMETER | _JSON,
        "to": st.floats(-100, 100) | _JSON,
        "seconds": st.floats(0, 4) | _JSON,
        "easing": st.sampled_from([one.value for one in Easing]) | _JSON,
        "times": st.integers(0, 5) | _JSON,
    },
)
_GOOD = st.builds(
    lambda do, name, to, seconds, easing: step(do, name, to=to, seconds=seconds, easing=easing),
    st.sampled_from(["set", "tween", "pulse", "reset"]),
    st.sampled_from(list(RANGES)),
    st.floats(-100, 100),
    st.floats(0, 2),
    st.sampled_from([one.value for one in Easing]),
)
_SCRIPT = st.lists(_GOOD, min_size=1, max_size=4).map(lambda steps: [step("sequence", steps=steps)])


@given(st.lists(_FIELDS | _JSON, max_size=4) | _JSON)
def test_any_json_is_read_or_refused(script: Any) -> None:
    try:
        tween = parse_script(script, RANGES)
    except InvalidArguments as error:
        assert error.reasons
    else:
        assert 0.0 <= tween.seconds <= MOST_SECONDS + 1e-3


@given(_SCRIPT, _SCRIPT, st.lists(st.floats(0, 12), max_size=12), st.floats(0, 10))
def test_all_held_values_are_in_range_and_are_reset(
    first: Any, second: Any, times: list[float], switch: float
) -> None:
    tweening = ScriptPlayer()
    tweening.start(parse_script(first, RANGES), 100.0)
    started = [(0.0, first)]
    for at in sorted([*times, switch]):
        if at == switch:
            tweening.start(parse_script(second, RANGES), 100.0 + switch)
            started.append((switch, second))
        for name, held in tweening.held(100.0 + at).items():
            assert RANGES[name].minimum - 1e-6 <= held.value <= RANGES[name].maximum + 1e-6
            assert 0.0 < held.weight <= 1.0 + 1e-6
    end = started[-1][0] + MOST_SECONDS + HOLD_SECONDS + RELEASE_SECONDS
    assert tweening.held(100.0 + end) == {}
    assert not tweening.running(100.0 + end)


@given(_SCRIPT, st.floats(0, 8))
def test_nothing_jumps_except_a_set(script: Any, at: float) -> None:
    moves = [one for one in script[0]["steps"] if one["do"] != "set" and one["seconds"] > 0.05]
    if not moves:
        return
    tween = parse_script([step("sequence", steps=moves)], RANGES)
    tiny = 1e-6
    before, after = tween.held(at), tween.held(at + tiny)
    for name, held in after.items():
        was = before.get(name, HeldValue(held.value, 0.0))
        own = RANGES[name].default
        seen, saw = (own + (h.value - own) * h.weight for h in (held, was))
        assert seen == pytest.approx(saw, abs=0.1)


def test_the_next_script_takes_over_smoothly() -> None:
    tweening = ScriptPlayer()
    assert tweening.held(0.0) == {}
    tweening.start(
        parse_script([step("set", "Head", to=10), step("set", "Blush", to=1)], RANGES), 0.0
    )
    linear = step("tween", "Head", to=20, seconds=1, easing="linear")
    tweening.start(parse_script([linear], RANGES), 0.1)
    assert tweening.held(0.1) == {"Head": HeldValue(10.0, 1.0), "Blush": HeldValue(1.0, 1.0)}
    assert tweening.held(0.6)["Head"] == HeldValue(15.0, 1.0)
    assert 0.0 < tweening.held(0.2)["Blush"].weight < 1.0
    assert "Blush" not in tweening.held(0.1 + RELEASE_SECONDS)
    assert tweening.held(1.1 + HOLD_SECONDS)["Head"].weight == 1.0
    assert tweening.held(1.1 + HOLD_SECONDS + RELEASE_SECONDS) == {}


@given(st.sampled_from(list(Easing)), st.floats(-1, 2), st.floats(0, 1))
def test_easings_grow_from_0_to_1(easing: Easing, share: float, more: float) -> None:
    assert ease(easing, 0.0) == 0.0
    assert ease(easing, 1.0) == 1.0
    assert ease(easing, share + more) >= ease(easing, share) - 1e-12


def test_every_step_has_a_length() -> None:
    assert set(DEFAULT_STEP_SECONDS) == set(StepKind) - {StepKind.SEQUENCE}
