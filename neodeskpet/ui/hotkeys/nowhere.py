"""Desktops on which nothing hears keys everywhere (some, and tests)."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from neodeskpet.ui.hotkeys.port import HotKeyProblem


class NoHotKeys(QObject):
    """Refuses all."""

    pressed = Signal(str)
    rejected = Signal(str, str)

    def set_hot_keys(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        for name in wanted:
            self.rejected.emit(name, HotKeyProblem.UNAVAILABLE)

    def close(self) -> None:
        """Nothing is held."""
