"""The figure among windows that are told: it falls, lands, stands, goes along."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from neodeskpet.live2d.place.ground import FLOOR, Area, Seen
from neodeskpet.live2d.poses import Pose
from neodeskpet.ui.desktop.around.scripted import ScriptedWindows
from neodeskpet.ui.pet.place.footing import Footing
from tests.unit.ui.pet.conftest import Theatre, heard, middle

LEFT = Qt.MouseButton.LeftButton
WINDOW = Seen(7, Area(600, 600, 1000, 900))


@pytest.fixture
def footing(theatre: Theatre) -> Iterator[Footing]:
    theatre.pet.pose(Pose.IDLE)
    made = Footing(theatre.pet)
    made.set_fall(True)
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def windows(footing: Footing) -> ScriptedWindows:
    made = ScriptedWindows([WINDOW])
    made.listen(footing.follow)
    footing.set_windows(made)
    return made


def feet(theatre: Theatre) -> tuple[int, int]:
    return theatre.pet.stand.feet.toTuple()  # type: ignore[no-any-return]


def bottom() -> int:
    return QGuiApplication.primaryScreen().availableGeometry().bottom() + 1


def drop(theatre: Theatre, x: int, y: int, velocity: QPointF | None = None) -> None:
    theatre.pet.stand.put_at(QPoint(x, y))
    theatre.pet.lifted.emit()
    theatre.pet.let_go.emit(velocity or QPointF())


def landed(theatre: Theatre, footing: Footing) -> None:
    theatre.until(lambda: not footing.falling)


def test_dropped_in_mid_air_it_falls_to_the_floor(theatre: Theatre, footing: Footing) -> None:
    placed = heard(theatre.pet.stand.placed)
    drop(theatre, 800, 700)
    assert footing.falling
    assert theatre.pet.posed is Pose.FALLING
    landed(theatre, footing)
    assert feet(theatre) == (800, bottom())
    assert theatre.pet.posed is Pose.LANDING
    assert placed[-1][1] == theatre.pet.stand.feet, "it is found there after the next start"
    assert footing.standing_on == FLOOR


def test_it_moves_with_every_frame_and_then_no_more_than_before(
    theatre: Theatre, footing: Footing
) -> None:
    theatre.pet.frames.set_calm(True)
    drop(theatre, 800, 500)
    assert theatre.pet.frames.per_second() == 30.0, "not the calmer rate of a processor"
    heights: list[int] = []
    theatre.pet.advanced.connect(lambda _now: heights.append(theatre.pet.stand.feet.y()))
    landed(theatre, footing)
    assert heights == sorted(heights)
    assert len(set(heights)) > 4
    assert theatre.pet.frames.per_second() == 20.0
    theatre.pet.frames.set_calm(False)


def test_without_the_wish_it_stays_where_it_is(theatre: Theatre, footing: Footing) -> None:
    footing.set_fall(False)
    drop(theatre, 800, 700)
    assert not footing.falling
    assert feet(theatre) == (800, 700)
    assert footing.standing_on is None
    drop(theatre, 800, bottom() - 5)
    assert feet(theatre) == (800, bottom() - 5)


def test_it_lands_on_a_window_and_goes_along(
    theatre: Theatre, footing: Footing, windows: ScriptedWindows
) -> None:
    drop(theatre, 800, 450)
    landed(theatre, footing)
    assert feet(theatre) == (800, 600)
    assert footing.standing_on == 7
    windows.put(Seen(7, Area(500, 650, 900, 950)))
    assert feet(theatre) == (700, 650)
    assert not footing.falling
    assert theatre.pet.stand.figure_rect().bottom() == 649


@pytest.mark.parametrize(
    "change",
    [
        (),
        (Seen(8, Area(0, 0, 1600, 1200)), WINDOW),
        (Seen(7, WINDOW.place, full=True),),
        (Seen(7, Area(600, 20, 1000, 900)),),
    ],
)
def test_when_its_window_is_gone_it_falls(
    theatre: Theatre, footing: Footing, windows: ScriptedWindows, change: tuple[Seen, ...]
) -> None:
    drop(theatre, 800, 600)
    assert footing.standing_on == 7
    windows.put(*change)
    assert footing.falling
    landed(theatre, footing)
    assert feet(theatre) == (800, bottom())


def test_with_standing_alone_it_is_put_onto_an_edge_and_else_stays(
    theatre: Theatre, footing: Footing, windows: ScriptedWindows
) -> None:
    footing.set_fall(False)
    drop(theatre, 800, 585)
    assert feet(theatre) == (800, 600)
    windows.put()
    assert feet(theatre) == (800, 600)
    assert footing.standing_on is None
    drop(theatre, 800, bottom() - 5)
    assert footing.standing_on is None


def test_a_throw_carries_it_to_the_side(theatre: Theatre, footing: Footing) -> None:
    drop(theatre, 500, 600, QPointF(1500.0, -800.0))
    landed(theatre, footing)
    assert feet(theatre)[0] > 600
    assert feet(theatre)[1] == bottom()


def test_a_fall_can_be_caught(theatre: Theatre, footing: Footing) -> None:
    pet = theatre.pet
    drop(theatre, 800, 450)
    grip = middle(pet)
    QTest.mousePress(pet, LEFT, Qt.KeyboardModifier.NoModifier, grip)
    held = feet(theatre)
    frames = heard(pet.advanced)
    theatre.until(lambda: len(frames) > 3)
    assert feet(theatre) == held, "it hangs from the hand"
    QTest.mouseMove(pet, grip + QPoint(60, 0))
    theatre.until(lambda: not footing.falling)
    assert pet.posed is Pose.DRAGGED
    QTest.mouseRelease(pet, LEFT, Qt.KeyboardModifier.NoModifier, grip)
    theatre.until(lambda: footing.falling)
    landed(theatre, footing)
    assert feet(theatre)[1] == bottom()


def test_calm_it_is_there_at_once(theatre: Theatre, footing: Footing) -> None:
    footing.set_calm(True)
    drop(theatre, 800, 500)
    assert not footing.falling
    assert feet(theatre) == (800, bottom())


def test_a_turn_that_it_shows_goes_on_in_the_fall(theatre: Theatre, footing: Footing) -> None:
    theatre.pet.pose(Pose.THINKING)
    drop(theatre, 800, 700)
    landed(theatre, footing)
    assert theatre.pet.posed is Pose.THINKING
    theatre.pet.pose(Pose.IDLE)


def test_it_looks_for_the_ground_when_that_is_wanted(theatre: Theatre, footing: Footing) -> None:
    footing.look()
    assert footing.falling
    footing.set_fall(False)
    assert not footing.falling
    assert theatre.pet.posed is Pose.IDLE


def test_on_the_floor_it_notices_that_the_floor_went(
    theatre: Theatre, footing: Footing, windows: ScriptedWindows
) -> None:
    drop(theatre, 300, bottom() - 3)
    assert footing.standing_on == FLOOR
    windows.put()
    assert not footing.falling
    theatre.pet.stand.put_at(QPoint(300, bottom() - 40))  # as if a taskbar had been there
    windows.put()
    assert footing.falling
    landed(theatre, footing)


def test_without_anybody_who_tells_there_are_the_floors_alone(
    theatre: Theatre, footing: Footing, windows: ScriptedWindows
) -> None:
    footing.set_windows(None)
    drop(theatre, 800, 600)
    landed(theatre, footing)
    assert feet(theatre) == (800, bottom())
