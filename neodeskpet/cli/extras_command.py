"""`neodeskpet extras [add NAME | remove NAME]`: lists, adds and removes optional packages.

A bundle contains pip; an environment usually does. A package is installed completely or not at all,
from wheels of the versions that NeoDeskPet was tested with. Nothing is built, and neither the
bundle nor the environment is changed. Exit codes: 0 success, 1 failure, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from neodeskpet.cli.terminal import parse_words
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.platform.installation import EXTRAS, extra_command, extras_dir
from neodeskpet.voice.local_voice import EXTRA as LOCAL_VOICE
from neodeskpet.voice.local_voice import join_models

RunPip = Callable[[list[str]], int]

_PURPOSES = {
    "local": N_("a language model on this computer"),
    "local-voice": N_("speaking and listening on this computer"),
    "meaning": N_("search by meaning on this computer"),
    "ocr": N_("text recognition in pictures and on the screen"),
    "postgres": N_("sync of several computers through a PostgreSQL server"),
    "voice": N_("speech detection while the companion speaks, and English wake words"),
    "wake-name": N_("a recorded name as the wake word (licence: CC BY-NC-SA 4.0)"),
}

_FINISH: dict[str, Callable[[Path], None]] = {LOCAL_VOICE: join_models}
"""Steps after pip has installed a package into its folder. They raise KnownError."""


def run(argv: Sequence[str], pip: RunPip | None = None) -> int:
    """Run the command with its arguments (without the program's and the command's name). `pip` runs
    pip with the given arguments and returns its exit code.
    """
    words = parse_words(_parser(), argv)
    if isinstance(words, int):
        return words
    if words.word is None:
        return _list()
    place = extras_dir() / words.name
    if words.word == "remove":
        return _remove(words.name, place)
    found = pip or _own_pip()
    if found is None:
        reason = tr("this Python has no pip. Install pip for {python}.", python=sys.executable)
        print(tr("It could not be added: {reason}", reason=reason), file=sys.stderr)
        return 1
    return _add(words.name, place, found)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="neodeskpet extras", description=tr("Optional packages of NeoDeskPet.")
    )
    name = argparse.ArgumentParser(add_help=False)
    name.add_argument("name", choices=sorted(EXTRAS), metavar="NAME")
    words = parser.add_subparsers(dest="word")
    words.add_parser("add", parents=[name], help=tr("download it from PyPI and add it"))
    words.add_parser("remove", parents=[name], help=tr("remove it"))
    return parser


def _list() -> int:
    for name in EXTRAS:
        there = (extras_dir() / name).is_dir()
        state = tr("added") if there else extra_command(name)
        print(f"{name:11} {tr(_PURPOSES[name])} – {state}")
    return 0


def _add(name: str, place: Path, pip: RunPip) -> int:
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=".part-", dir=place.parent))
    except OSError as error:
        print(tr("It could not be added: {reason}", reason=str(error)), file=sys.stderr)
        return 1
    try:
        quiet = ["--disable-pip-version-check", "--no-input", "--no-warn-script-location"]
        quiet += ["--root-user-action", "ignore"]
        how = ["--no-deps", "--only-binary", ":all:", "--no-compile", "--target", str(part)]
        code = pip(["install", *quiet, *how, *EXTRAS[name]])
        if code != 0:
            said = tr("It could not be added: see pip's output above. Nothing was changed.")
            print(said, file=sys.stderr)
            return 1
        if name in _FINISH:
            _FINISH[name](part)
        shutil.rmtree(place, ignore_errors=True)
        part.rename(place)
    except KnownError as error:
        print(tr("It could not be added: {reason}", reason=format_error(error)), file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(part, ignore_errors=True)
    print(tr("{name} was added. Start NeoDeskPet again.", name=name))
    return 0


def _remove(name: str, place: Path) -> int:
    try:
        shutil.rmtree(place)
    except FileNotFoundError:
        print(tr("{name} was not added.", name=name))
        return 1
    except OSError as error:
        print(tr("It could not be removed: {reason}", reason=str(error)), file=sys.stderr)
        return 1
    print(tr("{name} was removed.", name=name))
    return 0


def _own_pip() -> RunPip | None:
    try:
        found: RunPip = importlib.import_module("pip._internal.cli.main").main
    except ModuleNotFoundError:
        return None
    return found
