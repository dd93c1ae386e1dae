"""The voice of a character: stored in its card, and shared with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from neodeskpet.characters.cards.character_card import Card, read_voice
from neodeskpet.characters.character_library import CharacterLibrary


def test_the_card_keeps_the_voice(tmp_path: Path) -> None:
    library = CharacterLibrary(tmp_path / "first")
    made = library.add(Card("Mia"))
    library.load()
    character = library.get(made)
    assert character is not None
    assert character.voice == ""
    library.update(replace(character, voice="shimmer"))
    library.load()
    spoken = library.get(made)
    assert spoken is not None
    assert spoken.voice == "shimmer"

    file = tmp_path / "mia.json"
    library.export(spoken, file)
    other = CharacterLibrary(tmp_path / "second")
    taken = other.import_card(file)
    other.load()
    found = other.get(taken)
    assert found is not None
    assert found.voice == "shimmer"
    library.update(replace(spoken, voice=""))
    library.load()
    silent = library.get(made)
    assert silent is not None
    assert silent.voice == ""


@pytest.mark.parametrize("voice", [None, 7, "a\nb", "x" * 201, ["nova"]])
def test_other_values_are_no_voice(voice: object) -> None:
    assert read_voice(voice) == ""
