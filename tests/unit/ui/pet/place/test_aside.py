"""Sent aside it looks out from the screen's edge, and a click brings it back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from neodeskpet.live2d.place.peeking import Retreat
from neodeskpet.live2d.poses import Pose, Rest
from neodeskpet.ui.pet.place.aside import Aside, send_aside
from neodeskpet.ui.pet.place.footing import Footing
from tests.unit.ui.pet.conftest import Theatre, heard

LEFT = Qt.MouseButton.LeftButton
HOME = QPoint(500, 900)


class Stage:
    def __init__(self, theatre: Theatre) -> None:
        self.theatre, self.pet, self.stand = theatre, theatre.pet, theatre.pet.stand
        self.pet.pose(Pose.IDLE)
        self.stand.put_at(HOME)
        self.aside = Aside(self.pet)
        self.footing = Footing(self.pet)
        self.aside.set_on(True)

    def arrive(self) -> None:
        haste = self.pet.advanced.connect(lambda _now: self.theatre.later(0.2))
        self.theatre.until(lambda: self.pet.position() == self.stand.corner())
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
        """The share of its width that is on the screen."""
        figure = self.stand.figure_rect()
        return (figure & self.pet.screen().geometry()).width() / figure.width()

    def close(self) -> None:
        self.aside.set_calm(True)
        self.aside.set_on(False)
        self.footing.close()
        self.stand.retreat(None)
        self.pet.set_rest(Rest.STANDING)
        for one in (self.aside, self.footing):
            one.deleteLater()


@pytest.fixture
def stage(theatre: Theatre) -> Iterator[Stage]:
    made = Stage(theatre)
    yield made
    made.close()


def test_it_steps_aside_looks_out_and_a_click_brings_it_back(stage: Stage) -> None:
    changed, placed = heard(stage.aside.changed), heard(stage.stand.placed)
    stage.aside.go()
    assert stage.shown() == 1.0, "it goes there, it isn't there at once"
    stage.arrive()
    assert changed == [(Retreat("left", 0, 900),)]
    assert 0.2 < stage.shown() < 0.75
    assert stage.stand.head_rect().left() < 0 < stage.stand.head_rect().right()
    assert placed[-1][1] == HOME, "that is where it belongs"
    stage.pet.touched.emit("Head")
    stage.arrive()
    assert changed[-1] == (None,)
    assert stage.stand.feet == HOME
    assert stage.shown() == 1.0


def test_dragged_over_an_edge_it_stays_there_and_belongs_where_it_was(stage: Stage) -> None:
    changed = heard(stage.aside.changed)
    stage.stand.put_at(QPoint(1400, 900))
    stage.drag(QPoint(200, -200))
    stage.arrive()
    assert changed == [(Retreat("right", 1600, 700),)]
    assert stage.stand.figure_rect().right() > 1600
    assert stage.stand.feet == QPoint(1400, 900)
    assert stage.footing.standing_on is None
    stage.footing.set_fall(True)
    stage.footing.look()
    assert not stage.footing.falling


def test_dragged_out_it_stands_where_it_is_put(stage: Stage) -> None:
    stage.aside.go()
    stage.arrive()
    changed = heard(stage.aside.changed)
    stage.drag(QPoint(210, 0))
    assert changed == [(None,)]
    assert stage.stand.aside is None
    assert stage.shown() == 1.0


def test_near_an_edge_it_just_stands(stage: Stage) -> None:
    changed = heard(stage.aside.changed)
    stage.stand.put_at(QPoint(250, 900))
    stage.drag(QPoint(-150, 0))
    assert not changed
    assert stage.shown() == 1.0


def test_without_the_wish_it_stays_on_the_screen(stage: Stage) -> None:
    stage.aside.set_on(False)
    stage.stand.put_at(QPoint(250, 900))
    stage.drag(QPoint(-210, 0))
    stage.aside.go()
    assert stage.stand.aside is None
    assert stage.shown() == 1.0


def test_with_less_movement_it_is_there_at_once_and_back_when_unwanted(stage: Stage) -> None:
    stage.aside.set_calm(True)
    came = heard(stage.aside.came)
    stage.aside.go()
    assert stage.shown() < 0.75
    assert not came
    stage.aside.set_on(False)
    assert stage.shown() == 1.0
    assert len(came) == 1


def test_it_is_there_again_after_a_start(stage: Stage) -> None:
    send_aside(stage.pet, Retreat("right", 1600, 800))
    assert stage.stand.figure_rect().right() > 1600
    assert stage.stand.figure_rect().bottom() == 799
    stage.stand.set_scale(0.7)
    assert stage.stand.figure_rect().right() > 1600
    assert stage.stand.head_rect().left() < 1600
    stage.stand.set_scale(1.0)


def test_a_turn_and_a_fall_leave_it_there(stage: Stage) -> None:
    stage.aside.set_calm(True)
    stage.aside.go()
    there = stage.pet.position()
    stage.footing.set_fall(True)
    stage.footing.follow()
    stage.pet.let_go.emit(QPointF())
    stage.pet.pose(Pose.THINKING)
    frames = heard(stage.pet.advanced)
    stage.theatre.until(lambda: len(frames) > 2)
    assert stage.pet.position() == there
    stage.pet.pose(Pose.IDLE)
