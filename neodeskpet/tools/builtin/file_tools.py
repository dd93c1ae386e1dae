"""Tools for the user's files, limited to the allowed folders (`tools/files/allowed_folders.py`)."""

from __future__ import annotations

import asyncio
import fnmatch
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.errors import InvalidArguments, ToolError
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.sensitive_paths import holds_secrets
from neodeskpet.core.tool_result import (
    ApprovalText,
    ShownDiff,
    ShownList,
    ShownTable,
    ToolResult,
    count_brief,
    name_of,
)
from neodeskpet.core.toolspec import Mode, Risk
from neodeskpet.language import tr
from neodeskpet.platform.private_files import TooLarge, read_regular
from neodeskpet.platform.redaction import HIDDEN_MARK, redact_tokens
from neodeskpet.toolkit.registry import Progress, RunInBackground, Tool, tool
from neodeskpet.toolkit.undo import Undoer
from neodeskpet.tools.files.allowed_folders import AllowedFolders, NoFolderAllowed, file_refused
from neodeskpet.tools.files.text_files import (
    KEPT_SECONDS,
    MOST_TEXT_BYTES,
    FileBackups,
    TextFile,
    decode_file,
    diff_text,
    file_digest,
    is_write_protected,
    read_text,
    replace_file,
    restore_from_trash,
)

_ENTRIES = 300
_LINES = 2_000
_FOUND = 100
_SEARCHED = 20_000
_SEARCH_SECONDS = 20.0
_LINE = 300
_WRITTEN = 1_000_000
_PATH = "Whole path, or one within the first allowed folder."

FilePath = Annotated[str, Field(min_length=1, max_length=4_096, description=_PATH)]


def file_tools(folders: AllowedFolders, kept: FileBackups) -> list[Tool]:
    return [*_reading(folders), _searching(folders), *_writing(folders, kept), *_moving(folders)]


def _reading(folders: AllowedFolders) -> list[Tool]:
    @tool(
        "file.list",
        title=N_("List files"),
        risk=Risk.READ,
        main_argument="path",
        timeout=20,
        outside=True,
        reads=SourceKind.FILE,
    )
    def list_files(
        path: Annotated[str, Field(max_length=4_096, description=f"{_PATH} Left out: all.")] = "",
    ) -> ToolResult:
        """List one of the user's folders; without a path, list the allowed folders."""
        return _list(folders.existing(path), path) if path.strip() else _roots(folders)

    @tool(
        "file.read",
        title=N_("Read a file"),
        risk=Risk.READ,
        main_argument="path",
        timeout=20,
        outside=True,
        offered=lambda: bool(folders.roots()),
        reads=SourceKind.FILE,
    )
    def read(
        path: FilePath,
        first_line: Annotated[int, Field(ge=1, description="Counted from 1.")] = 1,
        lines: Annotated[int, Field(ge=1, le=_LINES, description="At most so many.")] = _LINES,
    ) -> ToolResult:
        """Read one of the user's text files."""
        every = redact_tokens(read_text(folders.file(path), path).text).split("\n")
        part = every[first_line - 1 : first_line - 1 + lines]
        rest = len(every) - (first_line - 1 + len(part))
        more = f"\n[{rest} more lines, from {first_line + len(part)} on]" if rest > 0 else ""
        brief = count_brief(len(part), N_("1 line"), N_("{count} lines"))
        return ToolResult("\n".join(part) + more, brief=brief)

    return [list_files, read]


def _searching(folders: AllowedFolders) -> Tool:
    @tool(
        "file.search",
        title=N_("Search in files"),
        risk=Risk.READ,
        main_argument="text",
        mode=Mode.EITHER,
        timeout=_SEARCH_SECONDS + 20,
        outside=True,
        offered=lambda: bool(folders.roots()),
        reads=SourceKind.FILE,
    )
    def search(
        progress: Progress,
        text: Annotated[str, Field(max_length=500, description="In the files, case ignored.")] = "",
        name: Annotated[str, Field(max_length=200, description="Of the files: *.txt")] = "*",
        path: Annotated[str, Field(max_length=4_096, description="Folder. Left out: all.")] = "",
        background: RunInBackground = False,
    ) -> ToolResult:
        """Find the user's files by name, by a text in them, or both. A direct call searches for
        20 seconds at most; in the background, it has no time limit.
        """
        if not text and name == "*":
            raise InvalidArguments.at("text", N_("there is nothing to search for."))
        places = [folders.existing(path)] if path.strip() else folders.roots()
        found = _Search(text.casefold(), name, progress, whole=background).run(places)
        lines = tuple(found.lines)
        listing = "\n".join(lines) + found.more or "Nothing was found."
        brief = (
            count_brief(len(found.files), N_("1 file"), N_("{count} files"))
            if lines
            else Reason(N_("nothing found"))
        )
        shown = ShownList(lines) if lines else None
        return ToolResult(listing, {"files": found.files}, shown, brief=brief)

    return search


