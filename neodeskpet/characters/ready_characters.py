"""The characters that come with the app: words in both languages, a tint of the bundled figure, and
how lively they are. A character that is chosen becomes a card of the user's, who may change it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.characters.cards.character_card import Card, app_data_of, with_app_data
from neodeskpet.characters.character_library import Character, CharacterLibrary

FOLDER = "characters"
"""Below the assets."""
_APP_KEY = "ready"
_ORDER = ("ember", "mochi", "pixel", "fern", "luna", "xiaoman", "basil", "comet", "quill")


@dataclass(frozen=True, slots=True)
class Tint:
    """How the colours of the bundled figure are changed: `hue` in degrees, the others as
    factors.
    """

    hue: float
    saturation: float
    light: float


@dataclass(frozen=True, slots=True)
class ReadyCharacter:
    """`line` describes it in the gallery. `liveliness` is a preset of the settings."""

    id: str
    name: str
    line: str
    text: str
    greeting: str
    tint: Tint
    liveliness: str


def ready_characters(assets: Path, language: str) -> list[ReadyCharacter]:
    """All of them in the words of `language` ("en", "zh_CN"). They are files of the app: raises
    OSError, ValueError and KeyError when one is damaged.
    """
    return [_read(assets / FOLDER / f"{name}.json", language) for name in _ORDER]


def _read(file: Path, language: str) -> ReadyCharacter:
    found = json.loads(file.read_text("utf-8"))
    words = found[language]
    return ReadyCharacter(
        file.stem,
        words["name"],
        words["line"],
        words["text"],
        words["greeting"],
        Tint(found["hue"], found["saturation"], found["light"]),
        found["liveliness"],
    )


def ready_card(ready: ReadyCharacter) -> Card:
    """The card of the user's own copy."""
    card = Card(ready.name, description=ready.text, greeting=ready.greeting, notes=ready.line)
    return with_app_data(card, {_APP_KEY: ready.id})


def ready_id(character: Character) -> str:
    """The id of the ready character that this is a copy of, "" for none."""
    return str(app_data_of(character.card).get(_APP_KEY, ""))


def find_copy(library: CharacterLibrary, ready: str) -> Character | None:
    """The user's copy of a ready character."""
    return next((one for one in library.list_all() if ready_id(one) == ready), None)
