"""The shown results of tools: plain text within limits."""

import pytest

from neodeskpet.core.tool_result import (
    MOST_CELL,
    MOST_ROWS,
    MOST_TEXT,
    Shown,
    ShownDiff,
    ShownImage,
    ShownList,
    ShownTable,
    ShownTerminal,
    ShownText,
    bounded_content,
    shown_as_text,
)

SMALL: list[tuple[Shown, str]] = [
    (ShownText("a\nb"), "a\nb"),
    (ShownList(("a", "b")), "• a\n• b"),
    (ShownList(("a",), "Notes"), "Notes\n• a"),
    (ShownTable(("x", "y"), (("1", "2"),)), "x\ty\n1\t2"),
    (ShownDiff("+a", "f.txt"), "+a"),
    (ShownImage("d", "cat.png"), "cat.png"),
    (ShownTerminal("out", "ls", 0), "$ ls\nout"),
    (ShownTerminal("out"), "out"),
]


@pytest.mark.parametrize(("shown", "words"), SMALL)
def test_plain_text(shown: Shown, words: str) -> None:
    assert shown_as_text(shown) == words
    assert bounded_content(shown) == shown


@pytest.mark.parametrize(
    "shown",
    [
        ShownText("x" * 2 * MOST_TEXT),
        ShownDiff("x" * 2 * MOST_TEXT, "p" * 2 * MOST_CELL),
        ShownTerminal("x" * 2 * MOST_TEXT, "c" * 2 * MOST_CELL),
        ShownList(("i",) * 2 * MOST_ROWS, "t" * 2 * MOST_CELL),
        ShownList(("i" * 2 * MOST_CELL,)),
        ShownTable(("h",) * 99, (("c" * 2 * MOST_CELL,) * 99,) * 3),
    ],
)
def test_the_length_of_a_result_is_limited(shown: Shown) -> None:
    assert len(shown_as_text(bounded_content(shown))) < len(shown_as_text(shown))


def test_of_terminal_output_the_end_is_kept() -> None:
    kept = bounded_content(ShownTerminal("a" * MOST_TEXT + "the end", exit_code=1))
    assert isinstance(kept, ShownTerminal)
    assert kept.text.endswith("the end")
    assert kept.exit_code == 1
