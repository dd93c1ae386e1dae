"""Shows signs beside the figure: the pill that tells what the companion does, and a dot while
something is due.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, assert_never

from PySide6.QtCore import QObject, QRect, QTimer, Signal, Slot
from PySide6.QtGui import QWindow

from neodeskpet.core.speech_bubble import no_callback
from neodeskpet.language import tr
from neodeskpet.ui.companion_menu import CompanionMenu
from neodeskpet.ui.desktop.work_area import work_areas
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import nearest_screen
from neodeskpet.ui.theme import Theme

if TYPE_CHECKING:
    from neodeskpet.app.quiet_mode import QuietMode
    from neodeskpet.figure.figure_state import FigureActivity, FocusTime
    from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
    from neodeskpet.ui.pet.figure_signs import DueSign, FigureSign
    from neodeskpet.ui.pet.speech_bubble import SpeechBubble
    from neodeskpet.ui.pet.state_pill import StatePill

_Sign = TypeVar("_Sign", bound="FigureSign")


class LazySign(Generic[_Sign]):
    """A sign beside the figure, which `create` makes when it is first needed. It stays above
    `figure`.
    """

    def __init__(
        self, create: Callable[[Theme], _Sign], theme: Theme, figure: QWindow | None = None
    ) -> None:
        self._create = create
        self._theme = theme
        self._figure = figure
        self._is_cut = False
        self.created: _Sign | None = None
        """The sign if it was needed yet."""

    @property
    def window(self) -> _Sign:
        if self.created is None:
            self.created = self._create(self._theme)
            self.created.set_shape_mask(self._is_cut)
            if self._figure is not None:
                self.created.stay_above(self._figure)
        return self.created

    def hide(self) -> None:
        if self.created is not None:
            self.created.hide()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self.created is not None:
            self.created.set_theme(theme)

    def set_shape_mask(self, on: bool) -> None:
        """Set whether the window is cut to its outline, for desktops without a compositor."""
        self._is_cut = on
        if self.created is not None:
            self.created.set_shape_mask(on)

    def close(self) -> None:
        if self.created is not None:
            self.created.close()
            self.created.deleteLater()


class DueSignController(QObject):
    """Shows a sign beside the figure while something is due, until `seen` is called. `chosen` is
    called when it is clicked. It follows the figure and is hidden with it.
    """

    def __init__(
        self, menu: CompanionMenu, pet: PetWindow, theme: Theme, chosen: Callable[[], object]
    ) -> None:
        super().__init__(menu)
        self._pet = pet
        self._chosen = chosen
        self.sign = LazySign(self._create, theme, pet)
        self._due = ""
        self._seen = ""
        menu.badge_changed.connect(self._on_badge_changed)
        pet.anchored.connect(self._update)
        pet.visibleChanged.connect(self._update)

    def seen(self) -> None:
        """Hide the sign until something else is due: the user has opened Today."""
        self._seen = self._due
        self._update()

    def close(self) -> None:
        self._pet.anchored.disconnect(self._update)
        self._pet.visibleChanged.disconnect(self._update)
        self.sign.close()

    def _create(self, theme: Theme) -> DueSign:
        from neodeskpet.ui.pet.figure_signs import DueSign

        sign = DueSign(theme)
        sign.clicked.connect(self._chosen)
        return sign

    def _on_badge_changed(self, entry_id: str, text: str) -> None:
        if entry_id == "today":
            self._due = text
            if text:
                self.sign.window.set_count(text)
            else:
                self._seen = ""
            self._update()

    @Slot()
    def _update(self) -> None:
        if not self._due or self._due == self._seen or not self._pet.isVisible():
            self.sign.hide()
            return
        from neodeskpet.ui.pet.figure_signs import due_sign_position

        head = self._pet.placement.head_rect()
        sign = self.sign.window
        sign.move(due_sign_position(head, nearest_screen(head, work_areas())))
        sign.show()


class PillVoice(Protocol):
    """The user's voice, as the pill shows it."""

    @property
    def hearing_since(self) -> float | None: ...

    @property
    def hearing_level(self) -> float: ...


class PillSpeech(Protocol):
    """The companion's voice. `on_started` and `on_finished` are called with it."""

    on_started: Callable[[], object]
    on_finished: Callable[[], object]

    @property
    def is_audible(self) -> bool: ...

    def silence(self) -> None: ...


@dataclass(frozen=True, slots=True)
class PillCompanion:
    """The companion whose state is shown; further ones have no voice and no quiet mode of their
    own.
    """

    pet: PetWindow
    bubble: SpeechBubble
    presenter: CompanionPresenter
    speech: PillSpeech | None = None
    quiet_mode: QuietMode | None = None
    voice: Callable[[], PillVoice | None] = lambda: None
    focus: Callable[[], FocusTime | None] = lambda: None


@dataclass(frozen=True, slots=True)
class PillActions:
    """What a click does, and whether the pill is allowed. `show_question` shows a question that
    isn't in the bubble.
    """

    show_question: Callable[[], None]
    is_allowed: Callable[[], bool]
    end_quiet: Callable[[], None] = no_callback
    end_listening: Callable[[], None] = no_callback
    show_today: Callable[[], object] = no_callback


