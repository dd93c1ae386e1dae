"""What follows when the desk is closed."""

from __future__ import annotations

from enum import Enum, auto


class ExitAction(Enum):
    QUIT = auto()
    RESTART = auto()
    RESTART_SAFE = auto()
