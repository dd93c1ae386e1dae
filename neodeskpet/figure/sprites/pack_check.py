"""Converts untrusted packs in a separate process (`importer_child.py`), so that the app opens no
untrusted picture. The converted figure is stored by the hash of the pack's content, and the app
loads it.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import signal
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.isolated_check import (
    CheckVerdict,
    known_verdict,
    run_isolated,
    store_verdict,
)
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.files.model_probe import BAD_WORD, OK_WORD, STEP_WORD
from neodeskpet.figure.sprites.sprite_figure import read_sprite_figure
from neodeskpet.figure.sprites.sprite_packs import SHIPPED_FORMAT, describe_pack, read_pack_content
from neodeskpet.language import tr
from neodeskpet.platform.child_process import child_command
from neodeskpet.platform.installation import assets_dir

_FORMAT = 1
"""Increased when the conversion changes, so that all packs are converted again."""
_OUT_OF_TIME = getattr(signal, "SIGXCPU", 0)


async def check_pack(file: Path, cache_dir: Path, timeout: float) -> tuple[ModelDescription, Path]:
    """Return the figure of the settings in `file`, converted and ready to load, and its folder.
    Raises ModelFileError.
    """
    if file.name == SHIPPED_FORMAT:
        return await asyncio.to_thread(_shipped, file), file.parent
    digest = await asyncio.to_thread(_digest, file)
    folder = cache_dir / "models" / digest
    verdict = await asyncio.to_thread(known_verdict, folder)
    if verdict is None:
        verdict = await _import_pack(file, folder, timeout)
    if verdict.reason:
        raise ModelFileError(verdict.reason, file=file.name)
    return await asyncio.to_thread(_ready, file, folder), folder


def _shipped(file: Path) -> ModelDescription:
    """Return the bundled figure, which was converted when the app was built."""
    if not file.resolve().is_relative_to(assets_dir().resolve()):
        raise ModelFileError(tr("It is outside the model's folder."), file=file.name)
    return describe_pack(file)


def _ready(file: Path, folder: Path) -> ModelDescription:
    body = read_sprite_figure(folder)
    found = describe_pack(file, body)
    sheets = tuple(folder / name for name in body.sheets)
    return replace(found, root=folder, textures=sheets)


def _digest(file: Path) -> str:
    """Return the hash of everything that is read. Raises ModelFileError."""
    recipe = read_pack_content(file)
    digest = hashlib.sha256(f"pictures {_FORMAT} {file.name}\n".encode())
    try:
        for one in (file, *recipe.files):
            digest.update(one.name.encode() + b"\0")
            with one.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    except OSError as error:
        raise ModelFileError(str(error), file=file.name) from None
    return digest.hexdigest()[:32]


async def _import_pack(file: Path, folder: Path, timeout: float) -> CheckVerdict:
    fresh = await asyncio.to_thread(_new_folder, folder, file)
    try:
        verdict = await _try(file, fresh, timeout)
        await asyncio.to_thread(_put, fresh, folder, verdict, file)
    finally:
        await asyncio.to_thread(shutil.rmtree, fresh, ignore_errors=True)
    return verdict


def _new_folder(folder: Path, file: Path) -> Path:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=folder.parent, prefix="new-"))
    except OSError as error:
        raise ModelFileError(str(error), file=file.name) from None


def _put(fresh: Path, folder: Path, verdict: CheckVerdict, file: Path) -> None:
    try:
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    except OSError as error:
        raise ModelFileError(str(error), file=file.name) from None
    store_verdict(folder, verdict)


async def _try(file: Path, out: Path, timeout: float) -> CheckVerdict:
    """Convert a pack. Raises ModelFileError if the conversion itself failed, which is no verdict
    about the pack.
    """
    command = [*child_command("develop"), str(file), str(out)]
    try:
        code, output = await run_isolated(command, timeout)
    except subprocess.TimeoutExpired:
        seconds = f"{timeout:.0f}"
        raise ModelFileError(
            tr("The check did not finish within {seconds} s.", seconds=seconds), file=file.name
        ) from None
    except OSError as error:
        raise ModelFileError(str(error), file=file.name) from None
    lines = output.decode("utf-8", "replace").splitlines()
    last = lines[-1] if lines else ""
    if (code == 0 and last == OK_WORD.strip()) or last.startswith(OK_WORD):
        return CheckVerdict()
    if last.startswith(BAD_WORD):
        return CheckVerdict(reason=last.removeprefix(BAD_WORD))
    step = next(
        (one.removeprefix(STEP_WORD) for one in reversed(lines) if one.startswith(STEP_WORD)), ""
    )
    if _OUT_OF_TIME and code == -_OUT_OF_TIME:
        return CheckVerdict(reason=tr("The check took too long (at: {step}).", step=step))
    if not step:
        raise ModelFileError(tr("The check of the model could not be started."), file=file.name)
    return CheckVerdict(reason=tr("It crashed the check process (at: {step}).", step=step))
