"""The pages of the settings, each made when it is first wanted: all of them at once hold the window
for a quarter of a second, and take twenty megabytes that most days nobody looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.settings.look import SectionInfo
from neodeskpet.ui.settings.page import SettingsPage


@dataclass(frozen=True, slots=True)
class SettingsPageEntry:
    """`make` gives the page of `section`, once."""

    section: SectionInfo
    create: Callable[[], SettingsPage]


class SettingsPages(Mapping[str, SettingsPage]):
    """Pages by the names of their sections. To ask for one makes it; `add` takes it in, in steps.

    `create_next` does one step at a time. Nobody meets a page that is half taken in: whoever asks
    for it, or for all that are made, ends what was begun.
    """

    def __init__(
        self, entries: Sequence[SettingsPageEntry], add: Callable[[SettingsPage], Iterator[None]]
    ) -> None:
        self._add = add
        self._begun: Iterator[None] | None = None
        self._entries = {entry.section.name: entry for entry in entries}
        self._made: dict[str, SettingsPage] = {}
        self.sections = {entry.section.name: entry.section for entry in entries}

    def __getitem__(self, name: str) -> SettingsPage:
        self._end_begun()
        if name not in self._made:
            self._begin(name)
            self._end_begun()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def created(self) -> list[SettingsPage]:
        """Those that were wanted before, in their order."""
        self._end_begun()
        return [self._made[name] for name in self if name in self._made]

    def create_next(self, first: str) -> bool:
        """A step towards those that nobody wanted yet, `first` before the others; False when all
        are there.
        """
        begun, self._begun = self._begun, None
        if begun is not None:
            for _ in begun:
                self._begun = begun
                break
            return True
        missing = next((name for name in (first, *self) if name not in self._made), None)
        if missing is not None:
            self._begin(missing)
        return missing is not None

    def _begin(self, name: str) -> None:
        page = self._made[name] = self._entries[name].create()
        self._begun = self._add(page)

    def _end_begun(self) -> None:
        begun, self._begun = self._begun, None
        for _ in begun or ():
            pass
