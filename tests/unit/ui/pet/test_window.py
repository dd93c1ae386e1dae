from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QCursor, QGuiApplication, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from neodeskpet.live2d.poses import Pose
from neodeskpet.live2d.stage import Stage
from neodeskpet.ui.pet.standing import LARGEST, SMALLEST
from neodeskpet.ui.pet.surface import drawn_box
from neodeskpet.ui.pet.window import PetWindow
from neodeskpet.ui.theme import DARK
from tests.unit.live2d.models import NEO, copy_neo
from tests.unit.ui.pet.conftest import Theatre, run_until

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def theatre(theatre: Theatre) -> Theatre:
    """Every test finds the companion standing in the middle of the screen."""
    theatre.pet.set_scale(1.0)
    theatre.pet.stand_at(QPoint(800, 900))
    theatre.wait(0.05)
    return theatre


def heard(signal: Any) -> list[Any]:
    """What a signal tells from now on."""
    told: list[Any] = []
    signal.connect(lambda *values: told.append(values))
    return told


def different(one: QImage, other: QImage) -> float:
    """Share of pixels that differ."""
    a, b = bytes(one.constBits()), bytes(other.constBits())
    return sum(x != y for x, y in zip(a[::16], b[::16], strict=True)) / len(a[::16])


def middle(pet: PetWindow) -> QPoint:
    """The middle of the figure's head, in the window."""
    return pet.head_rect().center() - pet.position()


# Before the theatre opens: only one companion at a time can be drawn.
def test_a_load_before_it_is_shown_waits(loop: QEventLoop, cache: Path) -> None:
    pet = PetWindow(cache)
    ready = heard(pet.ready)
    assert pet.snapshot().isNull()
    assert pet.portrait(10).isNull()
    pet.express("x")
    Theatre(loop, pet, cache).load(NEO)
    run_until(loop, lambda: bool(pet.expressions()))
    assert not ready
    pet.show()
    run_until(loop, lambda: bool(ready))
    assert drawn_box(pet.snapshot()) is not None
    pet.close_model()
    pet.close_model()


def test_it_is_a_stage_with_the_models_names(theatre: Theatre) -> None:
    stage: Stage = theatre.pet
    found = theatre.pet.description
    assert found is not None
    assert stage.expressions() == list(found.expressions)
    assert stage.motions() == dict(found.motions)
    assert theatre.pet.title() == "NeoDeskPet"


def test_the_picture_shows_the_figure_on_nothing(theatre: Theatre) -> None:
    image = theatre.pet.snapshot()
    assert image.hasAlphaChannel()
    assert image.pixelColor(0, 0).alpha() == 0
    head = middle(theatre.pet)
    assert image.pixelColor(head).alpha() == 255
    assert theatre.pet.snapshot(100).height() == 100


def test_the_portrait_is_the_head(theatre: Theatre) -> None:
    portrait = theatre.pet.portrait(64)
    assert portrait.width() == portrait.height() == round(64 * portrait.devicePixelRatio())
    image = portrait.toImage()
    assert image.pixelColor(32, 40).alpha() == 255


def test_the_figure_is_as_tall_as_it_should_be(theatre: Theatre) -> None:
    pet = theatre.pet
    assert abs(pet.figure_rect().height() - 340) <= 3
    assert pet.figure_rect().contains(pet.mouth_point())
    assert pet.head_rect().contains(pet.mouth_point())
    window = pet.geometry()
    assert window.contains(pet.figure_rect())


def test_a_told_expression_is_seen(theatre: Theatre) -> None:
    pet = theatre.pet
    changed = heard(pet.expression_changed)
    before = pet.snapshot()
    name = next(name for name in pet.expressions() if name in ("joy", "cry", "angry", "sad"))
    pet.express(name)
    theatre.until(lambda: (name,) in changed)
    theatre.wait(0.4)
    assert different(before, pet.snapshot()) > 0.002


def test_a_told_motion_is_seen_in_a_frame(theatre: Theatre) -> None:
    pet = theatre.pet
    before = pet.snapshot()
    frames = heard(pet.frameSwapped)
    pet.play(next(iter(pet.motions())))
    assert pet.frames_per_second() == 30.0
    theatre.until(lambda: len(frames) >= 2)
    assert different(before, pet.snapshot()) > 0.002


def test_the_other_commands_are_taken(theatre: Theatre) -> None:
    pet = theatre.pet
    pet.look_at(0.0, 0.0)
    pet.speak(0.9)
    pet.pose(Pose.THINKING)
    theatre.wait(0.1)
    pet.speak(0.0)
    pet.pose(Pose.IDLE)
    pet.set_power_saving(True)
    assert pet.frames_per_second() <= 15.0
    pet.set_power_saving(False)
    pet.set_theme(DARK)
    pet.set_on_top(False)
    assert not pet.flags() & Qt.WindowType.WindowStaysOnTopHint
    pet.set_on_top(True)


def test_hidden_no_clock_runs(theatre: Theatre) -> None:
    pet = theatre.pet
    theatre.until(lambda: pet.running)
    pet.hide()
    theatre.wait(0.05)
    assert not pet.running
    pet.express(pet.expressions()[0])
    assert not pet.running
    pet.show()
    theatre.until(lambda: pet.running)