class StatePillController(QObject):
    """Follows the reply, the voices, the quiet mode and the figure. No timer runs while nothing
    happens. `clock` must be the presenter's clock.
    """

    lasting_state_changed = Signal(str, bool)
    """The quiet mode or the focus session in words ("" for none), and whether the figure is seen,
    so that the pill can show it.
    """

    def __init__(
        self,
        companion: PillCompanion,
        actions: PillActions,
        theme: Theme,
        parent: QObject,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._companion = companion
        self._actions = actions
        self._clock = clock
        self.pill = LazySign(self._create, theme, companion.pet)
        self._covered: Sequence[QRect] = ()
        self._lasting = ("", True)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.update)
        speech, quiet_mode = companion.speech, companion.quiet_mode
        if speech is not None:
            self._on_started, self._on_finished = speech.on_started, speech.on_finished
            speech.on_started, speech.on_finished = self._start_speaking, self._finish_speaking
        if quiet_mode is not None:
            quiet_mode.changed.connect(self.update)
        companion.presenter.activity_changed.connect(self.update)
        companion.pet.anchored.connect(self.update)
        companion.pet.visibleChanged.connect(self.update)

    def close(self) -> None:
        self._timer.stop()
        companion = self._companion
        if companion.speech is not None:
            companion.speech.on_started = self._on_started
            companion.speech.on_finished = self._on_finished
        if companion.quiet_mode is not None:
            companion.quiet_mode.changed.disconnect(self.update)
        companion.presenter.activity_changed.disconnect(self.update)
        companion.pet.anchored.disconnect(self.update)
        companion.pet.visibleChanged.disconnect(self.update)
        self.pill.close()

    def set_own_windows(self, areas: Sequence[QRect]) -> None:
        """Set the areas of the app's windows: the pill isn't over their controls."""
        self._covered = areas
        self.update()

    def _create(self, theme: Theme) -> StatePill:
        from neodeskpet.ui.pet.state_pill import StatePill

        pill = StatePill(theme)
        pill.clicked.connect(self._act)
        return pill

    def _start_speaking(self) -> None:
        self._on_started()
        self.update()

    def _finish_speaking(self) -> None:
        self._on_finished()
        self.update()

    def _activity(self) -> FigureActivity | None:
        """Return what happens now; None while nothing happens."""
        companion = self._companion
        until = companion.quiet_mode.until if companion.quiet_mode is not None else None
        is_speaking = companion.speech is not None and companion.speech.is_audible
        voice = companion.voice()
        since = voice.hearing_since if voice is not None else None
        activity, focus = companion.presenter.activity, companion.focus()
        if (activity, until, since, focus) == (None, None, None, None) and not is_speaking:
            return None
        from neodeskpet.figure.figure_state import FigureActivity

        return replace(
            activity or FigureActivity(),
            is_speaking=is_speaking,
            quiet_until=f"{until:%H:%M}" if until is not None else "",
            hearing_since=since,
            hearing_level=voice.hearing_level if voice is not None and since is not None else 0.0,
            focus=focus,
        )

    @Slot()
    def update(self) -> None:
        """Show the current state at the current place."""
        pet = self._companion.pet
        is_seen = pet.isVisible() and pet.placement.retreat_side is None
        self._report_lasting_state(is_seen)
        activity = self._activity() if is_seen and self._actions.is_allowed() else None
        if activity is None:
            self._timer.stop()
            self.pill.hide()
            return
        from neodeskpet.figure.figure_state import figure_state, seconds_to_next_change

        now = self._clock()
        wait = seconds_to_next_change(activity, now)
        if wait is None:
            self._timer.stop()
        else:
            self._timer.start(int(wait * 1000) + 1)
        state = figure_state(activity, now)
        if state is None:
            self.pill.hide()
            return
        from neodeskpet.ui.pet.state_pill import pill_area

        pill, figure = self.pill.window, pet.placement.figure_rect()
        pill.set_state(state)
        screen = nearest_screen(figure, work_areas())
        pill.place(pill_area(figure, pill.full_size, screen, self._covered))
        pill.show()

    def _report_lasting_state(self, is_seen: bool) -> None:
        focus, quiet_mode = self._companion.focus(), self._companion.quiet_mode
        until = quiet_mode.until if quiet_mode is not None else None
        words = focus.summary.partition("\n")[0] if focus is not None else ""
        if until is not None and not words:
            words = tr("Quiet until {time}", time=f"{until:%H:%M}")
        if self._lasting != (words, is_seen):
            self._lasting = (words, is_seen)
            self.lasting_state_changed.emit(words, is_seen)

    @Slot()
    def _act(self) -> None:
        from neodeskpet.figure.figure_state import FigureStateKind

        companion = self._companion
        kind = self.pill.window.kind
        match kind:
            case FigureStateKind.LISTENING:
                self._actions.end_listening()
            case FigureStateKind.ASKING:
                if not (companion.bubble.shows_question and companion.bubble.take_keyboard()):
                    self._actions.show_question()
            case FigureStateKind.SPEAKING:
                if companion.speech is not None:
                    companion.speech.silence()
            case FigureStateKind.FOCUS | FigureStateKind.BREAK:
                self._actions.show_today()
            case FigureStateKind.QUIET:
                self._actions.end_quiet()
            case FigureStateKind.TOOL | FigureStateKind.THINKING:
                pass
            case _:
                assert_never(kind)
