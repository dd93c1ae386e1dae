"""Timers in a small JSON file, replaced as a whole so that a crash never leaves half of one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from neodeskpet.file_thread import AtOnce, Writer
from neodeskpet.files import write_private
from neodeskpet.timers.book import Timer

_log = logging.getLogger(__name__)
_TIMERS = TypeAdapter(list[Timer])


class TimerFile:
    """A `TimerStore`. A file that can't be read is kept beside (`.broken`), the list is empty."""

    def __init__(self, path: Path, writer: Writer | None = None) -> None:
        self._path = path
        self._writer = writer or AtOnce()
        self._wanted: Sequence[Timer] | None = None  # what isn't in the file yet
        self._written: Future[None] | None = None

    def load(self) -> Sequence[Timer]:
        wanted = self._wanted
        return self._read() if wanted is None else wanted

    def _read(self) -> Sequence[Timer]:
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
        self._wanted = tuple(timers)
        self._written = self._writer.run(self._write)

    async def stored(self) -> None:
        if self._written is not None:
            await asyncio.shield(asyncio.wrap_future(self._written))

    def _write(self) -> None:
        timers = self._wanted
        if timers is None:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self._path, _TIMERS.dump_json(list(timers), indent=1))
        except OSError as error:
            _log.warning("The timers can't be stored: %s", error)
            raise
        finally:
            # Written or not, the file is the truth again, unless others were saved meanwhile.
            if self._wanted is timers:
                self._wanted = None
