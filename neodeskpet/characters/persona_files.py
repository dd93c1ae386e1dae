"""The persona of each figure: a card in the folder `personas`, watched for edits by the user.

A figure without a card has its default persona (the bundled figure) or a neutral one. A
broken card is reported with the reason and never changed; the last valid one is used meanwhile.

::

    SettingsError
     +-- PersonaBroken         [persona]           the default persona is used
     |    `-- PersonaRestored  [persona_restored]  the last valid one is used
     +-- PersonaInTheWay       [persona_in_the_way] a broken card isn't overwritten
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
    "You are {name}, a companion who lives on the user's desktop: friendly, attentive, brief."
)


class PersonaBroken(SettingsError):
    code = "persona"
    what = N_("The persona in {file} can't be read.")
    hint = N_("The file was not changed; the default persona is used until it is repaired.")


class PersonaRestored(PersonaBroken):
    code = "persona_restored"
    hint = N_("The file was not changed; the last valid persona is used until it is repaired.")


class PersonaInTheWay(SettingsError):
    code = "persona_in_the_way"
    what = N_("{file} is broken; it was not overwritten.")
    hint = N_(
        "Repair it, or press “Restore default” in the settings of the figure; a copy is kept."
    )


class PersonaNotSaved(SettingsError):
    code = "persona_not_saved"
    what = N_("The persona can't be saved to {file}.")
    hint = N_("Check the free disk space and the permissions of the folder.")


@dataclass(frozen=True, slots=True)
class FigureName:
    """A figure: `key` is the name of its card file, `name` the figure's default name. For the
    bundled figure, `bundled_personas` are the files of its default personas by language.
    """

    key: str
    name: str = ""
    bundled_personas: Mapping[str, Path] | None = None

    def default(self, spoken: str = "") -> Persona:
        """Return its persona while it has no card, in the current language or in `spoken`."""
        if self.bundled_personas is not None:
            return _bundled(self.bundled_personas[spoken or language()])
        name = clean_name(self.name) or tr("Companion")
        return Persona(name, tr(_NEUTRAL, name=name))


def bundled_figure(assets: Path) -> FigureName:
    """Return Neo, with personas from the `assets`."""
    return FigureName(
        "neo", bundled_personas={name: assets / FOLDER / f"neo.{name}.json" for name in LANGUAGES}
    )


def imported_figure(name: str, place: str) -> FigureName:
    """Return an imported figure called `name`; `place` distinguishes figures of the same name."""
    readable = "".join(c if c.isalnum() or c in "-_ " else "_" for c in clean_name(name)).strip()
    return FigureName(f"{readable}-{hashlib.sha256(place.encode()).hexdigest()[:8]}", name)


class PersonaStore:
    """The personas. Invalid files don't raise in the constructor. Use it on one thread, but
    `update` and `reset` write and may be called on another one, followed by `refresh`.

    `current` is the persona of the figure `figure`; `own`: it has a card. `fault` is the error of
    the card for the user, None if there is none. `on_fault` gets each new one.
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
        self._good: tuple[str, str] | None = None  # the key and text of the last valid card
        self.figure = figure
        self._persona: Persona | None = None
        self._read()

    @property
    def current(self) -> Persona:
        return self._persona or self.figure.default()

    def name_in(self, spoken: str) -> str:
        """Return its name in a language; with a card the name is the same in all."""
        return (self._persona or self.figure.default(spoken)).name

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever the persona or its fault may have changed; return the function
        that ends the subscription.
        """
        return self._observers.subscribe(observer)

    def set_figure(self, figure: FigureName) -> None:
        """Use the persona of another figure."""
        if figure != self.figure:
            self.figure, self._persona, self._good = figure, None, None
            self._read()
            self._tell_fault("")
            self._observers.notify()

    def refresh(self) -> bool:
        """Read the card again if it has changed; return whether it has. This costs a look at the
        folder.
        """
        if stamp_of(self.path(self.figure)) == self._seen:
            return False
        before = str(self.fault or "")
        self._read()
        self._tell_fault(before)
        self._observers.notify()
        return True

    def persona_of(self, figure: FigureName) -> Persona:
        """Return the persona of another figure; may be called on any thread."""
        with contextlib.suppress(OSError, ValueError):
            return read_persona(_text(self.path(figure)))
        return figure.default()

    def update(self, figure: FigureName, persona: Persona) -> None:
        """Write its card and keep other fields. Raises PersonaInTheWay, PersonaNotSaved."""
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
        """Restore the default persona: the card is deleted, a broken one is copied first. Raises
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
        """Return the path of its card, which may not exist."""
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
        """Use the last valid card of this run, or of the last one."""
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
