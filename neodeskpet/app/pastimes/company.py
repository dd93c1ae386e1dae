"""What pastimes know of the app."""

from __future__ import annotations

from dataclasses import dataclass

from neodeskpet.engine import Engine
from neodeskpet.settings.pastimes import Pastimes as PastimeSettings
from neodeskpet.ui.desktop.attention import DeskAttention
from neodeskpet.ui.pet.companion import Companion
from neodeskpet.ui.pet.window import PetWindow


@dataclass(frozen=True, slots=True)
class Company:
    engine: Engine
    pet: PetWindow
    companion: Companion
    attention: DeskAttention

    @property
    def settings(self) -> PastimeSettings:
        return self.engine.settings.settings.pastimes

    def may_speak(self) -> bool:
        """Whether a word would be seen now, and interrupts nothing."""
        wishes = self.engine.settings.settings.companion
        heard = self.pet.isVisible() and wishes.bubble and not wishes.quiet
        taken = self.companion.busy or self.companion.asks or self.engine.chat.busy
        return heard and not taken
