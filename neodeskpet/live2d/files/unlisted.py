"""Expression and motion files that lie beside a model, though its settings don't name them.

Many models come so: made for another program, that finds the files by itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_DEPTH = 4
MOST_UNLISTED = 300
_EXPRESSIONS = {3: (".exp3.json",), 2: (".exp.json",)}
_MOTIONS = {3: (".motion3.json",), 2: (".mtn",)}


def add_unlisted(tree: dict[str, Any], root: Path, listed: set[str]) -> None:
    """Add to the checked settings `tree` what lies in `root` and isn't in `listed`.

    An expression is named by its file, a motion's group by its file without the number at its end.
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
    """Files with these endings that belong to the model in `root`, and to no other."""
    for base, folders, files in os.walk(root):
        depth = len(Path(base).relative_to(root).parts)
        settings = [name for name in files if _is_settings(name)]
        if len(settings) > (1 if depth == 0 else 0):
            # Several models here, or one of its own: whose the files are nobody can tell.
            folders.clear()
            continue
        folders[:] = [] if depth >= _DEPTH else sorted(f for f in folders if f[0] != ".")
        for name in sorted(files):
            if name.lower().endswith(endings):
                yield Path(base) / name


def _is_settings(name: str) -> bool:
    lowered = name.lower()
    return lowered.endswith((".model3.json", ".model.json")) or lowered == "model.json"
