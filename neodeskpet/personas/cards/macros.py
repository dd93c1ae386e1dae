"""The macros in texts of cards: `{{char}}`, `{{user}}` and those of V3. Each is replaced once: what
comes in isn't read for further ones.
"""

from __future__ import annotations

import re
from random import Random

_MACRO = re.compile(r"\{\{([^{}]{0,2000})\}\}|<(user|bot|char)>", re.IGNORECASE)
_MOST_SIDES = 1_000_000


def fill_macros(text: str, char: str, user: str, *, original: str = "") -> str:
    """`text` with the names put in; `original` is what `{{original}}` stands for. What is left to
    chance comes out the same for the same text, so that it doesn't change from round to round.
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
