"""Small forms of the pictures of messages: made when they are wanted, the last ones kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage, QImageReader, QPixmap

from neodeskpet.storage.image_resize import run_in_picture_queue
from neodeskpet.ui.task_runner import TaskRunner

LoadPicture = Callable[[str], Awaitable[bytes | None]]
"""The content of a picture by its digest; None when it is gone."""

CAPACITY = 64
MAX_SIDE = 400
"""Pixels of the longest side: twice of what is shown, for sharp screens."""


def decode_thumbnail(data: bytes, side: int | None = None) -> QImage:
    """The picture, its longest side at most `side` pixels. A null image when it can't be read.
    Slow: for a thread.
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
    """`arrived(digest)` when one that was asked for can be shown."""

    loaded = Signal(str)

    def __init__(self, load: LoadPicture, work: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._load = load
        self._work = work
        self._held: OrderedDict[str, QPixmap] = OrderedDict()
        self._awaited: set[str] = set()
        self._missing: set[str] = set()

    def get(self, digest: str) -> QPixmap | None:
        """What is there now; what isn't is fetched. Cheap: painting asks."""
        held = self._held.get(digest)
        if held is not None:
            self._held.move_to_end(digest)
        elif digest not in self._awaited and digest not in self._missing:
            self._awaited.add(digest)
            self._work.start("thumbnail", partial(self._fetch, digest))
        return held

    def mark_available(self, digest: str) -> None:
        """It is there now, even if it wasn't when it was last asked for."""
        self._missing.discard(digest)

    def clear(self) -> None:
        """Another conversation is shown: those of this one are made anew when it comes back. Each
        takes up to 640 kB.
        """
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
