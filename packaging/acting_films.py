"""Films the companion beside a working user and alone, and lists its acts with their reasons.

`./run docs --films FOLDER` writes `work.webp`, `alone.webp` and `acts.txt`: two minutes each, in
real time, on a virtual display. The user is a script: keys and pauses, clicks, the pointer.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from PIL import Image
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QCursor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from neodeskpet.cli.demo_command import virtual_display
from neodeskpet.figure.behaviour.idling import activity_after
from neodeskpet.platform.installation import assets_dir
from neodeskpet.ui.pet.pet_window import PetWindow

_SECONDS, _FRAME = 120.0, 0.2
_HEIGHT = 340
_WORK = ((0.0, 35.0), (84.0, 120.0))
"""Spans of seconds in which the user of the first film types."""
_AWAY = 95.0
"""Seconds since the last input at the start of the second film."""


def _idle_at_work(now: float) -> float:
    """Return the seconds since the last key at `now`."""
    for start, end in _WORK:
        if start <= now < end:
            return (now - start) % 0.3
    return now - max(end for _, end in _WORK if end <= now)


@dataclass
class Film:
    """One film: the pictures, and the acts with the second and the reason."""

    name: str
    idle: Callable[[float], float]
    pictures: list[Image.Image] = field(default_factory=list)
    acts: list[str] = field(default_factory=list)
    started: float = 0.0

    @property
    def now(self) -> float:
        return time.monotonic() - self.started

    def note(self, words: tuple[str, ...]) -> None:
        """Note an act of the companion."""
        idle = self.idle(self.now)
        reason = f"{activity_after(idle).name.lower()}, last input {idle:.0f} s ago"
        self.acts.append(f"{self.now:6.1f} s  {' '.join(words)}: {reason}")

    async def take(self, pet: PetWindow, scripted: dict[int, Callable[[], None]]) -> None:
        """Film `pet`; `scripted` maps seconds to what the user does."""
        self.started = time.monotonic()
        pet.set_idle_source(lambda: self.idle(self.now))
        pet.acted.connect(self.note)
        pose = pet.current_pose
        while self.now < _SECONDS:
            due = [second for second in scripted if second <= self.now]
            for second in due:
                scripted.pop(second)()
            if pet.current_pose is not pose:
                pose = pet.current_pose
                self.acts.append(f"{self.now:6.1f} s  pose {pose}")
            self.pictures.append(_picture(pet))
            await asyncio.sleep(_FRAME)
        pet.acted.disconnect(self.note)

    def save(self, folder: Path) -> None:
        """Write the film, in the time that its pictures were taken in."""
        first, *others = self.pictures
        first.save(
            folder / f"{self.name}.webp",
            save_all=True,
            append_images=others,
            duration=round(1000 * _SECONDS / len(self.pictures)),
            loop=0,
            quality=70,
        )


def _picture(pet: PetWindow) -> Image.Image:
    taken = pet.snapshot(_HEIGHT)
    ground = QImage(taken.size(), QImage.Format.Format_RGB888)
    ground.fill(QColor("#e9eef2"))
    with QPainter(ground) as painter:
        painter.drawImage(0, 0, taken)
    size = (ground.width(), ground.height())
    return Image.frombytes(
        "RGB", size, bytes(ground.constBits()), "raw", "RGB", ground.bytesPerLine(), 1
    )


async def _films(folder: Path, cache: Path) -> None:
    QCursor.setPos(2, 2)
    pet = PetWindow(cache, random=Random(3), hour=lambda: 15)
    pet.show()
    pet.placement.move_feet_to(QPoint(800, 900))
    ready = asyncio.Event()
    pet.ready.connect(lambda _: ready.set())
    pet.load(assets_dir() / "companion" / "neo")
    await asyncio.wait_for(ready.wait(), 120)
    head = pet.placement.head_rect().center()
    work = Film("work", _idle_at_work)
    await work.take(pet, {20: lambda: QCursor.setPos(300, 400), 70: lambda: QCursor.setPos(head)})
    alone = Film("alone", lambda now: _AWAY + now)
    await alone.take(pet, {0: lambda: QCursor.setPos(2, 2)})
    lines = []
    for film in (work, alone):
        film.save(folder)
        lines += [film.name, *film.acts, ""]
    (folder / "acts.txt").write_text("\n".join(lines), "utf-8")
    pet.release_model()


def main(folder: Path) -> int:
    """Write the films into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.pop("DISPLAY", None)
    with virtual_display(), tempfile.TemporaryDirectory() as cache:
        app = QApplication([])
        loop = QEventLoop(app)
        asyncio.set_event_loop(loop)
        with loop:
            loop.run_until_complete(_films(folder, Path(cache)))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
