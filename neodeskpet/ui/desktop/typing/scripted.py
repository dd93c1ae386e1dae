"""Keys by a script, for tests; and for desktops where nobody tells."""

from __future__ import annotations

from collections.abc import Callable


class ScriptedKeystrokeCounter:
    """A `KeystrokeCounter`."""

    def __init__(self, *, able: bool = True) -> None:
        self._able = able
        self._tell: Callable[[int], None] | None = None

    @property
    def is_listening(self) -> bool:
        return self._tell is not None

    def start(self, tell: Callable[[int], None]) -> bool:
        if self._able:
            self._tell = tell
        return self._able

    def stop(self) -> None:
        self._tell = None

    def press(self, count: int = 1) -> None:
        """Keys are pressed; nobody hears it who doesn't listen."""
        if self._tell is not None:
            self._tell(count)
