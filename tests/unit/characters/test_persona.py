"""A persona as a character card."""

from __future__ import annotations

import json

import pytest

from neodeskpet.characters.persona import Persona, clean_name, read_persona, write_persona


def test_a_card_of_another_program_is_read_and_kept_completely() -> None:
    card = {
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": {
            "name": " Mimi\u202e\n the  cat ",
            "description": "{{char}} likes {{user}}.",
            "personality": "curious",
            "scenario": "on a roof",
            "first_mes": "Hello {{user}}, I am {{CHAR}}.",
            "tags": ["cat"],
        },
        "else": 1,
    }
    persona = read_persona(json.dumps(card))
    assert persona.name == "Mimi the cat"
    assert persona.prompt == "Mimi the cat likes the user.\n\ncurious\n\non a roof"
    assert persona.filled_greeting == "Hello you, I am Mimi the cat."
    changed = Persona("Mo", "You are Mo.", "Hi.", persona.extra)
    written = json.loads(write_persona(changed, json.dumps(card)))
    assert written["data"]["tags"] == ["cat"]
    assert (written["else"], written["spec"]) == (1, "chara_card_v2")
    assert read_persona(json.dumps(written)) == changed


def test_a_new_card_has_its_format() -> None:
    card = json.loads(write_persona(Persona("Mo")))
    assert (card["spec"], card["data"]["name"]) == ("chara_card_v3", "Mo")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "line 1, column 2"),
        ("[]", "braces"),
        ("{}", "data"),
        ('{"data": {"name": " \\n"}}', "data.name"),
        ('{"data": {"name": "Mo", "description": 3}}', "data.description"),
        ("[" * 500_000, "nested"),
        (" " * 1_000_001, "large"),
    ],
    ids=["json", "list", "data", "name", "text", "deep", "large"],
)
def test_a_broken_card_is_named(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_persona(text)


def test_the_name_is_sent_although_the_text_omits_it() -> None:
    assert Persona("Mo", "Calm.").prompt == "You are Mo. Calm."
    assert Persona("Mo").prompt == "You are Mo."


def test_names_are_short_and_on_one_line() -> None:
    assert clean_name("a\tb\n") == "a b"
    assert len(clean_name("x" * 99)) == 60
