"""The parts of the desktop that built-in tools use: the figure of the companion that speaks, the
clipboard, and pictures of the screen.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QBuffer, QIODevice, QMimeData
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from neodeskpet.core.errors import NeedsWindow, ToolFailed
from neodeskpet.figure.animation_script import ParameterRange
from neodeskpet.figure.stage import Stage
from neodeskpet.storage.image_resize import run_in_picture_queue
from neodeskpet.tools.builtin.clipboard import ClipboardContent
from neodeskpet.tools.builtin.screen import CaptureArea, NothingCaptured, ScreenHidden
from neodeskpet.ui.chat.composer.dropped_content import read_content
from neodeskpet.ui.chat.composer.screen_region_picker import ScreenRegionPicker, can_capture_screen


class ActiveCompanionFigure:
    """The `FigureControls` of the tools. `current_figure` returns the figure for the following
    calls; at first it is the figure that the app started with.
    """

    def __init__(self, first: Stage) -> None:
        self.current_figure: Callable[[], Stage] = lambda: first

    def expressions(self) -> Sequence[str]:
        return self.current_figure().expressions()

    def motions(self) -> Mapping[str, int]:
        return self.current_figure().motions()

    def parameters(self) -> Mapping[str, ParameterRange]:
        return self.current_figure().parameters()

    def notes(self, kind: str) -> Mapping[str, str]:
        return self.current_figure().notes(kind)

    def express(self, name: str) -> None:
        self.current_figure().express(name)

    def play(self, group: str, index: int | None) -> None:
        self.current_figure().play(group, index)

    def animate(self, script: Sequence[Mapping[str, object]]) -> float:
        return self.current_figure().animate(script)

    def wearables(self) -> Sequence[str]:
        return self.current_figure().wearables()

    def wear(self, part: str) -> None:
        self.current_figure().wear(part)


_MAX_HISTORY = 8
"""The number of replaced contents that can be restored."""
_MAX_BYTES = 50_000_000
"""Larger contents are not kept."""
_SECRET_MARKS = ("x-kde-passwordManagerHint", "org.nspasteboard.ConcealedType")
"""Formats with which password managers mark their texts."""


class DesktopClipboard:
    """A `tools.builtin.clipboard.Clipboard`."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[QMimeData, str]] = {}

    async def read(self) -> ClipboardContent:
        held = QGuiApplication.clipboard().mimeData()
        if held is None:
            return ClipboardContent()
        if any(held.hasFormat(kind) for kind in _SECRET_MARKS):
            return ClipboardContent(secret=True)
        if held.hasUrls():
            urls = [url.toLocalFile() or url.toString() for url in held.urls()]
            return ClipboardContent(files=tuple(urls))
        found = read_content(held)
        if found.pictures:
            return ClipboardContent(
                picture=await run_in_picture_queue(found.pictures[0].load_fitted)
            )
        return ClipboardContent(text=held.text())

    async def write(self, text: str) -> str:
        clipboard = QGuiApplication.clipboard()
        key = uuid.uuid4().hex
        self._kept[key] = _copied(clipboard.mimeData()), text
        while len(self._kept) > _MAX_HISTORY:
            del self._kept[next(iter(self._kept))]
        clipboard.setText(text)
        return key

    async def restore(self, key: str) -> bool:
        clipboard = QGuiApplication.clipboard()
        before, written = self._kept.get(key, (None, ""))
        if before is None or clipboard.text() != written:
            return False
        del self._kept[key]
        clipboard.setMimeData(before)
        return True


def _copied(held: QMimeData | None) -> QMimeData:
    """Copy all formats: when the other program ends, its data is no longer available."""
    kept = QMimeData()
    left = _MAX_BYTES
    for kind in held.formats() if held is not None else ():
        data = held.data(kind)  # type: ignore[union-attr]
        left -= data.size()
        if left < 0:
            break
        kept.setData(kind, data)
    return kept


class DesktopScreen:
    """A `tools.builtin.screen.Screen`. The window of `owner` is hidden while the picture
    is taken.
    """

    def __init__(self) -> None:
        self.owner: QWidget | None = None
        self._one = asyncio.Lock()

    async def capture(self, area: CaptureArea) -> bytes:
        if not can_capture_screen(QGuiApplication.platformName(), os.environ):
            raise ScreenHidden(advice="Tell the user.")
        if self.owner is None:
            raise NeedsWindow(advice="Tell the user.")
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
    """Encode as BMP, the fastest format: Qt holds the interpreter lock during the encoding."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.convertToFormat(QImage.Format.Format_RGB32).save(buffer, "BMP")  # type: ignore[call-overload]  # the stub wants bytes
    return bytes(buffer.data().data())
