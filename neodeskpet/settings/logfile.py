"""The log: a rotating file in the data folder, without keys."""

from __future__ import annotations

import contextlib
import logging
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import cast

from neodeskpet.files import open_private
from neodeskpet.redaction import protect_handlers

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
