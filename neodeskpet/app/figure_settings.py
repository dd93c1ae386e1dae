"""The adapters between the settings page and Live2D models, and the persona of the
current figure.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from neodeskpet.app.engine import Engine
from neodeskpet.app.services import figure_at
from neodeskpet.characters.persona import Persona
from neodeskpet.characters.persona_files import PersonaStore
from neodeskpet.core.errors import KnownError, ModelFileError
from neodeskpet.figure.contact_sheet import PICTURE_HEIGHT, draw_picture
from neodeskpet.figure.files.figure_settings import (
    FigureSettings,
    read_figure_settings,
    write_figure_settings,
)
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.figure.files.model_library import FigureEntry, ModelLibrary, UnpackedImport
from neodeskpet.figure.files.model_reader import describe_model, file_error
from neodeskpet.figure.live2d.library import bundled_figure_path
from neodeskpet.figure.stage import Stage
from neodeskpet.language import format_error, tr
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.settings.figure.figure_ports import FigureParts, ModelChoice, PersonaState


class PersonaAdapter:
    """A `ui.settings.figure.figure_ports.PersonaPort` on the engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def state(self) -> PersonaState:
        personas = self._engine.storage.personas
        problem = format_error(personas.fault) if personas.fault is not None else ""
        return PersonaState(
            str(self._engine.settings.value("companion", "model")),
            personas.current,
            file=str(personas.path(personas.figure)),
            own=personas.own,
            problem=problem,
        )

    def refresh(self) -> None:
        self._engine.storage.personas.refresh()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._engine.storage.personas.subscribe(observer)

    async def keep(self, path: str, persona: Persona) -> None:
        personas = self._engine.storage.personas
        await asyncio.to_thread(
            personas.update, figure_at(self._engine.storage.home, path), persona
        )
        personas.refresh()

    async def restore_default(self, path: str) -> None:
        personas = self._engine.storage.personas
        await asyncio.to_thread(personas.reset, figure_at(self._engine.storage.home, path))
        personas.refresh()


_MODEL_SETTING = ("companion", "model")
_LARGE_PICTURE_SIZE = 480
"""Height in pixels. The face in it is as large as the chat shows it on a high-resolution screen."""


