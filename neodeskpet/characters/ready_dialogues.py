"""The bundled dialogues of two companions, in both languages. They need no model: a dialogue is
chosen that fits the day and the two characters. Their lines alternate between the speakers.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from neodeskpet.characters.ready_characters import ready_characters

_FILE = Path("dialogues", "ready.json")
_HOLIDAY_WEIGHT, _CHARACTER_WEIGHT = 8.0, 3.0
_HOLIDAYS = "festival"


@dataclass(frozen=True, slots=True)
class ReadyDialogue:
    """A dialogue. `when`: one of these parts of the day, seasons or holidays must be now (values of
    `figure.behaviour.seasons`); empty for any time. `speakers`: the ids of the bundled characters
    that must speak first and second, "" for anyone.
    """

    id: str
    kind: str
    when: frozenset[str]
    speakers: tuple[str, str]
    lines: tuple[str, ...]

    @property
    def weight(self) -> float:
        """The factor of its likelihood among the dialogues that fit."""
        holiday = _HOLIDAY_WEIGHT if self.kind == _HOLIDAYS else 1.0
        return holiday * (_CHARACTER_WEIGHT if any(self.speakers) else 1.0)


@dataclass(frozen=True, slots=True)
class ChosenDialogue:
    """`swapped`: the second of the two characters that were given speaks first."""

    dialogue: ReadyDialogue
    swapped: bool


@cache
def ready_dialogues(assets: Path, language: str) -> Sequence[ReadyDialogue]:
    """Return all bundled dialogues in `language` ("en", "zh_CN"). Raises OSError, ValueError and
    KeyError if the file is damaged.
    """
    return tuple(
        ReadyDialogue(
            one["id"],
            one["kind"],
            frozenset(one["when"]),
            (one["speakers"][0], one["speakers"][1]),
            tuple(one[language]),
        )
        for one in json.loads((assets / _FILE).read_text("utf-8"))
    )


def choose_dialogue(
    dialogues: Sequence[ReadyDialogue],
    day: Collection[str],
    characters: tuple[str, str],
    shown: Sequence[str],
    random: Random,
) -> ChosenDialogue:
    """Choose one that fits. `day` has the present part of the day, season and holiday; `characters`
    the ids of the two bundled characters, "" for another one; `shown` the ids of earlier
    dialogues, the newest last. None is repeated before all that fit were shown.
    """
    fitting = [
        ChosenDialogue(one, swapped)
        for one in dialogues
        if not one.when or one.when & set(day)
        for swapped in (False, True)
        if _fits(one.speakers, characters[::-1] if swapped else characters)
    ]
    latest = {dialogue: at for at, dialogue in enumerate(shown)}
    new = [one for one in fitting if one.dialogue.id not in latest]
    if not new:
        return min(fitting, key=lambda one: latest[one.dialogue.id])
    return random.choices(new, [one.dialogue.weight for one in new])[0]


def character_id(assets: Path, name: str, languages: Sequence[str]) -> str:
    """Return the id of the bundled character with this name in one of the languages, "" for
    none.
    """
    known = (one for language in languages for one in ready_characters(assets, language))
    return next((one.id for one in known if one.name == name), "")


def _fits(wanted: tuple[str, str], given: tuple[str, str]) -> bool:
    return all(not one or one == other for one, other in zip(wanted, given, strict=True))
