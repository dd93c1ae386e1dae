"""Benchmarks of the companion's window: the cost of showing it.

`pet_cost` needs a QApplication (a real X or Xvfb) and no running loop; it returns numbers by name:
`*_cpu` is the share of one core (0..1), `*_fps` the frames drawn a second, `*_ms` milliseconds.
They measure, they don't judge. Software rendering is most of it.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from random import Random

from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from neodeskpet.platform.installation import assets_dir
from neodeskpet.ui.pet.pet_window import PetWindow

_SETTLE = 3.0


def pet_cost(app: QApplication, seconds: float = 5.0) -> dict[str, float]:
    """CPU at rest (no input; at its usual frame rate), at 30 fps (it speaks), and hidden; and how
    long a model takes to appear, when its check is new and when it is stored.
    """
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    try:
        with tempfile.TemporaryDirectory() as folder:
            figures: dict[str, float] = loop.run_until_complete(_measure(Path(folder), seconds))
            return figures
    finally:
        loop.close()
        asyncio.set_event_loop(None)


async def _measure(cache: Path, seconds: float) -> dict[str, float]:
    QCursor.setPos(2, 2)
    pet = PetWindow(cache, random=Random(1), hour=lambda: 12)
    out: dict[str, float] = {}
    pet.show()
    pet.placement.move_feet_to(QPoint(800, 900))
    model = assets_dir() / "companion" / "neo"
    out["first_load_ms"] = await _load(pet, model)
    out["load_ms"] = await _load(pet, model)
    await asyncio.sleep(_SETTLE)
    out["rest_cpu"], out["rest_fps"] = await use(pet, seconds)
    pet.frames.set_calm(False)
    speaking = asyncio.get_running_loop().create_task(_speak(pet, seconds + 0.5))
    out["active_cpu"], out["active_fps"] = await use(pet, seconds)
    await speaking
    pet.hide()
    await asyncio.sleep(0.2)
    out["hidden_cpu"], out["hidden_fps"] = await use(pet, seconds)
    pet.release_model()
    return out


async def _load(pet: PetWindow, model: Path) -> float:
    ready = asyncio.Event()
    connection = pet.ready.connect(lambda _: ready.set())
    start = time.perf_counter()
    pet.load(model)
    await asyncio.wait_for(ready.wait(), 120)
    pet.ready.disconnect(connection)
    return (time.perf_counter() - start) * 1000


async def _speak(pet: PetWindow, seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pet.speak(0.5)
        await asyncio.sleep(0.1)
    pet.speak(0.0)


async def use(pet: PetWindow, seconds: float) -> tuple[float, float]:
    """The share of one core (0..1) and the frames per second, for that long."""
    frames = 0

    def count() -> None:
        nonlocal frames
        frames += 1

    connection = pet.frameSwapped.connect(count)
    cpu, start = time.process_time(), time.perf_counter()
    await asyncio.sleep(seconds)
    used, passed = time.process_time() - cpu, time.perf_counter() - start
    pet.frameSwapped.disconnect(connection)
    return used / passed, frames / passed
