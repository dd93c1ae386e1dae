"""`call-forms.json` in the data folder: further forms of leaked calls, declared by the user.

The file is read again when it changes. A file that can't be used is reported in the log, and the
forms that come with the program are read.
"""

from __future__ import annotations

import logging
from pathlib import Path

from neodeskpet.core.dialects.leaked.declaration import read_declarations
from neodeskpet.core.dialects.leaked.families import FAMILIES
from neodeskpet.core.dialects.leaked.interpreter import families_of_user
from neodeskpet.core.dialects.leaked.source import Family
from neodeskpet.core.json_text import read_json
from neodeskpet.settings.config_files import ConfigFile, FileStamp, stamp_of

FILE_NAME = "call-forms.json"

_LIMIT = 200_000  # bytes

_log = logging.getLogger(__name__)


def read_forms(path: Path) -> tuple[Family, ...]:
    """Return the families that the file declares, followed by the built-in ones. Raises OSError,
    and ValueError with the reason.
    """
    declarations = read_declarations(read_json(ConfigFile(path, _LIMIT).read()))
    return (*families_of_user(declarations), *FAMILIES)


class LeakedCallForms:
    """The families in use; those of the file at `path` come first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: FileStamp | None = None
        self._families: tuple[Family, ...] = FAMILIES

    def families(self) -> tuple[Family, ...]:
        stamp = stamp_of(self._path)
        if stamp != self._seen:
            self._seen = stamp
            self._families = FAMILIES if stamp is None else self._read()
        return self._families

    def _read(self) -> tuple[Family, ...]:
        try:
            return read_forms(self._path)
        except (OSError, ValueError) as error:
            _log.warning("%s can't be used: %s", self._path, error)
            return FAMILIES
