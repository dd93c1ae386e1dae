"""The user's characters in addition to those of the figures: a card each, in the folder
`characters`, with its portrait beside it.

An unreadable card is reported and not changed. Imported files are written in the app's form: the
card as JSON, the portrait as a small picture.

::

    SettingsError
     +-- CardRefused       [card_refused]        see `cards.faults`
     `-- CharacterNotKept  [character_not_kept]
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

from neodeskpet.characters.cards.card_errors import CardFault
from neodeskpet.characters.cards.card_files import MOST_CARD_BYTES, write_card
from neodeskpet.characters.cards.character_card import (
    USUAL_VOICE,
    Card,
    CharacterVoice,
    app_data_of,
    read_json,
    read_voice,
    with_app_data,
    with_voice,
    write_tree,
)
from neodeskpet.characters.cards.reader import read_card_file
from neodeskpet.core.data_labels import DataSource, read_sources
from neodeskpet.core.errors import SettingsError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error
from neodeskpet.platform.observers import Observers
from neodeskpet.platform.private_files import is_copy, write_private
from neodeskpet.settings.config_files import ConfigFile

FOLDER = "characters"
MOST_CHARACTERS = 500
_log = logging.getLogger(__name__)


class CharacterNotKept(SettingsError):
    code = "character_not_kept"
    what = N_("The character can't be saved to {file}.")
    hint = N_("Check the free disk space and the permissions of the folder.")


class ImportFailed(SettingsError):
    code = "card_unreadable"
    what = N_("{file} can't be read.")
    hint = N_("Check that the file is still there and that you may read it.")


@dataclass(frozen=True, slots=True)
class Character:
    """A character. `picture` is its portrait (a PNG), None for none. `figure` is the figure that
    belongs to it, as in the settings ("" for the bundled one), None for the current figure.
    `untrusted`: the sources of the card, if others may have written it (the sync server).
    """

    id: str
    card: Card
    picture: Path | None = None
    figure: str | None = None
    untrusted: tuple[DataSource, ...] = ()
    voice: CharacterVoice = USUAL_VOICE


class CharacterLibrary:
    """The library. It starts empty; `load` reads the folder. The methods that write may be called
    on any thread and are followed by `load` and, on the loop, by `notify`. `figure_named` returns
    the path of the figure of a name on this computer, None if it isn't installed: a card from
    another computer has only the name. It is called on the thread of `load`.
    """

    def __init__(
        self, folder: Path, figure_named: Callable[[str], str | None] = lambda name: None
    ) -> None:
        self.folder = folder
        self._figure_named = figure_named
        self.broken: Mapping[str, str] = {}
        """The errors of unreadable files, by their names."""
        self._found: Mapping[str, Character] = {}
        self._observers: Observers[[]] = Observers()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change; return the function that ends the subscription."""
        return self._observers.subscribe(observer)

    def notify(self) -> None:
        self._observers.notify()

    def list_all(self) -> list[Character]:
        """Return all characters, sorted by name."""
        return sorted(self._found.values(), key=lambda one: (one.card.name.casefold(), one.id))

    def get(self, character_id: str) -> Character | None:
        return self._found.get(character_id)

    def named(self, name: str) -> list[Character]:
        """Return the characters of this name, or the one with this id."""
        wanted = name.strip().casefold()
        own = [one for one in self.list_all() if one.id == name.strip()]
        return own or [one for one in self.list_all() if one.card.name.casefold() == wanted]

    def load(self) -> None:
        """Read all characters."""
        found: dict[str, Character] = {}
        broken: dict[str, str] = {}
        there = sorted(self.folder.glob("*.json")) if self.folder.is_dir() else []
        files = [one for one in there if not is_copy(one)]
        for file in files[:MOST_CHARACTERS]:
            card, reason = _read_or_restore(file)
            if reason:
                broken[file.name] = reason
            if card is not None:
                picture = file.with_suffix(".png")
                ours = app_data_of(card)
                found[file.stem] = Character(
                    file.stem,
                    card,
                    picture if picture.is_file() else None,
                    self._figure_here(ours.get("figure")),
                    read_sources(ours.get("untrusted")),
                    read_voice(ours),
                )
        for name, reason in broken.items():
            _log.warning("%s can't be used: %s", name, reason)
        self._found, self.broken = found, broken

    # Writing

    def import_card(self, file: Path) -> str:
        """Import a card; return its id. Raises CardRefused, ImportFailed and CharacterNotKept."""
        try:
            card, picture = read_card_file(file)
        except OSError as error:
            raise ImportFailed(str(error), file=file.name) from error
        return self.add(card, picture)

    def add(self, card: Card, picture: bytes = b"") -> str:
        """Add a character; return its id. Raises CharacterNotKept."""
        made = f"{_readable(card.name)}-{uuid.uuid4().hex[:8]}"
        self._write(made, card)
        if picture:
            self._put(self.folder / f"{made}.png", picture)
        return made

    def update(self, character: Character) -> None:
        """Write a changed character. Raises CharacterNotKept."""
        ours = dict(app_data_of(character.card))
        ours = with_voice(ours, character.voice)
        before = ours.pop("figure", None)
        if character.figure is not None:
            ours["figure"] = character.figure
        elif is_figure_name(before) and self._figure_named(before) is None:
            ours["figure"] = before  # the figure is on another computer
        self._write(character.id, with_app_data(character.card, ours or None))

    def delete(self, character_id: str) -> None:
        """Delete a character. Raises CharacterNotKept."""
        try:
            ConfigFile(self.folder / f"{character_id}.json", MOST_CARD_BYTES).remove()
            (self.folder / f"{character_id}.png").unlink(missing_ok=True)
        except OSError as error:
            raise CharacterNotKept(str(error), file=character_id) from error

    def _figure_here(self, figure: object) -> str | None:
        if is_figure_name(figure):
            return self._figure_named(figure)
        return figure if isinstance(figure, str) else None

    def export(self, character: Character, file: Path) -> None:
        """Export a card; the name of the file decides the format. Raises CharacterNotKept."""
        try:
            picture = character.picture.read_bytes() if character.picture is not None else b""
            data = write_card(character.card, picture, file.suffix.casefold())
            file.write_bytes(data)
        except (OSError, CardFault) as error:
            raise CharacterNotKept(str(error), file=str(file)) from error

    def _write(self, character_id: str, card: Card) -> None:
        path = self.folder / f"{character_id}.json"
        file = ConfigFile(path, MOST_CARD_BYTES)
        before = ""
        try:
            if f"{character_id}.json" in self.broken:  # an unreadable file isn't overwritten
                file.copy_broken()
            elif path.exists():
                before = file.read()
            file.write_values(before, write_tree(card))
        except (OSError, ValueError) as error:
            raise CharacterNotKept(str(error), file=str(path)) from error

    def _put(self, file: Path, content: str | bytes) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(file, content)
        except OSError as error:
            raise CharacterNotKept(str(error), file=str(file)) from error


def is_figure_name(figure: object) -> TypeGuard[str]:
    """Return whether this is only the name of a figure, which is never used as a path."""
    named = isinstance(figure, str) and 0 < len(figure) <= 200 and figure.isprintable()
    return named and not {"/", "\\"} & set(str(figure))


def with_card(character: Character, card: Card) -> Character:
    return replace(character, card=card)


def _read_or_restore(path: Path) -> tuple[Card | None, str]:
    """Return the card in a file, or the last valid one; and the error of the file, "" for none."""
    file = ConfigFile(path, MOST_CARD_BYTES)
    try:
        text = file.read()
        card = read_json(text, path.stem)
    except (OSError, ValueError) as error:
        reason = str(error)
    except CardFault as refusal:
        reason = format_error(refusal.of(path.name))
    else:
        if file.good_copy() != text:
            file.save_good_copy(text)
        return card, ""
    good = file.good_copy()
    try:
        return (None if good is None else read_json(good, path.stem)), reason
    except (ValueError, CardFault):
        return None, reason


def _readable(name: str) -> str:
    kept = "".join(one if one.isalnum() or one in "-_" else "_" for one in name)[:40]
    return kept.strip("_") or "character"
