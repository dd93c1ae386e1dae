"""Moved aside, it looks out from the screen's edge, and a click brings it back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from neodeskpet.figure.behaviour.screen_edges import PeekPosition
from neodeskpet.figure.poses import Pose, RestPose
from neodeskpet.ui.pet.edge_peek import EdgePeek, peek_now
from neodeskpet.ui.pet.ground_tracker import GroundTracker
from tests.unit.ui.pet.conftest import Theatre, heard

LEFT = Qt.MouseButton.LeftButton
HOME = QPoint(500, 900)


class Stage:
    def __init__(self, theatre: Theatre) -> None:
        self.theatre, self.pet, self.stand = theatre, theatre.pet, theatre.pet.placement
        self.pet.pose(Pose.IDLE)
        self.stand.move_feet_to(HOME)
        self.speaks = False
        self.aside = EdgePeek(self.pet, speaks=lambda: self.speaks)
        self.ground_tracker = GroundTracker(self.pet)
        self.aside.set_enabled(True)

    def arrive(self) -> None:
        haste = self.pet.advanced.connect(lambda _now: self.theatre.later(0.2))
        self.theatre.until(lambda: self.pet.position() == self.stand.window_corner())
        self.pet.advanced.disconnect(haste)

    def drag(self, by: QPoint) -> None:
        grip = QPoint(self.pet.width() // 2, self.pet.height() // 2)
        start = self.pet.position()
        QTest.mousePress(self.pet, LEFT, pos=grip)
        QTest.mouseMove(self.pet, grip + by)
        self.theatre.until(lambda: self.pet.position() != start)
        moved = self.pet.position() - start
        QTest.mouseRelease(self.pet, LEFT, pos=grip + by - moved)

    def shown(self) -> float:
        """Return the share of its width that is on the screen."""
        figure = self.stand.figure_rect()
        return (figure & self.pet.screen().geometry()).width() / figure.width()

    def close(self) -> None:
        self.aside.set_reduced_motion(True)
        self.aside.set_enabled(False)
        self.ground_tracker.close()
        self.stand.set_retreat(None)
        self.pet.set_rest(RestPose.STANDING)
        for one in (self.aside, self.ground_tracker):
            one.deleteLater()


@pytest.fixture
def stage(theatre: Theatre) -> Iterator[Stage]:
    made = Stage(theatre)
    yield made
    made.close()


def test_it_steps_aside_looks_out_and_a_click_brings_it_back(stage: Stage) -> None:
    changed, placed = heard(stage.aside.changed), heard(stage.stand.placed)
    stage.aside.start()
    assert stage.shown() == 1.0, "it moves there, it isn't there at once"
    stage.arrive()
    assert changed == [(PeekPosition("left", 0, 900),)]
    assert 0.2 < stage.shown() < 0.75
    assert stage.stand.head_rect().left() < 0 < stage.stand.head_rect().right()
    assert placed[-1][1] == HOME, "that is its place"
    stage.pet.touched.emit("Head")
    stage.arrive()
    assert changed[-1] == (None,)
    assert stage.stand.feet == HOME
    assert stage.shown() == 1.0


def test_dragged_over_an_edge_it_stays_there_and_its_place_is_kept(stage: Stage) -> None:
    changed = heard(stage.aside.changed)
    stage.stand.move_feet_to(QPoint(1400, 900))
    stage.drag(QPoint(200, -200))
    stage.arrive()
    assert changed == [(PeekPosition("right", 1600, 700),)]
    assert stage.stand.figure_rect().right() > 1600
    assert stage.stand.feet == QPoint(1400, 900)
    assert stage.ground_tracker.standing_on is None
    stage.ground_tracker.set_fall(True)
    stage.ground_tracker.find_ground()
    assert not stage.ground_tracker.is_falling


def test_dragged_back_it_stands_where_it_is_put(stage: Stage) -> None:
    stage.aside.start()
    stage.arrive()
    changed = heard(stage.aside.changed)
    # The drag ends within the window: elsewhere Qt warns of the position.
    stage.drag(QPoint(150, 0))
    assert changed == [(None,)]
    assert stage.stand.retreat_side is None
    assert stage.shown() == 1.0


def test_near_an_edge_it_just_stands(stage: Stage) -> None:
    changed = heard(stage.aside.changed)
    stage.stand.move_feet_to(QPoint(250, 900))
    stage.drag(QPoint(-150, 0))
    assert not changed
    assert stage.shown() == 1.0


def test_without_the_setting_it_stays_on_the_screen(stage: Stage) -> None:
    stage.aside.set_enabled(False)
    stage.stand.move_feet_to(QPoint(250, 900))
    stage.drag(QPoint(-210, 0))
    stage.aside.start()
    assert stage.stand.retreat_side is None
    assert stage.shown() == 1.0


def test_with_reduced_motion_it_is_there_at_once_and_back_when_switched_off(stage: Stage) -> None:
    stage.aside.set_reduced_motion(True)
    came = heard(stage.aside.returned)
    stage.aside.start()
    assert stage.shown() < 0.75
    assert not came
    stage.aside.set_enabled(False)
    assert stage.shown() == 1.0
    assert len(came) == 1


def test_it_is_there_again_after_a_restart(stage: Stage) -> None:
    peek_now(stage.pet, PeekPosition("right", 1600, 800))
    assert stage.stand.figure_rect().right() > 1600
    assert stage.stand.figure_rect().bottom() == 799
    stage.stand.set_scale(0.7)
    assert stage.stand.figure_rect().right() > 1600
    assert stage.stand.head_rect().left() < 1600
    stage.stand.set_scale(1.0)


def test_a_turn_and_a_fall_leave_it_there(stage: Stage) -> None:
    stage.aside.set_reduced_motion(True)
    stage.aside.start()
    there = stage.pet.position()
    stage.ground_tracker.set_fall(True)
    stage.ground_tracker.windows_changed()
    stage.pet.released.emit(QPointF())
    stage.pet.pose(Pose.THINKING)
    frames = heard(stage.pet.advanced)
    stage.theatre.until(lambda: len(frames) > 2)
    assert stage.pet.position() == there
    stage.pet.pose(Pose.IDLE)


def test_its_face_is_on_the_screen_while_it_speaks(stage: Stage) -> None:
    def seen() -> float:
        head = stage.stand.head_rect()
        return (head & stage.pet.screen().geometry()).width() / head.width()

    stage.aside.set_reduced_motion(True)
    stage.aside.start()
    assert seen() < 0.6
    stage.speaks = True
    stage.theatre.until(lambda: seen() > 0.9)
    stage.speaks = False
    stage.theatre.until(lambda: seen() < 0.6)
    stage.aside.come_back()
    stage.speaks = True
    stage.theatre.until(lambda: stage.shown() == 1.0)
