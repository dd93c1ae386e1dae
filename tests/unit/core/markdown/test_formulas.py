"""Formulas in Markdown: which text is a formula, and which is money."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.markdown.formulas import (
    MOST_FORMULAS,
    begins_display,
    ends_display,
    extract_formulas,
    formula_mark,
    formula_of,
    restore_formulas,
)
from neodeskpet.core.markdown.pieces import (
    MOST_CODE_CHARACTERS,
    MOST_PIECE_CHARACTERS,
    Continuation,
    Piece,
    PieceKind,
)
from neodeskpet.core.markdown.splitter import MarkdownSplitter


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
def test_formulas_are_found(text: str, tex: list[str]) -> None:
    marked, found = extract_formulas(text)
    assert [one.tex for one in found] == tex
    assert [mark in marked for mark in map(formula_mark, range(len(tex)))] == [True] * len(tex)
    assert "$" not in marked.replace(r"\$", "")
    assert restore_formulas(marked, found) == text


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
def test_money_and_similar_text_is_no_formula(text: str) -> None:
    assert extract_formulas(text) == (text, ())


def test_display_formulas_are_recognised() -> None:
    assert [one.display for one in extract_formulas(r"$x$ $$x$$ \(x\) \[x\]")[1]] == [
        False,
        True,
        False,
        True,
    ]


def test_marks_of_the_parser_in_the_text_are_no_formulas() -> None:
    marked, found = extract_formulas(f"{formula_mark(0)} \ufffc $x$")
    assert marked == f"\ufffd \ufffd {formula_mark(0)}"
    assert len(found) == 1


def test_the_number_of_formulas_is_limited() -> None:
    marked, found = extract_formulas("and $x$ " * (MOST_FORMULAS + 10))
    assert len(found) == MOST_FORMULAS + 1
    assert marked.count("$x$") == 9


@given(st.text(r"$\()[]x 5,a`{}\n", max_size=40))
def test_no_text_is_lost(text: str) -> None:
    assert restore_formulas(*extract_formulas(text)) == text


# Display formulas as blocks


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
def test_what_begins_a_display_formula(line: str, mark: str) -> None:
    assert begins_display(line) == mark


def test_what_ends_a_display_formula() -> None:
    assert not ends_display("$$", "$$", first=True)
    assert ends_display("$$", "$$x$$", first=True)
    assert ends_display("$$", "x $$")
    assert ends_display(r"\[", r"\]")
    assert not ends_display(r"\[", "$$")


def pieces(text: str, step: int = 0) -> list[Piece]:
    splitter = MarkdownSplitter()
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
    found = [formula_of(piece) for piece in whole if piece.kind is PieceKind.FORMULA]
    assert [one.tex if one is not None else None for one in found] == tex
    for step in (1, 3):
        assert pieces(text, step) == whole


def test_a_list_continues_after_a_formula() -> None:
    found = pieces("1. a\n   $$\n   x\n   $$\n2. b")
    assert [(piece.kind, piece.indent) for piece in found] == [
        (PieceKind.LIST, 0),
        (PieceKind.FORMULA, 1),
        (PieceKind.LIST, 0),
    ]
    assert found[2].source == "2. b"


def test_a_formula_without_an_end_is_cut() -> None:
    text = "$$\n" + ("x + " * 20 + "\n") * 400
    found = pieces(text)
    assert len(found) > 5
    assert all(piece.size <= MOST_CODE_CHARACTERS + MOST_PIECE_CHARACTERS for piece in found)
    assert {formula_of(piece) for piece in found} == {None}


def test_the_rest_of_a_cut_line_is_no_formula() -> None:
    piece = Piece(PieceKind.FORMULA, ["$$x$$"], continuation=Continuation.INLINE)
    assert formula_of(piece) is None
    assert formula_of(Piece(PieceKind.PROSE, ["$$x$$"])) is None


def test_an_open_formula_is_shown_while_it_grows() -> None:
    splitter = MarkdownSplitter()
    seen = []
    for char in "Text\n$$\nx + y\n$$\nand":
        splitter.feed(char)
        seen.append([piece.source for piece in splitter.shown() if piece.kind is PieceKind.FORMULA])
    assert [] in seen
    assert ["$$\nx +"] in seen
    assert seen[-1] == ["$$\nx + y\n$$"]
    assert ["$$\nx + y\n$"] not in seen  # Half a mark isn't shown.


def test_a_text_of_many_short_formulas_is_shown_as_it_is_written() -> None:
    assert extract_formulas("$a$ " * 16) == ("$a$ " * 16, ())
    assert len(extract_formulas("$a$ " * 15)[1]) == 15
    assert len(extract_formulas("and $a_1$ " * 40)[1]) == 40
