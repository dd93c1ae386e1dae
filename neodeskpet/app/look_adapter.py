"""Gives the window "Look and album" its data, and carries out its commands: colours of the figure,
worn parts, and the album.
"""

from __future__ import annotations

import asyncio
import io
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from neodeskpet.app.activities.album import Album, Moment, read_album
from neodeskpet.app.activities.wardrobe import read_turns
from neodeskpet.app.characters import CharacterAdapter
from neodeskpet.app.engine import Engine
from neodeskpet.app.figure_settings import FigureAdapter
from neodeskpet.app.services import RECOLOURED_NEO
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.figure.behaviour.seasons import Season, SeasonSettings, day_at
from neodeskpet.figure.behaviour.wearing import (
    HOLIDAY_PARTS,
    MUSIC_PART,
    PARTS_BY_USE,
    SEASON_PARTS,
    TURNS_FOR_A_PART,
    part_for_turns,
)
from neodeskpet.figure.contact_sheet import draw_picture
from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.figure.files.model_reader import file_error
from neodeskpet.figure.files.tint import (
    PALETTE_COLOURS,
    SCARF_PALETTE,
    TAIL_PALETTE,
    OwnColours,
    copy_with_textures,
    hash_of_files,
    name_copy,
    palette_of,
    recolour_figure,
    recolour_file,
)
from neodeskpet.figure.live2d.library import bundled_figure_path
from neodeskpet.language import tr, tr_count
from neodeskpet.ui.formatting import format_date
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.windows.look_window import AlbumPage, PartOnShelf, ShownMoment

if TYPE_CHECKING:
    import PIL.Image

_KEY = "look.colours"
_MODEL_SETTING = ("companion", "model")
_WEARS_SETTING = ("companion", "wears")
_HEIGHT = 480
_DAYS_AHEAD = 366
_FOLDER = "album"
_HOLIDAYS = {
    "birthday": N_("your birthday"),
    "new_year": N_("New Year"),
    "spring_festival": N_("Spring Festival"),
    "lantern_festival": N_("Lantern Festival"),
    "mid_autumn": N_("Mid-Autumn Festival"),
    "halloween": N_("Halloween"),
    "christmas": N_("Christmas"),
}
_SEASONS = {
    Season.SPRING: N_("spring"),
    Season.SUMMER: N_("summer"),
    Season.AUTUMN: N_("autumn"),
    Season.WINTER: N_("winter"),
}
_WEATHER = {
    "umbrella": N_("when a tool reports rain"),
    "straw hat": N_("when a tool reports sun"),
}


@dataclass(frozen=True, slots=True)
class LookServices:
    """What the adapter uses of the app. `season_settings` returns the holidays and the birthday."""

    engine: Engine
    figures: FigureAdapter
    characters: CharacterAdapter
    pet: PetWindow
    season_settings: Callable[[], SeasonSettings]


