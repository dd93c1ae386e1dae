"""Finds the files of a figure within its folder and limits, and expression and motion files that
the settings do not name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from neodeskpet.language import tr


def find_file(root: Path, name: str) -> tuple[Path, int]:
    """Return the file `name` of the figure in `root`, and its size in bytes. If it doesn't exist, a
    file whose name differs only in case is used: Windows, where figures are made, ignores case.
    Raises ValueError if it is missing or outside the folder.
    """
    try:
        path = (root / name.replace("\\", "/")).resolve()
        # Usually `root` is already resolved; resolving it again costs as much as reading the file.
        if not path.is_relative_to(root) and not path.is_relative_to(root.resolve()):
            raise ValueError(tr("It is outside the model's folder."))
        if not path.is_file():
            path = _in_other_case(root, name).resolve()
            if not path.is_file() or not path.is_relative_to(root.resolve()):
                raise ValueError(tr("The file is missing."))
        return path, path.stat().st_size
    except (OSError, RuntimeError) as error:
        raise ValueError(str(error)) from None


def _in_other_case(root: Path, name: str) -> Path:
    """Find a file that differs only in case. Raises OSError."""
    at = root
    for part in PurePosixPath(name.replace("\\", "/")).parts:
        exact = at / part
        if part == ".." or exact.exists():
            at = exact
            continue
        wanted = part.casefold()
        beside = sorted(at.iterdir()) if at.is_dir() else []
        at = next((one for one in beside if one.name.casefold() == wanted), exact)
    return at


def check_bytes(size: int, limit: int) -> None:
    """Raises ValueError for a file that is empty or larger than `limit`."""
    if size == 0:
        raise ValueError(tr("The file is empty."))
    if size > limit:
        raise ValueError(tr("The file is too large ({size} MB).", size=str(size // 1_000_000)))


def too_large_text(width: int, height: int, limit: int) -> str:
    """Return the message for a picture with more pixels a side than `limit`."""
    return tr(
        "Its size {width} × {height} is not between 1 and {limit}.",
        width=str(width),
        height=str(height),
        limit=str(limit),
    )


_DEPTH = 4
MOST_UNLISTED = 300
_EXPRESSIONS = {3: (".exp3.json",), 2: (".exp.json",)}
_MOTIONS = {3: (".motion3.json",), 2: (".mtn",)}


def add_unlisted(tree: dict[str, Any], root: Path, listed: set[str]) -> None:
    """Add files of `root` that aren't in `listed` to the checked settings `tree`.

    An expression is named after its file, a group of motions after its file without the number at
    the end.
    """
    version = 3 if "FileReferences" in tree else 2
    references = tree["FileReferences"] if version == 3 else tree
    expressions = references["Expressions" if version == 3 else "expressions"]
    motions = references["Motions" if version == 3 else "motions"]
    name_key, file_key = ("Name", "File") if version == 3 else ("name", "file")
    known = {_plain(name) for name in listed}
    taken = {entry[name_key] for entry in expressions}
    for number, file in enumerate(_files(root, _EXPRESSIONS[version] + _MOTIONS[version])):
        relative = file.relative_to(root).as_posix()
        if _plain(relative) in known:
            continue
        if number >= MOST_UNLISTED:
            return
        if file.name.lower().endswith(_EXPRESSIONS[version]):
            name = _free(_stem(file.name), taken)
            taken.add(name)
            expressions.append({name_key: name, file_key: relative})
        else:
            stem = _stem(file.name)
            group = re.sub(r"[\s_\-.]*\d+$", "", stem) or stem
            motions.setdefault(group, []).append({file_key: relative})


def _plain(name: str) -> str:
    return os.path.normpath(name.replace("\\", "/")).casefold()


def _stem(name: str) -> str:
    return name.split(".")[0][:200] or name[:200]


def _free(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name} {number}", number + 1
    return free


def _files(root: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    """Yield files with these endings that belong to the model in `root` and to no other."""
    for base, folders, files in os.walk(root):
        depth = len(Path(base).relative_to(root).parts)
        settings = [name for name in files if _is_settings(name)]
        if len(settings) > (1 if depth == 0 else 0):
            # Several models, or a model of its own: the owner of the files is unknown.
            folders.clear()
            continue
        folders[:] = [] if depth >= _DEPTH else sorted(f for f in folders if f[0] != ".")
        for name in sorted(files):
            if name.lower().endswith(endings):
                yield Path(base) / name


def _is_settings(name: str) -> bool:
    lowered = name.lower()
    return lowered.endswith((".model3.json", ".model.json")) or lowered == "model.json"
