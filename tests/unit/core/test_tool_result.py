"""What is shown, as plain text and within limits."""

import pytest

from neodeskpet.core.tool_result import (
    CELL,
    ROWS,
    TEXT,
    Shown,
    ShownDiff,
    ShownImage,
    ShownList,
    ShownTable,
    ShownTerminal,
    ShownText,
    bounded,
    shown_words,
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
def test_plain_words(shown: Shown, words: str) -> None:
    assert shown_words(shown) == words
    assert bounded(shown) == shown


@pytest.mark.parametrize(
    "shown",
    [
        ShownText("x" * 2 * TEXT),
        ShownDiff("x" * 2 * TEXT, "p" * 2 * CELL),
        ShownTerminal("x" * 2 * TEXT, "c" * 2 * CELL),
        ShownList(("i",) * 2 * ROWS, "t" * 2 * CELL),
        ShownList(("i" * 2 * CELL,)),
        ShownTable(("h",) * 99, (("c" * 2 * CELL,) * 99,) * 3),
    ],
)
def test_no_result_is_shown_without_end(shown: Shown) -> None:
    assert len(shown_words(bounded(shown))) < len(shown_words(shown))


def test_of_a_terminal_the_end_is_kept() -> None:
    kept = bounded(ShownTerminal("a" * TEXT + "the end", exit_code=1))
    assert isinstance(kept, ShownTerminal)
    assert kept.text.endswith("the end")
    assert kept.exit_code == 1
