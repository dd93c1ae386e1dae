"""Ways to split a text: at every place, letter by letter, at random."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from hypothesis import strategies as st


def cut_everywhere(text: str) -> Iterator[list[str]]:
    """Yield `text` whole, letter by letter, in twos and threes, and in two parts at every place."""
    yield [text]
    for size in (1, 2, 3):
        yield [text[at : at + size] for at in range(0, len(text), size)]
    for at in range(1, len(text)):
        yield [text[:at], text[at:]]


def pieces_of(text: str, data: st.DataObject) -> list[str]:
    """Split `text` at random places."""
    places = st.lists(st.integers(0, len(text)), max_size=8)
    cuts = [0, *sorted(data.draw(places)), len(text)]
    return [text[a:b] for a, b in pairwise(cuts)]
