"""Cards are read in a process of their own, with the same result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.characters.cards import child, reader
from neodeskpet.characters.cards.card_errors import NO_BOOK, NO_CARD, CardRefused
from neodeskpet.characters.cards.card_files import read_card, write_card
from neodeskpet.characters.cards.character_card import Card
from neodeskpet.characters.cards.reader import read_card_file, read_world_file
from tests.support.pictures import encoded

BOOK = {"entries": {"0": {"key": ["cat"], "content": "A cat."}}}


def answered(path: Path, *, world: bool = False) -> dict[str, object]:
    question = json.dumps({"path": str(path), "world": world}).encode()
    told: dict[str, object] = json.loads(child.answer(question))
    return told


@pytest.mark.parametrize("suffix", [".png", ".json", ".charx"])
def test_every_kind_of_card(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"mira{suffix}"
    file.write_bytes(
        write_card(Card("Mira", description="é\ud83d"), encoded(size=(64, 64)), suffix)
    )
    card, picture = read_card_file(file)
    assert (card, bool(picture)) == (read_card(file.read_bytes())[0], suffix != ".json")
    assert answered(file)["card"]


def test_omissions_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "mira.json"
    file.write_text('{"data": {"name": "Mira", "description": 5}}')
    assert read_card_file(file)[0].problems == read_card(file.read_bytes())[0].problems != ()


def test_world_books(tmp_path: Path) -> None:
    book, card = tmp_path / "world.json", tmp_path / "card.png"
    book.write_text(json.dumps(BOOK))
    found, odd = read_world_file(book)
    assert [entry.content for entry in found.entries] == ["A cat."] and odd == ()
    card.write_bytes(write_card(Card("Mira", book=found), b"", ".png"))
    assert read_world_file(card)[0].entries == found.entries
    assert "card" in answered(card, world=True) and "book" in answered(book, world=True)
    card.write_bytes(write_card(Card("Mira"), b"", ".png"))
    with pytest.raises(CardRefused) as refused:
        read_world_file(card)
    assert refused.value.params == {"file": "card.png", "reason": NO_BOOK}


def test_refusals_and_disk_errors(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(encoded())
    with pytest.raises(CardRefused) as refused:
        read_card_file(file)
    assert refused.value.params == {"file": "a.png", "reason": NO_CARD}
    with pytest.raises(OSError, match="gone"):
        read_card_file(tmp_path / "gone.png")
    assert "failed" in answered(tmp_path / "gone.png")


def test_a_card_that_takes_too_long_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "deep.json"
    file.write_text('{"data": {"name": "' + "x" * 50_000_000 + '"}}')
    with pytest.raises(CardRefused) as refused:
        read_card_file(file, seconds=0.001)
    assert refused.value.params["reason"] == reader.SLOW
