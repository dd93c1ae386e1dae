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

import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.core.errors import SettingsError
from neodeskpet.core.wording import N_
from neodeskpet.files import write_private
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog import Catalog
from neodeskpet.llm.catalog.check import Fault, read_catalog, without_keys
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
    hint = N_("Mend it, or keep a copy of it and start anew in Settings › Service.")


class CatalogChanged(SettingsError):
    code = "llm_config_changed"
    what = N_("{file} was changed meanwhile; nothing was put back.")
    hint = N_("Change it back by hand.")


@dataclass(frozen=True, slots=True)
class Edit:
    """The file's text before (None: there was no file) and after."""

    before: str | None
    after: str


class CatalogFile:
    """Made without raising, whatever the file holds. Used from one thread.

    `catalog` is what counts now, None when there is no file (the simple settings count). `fault`
    is what is wrong with the file, for the person; None when all is well.
    """

    def __init__(
        self, path: Path, *, on_fault: Callable[[SettingsError], None] | None = None
    ) -> None:
        """`on_fault` hears of each new fault that `refresh` finds."""
        self.path = path
        self.catalog: Catalog | None = None
        self.fault: SettingsError | None = None
        self._on_fault = on_fault
        self._observers: Observers[[]] = Observers()
        self._seen: tuple[int, int] | None = None
        self._read()

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever the catalogue or its fault may be another; returns what ends
        it.
        """
        return self._observers.add(observer)

    def refresh(self) -> bool:
        """Read the file again if it was changed; whether it was. Costs a look at the folder."""
        if self._stamp() == self._seen:
            return False
        before = str(self.fault)
        self._read()
        if self.fault is not None and self._on_fault is not None and str(self.fault) != before:
            self._on_fault(self.fault)
        self._observers.tell()
        return True

    def edit(self, change: Callable[[Catalog], Catalog], start: Catalog) -> Edit:
        """Put `change` of the present catalogue in force and write it; where there is no file, of
        `start`. What was done, for `put_back`. Raises what `change` raises, CatalogInTheWay and
        CatalogNotSaved; then the old one holds.
        """
        self.refresh()
        if self.fault is not None:
            raise CatalogInTheWay(file=str(self.path))
        changed = change(start if self.catalog is None else self.catalog)
        before = self._present()
        return Edit(before, self._write(changed, before or ""))

    def put_back(self, edit: Edit) -> None:
        """Undo it: the file as it was, or none. Raises CatalogChanged when it isn't what the edit
        left any more, and CatalogNotSaved.
        """
        if self._present() != edit.after:
            raise CatalogChanged(file=str(self.path))
        try:
            if edit.before is None:
                self.path.unlink(missing_ok=True)
                self._last_good.unlink(missing_ok=True)
            else:
                write_private(self.path, edit.before)
        except OSError as error:
            raise CatalogNotSaved(str(error), file=str(self.path)) from error
        self._read()
        self._observers.tell()

    def save(self, catalog: Catalog) -> None:
        """Put `catalog` in force and write it; what a person wrote by hand beside it stays.

        Raises CatalogInTheWay and CatalogNotSaved; then the old one holds.
        """
        self.refresh()
        if self.fault is not None:
            raise CatalogInTheWay(file=str(self.path))
        self._write(catalog, self._present() or "")

    def start_anew(self, catalog: Catalog) -> Path | None:
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
        try:
            return _text(self.path)
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
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_private(self.path, text)
        except OSError as error:
            raise CatalogNotSaved(str(error), file=str(self.path)) from error
        self._accept(catalog, text)
        self._seen = self._stamp()
        self._observers.tell()
        return text

    def _read(self) -> None:
        self._seen = self._stamp()
        try:
            text = _text(self.path)
        except (FileNotFoundError, NotADirectoryError):
            self.catalog = self.fault = None
            return
        except (OSError, ValueError) as error:
            self._recover(str(error))
            return
        reading = read_catalog(text)
        if reading.catalog is None:
            self._recover(_told(reading.faults))
        else:
            self._accept(reading.catalog, text)

    def _accept(self, catalog: Catalog, text: str) -> None:
        self.catalog, self.fault = catalog, None
        with contextlib.suppress(OSError):
            write_private(self._last_good, text)

    def _recover(self, reason: str) -> None:
        """Keep what was good in this run, or take what was good in the last."""
        _log.warning("%s can't be used: %s", self.path, reason)
        if self.catalog is None:
            with contextlib.suppress(OSError, ValueError):
                self.catalog = read_catalog(_text(self._last_good)).catalog
        kind = CatalogBroken if self.catalog is None else CatalogRestored
        self.fault = kind(reason, file=str(self.path))

    @property
    def _last_good(self) -> Path:
        return self.path.with_name(f"{self.path.stem}.last-good{self.path.suffix}")

    def _set_aside(self) -> Path:
        stamp = time.strftime("%Y%m%d-%H%M%S")
        copy = self.path.with_name(f"{self.path.stem}.broken-{stamp}{self.path.suffix}")
        text = self.path.read_bytes().decode("utf-8", "replace")
        write_private(copy, without_keys(text))
        return copy

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


def _told(faults: Sequence[Fault]) -> str:
    lines = [str(fault) for fault in faults[:_SHOWN]]
    if len(faults) > _SHOWN:
        lines.append(tr("… and {count} more", count=str(len(faults) - _SHOWN)))
    return "\n".join(lines)


def _text(path: Path) -> str:
    """Raises OSError, and ValueError with the reason."""
    data = path.read_bytes()
    if len(data) > _LIMIT:
        raise ValueError(tr("it is too large"))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(tr("line {line}", line=str(line)) + ": UTF-8") from error
