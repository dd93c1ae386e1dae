"""Watches the folder of the user's tool files and runs the allowed ones.

Nothing is read before the user allows the folder, and no file runs before they allow its content:
the digest of its bytes is stored, and exactly those bytes are run. A changed file needs a new
permission. While a file can't be read, its last allowed copy that ran is used. An allowed folder is
scanned every few seconds, in a thread; without one there is no timer.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from neodeskpet.core.i18n import N_
from neodeskpet.platform.observers import Observers
from neodeskpet.platform.private_files import TooLarge, last_good_path, read_regular, write_private
from neodeskpet.toolkit.toolbox import Toolbox
from neodeskpet.tools.user_tools.tool_file import (
    ToolFile,
    ToolFileContent,
    ToolFileView,
    read_content,
)
from neodeskpet.tools.user_tools.tool_file_protocol import (
    MOST_SOURCE_CHARACTERS,
    SourceFault,
    ToolFileOutline,
)

FOLDER = "tools"
_FILES = 50
_PAUSE = 2.0
"""Seconds between two scans."""

_log = logging.getLogger(__name__)


class ToolFilePermissionStore(Protocol):
    """The stored permissions of the user."""

    def folder(self) -> bool:
        """Return whether the folder is allowed."""
        ...

    def files(self) -> Mapping[str, str]:
        """Return the digests of the allowed contents by file name."""
        ...

    def keep(self, files: Mapping[str, str]) -> None:
        """Store the permissions. Raises SettingsError."""
        ...

    def forget(self, source: str) -> None:
        """Delete the rules for the tools of `source`."""
        ...


class UserToolLoader:
    """Scans the folder and keeps the toolbox up to date. Call it from the loop's thread."""

    def __init__(
        self,
        folder: Path,
        toolbox: Toolbox,
        permissions: ToolFilePermissionStore,
        *,
        pause: float = _PAUSE,
    ) -> None:
        self.folder = folder
        self._toolbox = toolbox
        self._permissions = permissions
        self._pause = pause
        self._files: dict[str, ToolFile] = {}
        self._leave: dict[str, Callable[[], None]] = {}
        self._changed: Observers[[]] = Observers()
        self._reading = asyncio.Lock()
        self._hurry = asyncio.Event()
        self._closed = False

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when a file or its state changes; returns a function that unsubscribes
        it.
        """
        return self._changed.subscribe(observer)

    def files(self) -> Sequence[ToolFileView]:
        return [one.view() for _, one in sorted(self._files.items())]

    async def run(self) -> None:
        """Scan the folder until `stop` is called."""
        async with asyncio.TaskGroup() as group:  # so that a file that hangs doesn't block the scan
            while not self._closed:
                self._hurry.clear()
                await self._read()
                group.create_task(self._settle())
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._pause if self._permissions.folder() else None):
                        await self._hurry.wait()

    def wake(self) -> None:
        """Scan at once, after the user changed a permission."""
        self._hurry.set()

    async def rescan(self) -> None:
        """Scan the folder, and return once all allowed files are loaded or failed."""
        await self._read()
        await self._settle()

    async def _read(self) -> None:
        async with self._reading:
            found: dict[str, ToolFileContent] = {}
            if self._permissions.folder():
                known = {name: one.content for name, one in self._files.items()}
                found = await asyncio.to_thread(_read_folder, self.folder, known)
            if self._closed:
                return
            gone = [one for one in self._files if found.get(one) != self._content(one)]
            for name in gone:
                self._remove(name)
            new = [content for name, content in found.items() if name not in self._files]
            for content in new:
                self._add(content)
            if gone or new:
                self._changed.notify()

    async def _settle(self) -> None:
        allowed = self._permissions.files()
        files = self._files.items()
        await asyncio.gather(*(self._settle_one(one, allowed.get(name)) for name, one in files))

    async def _settle_one(self, file: ToolFile, allowed: str | None) -> None:
        if await file.apply_permission(allowed):
            await asyncio.to_thread(_save_last_good, self.folder / file.content.name, file.content)

    async def allow(self, name: str, digest: str) -> None:
        """Allow the content with this digest, which the user has seen. Raises SettingsError."""
        content = self._content(name)
        if content is None or content.digest != digest:
            return  # the file has changed since
        kept = self._permissions.files()
        if kept.get(name) not in (None, digest):
            self._permissions.forget(self._files[name].name)
        self._permissions.keep({**kept, name: digest})
        await self._settle()

    async def revoke(self, name: str) -> None:
        """Stop the file, and delete its permission and the rules for its tools. Raises
        SettingsError.
        """
        kept = {one: digest for one, digest in self._permissions.files().items() if one != name}
        self._permissions.keep(kept)
        if name in self._files:
            self._permissions.forget(self._files[name].name)
        await self._settle()

    def stop(self) -> None:
        """Stop all files; `run` returns."""
        self._closed = True
        self._hurry.set()
        for name in list(self._files):
            self._remove(name)

    def _content(self, name: str) -> ToolFileContent | None:
        file = self._files.get(name)
        return None if file is None else file.content

    def _add(self, content: ToolFileContent) -> None:
        made = self._files[content.name] = ToolFile(content, self._changed.notify)
        self._leave[content.name] = self._toolbox.add(made)

    def _remove(self, name: str) -> None:
        self._files.pop(name).close()
        self._leave.pop(name)()


def _read_folder(folder: Path, known: Mapping[str, ToolFileContent]) -> dict[str, ToolFileContent]:
    """Read the files of the folder; an unchanged one isn't read again. Call it in a thread."""
    found: dict[str, ToolFileContent] = {}
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        paths = sorted(one for one in folder.iterdir() if one.suffix == ".py")
    except OSError as error:
        _log.warning("The folder of tools can't be read: %s", error)
        return dict(known)
    for path in paths:
        if len(found) < _FILES and path.stem.isidentifier() and not path.stem.startswith("_"):
            content = _read_file(path, known.get(path.name))
            if content is not None:
                found[path.name] = content
    return found


def _read_file(path: Path, known: ToolFileContent | None) -> ToolFileContent | None:
    """Read a file; None if it isn't a regular file: a link may lead anywhere, a pipe never ends."""
    try:
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode):
            return None
        stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
        if known is not None and known.stamp == stamp:
            return known
        content = read_content(path.name, read_regular(path, MOST_SOURCE_CHARACTERS), stamp)
    except TooLarge:
        fault = SourceFault(N_("It is too large."))
        content = ToolFileContent(path.name, "", "", ToolFileOutline(fault=fault), stamp)
    except OSError as error:
        fault = SourceFault(error.strerror or str(error))
        content = ToolFileContent(path.name, "", "", ToolFileOutline(fault=fault))
    return content if content.outline.fault is None else replace(content, good=_good(path))


def _good(path: Path) -> ToolFileContent | None:
    """Return the last usable copy."""
    try:
        content = read_content(
            path.name, read_regular(last_good_path(path), MOST_SOURCE_CHARACTERS)
        )
    except (OSError, TooLarge):
        return None
    return content if content.outline.fault is None else None


def _save_last_good(path: Path, content: ToolFileContent) -> None:
    """Store a usable content as the last good copy. Call it in a thread."""
    try:
        data = read_regular(path, MOST_SOURCE_CHARACTERS)
        if hashlib.sha256(data).hexdigest() == content.digest:  # else the file has changed
            write_private(last_good_path(path), data)
    except (OSError, TooLarge) as error:
        _log.warning("The good copy of %s can't be stored: %s", path.name, error)
