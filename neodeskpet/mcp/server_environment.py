"""The environment variables of a server's process, and which package provides the program that
starts a server.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePath

from neodeskpet.platform.child_process import allowed_environment

_PACKAGES = {
    "npx": "Node.js (nodejs.org)",
    "npm": "Node.js (nodejs.org)",
    "node": "Node.js (nodejs.org)",
    "uvx": "uv (docs.astral.sh/uv)",
    "uv": "uv (docs.astral.sh/uv)",
    "pipx": "pipx (pipx.pypa.io)",
    "python": "Python (python.org)",
    "python3": "Python (python.org)",
    "docker": "Docker (docs.docker.com)",
    "podman": "Podman (podman.io)",
    "bun": "Bun (bun.sh)",
    "bunx": "Bun (bun.sh)",
    "deno": "Deno (deno.com)",
    "dotnet": ".NET (dotnet.microsoft.com)",
    "go": "Go (go.dev)",
    "cargo": "Rust (rustup.rs)",
    "java": "Java (adoptium.net)",
    "jbang": "JBang (jbang.dev)",
    "git": "Git (git-scm.com)",
}


def program_of(command: str) -> str:
    """Return the program's name in `command`, a path or a name."""
    name = PurePath(command.replace("\\", "/")).name
    return name.removesuffix(".exe").removesuffix(".cmd")


def package_of(command: str) -> str:
    """Return the package that provides the program, "" if unknown."""
    return _PACKAGES.get(program_of(command).casefold(), "")


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
    """Return the variables that a server's configuration may refer to: all but our own."""
    return {name: value for name, value in environ.items() if not name.startswith(_OURS)}


def server_environment(
    environ: Mapping[str, str],
    own: Mapping[str, str],
    *,
    more: Iterable[str] = (),
    home: Path,
    is_folder: Callable[[Path], bool] = Path.is_dir,
) -> dict[str, str]:
    """Return the complete environment of a server with the configured variables `own`; `more` are
    the names that the user allows for all programs.
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
