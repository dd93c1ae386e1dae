from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from qasync import QEventLoop

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.figure.behaviour.seasons import DayContext, DayPart
from neodeskpet.figure.behaviour.sleep import SleepState
from neodeskpet.figure.behaviour.tricks import DANCE_TRICK
from neodeskpet.figure.files.figure_settings import (
    FigureSettings,
    PartSettings,
    write_figure_settings,
)
from neodeskpet.figure.frame_rate import FULL_RATES, SOFTWARE_RATES, FrameRates
from neodeskpet.figure.live2d.framing import PixelBox
from neodeskpet.figure.live2d.model_upkeep import MOST_MODEL_SECONDS, ModelAge
from neodeskpet.figure.poses import Pose
from neodeskpet.figure.stage import Stage
from neodeskpet.ui.pet.gl_surface import opaque_bounds
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.theme import DARK
from tests.unit.figure.models import NEO, copy_neo
from tests.unit.ui.pet.conftest import Theatre, different, heard, middle, nearby, run_until

LEFT = Qt.MouseButton.LeftButton


# Before the theatre opens: only one companion at a time can be drawn.
def test_a_load_before_it_is_shown_waits(loop: QEventLoop, cache: Path) -> None:
    pet = PetWindow(cache)
    ready = heard(pet.ready)
    assert pet.snapshot().isNull()
    assert pet.portrait(10).isNull()
    pet.express("x")
    Theatre(loop, pet, cache, ModelAge()).load(NEO)
    run_until(loop, lambda: bool(pet.expressions()))
    assert not ready
    pet.show()
    run_until(loop, lambda: bool(ready))
    assert opaque_bounds(pet.snapshot()) is not None
    pet.release_model()
    pet.release_model()


def test_loading_is_shown_if_it_takes_long(loop: QEventLoop, cache: Path) -> None:
    now = [100.0]
    pet = PetWindow(cache, clock=lambda: now[0])
    failed, swapped = heard(pet.failed), heard(pet.frameSwapped)
    pet.show()
    run_until(loop, lambda: bool(swapped))
    Theatre(loop, pet, cache, ModelAge()).load(Path("/nowhere"))

    def seen_after(seconds: float) -> PixelBox | None:
        now[0] += seconds
        pet.makeCurrent()
        pet.paintGL()
        return opaque_bounds(pet.grabFramebuffer())

    assert seen_after(0.1) is None
    assert seen_after(0.5) is not None
    run_until(loop, lambda: bool(failed))
    pet.release_model()


def test_it_is_a_stage_with_the_models_names(theatre: Theatre) -> None:
    stage: Stage = theatre.pet
    found = theatre.pet.description
    assert found is not None
    assert stage.expressions() == list(found.expressions)
    assert stage.motions() == dict(found.motions)
    assert theatre.pet.title() == "NeoDeskPet"


def test_shown_again_it_is_in_its_place_although_a_window_manager_moves_it(
    theatre: Theatre,
) -> None:
    pet = theatre.pet
    stood = pet.position()
    pet.hide()

    def put_on_screen(visible: bool) -> None:
        """As some window managers do with every new window."""
        if visible:
            pet.setPosition(stood - QPoint(0, 14))

    managed = pet.visibleChanged.connect(put_on_screen)
    pet.show()
    pet.visibleChanged.disconnect(managed)
    assert pet.position() != stood
    theatre.until(lambda: pet.isExposed() and pet.position() == stood)


def test_hidden_and_shown_at_once_it_continues_to_move(theatre: Theatre) -> None:
    """After it was lowered and raised, the platform may report nothing of that."""
    pet = theatre.pet
    pet.set_on_top(False)
    pet.set_on_top(True)
    theatre.wait(0.1)
    pet.hide()
    assert not pet.frames.is_visible
    pet.show()
    theatre.until(lambda: pet.frames.is_visible, 10.0)


def test_one_that_moved_for_long_is_loaded_again_while_hidden(theatre: Theatre) -> None:
    pet = theatre.pet
    ready = heard(pet.ready)

    def due() -> bool:
        return theatre.age.is_due(seen=False, asleep=False, moving=False)

    async def go_and_come() -> None:
        theatre.age.advance(MOST_MODEL_SECONDS + 1)
        await asyncio.sleep(0.3)
        assert due(), "it is visible"
        pet.hide()
        assert not due()
        await pet.wait_until_loaded()
        pet.show()
        await asyncio.sleep(0.4)

    theatre.loop.run_until_complete(go_and_come())
    assert opaque_bounds(pet.snapshot()) is not None
    assert not ready, "the same one is there"
    theatre.age.advance(1.0)
    assert not due()


