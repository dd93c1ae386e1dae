"""Spans: packed for a pipe, compared, counted in UTF-16 units like Qt."""

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.ui.rendering.code_spans import NAMES, CodeSpans, utf16_length

PARTS = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9), st.sampled_from(NAMES)))


def in_order(steps: list[tuple[int, int, str]]) -> CodeSpans:
    at, parts = 0, []
    for gap, length, name in steps:
        parts.append((at + gap, length, name))
        at += gap + length
    return CodeSpans.of(parts)


@given(PARTS)
def test_they_survive_a_pipe(steps: list[tuple[int, int, str]]) -> None:
    spans = in_order(steps)
    assert CodeSpans.unpacked(spans.packed()) == spans
    assert len(spans) == len(steps)


@given(PARTS, PARTS)
def test_the_first_difference(
    one: list[tuple[int, int, str]], two: list[tuple[int, int, str]]
) -> None:
    a, b = in_order(one), in_order(two)
    place = a.differ_from(b)
    before = [[part for part in s.as_parts() if part[0] + part[1] <= place] for s in (a, b)]
    assert before[0] == before[1]
    assert place == b.differ_from(a)


def test_from_an_index_on() -> None:
    assert list(CodeSpans.of([(0, 1, "name"), (2, 3, "string")]).as_parts(1)) == [(2, 3, "string")]


@given(st.text(max_size=30))
def test_length_in_utf_16_units(text: str) -> None:
    assert utf16_length(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2
