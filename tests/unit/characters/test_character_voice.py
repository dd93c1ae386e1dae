"""The voice of a character: stored in its card, and shared with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from neodeskpet.characters.cards.character_card import Card, CharacterVoice, read_voice, with_voice
from neodeskpet.characters.character_library import CharacterLibrary

_STYLE = CharacterVoice("shimmer", speed=1.2, pitch=1.1, volume=0.7)


def test_the_card_keeps_the_voice(tmp_path: Path) -> None:
    library = CharacterLibrary(tmp_path / "first")
    made = library.add(Card("Mia"))
    library.load()
    character = library.get(made)
    assert character is not None
    assert character.voice == CharacterVoice()
    library.update(replace(character, voice=_STYLE))
    library.load()
    spoken = library.get(made)
    assert spoken is not None
    assert spoken.voice == _STYLE

    file = tmp_path / "mia.json"
    library.export(spoken, file)
    other = CharacterLibrary(tmp_path / "second")
    taken = other.import_card(file)
    other.load()
    found = other.get(taken)
    assert found is not None
    assert found.voice == _STYLE
    library.update(replace(spoken, voice=CharacterVoice()))
    library.load()
    silent = library.get(made)
    assert silent is not None
    assert silent.voice == CharacterVoice()


@pytest.mark.parametrize("voice", [None, 7, "a\nb", "x" * 201, ["nova"]])
def test_other_values_are_no_voice(voice: object) -> None:
    assert read_voice({"voice": voice}) == CharacterVoice()


@pytest.mark.parametrize("factor", ["fast", None, True, float("nan"), float("inf"), [1.2]])
def test_other_values_are_no_factor(factor: object) -> None:
    assert read_voice({"voice_speed": factor}) == CharacterVoice()


def test_factors_stay_within_bounds_and_usual_ones_are_not_stored() -> None:
    assert read_voice({"voice_pitch": 9, "voice_volume": 0}) == CharacterVoice(
        pitch=2.0, volume=0.5
    )
    data = {"voice": "nova", "voice_speed": 1.5, "figure": "x"}
    assert with_voice(data, CharacterVoice(pitch=1.1)) == {"figure": "x", "voice_pitch": 1.1}
