"""What the settings window asks of the live settings, and how a search finds a setting.

The pages are made from `settings.settings_model.describe()`; `SettingsStore` is the port.
"""

from __future__ import annotations

import gettext
from collections.abc import Callable, Iterable
from functools import cache
from typing import Protocol

from neodeskpet.language import LANGUAGES, LOCALES
from neodeskpet.settings.setting_fields import SectionInfo, SettingInfo

SettingObserver = Callable[[str, str, object], None]


class SettingsPort(Protocol):
    """The live settings, as `settings.store.SettingsStore` has them."""

    def value(self, section: str, name: str) -> object:
        """The value in force."""
        ...

    def overridden(self, section: str, name: str) -> bool:
        """Whether that value is for this run alone."""
        ...

    def change(self, section: str, name: str, value: object) -> None:
        """Put a value in force and keep it. Raises KnownError if it can't be."""
        ...

    def reset(self, section: str | None = None, name: str | None = None) -> None:
        """Back to the defaults."""
        ...

    def subscribe(self, observer: SettingObserver) -> Callable[[], None]:
        """Call `observer(section, name, value)` after each change; returns what ends it."""
        ...


def search_text(texts: Iterable[str]) -> str:
    """What a search goes through: these English texts in every language we speak."""
    found: list[str] = []
    for text in texts:
        if text:
            found.append(text)
            found.extend(catalogue.gettext(text) for catalogue in _catalogues())
    return "\n".join(found).casefold()


def matches_query(query: str, stack: str) -> bool:
    """Whether every word of `query` is in `stack`."""
    return all(word in stack for word in query.casefold().split())


def setting_search_text(section: SectionInfo, info: SettingInfo) -> str:
    """The haystack of one setting; the section's title finds all of its settings."""
    choices = (text for _, text in info.choices)
    return search_text((section.title, info.title, info.description, *info.keywords, *choices))


@cache
def _catalogues() -> tuple[gettext.NullTranslations, ...]:
    return tuple(
        gettext.translation("neodeskpet", LOCALES, [name], fallback=True) for name in LANGUAGES
    )
