"""The pages of the settings, each made when it is first wanted: all of them at once hold the window
for a quarter of a second, and take twenty megabytes that most days nobody looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.settings.look import SectionInfo
from neodeskpet.ui.settings.page import Page


@dataclass(frozen=True, slots=True)
class PageEntry:
    """`make` gives the page of `section`, once."""

    section: SectionInfo
    make: Callable[[], Page]


class Pages(Mapping[str, Page]):
    """Pages by the names of their sections. To ask for one makes it, and `added` hears of it."""

    def __init__(self, entries: Sequence[PageEntry], added: Callable[[Page], None]) -> None:
        self._added = added
        self._entries = {entry.section.name: entry for entry in entries}
        self._made: dict[str, Page] = {}
        self.sections = {entry.section.name: entry.section for entry in entries}

    def __getitem__(self, name: str) -> Page:
        if name not in self._made:
            page = self._made[name] = self._entries[name].make()
            self._added(page)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def made(self) -> list[Page]:
        """Those that were wanted before, in their order."""
        return [self._made[name] for name in self if name in self._made]

    def make_next(self) -> bool:
        """Make one that nobody wanted yet; False when all are there."""
        missing = next((name for name in self if name not in self._made), None)
        return missing is not None and self[missing] is not None
