"""The numbers that Word puts before paragraphs (`numbering.xml`); they aren't in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from neodeskpet.documents.content import attribute, child_named, local_name

_PLACE = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"))
_ROMAN_SMALL = ((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_CHINESE = "〇一二三四五六七八九"


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    text: str


class Numbering:
    """Counts the paragraphs of each list. `root` is the part with the numbering, if any."""

    def __init__(self, root: Any | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = {}
        if root is None:
            return
        for one in root:
            if local_name(one) == "abstractNum":
                self._levels[attribute(one, "abstractNumId")] = dict(_levels(one))
            elif local_name(one) == "num":
                named = child_named(one, "abstractNumId")
                if named is not None:
                    self._lists[attribute(one, "numId")] = attribute(named, "val")

    def next_of(self, properties: Any | None) -> str:
        """What stands before the paragraph with these properties: "2.1", "-", "" for nothing."""
        found = child_named(properties, "numPr") if properties is not None else None
        number = child_named(found, "numId") if found is not None else None
        if number is None:
            return ""
        abstract = self._lists.get(attribute(number, "val"), "")
        level_at = child_named(found, "ilvl")
        place = int(attribute(level_at, "val", "0")) if level_at is not None else 0
        level = self._levels.get(abstract, {}).get(place)
        if level is None:
            return ""
        if level.form in ("bullet", "none"):
            return "-" if level.form == "bullet" else ""
        counts = self._counts.setdefault(abstract, {})
        counts[place] = counts.get(place, level.start - 1) + 1
        for deeper in [one for one in counts if one > place]:
            del counts[deeper]
        return _PLACE.sub(lambda match: self._written(abstract, int(match[1]) - 1), level.text)

    def _written(self, abstract: str, place: int) -> str:
        level = self._levels[abstract].get(place, _Level(1, "decimal", ""))
        return in_form(self._counts[abstract].get(place, level.start), level.form)


def _levels(abstract: Any) -> list[tuple[int, _Level]]:
    found = []
    for one in abstract:
        if local_name(one) == "lvl":
            told = {local_name(child): attribute(child, "val") for child in one}
            start = told.get("start", "1")
            level = _Level(
                int(start) if start.isdigit() else 1,
                told.get("numFmt", "decimal"),
                told.get("lvlText", ""),
            )
            found.append((int(attribute(one, "ilvl", "0")), level))
    return found


def in_form(number: int, form: str) -> str:
    match form:
        case "lowerLetter" | "upperLetter" if number > 0:
            letters = chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)
            return letters.upper() if form == "upperLetter" else letters
        case "lowerRoman" | "upperRoman" if 0 < number < 4000:
            text = ""
            for value, letters in _ROMAN + _ROMAN_SMALL:
                text += letters * (number // value)
                number %= value
            return text.upper() if form == "upperRoman" else text
        case "chineseCounting" | "chineseCountingThousand" | "japaneseCounting" if 0 < number < 100:
            tens, ones = divmod(number, 10)
            before = "" if tens == 0 else "十" if tens == 1 else _CHINESE[tens] + "十"
            return before + (_CHINESE[ones] if ones else "")
        case "decimalZero":
            return f"{number:02d}"
        case _:
            return str(number)
