"""Desktops on which nothing hears keys everywhere (some, and tests)."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from neodeskpet.ui.hotkeys.port import Refusal


class NoHotKeys(QObject):
    """Refuses all."""

    pressed = Signal(str)
    refused = Signal(str, str)

    def grab(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        for name in wanted:
            self.refused.emit(name, Refusal.NOWHERE)

    def close(self) -> None:
        """Nothing is held."""
