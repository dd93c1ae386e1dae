"""Pieces, and where long lines are cut."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.markdown.pieces import (
    MOST_PIECE_CHARACTERS,
    Piece,
    PieceKind,
    cut_point,
    without_table_head,
)


def test_the_size_of_a_piece() -> None:
    piece = Piece(PieceKind.PROSE)
    piece.add("one")
    piece.add("two")
    assert (piece.source, piece.size) == ("one\ntwo", 8)


def test_a_line_is_cut_after_a_word_or_punctuation() -> None:
    assert cut_point("word " * 400) % 5 == 0
    assert cut_point("字" * 1200 + "，" + "字" * 600) == 1201


def test_an_emoji_is_not_separated_from_its_joiners() -> None:
    assert (
        cut_point("字" * (MOST_PIECE_CHARACTERS - 16) + "\u200d\ufe0f" + "字" * 40)
        == MOST_PIECE_CHARACTERS - 14
    )


@given(st.integers(0), st.text(max_size=30))
def test_the_cut_depends_on_the_first_characters_only(seed: int, more: str) -> None:
    chance = Random(seed)  # Drawing each letter with hypothesis took most of the time.
    letters = chance.sample("ab ，\u200d", chance.randint(1, 5))
    text = "".join(chance.choices(letters, k=MOST_PIECE_CHARACTERS + chance.randrange(41)))
    cut = cut_point(text)
    assert cut == cut_point(text[:MOST_PIECE_CHARACTERS] + more)
    assert 0 < cut <= MOST_PIECE_CHARACTERS


def test_the_head_of_a_table_is_held_back() -> None:
    open_piece = Piece(PieceKind.PROSE, ["text", "| a |"])
    assert [piece.lines for piece in without_table_head([open_piece])] == [["text"]]
    assert without_table_head([Piece(PieceKind.PROSE, ["| a |"])]) == []
    closed = Piece(PieceKind.PROSE, ["| a |"], closed=True)
    assert without_table_head([closed]) == [closed]
    assert without_table_head([]) == []
