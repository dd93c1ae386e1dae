"""The splitter: the same pieces for any split of the input, no lost text, no piece
without an end.
"""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neodeskpet.core.markdown.pieces import (
    MOST_CODE_CHARACTERS,
    MOST_CODE_LINES,
    MOST_LIST_ITEMS,
    MOST_MARK_WEIGHT,
    MOST_PIECE_CHARACTERS,
    MOST_TABLE_ROWS,
    Continuation,
    Piece,
    PieceKind,
    estimated_microseconds,
)
from neodeskpet.core.markdown.splitter import MarkdownSplitter, open_fence

LINES = [
    "",
    "  ",
    "Some text, and more of it",
    "你好，世界。",
    "# Title",
    "- item",
    "* other",
    "1. first",
    "7) seventh",
    "   - nested",
    "      deep text",
    "    code or text",
    "> quote",
    "```python",
    "```",
    "   ```",
    "~~~",
    "$$",
    "$$ x + y",
    "  $$x$$",
    "\\[",
    "x \\]",
    "[^1]: A note",
    "~~~~ js",
    "| a | b |",
    "|---|:-:|",
    "| 1 | 2 |",
    "---",
    "===",
    "***",
    "**bold",
    "word " * 400,
    "w" * 1700,
    "字" * 1600,
    "| x |" * 400,
    "- " + "long " * 500,
]
markdown = st.lists(st.sampled_from(LINES) | st.text("ab -*#>|`~$1.\n\t", max_size=12)).map(
    "\n".join
)


def split(text: str, cuts: list[int] | None = None) -> list[Piece]:
    splitter = MarkdownSplitter()
    edges = sorted({0, len(text), *(c for c in cuts or [] if c < len(text))})
    for start, end in pairwise(edges):
        splitter.feed(text[start:end])
    splitter.finish()
    return splitter.pieces


def kinds(text: str) -> list[PieceKind]:
    return [piece.kind for piece in split(text)]


@given(markdown, st.lists(st.integers(0, 4000), max_size=12))
@example("a" * 1499 + "\n- b", [1499])
@example("para\n" + "- x" * 600, [6, 7, 1502])
def test_any_split_of_the_input_gives_the_same_pieces(text: str, cuts: list[int]) -> None:
    assert split(text, cuts) == split(text)


@given(markdown)
def test_one_character_at_a_time_with_previews_gives_the_same_pieces(text: str) -> None:
    text = text[:400]
    splitter = MarkdownSplitter()
    for char in text:
        splitter.feed(char)
        settled = splitter.settled_count
        assert splitter.shown()[:settled] == splitter.pieces[:settled]
    splitter.finish()
    assert splitter.pieces == split(text)


@given(markdown)
def test_no_letter_is_lost(text: str) -> None:
    def letters(value: str) -> str:
        return re.sub(r"[^\w]", "", value)

    pieces = split(text)
    bodies = [
        "\n".join(piece.lines[len(piece.head) :] if piece.head else piece.lines) for piece in pieces
    ]
    languages = sum(
        len(letters(line)) for line in text.split("\n") if re.match(r"\s*[`~]{3}", line)
    )
    got, whole = len(letters("".join(bodies))), len(letters(text))
    assert whole - languages <= got


@given(markdown)
def test_the_size_of_a_piece_is_limited(text: str) -> None:
    for piece in split(text):
        match piece.kind:
            case PieceKind.CODE:
                assert len(piece.lines) <= MOST_CODE_LINES
                assert piece.size <= MOST_CODE_CHARACTERS + MOST_PIECE_CHARACTERS
            case PieceKind.FORMULA:  # It is complete so far: half a formula can't be drawn.
                assert piece.size <= MOST_CODE_CHARACTERS + MOST_PIECE_CHARACTERS
            case PieceKind.TABLE:
                assert piece.items <= MOST_TABLE_ROWS
            case PieceKind.LIST:
                assert piece.items <= MOST_LIST_ITEMS
                assert piece.size <= 2 * MOST_PIECE_CHARACTERS
            case _:
                assert piece.size <= MOST_PIECE_CHARACTERS + 1


@given(markdown)
def test_the_preview_of_the_whole_text_equals_the_final_pieces(text: str) -> None:
    """Except for a last line that could still become something else, which isn't shown."""
    splitter = MarkdownSplitter()
    splitter.feed(text + "\nx y")
    shown = splitter.shown()
    splitter.finish()
    assert [(p.kind, p.source) for p in shown] == [(p.kind, p.source) for p in splitter.pieces]


