"""Copies an untrusted folder or zip of a model into a folder of the app.

Refused: names that lead outside (zip slip, absolute, drive letters), links, devices, archives that
expand too much (size, number, ratio), encrypted ones, and compression methods other than stored or
deflated: a few bytes of bzip2 or LZMA become gigabytes in one step. Sizes are counted while
writing; the sizes that an archive declares are not trusted.
"""

from __future__ import annotations

import io
import os
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.model_reader import MOST_FOLDER_DEPTH, file_error, names_settings
from neodeskpet.figure.sprites.pack_content import PICTURES
from neodeskpet.figure.sprites.sprite_packs import is_pack_file_name, root_of
from neodeskpet.language import tr
from neodeskpet.platform.private_files import open_regular

MOST_FILES = 4000
MOST_BYTES = 1_000_000_000
MOST_RATIO = 200
"""A file this many times larger than in the archive is treated as a zip bomb, unless it
is small.
"""
_SMALL = 20_000_000
_DEEPEST = 12
_MOST_AT_ONCE = 4_000_000
"""Bytes. The list of an archive's files is read in one piece and is normally far shorter."""
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_CHUNK = 1 << 20
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_FORBIDDEN = frozenset('<>:"|?*') | {chr(code) for code in range(32)}


_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    LookupError,
    NotImplementedError,
    EOFError,
    RuntimeError,
)
"""The exceptions of the standard library for a broken archive."""


def copy_import(source: Path, target: Path) -> None:
    """Copy the folder, zip or settings file `source` into `target`, a new folder. Blocking.

    Raises ModelFileError; the caller removes the files that were written before the error.
    """
    try:
        target.mkdir(parents=True)
        if source.is_dir():
            _copy_folder(source, target)
        elif source.is_file() and zipfile.is_zipfile(source):
            _unzip(source, target)
        elif source.is_file() and is_pack_file_name(source.name):
            _copy_folder(root_of(source), target)
        elif source.is_file() and source.suffix.lower() == ".json":
            _copy_folder(source.parent, target)
        elif source.is_file() and source.suffix.lower() in PICTURES:
            _copy_file(source, target)
        else:
            raise file_error(source.name, tr("It is neither a folder nor a zip file."))
    except _DAMAGED as error:
        raise file_error(
            source.name, tr("The archive is damaged: {reason}", reason=str(error))
        ) from None
    except (OSError, ValueError) as error:
        raise file_error(source.name, str(error)) from None


def settings_in(source: Path) -> tuple[str, ...]:
    """Return the names of the settings files by which it looks like a figure: by file names alone,
    and only a limited number of them. Blocking; unreadable files contain none.
    """
    try:
        if source.is_dir():
            names: Iterable[str] = islice(_names_in(source), MOST_FILES)
        elif source.suffix.lower() == ".zip":
            with _LimitedFile(source) as file, zipfile.ZipFile(file) as archive:
                members = archive.infolist()[: 2 * MOST_FILES]
                names = [
                    PurePosixPath(member.filename.replace("\\", "/")).name for member in members
                ]
        else:
            names = (source.name,)
        return tuple(filter(names_settings, names))
    except (*_DAMAGED, OSError, ValueError):
        return ()


def _names_in(folder: Path) -> Iterator[str]:
    for base, folders, files in os.walk(folder):
        depth = len(Path(base).relative_to(folder).parts)
        folders[:] = (
            [] if depth >= MOST_FOLDER_DEPTH else sorted(f for f in folders if not _is_ignored(f))
        )
        yield from files


