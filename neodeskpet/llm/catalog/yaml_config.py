"""Reads YAML configurations of other programs. The files are untrusted.

The parser's events are checked before any value is built: aliases can't multiply the document (a
"billion laughs" bomb), and deep nesting and endless numbers are refused. PyYAML is loaded when the
first file is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from neodeskpet.language import tr

if TYPE_CHECKING:
    from yaml.events import Event, ScalarEvent

MOST_VALUES = 200_000
"""The largest number of values in a document. Values of an alias count each time it is used."""
MOST_LEVELS = 60
_LONGEST_NUMBER = 40
_NUMBER = re.compile(r"[-+0-9_:.eE]+")


def read_yaml(text: str) -> object:
    """Return the value of one YAML document (YAML 1.1, plain types only). Raises ValueError; its
    text has the line of the fault but no text of the document, which may be a key.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        measure = _Measure()
        for event in yaml.parse(text, loader):
            measure.add(event)
        return yaml.load(text, loader)
    except yaml.constructor.ConstructorError as error:
        raise ValueError(_placed(error, tr("it has a value of an unknown type"))) from None
    except yaml.YAMLError as error:
        raise ValueError(_placed(error, tr("it isn't well-formed YAML"))) from None


def _placed(error: Exception, what: str) -> str:
    mark = getattr(error, "problem_mark", None)
    return tr("line {line}: {reason}", line=str(mark.line + 1), reason=what) if mark else what


class _Measure:
    """Counts the values of a document by the parser's events."""

    def __init__(self) -> None:
        self._open: list[tuple[str | None, int]] = [(None, 0)]
        """Anchor and values of the document, and of the lists and objects that are being read."""
        self._sizes: dict[str, int] = {}

    def add(self, event: Event) -> None:
        """Raises ValueError for a document that is too large, too deep, or contains itself."""
        from yaml import events

        match event:
            case events.CollectionStartEvent():
                self._open.append((event.anchor, 1))
                self._sizes.pop(event.anchor or "", None)
            case events.CollectionEndEvent():
                self._count(*self._open.pop())
            case events.ScalarEvent():
                _check_number(event)
                self._count(event.anchor, 1)
            case events.AliasEvent():
                if event.anchor not in self._sizes:
                    raise ValueError(tr("it contains itself"))
                self._count(None, self._sizes[event.anchor])
        if self._open[-1][1] > MOST_VALUES or len(self._open) > MOST_LEVELS:
            raise ValueError(tr("it is too large or too deeply nested"))

    def _count(self, anchor: str | None, size: int) -> None:
        if anchor is not None:
            self._sizes[anchor] = size
        name, before = self._open[-1]
        self._open[-1] = name, before + size


def _check_number(event: ScalarEvent) -> None:
    """Raises ValueError for a number whose digits would take minutes."""
    long = not event.style and len(event.value) > _LONGEST_NUMBER
    if long and _NUMBER.fullmatch(event.value):
        raise ValueError(tr("it has a number that is too long"))
