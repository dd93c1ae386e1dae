"""Where things lie: the data folder of the person, the assets that come with the app."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parent


def data_dir(chosen: str | None = None) -> Path:
    """The data folder: `chosen`, else `NEODESKPET_HOME`, else the platform's. Created if needed,
    for the person alone. Raises OSError.
    """
    path = data_path(chosen)
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path.resolve()


def data_path(chosen: str | None = None) -> Path:
    """The same, whether it is there or not."""
    named = chosen or os.environ.get("NEODESKPET_HOME")
    return Path(named).expanduser() if named else Path(platformdirs.user_data_dir("NeoDeskPet"))


def assets_dir() -> Path:
    """The assets: inside an installed package, else beside it in a checkout."""
    inside = _PACKAGE / "assets"
    return inside if inside.is_dir() else _PACKAGE.parent / "assets"


def own_command() -> list[str]:
    """What starts this program as it is installed here."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    script = Path(sys.executable).with_name("neodeskpet.exe" if os.name == "nt" else "neodeskpet")
    return [str(script)] if script.is_file() else [sys.executable, "-m", "neodeskpet"]
