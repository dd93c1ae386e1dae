"""Reads, watches and writes `llm-config.json` in the data folder. Text that the user wrote by hand
is kept. A broken file is reported with line and reason and never overwritten; the last valid
catalogue stays in use meanwhile.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from neodeskpet.core.errors import SettingsError
from neodeskpet.core.i18n import N_
from neodeskpet.core.json_edit import edited, laid_out
from neodeskpet.core.json_text import plain_json, read_json
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog_validation import (
    UNCHECKED_FIELDS,
    CatalogFault,
    is_note,
    read_catalog,
    without_keys,
)
from neodeskpet.llm.catalog.model_catalog import Catalog
from neodeskpet.platform.observers import Observers
from neodeskpet.platform.private_files import FileWriter, ImmediateWriter, read_regular
from neodeskpet.settings.config_files import ConfigFile, FileStamp, stamp_of

_Object = Mapping[str, object]


def write_catalog(catalog: Catalog, before: str = "") -> str:
    """Return `catalog` as text. Comments, order, layout, notes and explicit default values of
    `before` (the present text of the file) are kept for every item that still exists.
    """
    short = catalog.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    whole = catalog.model_dump(mode="json", by_alias=True)
    document = _merge(_read_object(before), short, whole)
    with contextlib.suppress(ValueError):
        return edited(before, document)
    return laid_out(document)


def _read_object(text: str) -> _Object:
    try:
        document = read_json(plain_json(text))
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _merge(old: _Object, short: _Object, whole: _Object) -> dict[str, object]:
    """Merge new values into `old`. `short` omits default values, `whole` contains them."""
    merged: dict[str, object] = {}
    for name, value in old.items():
        if name in short:
            merged[name] = _field(name, value, short[name], whole.get(name))
        elif is_note(name) or (name in whole and whole[name] == value):
            merged[name] = value
        elif name not in UNCHECKED_FIELDS and isinstance(whole.get(name), dict):
            # Back to the defaults.
            rest = _merge(_object(value), {}, _object(whole[name]))
            merged.update({name: rest} if rest else {})
    return merged | {name: value for name, value in short.items() if name not in merged}


def _field(name: str, old: object, short: object, whole: object) -> object:
    if name in UNCHECKED_FIELDS:
        return short
    if isinstance(short, dict):
        return _merge(_object(old), short, _object(whole))
    if isinstance(short, list) and any(isinstance(item, dict) for item in short):
        return _items(_list(old), short, _list(whole))
    return short


def _items(old: Sequence[object], short: Sequence[object], whole: Sequence[object]) -> list[object]:
    """Match each item with its old version: by name, otherwise (it was renamed) by position."""
    former = {_identity(item): _object(item) for item in old}
    renamed: list[_Object] = [{}] * len(short)
    if len(old) == len(short):
        kept = {_identity(item) for item in short}
        renamed = [{} if _identity(item) in kept else _object(item) for item in old]
    return [
        _merge(former.get(_identity(item), renamed[number]), _object(item), _object(whole[number]))
        for number, item in enumerate(short)
    ]


def _identity(item: object) -> tuple[object, ...]:
    """An endpoint's name; a model's endpoint and its name there."""
    found = _object(item)
    if "endpoint" not in found:
        return (found.get("name"),)
    return (found.get("endpoint"), found.get("name") or found.get("id"))


def _object(value: object) -> _Object:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []


_SHOWN = 5  # faults reported at once
_LIMIT = 5_000_000  # bytes

_log = logging.getLogger(__name__)


class CatalogBroken(SettingsError):
    code = "llm_config"
    what = N_("The model services in {file} can't be read.")
    hint = N_("The file stays as it is; the service of the settings is used until it is repaired.")


class CatalogRestored(CatalogBroken):
    code = "llm_config_restored"
    hint = N_("The file was not changed; the last valid persona is used until it is repaired.")


class CatalogNotSaved(SettingsError):
    code = "llm_config_not_saved"
    what = N_("The model services can't be saved to {file}.")
    hint = N_("Check the free disk space and the permissions of the folder.")


class CatalogInTheWay(SettingsError):
    code = "llm_config_in_the_way"
    what = N_("{file} is broken; it was not overwritten.")
    hint = N_(
        "Repair it, or create a new one in Settings › Models › Services; a copy of the old one "
        "is kept."
    )


class CatalogChanged(SettingsError):
    code = "llm_config_changed"
    what = N_("{file} has changed meanwhile; nothing was undone.")
    hint = N_("Change it back by hand.")


@dataclass(frozen=True, slots=True)
class CatalogEdit:
    """The text of the file before the edit (None: there was no file) and after it."""

    before: str | None
    after: str


@dataclass(frozen=True, slots=True)
class _PendingText:
    """A text to write, or the request to delete the file."""

    text: str | None


class CatalogFile:
    """The catalogue file. The constructor never raises. Use it from one thread; `writer` has its
    own thread.

    `catalog` is the catalogue in use, None when there is no file (then the simple settings apply).
    `fault` describes what is wrong with the file, None if nothing is.
    """

    def __init__(
        self,
        path: Path,
        *,
        on_fault: Callable[[SettingsError], None] | None = None,
        writer: FileWriter | None = None,
    ) -> None:
        """`on_fault` is called for each new fault that `refresh` finds, and for a write that fails
        after the call that requested it has returned. Without a `writer`, calls write
        synchronously.
        """
        self.path = path
        self._file = ConfigFile(path, _LIMIT)
        self.catalog: Catalog | None = None
        self.fault: SettingsError | None = None
        self._on_fault = on_fault
        self._observers: Observers[[]] = Observers()
        self._writer = writer or ImmediateWriter()
        self._lock = threading.Lock()  # protects the three attributes below
        self._seen: FileStamp | None = None
        self._wanted: _PendingText | None = None  # the text still to be written
        self._good = ""  # the last valid text
        self._read()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever the catalogue or its fault may have changed. Returns a function
        that unsubscribes.
        """
        return self._observers.subscribe(observer)

    def refresh(self) -> bool:
        """Read the file again if it changed, and return whether it did. Costs one look at the
        folder.
        """
        with self._lock:
            if self._wanted is not None or stamp_of(self.path) == self._seen:
                return False
        before = str(self.fault)
        self._read()
        if self.fault is not None and self._on_fault is not None and str(self.fault) != before:
            self._on_fault(self.fault)
        self._observers.notify()
        return True

    def edit(self, change: Callable[[Catalog], Catalog], start: Catalog) -> CatalogEdit:
        """Apply `change` to the present catalogue (or to `start` if there is no file), use the
        result and write it. Returns the edit, for `revert`. Raises what `change` raises,
        CatalogInTheWay and CatalogNotSaved; then the old catalogue stays in use.
        """
        self.refresh()
        if self.fault is not None:
            raise CatalogInTheWay(file=str(self.path))
        changed = change(start if self.catalog is None else self.catalog)
        before = self._present()
        return CatalogEdit(before, self._write(changed, before or ""))

    def revert(self, edit: CatalogEdit) -> None:
        """Undo an edit: restore the old file, or delete it if there was none. Raises CatalogChanged
        if the file has changed since the edit, and CatalogNotSaved.
        """
        if self._present() != edit.after:
            raise CatalogChanged(file=str(self.path))
        self._put(edit.before)
        self._take(edit.before)
        self._observers.notify()

    def save(self, catalog: Catalog) -> None:
        """Use `catalog` and write it. Text that the user wrote by hand is kept.

        Raises CatalogInTheWay and CatalogNotSaved; then the old catalogue stays in use.
        """
        self.refresh()
        if self.fault is not None:
            raise CatalogInTheWay(file=str(self.path))
        self._write(catalog, self._present() or "")

    def replace_broken(self, catalog: Catalog) -> Path | None:
        """Copy a broken file to a backup without the keys it may contain, and write `catalog` in
        its place. Returns the path of the backup. Raises CatalogNotSaved.
        """
        self.refresh()
        try:
            copy = None if self.fault is None else self._set_aside()
        except OSError as error:
            raise CatalogNotSaved(str(error), file=str(self.path)) from error
        self._write(catalog, "")
        return copy

    def _present(self) -> str | None:
        """Return the text of the file, None if there is no file. Raises CatalogNotSaved."""
        with self._lock:
            if self._wanted is not None:
                return self._wanted.text
        try:
            return self._file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise CatalogNotSaved(str(error), file=str(self.path)) from error

    def _write(self, catalog: Catalog, before: str) -> str:
        """Write `catalog` and return the text that was written."""
        text = write_catalog(catalog, before)
        faults = read_catalog(text).faults
        if faults:
            raise CatalogNotSaved(_fault_lines(faults), file=str(self.path))
        self._put(text)
        self.catalog, self.fault = catalog, None
        self._observers.notify()
        return text

    def _put(self, text: str | None) -> None:
        """Write the file, or delete it if `text` is None. Raises CatalogNotSaved if the write has
        already failed; then the request is dropped.
        """
        with self._lock:
            self._wanted = _PendingText(text)
        done = self._writer.run(self._write_wanted)
        if not done.done():
            done.add_done_callback(self._tell_unsaved)
        elif (error := done.exception()) is not None:
            with self._lock:
                self._wanted = None
            raise CatalogNotSaved(str(error), file=str(self.path)) from error

    def _write_wanted(self) -> None:
        """Write the pending text, on the writer's thread. Raises OSError; the text stays pending
        until the next edit.
        """
        with self._lock:
            wanted = self._wanted
        if wanted is None:
            return
        if wanted.text is None:
            self._file.remove()
        else:
            self._file.write(wanted.text)
            self._file.save_good_copy(wanted.text)
        with self._lock:
            self._seen = stamp_of(self.path)
            if self._wanted is wanted:
                self._wanted = None

    def _tell_unsaved(self, done: Future[None]) -> None:
        error = done.exception()
        if error is not None and self._on_fault is not None:
            fault = CatalogNotSaved(str(error), file=str(self.path))
            self._writer.tell(partial(self._on_fault, fault))

    def _read(self) -> None:
        with self._lock:
            self._seen = stamp_of(self.path)
        try:
            text: str | None = self._file.read()
        except (FileNotFoundError, NotADirectoryError):
            text = None
        except (OSError, ValueError) as error:
            self._recover(str(error))
            return
        self._take(text)

    def _take(self, text: str | None) -> None:
        """Use `text` as the content of the file (None: there is no file)."""
        if text is None:
            self.catalog = self.fault = None
            return
        reading = read_catalog(text)
        if reading.catalog is None:
            self._recover(_fault_lines(reading.faults))
        else:
            self.catalog, self.fault = reading.catalog, None
            with self._lock:
                self._good = text
            self._writer.run(self._write_good)

    def _write_good(self) -> None:
        with self._lock:
            text = self._good
        self._file.save_good_copy(text)

    def _recover(self, reason: str) -> None:
        """Keep the valid catalogue of this run, or load the valid one of the last run."""
        _log.warning("%s can't be used: %s", self.path, reason)
        if self.catalog is None:
            good = self._file.good_copy()
            self.catalog = read_catalog(good).catalog if good is not None else None
        kind = CatalogBroken if self.catalog is None else CatalogRestored
        self.fault = kind(reason, file=str(self.path))

    def _set_aside(self) -> Path:
        text = read_regular(self.path, 8 * _LIMIT).decode("utf-8", "replace")
        return self._file.copy_broken(without_keys(text))


def _fault_lines(faults: Sequence[CatalogFault]) -> str:
    lines = [str(fault) for fault in faults[:_SHOWN]]
    if len(faults) > _SHOWN:
        lines.append(tr("… and {count} more", count=str(len(faults) - _SHOWN)))
    return "\n".join(lines)
