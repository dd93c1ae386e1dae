"""The note on the newest release, and which of two versions is newer. Pure.

::

    {"version": "0.2.0", "date": "2026-12-01", "page": "https://…",
     "news": {"en": ["Figures blink."], "zh_CN": ["…"]}}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import read_json
from neodeskpet.core.unicode_text import show_hidden_chars

_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MAX_LINES = 20
_MAX_LINE_CHARS = 300


class InvalidReleaseNote(ValueError):
    """Not a release note; a sentence gives the reason."""


@dataclass(frozen=True, slots=True)
class Release:
    """`page` (https) is the download page; `news` maps a language to lines of text."""

    version: str
    day: str = ""
    page: str = ""
    news: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def news_in(self, language: str) -> tuple[str, ...]:
        """Return the news in this language, otherwise in English."""
        return self.news.get(language) or self.news.get("en", ())


def read_release(content: bytes) -> Release:
    """Read a release note and ignore unknown members. Raises InvalidReleaseNote."""
    try:
        found = read_json(content.decode())
    except ValueError:
        raise InvalidReleaseNote(N_("It isn't JSON.")) from None
    if not isinstance(found, dict):
        raise InvalidReleaseNote(N_("It isn't JSON."))
    version, day, page = (str(found.get(name, "")) for name in ("version", "date", "page"))
    if not _VERSION.fullmatch(version):
        raise InvalidReleaseNote(N_("It names no version."))
    news = found.get("news")
    return Release(
        version,
        day if _DATE.fullmatch(day) else "",
        page if page.startswith("https://") and page.isprintable() else "",
        {str(name): _news_lines(said) for name, said in news.items()}
        if isinstance(news, dict)
        else {},
    )


def is_newer(version: str, than: str) -> bool:
    """Return whether `version` is later than `than`; False if it isn't a version."""
    if not _VERSION.fullmatch(version):
        return False
    return _version_numbers(version) > _version_numbers(than)


def _version_numbers(version: str) -> list[int]:
    """Return the numbers of a version: 0.2 equals 0.2.0, and a suffix ("0.2.0.dev1") is ignored."""
    found = _VERSION.match(version)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    return (numbers + [0] * 4)[:4]


def _news_lines(said: object) -> tuple[str, ...]:
    lines = said if isinstance(said, list) else []
    cleaned = (
        " ".join(show_hidden_chars(one).split())[:_MAX_LINE_CHARS]
        for one in lines
        if isinstance(one, str)
    )
    return tuple(filter(None, cleaned))[:_MAX_LINES]
