"""Keeps the knowledge base up to date with the files, in the background and after a crash.

The index contains exactly the current content of the sources. Everything is compared at the start,
after a reported change, and from time to time. A file is indexed completely or not at all, so after
a crash the indexer continues with the next file.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from neodeskpet.core.errors import KnownError, StoreError
from neodeskpet.core.i18n import N_
from neodeskpet.documents.document import DocumentRefused, document_refused
from neodeskpet.documents.web.fetcher import Fetched, Fetcher
from neodeskpet.documents.web.page_child import FetchUnreadable
from neodeskpet.language import language
from neodeskpet.memory.knowledge.knowledge_rows import path_digest
from neodeskpet.memory.knowledge.knowledge_store import KnowledgeStore
from neodeskpet.memory.knowledge.knowledge_types import (
    IndexingProgress,
    KnowledgeSource,
    KnownFile,
    SourceKind,
)
from neodeskpet.memory.knowledge.passage_reader import (
    MAX_CHARACTERS,
    FileChanging,
    PassageReader,
    ReadFile,
    ReadOptions,
)
from neodeskpet.memory.knowledge.source_files import FolderContents, inspect_file, scan_folder
from neodeskpet.platform.observers import Observers

RECHECK_SECONDS = 60.0
"""Seconds between two comparisons without a reported change."""
PAGE_RECHECK_SECONDS = 7 * 86_400.0
"""Seconds until a page is fetched again."""
_CHANGE_DELAY = 0.5  # seconds to wait for further changes
_UNSTABLE_FILE_SECONDS = 3.0  # seconds until a file that was being written is read again
_PAUSED_KEY = "paused"
_TYPE_ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/epub+zip": ".epub",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "text/markdown": ".md",
}
_NOT_FETCHED = N_("It could not be fetched.")
_PAGE_FAULTS = {
    "fetch_forbidden": N_("It isn't a public internet address, so it isn't fetched."),
    "fetch_too_large": N_("It is too large."),
    "fetch_too_slow": N_("Fetching it takes too long."),
    "fetch_unreadable": N_("It isn't readable text."),
}
_log = logging.getLogger(__name__)


class ChangeWatcher(Protocol):
    """Reports changes of files and folders."""

    def changes(self, places: Sequence[Path], stop: asyncio.Event) -> AsyncIterator[object]:
        """Yield once for each change. Ends at `stop`, or if it can't watch (any more)."""
        ...


@dataclass(frozen=True, slots=True)
class _FileJob:
    source: KnowledgeSource
    path: str
    name: str
    stamp: str
    key: str


