"""The adapter between the gallery of characters and the engine."""

from __future__ import annotations

import asyncio
import hashlib
import io
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage, QPixmap

from neodeskpet.app.characters import CharacterAdapter
from neodeskpet.app.engine import Engine
from neodeskpet.app.figure_settings import FigureAdapter
from neodeskpet.app.services import RECOLOURED_NEO, figure_at
from neodeskpet.characters.cards.card_errors import CardRefused
from neodeskpet.characters.cards.character_card import Card
from neodeskpet.characters.cards.shared_characters import (
    SHARE_SUFFIX,
    extract_figure,
    write_shared,
)
from neodeskpet.characters.character_library import Character, CharacterNotKept
from neodeskpet.characters.persona_files import PersonaStore
from neodeskpet.characters.ready_characters import (
    ReadyCharacter,
    Tint,
    find_copy,
    ready_card,
    ready_characters,
    ready_id,
)
from neodeskpet.core.errors import KnownError, ModelFileError
from neodeskpet.core.speech_bubble import no_callback
from neodeskpet.core.text_language import language_of
from neodeskpet.figure.files.figure_licence import licence_name, may_be_shared
from neodeskpet.figure.files.model_reader import name_at
from neodeskpet.figure.files.tint import (
    LIVE2D_SUFFIX,
    copy_with_textures,
    hash_of_files,
    name_copy,
    tint_figure,
    tint_image,
)
from neodeskpet.figure.live2d.library import bundled_figure_path
from neodeskpet.language import language, tr
from neodeskpet.platform.installation import assets_dir
from neodeskpet.platform.private_files import write_private
from neodeskpet.settings.activity_settings import liveliness_of
from neodeskpet.ui.pet.live2d_figure import find_face
from neodeskpet.ui.settings.character_head import CurrentCharacter
from neodeskpet.ui.settings.characters_page import portrait_head
from neodeskpet.ui.settings.proactive_page import set_liveliness
from neodeskpet.ui.windows.character_gallery import (
    CharacterPreview,
    GalleryEntry,
    ShareResult,
)

_NEO, _FIGURE = "neo", "figure"
"""The entries of the bundled figure, and of another figure with its own persona."""
_CARD_SUFFIXES = frozenset({".png", ".json", SHARE_SUFFIX})
_LONGEST_LINE = 90
_MODEL_SETTING = ("companion", "model")


@dataclass(frozen=True, slots=True)
class GalleryActions:
    """Actions of the app. `face` draws the face of a figure, `edit` shows the editor of a character
    ("" for the figure's own), `gallery` shows the gallery, `invite` shows the window of further
    companions, `look` the window "Look and album".
    """

    face: Callable[[str], Awaitable[QPixmap]]
    edit: Callable[[str], object]
    gallery: Callable[[], object]
    invite: Callable[[], object]
    look: Callable[[], object] = no_callback


async def draw_face(figures: FigureAdapter, figure: str) -> QPixmap:
    """Return the face of a figure, large enough for the gallery on a screen with a high
    resolution; null if the figure can't be drawn.
    """
    try:
        file = await figures.large_picture(figure)
    except KnownError:
        return QPixmap()
    picture = await asyncio.to_thread(QImage, str(file))
    return QPixmap.fromImage(find_face(picture))


