"""A persona as a value and as a character card, with the macros (`{{char}}`, `{{user}}`) in its
texts. It is stored as a Character Card V3 (https://github.com/kwaroran/character-card-spec-v3)
in JSON: `data.name`, `data.description`, `data.first_mes`. Everything else in a card is kept.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from neodeskpet.core.data_labels import DataSource, read_sources
from neodeskpet.core.json_edit import edited, laid_out
from neodeskpet.core.unicode_text import JOINERS, cut_graphemes, is_joining
from neodeskpet.language import tr

_MACRO = re.compile(r"\{\{([^{}]{0,2000})\}\}|<(user|bot|char)>", re.IGNORECASE)
_MOST_SIDES = 1_000_000


def fill_macros(text: str, char: str, user: str, *, original: str = "") -> str:
    """Fill in the names in `text`; `original` is the value of `{{original}}`. Random macros give
    the same result for the same text, so that it doesn't change between rounds.
    """
    chance = Random(text)

    def put(found: re.Match[str]) -> str:
        inner = (found[1] if found[1] is not None else found[2]).strip()
        word, _, rest = inner.partition(":")
        match word.strip().casefold():
            case "char" | "bot":
                return char
            case "user":
                return user
            case "original":
                return original
            case "random" | "pick":
                choices = _choices(rest)
                return chance.choice(choices) if choices else ""
            case "roll":
                return _roll(rest.strip(), chance)
            case "reverse":
                return rest.strip()[::-1]
            case "comment" | "hidden_key" | "noop" | "trim":
                return ""
        if inner.startswith("//"):
            return ""
        return "\n" if inner.casefold() == "newline" else found[0]

    return _MACRO.sub(put, text)


def _choices(rest: str) -> list[str]:
    double = rest.startswith(":") or "::" in rest
    parts = rest.removeprefix(":").split("::") if double else re.split(r"(?<!\\),", rest)
    return [one.replace("\\,", ",").strip() for one in parts]


def _roll(rest: str, chance: Random) -> str:
    sides = rest.casefold().removeprefix("d")
    if sides.isascii() and sides.isdigit() and 0 < len(sides) < 8 and 0 < int(sides) < _MOST_SIDES:
        return str(chance.randint(1, int(sides)))
    return ""


OURS = "neodeskpet"
"""The key of this app's data in the extensions of a card."""
LONGEST_NAME = 60
LONGEST_TEXT = 20_000
LONGEST_GREETING = 2_000
_LIMIT = 1_000_000  # characters of a file
_CHARACTER = re.compile(r"\{\{char\}\}|<bot>", re.IGNORECASE)
_PERSON = re.compile(r"\{\{user\}\}|<user>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Persona:
    """A persona. `text` describes it to a model; `greeting` is its greeting ("": the app's
    default). `beside` are further texts of a card: the character's traits, the scenario.
    `untrusted`: the sources of the card, if others may have written it (the sync server).
    """

    name: str
    text: str = ""
    greeting: str = ""
    extra: str = ""
    untrusted: tuple[DataSource, ...] = ()

    @property
    def prompt(self) -> str:
        """Return the text for a model, with the names filled in."""
        description = self._named(
            "\n\n".join(filter(None, (self.text, self.extra))), tr("the user")
        )
        return (
            description
            if self.name in description
            else f"You are {self.name}. {description}".strip()
        )

    @property
    def filled_greeting(self) -> str:
        """Return the greeting, with the names filled in."""
        return self._named(self.greeting, tr("you"))

    def _named(self, text: str, person: str) -> str:
        return _PERSON.sub(person, _CHARACTER.sub(lambda _: self.name, text))


def clean_name(name: str) -> str:
    """Return a name for titles and menus: one line, without invisible characters other than the
    joiners of letters and emoji, and shortened between characters.
    """
    kept = (
        c if c.isprintable() or (c in JOINERS and is_joining(name, at)) else " "
        for at, c in enumerate(name)
    )
    return cut_graphemes(" ".join("".join(kept).split()), LONGEST_NAME).rstrip()


def _required_name(name: str) -> str:
    cleaned = clean_name(name)
    if not cleaned:
        raise ValueError(tr("the name is missing"))
    return cleaned


class _Schema(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Character(_Schema):
    name: Annotated[str, AfterValidator(_required_name)]
    description: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    personality: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    scenario: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    first_mes: Annotated[str, Field(max_length=LONGEST_GREETING)] = ""
    extensions: Any = None


class _Card(_Schema):
    data: _Character


def read_persona(text: str) -> Persona:
    """Return the persona of a card (V2 or V3). Raises ValueError with the place and the reason."""
    try:
        found = _Card.model_validate(_tree(text)).data
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{place}: {first['msg']}") from None
    beside = "\n\n".join(part.strip() for part in (found.personality, found.scenario) if part)
    return Persona(
        found.name,
        found.description.strip(),
        found.first_mes.strip(),
        beside.strip(),
        untrusted=_origins(found.extensions),
    )


def _origins(extensions: object) -> tuple[DataSource, ...]:
    """Return the sources that sync wrote beside the card."""
    ours = extensions.get(OURS) if isinstance(extensions, dict) else None
    return read_sources(ours.get("untrusted")) if isinstance(ours, dict) else ()


def write_persona(persona: Persona, before: str = "") -> str:
    """Return the card of `persona` with the other fields of the card `before`. Raises ValueError if
    that can't be read.
    """
    tree = _tree(before) if before else {}
    data = tree.get("data")
    kept = data if isinstance(data, dict) else {}
    own = {"name": persona.name, "description": persona.text, "first_mes": persona.greeting}
    card = {"spec": "chara_card_v3", "spec_version": "3.0", **tree, "data": {**kept, **own}}
    return edited(before, card) if before else laid_out(card)


def _tree(text: str) -> dict[str, Any]:
    if len(text) > _LIMIT:
        raise ValueError(tr("it is too large"))
    try:
        tree = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise ValueError(tr("it is nested too deeply")) from None
    if not isinstance(tree, dict):
        raise ValueError(tr("an object in braces is expected"))
    return tree