class KnowledgeIndexer:
    """`run` keeps the store up to date until it is cancelled. `fetcher` fetches pages, `watcher`
    reports changes (without it the indexer only compares from time to time); `limit` returns how
    many characters of a file are read.
    """

    def __init__(
        self,
        store: KnowledgeStore,
        fetcher: Fetcher,
        watcher: ChangeWatcher | None = None,
        *,
        reader: PassageReader | None = None,
        again: float = RECHECK_SECONDS,
        limit: Callable[[], int] = lambda: MAX_CHARACTERS,
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._watcher = watcher
        self._reader = reader or PassageReader()
        self._again = again
        self._limit = limit
        self._wake = asyncio.Event()
        self._refresh: set[str] = set()  # sources to read again
        self._observers: Observers[[]] = Observers()
        self._going = asyncio.Event()
        self._going.set()
        self._working = asyncio.Lock()
        self._moved = asyncio.Event()  # the watched places have changed
        self._removed = False
        self.progress = IndexingProgress()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` when `progress` changes; return a function that unsubscribes."""
        return self._observers.subscribe(observer)

    # Actions of the user

    async def add_path(self, path: Path, encoding: str = "") -> str:
        """Add a file or folder and return its id. `encoding` is the encoding of its texts, "" to
        detect it. Raises DocumentRefused if it doesn't exist.
        """
        kind, address = await asyncio.to_thread(_source_kind, path)
        key = await self._store.add_source(kind, address)
        await self.set_encoding(key, encoding)
        self._moved.set()
        self.wake()
        return key

    async def add_page(self, address: str) -> str:
        """Add a web page and return its id. It is fetched in the background."""
        key = await self._store.add_source(SourceKind.PAGE, address.strip())
        self._refresh.add(key)
        self.wake()
        return key

    async def remove(self, source: str) -> bool:
        """Remove a source permanently; its files are not changed."""
        there = await self._store.delete_source(source)
        self._moved.set()
        self.wake()
        return there

    async def set_encoding(self, source: str, encoding: str) -> None:
        """Set the encoding of a source and read it again."""
        if await self._store.set_encoding(source, encoding):
            self._refresh.add(source)
            self.wake()

    async def refresh(self, source: KnowledgeSource) -> None:
        """Read a source again, even if it hasn't changed."""
        self._refresh.add(source.id)
        self.wake()

    async def set_paused(self, paused: bool) -> None:
        """Pause after the current file, or continue. The setting is kept after a restart."""
        (self._going.clear if paused else self._going.set)()
        self._set_progress(paused=paused)
        await self._store.set_state(_PAUSED_KEY, "1" if paused else "")

    def wake(self) -> None:
        """Compare soon: something may have changed."""
        self._wake.set()

    # Background work

    async def run(self) -> None:
        """Index everything, then follow changes. Ends only by cancellation."""
        with suppress(StoreError):
            if await self._store.get_state(_PAUSED_KEY):
                self._going.clear()
                self._set_progress(paused=True)
        try:
            while True:
                self._wake.clear()
                begun = time.monotonic()
                try:
                    await self.catch_up()
                except StoreError as error:
                    _log.warning("Indexing of the knowledge base failed; retry later: %s", error)
                await asyncio.sleep(max(_CHANGE_DELAY, time.monotonic() - begun))
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._again):
                        await self._wake.wait()
        finally:
            await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Stop reading; blocks until the current file is abandoned. Idempotent."""
        self._reader.close()

    async def watch_files(self) -> None:
        """Wake `run` when files change. Ends only by cancellation."""
        while True:
            stop = self._moved = asyncio.Event()
            try:
                places = await self._watched_paths()
            except StoreError:
                places = []
            if self._watcher is not None and places:
                async for _ in self._watcher.changes(places, stop):
                    self.wake()
            await stop.wait()

    async def _watched_paths(self) -> list[Path]:
        sources = await self._store.list_sources()
        return [Path(one.address) for one in sources if one.kind is not SourceKind.PAGE]

    async def catch_up(self) -> None:
        """Compare everything and index the differences. Raises StoreError."""
        async with self._working:
            await self._store.reread_cut_files(self._limit())
            jobs: list[_FileJob] = []
            for source in await self._store.list_sources():
                jobs += await self._file_jobs(source)
            await self._index_files(jobs)
            if jobs:
                await self._store.merge_index_segments()
            if self._removed:
                self._removed = False
                await self._store.overwrite_deleted_text()

    async def _file_jobs(self, source: KnowledgeSource) -> list[_FileJob]:
        """Return the files of a source to read; files that no longer exist are dropped."""
        known = {one.path: one for one in await self._store.list_files(source.id)}
        if source.kind is SourceKind.PAGE:
            return self._page_jobs(source, known)
        look = scan_folder if source.kind is SourceKind.FOLDER else inspect_file
        seen = await asyncio.to_thread(look, Path(source.address))
        await self._store.update_fault(source.id, seen.fault)
        if not seen.exists:
            return []
        await self._store_unreadable(source, seen, known)
        await self._store.update_skipped(source.id, seen.skipped.most_common())
        there = {str(path) for path in (*seen.files, *seen.unreadable)}
        gone = [one.id for path, one in known.items() if path not in there]
        if gone:
            await self._store.delete_files(gone)
        reread = source.id in self._refresh
        self._refresh.discard(source.id)
        jobs = []
        for path, stamp in seen.files.items():
            before = known.get(str(path))
            if reread or before is None or before.fingerprint != stamp:
                key = before.id if before is not None else _file_key(source, str(path))
                jobs.append(_FileJob(source, str(path), _relative_name(source, path), stamp, key))
        return jobs

    def _page_jobs(self, source: KnowledgeSource, known: Mapping[str, KnownFile]) -> list[_FileJob]:
        before = known.get(source.address)
        read_at = float(before.fingerprint or 0) if before is not None else 0.0
        wanted = source.id in self._refresh or time.time() - read_at > PAGE_RECHECK_SECONDS
        self._refresh.discard(source.id)
        if not wanted:
            return []
        key = before.id if before is not None else _file_key(source, source.address)
        return [_FileJob(source, source.address, source.address, str(time.time()), key)]

    async def _store_unreadable(
        self, source: KnowledgeSource, seen: FolderContents, known: Mapping[str, KnownFile]
    ) -> None:
        """Store the entries that are no readable files, with the reason."""
        for path, why in seen.unreadable.items():
            before = known.get(str(path))
            if before is None or before.refusal != why:
                key = before.id if before is not None else _file_key(source, str(path))
                odd = KnownFile(
                    key, source.id, str(path), _relative_name(source, path), "", refusal=why
                )
                await self._store.put_file(odd, ())

    # Reading

    async def _index_files(self, jobs: Sequence[_FileJob]) -> None:
        """Index one file after the other; after a crash the next file is continued with."""
        changing = False
        try:
            for number, job in enumerate(jobs):
                self._set_progress(number, len(jobs), job.name)
                await self._going.wait()
                self._set_progress(number, len(jobs), job.name)
                try:
                    await self._read(job)
                except FileChanging:
                    changing = True
        finally:
            self._set_progress()
        if changing:
            asyncio.get_running_loop().call_later(_UNSTABLE_FILE_SECONDS, self.wake)

    async def _read(self, job: _FileJob) -> None:
        try:
            if job.source.kind is SourceKind.PAGE:
                read = await self._read_page(job)
            else:
                read = await self._read_path(Path(job.path), job)
        except FileChanging:
            raise
        except KnownError as error:
            await self._store_refusal(job, error)
            return
        stamp = job.stamp if job.source.kind is SourceKind.PAGE else read.fingerprint
        file = KnownFile(
            job.key,
            job.source.id,
            job.path,
            job.name,
            stamp,
            read.size,
            read.pages,
            read.is_truncated,
            omitted=read.omitted,
            encoding=read.encoding,
        )
        self._removed = True
        await self._store.put_file(file, read.passages)

    async def _read_path(self, path: Path, job: _FileJob) -> ReadFile:
        forgotten = await self._store.forgotten_lines(job.path)
        asked = ReadOptions(
            path_digest(job.path),
            forgotten,
            self._limit(),
            language(),
            encoding=job.source.encoding,
        )
        return await asyncio.to_thread(self._reader.read, path, job.name, asked)

    async def _read_page(self, job: _FileJob) -> ReadFile:
        """Fetch a page with the limits of `documents/web`, and read it in the child process like a
        file.
        """
        fetched = await self._fetcher.fetch(job.path)
        ending = _file_ending(fetched)
        with tempfile.TemporaryDirectory(prefix="neodeskpet-page-") as folder:
            path = Path(folder) / f"page{ending}"
            await asyncio.to_thread(path.write_bytes, fetched.content)
            return await self._read_path(path, job)

    async def _store_refusal(self, job: _FileJob, error: KnownError) -> None:
        """Store why a file was refused; it isn't tried again until it changes. A page keeps its
        last good content.
        """
        why = _PAGE_FAULTS.get(error.code, _NOT_FETCHED)
        if isinstance(error, DocumentRefused):
            why = str(error.params["reason"])
        if job.source.kind is SourceKind.PAGE:
            await self._store.update_fault(job.source.id, why)
            return
        _log.info("Not added to the knowledge base: %s", error)
        file = KnownFile(job.key, job.source.id, job.path, job.name, job.stamp, refusal=why)
        await self._store.put_file(file, ())

    def _set_progress(
        self, done: int = 0, total: int = 0, name: str = "", *, paused: bool | None = None
    ) -> None:
        if paused is not None:
            now = IndexingProgress(
                self.progress.indexed, self.progress.total, self.progress.name, paused=paused
            )
        else:
            now = IndexingProgress(done, total, name, paused=not self._going.is_set())
        if now != self.progress:
            self.progress = now
            self._observers.notify()


def _source_kind(path: Path) -> tuple[SourceKind, str]:
    """Return the kind and the address of a path. Raises DocumentRefused."""
    whole = path.expanduser().absolute()
    if not whole.exists():
        raise document_refused(path, "gone")
    return SourceKind.FOLDER if whole.is_dir() else SourceKind.FILE, str(whole)


def _file_key(source: KnowledgeSource, path: str) -> str:
    return hashlib.sha256(f"{source.id}\n{path}".encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _relative_name(source: KnowledgeSource, path: Path) -> str:
    """Return the display name of a file: its path within its folder."""
    if source.kind is SourceKind.FOLDER:
        with suppress(ValueError):
            return path.relative_to(source.address).as_posix()
    return path.name


def _file_ending(fetched: Fetched) -> str:
    """Return the file ending for a fetched page. Raises FetchUnreadable if it isn't text."""
    kind = fetched.media_type or "text/html"
    if kind in _TYPE_ENDINGS:
        return _TYPE_ENDINGS[kind]
    if kind.startswith("text/") or kind in ("application/json", "application/xml"):
        return ".txt"
    raise FetchUnreadable(address=fetched.address[:200], kind=kind[:60])
