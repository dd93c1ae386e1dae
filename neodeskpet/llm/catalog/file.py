"""`llm-config.json` in the data folder: read, watched, and written when the settings change it.

A broken file is named with line and reason and never touched; the last good one is used meanwhile.

::

    SettingsError
     +-- CatalogBroken         [llm_config]            nothing good is known: the simple settings
     |    `-- CatalogRestored  [llm_config_restored]   the last good one is used
     +-- CatalogNotSaved       [llm_config_not_saved]
     +-- CatalogInTheWay       [llm_config_in_the_way]  a broken file isn't written over
     `-- CatalogChanged        [llm_config_changed]    what was edited since isn't undone
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from neodeskpet.config_files import ConfigFile, FileStamp, stamp_of
from neodeskpet.core.errors import SettingsError
from neodeskpet.core.wording import N_
from neodeskpet.file_thread import FileWriter, ImmediateWriter
from neodeskpet.files import read_regular
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog import Catalog
from neodeskpet.llm.catalog.check import CatalogFault, read_catalog, without_keys
from neodeskpet.llm.catalog.text import write_catalog
from neodeskpet.observers import Observers

_SHOWN = 5  # faults that are told at once
_LIMIT = 5_000_000  # bytes

_log = logging.getLogger(__name__)


class CatalogBroken(SettingsError):
    code = "llm_config"
    what = N_("The model services in {file} can't be read.")
    hint = N_("The file stays as it is; the service of the settings is used until it is repaired.")


class CatalogRestored(CatalogBroken):
    code = "llm_config_restored"
    hint = N_("The file stays as it is; the last good one is used until it is repaired.")


class CatalogNotSaved(SettingsError):
    code = "llm_config_not_saved"
    what = N_("The model services can't be saved to {file}.")
    hint = N_("Check the free space and the rights of the folder.")


class CatalogInTheWay(SettingsError):
    code = "llm_config_in_the_way"
    what = N_("{file} is broken and isn't written over.")
    hint = N_("Repair it, or keep a copy of it and start anew in Settings › Service.")


class CatalogChanged(SettingsError):
    code = "llm_config_changed"
    what = N_("{file} was changed meanwhile; nothing was put back.")
    hint = N_("Change it back by hand.")


@dataclass(frozen=True, slots=True)
class CatalogEdit:
    """The file's text before (None: there was no file) and after."""

    before: str | None
    after: str


@dataclass(frozen=True, slots=True)
class _PendingText:
    """A text, or that there be no file."""

    text: str | None


class CatalogFile:
    """Made without raising, whatever the file holds. Used from one thread; `writer` has its own.

    `catalog` is what counts now, None when there is no file (the simple settings count). `fault`
    is what is wrong with the file, for the person; None when all is well.
    """

    def __init__(
        self,
        path: Path,
        *,
        on_fault: Callable[[SettingsError], None] | None = None,
        writer: FileWriter | None = None,
    ) -> None:
        """`on_fault` hears of each new fault that `refresh` finds, and of writing that fails after
        whoever asked for it has gone on. Without a `writer` they wait for the disk.
        """
        self.path = path
        self._file = ConfigFile(path, _LIMIT)
        self.catalog: Catalog | None = None
        self.fault: SettingsError | None = None
        self._on_fault = on_fault
        self._observers: Observers[[]] = Observers()
        self._writer = writer or ImmediateWriter()
        self._lock = threading.Lock()  # of the three below
        self._seen: FileStamp | None = None
        self._wanted: _PendingText | None = None  # what is to stand in the file, until it does
        self._good = ""  # the last good text
        self._read()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever the catalogue or its fault may be another; returns what ends
        it.
        """
        return self._observers.subscribe(observer)

    def refresh(self) -> bool:
        """Read the file again if it was changed; whether it was. Costs a look at the folder."""
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
        """Put `change` of the present catalogue in force and write it; where there is no file, of
        `start`. What was done, for `put_back`. Raises what `change` raises, CatalogInTheWay and
        CatalogNotSaved; then the old one holds.
        """
        self.refresh()
        if self.fault is not None:
            raise CatalogInTheWay(file=str(self.path))
        changed = change(start if self.catalog is None else self.catalog)
        before = self._present()
        return CatalogEdit(before, self._write(changed, before or ""))

    def revert(self, edit: CatalogEdit) -> None:
        """Undo it: the file as it was, or none. Raises CatalogChanged when it isn't what the edit
        left any more, and CatalogNotSaved.
        """
        if self._present() != edit.after:
            raise CatalogChanged(file=str(self.path))
        self._put(edit.before)
        self._take(edit.before)
        self._observers.notify()

    def save(self, catalog: Catalog) -> None:
        """Put `catalog` in force and write it; what a person wrote by hand beside it stays.

        Raises CatalogInTheWay and CatalogNotSaved; then the old one holds.
        """
        self.refresh()
        if self.fault is not None:
            raise CatalogInTheWay(file=str(self.path))
        self._write(catalog, self._present() or "")

    def replace_broken(self, catalog: Catalog) -> Path | None:
        """Copy a broken file aside, without the keys that may be in it, and write `catalog` in its
        place; where the copy is. Raises CatalogNotSaved.
        """
        self.refresh()
        try:
            copy = None if self.fault is None else self._set_aside()
        except OSError as error:
            raise CatalogNotSaved(str(error), file=str(self.path)) from error
        self._write(catalog, "")
        return copy

    def _present(self) -> str | None:
        """The file's text, None when there is none. Raises CatalogNotSaved."""
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
        """The text that was written."""
        text = write_catalog(catalog, before)
        faults = read_catalog(text).faults
        if faults:
            raise CatalogNotSaved(_told(faults), file=str(self.path))
        self._put(text)
        self.catalog, self.fault = catalog, None
        self._observers.notify()
        return text

    def _put(self, text: str | None) -> None:
        """Have the file written, or taken away. Raises CatalogNotSaved when that has failed
        already; then it is as if it had not been asked for.
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
        """On the writer's thread. Raises OSError; what is wanted stays so until the next edit."""
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
        """Let the text of the file count (None: there is no file)."""
        if text is None:
            self.catalog = self.fault = None
            return
        reading = read_catalog(text)
        if reading.catalog is None:
            self._recover(_told(reading.faults))
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
        """Keep what was good in this run, or take what was good in the last."""
        _log.warning("%s can't be used: %s", self.path, reason)
        if self.catalog is None:
            good = self._file.good_copy()
            self.catalog = read_catalog(good).catalog if good is not None else None
        kind = CatalogBroken if self.catalog is None else CatalogRestored
        self.fault = kind(reason, file=str(self.path))

    def _set_aside(self) -> Path:
        text = read_regular(self.path, 8 * _LIMIT).decode("utf-8", "replace")
        return self._file.copy_broken(without_keys(text))


def _told(faults: Sequence[CatalogFault]) -> str:
    lines = [str(fault) for fault in faults[:_SHOWN]]
    if len(faults) > _SHOWN:
        lines.append(tr("… and {count} more", count=str(len(faults) - _SHOWN)))
    return "\n".join(lines)
