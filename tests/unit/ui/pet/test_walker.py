"""The figure walks with its own frames, and stops when something needs it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from random import Random

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtTest import QTest

from neodeskpet.figure.behaviour.free_place import OwnWindow
from neodeskpet.figure.behaviour.ground import DesktopArea, VisibleWindow
from neodeskpet.figure.poses import WALK_POSES, Pose
from neodeskpet.ui.desktop.window_watcher import ScriptedWindowWatcher
from neodeskpet.ui.pet.ground_tracker import GroundTracker
from neodeskpet.ui.pet.screen_geometry import to_area
from neodeskpet.ui.pet.walker import Walker
from tests.unit.ui.pet.conftest import Theatre, heard, middle

FEET = QPoint(800, 900)


class Outing:
    """A walker while the user has been idle for a while."""

    def __init__(self, theatre: Theatre) -> None:
        QCursor.setPos(5, 5)
        self.theatre = theatre
        theatre.pet.pose(Pose.IDLE)
        self.ground_tracker = GroundTracker(theatre.pet)
        self.idle: float | None = 20.0
        self.wanted = False
        self.walker = Walker(
            theatre.pet,
            self.ground_tracker,
            idle=lambda: self.idle,
            wanted=lambda: self.wanted,
            random=Random(4),
            clock=lambda: time.monotonic() + theatre.ahead[0],
        )
        self.walker.set_enabled(True)

    def look(self) -> None:
        """Advance by minutes, until it checks whether to walk."""
        self.theatre.later(300.0)
        self.walker.consider_walk()

    def go(self) -> None:
        self.theatre.until(self._sets_out)
        start = self.theatre.pet.placement.feet.x()
        self.theatre.until(lambda: abs(self.theatre.pet.placement.feet.x() - start) > 5)

    def _sets_out(self) -> bool:
        self.look()
        return self.walker.is_walking

    def arrive(self) -> None:
        """Advance the clock until it stands."""
        haste = self.theatre.pet.advanced.connect(lambda _now: self.theatre.later(0.06))
        self.theatre.until(lambda: not self.walker.is_walking)
        self.theatre.pet.advanced.disconnect(haste)

    def close(self) -> None:
        self.walker.close()
        self.ground_tracker.close()
        self.walker.deleteLater()
        self.ground_tracker.deleteLater()
        self.theatre.pet.pose(Pose.IDLE)


@pytest.fixture
def outing(theatre: Theatre) -> Iterator[Outing]:
    made = Outing(theatre)
    yield made
    made.close()


def test_it_walks_and_stays_where_it_arrived(outing: Outing) -> None:
    pet = outing.theatre.pet
    placed = heard(pet.placement.placed)
    pet.frames.set_calm(True)
    outing.go()
    assert pet.current_pose in WALK_POSES
    assert pet.frames.frames_per_second() == 24.0
    right = pet.current_pose is Pose.WALKING_RIGHT
    assert (pet.placement.feet.x() > FEET.x()) is right
    assert not placed
    outing.arrive()
    pet.frames.set_calm(False)
    assert pet.current_pose is Pose.IDLE
    assert pet.placement.feet.y() == FEET.y()
    assert placed[-1][1] == pet.placement.feet, "it is there after the next start"
    outing.walker.consider_walk()
    assert not outing.walker.is_walking, "not again for minutes"


def _type(outing: Outing) -> None:
    outing.idle = 0.2


def _talk(outing: Outing) -> None:
    outing.wanted = True


def _sleep(outing: Outing) -> None:
    outing.theatre.pet.pose(Pose.ASLEEP)


def _turn(outing: Outing) -> None:
    outing.theatre.pet.pose(Pose.SPEAKING)


def _off(outing: Outing) -> None:
    outing.walker.set_enabled(False)


def _cover(outing: Outing) -> None:
    outing.theatre.pet.placement.set_own_windows([OwnWindow(to_area(QRect(600, 500, 400, 500)))])


@pytest.mark.parametrize("busy", [_type, _talk, _sleep, _turn, _cover])
def test_it_does_not_start(outing: Outing, busy: Callable[[Outing], None]) -> None:
    busy(outing)
    outing.look()
    assert not outing.walker.is_walking
    outing.theatre.pet.placement.set_own_windows([])


@pytest.mark.parametrize("busy", [_talk, _turn, _off])
def test_it_stops_at_once(outing: Outing, busy: Callable[[Outing], None]) -> None:
    theatre = outing.theatre
    outing.go()
    busy(outing)
    theatre.until(lambda: not outing.walker.is_walking)
    here = theatre.pet.placement.feet
    frames = heard(theatre.pet.advanced)
    theatre.until(lambda: len(frames) > 2)
    assert theatre.pet.placement.feet == here
    assert theatre.pet.current_pose not in WALK_POSES


def test_a_drag_stops_it(outing: Outing) -> None:
    theatre, pet = outing.theatre, outing.theatre.pet
    outing.go()
    QTest.mousePress(pet, Qt.MouseButton.LeftButton, pos=middle(pet))
    theatre.until(lambda: not outing.walker.is_walking)
    QTest.mouseRelease(pet, Qt.MouseButton.LeftButton, pos=middle(pet))
    assert pet.current_pose not in WALK_POSES


def test_it_stops_for_a_window_in_its_way(outing: Outing) -> None:
    theatre, pet = outing.theatre, outing.theatre.pet
    outing.go()
    figure = pet.placement.figure_rect()
    side = figure.right() + 8 if pet.current_pose is Pose.WALKING_RIGHT else figure.left() - 208
    pet.placement.set_own_windows(
        [OwnWindow(to_area(QRect(side, figure.top(), 200, figure.height())))]
    )
    theatre.until(lambda: not outing.walker.is_walking)
    assert not pet.placement.figure_rect().intersects(QRect(side, figure.top(), 200, 400))
    assert not pet.placement.is_displaced
    pet.placement.set_own_windows([])


def test_it_stays_in_the_area_that_the_user_drew(outing: Outing) -> None:
    pet = outing.theatre.pet
    screen = QGuiApplication.primaryScreen().name()
    figure = pet.placement.figure_rect()
    outing.walker.set_limits({screen: (figure.left() - 150, figure.right() + 150)})
    for _ in range(2):
        outing.go()
        outing.arrive()
        there = pet.placement.figure_rect()
        assert there.left() >= figure.left() - 151
        assert there.right() <= figure.right() + 151
    outing.go()
    outing.walker.set_limits({screen: (0, figure.width() + 50)})
    assert not outing.walker.is_walking, "its way is blocked"


def test_on_a_window_it_stays_on_its_edge_and_stops_when_the_window_moves(outing: Outing) -> None:
    pet = outing.theatre.pet
    windows = ScriptedWindowWatcher([VisibleWindow(7, DesktopArea(700, 900, 960, 1100))])

    def changed() -> None:
        outing.ground_tracker.windows_changed()
        outing.walker.ground_changed()

    windows.subscribe(changed)
    outing.ground_tracker.set_windows(windows)
    outing.ground_tracker.find_ground()
    assert outing.ground_tracker.standing_on == 7
    outing.go()
    outing.arrive()
    x = pet.placement.feet.x()
    assert 720 <= x <= 940
    windows.set_windows(VisibleWindow(7, DesktopArea(730, 890, 990, 1090)))
    assert pet.placement.feet == QPoint(x + 30, 890), (
        "it moves with the window from where it walked to"
    )
    outing.go()
    windows.set_windows(VisibleWindow(7, DesktopArea(740, 880, 1000, 1080)))
    assert not outing.walker.is_walking
    assert pet.placement.feet.y() == 880


def test_with_another_command_it_stops_gliding(outing: Outing) -> None:
    theatre, pet = outing.theatre, outing.theatre.pet
    outing.go()
    pet.play("Nod")
    here = pet.placement.feet
    theatre.until(lambda: not outing.walker.is_walking)
    assert pet.placement.feet == here
    assert pet.current_pose not in WALK_POSES


def test_it_starts_when_the_earlier_command_has_ended(outing: Outing) -> None:
    theatre, pet = outing.theatre, outing.theatre.pet
    pet.play("Nod")
    frames = heard(pet.advanced)
    assert outing.walker.start_walk()
    theatre.until(lambda: len(frames) > 3)
    assert outing.walker.is_walking
    assert pet.placement.feet == FEET
    haste = pet.advanced.connect(lambda _now: theatre.later(0.1))
    theatre.until(lambda: pet.walking)
    pet.advanced.disconnect(haste)
    theatre.until(lambda: pet.placement.feet != FEET)


@pytest.mark.parametrize("end", ["stop", "speak"])
def test_it_ends_where_its_last_step_was_drawn(outing: Outing, end: str) -> None:
    theatre, pet = outing.theatre, outing.theatre.pet
    outing.go()
    drawn: list[QPoint] = []
    told: list[QPoint] = []

    def tell() -> None:
        # The window is a frame further than its drawn figure.
        if len(drawn) > 1 and not told:
            told.append(drawn[-1])
            if end == "stop":
                outing.walker.stop()
            else:
                pet.pose(Pose.SPEAKING)

    def note() -> None:
        drawn.append(pet.placement.feet)

    pet.frameSwapped.connect(note)
    pet.advanced.connect(tell)
    theatre.until(lambda: bool(told))
    assert not outing.walker.is_walking
    assert [pet.placement.feet] == told
    pet.frameSwapped.disconnect(note)
    pet.advanced.disconnect(tell)
