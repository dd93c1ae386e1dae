"""Repair of open Markdown, plain text, and cutting of plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.markdown.formulas import formula_mark
from neodeskpet.core.markdown.pieces import Continuation, Piece, PieceKind
from neodeskpet.core.markdown.preparation import (
    close_open_markup,
    escape_single_tildes,
    footnote_of,
    link_footnotes,
    plain_text_of,
    prepare_markdown,
    quote_markdown,
    separate_emphasis,
    text_chunks,
)
from neodeskpet.core.markdown.splitter import MarkdownSplitter


@pytest.mark.parametrize(
    ("source", "repaired"),
    [
        ("plain text", "plain text"),
        ("some **bold", "some **bold**"),
        ("some **bold ", "some **bold**"),
        ("some **", "some "),
        ("see `code", "see `code`"),
        ("see `co**de", "see `co**de`"),
        ("`a` and `b`", "`a` and `b`"),
        ("~~gone", "~~gone~~"),
        ("the *north", "the *north*"),
        ("the *north* side", "the *north* side"),
        ("2 * 3", "2 * 3"),
        ("- a\n* b", "- a\n* b"),
        ("a [link](https://exam", "a link"),
        ("a ![picture](htt", "a picture"),
        ("a [lin", "a lin"),
        ("a [link](https://example.org) b", "a [link](https://example.org) b"),
        ("**all closed** here", "**all closed** here"),
    ],
)
def test_open_marks_are_closed(source: str, repaired: str) -> None:
    assert close_open_markup(source) == repaired


@given(st.text("ab *_`~[]()!\n", max_size=60))
def test_the_repair_never_fails_and_keeps_the_letters(source: str) -> None:
    def letters(text: str) -> str:
        return "".join(c for c in text if c in "ab")

    assert letters(close_open_markup(source)) in letters(source)


def piece(
    kind: PieceKind, *lines: str, joint: Continuation = Continuation.NONE, closed: bool = True
) -> Piece:
    made = Piece(kind, continuation=joint, closed=closed)
    for line in lines:
        made.add(line)
    return made


def test_line_breaks_in_a_paragraph_are_kept() -> None:
    assert prepare_markdown(piece(PieceKind.PROSE, "one", "two")).source == "one  \ntwo"
    assert prepare_markdown(piece(PieceKind.LIST, "- one", "  two")).source == "- one\n  two"


def test_an_open_piece_is_repaired_and_a_closed_one_is_not() -> None:
    assert prepare_markdown(piece(PieceKind.PROSE, "**a", closed=False)).source == "**a**"
    assert prepare_markdown(piece(PieceKind.PROSE, "**a")).source == "**a"


@pytest.mark.parametrize(
    ("line", "escaped"),
    [("# x", "\\# x"), ("- x", "\\- x"), ("1. x", "1\\. x"), ("> x", "\\> x"), ("x", "x")],
)
def test_the_middle_of_a_text_opens_no_block(line: str, escaped: str) -> None:
    assert (
        prepare_markdown(piece(PieceKind.PROSE, line, joint=Continuation.INLINE)).source == escaped
    )


def test_a_picture_without_a_description_shows_its_address() -> None:
    shown = prepare_markdown(piece(PieceKind.PROSE, "![](https://x.y/z)")).source
    assert shown == "![https://x.y/z](https://x.y/z)"


def test_plain_text_of_markdown() -> None:
    text = (
        "## Head\n\nSome **bold**, *slanted*, `code` and a [link](https://x.y).\n\n"
        "- one\n- two\n\n> said\n\n---\n\n| a | b |\n|---|---|\n| 1 | **2** |\n\n"
        "```\n**raw**\n```\nsnake_case_name"
    )
    splitter = MarkdownSplitter()
    splitter.feed(text)
    splitter.finish()
    assert [plain_text_of(piece) for piece in splitter.pieces] == [
        "Head",
        "Some bold, slanted, code and a link.",
        "• one\n• two",
        "said",
        "",
        "a\tb\n1\t2",
        "**raw**",
        "snake_case_name",
    ]


@given(st.text("ab\n", max_size=300), st.integers(1, 9), st.integers(1, 30))
def test_the_chunks_joined_are_the_text(text: str, lines: int, chars: int) -> None:
    chunks = text_chunks(text, lines, chars)
    joined = ""
    for part, joint in chunks:
        joined += ("\n" if joint is Continuation.LINE else "") + part
        assert len(part) <= chars + 1
        assert part.count("\n") < lines
    assert joined == text


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("**重点：**流式", "**重点：|**流式"),
        ("**Note:**流式", "**Note:|**流式"),
        ("**重点。**Then", "**重点。|**Then"),
        ("他说**“好”**吧", "他说**|“好”|**吧"),
        ("看***（这里）***吧", "看***|（这里）|***吧"),
        ("用**`code`**写", "用**|`code`|**写"),
        ("`**重点：**流式`", "`**重点：**流式`"),
        ("**重点**：流式", "**重点**：流式"),
        ("5*（a+b）*c", "5*（a+b）*c"),
        (r"重点：\**流式", r"重点：\**流式"),
        ("**a:**b", "**a:**b"),
        ("**a:**b 中", "**a:**b 中"),
        ("中 ** 文", "中 ** 文"),
        ("**中 **：文", "**中 **：文"),
        ("**中\n重点：**流式", "**中\n重点：**流式"),
    ],
)
def test_emphasis_beside_wide_punctuation(source: str, told: str) -> None:
    assert separate_emphasis(source) == told.replace("|", "\u200b")
    piece = Piece(PieceKind.HEADING, [source], closed=True)
    assert prepare_markdown(piece).source == told.replace("|", "\u200b")


def whole(text: str) -> Piece:
    splitter = MarkdownSplitter()
    splitter.feed(text)
    splitter.finish()
    (found,) = splitter.pieces
    return found


@pytest.mark.parametrize(
    ("text", "raised"),
    [
        ("so it is[^1].", "so it is[1](note:1)."),
        ("said[^2][^3]", "said[2](note:2)[3](note:3)"),
        ("said[^note]", "said[note](note:note)"),
        ("letters [^abc] and x[^a-z]", "letters [^abc] and x[^a-z]"),
        ("`x[^1]` and [^1](y)", "`x[^1]` and [^1](y)"),
        ("no note", "no note"),
    ],
)
def test_numbers_of_footnotes_are_raised(text: str, raised: str) -> None:
    assert link_footnotes(text) == raised


@pytest.mark.parametrize(
    ("text", "source", "note"),
    [
        ("[^1]: Said *so*.", "1. Said *so*.", ("1", "Said so.")),
        ("[^1]: One\n    two", "1. One\ntwo", ("1", "One\ntwo")),
        ("[^word]: Said.", "word: Said.", ("word", "Said.")),
    ],
)
def test_the_text_of_a_footnote(text: str, source: str, note: tuple[str, str]) -> None:
    piece = whole(text)
    assert piece.kind is PieceKind.FOOTNOTE
    assert prepare_markdown(piece).source == source
    assert footnote_of(piece) == note


def test_other_text_is_no_footnote() -> None:
    assert footnote_of(whole("text")) is None


def test_formulas_are_hidden_from_the_parser() -> None:
    found = prepare_markdown(whole("**$a_1$** and $b*c*d$"))
    assert [one.tex for one in found.formulas] == ["a_1", "b*c*d"]
    assert found.source == f"**{formula_mark(0)}** and {formula_mark(1)}"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**a** $x_1 * y_1 * z$", "a $x_1 * y_1 * z$"),
        ("$$\nx^*_1\n$$", "$$\nx^*_1\n$$"),
        ("| a | $|x|$ |\n|--|--|\n| *b* | $y$ |", "a\t$|x|$\nb\t$y$"),
    ],
)
def test_plain_text_keeps_formulas(text: str, plain: str) -> None:
    assert plain_text_of(whole(text)) == plain


def test_a_passage_is_quoted_line_by_line() -> None:
    assert quote_markdown("One\n\ntwo\n") == "> One\n>\n> two"


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("好呀~♡ 加油哦~", "好呀\\~♡ 加油哦\\~"),
        ("~100 ways and ~5 ways", "\\~100 ways and \\~5 ways"),
        ("~~really gone~~ stays ~", "~~really gone~~ stays \\~"),
        ("`~a~` and \\~ and [x](http://y/~z)", "`~a~` and \\~ and [x](http://y/~z)"),
        ("<http://y/~z> ~", "<http://y/~z> \\~"),
    ],
)
def test_a_single_tilde_is_no_strikethrough(written: str, kept: str) -> None:
    assert escape_single_tildes(written) == kept
    assert escape_single_tildes(kept) == kept
