"""Shows the pill at the figure's feet while the companion does something."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QGuiApplication

from neodeskpet.app.desktop_context import FirstCompanion
from neodeskpet.app.quiet_mode import QuietMode
from neodeskpet.ui.pet.screen_geometry import nearest_screen
from neodeskpet.ui.theme import Theme

if TYPE_CHECKING:
    from neodeskpet.figure.figure_state import FigureActivity
    from neodeskpet.ui.pet.state_pill import StatePill


@dataclass(frozen=True, slots=True)
class PillActions:
    """What a click does, and whether the pill is allowed."""

    show_question: Callable[[], None]
    end_quiet: Callable[[], None]
    is_allowed: Callable[[], bool]


class StatePillController(QObject):
    """Follows the reply, the voice, the quiet mode and the figure. No timer runs while nothing
    happens. `clock` must be the presenter's clock.
    """

    def __init__(
        self,
        first: FirstCompanion,
        quiet_mode: QuietMode,
        actions: PillActions,
        theme: Theme,
        parent: QObject,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._first = first
        self._quiet_mode = quiet_mode
        self._actions = actions
        self._theme = theme
        self._clock = clock
        self._is_cut = False
        self._pill: StatePill | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.update)
        self._on_started = first.speech.on_started
        self._on_finished = first.speech.on_finished
        first.speech.on_started = self._start_speaking
        first.speech.on_finished = self._finish_speaking
        first.presenter.activity_changed.connect(self.update)
        quiet_mode.changed.connect(self.update)
        first.pet.anchored.connect(self.update)
        first.pet.visibleChanged.connect(self.update)

    @property
    def pill(self) -> StatePill:
        if self._pill is None:
            from neodeskpet.ui.pet.state_pill import StatePill

            self._pill = StatePill(self._theme)
            self._pill.set_shape_mask(self._is_cut)
            self._pill.clicked.connect(self._act)
        return self._pill

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._pill is not None:
            self._pill.set_theme(theme)

    def set_shape_mask(self, on: bool) -> None:
        """Set whether the window is cut to the pill, for desktops without a compositor."""
        self._is_cut = on
        if self._pill is not None:
            self._pill.set_shape_mask(on)

    def close(self) -> None:
        self._timer.stop()
        first = self._first
        first.speech.on_started, first.speech.on_finished = self._on_started, self._on_finished
        first.presenter.activity_changed.disconnect(self.update)
        self._quiet_mode.changed.disconnect(self.update)
        first.pet.anchored.disconnect(self.update)
        first.pet.visibleChanged.disconnect(self.update)
        if self._pill is not None:
            self._pill.close()
            self._pill.deleteLater()

    def _start_speaking(self) -> None:
        self._on_started()
        self.update()

    def _finish_speaking(self) -> None:
        self._on_finished()
        self.update()

    def _activity(self) -> FigureActivity | None:
        """Return what happens now; None while nothing happens."""
        until = self._quiet_mode.until
        is_speaking = self._first.speech.is_audible
        activity = self._first.presenter.activity
        if activity is None and until is None and not is_speaking:
            return None
        from neodeskpet.figure.figure_state import FigureActivity

        return replace(
            activity or FigureActivity(),
            is_speaking=is_speaking,
            quiet_until=f"{until:%H:%M}" if until is not None else "",
        )

    @Slot()
    def update(self) -> None:
        """Show the current state at the current place."""
        placement = self._first.pet.placement
        is_seen = self._first.pet.isVisible() and placement.retreat_side is None
        activity = self._activity() if is_seen and self._actions.is_allowed() else None
        if activity is None:
            self._hide()
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
            if self._pill is not None:
                self._pill.hide()
            return
        from neodeskpet.ui.pet.state_pill import pill_position

        pill, figure = self.pill, placement.figure_rect()
        pill.set_state(state)
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        pill.move(pill_position(figure, pill.size(), nearest_screen(figure, screens)))
        pill.show()

    def _hide(self) -> None:
        self._timer.stop()
        if self._pill is not None:
            self._pill.hide()

    @Slot()
    def _act(self) -> None:
        from neodeskpet.figure.figure_state import FigureStateKind

        kind = self.pill.kind
        match kind:
            case FigureStateKind.ASKING:
                self._actions.show_question()
            case FigureStateKind.SPEAKING:
                self._first.speech.silence()
            case FigureStateKind.QUIET:
                self._actions.end_quiet()
            case FigureStateKind.TOOL | FigureStateKind.THINKING:
                pass
            case _:
                assert_never(kind)
