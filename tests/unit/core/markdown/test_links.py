"""Bare addresses: where they end."""

import pytest

from neodeskpet.core.markdown.pieces import Piece, PieceKind
from neodeskpet.core.markdown.preparation import mark_links, prepare_markdown


@pytest.mark.parametrize(
    ("source", "marked"),
    [
        ("See https://a.org/x. Then", "See <https://a.org/x>. Then"),
        ("去 https://a.org/x。然后", "去 <https://a.org/x>。然后"),
        ("看https://a.org/x，再", "看<https://a.org/x>，再"),
        ("看（https://a.org/x）吧", "看（<https://a.org/x>）吧"),
        ("(see https://a.org/x)", "(see <https://a.org/x>)"),
        ("https://a.org/x_(y)!", "<https://a.org/x_(y)>!"),
        ("**https://a.org**", "**<https://a.org>**"),
        ("https://zh.wikipedia.org/wiki/猫", "<https://zh.wikipedia.org/wiki/猫>"),
        ("HTTP://A.ORG?", "<HTTP://A.ORG>?"),
        ("https:// alone", "https:// alone"),
        ("nothing here: x", "nothing here: x"),
    ],
)
def test_punctuation_after_an_address_is_not_part_of_it(source: str, marked: str) -> None:
    assert mark_links(source) == marked


@pytest.mark.parametrize(
    "source",
    [
        "[here](https://a.org/x.) and",
        "[https://a.org.](https://a.org)",
        "![a](https://a.org/x.png).",
        "`curl https://a.org/x.` runs",
        "<https://a.org/x.>",
        "[1]: https://a.org/x.",
        r"https://a.org/x\_y.",
    ],
)
def test_existing_links_are_unchanged(source: str) -> None:
    assert mark_links(source) == source


def test_an_address_in_a_paragraph_becomes_a_link() -> None:
    piece = Piece(PieceKind.PROSE, closed=True)
    piece.add("See https://a.org/x.")
    assert prepare_markdown(piece).source == "See <https://a.org/x>."


def test_a_scheme_without_an_address_stays_text() -> None:
    assert mark_links("It begins with https://.") == "It begins with https://."
