"""The objects that all parts of the desktop app share: the engine, the theme, the first companion,
background work, and the way to report something to the user.
"""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QApplication

from neodeskpet.app.engine import Engine
from neodeskpet.app.speech import CompanionSpeech
from neodeskpet.app.theme_manager import ThemeManager
from neodeskpet.core.errors import KnownError, NoticeContent
from neodeskpet.language import join_hint, translate_error
from neodeskpet.platform.shutdown import CloserStack
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from neodeskpet.ui.task_runner import TaskRunner

_log = logging.getLogger(__name__)


class NoticeReporter:
    """Shows messages and errors in the bubble."""

    def __init__(self, companion: CompanionPresenter, bubble: SpeechBubble) -> None:
        self._companion = companion
        self._bubble = bubble

    def show_error(self, error: NoticeContent) -> None:
        """Show an error in the bubble, and print it to the terminal that the app was
        started from.
        """
        what, hint = translate_error(error)
        print(f"NeoDeskPet: {join_hint(what, hint)}", file=sys.stderr, flush=True)
        self.show_message(what, hint, stays=error.sticky)

    def show_message(self, what: str, hint: str, *, stays: bool = False) -> None:
        """Show a message at once, not after an open question: it would never be seen if the user
        didn't answer the question.
        """
        _log.warning("Shown to the user: %s %s", what, hint)
        stays = stays or self._bubble.has_question
        (self._companion.show_sticky_notice if stays else self._companion.show_notice)(
            join_hint(what, hint)
        )


@dataclass(frozen=True, slots=True)
class FirstCompanion:
    """The figure, its bubble and voice; `presenter` controls what the three show."""

    pet: PetWindow
    bubble: SpeechBubble
    presenter: CompanionPresenter
    speech: CompanionSpeech


@dataclass(frozen=True, slots=True)
class DesktopContext:
    """Passed to every part. `exits` closes the parts in reverse order of their creation."""

    app: QApplication
    engine: Engine
    theme_manager: ThemeManager
    notices: NoticeReporter
    work: TaskRunner
    exits: CloserStack

    def change_setting(self, section: str, name: str, value: object) -> None:
        """Change a setting; a failure is shown to the user."""
        try:
            self.engine.settings.change(section, name, value)
        except KnownError as error:
            self.notices.show_error(error)

    def save_state(self, key: str, value: str | None) -> None:
        """Store a value of the app's own state in the background; None deletes it."""
        self.work.start(f"keep {key}", partial(self.engine.storage.store.set_state, key, value))
