"""The port of the settings window to the live settings, and the search for a setting.

The pages are created from `settings_model.describe_sections()`; `SettingsStore` implements the
port.
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
    """The live settings (`settings.store.SettingsStore`)."""

    def value(self, section: str, name: str) -> object:
        """Return the current value."""
        ...

    def overridden(self, section: str, name: str) -> bool:
        """Return whether the value is set for this run only."""
        ...

    def change(self, section: str, name: str, value: object) -> None:
        """Change a value and store it. Raises KnownError."""
        ...

    def reset(self, section: str | None = None, name: str | None = None) -> None:
        """Reset a setting, a section, or everything to the defaults."""
        ...

    def subscribe(self, observer: SettingObserver) -> Callable[[], None]:
        """Call `observer(section, name, value)` after each change. Return a function that ends
        this.
        """
        ...


def search_text(texts: Iterable[str]) -> str:
    """Return the text that a search looks through: these English texts in all languages."""
    found: list[str] = []
    for text in texts:
        if text:
            found.append(text)
            found.extend(catalogue.gettext(text) for catalogue in _catalogues())
    return "\n".join(found).casefold()


def matches_query(query: str, stack: str) -> bool:
    """Return whether every word of `query` is in `stack`."""
    return all(word in stack for word in query.casefold().split())


def setting_search_text(section: SectionInfo, info: SettingInfo) -> str:
    """Return the search text of a setting. The title of its section finds all of its settings."""
    choices = (text for _, text in info.choices)
    return search_text((section.title, info.title, info.description, *info.keywords, *choices))


@cache
def _catalogues() -> tuple[gettext.NullTranslations, ...]:
    return tuple(
        gettext.translation("neodeskpet", LOCALES, [name], fallback=True) for name in LANGUAGES
    )
