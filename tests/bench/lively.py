"""An hour of the companion alone, and its cost.

`measure` needs a QApplication (a real X or Xvfb) and no running loop. The hours are simulated with
the real reactions and the real actor; `*_cpu_percent` are shares of a core, by the process's own
times, of a figure of 340 pixels. `texture_mb` is the memory of the figure's textures with all their
smaller levels, as a graphics card holds them.
"""

from __future__ import annotations

import asyncio
import math
import tempfile
import time
from pathlib import Path
from random import Random

from PIL import Image
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from neodeskpet.figure.behaviour.seasons import DayContext, DayPart, Season
from neodeskpet.figure.behaviour.sleep import WakeReaction
from neodeskpet.figure.behaviour.tricks import SeasonalActs
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.poses import Pose
from neodeskpet.platform.installation import assets_dir
from neodeskpet.ui.pet.ground_tracker import GroundTracker
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.walker import Walker
from tests.bench.pet import use
from tests.support.lifetime import Life, begin

_NEO = assets_dir() / "companion" / "neo"
_HOUR, _SEEDS = 3600.0, 6
_SETTLE, _BESIDE, _WALKS, _ASLEEP, _HIDDEN = 6.0, 90.0, 20.0, 30.0, 10.0


def measure(app: QApplication) -> dict[str, float]:
    """About three minutes."""
    out = hours() | {"texture_mb": texture_megabytes()}
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    try:
        with tempfile.TemporaryDirectory() as folder:
            figures: dict[str, float] = out | loop.run_until_complete(_cost(Path(folder)))
            return figures
    finally:
        loop.close()
        asyncio.set_event_loop(None)


def hours() -> dict[str, float]:
    """Neo in hours of a winter night, beside a working user, and after they left."""
    working = [_life(seed) for seed in range(_SEEDS)]
    for life in working:
        life.live(_HOUR, lambda now: now % 20.0)
    away = _life(_SEEDS)
    away.live(1200.0, lambda now: now)
    asleep = away.actor.current_pose is Pose.ASLEEP
    away.live(600.0, lambda now: (now - 1200.0) % 20.0)
    return {
        "soonest_repeat_s": min(life.soonest() for life in working),
        "largest_share_percent": max(life.largest_share() for life in working) * 100,
        "asleep_beside_work": sum(
            pose in (Pose.SLEEPY, Pose.ASLEEP) for life in working for _, pose in life.poses
        ),
        "asleep_after_20_minutes": float(asleep),
        "welcomes": float(away.wakes.count(WakeReaction.WELCOME)),
    }


def texture_megabytes() -> float:
    """The memory of all textures: four bytes a texel, and a third more for the smaller levels."""
    texels = 0
    for file in describe_model(_NEO).textures:
        with Image.open(file) as texture:
            texels += texture.width * texture.height
    return texels * 4 * 4 / 3 / 1e6


def _life(seed: int) -> Life:
    life = begin(describe_model(_NEO), seed)
    life.day, life.turning = (
        DayContext(DayPart.NIGHT, Season.WINTER),
        SeasonalActs(Random(seed), 0.0),
    )
    return life


class _Clock:
    """A monotonic clock that can be advanced."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead


async def _cost(cache: Path) -> dict[str, float]:
    QCursor.setPos(2, 2)
    clock, idle = _Clock(), [5.0]
    pet = PetWindow(cache, random=Random(1), clock=clock, hour=lambda: 12)
    pet.set_idle_source(lambda: idle[0])
    pet.show()
    pet.placement.move_feet_to(QPoint(800, 900))
    ready = asyncio.Event()
    pet.ready.connect(lambda _: ready.set())
    pet.load(_NEO)
    await asyncio.wait_for(ready.wait(), 120)
    await asyncio.sleep(_SETTLE)
    out = await _use(pet, "beside", _BESIDE)
    out |= await _walk(pet)
    clock.ahead, idle[0] = 7200.0, 7200.0
    await asyncio.sleep(2 * _SETTLE)
    slept = pet.current_pose is Pose.ASLEEP
    out |= await _use(pet, "asleep", _ASLEEP) if slept else {"asleep_cpu_percent": math.nan}
    pet.hide()
    await asyncio.sleep(1.0)
    out |= await _use(pet, "hidden", _HIDDEN)
    pet.release_model()
    return out


async def _walk(pet: PetWindow) -> dict[str, float]:
    """From side to side, as often as possible."""
    walker = Walker(pet, GroundTracker(pet), random=Random(1))
    walker.set_enabled(True)
    again = QTimer()
    again.timeout.connect(walker.start_walk)
    again.start(10)
    out = await _use(pet, "walking", _WALKS)
    again.stop()
    walker.close()
    return out


async def _use(pet: PetWindow, name: str, seconds: float) -> dict[str, float]:
    cpu, fps = await use(pet, seconds)
    return {f"{name}_cpu_percent": cpu * 100, f"{name}_fps": fps}