def test_kinds_of_pieces() -> None:
    text = (
        "# T\n\npara\nmore\n\n- a\n- b\n\nend\n\n> q\n\n---\n\n```py\nx\n```\n|a|b|\n|-|-|\n|1|2|"
    )
    assert (
        kinds(text)
        == [
            PieceKind.HEADING,
            PieceKind.PROSE,
            PieceKind.LIST,
            PieceKind.PROSE,
            PieceKind.QUOTE,
            PieceKind.RULE,
            PieceKind.CODE,
            PieceKind.PROSE,
        ]
        or kinds(text)[-1] is PieceKind.TABLE
    )


def test_code_keeps_its_language_and_text() -> None:
    (code,) = split("``` {.Python}\ndef f():\n\n    pass\n```")
    assert (code.language, code.source) == ("python", "def f():\n\n    pass")


def test_code_in_a_list_is_indented_and_the_numbering_continues() -> None:
    first, code, second = split("1. one\n   ```\n   x\n     y\n   ```\n1. two")
    assert (code.kind, code.indent, code.source) == (PieceKind.CODE, 1, "x\n  y")
    assert (second.source, second.continuation) == ("2. two", Continuation.LINE)
    assert first.source == "1. one"


def test_a_long_list_is_cut_between_items_and_its_numbering_continues() -> None:
    pieces = split("\n".join(f"1. item {n}" for n in range(1000)))
    assert len(pieces) == -(-1000 // MOST_LIST_ITEMS)
    assert pieces[1].source.startswith(f"{MOST_LIST_ITEMS + 1}. item {MOST_LIST_ITEMS}\n")
    assert all(piece.continuation is Continuation.LINE for piece in pieces[1:])


def test_a_long_nested_list_is_cut_at_its_own_depth() -> None:
    pieces = split("- top\n" + "\n".join(f"  - item {n}" for n in range(40)) + "\n- last")
    assert [piece.indent for piece in pieces] == [0, 1, 1, 1, 0][: len(pieces)]
    assert all(not line.startswith(" ") for line in pieces[1].lines)


def test_a_long_table_repeats_its_head() -> None:
    pieces = split("| a | b |\n|---|---|\n" + "\n".join(f"| {n} | x |" for n in range(40)))
    assert [piece.items for piece in pieces] == [15, 15, 10]
    assert pieces[1].lines[:2] == ["| a | b |", "|---|---|"]
    assert pieces[1].head == ("| a | b |", "|---|---|")


def test_a_table_directly_below_a_line_of_text() -> None:
    assert kinds("Here it is:\n| a | b |\n|---|---|\n| 1 | 2 |") == [
        PieceKind.PROSE,
        PieceKind.TABLE,
    ]


def test_a_year_at_the_start_of_a_line_is_no_list() -> None:
    assert kinds("It was in\n1984. And then\n2 more") == [PieceKind.PROSE]


@pytest.mark.parametrize("held", ["-", "##", "1.", "``", "```py", "---", "|--", ">"])
def test_a_possible_marker_is_not_shown_yet(held: str) -> None:
    splitter = MarkdownSplitter()
    splitter.feed("text\n" + held)
    assert [piece.source for piece in splitter.shown()] == ["text"]


@pytest.mark.parametrize("coming", ["| a |", "| a | b |\n", "| a | b |\n|--", "| a | b |\n|--|-"])
def test_the_head_of_a_table_is_not_shown_as_text(coming: str) -> None:
    splitter = MarkdownSplitter()
    splitter.feed("text\n" + coming)
    assert [piece.source for piece in splitter.shown()] == ["text"]
    splitter.feed("x")
    splitter.finish()
    assert "| a |" in splitter.pieces[0].source


def test_a_closing_fence_is_not_shown_while_it_arrives() -> None:
    splitter = MarkdownSplitter()
    splitter.feed("```\ncode\n``")
    assert [piece.source for piece in splitter.shown()] == ["code"]


def test_an_endless_line_is_cut_after_a_word_and_marked_as_continued() -> None:
    first, second, *_ = split("word " * 600)
    assert first.source.endswith("word ")
    assert second.continuation is Continuation.INLINE
    assert MOST_PIECE_CHARACTERS // 2 <= len(first.source) <= MOST_PIECE_CHARACTERS


def test_the_cost_of_input_does_not_grow_with_the_text() -> None:
    """Completed pieces are never processed again: the open one stays small."""
    splitter = MarkdownSplitter()
    for n in range(3000):
        splitter.feed(f"paragraph {n} with some words\n\n")
        assert len(splitter.shown(splitter.settled_count)) <= 1


def test_the_rest_of_an_endless_line_is_shown_at_once() -> None:
    splitter = MarkdownSplitter()
    splitter.feed("w" * (MOST_PIECE_CHARACTERS + 100))
    assert sum(len(piece.source) for piece in splitter.shown()) == MOST_PIECE_CHARACTERS + 100


def test_long_code_continues_in_another_piece() -> None:
    first, second = split("```python\n" + "x\n" * (MOST_CODE_LINES + 1) + "```")
    assert (first.source.count("\n"), second.source) == (MOST_CODE_LINES - 1, "x")
    assert (second.continuation, second.language) == (Continuation.LINE, "python")


def test_a_bullet_after_a_number_begins_another_list() -> None:
    assert [piece.source for piece in split("1. a\n- b\n")] == ["1. a\n- b"]


def test_a_paragraph_of_an_item_stays_in_its_list() -> None:
    (piece,) = split("- a\n  - b\n\n  more of a\n")
    assert piece.source == "- a\n  - b\n\n  more of a"


@pytest.mark.parametrize(
    ("text", "fence"),
    [
        ("", ""),
        ("Here:\n```python\nprint(", "```"),
        ("Here:\n```python", "```"),
        ("- one\n  ~~~~ js\n  x\n", "~~~~"),
        ("```\nx\n``", "```"),
        ("```\nx\n```", ""),
        ("$$\nx", ""),
        ("a `b", ""),
    ],
)
def test_the_fence_that_is_open_at_the_end(text: str, fence: str) -> None:
    assert open_fence(text) == fence


HEAVY = ["`a` ", "**b** ", "~~c~~ ", "$x$ ", "\\(y\\) ", "[d](e) ", "f@g.h "]
HEAVY += ["[", "word ", "\n", "|", "- "]


@given(
    parts=st.lists(st.sampled_from(HEAVY), min_size=1, max_size=6),
    times=st.integers(1, 400),
    cuts=st.lists(st.integers(1, 300), max_size=6),
)
def test_the_number_of_marks_in_a_piece_is_limited(
    parts: list[str], times: int, cuts: list[int]
) -> None:
    """A piece has a bounded number of marks, however many the text has."""
    text = "".join(parts) * times
    whole, streamed = MarkdownSplitter(), MarkdownSplitter()
    whole.feed(text)
    start = 0
    for cut in cuts:
        streamed.feed(text[start : start + cut])
        start += cut
    streamed.feed(text[start:])
    whole.finish()
    streamed.finish()
    assert whole.pieces == streamed.pieces
    for piece in whole.pieces:
        if piece.kind not in (PieceKind.CODE, PieceKind.FORMULA):
            assert piece.marks <= MOST_MARK_WEIGHT + 8
            assert len(piece.source) <= MOST_PIECE_CHARACTERS + 1


def test_a_wide_table_has_few_rows_per_piece_and_a_very_wide_one_is_text() -> None:
    def table(columns: int) -> list[Piece]:
        splitter = MarkdownSplitter()
        splitter.feed("|a" * columns + "|\n" + "|-" * columns + "|\n")
        splitter.feed(("|x" * columns + "|\n") * 20)
        splitter.finish()
        return splitter.pieces

    assert [piece.items for piece in table(50)] == [2] * 10
    assert {piece.kind for piece in table(51)} == {PieceKind.PROSE}


def test_the_estimated_cost_grows_with_the_actual_cost() -> None:
    words = estimated_microseconds("word " * 100)
    assert words < estimated_microseconds("word " * 200)
    for costly in ("`", "$", "|", "_", "\n", "\\"):
        assert estimated_microseconds(f"wor{costly} " * 100) > words


def test_long_lines_of_an_item_continue_in_further_pieces() -> None:
    line = "word " * 250
    pieces = split(f"- item\n\n  {line}\n  {line}\n  {line}\n")
    assert pieces[0].kind is PieceKind.LIST
    assert any(piece.continuation is Continuation.LINE for piece in pieces[1:])
    assert sum(piece.source.count("word") for piece in pieces) == 750
