"""The characters that come with the app are complete in both languages, and differ."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neodeskpet.characters.character_library import CharacterLibrary
from neodeskpet.characters.ready_characters import (
    find_copy,
    ready_card,
    ready_characters,
    ready_id,
)
from neodeskpet.language import LANGUAGES
from neodeskpet.platform.installation import assets_dir

HAN = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_has_its_own_texts_colours_and_manner(language: str) -> None:
    found = ready_characters(assets_dir(), language)
    assert 8 <= len(found) <= 10
    for part in ("id", "name", "line", "text", "greeting", "tint"):
        assert len({getattr(one, part) for one in found}) == len(found), part
    assert {one.liveliness for one in found} == {"calm", "normal", "lively"}
    for one in found:
        assert "{{char}}" in one.text and "{{user}}" in one.text, one.id
        assert len(one.line) <= 60
        chinese = language == "zh_CN"
        assert bool(HAN.search(one.text)) == bool(HAN.search(one.greeting)) == chinese, one.id


def test_the_palettes_of_the_characters_come_with_the_app() -> None:
    used = {one.palette for one in ready_characters(assets_dir(), "en")} - {None}
    files = (assets_dir() / "companion" / "palettes").iterdir()
    assert used == {file.stem for file in files}


def test_a_copy_is_found_again(tmp_path: Path) -> None:
    library = CharacterLibrary(tmp_path)
    first = ready_characters(assets_dir(), "en")[0]
    made = library.add(ready_card(first))
    library.load()
    copy = find_copy(library, first.id)
    assert copy is not None and (copy.id, ready_id(copy)) == (made, first.id)
    library.update(copy)
    library.load()
    assert find_copy(library, first.id) is not None
    assert find_copy(library, "nobody") is None
