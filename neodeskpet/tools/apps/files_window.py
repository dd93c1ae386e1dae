"""The user's files as an app, limited to the allowed folders. It uses the file tools, so the same
calls ask the user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from neodeskpet.core.app_windows.window import WindowOptions
from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.errors import ToolError
from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_result import ShownList, ShownTable, ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.toolkit.app_window import App, launch_result
from neodeskpet.toolkit.executor import run_tool
from neodeskpet.toolkit.registry import Tool
from neodeskpet.tools.files.allowed_folders import NoFolderAllowed

Asks = Callable[[ToolSpec, Mapping[str, object]], bool]
"""Returns whether a call needs the user's approval."""

_SHOWN = 4_000
"""Most characters of a folder's list."""


def files_app(tools: Mapping[str, Tool], asks: Asks, enabled: Callable[[ToolSpec], bool]) -> App:
    """Make the app. `tools` maps names to the tools of the toolbox. The window's target is a
    folder; its list is shown if listing needs no approval.
    """
    listing = tools["file.list"]

    async def content(target: str) -> str:
        arguments = {"path": target}
        spec = listing.spec
        if not enabled(spec):
            return "(Folders aren't shown.)"
        if asks(spec, arguments):
            return "(Call `list` to see what is in a folder; it asks the user.)"
        try:
            result = await run_tool(listing, spec, arguments, _silent, _SHOWN)
        except ToolError as error:
            return f"({error})"
        return f"{target}:\n{result.text}" if target.strip() else f"Allowed folders:\n{result.text}"

    return App(
        "files",
        N_("Files"),
        "The user's files, within the folders that they allowed.",
        content,
        {
            "open": _open(listing),
            "list": listing,
            "read": tools["file.read"],
            "search": tools["file.search"],
            "write": tools["file.write"],
            "edit": tools["file.edit"],
            "move": tools["file.move"],
            "trash": tools["file.trash"],
        },
        WindowOptions(appended=True),
        reads=SourceKind.FILE,
        private=True,
    )


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A file or folder as the user's panel shows it; `size` and `changed` are formatted texts."""

    path: str
    name: str
    folder: bool
    size: str = ""
    changed: str = ""


async def list_folder(app: App, folder: str) -> list[FolderEntry]:
    """Return the content of a folder for the user's panel, or the allowed folders if `folder` is
    "". Raises ToolError.
    """
    listing = app.actions["list"]
    try:
        result = await run_tool(listing, listing.spec, {"path": folder}, _silent)
    except NoFolderAllowed:
        return []
    match result.shown:
        case ShownTable(rows=rows):
            return [_listed(folder, *row) for row in rows]
        case ShownList(items=roots):
            return [FolderEntry(root, root, True) for root in roots]
        case _:
            return []


def _listed(folder: str, name: str, size: str, changed: str) -> FolderEntry:
    inner = name.endswith("/")
    name = name.removesuffix("/")
    return FolderEntry(str(Path(folder, name)), name, inner, size, changed)


def _open(listing: Tool) -> Tool:
    """Return the action that opens a folder: it has the name of `listing`, so the same rules apply,
    and shows the list in the window.
    """

    async def open_folder(
        path: Annotated[
            str, Field(max_length=4_096, description="The folder; left out: all.")
        ] = "",
    ) -> ToolResult:
        listed = await run_tool(listing, listing.spec, {"path": path}, _silent)
        return replace(listed, data=launch_result("files", path))

    return replace(
        listing,
        function=open_folder,
        description="Show a folder in this window, from now on.",
    )


def _silent(fraction: float | None, text: str) -> None:
    """Ignore progress."""
