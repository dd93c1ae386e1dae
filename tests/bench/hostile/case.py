"""A case and its limits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QApplication

HOLD_MS = 50.0
MEMORY_MIB = 600.0
IMPORT_SECONDS = 30.0
START_SECONDS = 5.0
DISK_MIB = 1000.0


class Wrong(Exception):
    """The result is not allowed; the text says what it is."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The environment of a case: `folder` is its own. `begin` ends the preparations: from then on
    the case is measured. What runs within `aside()` isn't measured: a restart has other goals.
    """

    app: QApplication
    folder: Path
    begin: Callable[[], None]
    aside: Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Case:
    """`play` returns the result in a few words; raises Wrong. `seconds` it may take, None if only
    the block of the thread counts; `memory` in MiB, with all processes.
    """

    name: str
    play: Callable[[Scene], Awaitable[str]]
    seconds: float | None = None
    memory: float = MEMORY_MIB
