"""There is always a way back to the companion: hidden or letting clicks through, with a tray or
without one. A second start shows it and offers to take clicks again; the chat's menu has both.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from neodeskpet.language import tr
from neodeskpet.ui.pet.companion import Companion

_CLICKS = "clicks"
_TAKE = "take"


class WayBack(QObject):
    """`has_tray` tells whether the desktop shows our icon; `take_clicks` ends click-through."""

    def __init__(
        self,
        companion: Companion,
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
            self._companion.settle(_CLICKS)

    def offer(self) -> None:
        """Somebody looks for the companion: where it can't be clicked, offer to change that."""
        if self._through:
            choices = ((_TAKE, tr("Take clicks again")), ("leave", tr("Leave it so")))
            words = tr("Clicks go through me to what is behind.")
            self._companion.ask(_CLICKS, words, choices, sign="pointer")

    def tell_click_through(self) -> None:
        """It was switched on now."""
        if not self._has_tray():
            self._companion.say(
                tr(
                    "Clicks go through me from now on. To end that, start NeoDeskPet once more, "
                    "or use the menu ⋯ of the chat."
                )
            )

    def tell_hidden(self) -> None:
        """The person has hidden it now."""
        if not self._has_tray():
            self._companion.say(
                tr(
                    "I am hidden. To see me again, start NeoDeskPet once more, or use the menu ⋯ "
                    "of the chat."
                )
            )

    @Slot(str, str)
    def _answered(self, key: str, choice: str) -> None:
        if key == _CLICKS and choice:
            self._companion.settle(_CLICKS)
            if choice == _TAKE:
                self._take_clicks()