class FigureAdapter:
    """A `ui.settings.figure.figure_ports.ModelsPort`. `cache` is the folder in which the guard
    stores its copies.
    """

    def __init__(
        self, home: Path, cache: Path, settings: SettingsStore, stage: Stage, personas: PersonaStore
    ) -> None:
        self._home = home
        self._personas = personas
        self._library = ModelLibrary(home / "models", bundled_figure_path())
        self._cache = cache
        self._settings = settings
        self._stage = stage
        self._drawing = asyncio.Semaphore(1)

    @property
    def cache(self) -> Path:
        """The folder of files that can be made again."""
        return self._cache

    async def tiles(self) -> Sequence[ModelChoice]:
        return await asyncio.to_thread(self._tiles)

    async def picture(self, path: str) -> Path:
        return await self._picture(path, "", PICTURE_HEIGHT)

    async def large_picture(self, path: str | None = None) -> Path:
        """Return a picture of a figure, by default the chosen one, large enough to cut out its
        face. Raises ModelFileError.
        """
        chosen = str(self._settings.value(*_MODEL_SETTING)) if path is None else path
        return await self._picture(chosen, " large", _LARGE_PICTURE_SIZE)

    async def _picture(self, path: str, kind: str, height: int) -> Path:
        found = await check_model(self._place(path), self._cache)
        file = self._cache / "pictures" / f"{_picture_name(found)}{kind}.png"
        async with self._drawing:
            if not await asyncio.to_thread(file.is_file):
                await asyncio.to_thread(file.parent.mkdir, parents=True, exist_ok=True)
                await draw_picture(found, file, height=height)
        return file

    async def add(self, source: Path) -> str:
        unpacked = await self._unpack(source)
        good: list[Path] = []
        refused: list[ModelFileError] = []
        try:
            for model in unpacked.models:
                try:
                    await check_model(model, self._cache)
                except ModelFileError as error:
                    refused.append(error)
                else:
                    good.append(model)
            if not good:
                raise refused[0]
        except BaseException:
            await asyncio.to_thread(self._library.discard, unpacked)
            raise
        kept = await asyncio.to_thread(self._library.add, unpacked, tuple(good))
        return str(kept[0])

    async def _unpack(self, source: Path) -> UnpackedImport:
        """Unpack in a thread. A thread can't be stopped, so the result is deleted if the import was
        cancelled.
        """
        unpacking = spawn_task(self._try_unpack(source), name="unpack a model")
        try:
            unpacked = await asyncio.shield(unpacking)
        except asyncio.CancelledError:
            unpacking.add_done_callback(self._drop)
            raise
        if isinstance(unpacked, ModelFileError):
            raise unpacked
        return unpacked

    async def _try_unpack(self, source: Path) -> UnpackedImport | ModelFileError:
        try:
            return await asyncio.to_thread(self._library.unpack, source)
        except ModelFileError as error:
            return error

    def _drop(self, unpacking: asyncio.Task[UnpackedImport | ModelFileError]) -> None:
        if not unpacking.cancelled() and isinstance(unpacked := unpacking.result(), UnpackedImport):
            self._library.discard(unpacked)

    async def choose(self, path: str) -> None:
        await check_model(self._place(path), self._cache)
        self._settings.change(*_MODEL_SETTING, path)

    async def remove(self, path: str) -> None:
        if self._settings.value(*_MODEL_SETTING) == path:
            self._settings.change(*_MODEL_SETTING, "")
        figure = figure_at(self._home, path)
        await asyncio.to_thread(self._library.delete, FigureEntry(Path(path)))
        if figure.bundled_personas is None:  # a copy of Neo in other colours has Neo's persona
            await asyncio.to_thread(self._personas.reset, figure)

    async def parts(self, path: str) -> FigureParts:
        found = await asyncio.to_thread(describe_model, self._place(path))
        return FigureParts(found, _side_file_of(found), editable=self._is_ours(path))

    async def note(self, path: str, side: FigureSettings) -> FigureParts:
        found = await asyncio.to_thread(describe_model, self._place(path))
        if not self._is_ours(path):
            raise file_error(found.file.name, tr("Only imported models can be changed."))
        try:
            await asyncio.to_thread(write_figure_settings, found.root, side)
        except OSError as error:
            raise file_error(found.file.name, str(error)) from None
        if self._settings.value(*_MODEL_SETTING) == path:
            self._stage.load(self._place(path))
        return await self.parts(path)

    async def show_expression(self, name: str) -> None:
        await self._stage.wait_until_loaded()  # the last load may have changed the name
        self._stage.express(name)

    async def show_motion(self, group: str, index: int) -> None:
        await self._stage.wait_until_loaded()
        self._stage.play(group, index)

    def _place(self, path: str) -> Path:
        return Path(path).expanduser() if path else self._library.bundled

    def _is_ours(self, path: str) -> bool:
        return bool(path) and self._library.folder.resolve() in Path(path).resolve().parents

    def _tiles(self) -> list[ModelChoice]:
        tiles = [
            self._tile("" if entry.bundled else str(entry.path))
            for entry in self._library.entries()
        ]
        chosen = str(self._settings.value(*_MODEL_SETTING))
        if chosen not in [tile.path for tile in tiles]:
            tiles.insert(1, self._tile(chosen))
        return tiles

    def _tile(self, path: str) -> ModelChoice:
        removable = self._is_ours(path)
        try:
            describe_model(self._place(path))
        except KnownError as error:
            return ModelChoice(path, self._place(path).name, removable, format_error(error))
        return ModelChoice(
            path, self._personas.persona_of(figure_at(self._home, path)).name, removable
        )


def _side_file_of(found: ModelDescription) -> FigureSettings:
    try:
        return read_figure_settings(found.root)
    except ValueError:  # reported among the parts that were left out
        return FigureSettings()


def _picture_name(found: ModelDescription) -> str:
    """Return the name of the picture of a checked model: the hash of the content, as for
    its copy.
    """
    own = found.pictures.model_dump_json() if found.pictures is not None else ""
    return hashlib.sha256((found.root.name + own).encode()).hexdigest()[:32]
