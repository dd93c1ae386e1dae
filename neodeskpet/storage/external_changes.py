"""Notices what other processes write into the databases of a folder.

The system tells that a file changed (`watchfiles`). SQLite tells whether another connection wrote
it (`PRAGMA data_version`): this process's own writes are no news. Where the system can't watch, the
databases are looked at every few seconds.
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
"""Seconds between two looks where the system can't watch."""
_FIRST_DELAY = 3.0
"""Seconds after a start: loading `watchfiles` would hold the start up."""
_PAUSE_SECONDS = 0.5
"""Seconds after news: many writes in a row are told of once."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WatchedDatabase:
    """`has_changed` tells whether another process wrote since it was last asked (raises
    StoreError); `tell` is called if so.
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
    """Watch these files of `folder`, by name, until it is cancelled. `poll`: seconds between two
    looks where the system can't watch; `first`: until the first one.
    """
    for one in watched.values():
        await _is_changed(one)  # from now on
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
    """The names of files that may have changed, again and again."""
    try:
        await asyncio.to_thread(_load_watchfiles)
        from watchfiles import awatch

        def counts(_change: object, path: str) -> bool:
            return _database_name(path) in names

        yield names  # what came before
        watching = awatch(folder, watch_filter=counts, recursive=False, step=50, debounce=400)
        async with aclosing(watching) as changes:  # its thread ends with it
            async for found in changes:
                yield {_database_name(path) for _, path in found}
    except (ImportError, OSError, RuntimeError) as error:
        _log.warning("The data folder can't be watched: %s", error)
        while True:
            await asyncio.sleep(poll)
            yield names


def _load_watchfiles() -> None:
    """Not on the window's thread: it takes its time."""
    import watchfiles  # noqa: F401

    with suppress(ImportError):
        import anyio._backends._asyncio  # noqa: F401


def _database_name(path: str) -> str:
    """The database whose file, or journal, this is."""
    return Path(path).name.removesuffix("-wal").removesuffix("-shm").removesuffix("-journal")
