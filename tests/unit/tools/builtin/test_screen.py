"""The tools for the screen, with a picture as the screen."""

from __future__ import annotations

import asyncio

import pytest

from neodeskpet.core.attachments import Picture
from neodeskpet.core.errors import NeedsWindow
from neodeskpet.core.tool_result import ShownImage, ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.screen import CaptureArea, NothingCaptured, OcrMissing, screen_tools


class Drawn:
    """`asked` contains the requested areas; `shot` None: the user chooses nothing."""

    def __init__(self, shot: bytes | None = b"picture") -> None:
        self.asked: list[CaptureArea] = []
        self._shot = shot

    async def capture(self, area: CaptureArea) -> bytes:
        self.asked.append(area)
        if self._shot is None:
            raise NothingCaptured
        return self._shot


def fit(data: bytes, name: str) -> Picture:
    return Picture("d1", data, "image/png", name)


def run(screen: Drawn | None, name: str, area: str, *, reads: bool = True) -> ToolResult:
    offer = Toolbox(AppTools(screen_tools(screen, fit, reads=reads))).offer()
    return asyncio.run(offer.run(name, {"area": area}, lambda *_: None))


def test_a_picture_is_returned_and_shown() -> None:
    screen = Drawn()
    seen = run(screen, "screen.capture", "window")
    assert (seen.images[0].data, seen.shown) == (b"picture", ShownImage("d1"))
    assert screen.asked == [CaptureArea.WINDOW]


def test_without_a_choice_nothing_is_seen() -> None:
    for name in ("screen.capture", "screen.read"):
        with pytest.raises(NothingCaptured):
            run(Drawn(None), name, "region")


def test_impossible_requests_fail_before_a_picture_is_taken() -> None:
    screen = Drawn()
    with pytest.raises(OcrMissing, match="extras add ocr"):
        run(screen, "screen.read", "region", reads=False)
    with pytest.raises(NeedsWindow):
        run(None, "screen.capture", "screen")
    assert screen.asked == []


@pytest.mark.parametrize(
    ("screen", "reads", "risks"),
    [
        (Drawn(), True, [Risk.SENSITIVE_READ, Risk.SENSITIVE_READ]),
        (Drawn(), False, [Risk.SENSITIVE_READ, Risk.READ]),  # It only says what is missing.
        (None, True, [Risk.READ, Risk.READ]),
    ],
)
def test_looking_at_the_screen_asks(screen: Drawn | None, reads: bool, risks: list[Risk]) -> None:
    assert [tool.risk for tool in screen_tools(screen, fit, reads=reads)] == risks
