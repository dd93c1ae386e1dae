"""The walking area: drawn on the screen that the companion stands on, kept in the settings."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from neodeskpet.ui.desktop.compositor import is_composited
from neodeskpet.ui.pet.place.walk_area import WalkAreaWindow
from neodeskpet.ui.pet.place.walker import Limits, screen_under
from neodeskpet.ui.pet.window import PetWindow
from neodeskpet.ui.theme import Theme

_SPARE_MARGIN = 120
"""Pixels that it has for walking, at least."""


class WalkingAreaController(QObject):
    """`change` keeps what was drawn; `theme` and `name` are those of now."""

    def __init__(
        self,
        pet: PetWindow,
        change: Callable[[Limits], None],
        theme: Callable[[], Theme],
        name: Callable[[], str],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._change = change
        self._theme = theme
        self._name = name
        self._limits: Limits = {}
        self.editor: WalkAreaWindow | None = None

    def set_limits(self, limits: Limits) -> None:
        self._limits = dict(limits)

    def show_editor(self) -> None:
        """The person wants to draw it."""
        screen = screen_under(self._pet)
        if screen is None:
            return
        self.close()
        least = self._pet.placement.figure_rect().width() + _SPARE_MARGIN
        span, cut_out = self._limits.get(screen.name()), not is_composited()
        name = screen.name()
        sheet = WalkAreaWindow(
            self._theme(), screen, span, least, name=self._name(), cut_out=cut_out
        )
        sheet.accepted.connect(lambda span: self._keep(name, span))
        sheet.cancelled.connect(self.close)
        self.editor = sheet
        sheet.present()

    def close(self) -> None:
        sheet, self.editor = self.editor, None
        if sheet is not None:
            sheet.hide()
            sheet.deleteLater()

    def _keep(self, screen: str, span: tuple[int, int] | None) -> None:
        self.close()
        limits = {name: kept for name, kept in self._limits.items() if name != screen}
        if span is not None:
            limits[screen] = span
        self._change(limits)
