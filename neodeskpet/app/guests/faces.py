"""The faces of figures from pictures of them: for lists, and for guests that are not drawn now."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage, QPixmap

from neodeskpet.core.errors import KnownError
from neodeskpet.ui.pet.figure import find_face
from neodeskpet.ui.work import TaskRunner


class CompanionFaces(QObject):
    """`draw` makes a picture of a whole figure by its path, and raises KnownError. A figure that
    can't be drawn has a null face.
    """

    changed = Signal()
    """A face that `of` was asked for is there."""

    def __init__(
        self, draw: Callable[[str], Awaitable[Path]], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._draw = draw
        self._found: dict[str, QPixmap] = {}
        self._work = TaskRunner("faces", failed=lambda _error: None)

    def face_of(self, figure: str) -> QPixmap:
        """The face of this figure; null until it is there, which `changed` tells."""
        found = self._found.get(figure)
        if found is None:
            self._work.start_once(figure, partial(self._fetch, figure))
        return found or QPixmap()

    async def load(self, figure: str) -> QPixmap:
        if figure not in self._found:
            try:
                file = await self._draw(figure)
            except KnownError:
                picture = QImage()
            else:
                picture = await asyncio.to_thread(QImage, str(file))
            face = picture if picture.isNull() else find_face(picture)
            self._found[figure] = QPixmap.fromImage(face)
        return self._found[figure]

    async def close(self) -> None:
        await self._work.aclose()

    async def _fetch(self, figure: str) -> None:
        await self.load(figure)
        self.changed.emit()
