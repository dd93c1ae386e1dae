"""The bundled dialogues are complete in both languages; the choice fits day and characters."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest

from neodeskpet.characters.ready_characters import ready_characters
from neodeskpet.characters.ready_dialogues import (
    ReadyDialogue,
    character_id,
    choose_dialogue,
    ready_dialogues,
)
from neodeskpet.figure.behaviour.seasons import DayPart, Holiday, Season
from neodeskpet.language import LANGUAGES
from neodeskpet.platform.installation import assets_dir

HAN = re.compile("[\u4e00-\u9fff]")
ANYONE = ("", "")


def dialogue(
    name: str, when: frozenset[str] = frozenset(), speakers: tuple[str, str] = ANYONE
) -> ReadyDialogue:
    return ReadyDialogue(name, "greeting", when, speakers, (name, "Yes."))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bundled_dialogues(language: str) -> None:
    found = ready_dialogues(assets_dir(), language)
    assert len(found) >= 40
    assert len({one.id for one in found}) == len({one.lines for one in found}) == len(found)
    kinds = Counter(one.kind for one in found)
    assert set(kinds) == {"greeting", "weather", "festival", "teasing", "study", "break"}
    assert min(kinds.values()) >= 5
    tags = {str(one) for kind in (DayPart, Season, Holiday) for one in kind}
    characters = {"", *(one.id for one in ready_characters(assets_dir(), language))}
    for one in found:
        assert one.when <= tags, one.id
        assert set(one.speakers) <= characters, one.id
        assert 3 <= len(one.lines) == len(set(one.lines)) <= 6, one.id
        assert max(map(len, one.lines)) <= 120, one.id
        assert bool(HAN.search("".join(one.lines))) == (language == "zh_CN"), one.id
    assert {str(one) for one in Holiday} <= {tag for one in found for tag in one.when}
    assert characters == {who for one in found for who in one.speakers}, "each one has its own"


def test_only_what_fits_the_day_and_the_characters_is_chosen() -> None:
    known = [
        dialogue("any"),
        dialogue("morning", frozenset({"morning"})),
        dialogue("winter", frozenset({"winter"})),
        dialogue("luna", speakers=("", "luna")),
    ]

    def chosen(day: set[str], characters: tuple[str, str]) -> set[tuple[str, bool]]:
        picks = (choose_dialogue(known, day, characters, (), Random(n)) for n in range(60))
        return {(one.dialogue.id, one.swapped) for one in picks}

    assert {name for name, _ in chosen({"evening"}, ANYONE)} == {"any"}
    assert {name for name, _ in chosen({"morning", "winter"}, ANYONE)} == {
        "any",
        "morning",
        "winter",
    }
    assert ("luna", False) in chosen(set(), ("", "luna"))
    assert ("luna", True) in chosen(set(), ("luna", "ember"))
    assert ("luna", False) not in chosen(set(), ("luna", "ember"))


def test_none_is_repeated_before_all_were_shown() -> None:
    known = [dialogue(name) for name in "abcd"]
    shown: list[str] = []
    for number in range(12):
        name = choose_dialogue(known, (), ANYONE, shown, Random(number)).dialogue.id
        shown = [*(one for one in shown if one != name), name]
        assert len(set(shown[-4:])) == min(number + 1, 4)


def test_a_holiday_is_noticed() -> None:
    found = ready_dialogues(assets_dir(), "en")
    day = {"day", "winter", "christmas"}
    picks = [choose_dialogue(found, day, ANYONE, (), Random(n)).dialogue for n in range(50)]
    assert sum(one.kind == "festival" for one in picks) >= 5


def test_a_character_is_known_by_its_name_in_either_language() -> None:
    languages = tuple(LANGUAGES)
    assert character_id(assets_dir(), "小焰船长", languages) == "ember"
    assert character_id(assets_dir(), "Captain Ember", languages) == "ember"
    assert character_id(assets_dir(), "Neo", languages) == ""
