"""Decides which files tools may touch: only those in folders that the user allowed.

All links of a path are resolved first, and the real path must be in an allowed folder. Folders are
compared by their identity on the disk, so that neither case nor an alias ("SSH~1", "Docs." on a
disk of Windows) can circumvent the check. Places that hold secrets (`core/sensitive_paths.py`) are
never touched, even in an allowed folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from neodeskpet.core.errors import InvalidArguments, ToolError
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.sensitive_paths import holds_secrets

_LONGEST = 4_096
_SECRET = frozenset({".ssh", ".gnupg", ".aws", ".kube", ".docker", ".password-store", "keyrings"})
"""Names whose aliases are checked too (SSH~1)."""
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)
"""Names that Windows treats as devices in any folder."""


class FileRefused(ToolError):
    code = "file_refused"
    what = N_("{path} can't be used.")


class NoFolderAllowed(ToolError):
    code = "no_folder_allowed"
    refusal = True
    what = N_("No folder is allowed yet: add one in Settings › Tools & permissions › Files.")


class AllowedFolders:
    """`allowed` returns the current folders, absolute. `closed` are never touched (the app's own
    data). `same` returns whether two paths are the same file or folder on the disk; it raises
    OSError if one is missing.
    """

    def __init__(
        self,
        allowed: Callable[[], Sequence[Path]],
        *,
        closed: Iterable[Path] = (),
        same: Callable[[Path, Path], bool] = Path.samefile,
    ) -> None:
        self._allowed = allowed
        self._same = same
        self._closed = tuple(closed)

    def roots(self) -> list[Path]:
        """Return the allowed folders that exist."""
        return [folder for folder in self._allowed() if folder.is_dir()]

    def existing(self, path: str) -> Path:
        """Return the real path of an existing file or folder. Raises ToolError."""
        found = self._inside(path)
        if not found.exists():
            raise file_refused(path, N_("there is no such file."))
        if not (found.is_file() or found.is_dir()):
            raise file_refused(path, N_("it is neither a file nor a folder."))
        return found

    def entry(self, path: str) -> Path:
        """Return the entry at `path`: a symbolic link itself, not its target. Both the link and its
        target must be in allowed folders. Raises ToolError.
        """
        found = self.existing(path)
        given = Path(path).expanduser()
        roots = self.roots()
        whole = given if given.is_absolute() else roots[0] / given
        if not whole.name or whole.name == ".." or not whole.is_symlink():
            return found
        return self._inside(str(whole.parent)) / whole.name

    def file(self, path: str) -> Path:
        """Return the real path of an existing file. Raises ToolError."""
        found = self.existing(path)
        if not found.is_file():
            raise file_refused(path, N_("it is a folder."))
        return found

    def place(self, path: str) -> Path:
        """Return the real path at which a file exists or can be created; its folder must exist."""
        found = self._inside(path)
        if not found.parent.is_dir():
            raise file_refused(path, N_("its folder doesn't exist."))
        if found.exists() and not (found.is_file() or found.is_dir()):
            raise file_refused(path, N_("it is neither a file nor a folder."))
        return found

    def real(self, path: str) -> str | None:
        """Return the real path with all links resolved, in an allowed folder or not; None for a
        path that no tool accepts. Approval and execution use the same resolution.
        """
        try:
            return str(self._real(path, self.roots()))
        except ToolError:
            return None

    @staticmethod
    def _real(path: str, roots: Sequence[Path]) -> Path:
        if not path.strip() or "\0" in path or len(path) > _LONGEST:
            raise InvalidArguments.at("path", N_("this isn't a path."))
        try:
            given = Path(path).expanduser()
            whole = given if given.is_absolute() or not roots else roots[0] / given
            real = Path(os.path.realpath(whole))
        except (OSError, RuntimeError, ValueError) as error:
            raise FileRefused(str(error), path=path[:200]) from None
        if not whole.is_absolute():
            raise NoFolderAllowed(advice="Tell the user.")
        if any(_DEVICES.fullmatch(part.strip(" .")) for part in whole.parts[1:]):
            raise file_refused(path, N_("it has the name of a device."))
        return real

    def _inside(self, path: str) -> Path:
        roots = self.roots()
        if not roots:
            raise NoFolderAllowed(advice="Tell the user.")
        real = self._real(path, roots)
        lineage = [real, *real.parents]
        if holds_secrets(str(real)) or any(map(self._holds_keys, lineage)):
            raise file_refused(path, N_("this place holds secrets. The user can attach the file."))
        if self._meets(lineage, self._closed):
            raise file_refused(path, N_("it belongs to NeoDeskPet itself."))
        if not self._meets(lineage, roots):
            allowed = ", ".join(map(str, roots[:10]))
            raise file_refused(
                path, N_("it is outside the allowed folders ({folders})."), folders=allowed
            )
        return real

    def _holds_keys(self, place: Path) -> bool:
        """Return whether it is a secret folder under an alias."""
        return self._meets([place], (place.parent / name for name in _SECRET))

    def _meets(self, lineage: Sequence[Path], folders: Iterable[Path]) -> bool:
        """Return whether one of `lineage` is one of `folders`, compared by identity on the disk."""
        return any(self._is_one(one, folder) for folder in folders for one in lineage)

    def _is_one(self, one: Path, other: Path) -> bool:
        try:
            return self._same(one, other)
        except OSError:
            return False  # it doesn't exist (yet)


def file_refused(path: str, why: str, /, **params: str) -> FileRefused:
    """Return the error; `why` is a text as in `Reason`."""
    return FileRefused(
        reasons=[Reason(why, params)],
        advice="Use another path, or tell the user.",
        path=path[:200],
    )
