"""What starts the app when the person logs in."""

from __future__ import annotations

import sys
from typing import Protocol


class Autostart(Protocol):
    """What starts the app when the person logs in. All raise OSError."""

    @property
    def on(self) -> bool: ...

    @property
    def stale(self) -> bool:
        """On, but the program isn't there any more where that looks for it."""
        ...

    def switch(self, on: bool) -> None: ...


def own_command() -> list[str]:
    """The command that starts this program where it is now, as it was when the session ended."""
    frozen = bool(getattr(sys, "frozen", False))
    return [*([sys.executable] if frozen else [sys.executable, "-m", "neodeskpet"]), "--login"]
