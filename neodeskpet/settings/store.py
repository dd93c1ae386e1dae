"""The current settings: loaded, changed at run time, saved at once, with notification of
subscribers.

The file is JSON and holds only changed values, so defaults can improve. Values for this run only
(environment, command line) take precedence over it and are never saved.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from neodeskpet.core.errors import SettingsError
from neodeskpet.core.json_text import JsonLayout, json_layout, path_text, plain_json
from neodeskpet.core.json_text import JsonPath as Way
from neodeskpet.language import tr
from neodeskpet.platform.observers import Observers
from neodeskpet.platform.private_files import FileWriter, ImmediateWriter
from neodeskpet.settings.config_files import (
    ConfigFile,
    InvalidSetting,
    SettingsNotSaved,
    SettingsRestored,
    WrongValues,
)
from neodeskpet.settings.secrets import hosts_from_old_switch
from neodeskpet.settings.settings_model import SECTIONS, Settings, setting_info, validate_setting

FILE_NAME = "settings.json"
ENVIRONMENT: dict[str, tuple[str, str]] = {
    "NEODESKPET_PROTOCOL": ("service", "protocol"),
    "NEODESKPET_BASE_URL": ("service", "base_url"),
    "NEODESKPET_MODEL": ("service", "model"),
}

SettingKey = tuple[str, str]
SettingObserver = Callable[[str, str, object], None]
_Document = dict[str, Any]
_Wrong = tuple[Way, str]
"""The path of a value, and its fault."""

_log = logging.getLogger(__name__)


def overrides_from(environ: Mapping[str, str]) -> dict[SettingKey, object]:
    """Return the values that the environment sets for this run."""
    return imply_protocol(
        {key: environ[name] for name, key in ENVIRONMENT.items() if environ.get(name)}
    )


def imply_protocol(found: dict[SettingKey, object]) -> dict[SettingKey, object]:
    """Choose the OpenAI protocol instead of the offline helper if only an address is given."""
    if ("service", "base_url") in found:
        found.setdefault(("service", "protocol"), "openai")
    return found


_LIMIT = 16_000_000
"""Most bytes of the file."""


class SettingsStore:
    """The settings of one run. Creating it never raises, whatever the file contains. Use it from
    one thread.

    `fault` is the problem with the file, for the user; None if there is none.
    """

    def __init__(
        self,
        path: Path,
        *,
        overrides: Mapping[SettingKey, object] | None = None,
        environ: Mapping[str, str] | None = None,
        on_fault: Callable[[SettingsError], None] | None = None,
        writer: FileWriter | None = None,
    ) -> None:
        """`overrides` (the command line) take precedence over `environ` (the process's by default).
        `on_fault` is called each time that saving starts to fail. `writer` saves the file; without
        one, changes block until the file is written.
        """
        self.path = path
        self._file = ConfigFile(path, _LIMIT)
        self.fault: SettingsError | None = None
        self._on_fault = on_fault
        self._observers: Observers[[str, str, object]] = Observers()
        self._writer = writer or ImmediateWriter()
        self._lock = threading.Lock()  # protects the next two; not held while writing
        self._changes: dict[SettingKey, object] = {}
        self._stored: dict[SettingKey, object] = {}
        self._broken = False  # the file was broken and has been copied
        self._hands_off = False  # it was broken and can't be copied
        self._unsaved = False
        self._stored = self._load()
        above = overrides_from(os.environ if environ is None else environ)
        above.update(overrides or {})
        self._above: dict[SettingKey, object] = self._checked(
            imply_protocol(above).items(), "environment"
        )
        self.settings = self._build()
        if self._broken or self._changes:
            self._save()

    # Reading

    def value(self, section: str, name: str) -> object:
        """Return the effective value. Raises KeyError for an unknown setting."""
        setting_info(section, name)
        return getattr(getattr(self.settings, section), name)

    def overridden(self, section: str, name: str) -> bool:
        """Return whether the effective value is only for this run."""
        return (section, name) in self._above

    def subscribe(self, observer: SettingObserver) -> Callable[[], None]:
        """Call `observer(section, name, value)` after each change; returns a function that
        unsubscribes it.
        """
        return self._observers.subscribe(observer)

    # Changing

    def change(self, section: str, name: str, value: object) -> None:
        """Apply `value`, save it, then notify. It also ends an override of this run.

        Raises InvalidSetting, and KeyError for an unknown setting. If saving fails, nothing is
        raised: the change stays in effect, and `on_fault` is called.
        """
        info = setting_info(section, name)
        try:
            fitting = validate_setting(section, name, value)
        except ValidationError as error:
            raise InvalidSetting(_reason(error), title=tr(info.title)) from error
        key = (section, name)
        was_above = self._above.pop(key, None) is not None
        if fitting == self.value(section, name) and key in self._stored and not was_above:
            return
        with self._lock:
            self._stored[key] = fitting
            self._changes[key] = fitting
        self._apply((key,))

    def reset(self, section: str | None = None, name: str | None = None) -> None:
        """Reset one setting, a section, or all to the defaults. Overrides of this run end too."""
        keys = tuple(
            (kind, field)
            for kind, model in SECTIONS.items()
            for field in model.model_fields
            if section in (None, kind) and name in (None, field)
        )
        with self._lock:
            for key in keys:
                self._above.pop(key, None)
                self._stored.pop(key, None)
                self._changes[key] = _FORGET
        self._apply(keys)

    def close(self) -> None:
        """Retry a failed save, and flush the file to the disk."""
        self._writer.flush()
        if self._unsaved:
            self._save()
            self._writer.flush()
        with contextlib.suppress(OSError), self.path.open("rb+") as file:
            os.fsync(file.fileno())

    def _apply(self, keys: tuple[SettingKey, ...]) -> None:
        before = self.settings
        self.settings = self._build()
        self._save()
        for section, name in keys:
            value = self.value(section, name)
            if value != getattr(getattr(before, section), name):
                self._observers.notify(section, name, value)

    def _build(self) -> Settings:
        values: dict[str, dict[str, object]] = {section: {} for section in SECTIONS}
        for (section, name), value in (self._stored | self._above).items():
            values[section][name] = value
        return Settings.model_validate(values)

    # The file

    def _load(self) -> dict[SettingKey, object]:
        try:
            text = self._file.read()
            document = _parsed(text)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            return self._recover(error)
        self._file.save_good_copy(text)
        self._upgrade(document)
        return self._fit(document, text)

    def _upgrade(self, document: _Document) -> None:
        """Convert a document of an older version."""
        service = document.get("service")
        if not isinstance(service, dict) or "plain_keys" not in service:
            return
        self._changes["service", "plain_keys"] = _FORGET
        hosts = hosts_from_old_switch(service)
        if hosts and "plain_hosts" not in service:
            service["plain_hosts"] = self._changes["service", "plain_hosts"] = hosts

    def _recover(self, error: OSError | ValueError) -> dict[SettingKey, object]:
        """Handle an unreadable file: copy it, and use the last good copy or the defaults."""
        _log.warning("The settings in %s can't be read: %s", self.path, error)
        self._broken = True
        copy = self._set_aside()
        try:
            document = _parsed(self._file.good_copy() or "")
        except ValueError:
            self.fault = SettingsError(str(error), file=str(self.path))
            return {}
        self.fault = SettingsRestored(str(error), file=str(self.path), copy=copy)
        stored = self._fit(document)
        self._changes.update(stored)
        return stored

    def _fit(self, document: _Document, text: str = "") -> dict[SettingKey, object]:
        """Return the known, valid values of a document. Unknown ones are kept for newer versions.
        `text` is the file's text, used to report the lines of faults.
        """
        pairs = (
            ((section, name), value)
            for section, values in document.items()
            if section in SECTIONS and isinstance(values, dict)
            for name, value in values.items()
            if name in SECTIONS[section].model_fields
        )
        wrong = [
            ((section,), tr("not a table"))
            for section, values in document.items()
            if section in SECTIONS and not isinstance(values, dict)
        ]
        return self._checked(pairs, str(self.path), text, wrong)

    def _checked(
        self, pairs: Any, origin: str, text: str = "", known: Sequence[_Wrong] = ()
    ) -> dict[SettingKey, object]:
        """Return the valid ones of `pairs`; the others, and the faults in `known`, are stored in
        `fault`, one line each. `text` is the JSON that contains them; "" for none.
        """
        good: dict[SettingKey, object] = {}
        wrong = [*known]
        for (section, name), value in pairs:
            try:
                good[section, name] = validate_setting(section, name, value)
            except ValidationError as error:
                wrong.append(((section, name), _reason(error)))
        if wrong:
            layout = json_layout(plain_json(text)) if text else None
            lines = [f"{_place(layout, key)}{path_text(key)}: {reason}" for key, reason in wrong]
            _log.warning("Wrong values from %s: %s", origin, "; ".join(lines))
            self.fault = self.fault or WrongValues("\n".join(lines), file=origin)
        return good

    def _set_aside(self) -> str:
        """Copy the broken file and return the copy's name. If that fails, the file is not written
        in this run.
        """
        try:
            return self._file.copy_broken().name
        except OSError as error:
            _log.warning("%s can't be copied: %s", self.path, error)
            self._hands_off = True
            return self.path.name

    def _save(self) -> None:
        self._writer.run(self._write_changes)

    def _write_changes(self) -> None:
        """Merge the changes into the current file, so that manual edits are kept. From here on,
        everything runs in the writer.
        """
        try:
            before, document = self._present()
            if self._hands_off:
                raise OSError(f"{self.path} can't be read and can't be copied")
            with self._lock:
                changes = dict(self._changes)
            for (section, name), value in changes.items():
                _put(document, section, name, value)
            text = self._file.write_values(before, document)
        except OSError as error:
            self._tell_unsaved(error)
            return
        with self._lock:
            for key, value in changes.items():
                if self._changes.get(key) is value:  # else it was changed meanwhile
                    del self._changes[key]
        self._unsaved = self._broken = False
        self._file.save_good_copy(text)

    def _present(self) -> tuple[str, _Document]:
        """Return the file's text and document, to put changes into; both empty if it is broken."""
        if not self._broken:
            try:
                text = self._file.read()
                return text, _parsed(text)
            except FileNotFoundError:
                return "", {}
            except ValueError:
                self._set_aside()
        with self._lock:
            self._changes = dict(self._stored)
        return "", {}

    def _tell_unsaved(self, error: OSError) -> None:
        _log.warning("The settings can't be saved: %s", error)
        if self._unsaved:
            return
        self._unsaved = True
        if self._on_fault is not None:
            fault = SettingsNotSaved(str(error), file=str(self.path))
            self._writer.tell(partial(self._on_fault, fault))


_FORGET = object()


def _place(layout: JsonLayout | None, key: Way) -> str:
    """Return `line 12, `; "" for a value that is not from a file."""
    return "" if layout is None else tr("line {line}", line=str(layout.line(key))) + ", "


def _parsed(text: str) -> _Document:
    """Parse the file's text. Raises ValueError with the line and the reason."""
    try:
        document = json.loads(plain_json(text))
        json.dumps(document, indent=2)  # checks that it can also be written
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(document, dict):
        raise ValueError("line 1: an object in braces is needed")
    return document


def _put(document: _Document, section: str, name: str, value: object) -> None:
    values = document.get(section)
    if not isinstance(values, dict):
        values = document[section] = {}
    if value is _FORGET:
        values.pop(name, None)
        if not values:
            del document[section]
    else:
        values[name] = to_jsonable_python(value)


def _reason(error: ValidationError) -> str:
    """Return the first error with pydantic's message."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]
