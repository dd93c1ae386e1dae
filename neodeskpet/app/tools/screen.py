"""The person's screen for the tools: they show what is meant, and the chat is out of the way."""

from __future__ import annotations

import asyncio
import os

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from neodeskpet.core.errors import NeedsWindow, ToolFailed
from neodeskpet.tools.builtin.screen import CaptureArea, NothingCaptured, ScreenHidden
from neodeskpet.ui.chat.compose.region import ScreenRegionPicker, can_capture_screen


class DesktopScreen:
    """A `tools.builtin.screen.Screen`. `owner` is in the window that hides meanwhile."""

    def __init__(self) -> None:
        self.owner: QWidget | None = None
        self._one = asyncio.Lock()

    async def capture(self, area: CaptureArea) -> bytes:
        if not can_capture_screen(QGuiApplication.platformName(), os.environ):
            raise ScreenHidden(advice="Tell the person.")
        if self.owner is None:
            raise NeedsWindow(advice="Tell the person.")
        async with self._one:
            image = await _pick_area(ScreenRegionPicker(self.owner), area)
        return await asyncio.to_thread(_encode, image)


async def _pick_area(picker: ScreenRegionPicker, area: CaptureArea) -> QImage:
    answer: asyncio.Future[QImage] = asyncio.get_running_loop().create_future()
    nothing = NothingCaptured(advice="Go on without it.")
    picker.captured.connect(answer.set_result)
    picker.cancelled.connect(lambda: answer.set_exception(nothing))
    picker.unavailable.connect(lambda words: answer.set_exception(ToolFailed(words)))
    picker.pick(area)
    try:
        return await answer
    finally:
        picker.stop()
        picker.deleteLater()


def _encode(image: QImage) -> bytes:
    """As a bitmap: Qt lets no other thread of Python run meanwhile, and this is the fastest."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.convertToFormat(QImage.Format.Format_RGB32).save(buffer, "BMP")  # type: ignore[call-overload]  # the stub wants bytes
    return bytes(buffer.data().data())
