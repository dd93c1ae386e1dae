"""Thumbnails of the pictures of messages: made on demand, the last ones cached."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage, QImageReader, QPixmap

from neodeskpet.storage.image_resize import run_in_picture_queue
from neodeskpet.ui.task_runner import TaskRunner

LoadPicture = Callable[[str], Awaitable[bytes | None]]
"""Returns the content of a picture by its digest; None if it no longer exists."""

CAPACITY = 64
MAX_SIDE = 400
"""Pixels of the longest side: twice the shown size, for high-DPI screens."""


def decode_thumbnail(data: bytes, side: int | None = None) -> QImage:
    """Return the picture, its longest side at most `side` pixels; a null image if it can't be read.
    Slow: call it in a thread.
    """
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    size = reader.size()
    if side is not None and max(size.width(), size.height()) > side:
        reader.setScaledSize(size.scaled(QSize(side, side), Qt.AspectRatioMode.KeepAspectRatio))
    return reader.read()


class ThumbnailCache(QObject):
    """Emits `loaded(digest)` when a requested picture can be shown."""

    loaded = Signal(str)

    def __init__(self, load: LoadPicture, work: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._load = load
        self._work = work
        self._held: OrderedDict[str, QPixmap] = OrderedDict()
        self._awaited: set[str] = set()
        self._missing: set[str] = set()

    def get(self, digest: str) -> QPixmap | None:
        """Return the cached picture, or start loading it. Cheap: it is called while painting."""
        held = self._held.get(digest)
        if held is not None:
            self._held.move_to_end(digest)
        elif digest not in self._awaited and digest not in self._missing:
            self._awaited.add(digest)
            self._work.start("thumbnail", partial(self._fetch, digest))
        return held

    def mark_available(self, digest: str) -> None:
        """Try to load this picture again, even if it was missing before."""
        self._missing.discard(digest)

    def clear(self) -> None:
        """Drop all thumbnails, each up to 640 kB: another conversation is shown."""
        self._held.clear()

    async def _fetch(self, digest: str) -> None:
        image = QImage()
        try:
            data = await self._load(digest)
            if data:
                image = await run_in_picture_queue(partial(decode_thumbnail, data, MAX_SIDE))
        finally:
            self._awaited.discard(digest)
        if image.isNull():
            self._missing.add(digest)
            return
        self._held[digest] = QPixmap.fromImage(image)
        while len(self._held) > CAPACITY:
            self._held.popitem(last=False)
        self.loaded.emit(digest)