def _writing(folders: AllowedFolders, kept: FileBackups) -> list[Tool]:
    @tool(
        "file.write",
        title=N_("Write a file"),
        risk=Risk.WRITE,
        main_argument="path",
        timeout=20,
        scope={"path": ScopeKind.FOLDER},
        preview=partial(_written, folders),
        ask=partial(_ask_write, folders),
        offered=lambda: bool(folders.roots()),
    )
    def write_file(
        path: FilePath,
        text: Annotated[str, Field(max_length=_WRITTEN, description="All that is to be in it.")],
    ) -> ToolResult:
        """Write one of the user's text files; it replaces the content."""
        place = folders.place(path)
        if place.is_dir():
            raise file_refused(path, N_("it is a folder."))
        old = read_text(place, path) if place.exists() else TextFile("")
        if HIDDEN_MARK in text and redact_tokens(old.text) != old.text:
            message = N_(
                "“{hidden}” replaces a secret of the file: change the rest with file.edit."
            )
            raise InvalidArguments.at("text", message, hidden=HIDDEN_MARK)
        return _change(kept, place, old, text)

    @tool(
        "file.edit",
        title=N_("Change a file"),
        risk=Risk.WRITE,
        main_argument="path",
        timeout=20,
        scope={"path": ScopeKind.FOLDER},
        preview=partial(_edited, folders),
        ask=partial(_ask_edit, folders),
        offered=lambda: bool(folders.roots()),
        reads=SourceKind.FILE,
    )
    def edit(
        path: FilePath,
        old: Annotated[
            str, Field(min_length=1, max_length=_WRITTEN, description="The exact text.")
        ],
        new: Annotated[str, Field(max_length=_WRITTEN, description="The text in its place.")],
        which: Annotated[
            Literal["only", "all"], Field(description="If it occurs several times.")
        ] = "only",
    ) -> ToolResult:
        """Replace a passage in one of the user's text files."""
        place = folders.file(path)
        file = read_text(place, path)
        return _change(kept, place, file, _replaced(file.text, old, new, which))

    return [write_file, edit]


def _moving(folders: AllowedFolders) -> list[Tool]:
    @tool(
        "file.move",
        title=N_("Move a file"),
        risk=Risk.WRITE,
        main_argument="path",
        timeout=60,
        scope={"path": ScopeKind.FOLDER, "to": ScopeKind.FOLDER},
        ask=partial(_ask_move, folders),
        offered=lambda: bool(folders.roots()),
    )
    def move(path: FilePath, to: FilePath) -> ToolResult:
        """Move or rename one of the user's files or folders. Nothing is overwritten."""
        source = _no_root(folders, path)
        target = folders.place(to)
        if target.is_dir():
            target = target / source.name
        if os.path.lexists(target):
            raise file_refused(to, N_("something with that name already exists."))
        source.rename(target)
        undo = {"until": time.time() + KEPT_SECONDS, "from": str(source), "to": str(target)}
        brief = Reason(N_("now {name}"), {"name": name_of(target.name)})
        data = {"path": str(target), "undo": undo}
        return ToolResult(f"Moved to {target}.", data, brief=brief)

    @tool(
        "file.trash",
        title=N_("Move a file to the trash"),
        risk=Risk.WRITE,
        main_argument="path",
        timeout=60,
        scope={"path": ScopeKind.FOLDER},
        ask=partial(_ask_trash, folders),
        offered=lambda: bool(folders.roots()),
    )
    def trash(path: FilePath) -> ToolResult:
        """Move one of the user's files or folders to the trash. Nothing is deleted permanently."""
        source = _no_root(folders, path)
        begun = time.time()
        from send2trash import send2trash  # late: it searches for desktop libraries

        send2trash(str(source))
        undo = {"until": begun + KEPT_SECONDS, "path": str(source), "at": begun}
        data = {"path": str(source), "undo": undo}
        return ToolResult(f"{source} is in the trash.", data, brief=Reason(N_("in the trash")))

    return [move, trash]