class _Budget:
    """The remaining limits of an import."""

    def __init__(self, source: Path) -> None:
        self._source = source
        self._files = 0
        self._bytes = 0

    def file(self) -> None:
        self._files += 1
        if self._files > MOST_FILES:
            raise self.refuse(tr("It contains more than {count} files.", count=str(MOST_FILES)))

    def spend(self, count: int) -> None:
        self._bytes += count
        if self._bytes > MOST_BYTES:
            limit = str(MOST_BYTES // 1_000_000)
            raise self.refuse(tr("It is larger than {limit} MB unpacked.", limit=limit))

    def refuse(self, reason: str) -> ModelFileError:
        return file_error(self._source.name, reason)


# Folders


def _copy_folder(source: Path, target: Path) -> None:
    budget = _Budget(source)
    for file, relative in _walk(source, budget):
        budget.file()
        place = target / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        with open_regular(file) as reading, place.open("xb") as writing:
            _copy_stream(reading, writing, budget, None)


def _copy_file(source: Path, target: Path) -> None:
    budget = _Budget(source)
    with open_regular(source) as reading, (target / source.name).open("xb") as writing:
        _copy_stream(reading, writing, budget, None)


def _walk(source: Path, budget: _Budget) -> Iterator[tuple[Path, Path]]:
    for base, folders, files in os.walk(source):
        here = Path(base)
        if len(here.relative_to(source).parts) >= _DEEPEST:
            raise budget.refuse(tr("Its folders are nested too deeply."))
        folders[:] = sorted(name for name in folders if not _is_ignored(name))
        for name in (*folders, *sorted(files)):
            if (here / name).is_symlink():
                raise budget.refuse(tr("It contains a link: {name}", name=name))
        for name in sorted(files):
            file = here / name
            if _is_ignored(name):
                continue
            if not stat.S_ISREG(file.lstat().st_mode):
                raise budget.refuse(
                    tr("It contains something that is not a file: {name}", name=name)
                )
            yield file, file.relative_to(source)


def _is_ignored(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX"


# Archives


def _unzip(source: Path, target: Path) -> None:
    budget = _Budget(source)
    with _LimitedFile(source) as file, zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) > 2 * MOST_FILES:
            raise budget.refuse(tr("It contains more than {count} files.", count=str(MOST_FILES)))
        for member in members:
            relative = _safe_name(member, budget)
            if relative is None:
                continue
            budget.file()
            place = target / relative
            place.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as reading, place.open("xb") as writing:
                _copy_stream(reading, writing, budget, member.compress_size)


class _LimitedFile(io.FileIO):
    """A file that limits the size of one read. Raises ValueError for more."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MOST_AT_ONCE:
            raise ValueError(tr("Its list of files is too long."))
        return super().read(-1 if size is None else size) or b""


def _safe_name(member: zipfile.ZipInfo, budget: _Budget) -> PurePosixPath | None:
    """Return the target of a member, None for one that is left out. Raises ModelFileError."""
    name = _decoded(member).replace("\\", "/")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise budget.refuse(tr("It contains a link: {name}", name=name))
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise budget.refuse(tr("It contains something that is not a file: {name}", name=name))
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or name[1:2] == ":":
        raise budget.refuse(
            tr("It contains a file with a path outside its folder: {name}", name=name)
        )
    if any(letter in _FORBIDDEN for letter in name):
        raise budget.refuse(tr("It contains a file with a forbidden name: {name}", name=repr(name)))
    if member.flag_bits & _ENCRYPTED:
        raise budget.refuse(tr("It is encrypted."))
    if member.compress_type not in _PACKED:
        raise budget.refuse(
            tr("It uses an unsupported compression method. Pack it as a plain zip.")
        )
    if len(path.parts) > _DEEPEST:
        raise budget.refuse(tr("Its folders are nested too deeply."))
    if name.endswith("/") or not path.parts or any(_is_ignored(part) for part in path.parts):
        return None
    return path


def _decoded(member: zipfile.ZipInfo) -> str:
    """Return the name of a member without declared encoding: Chinese ones are often GBK."""
    if member.flag_bits & _UTF8_NAME:
        return member.filename
    try:
        raw = member.filename.encode("cp437")
    except UnicodeEncodeError:
        return member.filename
    for encoding in ("utf-8", "gbk"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return member.filename


def _copy_stream(
    reading: IO[bytes], writing: IO[bytes], budget: _Budget, packed: int | None
) -> None:
    """Copy a stream; `packed` is its size in the archive."""
    written = 0
    while chunk := reading.read(_CHUNK):
        written += len(chunk)
        budget.spend(len(chunk))
        if packed is not None and written > max(_SMALL, packed * MOST_RATIO):
            raise budget.refuse(tr("Its files are far larger unpacked than in the archive."))
        writing.write(chunk)


def remove_folder(folder: Path) -> None:
    """Remove a folder of the app with its contents; links are removed, not followed."""
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder)
