"""Tools for the user's screen: a screenshot, and its text, which is recognized on this computer in
a child process. Both ask, and the user controls what is captured: they drag the rectangle or choose
the window themselves.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Protocol

from pydantic import Field

from neodeskpet.core.attachments import Picture
from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.errors import NeedsWindow, ToolCancelled, ToolError, ToolFailed
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import ApprovalText, ShownImage, ToolResult, text_brief
from neodeskpet.core.toolspec import Risk
from neodeskpet.language import tr
from neodeskpet.platform.child_process import FrameWorker
from neodeskpet.platform.installation import extra_command
from neodeskpet.toolkit.registry import Tool, tool
from neodeskpet.tools.ocr_child import MEMORY_ENVIRONMENT


def is_ocr_installed() -> bool:
    """Return whether the extra `ocr` is installed."""
    return all(importlib.util.find_spec(name) for name in ("rapidocr", "onnxruntime"))


_OCR_SECONDS = 120.0
"""Time limit in seconds for one picture."""


async def recognize_text(picture: bytes) -> str:
    """Return the text in an encoded picture, line by line; "" if there is none. Raises
    ToolFailed.
    """
    child = FrameWorker("read", _OCR_SECONDS, environment=MEMORY_ENVIRONMENT)

    def ask() -> bytes | None:
        try:
            return child.ask(picture)
        finally:
            child.close()

    try:
        answer = await asyncio.to_thread(ask)
    finally:
        child.stop()  # after a cancellation
    if answer is None:
        raise ToolFailed("The words could not be recognised: the process ended or took too long.")
    return answer.decode("utf-8", "replace")


_SECONDS = 300.0
"""Seconds that the user has to choose the area."""

FitPicture = Callable[[bytes, str], Picture]
"""Shrinks a picture to the limits of storage and models; slow. Raises PictureRefused."""


class CaptureArea(StrEnum):
    REGION = "region"
    WINDOW = "window"
    SCREEN = "screen"


class ScreenHidden(ToolError):
    code = "screen_hidden"
    what = N_(
        "On this desktop (Wayland), programs can't capture the screen. Take a "
        "screenshot with the desktop's own tool and paste it into the chat."
    )


class NothingCaptured(ToolCancelled):
    code = "nothing_taken"
    what = N_("The user didn't choose anything on the screen.")


class OcrMissing(ToolError):
    code = "reader_missing"
    what = N_(
        "Reading text from the screen needs an optional package that isn't "
        "installed. Install it with {command}, then start NeoDeskPet again."
    )


class Screen(Protocol):
    """The desktop's screens; called on the event loop."""

    async def capture(self, area: CaptureArea) -> bytes:
        """Return an encoded picture of the area that the user chooses. Cancelling it ends the
        choice. Raises ScreenHidden and NothingCaptured.
        """
        ...


Where = Annotated[
    CaptureArea,
    Field(description="The user drags a region, points at a window, or it is all of the screen."),
]


def screen_tools(screen: Screen | None, fit: FitPicture, *, reads: bool) -> list[Tool]:
    """Make the tools. Without a screen (in the terminal) they report that there is none, and ask
    nothing. `reads`: whether text recognition is installed.
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
        """Look at the user's screen. You get the picture."""
        shot = await _require_screen(screen).capture(area)
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
        """Read the words on the user's screen. The picture stays on their computer."""
        there = _require_screen(screen)
        if not reads:
            raise OcrMissing(advice="Tell the user.", command=extra_command("ocr"))
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
        title, tr(_AREAS[area]), undoable=None, verb=N_("Take the picture"), keep=N_("Not now")
    )


def _ask_read(area: CaptureArea = CaptureArea.REGION) -> ApprovalText:
    title = Reason(N_("Read the text on your screen?"))
    return ApprovalText(title, tr(_AREAS[area]), undoable=None, verb=N_("Read"), keep=N_("Not now"))


def _require_screen(screen: Screen | None) -> Screen:
    if screen is None:
        raise NeedsWindow(advice="Tell the user.")
    return screen