class GalleryAdapter:
    """A `ui.windows.character_gallery.GalleryPort`."""

    def __init__(
        self,
        engine: Engine,
        characters: CharacterAdapter,
        figures: FigureAdapter,
        actions: GalleryActions,
    ) -> None:
        self._engine = engine
        self._characters = characters
        self._figures = figures
        self._actions = actions
        self._faces = figures.cache / "faces"

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._characters.subscribe(observer)

    async def entries(self) -> Sequence[GalleryEntry]:
        ready = await asyncio.to_thread(ready_characters, assets_dir(), language())
        current = self._characters.current_character()
        library = self._engine.storage.characters.library
        figure = str(self._engine.settings.value(*_MODEL_SETTING))
        personas, home = self._engine.storage.personas, self._engine.storage.home
        neo = personas.persona_of(figure_at(home, ""))
        itself = not current
        if _is_recoloured(figure):
            figure = ""
        shown = [
            GalleryEntry(_NEO, neo.name, tr("Curious and warm. Brief."), itself and not figure)
        ]
        if itself and figure:
            name = personas.persona_of(figure_at(home, figure)).name
            shown.append(GalleryEntry(_FIGURE, name, tr("Your figure, as it is."), True))
        for one in ready:
            copy = find_copy(library, one.id)
            name = one.name if copy is None else copy.card.name
            is_current = copy is not None and copy.id == current
            shown.append(
                GalleryEntry(
                    f"ready {one.id}",
                    name,
                    one.line,
                    is_current,
                    copy is not None,
                    language=language() if copy is None else language_of(copy.card.description),
                )
            )
        names = {one.id for one in ready}
        shown += [
            GalleryEntry(
                f"own {one.id}",
                one.card.name,
                _line_of(one),
                one.id == current,
                True,
                language_of(one.card.description or one.card.greeting),
                ready=False,
            )
            for one in self._characters.characters()
            if ready_id(one) not in names
        ]
        return shown

    async def preview(self, entry: str) -> CharacterPreview:
        kind, _, name = entry.partition(" ")
        if kind == "ready":
            ready = await self._ready(name)
            folder: Path | None = bundled_figure_path().parent
            found, greeting, who = None, ready.greeting, ready.name
        else:
            found = self._character(entry)
            card = found.card if found is not None else Card("")
            greeting, who = card.greeting, card.char_name
            folder = _folder_of(found.figure) if found is not None else None
        if kind in (_NEO, _FIGURE):
            figure = "" if kind == _NEO else str(self._engine.settings.value(*_MODEL_SETTING))
            folder = _folder_of(figure) or bundled_figure_path().parent
        try:
            licence = "" if folder is None else await asyncio.to_thread(licence_name, folder)
        except OSError:
            licence = ""
        creator = found.card.creator if found is not None else ""
        return CharacterPreview(_filled(greeting, who), licence, creator)

    async def create(self) -> str:
        made = await self._characters.create()
        self._actions.edit(made)
        return f"own {made}"

    async def face(self, entry: str) -> QImage:
        kind, _, name = entry.partition(" ")
        if kind == "own":
            found = self._engine.storage.characters.library.get(name)
            if found is None:
                return QImage()
            if found.picture is not None:
                return await asyncio.to_thread(portrait_head, found.picture)
            return await self._drawn(found.figure) if found.figure else QImage()
        if kind == "ready":
            return await self._ready_face(await self._ready(name))
        figure = str(self._engine.settings.value(*_MODEL_SETTING))
        here = not self._characters.current_character() and _is_recoloured(figure)
        return await self._drawn("" if kind == _NEO and not here else figure)

    async def choose(self, entry: str) -> None:
        kind, _, name = entry.partition(" ")
        if kind == _FIGURE:
            return
        character, liveliness = name, ""
        if kind == "ready":
            ready = await self._ready(name)
            character, liveliness = await self._copy_of(ready), ready.liveliness
        await self._characters.set_default_character(character)
        await self._characters.choose(character)
        settings = self._engine.settings
        figure = str(settings.value(*_MODEL_SETTING))
        if kind == _NEO and figure and not _is_recoloured(figure):
            settings.change(*_MODEL_SETTING, "")
        # Switches that the user set individually are kept.
        if liveliness and liveliness_of(settings.value):
            set_liveliness(settings, liveliness)

    async def import_file(self, file: Path) -> str:
        if file.suffix.casefold() not in _CARD_SUFFIXES or file.name.endswith(LIVE2D_SUFFIX):
            return await self._import_figure(file)
        try:
            made = await self._characters.import_card(file)
        except CardRefused:
            if file.suffix.casefold() != ".png":
                raise
            return await self._import_figure(file)  # a picture without a card is a figure
        if file.suffix.casefold() == SHARE_SUFFIX:
            await self._import_figure_of(file, made)
        return f"own {made}"

    async def share(self, entry: str, file: Path) -> ShareResult:
        found = self._character(entry)
        if found is None:
            return ShareResult(figure=False, withheld=False)
        folder = _folder_of(found.figure)
        try:
            allowed = folder is not None and await asyncio.to_thread(may_be_shared, folder)
            figure = folder if allowed else None

            def write() -> None:
                picture = found.picture.read_bytes() if found.picture is not None else b""
                write_private(file, write_shared(found.card, picture, figure))

            await asyncio.to_thread(write)
        except OSError as error:
            raise CharacterNotKept(str(error), file=str(file)) from error
        return ShareResult(figure=allowed, withheld=folder is not None and not allowed)

    def edit(self, entry: str) -> None:
        found = self._character(entry)
        self._actions.edit("" if found is None else found.id)

    def invite(self) -> None:
        self._actions.invite()

    # Steps

    async def _ready(self, name: str) -> ReadyCharacter:
        found = await asyncio.to_thread(ready_characters, assets_dir(), language())
        return next(one for one in found if one.id == name)

    def _character(self, entry: str) -> Character | None:
        kind, _, name = entry.partition(" ")
        library = self._engine.storage.characters.library
        return find_copy(library, name) if kind == "ready" else library.get(name)

    async def _drawn(self, figure: str | None) -> QImage:
        return (await self._actions.face(figure or "")).toImage()

    async def _ready_face(self, ready: ReadyCharacter) -> QImage:
        textures = _textures_of(ready)
        if textures is not None:
            file = self._faces / f"{await asyncio.to_thread(_content_of, textures)} large.png"
            face = await asyncio.to_thread(QImage, str(file))
            if face.isNull():
                face = await self._draw_face(ready)
                await asyncio.to_thread(_store_face, file, _png(face))
            if not face.isNull():
                return face
        neo = await self._drawn("")
        if neo.isNull():
            return neo
        return await asyncio.to_thread(_tinted, neo, ready.tint, self._faces)

    async def _draw_face(self, ready: ReadyCharacter) -> QImage:
        """Draw the face of a figure that isn't in the user's library yet; null if it can't be
        drawn.
        """
        with tempfile.TemporaryDirectory(prefix="neodeskpet-") as folder:
            figure = Path(folder) / ready.id
            with suppress(OSError, ModelFileError):
                await asyncio.to_thread(_make_figure, ready, figure)
                picture = QImage(str(await self._figures.large_picture(str(figure))))
                return picture if picture.isNull() else find_face(picture)
        return QImage()

    async def _copy_of(self, ready: ReadyCharacter) -> str:
        """Return the id of the user's copy, which is created if it is missing."""
        library = self._engine.storage.characters.library
        there = find_copy(library, ready.id)
        if there is not None:
            return there.id
        face = await self._ready_face(ready)
        figure = await self._add_figure(ready)
        made = await asyncio.to_thread(library.add, ready_card(ready), _png(face))
        await asyncio.to_thread(library.load)
        added = library.get(made)
        assert added is not None
        await self._characters.update(made, replace(added, figure=figure))
        return made

    async def _add_figure(self, ready: ReadyCharacter) -> str | None:
        """Add a copy of the bundled figure in the character's colours to the library; return its
        path. None if it can't be made: the current figure is then used.
        """
        if not _is_live2d(bundled_figure_path()):
            return None
        with tempfile.TemporaryDirectory(prefix="neodeskpet-") as folder:
            target = Path(folder) / ready.name
            with suppress(OSError, ModelFileError):
                await asyncio.to_thread(_make_figure, ready, target)
                return await self._figures.add(target)
        return None

    async def _import_figure(self, file: Path) -> str:
        """Import a figure as a character, whose texts the user writes."""
        figure = await self._figures.add(file)
        home = self._engine.storage.home
        name = self._engine.storage.personas.persona_of(figure_at(home, figure)).name
        library = self._engine.storage.characters.library
        made = await asyncio.to_thread(library.add, Card(name, description=tr("{{char}} is …")))
        await asyncio.to_thread(library.load)
        await self._set_figure(made, figure)
        return f"own {made}"

    async def _import_figure_of(self, file: Path, character: str) -> None:
        """Import the figure of a shared file. A figure that the guard rejects is left out."""
        with tempfile.TemporaryDirectory(prefix="neodeskpet-") as folder:
            target = Path(folder) / "figure.zip"
            with suppress(OSError, ModelFileError):
                if await asyncio.to_thread(extract_figure, file, target):
                    await self._set_figure(character, await self._figures.add(target))

    async def _set_figure(self, character: str, figure: str) -> None:
        found = self._engine.storage.characters.library.get(character)
        if found is not None:
            await self._characters.update(character, replace(found, figure=figure))