def test_at_rest_it_draws_seldom(theatre: Theatre) -> None:
    QCursor.setPos(5, 5)
    theatre.until(lambda: theatre.pet.frames_per_second() == 12.0)


def test_clicks_fall_through_beside_the_figure(theatre: Theatre) -> None:
    pet = theatre.pet
    through = Qt.WindowType.WindowTransparentForInput
    QCursor.setPos(pet.head_rect().center())
    theatre.until(lambda: not pet.flags() & through)
    QCursor.setPos(pet.geometry().topLeft() + QPoint(2, 2))
    theatre.until(lambda: bool(pet.flags() & through))
    QCursor.setPos(pet.head_rect().center())
    theatre.until(lambda: not pet.flags() & through)
    pet.set_click_through(True)
    assert pet.flags() & through
    pet.set_click_through(False)
    QCursor.setPos(5, 5)


def test_dragging_moves_it_and_tells_where(theatre: Theatre) -> None:
    pet = theatre.pet
    placed, touched = heard(pet.placed), heard(pet.touched)
    start, grip = pet.position(), middle(pet)
    QTest.mousePress(pet, LEFT, Qt.KeyboardModifier.NoModifier, grip)
    # The window moves under the pointer, so the pointer's place in it stays.
    QTest.mouseMove(pet, grip + QPoint(60, -40))
    theatre.until(lambda: pet.position() != start)
    QTest.mouseRelease(pet, LEFT, Qt.KeyboardModifier.NoModifier, grip)
    assert placed
    screen, feet = placed[0]
    assert screen == QGuiApplication.primaryScreen().name()
    assert abs(feet.x() - pet.figure_rect().center().x()) <= 1
    assert not touched


def test_it_stays_on_the_screen(theatre: Theatre) -> None:
    pet = theatre.pet
    area = QGuiApplication.primaryScreen().availableGeometry()
    for feet in (QPoint(-500, -500), QPoint(9999, 9999)):
        pet.stand_at(feet)
        theatre.wait(0.05)
        assert area.contains(pet.figure_rect())


def test_a_touch_is_told_with_its_area(theatre: Theatre) -> None:
    touched = heard(theatre.pet.touched)
    QTest.mouseClick(theatre.pet, LEFT, Qt.KeyboardModifier.NoModifier, middle(theatre.pet))
    assert touched == [("Head",)]


def test_the_other_buttons(theatre: Theatre) -> None:
    pet = theatre.pet
    chat, menu = heard(pet.chat_requested), heard(pet.menu_requested)
    where = middle(pet)
    QTest.mouseDClick(pet, LEFT, Qt.KeyboardModifier.NoModifier, where)
    QTest.mouseClick(pet, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, where)
    assert len(chat) == 1
    assert menu == [(pet.position() + where,)]


def wheel(pet: PetWindow, steps: int) -> None:
    event = QWheelEvent(
        QPointF(50, 50),
        QPointF(pet.position() + QPoint(50, 50)),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(pet, event)


def test_the_wheel_scales_and_the_feet_stay(theatre: Theatre) -> None:
    pet = theatre.pet
    scaled = heard(pet.scaled)
    feet = pet.figure_rect().bottom()
    wheel(pet, 2)
    theatre.wait(0.1)
    assert scaled
    assert pet.scale > 1.1
    assert abs(pet.figure_rect().bottom() - feet) <= 2
    wheel(pet, -100)
    assert pet.scale == SMALLEST
    wheel(pet, 200)
    assert pet.scale == LARGEST


def test_a_model_that_fails_leaves_the_present_one(theatre: Theatre, tmp_path: Path) -> None:
    pet = theatre.pet
    names, failed = pet.expressions(), heard(pet.failed)
    folder = copy_neo(tmp_path / "bad")
    (folder / "neo.moc3").write_bytes(b"MOC3")
    theatre.load(folder)
    theatre.until(lambda: bool(failed))
    assert failed[0][0].code == "model_file"
    assert pet.expressions() == names
    assert not pet.snapshot().isNull()


def test_models_are_switched_while_it_runs(theatre: Theatre) -> None:
    pet = theatre.pet
    ready = heard(pet.ready)
    theatre.load(Path("/nowhere"))
    theatre.load(NEO)
    theatre.until(lambda: bool(ready))
    assert len(ready) == 1
    assert not pet.snapshot().isNull()


_WITHOUT_GL = f"""
import asyncio, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop
from qasync import QEventLoop
from neodeskpet.ui.pet.window import PetWindow

app = QApplication([])
loop = QEventLoop(app)
asyncio.set_event_loop(loop)

async def main():
    pet = PetWindow(Path(sys.argv[1]))
    failed = []
    pet.failed.connect(failed.append)
    pet.show()
    pet.load(Path({str(NEO)!r}))
    while not pet.expressions():
        await asyncio.sleep(0.02)
    pet.express("smile"); pet.play("Idle"); pet.snapshot(); pet.speak(1.0)
    print(failed[0].code, failed[0].detail, pet.isVisible())
    pet.close_model()

with loop:
    loop.run_until_complete(main())
"""


def test_without_opengl_the_app_goes_on(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_GL, str(tmp_path)],
        env=environment | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "model_file This desktop offers no OpenGL. False"
