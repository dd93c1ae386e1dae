"""Checks models before a load: checks of the files, a clean copy, a load in a separate process.

A bad model does not raise, it ends the process. So before a load, in this order:

1. every JSON is parsed and checked, every file is inside the folder, every texture is decoded;
2. the core's own consistency check passes the moc;
3. the checked files are copied to the cache, rewritten from the checked values; a probe in a
   separate process loads and plays the copy. The verdict is stored by the hash of the content.

The app then loads the copy, so nothing can change between the check and the load. A figure made
of pictures is checked and converted by `sprites/pack_check.py`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from neodeskpet.core.errors import LibraryMissing, ModelFileError
from neodeskpet.figure.files.file_lookup import too_large_text
from neodeskpet.figure.files.isolated_check import (
    CheckVerdict,
    known_verdict,
    run_isolated,
    shipped_verdict,
    store_verdict,
)
from neodeskpet.figure.files.live2d_formats import Number
from neodeskpet.figure.files.moc_file import check_moc
from neodeskpet.figure.files.model_probe import BAD_WORD, CONTEXT_STEP, OK_WORD, STEP_WORD
from neodeskpet.figure.files.model_reader import (
    ModelDescription,
    checked_file,
    describe_model,
    file_error,
    file_slots,
    optional_files,
    read_optional,
    settings_file,
)
from neodeskpet.figure.live2d.library import has_cubism_core, library_version
from neodeskpet.figure.sprites.sprite_packs import is_pack
from neodeskpet.language import tr
from neodeskpet.platform.child_process import child_command

PROBE_SECONDS = 90.0
KEPT_COPIES = 8
TEXTURE_SIDE = 8192
TEXTURE_PIXELS = 2 * TEXTURE_SIDE * TEXTURE_SIDE
_FORMAT = 4
"""Increased when checks become stricter, so that old verdicts are ignored."""

_OUT_OF_TIME = getattr(signal, "SIGXCPU", 0)
_PNG = b"\x89PNG\r\n\x1a\n"
_SETTINGS = "model.json"


class _ProbeResult(BaseModel):
    """The last line of a successful probe."""

    expressions: list[str]
    motions: dict[str, int]
    reach: tuple[Number, Number, Number, Number] | None = None


@dataclass(frozen=True, slots=True)
class _Copy:
    """A clean copy in the cache. `verdict` is None until it was checked."""

    description: ModelDescription
    folder: Path
    verdict: CheckVerdict | None

    @property
    def settings(self) -> Path:
        return self.folder / _SETTINGS


async def recheck_model(path: Path, cache_dir: Path) -> CheckVerdict:
    """Check the model at `path` again, without known verdicts. Raises ModelFileError."""
    copy = await asyncio.to_thread(_prepare, path, cache_dir, KEPT_COPIES)
    return await _try(copy, PROBE_SECONDS)


async def check_model(
    path: Path,
    cache_dir: Path,
    *,
    timeout: float = PROBE_SECONDS,
    kept: int = KEPT_COPIES,
    core: bool | None = None,
) -> ModelDescription:
    """Return the model at `path`, checked and ready to load from its clean copy under `cache_dir`.

    Takes milliseconds for a known model, else seconds; the event loop is not blocked. `timeout` (s)
    is the probe's, `kept` the number of other copies that are kept, `core` whether Live2D's library
    is part of this program (None: find out). Raises ModelFileError, whose detail names the file and
    the reason.
    """
    file = await asyncio.to_thread(settings_file, path)
    if is_pack(file):
        from neodeskpet.figure.sprites.pack_check import check_pack

        found, folder = await check_pack(file, cache_dir, timeout)
        if folder.parent == cache_dir / "models":
            await asyncio.to_thread(_prune, folder, kept)
        return found
    if not (has_cubism_core() if core is None else core):
        raise LibraryMissing(file=file.name)
    copy = await asyncio.to_thread(_prepare, path, cache_dir, kept)
    verdict = copy.verdict
    if verdict is None:
        verdict = await _try(copy, timeout)
        await asyncio.to_thread(store_verdict, copy.folder, verdict)
    if verdict.reason:
        raise file_error(copy.description.file.name, verdict.reason)
    return replace(copy.description, reach=verdict.reach)


def _prepare(path: Path, cache_dir: Path, kept: int) -> _Copy:
    description = describe_model(path)
    digest = content_digest(description)
    folder = cache_dir / "models" / digest
    try:
        verdict = known_verdict(folder)
        if verdict is not None and verdict.reason:
            return _Copy(description, folder, verdict)
        if verdict is None:
            verdict = shipped_verdict(digest)
            if verdict is None:
                check_textures(description)
                _check_moc(description)
            _write_copy(description, folder)
            if verdict is not None:
                store_verdict(folder, verdict)
            _prune(folder, kept)
        return _Copy(_at(description, folder), folder, verdict)
    except OSError as error:
        raise file_error(description.file.name, str(error)) from None


def content_digest(description: ModelDescription) -> str:
    """Return the hash of everything that the library will read, of the library and of
    these checks.
    """
    digest = hashlib.sha256(f"{_FORMAT} {library_version()}\n{description.settings}".encode())
    known: dict[Path, bytes] = {}
    for file in (description.moc, *description.textures, *optional_files(description)):
        if file not in known:
            try:
                with file.open("rb") as stream:
                    known[file] = hashlib.file_digest(stream, "sha256").digest()
            except OSError as error:
                raise file_error(file.name, str(error)) from None
        digest.update(known[file])
    return digest.hexdigest()[:32]


# Steps 1 and 2


def check_textures(description: ModelDescription) -> None:
    """Decode every texture completely, once. Raises ModelFileError."""
    from PIL import Image  # not needed for a known figure, which is shown sooner without it

    pixels = 0
    known: dict[Path, int] = {}
    for file in description.textures:
        try:
            if file not in known:
                known[file] = _check_texture(file)
            pixels += known[file]
        except (ValueError, OSError, SyntaxError, Image.DecompressionBombError) as error:
            raise file_error(file.name, str(error)) from None
        if pixels > TEXTURE_PIXELS:
            raise file_error(file.name, tr("The textures are too large in total."))


def _check_texture(file: Path) -> int:
    from PIL import Image

    with file.open("rb") as stream:
        head = stream.read(24)
        if not head.startswith(_PNG) or len(head) < 24:
            raise ValueError(tr("It is not a PNG picture."))
        width, height = (int.from_bytes(head[at : at + 4], "big") for at in (16, 20))
        if not (0 < width <= TEXTURE_SIDE and 0 < height <= TEXTURE_SIDE):
            raise ValueError(too_large_text(width, height, TEXTURE_SIDE))
        stream.seek(0)
        _check_chunks(stream.read())
        stream.seek(0)
        with Image.open(stream, formats=("PNG",)) as picture:
            picture.load()
    return width * height


def _check_chunks(data: bytes) -> None:
    """Check that every chunk of a PNG is complete: Pillow tolerates errors, the library's reader
    fails.
    """
    at = len(_PNG)
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        body = data[at + 4 : at + 8 + length]
        crc = data[at + 8 + length : at + 12 + length]
        if len(crc) != 4 or zlib.crc32(body) != int.from_bytes(crc, "big"):
            raise ValueError(tr("The picture is damaged."))
        if body.startswith(b"IEND"):
            return
        at += 12 + length
    raise ValueError(tr("It is incomplete."))


def _check_moc(description: ModelDescription) -> None:
    try:
        check_moc(description.moc.read_bytes(), description.version)
    except ValueError as error:
        raise file_error(description.moc.name, str(error)) from None


# The clean copy


@dataclass(frozen=True, slots=True)
class _Source:
    """A file of a clean copy: `file` itself, or the result of `clean`."""

    name: str
    file: Path
    clean: Callable[[str], str] | None


def _rewritten(description: ModelDescription) -> tuple[dict[str, Any], list[_Source]]:
    """Return the settings with plain file names, and the file for each such name: one for all
    places with the same name. Raises ValueError.
    """
    tree: dict[str, Any] = json.loads(description.settings)
    sources: dict[tuple[Path, Callable[[str], str] | None], _Source] = {}
    for number, slot in enumerate(file_slots(tree)):
        file = checked_file(description.root, slot.file, sys.maxsize)
        suffix = "".join(Path(slot.file.replace("\\", "/")).suffixes[-2:]).lower()
        name = f"{number:03}{suffix if suffix.isascii() and suffix.isprintable() else ''}"
        source = sources.setdefault((file, slot.kind), _Source(name, file, slot.kind))
        slot.holder[slot.key] = source.name
    return tree, list(sources.values())


def _write_copy(description: ModelDescription, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="new-") as name:
        fresh = Path(name) / "copy"
        fresh.mkdir()
        try:
            tree, sources = _rewritten(description)
            for source in sources:
                _write_source(source, fresh / source.name, old=description.version == 2)
        except ValueError as error:  # a file changed while it was read
            raise file_error(description.file.name, str(error)) from None
        settings = json.dumps(tree, indent=4, ensure_ascii=False)
        (fresh / _SETTINGS).write_text(settings, encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)


def _write_source(source: _Source, target: Path, *, old: bool) -> None:
    if source.clean is not None:
        target.write_text(read_optional(source.file, source.clean), encoding="utf-8")
    elif old and _is_png(source.file):
        from neodeskpet.figure.files.texture_edges import copy_with_bled_edges

        copy_with_bled_edges(source.file, target)
    else:
        shutil.copyfile(source.file, target)


def _is_png(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.read(len(_PNG)) == _PNG


def _at(description: ModelDescription, folder: Path) -> ModelDescription:
    """Return the same model with the paths of its clean copy."""
    settings = (folder / _SETTINGS).read_text(encoding="utf-8")
    required = [slot.file for slot in file_slots(json.loads(settings)) if slot.kind is None]
    return replace(
        description,
        root=folder,
        settings=settings,
        motion_files=description.own_motion_files(),
        moc=folder / required[0],
        textures=tuple(folder / name for name in required[1:]),
    )


def _prune(keep: Path, kept: int) -> None:
    copies = [path for path in keep.parent.iterdir() if path.is_dir() and path != keep]
    copies.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for old in copies[kept:]:
        shutil.rmtree(old, ignore_errors=True)


# Step 3


async def _try(copy: _Copy, timeout: float) -> CheckVerdict:
    """Run the probe. Raises ModelFileError if the check itself failed, which is no verdict about
    the model.
    """
    code, lines = await _run_probe(copy, timeout, gl=True)
    if code not in (0, 1) and _last_step(lines) == CONTEXT_STEP:
        # The graphics driver crashed, not the model.
        code, lines = await _run_probe(copy, timeout, gl=False)
    last = lines[-1] if lines else ""
    if code == 0 and last.startswith(OK_WORD):
        return _compare(copy.description, last.removeprefix(OK_WORD))
    if last.startswith(BAD_WORD):
        return CheckVerdict(reason=last.removeprefix(BAD_WORD))
    step = _last_step(lines)
    if _OUT_OF_TIME and code == -_OUT_OF_TIME:
        return CheckVerdict(reason=tr("The check took too long (at: {step}).", step=step))
    if not step:
        raise file_error(
            copy.description.file.name, tr("The check of the model could not be started.")
        )
    return CheckVerdict(reason=tr("It crashed the check process (at: {step}).", step=step))


def _last_step(lines: list[str]) -> str:
    steps = [line for line in lines if line.startswith(STEP_WORD)]
    return steps[-1].removeprefix(STEP_WORD) if steps else ""


def _compare(description: ModelDescription, line: str) -> CheckVerdict:
    """Compare the names that the library reports with those that were read from the files."""
    try:
        found = _ProbeResult.model_validate_json(line)
    except ValueError:
        return CheckVerdict(reason=tr("The check of the model returned unreadable output."))
    same = set(found.expressions) == set(description.own_expressions)
    if same and found.motions == description.own_motions:
        return CheckVerdict(reach=found.reach)
    return CheckVerdict(
        reason=tr("The library finds other expressions or motions than the settings name.")
    )


async def _run_probe(copy: _Copy, timeout: float, *, gl: bool) -> tuple[int, list[str]]:
    command = [*child_command("probe"), str(copy.settings), *([] if gl else ["--no-gl"])]
    try:
        code, output = await run_isolated(command, timeout)
    except subprocess.TimeoutExpired:
        raise file_error(
            copy.description.file.name,
            tr("The check did not finish within {seconds} s.", seconds=f"{timeout:.0f}"),
        ) from None
    return code, output.decode("utf-8", "replace").splitlines()


__all__ = [
    "ModelFileError",
    "check_model",
    "check_textures",
    "content_digest",
    "recheck_model",
]
