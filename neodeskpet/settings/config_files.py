"""Files that users may edit by hand: settings, services, MCP servers, character cards.

Unknown content is kept. If a file cannot be read, its error is reported with the line, the last
good copy is used, and the file is copied to `NAME.broken-TIME` before it is overwritten. A symbolic
link stays a link: its target is written.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import json
import logging
import shutil
from collections.abc import Mapping
from pathlib import Path

from neodeskpet.core.errors import SettingsError
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.json_edit import edited, laid_out
from neodeskpet.core.json_text import TooDeep
from neodeskpet.language import tr
from neodeskpet.platform.private_files import (
    NotRegular,
    TooLarge,
    broken_copy_path,
    last_good_path,
    read_regular,
    write_private,
)

_MEGABYTE = 1_000_000

_BY_NUMBER: Mapping[int, str] = {
    errno.ENOENT: N_("The file does not exist."),
    errno.ENOTDIR: N_("The file does not exist."),
    errno.EACCES: N_("You don't have permission to read this file."),
    errno.EPERM: N_("You don't have permission to read this file."),
    errno.EISDIR: N_("It is a folder, not a file."),
    errno.ENAMETOOLONG: N_("The name of the file is too long."),
    errno.ELOOP: N_("The symbolic link points to itself."),
}


def read_error_reason(error: Exception) -> Reason:
    """Return one sentence for an error raised while a file was opened, read, decoded or parsed."""
    match error:
        case TooLarge():
            most = str(error.most // _MEGABYTE) if error.most >= _MEGABYTE else "1"
            return Reason(N_("It is larger than {count} MB."), {"count": most})
        case NotRegular():
            return Reason(N_("It is not a regular file."))
        case OSError():
            return Reason(_BY_NUMBER.get(error.errno or 0, N_("The file can't be read.")))
        case UnicodeDecodeError():
            line = str(error.object.count(b"\n", 0, error.start) + 1)
            return Reason(N_("Line {line} is not UTF-8 text."), {"line": line})
        case json.JSONDecodeError():
            return Reason(N_("Line {line} is not valid JSON."), {"line": str(error.lineno)})
        case TooDeep() | RecursionError():
            return Reason(N_("It is nested too deeply."))
    return Reason(N_("It is damaged, or its type doesn't match its name."))


class SettingsRestored(SettingsError):
    code = "settings_restored"
    hint = N_("A copy of the file was saved as {copy}; the last good settings are used.")


class WrongValues(SettingsError):
    code = "settings_wrong_values"
    what = N_("Some settings have invalid values; their defaults are used.")
    hint = N_("Correct them in {file}, or set them again in the settings.")


class InvalidSetting(SettingsError):
    """A value that a setting doesn't accept; `title` is the setting's title in the user's
    language.
    """

    code = "invalid_setting"
    what = N_("“{title}” doesn't accept this value.")
    hint = N_("Choose another value.")


class SettingsNotSaved(SettingsError):
    code = "settings_not_saved"
    what = N_("The settings can't be saved to {file}.")
    hint = N_(
        "They apply until NeoDeskPet ends. Check the free disk space and the permissions of the "
        "folder."
    )


FileStamp = tuple[int, int]

_log = logging.getLogger(__name__)


class ConfigFile:
    """A file of at most `most` bytes. The object holds no state besides the path."""

    def __init__(self, path: Path, most: int) -> None:
        self.path = path
        self._most = most

    def read(self) -> str:
        """Return the text (UTF-8, with or without a BOM). Raises OSError, and ValueError with the
        reason in the user's language.
        """
        return _decoded(self.path, self._most)

    def write(self, text: str) -> None:
        """Write `text` atomically, and create the folder. Raises OSError."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(self.path, _mark(self.path) + text.encode())

    def write_values(self, before: str, values: object) -> str:
        """Put `values` into the JSON text `before` ("" for none), write it and return the new text.
        Raises OSError.
        """
        try:
            text = edited(before, values)
        except ValueError:
            if before.strip():
                self.copy_broken()
            text = laid_out(values)
        self.write(text)
        return text

    def save_good_copy(self, text: str) -> None:
        """Store a usable text as the last good copy."""
        with contextlib.suppress(OSError):
            write_private(last_good_path(self.path), text)

    def good_copy(self) -> str | None:
        """Return the last good copy; None if there is none."""
        try:
            return _decoded(last_good_path(self.path), self._most)
        except (OSError, ValueError):
            return None

    def copy_broken(self, text: str | None = None) -> Path:
        """Copy the unreadable file (or `text`, if given) to a new name and return the copy's path.
        Raises OSError.
        """
        copy = broken_copy_path(self.path)
        if text is not None:
            write_private(copy, text)
        else:
            shutil.copy2(self.path, copy)
        _log.warning("%s can't be used and is kept as %s", self.path, copy.name)
        return copy

    def remove(self) -> None:
        """Delete the file and its last good copy. Raises OSError."""
        self.path.unlink(missing_ok=True)
        last_good_path(self.path).unlink(missing_ok=True)


def _mark(path: Path) -> bytes:
    """Return the BOM of the file, b"" if it has none."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return codecs.BOM_UTF8 if file.read(3) == codecs.BOM_UTF8 else b""
    return b""


def _decoded(path: Path, most: int) -> str:
    try:
        data = read_regular(path, most)
    except TooLarge:
        raise ValueError(tr("it is too large")) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(tr("line {line}", line=str(line)) + ": UTF-8") from error


def stamp_of(path: Path) -> FileStamp | None:
    """Return a value that changes with each change of the file; None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
