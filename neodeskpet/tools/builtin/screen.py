"""The user's screen as tools: a picture of it, and its text, which is recognised on this computer
in a process of its own. Both ask, and the user sees what is captured: they drag the rectangle or
choose the window themselves.
"""

from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import threading
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Protocol

from pydantic import Field

from neodeskpet.core.attachments import Picture
from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.errors import NeedsWindow, ToolError, ToolFailed
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import ApprovalText, ShownImage, ToolResult, text_brief
from neodeskpet.core.toolspec import Risk
from neodeskpet.language import tr
from neodeskpet.platform.child_process import child_command, child_environment
from neodeskpet.platform.installation import extra_command
from neodeskpet.toolkit.registry import Tool, tool
from neodeskpet.tools.ocr_child import MEMORY_ENVIRONMENT


def is_ocr_installed() -> bool:
    """Whether the extra is installed."""
    return all(importlib.util.find_spec(name) for name in ("rapidocr", "onnxruntime"))


async def recognize_text(picture: bytes) -> str:
    """The words in an encoded picture, line by line; "" if there are none. Raises ToolFailed."""
    child = _OcrProcess()
    try:
        code, said = await asyncio.to_thread(child.read, picture)
    finally:
        child.end()
    if code != 0:
        raise ToolFailed(f"The words could not be recognised (exit code {code}).")
    return said.decode("utf-8", "replace")


class _OcrProcess:
    """One thread waits for it; `end` may come from another, also before it has begun."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False
        self._lock = threading.Lock()

    def read(self, picture: bytes) -> tuple[int, bytes]:
        """Exit code and what it said."""
        with self._lock:
            if self._ended:
                return -1, b""
            self._process = subprocess.Popen(
                child_command("read"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=child_environment() | MEMORY_ENVIRONMENT,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        with self._process as process:
            said = process.communicate(picture)[0]
        return process.returncode, said

    def end(self) -> None:
        with self._lock:
            self._ended = True
            if self._process is not None:
                self._process.kill()


_SECONDS = 300.0
"""The person may take their time to show what is meant."""

FitPicture = Callable[[bytes, str], Picture]
"""Makes a picture fit to be stored and sent; slow. Raises PictureRefused."""


class CaptureArea(StrEnum):
    REGION = "region"
    WINDOW = "window"
    SCREEN = "screen"


class ScreenHidden(ToolError):
    code = "screen_hidden"
    what = N_(
        "On this desktop (Wayland) programs can't see the screen. Take the picture with the "
        "desktop's own tool and paste it into the chat."
    )


class NothingCaptured(ToolError):
    code = "nothing_taken"
    what = N_("The person didn't choose anything on the screen.")


class OcrMissing(ToolError):
    code = "reader_missing"
    what = N_(
        "Reading words from the screen needs an addition that isn't installed. Install it with "
        "{command}, then start NeoDeskPet again."
    )


class Screen(Protocol):
    """The desktop's screens; awaited on the loop."""

    async def capture(self, area: CaptureArea) -> bytes:
        """An encoded picture of what the person points out. Cancelling it ends the choosing.
        Raises ScreenHidden and NothingCaptured.
        """
        ...


Where = Annotated[
    CaptureArea,
    Field(description="The person drags a region, points at a window, or it is all of the screen."),
]


def screen_tools(screen: Screen | None, fit: FitPicture, *, reads: bool) -> list[Tool]:
    """Without a screen (in the terminal) they say so, and have nothing to ask for. `reads`: what
    recognises words is installed.
    """

    @tool(
        "screen.capture",
        title=N_("Look at the screen"),
        risk=Risk.READ if screen is None else Risk.SENSITIVE_READ,
        main_argument="area",
        timeout=_SECONDS,
        scope={"area": ScopeKind.VALUE},
        reads=SourceKind.SCREEN,
        ask=_ask_capture,
    )
    async def capture(area: Where = CaptureArea.REGION) -> ToolResult:
        """Look at the person's screen. You get the picture."""
        shot = await _there(screen).capture(area)
        picture = await asyncio.to_thread(fit, shot, "")
        shown, brief = ShownImage(picture.digest), Reason(N_("1 picture"))
        return ToolResult("See the picture.", shown=shown, images=(picture,), brief=brief)

    @tool(
        "screen.read",
        title=N_("Read the screen"),
        risk=Risk.SENSITIVE_READ if screen is not None and reads else Risk.READ,
        main_argument="area",
        timeout=_SECONDS,
        scope={"area": ScopeKind.VALUE},
        outside=True,
        reads=SourceKind.SCREEN,
        ask=_ask_read,
    )
    async def read(area: Where = CaptureArea.REGION) -> ToolResult:
        """Read the words on the person's screen. The picture stays on their computer."""
        there = _there(screen)
        if not reads:
            raise OcrMissing(advice="Tell the person.", command=extra_command("ocr"))
        text = await recognize_text(await there.capture(area))
        brief = text_brief(text) if text.strip() else Reason(N_("no words"))
        return ToolResult(text or "There are no words in it.", brief=brief)

    return [capture, read]


_AREAS = {
    CaptureArea.REGION: N_("A part of the screen that you choose."),
    CaptureArea.WINDOW: N_("A window that you choose."),
    CaptureArea.SCREEN: N_("All of the screen."),
}


def _ask_capture(area: CaptureArea = CaptureArea.REGION) -> ApprovalText:
    title = Reason(N_("Take a picture of your screen?"))
    return ApprovalText(
        title, tr(_AREAS[area]), undoable=None, verb=N_("Take it"), keep=N_("Not now")
    )


def _ask_read(area: CaptureArea = CaptureArea.REGION) -> ApprovalText:
    title = Reason(N_("Read the words on your screen?"))
    return ApprovalText(title, tr(_AREAS[area]), undoable=None, verb=N_("Read"), keep=N_("Not now"))


def _there(screen: Screen | None) -> Screen:
    if screen is None:
        raise NeedsWindow(advice="Tell the person.")
    return screen
