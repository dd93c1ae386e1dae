"""Several Live2D figures at once: each looks as it does alone, whatever the others do."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor, QImage
from PySide6.QtTest import QTest
from qasync import QEventLoop

from neodeskpet.figure.live2d.model_upkeep import ModelAge
from neodeskpet.ui.pet.gl_surface import device_size, opaque_bounds
from neodeskpet.ui.pet.pet_window import PetWindow
from tests.unit.figure.models import NEO, copy_neo
from tests.unit.figure.sprites.packs import pet
from tests.unit.ui.pet.conftest import heard, middle, run_until

FAR = 0.1
"""A model's clock advances by no more than this at once."""


class Watched(PetWindow):
    """Keeps its last frame. It ignores the pointer, and its time stops until it is advanced."""

    def __init__(self, cache: Path, at: int, scale: float = 1.0, **more: Any) -> None:
        self.now = 100.0
        self.shown = QImage()
        super().__init__(cache, random=Random(1), clock=lambda: self.now, hour=lambda: 12, **more)
        self.set_gaze(False)
        self.placement.set_scale(scale)
        self.placement.move_feet_to(QPoint(at, 900))

    def paintGL(self) -> None:
        super().paintGL()
        if self._pixels is not None:
            self.shown = self._pixels.image(*device_size(self))


class Room:
    """Opens windows, and closes those that a test leaves open."""

    def __init__(self, loop: QEventLoop, cache: Path) -> None:
        self.loop, self.cache = loop, cache
        self.there: list[Watched] = []

    def open(self, path: Path, at: int = 300, scale: float = 1.0, **more: Any) -> Watched:
        made = Watched(self.cache, at, scale, **more)
        self.there.append(made)
        made.show()
        self.load(made, path)
        return made

    def load(self, window: Watched, path: Path) -> None:
        ready = heard(window.ready)
        self.do(lambda: window.load(path))
        run_until(self.loop, lambda: bool(ready))
        self.draw(window)

    def do(self, deed: Callable[[], None]) -> None:
        """Run it within the loop."""

        async def done() -> None:
            deed()

        self.loop.run_until_complete(done())

    def draw(self, *windows: Watched) -> None:
        """Each draws a new frame."""
        for window in windows:
            swapped = heard(window.frameSwapped)
            window.update()
            run_until(self.loop, lambda swapped=swapped: bool(swapped))  # type: ignore[misc]

    def close(self, *windows: Watched) -> None:
        for window in windows:
            self.there.remove(window)
            window.release_model()

    def alone(self, path: Path, scale: float = 1.0) -> QImage:
        """Return what it looks like by itself."""
        window = self.open(path, scale=scale)
        seen = window.shown
        self.close(window)
        return seen


