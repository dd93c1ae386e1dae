"""The figure avoids the app's own windows, and comes back when they are closed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest

from neodeskpet.figure.behaviour.free_place import OwnWindow, PlaceKind
from neodeskpet.figure.poses import Pose, RestPose
from neodeskpet.ui.pet.own_window_avoidance import OwnWindowAvoidance
from neodeskpet.ui.pet.screen_geometry import to_area
from tests.unit.ui.pet.conftest import Theatre, heard, middle

HOME = QPoint(1200, 1100)


class Stage:
    def __init__(self, theatre: Theatre) -> None:
        self.theatre, self.pet, self.stand = theatre, theatre.pet, theatre.pet.placement
        self.busy = False
        self.pet.pose(Pose.IDLE)
        self.stand.move_feet_to(HOME)
        self.avoidance = OwnWindowAvoidance(self.pet, lambda: self.busy)

    def open(self, *windows: QRect) -> None:
        self.avoidance.set_windows([OwnWindow(to_area(one), 30) for one in windows])

    def arrive(self) -> None:
        haste = self.pet.advanced.connect(lambda _now: self.theatre.later(0.1))
        self.theatre.until(lambda: self.pet.position() == self.stand.window_corner())
        self.pet.advanced.disconnect(haste)

    def close(self) -> None:
        self.busy = False
        self.avoidance.set_reduced_motion(True)
        self.open()
        self.avoidance.close()
        self.avoidance.deleteLater()
        self.pet.set_rest(RestPose.STANDING)


@pytest.fixture
def stage(theatre: Theatre) -> Iterator[Stage]:
    made = Stage(theatre)
    yield made
    made.close()


def test_it_glides_beside_a_window_and_back(stage: Stage) -> None:
    home, window = stage.stand.figure_rect(), QRect(1000, 300, 600, 900)
    stage.open(window)
    assert stage.stand.figure_rect() == home, "it glides there, it isn't there at once"
    stage.arrive()
    assert not stage.stand.figure_rect().intersects(window)
    assert stage.stand.is_displaced and stage.stand.feet == HOME
    stage.open()
    stage.arrive()
    assert stage.stand.figure_rect() == home


def test_it_sits_small_on_the_title_bar_of_a_wide_window(stage: Stage) -> None:
    home = stage.stand.figure_rect()
    window = QRect(0, 500, 1600, 700)
    stage.avoidance.set_reduced_motion(True)
    stage.open(window)
    figure = stage.stand.figure_rect()
    assert stage.pet.rest is RestPose.SITTING
    assert abs(figure.height() / home.height() - 0.45) < 0.01
    assert abs(figure.bottom() - window.top() - 11) <= 2
    stage.open()
    assert stage.pet.rest is RestPose.STANDING
    assert stage.stand.figure_rect() == home


def test_it_waits_while_the_user_answers(stage: Stage, theatre: Theatre) -> None:
    home = stage.stand.figure_rect()
    stage.busy = True
    stage.open(QRect(1000, 300, 600, 900))
    frames = heard(stage.pet.advanced)
    theatre.until(lambda: len(frames) > 3)
    assert stage.stand.figure_rect() == home
    stage.busy = False
    theatre.until(lambda: stage.stand.is_displaced)
    stage.arrive()
    assert stage.stand.figure_rect() != home


def test_dropped_on_a_window_it_sits_on_it(stage: Stage) -> None:
    stage.avoidance.set_reduced_motion(True)
    stage.open(QRect(100, 500, 700, 700))
    grip = middle(stage.pet)
    QTest.mousePress(stage.pet, Qt.MouseButton.LeftButton, pos=grip)
    QTest.mouseMove(stage.pet, grip + QPoint(-700, -60))
    QTest.mouseRelease(stage.pet, Qt.MouseButton.LeftButton, pos=grip)
    assert stage.stand.place.kind is PlaceKind.TITLE_BAR
    assert stage.stand.figure_rect().right() < 800


def test_a_maximized_window_leaves_no_place(stage: Stage) -> None:
    indoors = heard(stage.avoidance.indoors_changed)
    stage.open(stage.pet.screen().geometry())
    assert not stage.pet.isVisible() and stage.avoidance.is_indoors
    stage.open()
    assert stage.pet.isVisible() and not stage.avoidance.is_indoors
    assert indoors == [(True,), (False,)]
