"""What the palette offers, and which of it is meant by what is typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neodeskpet.core.find.fuzzy import FuzzyQuery, FuzzyTarget

MAX_RESULTS = 100
"""Nobody reads further down."""
_MAX_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """A line of the palette, in the person's language: `kind` says what it is (a conversation, a
    setting), `keys` where there are any. `words` find it too. `key` names it from start to start.
    """

    key: str
    title: str
    kind: str
    run: Callable[[], object]
    icon: str = ""
    keys: str = ""
    search_terms: str = ""


class PaletteSearch:
    """Goes through choices a portion at a time, so that nobody waits for thousands of them."""

    def __init__(self) -> None:
        self._choices: Sequence[PaletteEntry] = ()
        self._targets: dict[tuple[str, str], FuzzyTarget] = {}
        self._recent: dict[str, int] = {}
        self._typed = FuzzyQuery.of("")
        self._found: list[tuple[int, int, int]] = []
        self._next = 0

    def set_entries(self, choices: Sequence[PaletteEntry], recent: Sequence[str]) -> None:
        """From now on these, and those whose keys are `recent` first, where they fit as well."""
        self._choices = choices
        if len(self._targets) > _MAX_KEPT:
            self._targets.clear()
        self._recent = {key: place for place, key in enumerate(recent)}

    def start(self, text: str) -> None:
        """Look for this from the start."""
        self._typed = FuzzyQuery.of(text)
        self._found, self._next = [], 0

    def search_some(self, portion: int) -> bool:
        """Look at so many more; whether that were the last."""
        end = min(len(self._choices), self._next + portion)
        for at in range(self._next, end):
            choice = self._choices[at]
            bad = self._typed.distance(self._target(choice)) if self._typed.words else 0
            if bad is not None:
                late = self._recent.get(choice.key, len(self._recent))
                self._found.append((bad, late, at))
        self._next = end
        return end == len(self._choices)

    def _target(self, choice: PaletteEntry) -> FuzzyTarget:
        name = (choice.title, choice.search_terms)
        target = self._targets.get(name)
        if target is None:
            target = self._targets[name] = FuzzyTarget.of(*name)
        return target

    def results(self) -> list[PaletteEntry]:
        """The best so far."""
        return [self._choices[at] for _, _, at in sorted(self._found)[:MAX_RESULTS]]