class CharacterHeadAdapter:
    """A `ui.settings.character_head.CharacterHeadPort`."""

    def __init__(
        self, gallery: GalleryAdapter, personas: PersonaStore, actions: GalleryActions
    ) -> None:
        self._gallery = gallery
        self._personas = personas
        self._actions = actions
        self._entry = ""

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        ends = (self._gallery.subscribe(observer), self._personas.subscribe(observer))

        def end() -> None:
            for one in ends:
                one()

        return end

    async def current(self) -> CurrentCharacter:
        entries = await self._gallery.entries()
        found = next((one for one in entries if one.current), entries[0])
        self._entry = found.id
        return CurrentCharacter(found.name, found.line)

    async def face(self) -> QImage:
        return await self._gallery.face(self._entry)

    def change(self) -> None:
        self._actions.gallery()

    def edit(self) -> None:
        self._gallery.edit(self._entry)

    def look(self) -> None:
        self._actions.look()


def _is_recoloured(figure: str) -> bool:
    """Return whether a figure is Neo in the user's colours."""
    return bool(figure) and name_at(Path(figure).expanduser()) == RECOLOURED_NEO


def _line_of(character: Character) -> str:
    """Return the line below the name of the user's own character."""
    card = character.card
    text = " ".join((card.notes or card.personality or card.description).split())
    text = text.replace("{{char}}", card.char_name).replace("{{user}}", tr("you"))
    return text if len(text) <= _LONGEST_LINE else f"{text[: _LONGEST_LINE - 1]}…"


