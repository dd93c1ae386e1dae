"""Small figures are drawn larger and shrunk: lashes and brows end in triangles, whose edges are
saw-toothed at a few hundred pixels.

On a graphics card that costs nothing one would notice. Where the processor draws, a frame of a
figure of 340 pixels would take twice its time (11.7 instead of 6.1 ms), so only small ones are.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect
from PySide6.QtOpenGL import QOpenGLFramebufferObject, QOpenGLFramebufferObjectFormat

from neodeskpet.ui.pet.surface import FramebufferReader, OffscreenCanvas

_COLOURS, _LINEAR = 0x4000, 0x2601
_CARD = ((600_000, 2.0), (1_400_000, 1.5))
_PROCESSOR = ((62_000, 1.5),)
"""Up to so many pixels of the window, so many times as wide and high."""


def supersampling_factor(width: int, height: int, *, software: bool) -> float:
    """How many times as large a picture of this size is drawn before it is shrunk."""
    steps = _PROCESSOR if software else _CARD
    return next((times for most, times in steps if width * height <= most), 1.0)


class Supersampler:
    """Of one window; its context is current for all calls."""

    def __init__(self, pixels: FramebufferReader, *, software: bool) -> None:
        self._pixels = pixels
        self._software = software
        self._able = QOpenGLFramebufferObject.hasOpenGLFramebufferBlit()
        self._buffer: QOpenGLFramebufferObject | None = None

    def paint(
        self, width: int, height: int, draw: Callable[[], None], onto: OffscreenCanvas | None = None
    ) -> None:
        """`draw` the window's `width` × `height` device pixels, smoothly; or those of a canvas
        that is being drawn on.
        """
        times = supersampling_factor(width, height, software=self._software) if self._able else 1.0
        if times == 1.0:
            self._buffer = None
            draw()
            return
        wide, high = round(width * times), round(height * times)
        buffer = self._fit(wide, high)
        buffer.bind()
        self._pixels.viewport(wide, high)
        self._pixels.clear()
        draw()
        buffer.release()
        self._pixels.viewport(width, height)
        QOpenGLFramebufferObject.blitFramebuffer(
            onto.buffer if onto is not None else None,  # type: ignore[arg-type]  # the window itself
            QRect(0, 0, width, height),
            buffer,
            QRect(0, 0, wide, high),
            _COLOURS,
            _LINEAR,
        )
        if onto is None:
            QOpenGLFramebufferObject.bindDefault()
        else:
            onto.buffer.bind()

    def _fit(self, width: int, height: int) -> QOpenGLFramebufferObject:
        buffer = self._buffer
        if buffer is None or (buffer.width(), buffer.height()) != (width, height):
            wanted = QOpenGLFramebufferObjectFormat()
            wanted.setAttachment(QOpenGLFramebufferObject.Attachment.CombinedDepthStencil)
            buffer = self._buffer = QOpenGLFramebufferObject(width, height, wanted)
        return buffer
