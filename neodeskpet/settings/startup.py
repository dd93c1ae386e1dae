"""What happens to the data folder at start: access of others is removed, the settings are loaded,
and the log and the language are set up.
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
    """Log into `home` from now on; a folder that can't be written means no log, never a crash."""
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
    """Readable by its owner alone. A disk that takes no more costs lines of the log, nothing else:
    there is no better place to say it, and who caused a line must not pay for it.
    """

    def _open(self) -> TextIOWrapper:
        return cast(
            TextIOWrapper,
            open(self.baseFilename, self.mode, encoding=self.encoding, opener=open_private),
        )

    def handleError(self, record: logging.LogRecord) -> None:
        """Let the file go with what it couldn't take; the next line opens it anew."""
        stream, self.stream = self.stream, None
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            super().close()


def close_log() -> None:
    """Take the file away again (tests, and a changed data folder)."""
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
"""A folder that the person chose may hold other things, which stay as they are."""


def restrict_access(home: Path) -> None:
    """Take everybody else's rights from what is ours in `home`: files 0600, folders 0700. What
    can't be changed is left and logged.
    """
    if sys.platform == "win32":
        return  # the person's folder is private there by itself
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
    """Never a folder that others need too: `/tmp`, the person's home, a system's folder."""
    shared = stat.S_ISVTX & home.stat().st_mode
    above = home == Path.home() or home in Path.home().parents
    return not shared and not above and any(home.glob("neodeskpet.*"))


def _below(path: Path) -> Iterator[Path]:
    yield path
    if path.is_dir() and not path.is_symlink():
        for folder, folders, files in os.walk(path):
            yield from (Path(folder, name) for name in (*folders, *files))


def _close(path: Path) -> None:
    """A link leads to what may be somebody else's, and so does a second name."""
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
        pass  # gone meanwhile
    except OSError as error:
        _log.warning("%s may be open to others: %s", path, error)


@dataclass(frozen=True, slots=True)
class OpenedSettings:
    """`writer` writes them; whoever closes the rest closes it too."""

    store: SettingsStore
    writer: FileThread


def open_settings(
    home: Path,
    overrides: Mapping[SettingKey, object],
    on_fault: Callable[[KnownError], None] | None = None,
) -> OpenedSettings:
    """The data folder `home` is closed to others, its settings are read; the log and the language
    follow them. Needs a running loop.
    """
    restrict_access(home)
    writer = FileThread(asyncio.get_running_loop().call_soon_threadsafe)
    file = home / FILE_NAME
    store = SettingsStore(file, overrides=overrides, on_fault=on_fault, writer=writer)
    open_log(home, detailed=store.settings.data.detailed_log)
    set_language(store.settings.appearance.language)
    return OpenedSettings(store, writer)
