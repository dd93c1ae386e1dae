"""Timers in a small JSON file, replaced as a whole so that a crash never leaves half of one."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from neodeskpet.files import write_private
from neodeskpet.timers.book import Timer

_log = logging.getLogger(__name__)
_TIMERS = TypeAdapter(list[Timer])


class TimerFile:
    """A `TimerStore`. A file that can't be read is kept beside (`.broken`), the list is empty."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Sequence[Timer]:
        try:
            return _TIMERS.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return []
        except ValidationError as error:
            broken = self._path.with_suffix(self._path.suffix + ".broken")
            self._path.replace(broken)
            _log.warning("Timers can't be read, kept as %s: %s", broken, error)
            return []

    def save(self, timers: Sequence[Timer]) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(self._path, _TIMERS.dump_json(list(timers), indent=1))