class LookAdapter:
    """A `ui.windows.look_window.LookPort`."""

    def __init__(self, services: LookServices, now: Callable[[], datetime] = datetime.now) -> None:
        self._engine = services.engine
        self._services = services
        self._now = now

    # Colours

    async def colours(self) -> OwnColours | None:
        figure = self._figure()
        if not await asyncio.to_thread(_is_neo, figure):
            return None
        made = await self._made()
        if figure in made:
            return made[figure].colours
        return PALETTE_COLOURS[await self._palette(figure)]

    async def colours_tail(self) -> bool:
        return not await self._palette(_original(self._figure(), await self._made()))

    async def preview(self, colours: OwnColours) -> QImage:
        with suppress(OSError, KnownError):
            original = _original(self._figure(), await self._made())
            palette, source = await self._palette(original), bundled_figure_path()
            key = await asyncio.to_thread(lambda: hash_of_files(source.glob("*/*.png")))
            usual, scarf, tail, own = [
                await self._drawing(source, key, one)
                # Only another palette keeps the colour of its tail tip, and needs that picture.
                for one in ("", SCARF_PALETTE, TAIL_PALETTE if palette else "", palette)
            ]
            made = await asyncio.to_thread(_recoloured, (usual, scarf, tail, own), palette, colours)
            return QImage.fromData(made)
        return QImage()

    async def set_colours(self, colours: OwnColours | None) -> None:
        figure, made = self._figure(), await self._made()
        before = _original(figure, made)
        palette = await self._palette(before)
        if colours is None or colours == PALETTE_COLOURS[palette]:
            await self._use(before)
        else:
            added = await self._add(palette, colours)
            await self._keep({**made, added: _Made(colours, before)})
            await self._use(added)
        if figure in made:
            await self._remove(figure)

    async def _palette(self, original: str) -> str:
        """Return the palette of a figure without own colours."""
        if not original:
            return ""
        with suppress(OSError):
            return await asyncio.to_thread(palette_of, _folder_of(original), _palettes())
        return ""

    def _figure(self) -> str:
        return str(self._engine.settings.value(*_MODEL_SETTING))

    async def _made(self) -> dict[str, _Made]:
        """Return the figures in own colours by their paths."""
        text = await self._engine.storage.store.get_state(_KEY)
        with suppress(ValueError, TypeError, AttributeError):
            return {
                path: _Made(OwnColours(accent, scarf), before)
                for path, (accent, scarf, before) in json.loads(text or "{}").items()
            }
        return {}

    async def _keep(self, made: dict[str, _Made]) -> None:
        found = {
            path: (one.colours.accent, one.colours.scarf, one.before) for path, one in made.items()
        }
        await self._engine.storage.store.set_state(_KEY, json.dumps(found))

    async def _add(self, palette: str, colours: OwnColours) -> str:
        """Add a copy of the bundled figure in a palette with these colours; return its path."""
        with tempfile.TemporaryDirectory(prefix="neodeskpet-") as folder:
            target = Path(folder) / RECOLOURED_NEO
            try:
                await asyncio.to_thread(_copy, target, palette, colours)
            except OSError as error:
                raise file_error(RECOLOURED_NEO, str(error)) from None
            return await self._services.figures.add(target)

    async def _use(self, figure: str) -> None:
        """Give the figure to the current character, or to the companion without one."""
        characters = self._services.characters
        current = characters.current_character()
        found = self._engine.storage.characters.library.get(current) if current else None
        if found is not None and found.figure is not None:
            await characters.update(current, replace(found, figure=figure))  # it is then shown
        else:
            self._engine.settings.change(*_MODEL_SETTING, figure)

    async def _remove(self, figure: str) -> None:
        """Delete a figure in own colours that no character uses any more."""
        library = self._engine.storage.characters.library
        if figure == self._figure() or any(one.figure == figure for one in library.list_all()):
            return
        with suppress(KnownError, OSError):
            await self._services.figures.remove(figure)
        made = await self._made()
        made.pop(figure, None)
        await self._keep(made)

    async def _drawing(self, source: Path, key: str, palette: str) -> Path:
        """Return a picture of the bundled figure in a palette. It is drawn once for each `key`, the
        hash of the textures.
        """
        file = self._services.figures.cache / "look" / f"{palette or 'usual'} {key}.png"
        if not await asyncio.to_thread(file.is_file):
            await asyncio.to_thread(file.parent.mkdir, parents=True, exist_ok=True)
            # After a cancellation the thread still copies, so that the folder can't be removed:
            # that error would replace the cancellation.
            with tempfile.TemporaryDirectory(
                prefix="neodeskpet-", ignore_cleanup_errors=True
            ) as folder:
                figure = source
                if palette:
                    figure, textures = Path(folder) / "figure", _palettes() / palette
                    await asyncio.to_thread(copy_with_textures, source, figure, textures)
                await self._draw(figure, file)
        return file

    async def _draw(self, figure: Path, file: Path, wears: str = "") -> None:
        found = await check_model(figure, self._services.figures.cache)
        await draw_picture(found, file, height=_HEIGHT, wears=wears)

    # Worn parts

    def parts(self) -> Sequence[PartOnShelf]:
        pet, setting = self._services.pet, str(self._engine.settings.value(*_WEARS_SETTING))
        return [
            PartOnShelf(
                one,
                _part_title(one),
                self._how(one),
                one == pet.worn_part,
                one == setting,
            )
            for one in pet.wearables()
        ]

    def _how(self, part: str) -> str:
        """Return how a part comes."""
        pastimes, ways = self._engine.settings.settings.pastimes, []
        if part == MUSIC_PART:
            ways.append(tr("While music plays, with “Dance to music”"))
        days = [tr(_SEASONS[season]) for season, one in SEASON_PARTS.items() if one == part]
        days += [_holiday_name(day) for day, one in HOLIDAY_PARTS.items() if one == part]
        if days:
            ways.append(tr("By itself: {holidays}", holidays=tr(", ").join(days)))
            on_holiday = part in HOLIDAY_PARTS.values()
            if on_holiday and not pastimes.feasts:
                ways[-1] = tr("{when}, with “Celebrate holidays”", when=ways[-1])
        if part in _WEATHER:
            ways.append(tr(_WEATHER[part]))
        if part in PARTS_BY_USE:
            ways.append(tr("for a day, when its turn comes after a hundred turns"))
        return tr("; ").join(ways) or tr("Whenever you choose it, or when it feels like it")

    async def next_part(self) -> str:
        found = (self._next_by_calendar(), await self._next_by_use())
        return "\n".join(filter(None, found))

    def _next_by_calendar(self) -> str:
        celebrates = self._engine.settings.settings.pastimes.feasts
        settings = replace(self._services.season_settings(), celebrates=celebrates)
        wearables, today = self._services.pet.wearables(), self._now()
        for ahead in range(1, _DAYS_AHEAD):
            holiday = day_at(today + timedelta(days=ahead), settings).holiday
            part = HOLIDAY_PARTS.get(holiday, "") if holiday is not None else ""
            if part in wearables and holiday is not None:
                one = N_("Next: {part}, in {count} day ({holiday}).")
                many = N_("Next: {part}, in {count} days ({holiday}).")
                title = _part_title(part)
                return tr_count(one, many, ahead, part=title, holiday=_holiday_name(holiday))
        return ""

    async def _next_by_use(self) -> str:
        turns = await read_turns(self._engine.storage.store)
        left = TURNS_FOR_A_PART - turns % TURNS_FOR_A_PART
        part = part_for_turns(turns + left)
        if part not in self._services.pet.wearables():
            return ""
        one, many = N_("{part} in {count} more turn."), N_("{part} in {count} more turns.")
        return tr_count(one, many, left, part=_part_title(part))

    def wear(self, part: str) -> None:
        settings = self._engine.settings
        with suppress(KnownError, ValueError):
            settings.change(*_WEARS_SETTING, part)
        if settings.value(*_WEARS_SETTING) != part:
            self._services.pet.wear(part)  # a part of a figure that the settings don't know

    # Album

    async def album(self) -> AlbumPage:
        album = await read_album(self._engine.storage.store)
        moments = [
            ShownMoment(one.kind, moment_caption(one.kind), format_date(one.day))
            for one in reversed(album.moments)
        ]
        return AlbumPage(together_words(album), moments)

    async def picture(self, moment: str) -> QImage:
        album = await read_album(self._engine.storage.store)
        found = next((one for one in album.moments if one.kind == moment), None)
        if found is None:
            return QImage()
        file = self._engine.storage.home / _FOLDER / f"{found.kind}.png"
        if not await asyncio.to_thread(file.is_file):
            with suppress(OSError, KnownError):
                await asyncio.to_thread(file.parent.mkdir, parents=True, exist_ok=True)
                await self._draw(await asyncio.to_thread(_figure_of, found), file, found.wears)
        return await asyncio.to_thread(_cropped, file)


