"""Formulas in Markdown: what is one, and what is money."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.markdown.formulas import (
    MOST,
    begins_display,
    ends_display,
    formula_of,
    mark_of,
    put_back,
    set_apart,
)
from neodeskpet.core.markdown.pieces import CODE_CHARS, LIMIT, Joint, Kind, Piece
from neodeskpet.core.markdown.splitter import Splitter


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("for $x^2$, then", ["x^2"]),
        ("设$x$为，$y$。", ["x", "y"]),
        (r"\(a_1 * b\) and \( c \)", ["a_1 * b", "c"]),
        (r"mid $$x$$ and \[y\]", ["x", "y"]),
        ("**$x$** ($y$) $a$-$b$", ["x", "y", "a", "b"]),
        (r"$\$5$ and $2x + 1$", [r"\$5", "2x + 1"]),
        (r"$100 \text{ apples}$", [r"100 \text{ apples}"]),
        ("| $|x|$ |", ["|x|"]),
        ("$1,000$", ["1,000"]),
    ],
)
def test_formulas(text: str, tex: list[str]) -> None:
    marked, found = set_apart(text)
    assert [one.tex for one in found] == tex
    assert [mark in marked for mark in map(mark_of, range(len(tex)))] == [True] * len(tex)
    assert "$" not in marked.replace(r"\$", "")
    assert put_back(marked, found) == text


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $10",
        "costs $5, or 10$.",
        "between $1,000 and more, up to 5$",
        "从$5到10块，再到$20，共25$",
        "US$5 for A$6",
        "$5-$10",
        "$HOME and $PATH, $HOME/$USER",
        "$ x $ and $x $",
        "$x$y",
        r"\$x\$ and \\(x\\)",
        "$$$",
        "`$x$` and ``$y` $z$``",
        "[a](http://x.y/$a$b) http://x.y?a=$q$",
        "one $x\ntwo$",
        r"\(\) \[ \] $$  $$",
        "no mark at all",
    ],
)
def test_money_and_the_like(text: str) -> None:
    assert set_apart(text) == (text, ())


def test_display_is_known() -> None:
    assert [one.display for one in set_apart(r"$x$ $$x$$ \(x\) \[x\]")[1]] == [
        False,
        True,
        False,
        True,
    ]


def test_marks_that_stand_in_the_text_are_none() -> None:
    marked, found = set_apart(f"{mark_of(0)} \ufffc $x$")
    assert marked == f"\ufffd \ufffd {mark_of(0)}"
    assert len(found) == 1


def test_there_is_an_end_to_it() -> None:
    marked, found = set_apart("and $x$ " * (MOST + 10))
    assert len(found) == MOST + 1
    assert marked.count("$x$") == 9


@given(st.text(r"$\()[]x 5,a`{}\n", max_size=40))
def test_nothing_is_lost(text: str) -> None:
    assert put_back(*set_apart(text)) == text


# Those that stand on their own


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("$$", "$$"),
        ("  $$ x = 1", "$$"),
        ("$$x$$", "$$"),
        ("$$x$$。", "$$"),
        (r"\[", r"\["),
        (r"\[x\]", r"\["),
        ("$$x$$ where", ""),
        (r"\[1\](x)", ""),
        ("$$$", ""),
        ("$x$", ""),
        ("text", ""),
        ("", ""),
    ],
)
def test_what_begins_one(line: str, mark: str) -> None:
    assert begins_display(line) == mark


def test_what_ends_one() -> None:
    assert not ends_display("$$", "$$", first=True)
    assert ends_display("$$", "$$x$$", first=True)
    assert ends_display("$$", "x $$")
    assert ends_display(r"\[", r"\]")
    assert not ends_display(r"\[", "$$")


def pieces(text: str, step: int = 0) -> list[Piece]:
    splitter = Splitter()
    for start in range(0, len(text), step or max(1, len(text))):
        splitter.feed(text[start : start + (step or len(text))])
    splitter.finish()
    return splitter.pieces


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("So\n$$\nx\n$$\nand", ["x"]),
        ("$$x$$\n$$y$$", ["x", "y"]),
        ("\\[\na \\\\\nb\n\\]", ["a \\\\\nb"]),
        ("$$x$$.", ["x."]),
        ("$$\nx\n$$。", ["x\\text{。}"]),
        ("- a\n  $$\n  x\n  $$\n- b", ["x"]),
        ("1. a\n\n   \\[x\\]\n\n2. b", ["x"]),
        ("$$\nx\n\nnot $$", [None]),
        ("$$\nx", [None]),
        ("$$\nx\n$$ and more", [None]),
        ("$$\n$$", [None]),
        ("$$" + "x" * 5000 + "$$", [None, None, None, None]),
    ],
)
def test_pieces_that_are_formulas(text: str, tex: list[str | None]) -> None:
    whole = pieces(text)
    found = [formula_of(piece) for piece in whole if piece.kind is Kind.FORMULA]
    assert [one.tex if one is not None else None for one in found] == tex
    for step in (1, 3):
        assert pieces(text, step) == whole


def test_a_list_goes_on_behind_a_formula() -> None:
    found = pieces("1. a\n   $$\n   x\n   $$\n2. b")
    assert [(piece.kind, piece.indent) for piece in found] == [
        (Kind.LIST, 0),
        (Kind.FORMULA, 1),
        (Kind.LIST, 0),
    ]
    assert found[2].source == "2. b"


def test_what_has_no_end_is_cut() -> None:
    text = "$$\n" + ("x + " * 20 + "\n") * 400
    found = pieces(text)
    assert len(found) > 5
    assert all(piece.size <= CODE_CHARS + LIMIT for piece in found)
    assert {formula_of(piece) for piece in found} == {None}


def test_the_rest_of_a_cut_line_is_none() -> None:
    piece = Piece(Kind.FORMULA, ["$$x$$"], joint=Joint.INLINE)
    assert formula_of(piece) is None
    assert formula_of(Piece(Kind.PROSE, ["$$x$$"])) is None


def test_an_open_one_is_shown_as_it_grows() -> None:
    splitter = Splitter()
    seen = []
    for char in "Text\n$$\nx + y\n$$\nand":
        splitter.feed(char)
        seen.append([piece.source for piece in splitter.shown() if piece.kind is Kind.FORMULA])
    assert [] in seen
    assert ["$$\nx +"] in seen
    assert seen[-1] == ["$$\nx + y\n$$"]
    assert ["$$\nx + y\n$"] not in seen  # half a mark


def test_a_text_of_nothing_but_short_formulas_is_shown_as_it_is_written() -> None:
    assert set_apart("$a$ " * 16) == ("$a$ " * 16, ())
    assert len(set_apart("$a$ " * 15)[1]) == 15
    assert len(set_apart("and $a_1$ " * 40)[1]) == 40
