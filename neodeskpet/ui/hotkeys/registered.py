"""Hot keys of systems that register them one by one under a number (Windows, macOS)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from neodeskpet.ui.hotkeys.keys import HotKey, parse_hotkey
from neodeskpet.ui.hotkeys.port import HotKeyProblem


class HotKeyRegistry(Protocol):
    """The system's own. It tells `hear(number)` when the keys of that number were pressed."""

    on_pressed: Callable[[int], None]

    def register(self, number: int, keys: HotKey) -> HotKeyProblem | None:
        """None when they are ours."""
        ...

    def unregister(self, number: int) -> None: ...

    def close(self) -> None:
        """Tell nothing any more."""
        ...


class RegisteredHotKeys(QObject):
    """A `HotKeys`. The register is its own."""

    pressed = Signal(str)
    rejected = Signal(str, str)

    def __init__(self, register: HotKeyRegistry, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._register = register
        self._held: dict[int, str] = {}
        self._next = 1  # a press that was under way isn't taken for another's
        register.on_pressed = self._hear

    def set_hot_keys(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        self._let_go()
        for name, (text, _) in wanted.items():
            keys = parse_hotkey(text)
            refusal = HotKeyProblem.UNSUPPORTED
            if keys is not None:
                number, self._next = self._next, self._next + 1
                taken = self._register.register(number, keys)
                if taken is None:
                    self._held[number] = name
                    continue
                refusal = taken
            self.rejected.emit(name, refusal)

    def close(self) -> None:
        self._let_go()
        self._register.close()

    def _let_go(self) -> None:
        for number in self._held:
            self._register.unregister(number)
        self._held.clear()

    def _hear(self, number: int) -> None:
        if number in self._held:
            self.pressed.emit(self._held[number])
