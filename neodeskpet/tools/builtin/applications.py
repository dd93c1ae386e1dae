"""Finds installed programs by the names that people use, and opens one of them without a shell. On
Linux they are desktop entries, on macOS bundles in the Applications folders, on Windows entries of
the Start menu.
"""

from __future__ import annotations

import configparser
import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from pydantic import Field

from neodeskpet.core.errors import InvalidArguments, ToolFailed
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import ApprovalText, ShownText, ToolResult, name_of
from neodeskpet.core.toolspec import Risk
from neodeskpet.platform.child_process import allowed_environment
from neodeskpet.toolkit.registry import Tool, tool

_SECTION = "Desktop Entry"
_ENTRY_BYTES = 200_000
_NEAR = 8


@dataclass(frozen=True, slots=True)
class Application:
    """An installed program. `names` are all its names, the usual one first. `command` starts it
    without a shell; if it is empty, the system opens `file`.
    """

    names: tuple[str, ...]
    file: Path
    command: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.names[0]


def installed_applications(
    environ: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> list[Application]:
    """Return the programs that can be started now. Reads many small files: call it in a thread."""
    if platform == "darwin":
        return _in_folders(
            [Path("/Applications"), Path("/System/Applications")], "*.app", "*/*.app"
        )
    if platform == "win32":
        menus = [environ.get(name) for name in ("APPDATA", "PROGRAMDATA")]
        start = [Path(menu, "Microsoft/Windows/Start Menu/Programs") for menu in menus if menu]
        return _in_folders(start, "**/*.lnk")
    return list(_entries(environ))


def application_named(wanted: str, known: Iterable[Application]) -> Application | None:
    """Return the program named `wanted`, ignoring case."""
    folded = wanted.strip().casefold()
    for one in known:
        if any(folded == name.casefold() for name in one.names):
            return one
    return None


def similar_applications(wanted: str, known: Iterable[Application]) -> list[str]:
    """Return names that contain `wanted` or are similar to it, the best first."""
    folded = wanted.strip().casefold()
    names = {name.casefold(): one.name for one in known for name in one.names}
    holding = [name for name in sorted(names, key=len) if folded in name or name in folded]
    alike = get_close_matches(folded, names, n=_NEAR, cutoff=0.6)
    return list(dict.fromkeys(names[name] for name in [*holding, *alike]))[:_NEAR]


def _in_folders(folders: Iterable[Path], *patterns: str) -> list[Application]:
    found = {
        path.stem: path
        for folder in folders
        for pattern in patterns
        for path in sorted(folder.glob(pattern))
    }
    return [Application((name,), path) for name, path in found.items()]


# Linux


def _entries(environ: Mapping[str, str]) -> Iterator[Application]:
    home = environ.get("XDG_DATA_HOME") or str(Path(environ.get("HOME", "~"), ".local/share"))
    shared = environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    seen: set[str] = set()
    for base in (home, *shared.split(":")):
        folder = Path(base, "applications")
        for file in sorted(folder.glob("**/*.desktop")) if base else ():
            entry_id = str(file.relative_to(folder)).replace("/", "-")
            if entry_id in seen:
                continue  # the user's own entries take precedence over the system's
            seen.add(entry_id)
            found = read_entry(file)
            if found is not None:
                yield found


def read_entry(file: Path) -> Application | None:
    """Return the program of a desktop entry; None if the entry is hidden, needs a terminal, its
    program isn't installed, or the file can't be read.
    """
    reader = configparser.RawConfigParser(delimiters=("=",), strict=False, comment_prefixes=("#",))
    reader.optionxform = str  # type: ignore[assignment]  # names are told apart by case
    try:
        if file.stat().st_size > _ENTRY_BYTES:
            return None
        reader.read_string(file.read_text("utf-8", "replace"))
    except (OSError, configparser.Error):
        return None
    if not reader.has_section(_SECTION):
        return None
    entry = dict(reader.items(_SECTION))
    shown = [entry.get(key) != "true" for key in ("Hidden", "NoDisplay", "Terminal")]
    if entry.get("Type") != "Application" or not entry.get("Name") or not all(shown):
        return None
    command = _command(entry.get("Exec", ""), entry["Name"], file)
    if not command or any(not _is_there(one) for one in (command[0], entry.get("TryExec")) if one):
        return None
    local = [value for key, value in entry.items() if key.startswith("Name[")]
    names = (entry["Name"], *local, file.stem, file.stem.rpartition(".")[2], Path(command[0]).name)
    return Application(tuple(dict.fromkeys(names)), file, command)


def _command(line: str, name: str, file: Path) -> tuple[str, ...]:
    """Split an `Exec` line; field codes are replaced or removed, nothing else is expanded."""
    try:
        words = shlex.split(line.replace("\\\\", "\\"))
    except ValueError:
        return ()
    codes = {"%c": name, "%k": str(file), "%%": "%"}
    filled = (codes.get(word, word) for word in words)
    return tuple(
        word.replace("%%", "%") for word in filled if not (word[:1] == "%" and len(word) == 2)
    )


def _is_there(program: str) -> bool:
    return shutil.which(program) is not None


_SOON = 1.0
"""Seconds. A program that fails within this time counts as not opened."""


def application_tools(
    find: Callable[[], Sequence[Application]] = installed_applications,
) -> list[Tool]:
    """Make the tool. `find` returns the installed programs; it is called for each call of
    the tool.
    """

    def ask(name: str) -> ApprovalText:
        found = _named(name, find())
        title = Reason(N_("Start “{name}”?"), {"name": name_of(found.name)})
        return ApprovalText(title, undoable=None, verb=N_("Start"), keep=N_("Don't start"))

    def preview(name: str) -> ShownText | None:
        found = application_named(name, find())
        return None if found is None else ShownText(f"{found.name}\n{_command_of(found)}")

    @tool(
        "app.open",
        title=N_("Open a program"),
        risk=Risk.RUN,
        main_argument="name",
        timeout=30,
        scope={"name": ScopeKind.VALUE},
        preview=preview,
        ask=ask,
    )
    def open_app(
        name: Annotated[str, Field(min_length=1, max_length=200, description="Its name.")],
    ) -> ToolResult:
        """Open a program that is installed on the user's computer."""
        found = _named(name, find())
        _start(found)
        return ToolResult(f"{found.name} was opened.", brief=Reason(N_("started")))

    return [open_app]


def _named(name: str, known: Sequence[Application]) -> Application:
    found = application_named(name, known)
    if found is None:
        raise _unknown(name, similar_applications(name, known))
    return found


def _unknown(name: str, like: Sequence[str]) -> InvalidArguments:
    if not like:
        return InvalidArguments.at("name", N_("there is no program named {name}."), name=name)
    words = N_("there is no program named {name}. Similar names: {names}.")
    return InvalidArguments.at("name", words, name=name, names=", ".join(like))


def _command_of(found: Application) -> str:
    return shlex.join(found.command) if found.command else str(found.file)


def _start(found: Application) -> None:
    """Start the program. Raises OSError and ToolFailed."""
    if sys.platform == "win32":
        os.startfile(found.file)
        return
    command = found.command or ("open", str(found.file))
    process = subprocess.Popen(
        command,
        env=allowed_environment(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = process.wait(_SOON)
    except subprocess.TimeoutExpired:  # still running; waiting for its exit avoids a zombie process
        threading.Thread(target=process.wait, name="app", daemon=True).start()
        return
    if code != 0:
        raise ToolFailed(f"It ended at once (exit code {code}).")
