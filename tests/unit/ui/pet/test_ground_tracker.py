"""The figure among reported windows: it falls, lands, stands on them and moves with them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from neodeskpet.figure.behaviour.ground import FLOOR_WINDOW, DesktopArea, VisibleWindow
from neodeskpet.figure.poses import Pose
from neodeskpet.ui.desktop.window_watcher import ScriptedWindowWatcher
from neodeskpet.ui.pet.ground_tracker import GroundTracker
from tests.unit.ui.pet.conftest import Theatre, heard, middle

LEFT = Qt.MouseButton.LeftButton
WINDOW = VisibleWindow(7, DesktopArea(600, 600, 1000, 900))


@pytest.fixture
def footing(theatre: Theatre) -> Iterator[GroundTracker]:
    theatre.pet.pose(Pose.IDLE)
    made = GroundTracker(theatre.pet)
    made.set_fall(True)
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def windows(footing: GroundTracker) -> ScriptedWindowWatcher:
    made = ScriptedWindowWatcher([WINDOW])
    made.subscribe(footing.windows_changed)
    footing.set_windows(made)
    return made


def feet(theatre: Theatre) -> tuple[int, int]:
    return theatre.pet.placement.feet.toTuple()  # type: ignore[no-any-return]


def bottom() -> int:
    return QGuiApplication.primaryScreen().availableGeometry().bottom() + 1


def drop(theatre: Theatre, x: int, y: int, velocity: QPointF | None = None) -> None:
    theatre.pet.placement.move_feet_to(QPoint(x, y))
    theatre.pet.picked_up.emit()
    theatre.pet.released.emit(velocity or QPointF())


def landed(theatre: Theatre, footing: GroundTracker) -> None:
    theatre.until(lambda: not footing.is_falling)


def test_dropped_in_mid_air_it_falls_to_the_floor(theatre: Theatre, footing: GroundTracker) -> None:
    placed = heard(theatre.pet.placement.placed)
    drop(theatre, 800, 700)
    assert footing.is_falling
    assert theatre.pet.current_pose is Pose.FALLING
    landed(theatre, footing)
    assert feet(theatre) == (800, bottom())
    assert theatre.pet.current_pose is Pose.LANDING
    assert placed[-1][1] == theatre.pet.placement.feet, "it is there after the next start"
    assert footing.standing_on == FLOOR_WINDOW


def test_thrown_it_lands_and_shakes_itself(theatre: Theatre, footing: GroundTracker) -> None:
    actor = theatre.pet._actor
    assert actor is not None and "ShakeOff" in theatre.pet.motions()
    drop(theatre, 800, 700, QPointF(900.0, -300.0))
    landed(theatre, footing)
    assert theatre.pet.current_pose is Pose.IDLE, "the motion has the landing in it"
    assert actor.did_lately(("ShakeOff", 0), theatre.pet._clock())


def test_it_moves_with_every_frame_and_then_no_more_than_before(
    theatre: Theatre, footing: GroundTracker
) -> None:
    theatre.pet.frames.set_calm(True)
    drop(theatre, 800, 500)
    assert theatre.pet.frames.frames_per_second() == 24.0, (
        "a higher rate than software rendering has otherwise"
    )
    heights: list[int] = []
    theatre.pet.advanced.connect(lambda _now: heights.append(theatre.pet.placement.feet.y()))
    landed(theatre, footing)
    assert heights == sorted(heights)
    assert len(set(heights)) > 4
    assert theatre.pet.frames.frames_per_second() == 20.0
    theatre.pet.frames.set_calm(False)


def test_without_the_setting_it_stays_in_its_place(
    theatre: Theatre, footing: GroundTracker
) -> None:
    footing.set_fall(False)
    drop(theatre, 800, 700)
    assert not footing.is_falling
    assert feet(theatre) == (800, 700)
    assert footing.standing_on is None
    drop(theatre, 800, bottom() - 5)
    assert feet(theatre) == (800, bottom() - 5)


def test_it_lands_on_a_window_and_moves_with_it(
    theatre: Theatre, footing: GroundTracker, windows: ScriptedWindowWatcher
) -> None:
    drop(theatre, 800, 450)
    landed(theatre, footing)
    assert feet(theatre) == (800, 600)
    assert footing.standing_on == 7
    windows.set_windows(VisibleWindow(7, DesktopArea(500, 650, 900, 950)))
    assert feet(theatre) == (700, 650)
    assert not footing.is_falling
    assert theatre.pet.placement.figure_rect().bottom() == 649


@pytest.mark.parametrize(
    "change",
    [
        (),
        (VisibleWindow(8, DesktopArea(0, 0, 1600, 1200)), WINDOW),
        (VisibleWindow(7, WINDOW.place, full=True),),
        (VisibleWindow(7, DesktopArea(600, 20, 1000, 900)),),
    ],
)
def test_when_its_window_is_closed_it_falls(
    theatre: Theatre,
    footing: GroundTracker,
    windows: ScriptedWindowWatcher,
    change: tuple[VisibleWindow, ...],
) -> None:
    drop(theatre, 800, 600)
    assert footing.standing_on == 7
    windows.set_windows(*change)
    assert footing.is_falling
    landed(theatre, footing)
    assert feet(theatre) == (800, bottom())


def test_with_only_standing_on_it_is_put_onto_an_edge_or_stays(
    theatre: Theatre, footing: GroundTracker, windows: ScriptedWindowWatcher
) -> None:
    footing.set_fall(False)
    drop(theatre, 800, 585)
    assert feet(theatre) == (800, 600)
    windows.set_windows()
    assert feet(theatre) == (800, 600)
    assert footing.standing_on is None
    drop(theatre, 800, bottom() - 5)
    assert footing.standing_on is None


def test_a_throw_moves_it_sideways(theatre: Theatre, footing: GroundTracker) -> None:
    drop(theatre, 500, 600, QPointF(1500.0, -800.0))
    landed(theatre, footing)
    assert feet(theatre)[0] > 600
    assert feet(theatre)[1] == bottom()


def test_a_fall_can_be_caught(theatre: Theatre, footing: GroundTracker) -> None:
    pet = theatre.pet
    drop(theatre, 800, 450)
    grip = middle(pet)
    QTest.mousePress(pet, LEFT, Qt.KeyboardModifier.NoModifier, grip)
    held = feet(theatre)
    frames = heard(pet.advanced)
    theatre.until(lambda: len(frames) > 3)
    assert feet(theatre) == held, "it hangs from the pointer"
    QTest.mouseMove(pet, grip + QPoint(60, 0))
    theatre.until(lambda: not footing.is_falling)
    assert pet.current_pose is Pose.DRAGGED
    QTest.mouseRelease(pet, LEFT, Qt.KeyboardModifier.NoModifier, grip)
    theatre.until(lambda: footing.is_falling)
    landed(theatre, footing)
    assert feet(theatre)[1] == bottom()


def test_with_reduced_motion_it_is_there_at_once(theatre: Theatre, footing: GroundTracker) -> None:
    footing.set_reduced_motion(True)
    drop(theatre, 800, 500)
    assert not footing.is_falling
    assert feet(theatre) == (800, bottom())


def test_the_pose_of_a_turn_continues_in_the_fall(theatre: Theatre, footing: GroundTracker) -> None:
    theatre.pet.pose(Pose.THINKING)
    drop(theatre, 800, 700)
    landed(theatre, footing)
    assert theatre.pet.current_pose is Pose.THINKING
    theatre.pet.pose(Pose.IDLE)


def test_it_searches_for_the_ground_when_the_setting_is_switched_on(
    theatre: Theatre, footing: GroundTracker
) -> None:
    footing.find_ground()
    assert footing.is_falling
    footing.set_fall(False)
    assert not footing.is_falling
    assert theatre.pet.current_pose is Pose.IDLE


def test_on_the_floor_it_notices_that_the_floor_moved(
    theatre: Theatre, footing: GroundTracker, windows: ScriptedWindowWatcher
) -> None:
    drop(theatre, 300, bottom() - 3)
    assert footing.standing_on == FLOOR_WINDOW
    windows.set_windows()
    assert not footing.is_falling
    theatre.pet.placement.move_feet_to(QPoint(300, bottom() - 40))  # as if a taskbar had been there
    windows.set_windows()
    assert footing.is_falling
    landed(theatre, footing)


def test_without_a_window_watcher_there_are_only_the_floors(
    theatre: Theatre, footing: GroundTracker, windows: ScriptedWindowWatcher
) -> None:
    footing.set_windows(None)
    drop(theatre, 800, 600)
    landed(theatre, footing)
    assert feet(theatre) == (800, bottom())
