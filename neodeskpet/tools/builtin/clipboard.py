"""The user's clipboard as tools and as an app window.

Reading asks, because the clipboard may hold anything; content that a program marked as a password
is never read. Writing shows what it replaces, and the tool card can restore it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Protocol

from pydantic import Field

from neodeskpet.core.attachments import Picture
from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.errors import NeedsWindow, ToolError
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import (
    ApprovalText,
    ShownDiff,
    ShownImage,
    ShownText,
    ToolResult,
    count_brief,
    text_brief,
)
from neodeskpet.core.toolspec import Disclosure, Risk
from neodeskpet.toolkit.app_window import App
from neodeskpet.toolkit.registry import Preview, Tool, tool
from neodeskpet.toolkit.undo import Undoer

_WRITTEN = 1_000_000
_READ = 1_000_000
_UNDO_SECONDS = 3_600
_LINES = 40
"""Lines of the old and the new text that the approval question shows."""


class ClipboardSecret(ToolError):
    code = "clipboard_secret"
    refusal = True
    what = N_("The clipboard content is marked as a password and isn't read.")


@dataclass(frozen=True, slots=True)
class ClipboardContent:
    """The clipboard's content; text, picture or files. `files` are absolute paths. `secret`: a
    program marked the content as a password, and no other field is set.
    """

    text: str = field(default="", repr=False)
    picture: Picture | None = None
    files: tuple[str, ...] = ()
    secret: bool = False


class Clipboard(Protocol):
    """The desktop's clipboard; called on the event loop."""

    async def read(self) -> ClipboardContent:
        """Return the content. Raises PictureRefused."""
        ...

    async def write(self, text: str) -> str:
        """Write `text` and return the key with which `restore` brings back the old content."""
        ...

    async def restore(self, key: str) -> bool:
        """Restore the content before that `write`. Return False if the clipboard was changed since,
        or after a restart.
        """
        ...


def clipboard_tools(clipboard: Clipboard | None) -> list[Tool]:
    """Make the tools. Without a clipboard (in the terminal) they report that there is none, and ask
    nothing.
    """

    @tool(
        "clipboard.read",
        title=N_("Read the clipboard"),
        risk=Risk.READ if clipboard is None else Risk.SENSITIVE_READ,
        timeout=30,
        outside=True,
        reads=SourceKind.CLIPBOARD,
        ask=_ask_read,
    )
    async def read() -> ToolResult:
        """Read the user's clipboard: text, a picture, or names of files."""
        clip = await _require_clipboard(clipboard).read()
        if clip.secret:
            raise ClipboardSecret(advice="Tell the user.")
        if clip.picture is not None:
            shown = ShownImage(clip.picture.digest)
            brief = Reason(N_("1 picture"))
            return ToolResult("See the picture.", shown=shown, images=(clip.picture,), brief=brief)
        if clip.files:
            brief = count_brief(len(clip.files), N_("1 file"), N_("{count} files"))
            return ToolResult("\n".join(clip.files), {"files": list(clip.files)}, brief=brief)
        cut = len(clip.text) - _READ
        more = f"\n[{cut} more characters were left out]" if cut > 0 else ""
        brief = text_brief(clip.text) if clip.text.strip() else Reason(N_("empty"))
        return ToolResult(clip.text[:_READ] + more or "The clipboard is empty.", brief=brief)

    @tool(
        "clipboard.write",
        title=N_("Write to the clipboard"),
        risk=Risk.READ if clipboard is None else Risk.WRITE,
        main_argument="text",
        timeout=30,
        preview=None if clipboard is None else _preview(clipboard),
        ask=_ask_write,
        sends=Disclosure.CONTENT,
    )
    async def write(
        text: Annotated[str, Field(min_length=1, max_length=_WRITTEN, description="Plain text.")],
    ) -> ToolResult:
        """Write a text to the user's clipboard; it replaces the content."""
        key = await _require_clipboard(clipboard).write(text)
        undo = {"until": time.time() + _UNDO_SECONDS, "key": key}
        brief = Reason(N_("copied"))
        return ToolResult("It is in the clipboard.", {"undo": undo}, ShownText(text), brief=brief)

    return [read, write]


def _ask_read() -> ApprovalText:
    title = Reason(N_("Read your clipboard?"))
    return ApprovalText(title, undoable=None, verb=N_("Read"), keep=N_("Don't read"))


def _ask_write(text: str) -> ApprovalText:
    title = Reason(N_("Replace the content of your clipboard?"))
    return ApprovalText(title, text, verb=N_("Replace"), keep=N_("Keep it"))


def _require_clipboard(clipboard: Clipboard | None) -> Clipboard:
    if clipboard is None:
        raise NeedsWindow(advice="Tell the user.")
    return clipboard


def _preview(clipboard: Clipboard) -> Preview:
    async def preview(text: str) -> ShownDiff:
        """Return what clipboard.write would replace."""
        old = await clipboard.read()
        before = _lines("-", _in_words(old))
        return ShownDiff("\n".join([*before, *_lines("+", text)]))

    return preview


def _in_words(clip: ClipboardContent) -> str:
    if clip.secret:
        return "••••••"
    if clip.picture is not None:
        return "🖼"
    return "\n".join(clip.files) or clip.text


def _lines(sign: str, text: str) -> list[str]:
    lines = text[: _LINES * 500].splitlines()
    short = [f"{sign}{line[:500]}" for line in lines[:_LINES]]
    return [*short, f"{sign}…"] if len(lines) > _LINES or len(text) > _LINES * 500 else short


class ClipboardUndo:
    def __init__(self, clipboard: Clipboard) -> None:
        self._clipboard = clipboard

    async def undo(self, data: Mapping[str, object]) -> bool:
        return await self._clipboard.restore(str(data["key"]))


def clipboard_undoers(clipboard: Clipboard | None) -> dict[str, Undoer]:
    return {} if clipboard is None else {"clipboard.write": ClipboardUndo(clipboard)}


def clipboard_app(tools: Mapping[str, Tool]) -> App:
    """Make the app; `tools` maps names to the tools of the toolbox."""

    async def content(target: str) -> str:
        return "(Call `read` to see what is in it; it asks the user.)"

    return App(
        "clipboard",
        N_("Clipboard"),
        "What the user has copied.",
        content,
        {"read": tools["clipboard.read"], "write": tools["clipboard.write"]},
        private=True,
    )
