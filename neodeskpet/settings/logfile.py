"""The log: a rotating file in the data folder, without keys."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from neodeskpet.settings.redaction import protect

FILE_NAME = "neodeskpet.log"
_BYTES = 1_000_000
_FILES = 3


def log_path(home: Path) -> Path:
    return home / "logs" / FILE_NAME


def open_log(home: Path, *, detailed: bool = False) -> None:
    """Log into `home` from now on; a folder that can't be written means no log, never a crash."""
    path = log_path(home)
    root = logging.getLogger()
    for old in [h for h in root.handlers if isinstance(h, RotatingFileHandler)]:
        root.removeHandler(old)
        old.close()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(
            path, maxBytes=_BYTES, backupCount=_FILES, encoding="utf-8", delay=True
        )
    except OSError:
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.getLogger("neodeskpet").setLevel(logging.DEBUG if detailed else logging.INFO)
    for noisy in ("httpx", "httpcore"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    protect(root)


def close_log() -> None:
    """Take the file away again (tests, and a changed data folder)."""
    root = logging.getLogger()
    for handler in [h for h in root.handlers if isinstance(h, RotatingFileHandler)]:
        root.removeHandler(handler)
        handler.close()