@pytest.fixture
def room(loop: QEventLoop, cache: Path) -> Iterator[Room]:
    QCursor.setPos(5, 5)
    made = Room(loop, cache)
    yield made
    made.close(*reversed(made.there))


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another figure: Neo with red and blue exchanged."""
    folder = copy_neo(tmp_path_factory.mktemp("other") / "oen")
    for file in folder.rglob("*.png"):
        with Image.open(file) as picture:
            red, green, blue, alpha = picture.convert("RGBA").split()
        Image.merge("RGBA", (blue, green, red, alpha)).save(file)
    return folder


EDGE_VALUES = 40
"""Values of colour that may differ by more: a further figure is drawn into a framebuffer of its
own, where the edge of a triangle may cover a pixel that it misses in a window.
"""


def same(one: QImage, other: QImage) -> bool:
    """Equal except for the last bit and some values at edges: a window's colours are stored in
    another order than a picture's.
    """
    assert opaque_bounds(one) is not None
    if one.size() != other.size():
        return False
    pairs = zip(bytes(one.constBits()), bytes(other.constBits()), strict=True)
    return sum(abs(a - b) > 1 for a, b in pairs) <= EDGE_VALUES


@pytest.mark.parametrize("scale", [0.5, 1.0])
def test_each_looks_as_it_does_alone(room: Room, other: Path, scale: float) -> None:
    neo, oen = room.alone(NEO, scale), room.alone(other, scale)
    assert not same(neo, oen)
    first = room.open(NEO, scale=scale)
    guests = [room.open(path, at, scale, first=first) for path, at in ((other, 700), (NEO, 1100))]
    room.draw(first, *guests, first)
    assert same(first.shown, neo)
    assert same(guests[0].shown, oen)
    assert same(guests[1].shown, neo)


def test_pictures_of_a_further_companion(room: Room, other: Path) -> None:
    alone = room.open(other)
    taken = alone.snapshot(300), alone.portrait(64).toImage()
    room.close(alone)
    first = room.open(NEO)
    guest = room.open(other, 700, first=first)
    before = first.shown
    assert same(guest.snapshot(300), taken[0])
    assert same(guest.portrait(64).toImage(), taken[1])
    room.draw(first, guest)
    assert same(first.shown, before)


def test_a_further_companion_moves_and_is_touched(room: Room) -> None:
    first = room.open(NEO)
    guest = room.open(NEO, 700, first=first)
    still, before = first.shown, guest.shown
    guest.express("smile")
    for _ in range(20):
        guest.now += FAR
        room.draw(guest)
    room.draw(first)
    assert not same(guest.shown, before)
    assert same(first.shown, still)
    touched = heard(guest.touched)
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(guest, left, none, middle(guest))
    assert touched == [("Head",)]


def test_one_grows_and_shrinks(room: Room, other: Path) -> None:
    """Its textures are loaded again, and its canvas is another one."""

    def grow_and_shrink(window: Watched) -> list[QImage]:
        seen = [window.shown]
        for scale in (2.5, 0.5):
            window.placement.set_scale(scale)
            room.draw(window)
            seen.append(window.shown)
        return seen

    window = room.open(other, scale=0.5)
    alone = grow_and_shrink(window)
    room.close(window)
    first = room.open(NEO, scale=0.5)
    neo = first.shown
    guest = room.open(other, 1000, 0.5, first=first)
    beside = grow_and_shrink(guest)
    assert all(same(one, other) for one, other in zip(beside, alone, strict=True))
    room.draw(first)
    assert same(first.shown, neo)


@pytest.mark.parametrize("order", list(itertools.permutations((0, 1, 2))))
def test_they_are_closed_in_any_order(room: Room, other: Path, order: Sequence[int]) -> None:
    first = room.open(NEO)
    windows = [first, *(room.open(other, at, first=first) for at in (700, 1100))]
    neo, there = first.shown, dict(enumerate(windows))
    for number in order:
        room.close(there.pop(number))
        before = {window: window.shown for window in there.values()}
        for window in before:
            window.express("smile")
            window.now += FAR
        room.draw(*before)
        # Where the first was closed the others stay.
        assert all(same(one.shown, shown) is (0 not in there) for one, shown in before.items())
    assert same(room.alone(NEO), neo)


def test_a_closed_companion_may_be_opened_again(room: Room, other: Path) -> None:
    first = room.open(NEO)
    neo = first.shown
    for _ in range(3):
        guest = room.open(other, 700, first=first)
        shown = guest.shown
        room.close(guest)
        room.draw(first)
        assert same(first.shown, neo)
    assert same(room.open(other, 700, first=first).shown, shown)


def test_the_first_is_changed_while_further_ones_are_open(
    room: Room, other: Path, tmp_path: Path
) -> None:
    neo = room.alone(NEO)
    first = room.open(NEO)
    guest = room.open(other, 700, first=first)
    oen = guest.shown
    blob = pet(tmp_path / "blob", 11)
    for path in (other, blob, NEO):
        room.load(first, path)
        room.draw(guest, first)
        assert same(guest.shown, oen)
    assert same(first.shown, neo)
    newcomer = room.open(NEO, 1100, first=first)
    assert same(newcomer.shown, neo)
    room.load(guest, blob)
    room.load(guest, NEO)
    assert same(guest.shown, neo)


@pytest.mark.parametrize("whose", ["first", "guest"])
def test_one_is_loaded_again_while_the_other_stays(room: Room, other: Path, whose: str) -> None:
    age = ModelAge(1.0)
    first = room.open(NEO, **({"age": age} if whose == "first" else {}))
    more: dict[str, Any] = {"age": age} if whose == "guest" else {}
    guest = room.open(other, 700, first=first, **more)
    old, young = (first, guest) if whose == "first" else (guest, first)
    shown, figure = young.shown, old._figure
    age.advance(2.0)
    room.do(old.hide)
    run_until(room.loop, lambda: old._figure is not figure)
    room.draw(young)
    assert same(young.shown, shown)
    old.show()
    run_until(room.loop, old.isExposed)
    room.draw(old)
    assert opaque_bounds(old.shown) is not None


def test_a_further_companion_is_drawn_while_the_first_is_hidden(room: Room, other: Path) -> None:
    first = room.open(NEO)
    neo = first.shown
    guest = room.open(other, 700, first=first)
    oen = guest.shown
    first.hide()
    room.draw(guest)
    assert same(guest.shown, oen)
    guest.hide()
    guest.show()
    run_until(room.loop, guest.isExposed)
    room.draw(guest)
    first.show()
    run_until(room.loop, first.isExposed)
    room.draw(first, guest)
    assert same(first.shown, neo)
    assert same(guest.shown, oen)


def test_a_further_companion_beside_pictures(room: Room, other: Path, tmp_path: Path) -> None:
    """The first companion was never a Live2D figure."""
    oen = room.alone(other)
    first = room.open(pet(tmp_path / "blob", 11))
    blob = first.shown
    guest = room.open(other, 700, first=first)
    room.draw(first, guest)
    assert same(guest.shown, oen)
    assert same(first.shown, blob)
    beside = room.open(pet(tmp_path / "bloc", 11), 1100, first=first)
    assert same(beside.shown, blob)


def test_a_broken_further_companion_is_refused(room: Room, tmp_path: Path) -> None:
    first = room.open(NEO)
    guest = Watched(room.cache, 700, first=first)
    room.there.append(guest)
    failed = heard(guest.failed)
    folder = copy_neo(tmp_path / "bad")
    (folder / "neo.moc3").write_bytes(b"MOC3")
    guest.show()
    room.do(lambda: guest.load(folder))
    run_until(room.loop, lambda: bool(failed))
    assert failed[0][0].code == "model_file"
    room.load(guest, NEO)
    assert same(guest.shown, first.shown)


def test_without_a_drawn_first_one_a_further_one_is_refused(room: Room) -> None:
    first = room.open(NEO)
    room.close(first)
    guest = Watched(room.cache, 700, first=first)
    room.there.append(guest)
    failed = heard(guest.failed)
    guest.show()
    room.do(lambda: guest.load(NEO))
    run_until(room.loop, lambda: bool(failed))
    assert failed[0][0].code == "model_file"
    assert guest.snapshot().isNull()
