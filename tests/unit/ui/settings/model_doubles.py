"""Test doubles of models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtGui import QColor, QImage

from neodeskpet.characters.persona import Persona
from neodeskpet.core.errors import KnownError
from neodeskpet.figure.files.figure_settings import FigureSettings, apply_figure_settings
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.ui.settings.figure.figure_ports import FigureParts, ModelChoice, PersonaState
from tests.unit.figure.doubles import description


class Models:
    """A `ModelsPort`; `fails` is raised by the next add, choose, remove or note; `gate` holds them
    until it is set.
    """

    def __init__(self, folder: Path) -> None:
        self.list = [ModelChoice("", "Neo"), ModelChoice("/m/cat", "Cat", removable=True)]
        self.sides: dict[str, FigureSettings] = {}
        self.plain: ModelDescription = description()
        self.asked: list[tuple[object, ...]] = []
        self.fails: KnownError | None = None
        self.http_server: asyncio.Event | None = None
        self._file = folder / "figure.png"
        image = QImage(60, 80, QImage.Format.Format_ARGB32)
        image.fill(QColor(0, 0, 0, 0))
        for x in range(10, 50):
            for y in range(80):
                image.setPixelColor(x, y, QColor("#336699"))
        image.save(str(self._file))

    async def tiles(self) -> Sequence[ModelChoice]:
        return list(self.list)

    async def picture(self, path: str) -> Path:
        self.asked.append(("picture", path))
        return self._file

    async def add(self, source: Path) -> str:
        await self._ask("add", source)
        self.list.append(ModelChoice("/m/new", "New", removable=True))
        return "/m/new"

    async def choose(self, path: str) -> None:
        await self._ask("choose", path)

    async def remove(self, path: str) -> None:
        await self._ask("remove", path)
        self.list = [tile for tile in self.list if tile.path != path]

    async def parts(self, path: str) -> FigureParts:
        side = self.sides.get(path, FigureSettings())
        return FigureParts(apply_figure_settings(self.plain, side), side, editable=bool(path))

    async def note(self, path: str, side: FigureSettings) -> FigureParts:
        await self._ask("note", path)
        self.sides[path] = side
        return await self.parts(path)

    async def show_expression(self, name: str) -> None:
        self.asked.append(("expression", name))

    async def show_motion(self, group: str, index: int) -> None:
        self.asked.append(("motion", group, index))

    async def before(self) -> None:
        self.asked.append(("before",))

    async def _ask(self, *what: object) -> None:
        self.asked.append(what)
        if self.http_server is not None:
            await self.http_server.wait()
        if self.fails is not None:
            raise self.fails


class OnePersona:
    """A `PersonaPort` with one figure; `fails` is raised by the next change."""

    def __init__(self) -> None:
        self.now = PersonaState("", Persona("Neo", "You are Neo."))
        self.fails: KnownError | None = None
        self._observers: list[Callable[[], None]] = []

    def state(self) -> PersonaState:
        return self.now

    def refresh(self) -> None:
        """Nothing was changed by hand."""

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self._observers.append(observer)
        return lambda: self._observers.remove(observer)

    async def keep(self, path: str, persona: Persona) -> None:
        self._put(PersonaState(path, persona, "/p/neo.json", own=True))

    async def restore_default(self, path: str) -> None:
        self._put(PersonaState(path, Persona("Neo", "You are Neo.")))

    def _put(self, state: PersonaState) -> None:
        if self.fails is not None:
            raise self.fails
        self.now = state
        for observer in list(self._observers):
            observer()
