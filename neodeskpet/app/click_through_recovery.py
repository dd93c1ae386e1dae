"""There is always a way back to the companion: hidden or letting clicks through, with a tray or
without one. A second start shows it and offers to take clicks again; the chat's menu has both.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from neodeskpet.language import tr
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter

_CLICK_THROUGH_NOTICE = "clicks"
_DISABLE_CLICK_THROUGH = "take"


class ClickThroughRecovery(QObject):
    """`has_tray` tells whether the desktop shows our icon; `take_clicks` ends click-through."""

    def __init__(
        self,
        companion: CompanionPresenter,
        has_tray: Callable[[], bool],
        take_clicks: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._companion = companion
        self._has_tray = has_tray
        self._take_clicks = take_clicks
        self._through = False
        companion.answered.connect(self._answered)

    def set_click_through(self, on: bool) -> None:
        """The setting as it is now."""
        self._through = on
        if not on:
            self._companion.withdraw(_CLICK_THROUGH_NOTICE)

    def offer_recovery(self) -> None:
        """Somebody looks for the companion: where it can't be clicked, offer to change that."""
        if self._through:
            choices = (
                (_DISABLE_CLICK_THROUGH, tr("Take clicks again")),
                ("leave", tr("Leave it so")),
            )
            words = tr("Clicks go through me to what is behind.")
            self._companion.ask(_CLICK_THROUGH_NOTICE, words, choices, sign="pointer")

    def on_click_through_enabled(self) -> None:
        """It was switched on now."""
        if not self._has_tray():
            self._companion.show_notice(
                tr(
                    "Clicks go through me from now on. To end that, start NeoDeskPet once more, "
                    "or use the menu ⋯ of the chat."
                )
            )

    def on_companion_hidden(self) -> None:
        """The person has hidden it now."""
        if not self._has_tray():
            self._companion.show_notice(
                tr(
                    "I am hidden. To see me again, start NeoDeskPet once more, or use the menu ⋯ "
                    "of the chat."
                )
            )

    @Slot(str, str)
    def _answered(self, key: str, choice: str) -> None:
        if key == _CLICK_THROUGH_NOTICE and choice:
            self._companion.withdraw(_CLICK_THROUGH_NOTICE)
            if choice == _DISABLE_CLICK_THROUGH:
                self._take_clicks()
