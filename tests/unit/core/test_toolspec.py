"""Names in requests: every provider accepts them, and each leads back to its tool."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.toolspec import Mode, Risk, ToolNames, ToolSpec, wire_name

NAMES = ToolNames(["live2d.motion", "live2d.expression", "clock.now", "notes.add", "a-b"])

tool_names = st.one_of(
    st.text(min_size=1, max_size=100),
    st.text("ab._-", min_size=1, max_size=4),
    st.text("a.", min_size=60, max_size=70),
)


def test_a_tool_without_arguments_has_an_empty_object() -> None:
    spec = ToolSpec("clock", "The time.")
    assert spec.parameters == {"type": "object", "properties": {}}
    assert (spec.risk, spec.mode, spec.eager) == (Risk.READ, Mode.SYNC, False)


@given(st.text(max_size=200))
def test_the_wire_form_is_accepted_by_every_provider(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", wire_name(name))


@pytest.mark.parametrize(
    ("name", "wire"), [("9lives", "_9lives"), ("-x", "_-x"), ("", "_"), ("猫", "_"), ("a.b", "a_b")]
)
def test_a_wire_name_begins_with_a_letter_or_an_underscore(name: str, wire: str) -> None:
    assert wire_name(name) == wire  # Gemini refuses the request otherwise.


@given(st.lists(tool_names, max_size=12))
def test_wire_names_are_reversible_and_never_collide(names: list[str]) -> None:
    table = ToolNames(names)
    wires = {name: table.wire(name) for name in names}
    assert len(set(wires.values())) == len(set(names))
    for name, wire in wires.items():
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", wire)
        assert table.own_name(wire) == name
        assert table.own_name(name) == name


def test_a_valid_name_is_unchanged() -> None:
    table = ToolNames(["a.b", "a_b", "a:b"])
    assert [table.wire(name) for name in ("a.b", "a_b", "a:b")] == ["a_b_2", "a_b", "a_b_3"]
    assert table.own_name("a_b") == "a_b"


def test_long_names_stay_within_the_limit() -> None:
    names = ["x" * 64 + str(number) for number in range(12)]
    table = ToolNames(names)
    assert {len(table.wire(name)) for name in names} == {64}
    assert len({table.wire(name) for name in names}) == 12


def test_the_wire_name_of_a_removed_tool() -> None:
    assert NAMES.wire("mcp.gone/tool") == "mcp_gone_tool"
    assert NAMES.wire("") == "_"


@pytest.mark.parametrize(
    "heard",
    [
        "live2d.motion",
        "live2d_motion",
        "default_api:live2d_motion",
        "default_api.live2d.motion",
        "functions.live2d_motion",
        "tools:live2d.motion",
        "multi_tool_use.live2d_motion",
        " live2d.motion ",
        "`live2d.motion`",
        '"live2d_motion"',
        "**live2d.motion**",
        "「live2d.motion」",
        "“live2d.motion”",
        "live2d.motion()",
        "live2d.motion:",
        "LIVE2D_MOTION",
        "Live2D.Motion",
        "`default_api:Live2d_Motion`",
    ],
)
def test_noise_around_a_name_is_removed(heard: str) -> None:
    assert NAMES.own_name(heard) == "live2d.motion"


@pytest.mark.parametrize(
    ("heard", "kept"),
    [
        ("nonsense", "nonsense"),
        (" `nonsense` ", "nonsense"),
        ("default_api:nonsense", "nonsense"),
        ("", ""),
        ("()", "()"),
    ],
)
def test_an_unknown_name_is_returned_stripped(heard: str, kept: str) -> None:
    assert NAMES.own_name(heard) == kept


def test_similar_names() -> None:
    assert NAMES.near("live2d_motoin")[0] == "live2d.motion"
    assert len(NAMES.near("live2d", count=2)) == 2
    assert ToolNames([]).near("x") == []


def test_without_similar_names_the_first_ones_are_offered() -> None:
    assert len(NAMES.near("völlig", count=3)) == 3
    assert NAMES.near("qqqqqqqqqq") == list(NAMES.near("zzzzzzzzzz"))


def test_a_background_tool_has_more_time() -> None:
    sync, late = ToolSpec("a", "A."), ToolSpec("b", "B.", mode=Mode.ASYNC, timeout=50_000)
    either = ToolSpec("c", "C.", mode=Mode.EITHER)
    assert [one.in_background({}) for one in (sync, late, either)] == [False, True, False]
    assert [one.in_background({"background": "yes"}) for one in (sync, either)] == [False, True]
    assert not either.in_background({"background": "maybe"})
    assert [one.time_limit({"background": True}) for one in (sync, late, either)] == [
        60,
        50_000,
        6 * 3600,
    ]
