"""What a server's process gets of this computer's environment.

Most servers are started by npx or uvx, which want a PATH, a language and the proxies. A desktop
starts an app with less than a terminal has: the folders where those programs usually lie are added.
Nothing else goes along but what the server's own settings say and what the person named for all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from neodeskpet.children import allowed_environment

_OURS = "NEODESKPET_"
_OF_THE_BUNDLE = ("_MEIPASS", "_PYI_", "PYTHONHOME")
_USUAL = (
    ".local/bin",
    ".cargo/bin",
    ".bun/bin",
    ".deno/bin",
    ".volta/bin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
)


def variables_for(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that a server's settings may name: all but our own."""
    return {name: value for name, value in environ.items() if not name.startswith(_OURS)}


def server_environment(
    environ: Mapping[str, str],
    own: Mapping[str, str],
    *,
    more: Iterable[str] = (),
    home: Path,
    is_folder: Callable[[Path], bool] = Path.is_dir,
) -> dict[str, str]:
    """The whole environment of a server whose settings say `own`; `more`: further names that the
    person lets all programs have.
    """
    before = {  # PyInstaller
        name.removesuffix("_ORIG"): value
        for name, value in environ.items()
        if name.endswith("_ORIG")
    }
    known = {
        name: value
        for name, value in variables_for(environ).items()
        if not name.startswith(_OF_THE_BUNDLE) and not name.endswith("_ORIG")
    }
    kept = allowed_environment(known | before, more)
    kept["PATH"] = _longer_path(kept.get("PATH", os.defpath), home, is_folder)
    if not any(kept.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        kept["LANG"] = "C.UTF-8"
    return kept | dict(own)


def _longer_path(path: str, home: Path, is_folder: Callable[[Path], bool]) -> str:
    known = path.split(os.pathsep)
    more = (home / one for one in _USUAL)
    return os.pathsep.join([*known, *_new(more, known, is_folder)])


def _new(folders: Iterable[Path], known: list[str], is_folder: Callable[[Path], bool]) -> list[str]:
    return [str(one) for one in folders if str(one) not in known and is_folder(one)]
