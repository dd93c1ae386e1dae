"""On a window's edge it sits down, and stands up for whatever wants it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random

import pytest
from PySide6.QtCore import QPoint

from neodeskpet.live2d.place.ground import Area, Seen
from neodeskpet.live2d.poses import Pose, Rest
from neodeskpet.ui.desktop.around.scripted import ScriptedWindows
from neodeskpet.ui.pet.place.footing import Footing
from neodeskpet.ui.pet.place.sitter import Sitter
from tests.unit.ui.pet.conftest import Theatre


@pytest.fixture
def sitter(theatre: Theatre) -> Iterator[Sitter]:
    pet = theatre.pet
    pet.pose(Pose.IDLE)
    footing = Footing(pet)
    windows = ScriptedWindows([Seen(7, Area(600, 900, 1000, 1100))])
    windows.listen(footing.follow)
    footing.set_windows(windows)
    footing.look()
    assert footing.standing_on == 7
    made = Sitter(pet, footing, random=Random(1), clock=lambda: time.monotonic() + theatre.ahead[0])
    made.setProperty("windows", windows)
    made.set_on(True)
    yield made
    made.set_on(False)
    footing.close()
    for one in (made, footing):
        one.deleteLater()
    pet.pose(Pose.IDLE)


def sunk(theatre: Theatre) -> int:
    """How far below its feet's place the figure is."""
    figure = theatre.pet.stand.figure_rect()
    return figure.bottom() + 1 - theatre.pet.stand.feet.y()


def sit(theatre: Theatre) -> None:
    theatre.later(200.0)
    theatre.until(lambda: theatre.pet.rests is Rest.SITTING and sunk(theatre) > 20)


def test_after_a_while_on_an_edge_its_seat_is_there_and_it_goes_along(
    theatre: Theatre, sitter: Sitter
) -> None:
    pet, windows = theatre.pet, sitter.property("windows")
    sit(theatre)
    assert pet.stand.feet == QPoint(800, 900)
    assert 0.05 < sunk(theatre) / pet.stand.figure_rect().height() < 0.1
    windows.put(Seen(7, Area(640, 850, 1040, 1050)))
    assert pet.stand.feet == QPoint(840, 850)
    assert sunk(theatre) > 20, "it sits on"
    pet.pose(Pose.SPEAKING)
    theatre.wait(0.2)
    assert sunk(theatre) > 20, "it may say something"
    pet.pose(Pose.LISTENING)
    theatre.until(lambda: sunk(theatre) <= 1)
    pet.pose(Pose.IDLE)
    theatre.until(lambda: sunk(theatre) > 20)
    windows.put()
    theatre.until(lambda: sunk(theatre) <= 1 and pet.rest is Rest.STANDING)


def test_a_hand_lifts_it_as_it_is(theatre: Theatre, sitter: Sitter) -> None:
    sit(theatre)
    theatre.pet.lifted.emit()
    assert theatre.pet.rest is Rest.STANDING
    assert sunk(theatre) <= 1


def test_on_the_floor_it_stands(theatre: Theatre, sitter: Sitter) -> None:
    sitter.property("windows").put()
    theatre.later(200.0)
    theatre.wait(0.2)
    assert theatre.pet.rest is Rest.STANDING