def test_a_told_expression_is_visible(theatre: Theatre) -> None:
    pet = theatre.pet
    changed = heard(pet.expression_changed)
    before = pet.snapshot()
    name = next(name for name in pet.expressions() if name in ("joy", "cry", "angry", "sad"))
    pet.express(name)
    theatre.until(lambda: (name,) in changed)
    theatre.until(lambda: different(before, pet.snapshot()) > 0.002)


def test_a_told_motion_is_visible_in_a_frame(theatre: Theatre) -> None:
    pet = theatre.pet
    before = pet.snapshot()
    frames = heard(pet.frameSwapped)
    pet.play(next(iter(pet.motions())))
    assert pet.frames.frames_per_second() == SOFTWARE_RATES.active, "software rendering here"
    theatre.until(lambda: len(frames) >= 2 and different(before, pet.snapshot()) > 0.002)


def test_by_itself_it_acts_only_when_idle(theatre: Theatre) -> None:
    pet = theatre.pet
    pet.pose(Pose.IDLE)
    theatre.until(lambda: pet.is_idle)
    assert pet.perform(DANCE_TRICK)
    assert pet.frames.frames_per_second() == SOFTWARE_RATES.active
    pet.pose(Pose.THINKING)
    assert not pet.perform(DANCE_TRICK), "a turn controls the figure"
    assert pet.perform(DANCE_TRICK, asked=True)
    pet.pose(Pose.IDLE)
    pet.set_quiet(True)
    assert not pet.perform(DANCE_TRICK)
    pet.set_quiet(False)
    pet.set_day(DayContext(DayPart.NIGHT))
    assert pet.day.part is DayPart.NIGHT
    pet.set_day(DayContext())


def test_the_other_commands_are_executed(theatre: Theatre) -> None:
    pet = theatre.pet
    pet.look_at(0.0, 0.0)
    pet.speak(0.9)
    pet.pose(Pose.THINKING)
    theatre.wait(0.1)
    pet.speak(0.0)
    pet.pose(Pose.IDLE)
    pet.frames.set_rates(FrameRates(active=20.0, idle=5.0, resting=2.0))
    assert pet.frames.frames_per_second() <= 20.0
    pet.frames.set_rates(FULL_RATES)
    pet.set_theme(DARK)
    pet.set_on_top(False)
    assert not pet.flags() & Qt.WindowType.WindowStaysOnTopHint
    pet.set_on_top(True)


def test_a_touch_is_reported_with_its_area(theatre: Theatre) -> None:
    touched = heard(theatre.pet.touched)
    QTest.mouseClick(theatre.pet, LEFT, Qt.KeyboardModifier.NoModifier, middle(theatre.pet))
    assert touched == [("Head",)]


def test_a_model_that_fails_keeps_the_present_one(theatre: Theatre, tmp_path: Path) -> None:
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
from neodeskpet.ui.pet.pet_window import PetWindow

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
    pet.release_model()

with loop:
    loop.run_until_complete(main())
"""


def test_without_opengl_the_app_continues(tmp_path: Path) -> None:
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


def test_a_script_moves_it(theatre: Theatre) -> None:
    pet = theatre.pet
    ranges = pet.parameters()
    assert ranges["ParamAngleX"].maximum == 30.0
    script = [{"do": "tween", "parameter": "ParamAngleX", "to": 30, "seconds": 0.1}]
    assert pet.animate(script) == pytest.approx(0.1)
    with pytest.raises(InvalidArguments):
        pet.animate([{"do": "set", "parameter": "No", "to": 1}])


def test_the_same_model_with_other_names_is_not_loaded_again(
    theatre: Theatre, tmp_path: Path
) -> None:
    pet = theatre.pet
    copy = copy_neo(tmp_path / "neo")
    ready = heard(pet.ready)
    theatre.load(copy)
    theatre.until(lambda: len(ready) == 1)
    figure = pet._figure
    height = pet.placement.figure_rect().height()
    side = FigureSettings(size=1.2).with_expression("smile", PartSettings(title="grin"))
    write_figure_settings(copy, side)
    theatre.load(copy)
    theatre.until(lambda: len(ready) == 2)
    assert pet._figure is figure
    assert "grin" in pet.expressions()
    assert pet.placement.figure_rect().height() == pytest.approx(height * 1.2, rel=0.03)


def test_it_notices_that_the_user_is_back(theatre: Theatre) -> None:
    pet = theatre.pet
    idle, welcomed, faces = [0.0], heard(pet.user_returned), heard(pet.expression_changed)
    pet.set_idle_source(lambda: idle[0])
    try:
        theatre.later(SleepState.SEEING.missed)
        idle[0] = SleepState.SEEING.missed
        theatre.later(3.0)
        theatre.until(lambda: ("sleepy",) in faces)
        assert not welcomed
        idle[0] = 0.0
        theatre.later(3.0)
        theatre.until(lambda: bool(welcomed))
    finally:
        pet.set_idle_source(nearby)
        pet.pose(Pose.IDLE)
