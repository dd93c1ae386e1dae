"""What tells where the windows of other programs are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from neodeskpet.live2d.place.ground import VisibleWindow


class WindowWatcher(Protocol):
    """Only where windows are is read, never what they are called or what is in them."""

    def windows(self) -> Sequence[VisibleWindow]:
        """All that are to be seen, topmost first, in device-independent pixels; ours among them,
        by Qt's numbers. Called on the window's thread: some milliseconds at most.
        """
        ...

    def subscribe(self, changed: Callable[[], object]) -> None:
        """Call it when one of them came, went, moved or changed its size."""
        ...

    def close(self) -> None: ...
