"""Detects writes of other processes to the databases of a folder.

The system reports that a file changed (`watchfiles`). SQLite reports whether another connection
wrote it (`PRAGMA data_version`), so this process's own writes are ignored. If the system can't
watch the folder, the databases are checked every few seconds.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Set
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.core.errors import StoreError

_POLL_SECONDS = 3.0
"""Seconds between checks if the system can't watch the folder."""
_FIRST_DELAY = 3.0
"""Seconds to wait after the start, because importing `watchfiles` would slow it down."""
_PAUSE_SECONDS = 0.5
"""Seconds to wait after a report, so that a series of writes is reported once."""
WATCH_STEP_MS = 200
"""Milliseconds between two looks of `watchfiles` at what the system reported. Each takes Python's
lock: with 50 they took about 0.1 % of a core.
"""
WATCH_RESTART_MS = 60_000
"""Milliseconds after which `watchfiles` calls its thread again. Each call takes 5 ms of the UI
thread: with its default, 5 s, they took about 0.1 % of a core.
"""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WatchedDatabase:
    """A database to watch. `has_changed` returns whether another process wrote since its last call
    (raises StoreError); `on_change` is called if so.
    """

    has_changed: Callable[[], Awaitable[bool]]
    on_change: Callable[[], object]


async def watch_other_processes(
    folder: Path,
    watched: Mapping[str, WatchedDatabase],
    *,
    poll: float = _POLL_SECONDS,
    first: float = _FIRST_DELAY,
) -> None:
    """Watch these files of `folder`, by name, until cancelled. `poll`: seconds between checks if
    the system can't watch; `first`: seconds until the first check.
    """
    for one in watched.values():
        await _is_changed(one)  # sets the starting point
    await asyncio.sleep(first)
    async with aclosing(_changes(folder, frozenset(watched), poll)) as changes:
        async for names in changes:
            news = [watched[name] for name in sorted(names) if await _is_changed(watched[name])]
            for one in news:
                one.on_change()
            if news:
                await asyncio.sleep(_PAUSE_SECONDS)


async def _is_changed(one: WatchedDatabase) -> bool:
    with suppress(StoreError):
        return await one.has_changed()
    return False


async def _changes(
    folder: Path, names: frozenset[str], poll: float
) -> AsyncGenerator[Set[str], None]:
    """Yield the names of files that may have changed, without end."""
    try:
        await asyncio.to_thread(_load_watchfiles)
        from watchfiles import awatch

        def counts(_change: object, path: str) -> bool:
            return _database_name(path) in names

        yield names  # earlier changes
        watching = awatch(
            folder,
            watch_filter=counts,
            recursive=False,
            step=WATCH_STEP_MS,
            debounce=2 * WATCH_STEP_MS,
            rust_timeout=WATCH_RESTART_MS,
        )
        async with aclosing(watching) as changes:  # ends its thread
            async for found in changes:
                yield {_database_name(path) for _, path in found}
    except (ImportError, OSError, RuntimeError) as error:
        _log.warning("The data folder can't be watched: %s", error)
        while True:
            await asyncio.sleep(poll)
            yield names


def _load_watchfiles() -> None:
    """Import the library. Slow: call it in a thread."""
    import watchfiles  # noqa: F401

    with suppress(ImportError):
        import anyio._backends._asyncio  # noqa: F401


def _database_name(path: str) -> str:
    """Return the name of the database that this file or journal belongs to."""
    return Path(path).name.removesuffix("-wal").removesuffix("-shm").removesuffix("-journal")