@dataclass(frozen=True, slots=True)
class _Made:
    """A figure in own colours; `before` is the figure that it replaced."""

    colours: OwnColours
    before: str


def _part_title(part: str) -> str:
    return tr(part.capitalize())


def _holiday_name(holiday: str) -> str:
    return tr(_HOLIDAYS.get(holiday, holiday))


def moment_caption(kind: str) -> str:
    """Return the caption of a moment in the current language."""
    what, _, rest = kind.partition(" ")
    match what:
        case "turn":
            if rest == "1":
                return tr("The first talk")
            return tr("{count} turns", count=f"{int(rest):,}")
        case "days":
            return tr("{count} days together", count=f"{int(rest):,}")
        case "focus":
            return tr("The first focus session together")
        case _:
            name, _, year = rest.partition(" ")
            title = _holiday_name(name)
            return f"{title[:1].upper()}{title[1:]} {year}"


def together_words(album: Album) -> str:
    """Return how long they are together."""
    if album.first is None:
        return tr("Today is the first day.")
    one, many = N_("{count} day together since {day}"), N_("{count} days together since {day}")
    return tr_count(one, many, album.days, day=format_date(album.first))


def _folder_of(figure: str) -> Path:
    if not figure:
        return bundled_figure_path()
    path = Path(figure).expanduser()
    return path if path.is_dir() else path.parent


def _figure_of(moment: Moment) -> Path:
    """Return the figure of a moment; the bundled one if that was removed."""
    folder = _folder_of(moment.figure)
    if not moment.figure or not folder.is_dir():
        return bundled_figure_path()
    return Path(moment.figure).expanduser()


def _is_neo(figure: str) -> bool:
    """Return whether a figure has the shapes of the bundled one, so that its textures fit."""
    source = bundled_figure_path()
    own = sorted(source.glob("*.moc3"))
    if not own or not (_palettes() / SCARF_PALETTE).is_dir():
        return False
    if not figure:
        return True
    with suppress(OSError):
        other = sorted(_folder_of(figure).glob("*.moc3"))
        return len(other) == 1 and other[0].read_bytes() == own[0].read_bytes()
    return False


def _original(figure: str, made: Mapping[str, _Made]) -> str:
    """Return the figure before it got own colours."""
    return made[figure].before if figure in made else figure


def _palettes() -> Path:
    return bundled_figure_path().parent / "palettes"


def _copy(target: Path, palette: str, colours: OwnColours) -> None:
    """Copy the bundled figure in these colours, with its licence. Slow. Raises OSError."""
    source = bundled_figure_path()
    recolour_figure(source, target, _palettes(), palette, colours)
    name_copy(source, target, RECOLOURED_NEO)


def _cropped(file: Path) -> QImage:
    """Return a picture without its empty edges; null if it can't be read. Slow."""
    from PIL import Image

    with suppress(OSError), Image.open(file) as image:
        return QImage.fromData(_png_of(image.convert("RGBA")))
    return QImage()


def _recoloured(files: tuple[Path, Path, Path, Path], palette: str, colours: OwnColours) -> bytes:
    """Return a PNG file. Slow: call it in a thread. Raises OSError."""
    return _png_of(recolour_file(files, palette, colours))


def _png_of(image: PIL.Image.Image) -> bytes:
    """Return a picture with transparency as a PNG file without its empty edges."""
    file = io.BytesIO()
    image.crop(image.getchannel("A").getbbox()).save(file, "PNG")
    return file.getvalue()
