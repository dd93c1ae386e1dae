"""What follows when the desk is closed."""

from __future__ import annotations

from enum import Enum, auto


class Next(Enum):
    END = auto()
    USUAL = auto()
    SAFE = auto()
