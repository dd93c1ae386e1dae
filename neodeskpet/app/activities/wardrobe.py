"""What the figure wears: the user's choice, or what suits the moment."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from neodeskpet.app.activities.desktop_reactions import ActivityContext
from neodeskpet.figure.behaviour.wearing import part_by_itself

_BY_ITSELF = "itself"
"""The value of the setting with which the app chooses what suits the day and the music."""


class Wardrobe(QObject):
    """Decides which part the figure wears. `music` returns whether music plays. What the model puts
    on with its tool stays until the user chooses something or the moment changes.
    """

    def __init__(
        self, company: ActivityContext, music: Callable[[], bool], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._music = music
        self._chosen: tuple[str, str] | None = None

    def start(self) -> None:
        """Start; the windows exist by then."""
        self.apply()

    @Slot()
    def apply(self) -> None:
        """Put on what is due now, if it is another part than before."""
        setting = self._company.engine.settings.settings.companion.wears
        part: str = setting
        if setting == _BY_ITSELF:
            part = part_by_itself(self._company.pet.day, music=self._music())
        if self._chosen != (setting, part):
            self._chosen = (setting, part)
            self._company.pet.wear(part)

    async def aclose(self) -> None:
        """Nothing runs."""
