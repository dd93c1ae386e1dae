"""The bundled characters: texts in both languages, colours of the bundled figure, and a liveliness.
Choosing one creates a card of the user, which can be changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from neodeskpet.characters.cards.character_card import Card, app_data_of, with_app_data
from neodeskpet.characters.character_library import Character, CharacterLibrary

FOLDER = "characters"
"""The folder in the assets."""
_APP_KEY = "ready"
_ORDER = ("ember", "mochi", "pixel", "fern", "luna", "xiaoman", "basil", "comet", "quill")


@dataclass(frozen=True, slots=True)
class Tint:
    """A change of the bundled figure's colours: `hue` in degrees, the others are factors. A
    character with a palette is tinted only where the palette can't be drawn.
    """

    hue: float
    saturation: float
    light: float


@dataclass(frozen=True, slots=True)
class ReadyCharacter:
    """A bundled character. `line` describes it in the gallery. `palette` is the name of the palette
    of its figure, None for Neo's palette with `tint`. `liveliness` is a preset of the settings.
    """

    id: str
    name: str
    line: str
    text: str
    greeting: str
    palette: str | None
    tint: Tint
    liveliness: str


@cache
def ready_characters(assets: Path, language: str) -> Sequence[ReadyCharacter]:
    """Return all bundled characters with the texts of `language` ("en", "zh_CN"). Raises OSError,
    ValueError and KeyError if one of these files of the app is damaged.
    """
    return tuple(_read(assets / FOLDER / f"{name}.json", language) for name in _ORDER)


def _read(file: Path, language: str) -> ReadyCharacter:
    found = json.loads(file.read_text("utf-8"))
    words = found[language]
    return ReadyCharacter(
        file.stem,
        words["name"],
        words["line"],
        words["text"],
        words["greeting"],
        found.get("palette"),
        Tint(found["hue"], found["saturation"], found["light"]),
        found["liveliness"],
    )


def ready_card(ready: ReadyCharacter) -> Card:
    """Return the card of the user's own copy."""
    card = Card(ready.name, description=ready.text, greeting=ready.greeting, notes=ready.line)
    return with_app_data(card, {_APP_KEY: ready.id})


def ready_id(character: Character) -> str:
    """Return the id of the bundled character that this is a copy of, "" for none."""
    return str(app_data_of(character.card).get(_APP_KEY, ""))


def find_copy(library: CharacterLibrary, ready: str) -> Character | None:
    """Return the user's copy of a bundled character."""
    return next((one for one in library.list_all() if ready_id(one) == ready), None)