def _folder_of(figure: str | None) -> Path | None:
    """Return the folder of an imported figure."""
    if not figure:
        return None
    path = Path(figure).expanduser()
    folder = path if path.is_dir() else path.parent
    return folder if folder.is_dir() else None


def _filled(greeting: str, name: str) -> str:
    """Return a greeting with the names in place of the placeholders."""
    return greeting.replace("{{char}}", name).replace("{{user}}", tr("you")).strip()


def _is_live2d(folder: Path) -> bool:
    """Return whether the figure in `folder` is a Live2D model; without the Live2D library the
    bundled figure is made of pictures.
    """
    return any(folder.glob(f"*{LIVE2D_SUFFIX}"))


def _textures_of(ready: ReadyCharacter) -> Path | None:
    """Return the folder of the textures of the character's palette; None if it has no palette, or
    if the bundled figure is made of pictures.
    """
    source = bundled_figure_path()
    if ready.palette is None or not _is_live2d(source):
        return None
    return source.parent / "palettes" / ready.palette


def _make_figure(ready: ReadyCharacter, target: Path) -> None:
    """Copy the bundled figure to `target` in the character's colours and with its name. Slow: call
    it in a thread. Raises OSError.
    """
    source, tint = bundled_figure_path(), ready.tint
    textures = _textures_of(ready)
    if textures is not None:
        copy_with_textures(source, target, textures)
    else:
        tint_figure(source, target, tint.hue, tint.saturation, tint.light)
    name_copy(source, target, ready.name)


def _content_of(folder: Path) -> str:
    """Return the hash of the files of a folder; "" if they can't be read."""
    with suppress(OSError):
        return hash_of_files(folder.iterdir())
    return ""


def _tinted(face: QImage, tint: Tint, folder: Path) -> QImage:
    """Return the face with another tint. It is made once for each picture of the bundled figure and
    kept in `folder`. Slow: call it in a thread.
    """
    source = _png(face)
    key = hashlib.sha256(source + repr(tint).encode()).hexdigest()[:32]
    file = folder / f"{key}.png"
    kept = QImage(str(file))
    if not kept.isNull():
        return kept
    made = _tint_png(source, tint)
    _store_face(file, made)
    return QImage.fromData(made)


def _store_face(file: Path, picture: bytes) -> None:
    """Keep the picture of a face. If it can't be kept, it is made again the next time. Slow: call
    it in a thread.
    """
    if picture:
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            write_private(file, picture)


def _tint_png(source: bytes, tint: Tint) -> bytes:
    from PIL import Image  # takes 0.1 s, so it is not imported at the start of the app

    with Image.open(io.BytesIO(source)) as image:
        made = tint_image(image, tint.hue, tint.saturation, tint.light)
    data = io.BytesIO()
    made.save(data, "PNG")
    return data.getvalue()


def _png(image: QImage) -> bytes:
    """Return the image as PNG; b"" for a null image."""
    if image.isNull():
        return b""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())
