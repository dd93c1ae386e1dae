"""What pastimes know of the app."""

from __future__ import annotations

from dataclasses import dataclass

from neodeskpet.engine import Engine
from neodeskpet.settings.pastimes import ActivitySettings as PastimeSettings
from neodeskpet.ui.desktop.attention import ActivityDetector
from neodeskpet.ui.pet.companion import CompanionPresenter
from neodeskpet.ui.pet.window import PetWindow


@dataclass(frozen=True, slots=True)
class ActivityContext:
    engine: Engine
    pet: PetWindow
    companion: CompanionPresenter
    attention: ActivityDetector

    @property
    def settings(self) -> PastimeSettings:
        return self.engine.settings.settings.pastimes

    def may_speak(self) -> bool:
        """Whether a word would be seen now, and interrupts nothing."""
        wishes = self.engine.settings.settings.companion
        heard = self.pet.isVisible() and wishes.bubble and not wishes.quiet
        taken = self.companion.is_busy or self.companion.has_question or self.engine.chat.busy
        return heard and not taken
