"""Computes the numbers that OpenDocument files show before headings and list entries: the files
don't store them in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from neodeskpet.documents.docx import in_form
from neodeskpet.documents.reader_types import attribute, local_name

_FORMS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "一, 二, 三, ...": "chineseCounting",
}
_BULLET = "-"


@dataclass(frozen=True, slots=True)
class _Level:
    """The numbering of one level. `form` is "" if no number is shown. `shown` is the number of
    levels shown ("2.1": 2).
    """

    form: str
    before: str
    behind: str
    start: int
    shown: int
    bullet: bool = False


@dataclass(slots=True)
class _Open:
    """A list that is being read. A list continues the numbers of the last one with its style if the
    file says so.
    """

    style: str
    level: int
    counts: dict[int, int]


class ListNumbers:
    """Numbers lists and headings; `content` and `styles` are the parts of the file with
    the styles.
    """

    def __init__(self, content: Any, styles: Any | None) -> None:
        self._styles: dict[str, dict[int, _Level]] = {}
        self._outline: dict[int, _Level] = {}
        self._headings: dict[int, int] = {}
        self._open: list[_Open] = []
        self._last: dict[str, dict[int, int]] = {}
        for root in (styles, content):
            for one in root.iter() if root is not None else ():
                if local_name(one) == "list-style":
                    self._styles[attribute(one, "name")] = dict(_levels(one))
                elif local_name(one) == "outline-style":
                    self._outline = dict(_levels(one))

    @contextmanager
    def inside(self, element: Any) -> Iterator[None]:
        """Enter a list while its entries are read."""
        around = self._open[-1] if self._open else None
        style = attribute(element, "style-name") or (around.style if around is not None else "")
        if around is not None:
            counts, level = around.counts, around.level + 1
            for deeper in [one for one in counts if one >= level]:
                del counts[deeper]
        else:
            goes_on = attribute(element, "continue-numbering") == "true"
            goes_on = goes_on or attribute(element, "continue-list") != ""
            counts, level = (self._last.get(style, {}) if goes_on else {}), 1
        self._open.append(_Open(style, level, counts))
        yield
        self._last[style] = self._open.pop().counts

    def entry(self, item: Any) -> str:
        """Return the number or bullet of the next entry of the current list: "2.", "-"."""
        here = self._open[-1] if self._open else _Open("", 1, {})
        levels = self._styles.get(here.style, {})
        level = levels.get(here.level)
        if level is None or level.bullet:
            return _BULLET
        start = attribute(item, "start-value")
        first = int(start) if start.isdigit() else here.counts.get(here.level, level.start - 1) + 1
        here.counts[here.level] = first
        return _written(levels, here.counts, here.level) or _BULLET

    def heading(self, depth: int) -> str:
        """Return the number of the next heading with a space; "" for none."""
        level = self._outline.get(depth)
        if level is None or not level.form:
            return ""
        self._headings[depth] = self._headings.get(depth, level.start - 1) + 1
        for deeper in [one for one in self._headings if one > depth]:
            del self._headings[deeper]
        return f"{_written(self._outline, self._headings, depth)} "


def _written(levels: dict[int, _Level], counts: dict[int, int], place: int) -> str:
    level = levels[place]
    if not level.form:
        return ""
    numbers = [
        in_form(counts.get(one, levels[one].start), levels[one].form)
        for one in range(max(1, place - level.shown + 1), place + 1)
        if one in levels and levels[one].form
    ]
    return f"{level.before}{'.'.join(numbers)}{level.behind}".strip()


def _levels(style: Any) -> Iterator[tuple[int, _Level]]:
    for one in style:
        level = attribute(one, "level")
        if level.isdigit():
            form = attribute(one, "num-format")
            start, shown = attribute(one, "start-value", "1"), attribute(one, "display-levels", "1")
            yield (
                int(level),
                _Level(
                    _FORMS.get(form, "decimal") if form else "",
                    attribute(one, "num-prefix"),
                    attribute(one, "num-suffix"),
                    int(start) if start.isdigit() else 1,
                    int(shown) if shown.isdigit() else 1,
                    bullet=local_name(one) in ("list-level-style-bullet", "list-level-style-image"),
                ),
            )
