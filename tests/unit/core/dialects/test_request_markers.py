"""Markers, and text that could still become one."""

import pytest

from neodeskpet.core.dialects.request_block import MARKER, partial_marker, partial_suffix

WHOLE = (
    "<<<[TOOL_REQUEST]>>>",
    "<<[TOOL_REQUEST]>>",
    "<<<<<[END_TOOL_REQUEST]>>>>",
    "<<<[tool_request]>>>",
    "<<<[End_Tool_Result]>>>",
    "<<<[TOOL_RESULT]>>>",
    "<" * 64 + "[TOOL_REQUEST]>>",
)
NEVER = (
    "<[TOOL_REQUEST]>",
    "<<<[TOOL_REQUEST]>",
    "<<<TOOL_REQUEST>>>",
    "<<< [TOOL_REQUEST]>>>",
    "[TOOL_REQUEST]>>>",
    "<<<[TOOLREQUEST]>>>",
    "<<<[BEGIN_TOOL_REQUEST]>>>",
)


@pytest.mark.parametrize("text", WHOLE)
def test_valid_markers(text: str) -> None:
    match = MARKER.fullmatch(text)
    assert match is not None
    assert bool(match["end"]) == ("END" in text.upper())
    assert match["kind"].upper() in text.upper()


@pytest.mark.parametrize("text", NEVER)
def test_invalid_markers(text: str) -> None:
    assert MARKER.search(text) is None


@pytest.mark.parametrize("text", WHOLE)
def test_every_beginning_of_a_marker_is_held(text: str) -> None:
    end = text.index("]>") + 3  # With two ">" it is one.
    for length in range(1, end):
        assert partial_marker(text[:length]) == length
        assert partial_marker("a > b < " + text[:length]) == length
    assert partial_marker(text) == 0


@pytest.mark.parametrize(
    "text", ["", "a", "<a", "< ", "<<a", "<<<[X", "<<<[TOOL_X", "<[", "<<]", "<<<[TOOL_REQUEST]x"]
)
def test_no_other_text_is_held(text: str) -> None:
    assert partial_marker(text) == 0


def test_of_a_long_run_only_the_possible_marker_is_held() -> None:
    assert partial_marker("<" * 500) == 64
    assert partial_marker("<" * 500 + "[TOOL_") == 70


@pytest.mark.parametrize(
    ("text", "held"),
    [("", 0), ("abc", 0), ("abc「", 1), ("abc「末", 2), ("「末E", 3), ("「末」", 0), ("「「", 1)],
)
def test_the_beginning_of_a_word_at_the_end_is_found(text: str, held: int) -> None:
    assert partial_suffix(text, "「末ESCAPE」") == held


def test_a_whole_word_is_no_beginning() -> None:
    assert partial_suffix("ab", "ab") == 0
