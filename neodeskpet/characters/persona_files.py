"""The persona of each figure: a card in the folder `personas`, watched for changes by hand.

A figure without a card has the one it came with (the bundled one), or a neutral one of its name. A
broken card is named with its reason and never touched; the last good one is used meanwhile.

::

    SettingsError
     +-- PersonaBroken         [persona]           what it came with is used
     |    `-- PersonaRestored  [persona_restored]  the last good one is used
     +-- PersonaInTheWay       [persona_in_the_way] a broken card isn't written over
     `-- PersonaNotSaved       [persona_not_saved]
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from neodeskpet.characters.persona import Persona, clean_name, read_persona, write_persona
from neodeskpet.core.errors import SettingsError
from neodeskpet.core.i18n import N_
from neodeskpet.language import LANGUAGES, language, tr
from neodeskpet.platform.observers import Observers
from neodeskpet.platform.private_files import FileWriter, ImmediateWriter
from neodeskpet.settings.config_files import ConfigFile, FileStamp, stamp_of

FOLDER = "personas"
_LIMIT = 4_000_000  # bytes
_log = logging.getLogger(__name__)

_NEUTRAL = N_(
    "You are {name}, a companion who lives on the person's desktop: friendly, attentive, brief."
)


class PersonaBroken(SettingsError):
    code = "persona"
    what = N_("The persona in {file} can't be read.")
    hint = N_("The file stays as it is; the persona it came with is used until it is repaired.")


class PersonaRestored(PersonaBroken):
    code = "persona_restored"
    hint = N_("The file stays as it is; the last good one is used until it is repaired.")


class PersonaInTheWay(SettingsError):
    code = "persona_in_the_way"
    what = N_("{file} is broken; it was not overwritten.")
    hint = N_("Repair it, or press “As it came” in the settings of the figure: a copy is kept.")


class PersonaNotSaved(SettingsError):
    code = "persona_not_saved"
    what = N_("The persona can't be saved to {file}.")
    hint = N_("Check the free disk space and the permissions of the folder.")


@dataclass(frozen=True, slots=True)
class FigureName:
    """A figure: `key` names its card's file, `name` is what the figure is called by itself. `came`
    are the personas it came with, by language.
    """

    key: str
    name: str = ""
    bundled_personas: Mapping[str, Path] | None = None

    def default(self, spoken: str = "") -> Persona:
        """Its persona while it has no card, in the present language or the one that is `spoken`."""
        if self.bundled_personas is not None:
            return _bundled(self.bundled_personas[spoken or language()])
        name = clean_name(self.name) or tr("Companion")
        return Persona(name, tr(_NEUTRAL, name=name))


def bundled_figure(assets: Path) -> FigureName:
    """Neo, with personas among the `assets`."""
    return FigureName(
        "neo", bundled_personas={name: assets / FOLDER / f"neo.{name}.json" for name in LANGUAGES}
    )


def imported_figure(name: str, place: str) -> FigureName:
    """A figure called `name` that the person brought; `place` tells it from others of its name."""
    readable = "".join(c if c.isalnum() or c in "-_ " else "_" for c in clean_name(name)).strip()
    return FigureName(f"{readable}-{hashlib.sha256(place.encode()).hexdigest()[:8]}", name)


class PersonaStore:
    """Made without raising, whatever the files hold; used from one thread, but for `keep` and
    `start_anew`, which write and may be called on another, followed by a `refresh`.

    `current` is who the figure `figure` is; `own`: it has a card. `fault` is what is wrong with
    it, for the person; None when all is well. `on_fault` hears of each new one.
    """

    def __init__(
        self,
        folder: Path,
        figure: FigureName,
        *,
        writer: FileWriter | None = None,
        on_fault: Callable[[SettingsError], None] | None = None,
    ) -> None:
        self.folder = folder
        self.fault: SettingsError | None = None
        self.own = False
        self._writer = writer or ImmediateWriter()
        self._on_fault = on_fault
        self._observers: Observers[[]] = Observers()
        self._seen: FileStamp | None = None
        self._good: tuple[str, str] | None = None  # a key and the text of its last good card
        self.figure = figure
        self._persona: Persona | None = None
        self._read()

    @property
    def current(self) -> Persona:
        return self._persona or self.figure.default()

    def name_in(self, spoken: str) -> str:
        """What it is called in a language; one that has a card is called the same in all."""
        return (self._persona or self.figure.default(spoken)).name

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever the persona or its fault may be another; returns what ends
        it.
        """
        return self._observers.subscribe(observer)

    def set_figure(self, figure: FigureName) -> None:
        """Another figure stands on the desktop."""
        if figure != self.figure:
            self.figure, self._persona, self._good = figure, None, None
            self._read()
            self._tell_fault("")
            self._observers.notify()

    def refresh(self) -> bool:
        """Read the card again if it was changed; whether it was. Costs a look at the folder."""
        if stamp_of(self.path(self.figure)) == self._seen:
            return False
        before = str(self.fault or "")
        self._read()
        self._tell_fault(before)
        self._observers.notify()
        return True

    def persona_of(self, figure: FigureName) -> Persona:
        """Who another figure is; it may be read on any thread."""
        with contextlib.suppress(OSError, ValueError):
            return read_persona(_text(self.path(figure)))
        return figure.default()

    def update(self, figure: FigureName, persona: Persona) -> None:
        """Write its card; what else stands in it stays. Raises PersonaInTheWay, PersonaNotSaved."""
        path = self.path(figure)
        try:
            before = _text(path)
            read_persona(before)
        except (FileNotFoundError, NotADirectoryError):
            before = ""
        except OSError as error:
            raise PersonaNotSaved(str(error), file=str(path)) from error
        except ValueError as error:
            raise PersonaInTheWay(str(error), file=str(path)) from error
        text = write_persona(persona, before)
        try:
            read_persona(text)
            _file(path).write(text)
        except (OSError, ValueError) as error:
            raise PersonaNotSaved(str(error), file=str(path)) from error

    def reset(self, figure: FigureName) -> None:
        """The persona it came with: its card is removed, a broken one copied aside. Raises
        PersonaNotSaved.
        """
        path = self.path(figure)
        try:
            try:
                read_persona(_text(path))
            except ValueError:
                _file(path).copy_broken()
            _file(path).remove()
        except FileNotFoundError:
            return
        except OSError as error:
            raise PersonaNotSaved(str(error), file=str(path)) from error

    def path(self, figure: FigureName) -> Path:
        """Where its card is, or would be."""
        return self.folder / f"{figure.key}.json"

    def _read(self) -> None:
        self._seen = stamp_of(self.path(self.figure))
        self.fault, self.own = None, False
        try:
            text = _text(self.path(self.figure))
            persona = read_persona(text)
        except (FileNotFoundError, NotADirectoryError):
            self._persona = None
        except (OSError, ValueError) as error:
            self._recover(str(error))
        else:
            self._persona, self.own = persona, True
            if self._good != (self.figure.key, text):
                self._good = (self.figure.key, text)
                self._writer.run(partial(_file(self.path(self.figure)).save_good_copy, text))

    def _recover(self, reason: str) -> None:
        """Keep what was good in this run, or take what was good in the last."""
        _log.warning("%s can't be used: %s", self.path(self.figure), reason)
        self.own = True
        if self._persona is None:
            with contextlib.suppress(OSError, ValueError):
                good = _file(self.path(self.figure)).good_copy()
                self._persona = read_persona(good) if good is not None else None
        kind = PersonaBroken if self._persona is None else PersonaRestored
        self.fault = kind(reason, file=str(self.path(self.figure)))

    def _tell_fault(self, before: str) -> None:
        if self.fault is not None and self._on_fault is not None and str(self.fault) != before:
            self._on_fault(self.fault)


def _bundled(file: Path) -> Persona:
    try:
        return read_persona(_text(file))
    except (OSError, ValueError) as error:
        _log.error("The bundled persona can't be read: %s", error)
        return Persona("Neo")


def _text(path: Path) -> str:
    return _file(path).read()


def _file(path: Path) -> ConfigFile:
    return ConfigFile(path, _LIMIT)
