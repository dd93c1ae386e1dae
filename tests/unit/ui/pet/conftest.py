"""A stage with the bundled model, under Xvfb."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor, QImage, QSurfaceFormat
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from neodeskpet.figure.live2d.model_upkeep import ModelAge
from neodeskpet.ui.pet.gl_surface import default_format
from neodeskpet.ui.pet.pet_window import PetWindow
from tests.unit.figure.models import NEO

# Before any GL context: see default_format.
QSurfaceFormat.setDefaultFormat(default_format())


def nearby() -> float:
    """The seconds since the last input: too few for the figure to lie down by chance."""
    return 60.0


@dataclass
class Theatre:
    """The window with its model, and its event loop."""

    loop: QEventLoop
    pet: PetWindow
    cache: Path
    age: ModelAge
    ahead: list[float] = field(default_factory=lambda: [0.0])
    """How far the companion's clock is ahead of the real one."""
    face: str = ""
    """The present expression."""

    def later(self, seconds: float) -> None:
        """Advance the companion's clock without waiting."""
        self.ahead[0] += seconds

    def until(self, condition: Callable[[], bool], seconds: float = 60.0) -> None:
        """Run the loop until the condition holds."""
        run_until(self.loop, condition, seconds)

    def load(self, path: Path, pet: PetWindow | None = None) -> None:
        """Let the window load a model, from within the loop."""

        async def tell() -> None:
            (pet or self.pet).load(path)

        self.loop.run_until_complete(tell())

    def wait(self, seconds: float) -> None:
        self.loop.run_until_complete(asyncio.sleep(seconds))


def run_until(loop: QEventLoop, condition: Callable[[], bool], seconds: float = 60.0) -> None:
    async def wait() -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it never happened"
            await asyncio.sleep(0.01)

    loop.run_until_complete(wait())


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pet")


@pytest.fixture(scope="module")
def loop(qapp: QApplication) -> Iterator[QEventLoop]:
    made = QEventLoop(qapp)
    asyncio.set_event_loop(made)
    yield made
    made.close()
    asyncio.set_event_loop(None)


@pytest.fixture(scope="module")
def opened(loop: QEventLoop, cache: Path) -> Iterator[Theatre]:
    QCursor.setPos(5, 5)
    age = ModelAge()
    ahead = [0.0]
    pet = PetWindow(
        cache,
        random=Random(1),
        clock=lambda: time.monotonic() + ahead[0],
        hour=lambda: 12,
        age=age,
    )
    ready: list[object] = []
    pet.ready.connect(ready.append)
    pet.failed.connect(lambda error: pytest.fail(str(error)))
    pet.show()
    made = Theatre(loop, pet, cache, age, ahead)
    pet.expression_changed.connect(partial(setattr, made, "face"))
    pet.set_idle_source(nearby)
    made.load(NEO)
    made.until(lambda: bool(ready))
    pet.failed.disconnect()
    yield made
    pet.release_model()


@pytest.fixture
def theatre(opened: Theatre) -> Theatre:
    """Every test starts with the companion standing in the middle of the screen."""
    opened.pet.placement.set_scale(1.0)
    opened.pet.placement.move_feet_to(QPoint(800, 900))
    opened.wait(0.05)
    return opened


def heard(signal: Any) -> list[Any]:
    """Return a list of what a signal reports from now on."""
    told: list[Any] = []
    signal.connect(lambda *values: told.append(values))
    return told


def different(one: QImage, other: QImage) -> float:
    """Return the share of pixels that differ."""
    a, b = bytes(one.constBits()), bytes(other.constBits())
    return sum(x != y for x, y in zip(a[::16], b[::16], strict=True)) / len(a[::16])


def middle(pet: PetWindow) -> QPoint:
    """Return the middle of the figure's head, in window coordinates."""
    return pet.placement.head_rect().center() - pet.position()