def _roots(folders: AllowedFolders) -> ToolResult:
    names = [str(root) for root in folders.roots()]
    if not names:
        raise NoFolderAllowed(advice="Tell the user.")
    return ToolResult("\n".join(names), {"folders": names}, ShownList(tuple(names)))


def _list(folder: Path, named: str) -> ToolResult:
    if not folder.is_dir():
        raise file_refused(named, N_("it is a file."))
    rows = sorted(_rows(folder), key=lambda row: (not row[0].endswith("/"), row[0].casefold()))
    text = "\n".join("\t".join(row) for row in rows[:_ENTRIES])
    if len(rows) > _ENTRIES:
        text += f"\n[{len(rows) - _ENTRIES} more are not listed]"
    header = (tr("Name"), tr("Size"), tr("Changed"))
    return ToolResult(text or "It is empty.", None, ShownTable(header, tuple(rows[:_ENTRIES])))


def _no_root(folders: AllowedFolders, path: str) -> Path:
    """Return the entry at `path` (the link itself, if it is one). Raises ToolError for an allowed
    folder itself.
    """
    found = folders.entry(path)
    if not found.is_symlink() and any(found.samefile(root) for root in folders.roots()):
        raise file_refused(path, N_("it is an allowed folder itself."))
    return found


def _ask_write(folders: AllowedFolders, path: str, text: str) -> ApprovalText:
    place = folders.place(path)
    words = (
        N_("Overwrite the file “{name}”?") if place.exists() else N_("Create the file “{name}”?")
    )
    title = Reason(words, {"name": name_of(place.name)})
    return ApprovalText(title, str(place), verb=N_("Write"), keep=N_("Don't write"))


def _ask_edit(
    folders: AllowedFolders, path: str, old: str, new: str, which: str = "only"
) -> ApprovalText:
    place = folders.place(path)
    title = Reason(N_("Change the file “{name}”?"), {"name": name_of(place.name)})
    return ApprovalText(title, str(place), verb=N_("Change"), keep=N_("Leave it as it is"))


def _ask_move(folders: AllowedFolders, path: str, to: str) -> ApprovalText:
    source, target = folders.entry(path), folders.place(to)
    title = Reason(N_("Move “{name}”?"), {"name": name_of(source.name)})
    thing = f"{source}\n→ {target}"
    return ApprovalText(title, thing, verb=N_("Move"), keep=N_("Leave it there"))


def _ask_trash(folders: AllowedFolders, path: str) -> ApprovalText:
    place = folders.entry(path)
    title = Reason(N_("Move “{name}” to the trash?"), {"name": name_of(place.name)})
    return ApprovalText(title, str(place), verb=N_("Move to the trash"), keep=N_("Keep it"))


def _written(folders: AllowedFolders, path: str, text: str) -> ShownDiff:
    """Return what file.write would change."""
    place = folders.place(path)
    old = read_text(place, path).text if place.exists() else ""
    return ShownDiff(diff_text(old, text.replace("\r\n", "\n"), place.name), str(place))


def _edited(
    folders: AllowedFolders, path: str, old: str, new: str, which: str = "only"
) -> ShownDiff:
    """Return what file.edit would change."""
    text = read_text(folders.file(path), path).text
    return _written(folders, path, _replaced(text, old, new, which))


def _replaced(text: str, old: str, new: str, which: str) -> str:
    count = text.count(old)
    if count == 0:
        raise InvalidArguments.at("old", N_("it is not in the file. Read it first."))
    if count > 1 and which == "only":
        text = N_("it occurs {count} times.")
        advice = "Give more of the text around it, or which=all."
        raise InvalidArguments.at("old", text, advice=advice, count=str(count))
    return text.replace(old, new)


def _rows(folder: Path) -> Iterator[tuple[str, str, str]]:
    for entry in os.scandir(folder):
        try:
            known = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        changed = datetime.fromtimestamp(known.st_mtime).isoformat(" ", "minutes")
        if entry.is_dir(follow_symlinks=False):
            yield f"{entry.name}/", "", changed
        else:
            yield entry.name, str(known.st_size), changed


