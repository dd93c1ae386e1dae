"""What the settings window is made from: sections and fields as plain values, and the live store.

Titles and descriptions are English texts marked with `N_`; the window translates them.
"""

from __future__ import annotations

import gettext
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Protocol

from neodeskpet.language import LANGUAGES, LOCALES


class Kind(StrEnum):
    """How a value is edited. A SCALE with the unit "%" holds a fraction; SEGMENTS is a CHOICE with
    few values; FOLDER is a path with a button beside it.
    """

    SWITCH = "switch"
    CHOICE = "choice"
    SEGMENTS = "segments"
    SCALE = "scale"
    TEXT = "text"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Field:
    """One setting. `path` is `section.name`. `choices` are (value, English text) pairs."""

    path: str
    title: str
    kind: Kind
    description: str = ""
    keywords: tuple[str, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    minimum: float = 0.0
    maximum: float = 1.0
    step: float = 0.05
    unit: str = ""
    placeholder: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A page of the window. `icon` names one of assets/icons."""

    id: str
    title: str
    description: str = ""
    icon: str = "settings"
    fields: tuple[Field, ...] = ()


class SettingsPort(Protocol):
    """The live settings."""

    def value(self, path: str) -> object:
        """The present value of `section.name`."""
        ...

    def change(self, path: str, value: object) -> None:
        """Set and keep it. Raises ValueError (with a text for the person) if it can't be."""
        ...

    def listen(self, heard: Callable[[str], None]) -> Callable[[], None]:
        """Call `heard(path)` after every change; returns what ends it."""
        ...


def haystack(texts: Iterable[str]) -> str:
    """What a search goes through: these English texts in every language we speak."""
    found: list[str] = []
    for text in texts:
        if text:
            found.append(text)
            found.extend(catalogue.gettext(text) for catalogue in _catalogues())
    return "\n".join(found).casefold()


def matches(query: str, stack: str) -> bool:
    """Whether every word of `query` is in `stack`."""
    return all(word in stack for word in query.casefold().split())


def searchable(section: Section, field: Field) -> str:
    """The haystack of one field; the section's title finds all of its fields."""
    texts: Sequence[str] = (
        section.title,
        field.title,
        field.description,
        *field.keywords,
        *(text for _, text in field.choices),
    )
    return haystack(texts)


@cache
def _catalogues() -> tuple[gettext.NullTranslations, ...]:
    return tuple(
        gettext.translation("neodeskpet", LOCALES, [name], fallback=True) for name in LANGUAGES
    )
