"""The desktop's clipboard for the tools."""

from __future__ import annotations

import uuid

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from neodeskpet.llm.picture_queue import in_turn
from neodeskpet.tools.builtin.clipboard import Clip
from neodeskpet.ui.chat.compose.offers import contents_of

_KEPT = 8
"""So many replaced contents can be put back."""
_BYTES = 50_000_000
"""What is larger is not kept."""
_SECRET = ("x-kde-passwordManagerHint", "org.nspasteboard.ConcealedType")
"""What password managers mark their texts with."""


class DesktopClipboard:
    """A `tools.builtin.clipboard.Clipboard`."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[QMimeData, str]] = {}

    async def read(self) -> Clip:
        held = QGuiApplication.clipboard().mimeData()
        if held is None:
            return Clip()
        if any(held.hasFormat(kind) for kind in _SECRET):
            return Clip(secret=True)
        if held.hasUrls():
            urls = [url.toLocalFile() or url.toString() for url in held.urls()]
            return Clip(files=tuple(urls))
        found = contents_of(held)
        if found.offers:
            return Clip(picture=await in_turn(found.offers[0].fit))
        return Clip(text=held.text())

    async def write(self, text: str) -> str:
        clipboard = QGuiApplication.clipboard()
        key = uuid.uuid4().hex
        self._kept[key] = _copied(clipboard.mimeData()), text
        while len(self._kept) > _KEPT:
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
    left = _BYTES
    for kind in held.formats() if held is not None else ():
        data = held.data(kind)  # type: ignore[union-attr]
        left -= data.size()
        if left < 0:
            break
        kept.setData(kind, data)
    return kept