def _change(kept: FileBackups, place: Path, old: TextFile, text: str) -> ToolResult:
    new = text.replace("\r\n", "\n")
    diff = diff_text(old.text, new, place.name)
    change = diff_text(redact_tokens(old.text), redact_tokens(new), place.name)
    if is_write_protected(place):
        raise file_refused(str(place), N_("it is write-protected."))
    undo = kept.add(place)
    replace_file(place, old.content(text))
    undo["after"] = file_digest(place)
    done = f"{place} was {'changed' if undo['before'] else 'made'}."
    data = {"path": str(place), "undo": undo}
    return ToolResult(f"{done}\n{change}", data, ShownDiff(diff, str(place)))


@dataclass(slots=True)
class _Found:
    lines: list[str]
    files: list[str]
    more: str = ""


class _Search:
    """A search in folders. It doesn't follow links, and stops at a number of results and after a
    time; a `whole` search has no time limit.
    """

    def __init__(self, text: str, name: str, progress: Progress, *, whole: bool = False) -> None:
        self._text = text
        self._name = name
        self._progress = progress
        self._end = float("inf") if whole else time.monotonic() + _SEARCH_SECONDS
        self._most = float("inf") if whole else _SEARCHED
        self._seen = 0

    def run(self, places: list[Path]) -> _Found:
        found = _Found([], [])
        for place in places:
            for file in self._files(place):
                if len(found.files) >= _FOUND:
                    found.more = "\n[There are more: look for less.]"
                    return found
                if self._seen > self._most or time.monotonic() > self._end:
                    found.more = (
                        "\n[It took too long: look in a smaller folder, or in the background.]"
                    )
                    return found
                self._look(file, found)
        return found

    def _files(self, place: Path) -> Iterator[Path]:
        if place.is_file():
            yield place
        for folder, inner, names in os.walk(place):
            inner[:] = sorted(
                one for one in inner if not one.startswith(".") and not holds_secrets(one)
            )
            for name in sorted(names):
                self._seen += 1
                if self._seen % 500 == 0:
                    self._progress(None, folder[-60:])
                if fnmatch.fnmatch(name.casefold(), self._name.casefold()):
                    file = Path(folder, name)
                    if not holds_secrets(str(file)):
                        yield file

    def _look(self, file: Path, found: _Found) -> None:
        if not self._text:
            found.files.append(str(file))
            found.lines.append(str(file))
            return
        try:
            if file.is_symlink():
                return
            content = read_regular(file, MOST_TEXT_BYTES)
        except (OSError, TooLarge):
            return
        if b"\0" in content[:8_192]:
            return
        text = decode_file(content).text
        if self._text not in text.casefold():
            return
        lines = redact_tokens(text).split("\n")
        hits = [(at, line) for at, line in enumerate(lines, 1) if self._text in line.casefold()]
        if hits:
            found.files.append(str(file))
            found.lines += [f"{file}:{at}: {line.strip()[:_LINE]}" for at, line in hits[:5]]


class FileUndo:
    """Undoes the change of a file tool. The folders are checked again: the user may have removed
    one since, and the stored data may be manipulated.
    """

    def __init__(
        self,
        folders: AllowedFolders,
        paths: tuple[str, ...],
        restore: Callable[[Mapping[str, object]], bool],
    ) -> None:
        """`paths` are the keys of the undo data that hold paths."""
        self._folders = folders
        self._paths = paths
        self._restore = restore

    async def undo(self, data: Mapping[str, object]) -> bool:
        return await asyncio.to_thread(self._undo, data)

    def _undo(self, data: Mapping[str, object]) -> bool:
        try:
            for name in self._paths:
                self._folders.place(str(data[name]))
        except ToolError:
            return False
        return self._restore(data)


def _move_back(data: Mapping[str, object]) -> bool:
    source, target = Path(str(data["to"])), Path(str(data["from"]))
    if os.path.lexists(target) or not os.path.lexists(source):
        return False
    source.rename(target)
    return True


def _from_trash(data: Mapping[str, object]) -> bool:
    return restore_from_trash(Path(str(data["path"])), float(str(data["at"])))


def file_undoers(kept: FileBackups, folders: AllowedFolders) -> dict[str, Undoer]:
    change = FileUndo(folders, ("path",), kept.restore)
    return {
        "file.write": change,
        "file.edit": change,
        "file.move": FileUndo(folders, ("from", "to"), _move_back),
        "file.trash": FileUndo(folders, ("path",), _from_trash),
    }
