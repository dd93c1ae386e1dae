"""Windows that are told: for trying out what the companion does among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from neodeskpet.live2d.place.ground import VisibleWindow


class ScriptedWindowWatcher:
    """A `WindowWatcher`."""

    def __init__(self, windows: Sequence[VisibleWindow] = ()) -> None:
        self._windows = tuple(windows)
        self._changed: Callable[[], object] = lambda: None
        self.closed = False

    def set_windows(self, *windows: VisibleWindow) -> None:
        """From now on these are there, topmost first."""
        self._windows = windows
        self._changed()

    def windows(self) -> Sequence[VisibleWindow]:
        return self._windows

    def subscribe(self, changed: Callable[[], object]) -> None:
        self._changed = changed

    def close(self) -> None:
        self.closed = True
