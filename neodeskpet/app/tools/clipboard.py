"""The desktop's clipboard for the tools."""

from __future__ import annotations

import uuid

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from neodeskpet.llm.picture_queue import run_in_picture_queue
from neodeskpet.tools.builtin.clipboard import ClipboardContent
from neodeskpet.ui.chat.compose.offers import read_content

_MAX_HISTORY = 8
"""So many replaced contents can be put back."""
_MAX_BYTES = 50_000_000
"""What is larger is not kept."""
_SECRET_MARKS = ("x-kde-passwordManagerHint", "org.nspasteboard.ConcealedType")
"""What password managers mark their texts with."""


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
    """All forms of it: the clipboard keeps nothing that another program no longer offers."""
    kept = QMimeData()
    left = _MAX_BYTES
    for kind in held.formats() if held is not None else ():
        data = held.data(kind)  # type: ignore[union-attr]
        left -= data.size()
        if left < 0:
            break
        kept.setData(kind, data)
    return kept
