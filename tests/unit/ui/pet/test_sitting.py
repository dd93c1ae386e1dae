"""The figure sits down on the edge of a window, and stands up for any other action."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random

import pytest
from PySide6.QtCore import QPoint

from neodeskpet.figure.behaviour.ground import DesktopArea, VisibleWindow
from neodeskpet.figure.poses import Pose, RestPose
from neodeskpet.ui.desktop.window_watcher import ScriptedWindowWatcher
from neodeskpet.ui.pet.ground_tracker import EdgeSitter, GroundTracker
from tests.unit.ui.pet.conftest import Theatre


@pytest.fixture
def sitter(theatre: Theatre) -> Iterator[EdgeSitter]:
    pet = theatre.pet
    pet.pose(Pose.IDLE)
    footing = GroundTracker(pet)
    windows = ScriptedWindowWatcher([VisibleWindow(7, DesktopArea(600, 900, 1000, 1100))])
    windows.subscribe(footing.windows_changed)
    footing.set_windows(windows)
    footing.find_ground()
    assert footing.standing_on == 7
    made = EdgeSitter(
        pet, footing, random=Random(1), clock=lambda: time.monotonic() + theatre.ahead[0]
    )
    made.setProperty("windows", windows)
    made.set_enabled(True)
    yield made
    made.set_enabled(False)
    footing.close()
    for one in (made, footing):
        one.deleteLater()
    pet.pose(Pose.IDLE)


def sunk(theatre: Theatre) -> int:
    """Return how far the figure is below the place of its feet."""
    figure = theatre.pet.placement.figure_rect()
    return figure.bottom() + 1 - theatre.pet.placement.feet.y()


def sit(theatre: Theatre) -> None:
    theatre.later(200.0)
    theatre.until(lambda: theatre.pet.current_rest is RestPose.SITTING and sunk(theatre) > 20)


def test_after_a_while_it_sits_on_an_edge_and_moves_with_it(
    theatre: Theatre, sitter: EdgeSitter
) -> None:
    pet, windows = theatre.pet, sitter.property("windows")
    sit(theatre)
    assert pet.placement.feet == QPoint(800, 900)
    assert 0.1 < sunk(theatre) / pet.placement.figure_rect().height() < 0.15
    windows.set_windows(VisibleWindow(7, DesktopArea(640, 850, 1040, 1050)))
    assert pet.placement.feet == QPoint(840, 850)
    assert sunk(theatre) > 20, "it stays seated"
    pet.pose(Pose.SPEAKING)
    theatre.wait(0.2)
    assert sunk(theatre) > 20, "it may say something"
    pet.pose(Pose.LISTENING)
    theatre.until(lambda: sunk(theatre) <= 1)
    pet.pose(Pose.IDLE)
    theatre.until(lambda: sunk(theatre) > 20)
    windows.set_windows()
    theatre.until(lambda: sunk(theatre) <= 1 and pet.rest is RestPose.STANDING)


def test_a_drag_lifts_it_in_its_pose(theatre: Theatre, sitter: EdgeSitter) -> None:
    sit(theatre)
    theatre.pet.picked_up.emit()
    assert theatre.pet.rest is RestPose.STANDING
    assert sunk(theatre) <= 1


def test_on_the_floor_it_stands(theatre: Theatre, sitter: EdgeSitter) -> None:
    sitter.property("windows").set_windows()
    theatre.later(200.0)
    theatre.wait(0.2)
    assert theatre.pet.rest is RestPose.STANDING
