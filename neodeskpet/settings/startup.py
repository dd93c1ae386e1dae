"""Prepares the data folder at start: removes other users' access, loads the settings, and sets up
the log and the language.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import cast

from neodeskpet.core.errors import KnownError
from neodeskpet.language import set_language
from neodeskpet.platform.private_files import FileThread, open_private
from neodeskpet.platform.redaction import protect_handlers
from neodeskpet.settings.store import FILE_NAME, SettingKey, SettingsStore

LOG_FILE_NAME = "neodeskpet.log"
_BYTES = 1_000_000
_FILES = 3


def log_path(home: Path) -> Path:
    return home / "logs" / LOG_FILE_NAME


def open_log(home: Path, *, detailed: bool = False) -> None:
    """Write the log to `home` from now on; if the folder can't be written, there is no log, and no
    error.
    """
    path = log_path(home)
    root = logging.getLogger()
    for old in [h for h in root.handlers if isinstance(h, RotatingFileHandler)]:
        root.removeHandler(old)
        old.close()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = _LogFile(path, maxBytes=_BYTES, backupCount=_FILES, encoding="utf-8", delay=True)
    except OSError:
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.getLogger("neodeskpet").setLevel(logging.DEBUG if detailed else logging.INFO)
    for noisy in ("httpx", "httpcore"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    protect_handlers(root)


class _LogFile(RotatingFileHandler):
    """A log file that only its owner can read. If the disk is full, lines are lost, but the code
    that logs doesn't fail.
    """

    def _open(self) -> TextIOWrapper:
        return cast(
            TextIOWrapper,
            open(self.baseFilename, self.mode, encoding=self.encoding, opener=open_private),
        )

    def handleError(self, record: logging.LogRecord) -> None:
        """Close the file and drop the buffered lines; the next line opens it again."""
        stream, self.stream = self.stream, None
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            super().close()


def close_log() -> None:
    """Stop logging to the file (for tests, and when the data folder changes)."""
    root = logging.getLogger()
    for handler in [h for h in root.handlers if isinstance(h, RotatingFileHandler)]:
        root.removeHandler(handler)
        handler.close()


_log = logging.getLogger(__name__)

_OTHERS = 0o077
_OURS = (
    "neodeskpet.*",
    "find.db*",
    "find.*-*.db*",
    "memory.db*",
    "memory.*-*.db*",
    "memory-vectors.*",
    "knowledge.db*",
    "knowledge.*-*.db*",
    "knowledge-vectors.*",
    "mcp.json*",
    "characters.db*",
    "characters.*-*.db*",
    "notebook.db*",
    "notebook.*-*.db*",
    "notes.db*",
    "notes.damaged-*",
    "timers.json*",
    "timers.damaged-*",
    "settings*.json*",
    "secrets.json*",
    "llm-config*",
    "logs",
    "crashes",
    "pictures",
    "cache",
    "models",
    "language-models",
    "personas",
    "characters",
    "kept files",
    "outputs",
    "tools",
    "extras",
    "run",
)
"""Our own files. A folder chosen by the user may contain other things, which aren't changed."""


def restrict_access(home: Path) -> None:
    """Remove other users' permissions from our files in `home`: files 0600, folders 0700. Files
    that can't be changed are logged.
    """
    if sys.platform == "win32":
        return  # there the user's folder is private by default
    try:
        if _is_only_ours(home):
            _close(home)
        for pattern in _OURS:
            for path in home.glob(pattern):
                for each in _below(path):
                    _close(each)
    except OSError as error:
        _log.warning("The data folder may be open to others: %s", error)


def _is_only_ours(home: Path) -> bool:
    """Return whether the folder itself may be closed: not `/tmp`, the home folder or a system
    folder.
    """
    shared = stat.S_ISVTX & home.stat().st_mode
    above = home == Path.home() or home in Path.home().parents
    return not shared and not above and any(home.glob("neodeskpet.*"))


def _below(path: Path) -> Iterator[Path]:
    yield path
    if path.is_dir() and not path.is_symlink():
        for folder, folders, files in os.walk(path):
            yield from (Path(folder, name) for name in (*folders, *files))


def _close(path: Path) -> None:
    """Remove other users' permissions. Links and files with several names are skipped: they may
    belong to other folders.
    """
    if sys.platform == "win32":
        return
    try:
        found = path.lstat()
        linked = stat.S_ISREG(found.st_mode) and found.st_nlink > 1
        if stat.S_ISLNK(found.st_mode) or linked or found.st_uid != os.getuid():
            return
        if found.st_mode & _OTHERS:
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
    except FileNotFoundError:
        pass  # deleted meanwhile
    except OSError as error:
        _log.warning("%s may be open to others: %s", path, error)


@dataclass(frozen=True, slots=True)
class OpenedSettings:
    """The opened settings. `writer` saves them; the caller must close it."""

    store: SettingsStore
    writer: FileThread


def open_settings(
    home: Path,
    overrides: Mapping[SettingKey, object],
    on_fault: Callable[[KnownError], None] | None = None,
) -> OpenedSettings:
    """Restrict access to the data folder `home`, load its settings, and set up the log and the
    language. Needs a running loop.
    """
    restrict_access(home)
    writer = FileThread(asyncio.get_running_loop().call_soon_threadsafe)
    file = home / FILE_NAME
    store = SettingsStore(file, overrides=overrides, on_fault=on_fault, writer=writer)
    open_log(home, detailed=store.settings.data.detailed_log)
    set_language(store.settings.appearance.language)
    return OpenedSettings(store, writer)
