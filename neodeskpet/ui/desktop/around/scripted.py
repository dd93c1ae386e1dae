"""Windows that are told: for trying out what the companion does among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from neodeskpet.live2d.place.ground import Seen


class ScriptedWindows:
    """A `WindowsAround`."""

    def __init__(self, windows: Sequence[Seen] = ()) -> None:
        self._windows = tuple(windows)
        self._changed: Callable[[], object] = lambda: None
        self.closed = False

    def put(self, *windows: Seen) -> None:
        """From now on these are there, topmost first."""
        self._windows = windows
        self._changed()

    def windows(self) -> Sequence[Seen]:
        return self._windows

    def listen(self, changed: Callable[[], object]) -> None:
        self._changed = changed

    def close(self) -> None:
        self.closed = True
