"""The errors of storage, with messages that the user can act on.

::

    StoreError                 [store]
     +-- StoreUnread           [store_unread]    a read failed
     +-- StoreFull             [store_full]      no space left
     +-- StoreReadOnly         [store_read_only] no right to write
     +-- StoreLocked           [store_locked]    another program holds the file
     +-- StoreDamaged          [store_damaged]   the file was moved aside, a new one was created
     |    `-- StoreSalvaged    [store_salvaged]  the same, with what could be read of the old one
     +-- StoreDeleted          [store_deleted]   deleted while open; written again
     +-- StoreReplaced         [store_replaced]  replaced while open; what was missing was added
     +-- StoreOverwritten      [store_overwritten]  replaced by another type of file; written again
     `-- StoreTooNew           [store_too_new]   written by a newer version

A database defines subclasses of these in its `FileFaults`, with texts that name its content
(`create_faults`).
"""

from __future__ import annotations

import errno
import sqlite3
from dataclasses import dataclass
from typing import TypeVar, cast

from neodeskpet.core.errors import StoreError
from neodeskpet.core.i18n import N_


class StoreUnread(StoreError):
    code = "store_unread"
    what = N_("The stored data can't be read.")
    hint = N_("Try again. If it happens again, restart NeoDeskPet; the log says more.")


class StoreFull(StoreError):
    code = "store_full"
    sticky = True
    what = N_("The disk is full, so nothing more can be saved.")
    hint = N_("Free some space. Unsaved parts of a message are tried again every few seconds.")


class StoreReadOnly(StoreError):
    code = "store_read_only"
    sticky = True
    what = N_("Nothing can be saved: the data folder isn't writable.")
    hint = N_("Check the permissions of the data folder.")


class StoreLocked(StoreError):
    code = "store_locked"
    what = N_("The data can't be saved now: another program is using the file.")
    hint = N_(
        "Close the other program. Unsaved parts of a message are tried again every few seconds."
    )


class StoreDamaged(StoreError):
    """Params: `file`, the new name of the damaged file."""

    code = "store_damaged"
    sticky = True
    what = N_("A file with your data was damaged, so a new one was created.")
    hint = N_("The damaged file is kept as {file}.")


class StoreSalvaged(StoreDamaged):
    """Params: `file`, and the numbers of `saved` and `known` entries."""

    code = "store_salvaged"
    what = N_("A file with your data was damaged. {saved} of {known} entries could be recovered.")


class StoreDeleted(StoreError):
    code = "store_deleted"
    what = N_("A file with your data was deleted while NeoDeskPet was running.")
    hint = N_("It was rewritten with everything that was in it.")


class StoreReplaced(StoreError):
    code = "store_replaced"
    what = N_("A file with your data was replaced by another one while NeoDeskPet was running.")
    hint = N_("Entries missing in the other file were added to it.")


class StoreOverwritten(StoreError):
    """Params: `file`, the new name of the other file."""

    code = "store_overwritten"
    sticky = True
    what = N_("A file with your data was replaced by something else.")
    hint = N_("It was rebuilt; the other file is kept as {file}.")


class StoreTooNew(StoreError):
    """Params: `steps`, the names of migrations that only the newer version has."""

    code = "store_too_new"
    sticky = True
    what = N_("The data was written by a newer version of NeoDeskPet (it has {steps}).")
    hint = N_("Start the newer version. Until then nothing is read or saved.")


@dataclass(frozen=True, slots=True)
class FileFaults:
    """The error classes with which a database reports what happened to its file."""

    damaged: type[StoreDamaged] = StoreDamaged
    salvaged: type[StoreSalvaged] = StoreSalvaged
    deleted: type[StoreDeleted] = StoreDeleted
    replaced: type[StoreReplaced] = StoreReplaced
    overwritten: type[StoreOverwritten] = StoreOverwritten


DEFAULT_FAULTS = FileFaults()

F = TypeVar("F", bound=StoreError)


def create_faults(
    name: str,
    *,
    damaged: str,
    salvaged: str,
    deleted: str,
    replaced: str,
    overwritten: str,
    rewritten: str = StoreOverwritten.hint,
) -> FileFaults:
    """Create error classes for a file; their codes begin with its `name`. The texts are English and
    marked with `N_`. `rewritten` is the hint for an overwritten file.
    """
    return FileFaults(
        _create_fault(StoreDamaged, name, "damaged", damaged),
        _create_fault(StoreSalvaged, name, "salvaged", salvaged),
        _create_fault(StoreDeleted, name, "deleted", deleted),
        _create_fault(StoreReplaced, name, "replaced", replaced),
        _create_fault(StoreOverwritten, name, "overwritten", overwritten, hint=rewritten),
    )


def _create_fault(kind: type[F], name: str, what_happened: str, what: str, **more: str) -> type[F]:
    fields = {"code": f"{name}_{what_happened}", "what": what, **more, "__module__": __name__}
    made = type(f"{name}_{what_happened}".title().replace("_", ""), (kind,), fields)
    return cast("type[F]", made)


@dataclass(frozen=True, slots=True)
class SalvageCount:
    """The entries of a damaged file: those saved, and all known ones."""

    saved: int = 0
    known: int = 0


_ERROR_CLASSES: dict[int, type[StoreError]] = {
    sqlite3.SQLITE_FULL: StoreFull,
    sqlite3.SQLITE_READONLY: StoreReadOnly,
    sqlite3.SQLITE_PERM: StoreReadOnly,
    sqlite3.SQLITE_CANTOPEN: StoreReadOnly,
    sqlite3.SQLITE_BUSY: StoreLocked,
    sqlite3.SQLITE_LOCKED: StoreLocked,
}
_DAMAGE_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def _primary_code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code; 0 if the module itself raised the error."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether the file itself is damaged, not its disk or folder."""
    return _primary_code(error) in _DAMAGE_CODES


def damage_error(verdict: str) -> sqlite3.Error:
    """Return the error for damage that a check found, with the check's message."""
    error = sqlite3.DatabaseError(verdict)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


_ERRNO_CLASSES: dict[int, type[StoreError]] = {
    errno.EROFS: StoreReadOnly,
    errno.ENOSPC: StoreFull,
    errno.EDQUOT: StoreFull,
}


def to_store_error(error: sqlite3.Error | OSError) -> StoreError:
    """Convert to a StoreError; `detail` is SQLite's or the system's message."""
    kind: type[StoreError] = StoreError
    if isinstance(error, sqlite3.Error):
        kind = _ERROR_CLASSES.get(_primary_code(error), StoreError)
    elif isinstance(error, PermissionError):
        kind = StoreReadOnly
    else:
        kind = _ERRNO_CLASSES.get(error.errno or 0, StoreError)
    return kind(str(error))


def to_read_error(error: sqlite3.Error) -> StoreError:
    """Convert an error of reading: its text doesn't mention storing."""
    fault = to_store_error(error)
    return StoreUnread(fault.detail) if type(fault) is StoreError else fault
