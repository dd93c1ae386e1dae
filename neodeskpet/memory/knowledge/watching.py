"""Notices changes in files and folders: by the system (watchfiles), and where that is not to be had
by looking.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path

from neodeskpet.memory.knowledge.reading import file_fingerprint
from neodeskpet.memory.knowledge.walk import is_ignored

_POLL_SECONDS = 2.0
"""Seconds between two looks at single files: who writes a file often puts a new one in its place,
which no watch on the old one sees.
"""
_log = logging.getLogger(__name__)


class FileWatcher:
    """A `Watcher`. What can't be watched is looked at from time to time by the keeper."""

    async def changes(self, places: Sequence[Path], stop: asyncio.Event) -> AsyncIterator[object]:
        """See `Watcher`. Many changes at once are one."""
        changed = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            folders = await asyncio.to_thread(_folders_of, places)
            files = [one for one in places if one not in folders]
            tasks = [
                group.create_task(_watch(folders, changed, stop)),
                group.create_task(_poll_files(files, changed)),
                group.create_task(_stop_or_change(stop, changed)),
            ]
            try:
                while True:
                    await changed.wait()
                    if stop.is_set():
                        break
                    changed.clear()
                    yield None
            finally:
                for task in tasks:
                    task.cancel()


def _folders_of(places: Sequence[Path]) -> list[Path]:
    return [one for one in places if one.is_dir()]


async def _stop_or_change(stop: asyncio.Event, changed: asyncio.Event) -> None:
    await stop.wait()
    changed.set()


async def _watch(folders: Sequence[Path], changed: asyncio.Event, stop: asyncio.Event) -> None:
    def counts(_change: object, path: str) -> bool:
        return not any(is_ignored(part) for part in Path(path).parts)

    if not folders:
        return
    await asyncio.to_thread(_load_watchfiles)
    from watchfiles import awatch

    try:
        async for _ in awatch(*folders, watch_filter=counts, stop_event=stop):
            changed.set()
    except (OSError, RuntimeError) as error:  # no more watches are to be had
        _log.warning("Folders of the knowledge base can't be watched: %s", error)


def _load_watchfiles() -> None:
    """Few have a knowledge base, so what watches is loaded late; but not on the window's thread,
    where watchfiles' anyio would load the part for asyncio at its first use.
    """
    importlib.import_module("watchfiles")
    with suppress(ImportError):
        importlib.import_module("anyio._backends._asyncio")


async def _poll_files(files: Sequence[Path], changed: asyncio.Event) -> None:
    before = await asyncio.to_thread(_fingerprints, files)
    while files:
        await asyncio.sleep(_POLL_SECONDS)
        now = await asyncio.to_thread(_fingerprints, files)
        if now != before:
            before = now
            changed.set()


def _fingerprints(files: Sequence[Path]) -> list[str]:
    found = []
    for one in files:
        try:
            found.append(file_fingerprint(one))
        except OSError:
            found.append("")
    return found
