"""Activities that react to the desktop: the companion dances to music, taps along with the user's
keystrokes, and notices clicks, the window in use and a pointer that rests on its face. While the
setting of an activity is off, nothing is monitored for it. `ActivityContext` has the parts
of the app that every activity uses.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from PySide6.QtCore import QObject, QPoint, QTimer, Signal, Slot

from neodeskpet.app.engine import Engine
from neodeskpet.conversation.proactive_remarks import PresenceDetector
from neodeskpet.figure.behaviour.attentiveness import (
    Attentiveness,
    WatchTarget,
    WindowWatch,
    glance_direction,
    glance_moves,
)
from neodeskpet.figure.behaviour.ground import VisibleWindow
from neodeskpet.figure.behaviour.tricks import Dancing, TypingTaps
from neodeskpet.settings.activity_settings import ActivitySettings as PastimeSettings
from neodeskpet.ui.desktop.keystrokes import KeystrokeCounter
from neodeskpet.ui.desktop.music_players import MusicDetector
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import to_rect
from neodeskpet.ui.task_runner import TaskRunner


@dataclass(frozen=True, slots=True)
class ActivityContext:
    engine: Engine
    pet: PetWindow
    companion: CompanionPresenter
    attention: PresenceDetector

    @property
    def settings(self) -> PastimeSettings:
        return self.engine.settings.settings.pastimes

    def may_speak(self) -> bool:
        """Return whether a message would be visible now and would not interrupt anything."""
        companion_settings = self.engine.settings.settings.companion
        heard = self.pet.isVisible() and companion_settings.bubble and not companion_settings.quiet
        taken = self.companion.is_busy or self.companion.has_question or self.engine.chat.busy
        return heard and not taken


MUSIC_CHECK_MS = 500
_RETRY_SECONDS = 60.0
"""Seconds. The session bus may become available later."""


class MusicDance(QObject):
    playing_changed = Signal(bool)
    """Music starts or ends."""

    def __init__(
        self,
        company: ActivityContext,
        music: MusicDetector,
        parent: QObject | None = None,
        *,
        random: Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._music = music
        self._clock = clock
        self._dancing = Dancing(random or Random())
        self._on = False
        self._work = TaskRunner("music", failed=lambda error: None)
        self._timer = QTimer(self, interval=MUSIC_CHECK_MS)
        self._timer.timeout.connect(self.check)

    @property
    def playing(self) -> bool:
        return self._dancing.playing

    def start(self) -> None:
        """Start; the windows exist by then."""
        self.apply()

    def apply(self) -> None:
        """Apply changed settings."""
        wanted = self._company.settings.music
        if wanted == self._on:
            return
        self._on = wanted
        if wanted:
            self._work.replace("follow", self._follow)
        else:
            self._work.cancel_task("follow")
            self._hear(False)

    async def aclose(self) -> None:
        self._timer.stop()
        await self._work.aclose()

    @Slot()
    def check(self) -> None:
        """Perform the next dance move if it is due."""
        if not self._company.pet.is_idle:
            return
        feat = self._dancing.due(self._clock())
        if feat is not None:
            self._company.pet.perform(feat)

    async def _follow(self) -> None:
        while True:
            await self._music.watch(self._hear)
            self._hear(False)
            await asyncio.sleep(_RETRY_SECONDS)

    def _hear(self, playing: bool) -> None:
        changed = playing != self._dancing.playing
        self._dancing.set_playing(playing, self._clock())
        if changed:
            self.playing_changed.emit(playing)
        if playing:
            self._timer.start()
        else:
            self._timer.stop()


class InputActivity(QObject):
    """Something that is done while it is wanted and the companion is visible: `counter` reports the
    user's input to `_on_input`.
    """

    def __init__(
        self,
        company: ActivityContext,
        counter: KeystrokeCounter,
        clock: Callable[[], float],
        parent: QObject | None,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._counter = counter
        self._clock = clock
        self._on = False
        company.pet.visibleChanged.connect(lambda _visible: self.apply())

    def start(self) -> None:
        """Start; the windows exist by then."""
        self.apply()

    def apply(self) -> None:
        """Apply changed settings, and whether the companion is visible."""
        wanted = self._is_wanted() and self._company.pet.isVisible()
        if wanted == self._on:
            return
        self._on = wanted
        if wanted:
            self._counter.start(self._on_input)
        else:
            self._counter.stop()

    async def aclose(self) -> None:
        self._on = False
        self._counter.stop()

    def _is_wanted(self) -> bool:
        raise NotImplementedError

    def _on_input(self, count: int) -> None:
        raise NotImplementedError


class TypingAlong(InputActivity):
    def __init__(
        self,
        company: ActivityContext,
        keystrokes: KeystrokeCounter,
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(company, keystrokes, clock, parent)
        self._paws = TypingTaps()

    def _is_wanted(self) -> bool:
        return self._company.settings.typing

    def _on_input(self, count: int) -> None:
        pet = self._company.pet
        if not pet.is_idle:
            return
        feat = self._paws.press(self._clock())
        if feat is not None:
            pet.perform(feat)


_LOOKS_SECONDS = 0.4
"""Seconds between two looks at the pointer."""
_FAR = 400
"""Distance in pixels of the point at which a glance is directed."""
_LOOKS_ON = 3.0
"""Seconds after which a long look is repeated: sooner than the figure looks away."""


class SmallReactions(InputActivity):
    """Small reactions to the user, while the companion may look at the pointer; while the user is
    away, it watches the window that they left open. `clicks` reports that a pointer button was
    pressed, `windows` returns the visible windows, topmost first; only their places are used.
    """

    def __init__(
        self,
        company: ActivityContext,
        clicks: KeystrokeCounter,
        windows: Callable[[], Sequence[VisibleWindow]],
        parent: QObject | None = None,
        *,
        random: Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(company, clicks, clock, parent)
        self._pet = company.pet
        self._windows = windows
        random = random or Random()
        self._mind = Attentiveness(random, clock())
        self._watch = WindowWatch(random)
        self._watched: WatchTarget | None = None
        self._turned_at = clock()
        self._looked_at = clock()
        self._pet.advanced.connect(self._advance)

    def _is_wanted(self) -> bool:
        return self._company.engine.settings.settings.companion.gaze

    def _on_input(self, count: int) -> None:
        pet = self._pet
        pointer = pet.pointer
        if not pet.is_idle or pet.placement.figure_rect().contains(pointer):
            return
        self._mind.liveliness = pet.liveliness
        x = pointer.x() - pet.placement.head_rect().center().x()
        reaction = self._mind.click(x, self._clock())
        if reaction is not None:
            pet.perform(reaction)

    def _advance(self, now: float) -> None:
        """Look at the pointer, and now and then at the window in use."""
        pet = self._pet
        if not self._on or now - self._looked_at < _LOOKS_SECONDS:
            return
        self._looked_at = now
        self._watch_alone(now)
        if not pet.is_idle:
            return
        self._mind.liveliness = pet.liveliness
        face = pet.placement.head_rect()
        pointer = pet.pointer
        on_face = face.contains(pointer) and not pet.is_held
        reaction = self._mind.point((pointer.x(), pointer.y()), now, on_face=on_face)
        if reaction is not None:
            pet.perform(reaction)
        elif now >= self._mind.next_glance and pet.is_user_working:
            self._glance(face.center(), now)

    def _glance(self, face: QPoint, now: float) -> None:
        """Look at the window in use with head, ears and tail."""
        used = self._used_window()
        if used is None:
            return
        way = used - face
        direction = self._mind.glance(way.x(), way.y(), now)
        if direction is not None:
            x, y = direction
            self._pet.look_at(face.x() + _FAR * x, face.y() + _FAR * y)
            self._pet.perform(glance_moves(direction))

    def _watch_alone(self, now: float) -> None:
        """Watch the window that the user left open."""
        pet = self._pet
        alone = pet.is_idle and pet.is_user_away and not pet.is_lying
        target = self._watch.target(now, alone=alone)
        before, self._watched = self._watched, target
        if target is None or (target is before and now - self._turned_at < _LOOKS_ON):
            return
        self._turned_at = now
        place = self._used_window() if target is WatchTarget.WINDOW else pet.pointer
        if place is None:
            return
        way = place - pet.placement.head_rect().center()
        direction = glance_direction(way.x(), way.y())
        pet.look_at(place.x(), place.y())
        if target is not before and direction is not None:
            pet.perform(glance_moves(direction))

    def _used_window(self) -> QPoint | None:
        """Return the middle of the window that was used last, if one is visible."""
        own = self._pet.winId()
        shown = (one for one in self._windows() if one.firm and one.window != own)
        used = next(shown, None)
        return None if used is None else to_rect(used.place).center()
