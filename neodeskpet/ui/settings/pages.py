"""The pages of the settings, each made when it is first wanted: all of them at once hold the window
for a quarter of a second, and take twenty megabytes that most days nobody looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.settings.look import SectionInfo
from neodeskpet.ui.settings.page import Page


@dataclass(frozen=True, slots=True)
class PageGroup:
    """Pages that are made together: `make` gives one for each of `sections`, in their order."""

    sections: Sequence[SectionInfo]
    make: Callable[[], Sequence[Page]]


class Pages(Mapping[str, Page]):
    """Pages by the names of their sections. To ask for one makes it, and `added` hears of it."""

    def __init__(self, groups: Sequence[PageGroup], added: Callable[[Page], None]) -> None:
        self._added = added
        self._groups = {section.name: group for group in groups for section in group.sections}
        self._made: dict[str, Page] = {}
        self.sections = {section.name: section for group in groups for section in group.sections}

    def __getitem__(self, name: str) -> Page:
        if name not in self._made:
            self._make(self._groups[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._groups

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    def made(self) -> list[Page]:
        """Those that were wanted before, in their order."""
        return [self._made[name] for name in self if name in self._made]

    def make_next(self) -> bool:
        """Make some that nobody wanted yet; False when all are there."""
        for name, group in self._groups.items():
            if name not in self._made:
                self._make(group)
                return True
        return False

    def _make(self, group: PageGroup) -> None:
        for page in group.make():
            self._made[page.section.name] = page
            self._added(page)
