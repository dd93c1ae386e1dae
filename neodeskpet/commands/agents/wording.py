"""What a coding agent wants to do, in words that a person can check: the command, the path or the
diff.

Nothing is shortened: what is too long for a question isn't asked at the companion.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping

from neodeskpet.language import tr

_COMMANDS = ("command", "cmd", "script")
_PATHS = ("file_path", "filePath", "filepath", "path", "absolute_path", "notebook_path")
_CONTENTS = ("content", "new_source", "file_text")
_PAIRS = (("old_string", "new_string"), ("oldString", "newString"), ("old_str", "new_str"))
_ADDRESSES = ("url", "uri")
_PATCHES = ("patch", "diff", "input")


def request_text(tool: str, given: Mapping[str, object]) -> str:
    """What a call of `tool` with these arguments does."""
    command = _command(given)
    patch = _first(given, _PATCHES)
    if "*** Begin Patch" in command:
        command, patch = "", command
    why = given.get("description") or given.get("justification")
    reason = f"\n({why})" if isinstance(why, str) and why.strip() else ""
    path = _first(given, _PATHS)
    if command:
        return f"{tr('Run a command:')}\n{command}{reason}"
    if patch.startswith(("*** Begin Patch", "--- ", "diff ", "@@")):
        return f"{tr('Change files:')}\n{patch}{reason}"
    changes = _changes(given)
    if path and changes:
        return f"{tr('Change {path}:', path=path)}\n{changes}{reason}"
    content = _first(given, _CONTENTS)
    if path and content:
        return f"{tr('Write {path}:', path=path)}\n{content}{reason}"
    address = _first(given, _ADDRESSES)
    if path or address:
        return f"{tool}: {path or address}{reason}"
    lines = [f"{key}: {_plain(value)}" for key, value in given.items()]
    return "\n".join([tool or tr("Something"), *lines])


def _command(given: Mapping[str, object]) -> str:
    for key in _COMMANDS:
        value = given.get(key)
        if isinstance(value, list):
            return " ".join(map(str, value))
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _first(given: Mapping[str, object], keys: tuple[str, ...]) -> str:
    texts = (value for key in keys if isinstance(value := given.get(key), str) and value.strip())
    return next(texts, "")


def _changes(given: Mapping[str, object]) -> str:
    """The changes of an edit as the lines of a diff."""
    edits = given.get("edits")
    parts = [given] if not isinstance(edits, list) else [e for e in edits if isinstance(e, dict)]
    return "\n…\n".join(filter(None, map(_change, parts)))


def _change(edit: Mapping[str, object]) -> str:
    for old, new in _PAIRS:
        before, after = edit.get(old), edit.get(new)
        if isinstance(before, str) and isinstance(after, str):
            lines = difflib.ndiff(before.splitlines(), after.splitlines())
            return "\n".join(line for line in lines if not line.startswith("?"))
    return ""


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
