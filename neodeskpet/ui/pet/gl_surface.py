"""The OpenGL surface of the companion: its format, availability, reading back, and
supersampling.
"""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Callable

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage, QOffscreenSurface, QOpenGLContext, QSurfaceFormat, QWindow
from PySide6.QtOpenGL import (
    QOpenGLFramebufferObject,
    QOpenGLFramebufferObjectFormat,
)

from neodeskpet.figure.live2d.framing import PixelBox
from neodeskpet.figure.live2d.library import cubism_library, has_cubism_core
from neodeskpet.language import tr

_log = logging.getLogger(__name__)

_RGBA, _BYTES = 0x1908, 0x1401
_VIEWPORT, _RENDERER, _COLOUR_BUFFER = 0x0BA2, 0x1F01, 0x4000


def default_format() -> QSurfaceFormat:
    """Return the format to set as default **before** QApplication is created.

    OpenGL 2.1 with the compatibility profile and 8 bits of alpha: a core profile draws nothing and
    reports no error. Also loads the Cubism library, which ends the process if it is first loaded
    after a GL context was created.
    """
    if has_cubism_core():
        try:
            cubism_library()
        except ImportError:
            _log.exception("The Cubism library can't be loaded on this machine")
    wanted = QSurfaceFormat()
    wanted.setRenderableType(QSurfaceFormat.RenderableType.OpenGL)
    wanted.setVersion(2, 1)
    wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CompatibilityProfile)
    wanted.setAlphaBufferSize(8)
    wanted.setSwapInterval(0)
    return wanted


def device_size(window: QWindow) -> tuple[int, int]:
    """Return width and height in device pixels."""
    ratio = window.devicePixelRatio()
    return max(1, round(window.width() * ratio)), max(1, round(window.height() * ratio))


def surface_error(got: QSurfaceFormat, *, alpha: bool = True) -> str:
    """Return why the companion can't be drawn with the format `got`; "" if it can."""
    if got.renderableType() is QSurfaceFormat.RenderableType.OpenGLES:
        return tr("Only OpenGL ES is offered here; OpenGL 2.1 is needed.")
    if got.version() < (2, 1):
        return tr("The graphics driver offers no OpenGL 2.1.")
    if got.profile() is QSurfaceFormat.OpenGLContextProfile.CoreProfile:
        return tr("The graphics driver offers OpenGL without the compatibility profile.")
    if alpha and got.alphaBufferSize() < 8:
        return tr("The desktop offers no transparent windows.")
    return ""


def opengl_error() -> str:
    """Return why the companion can't be drawn on this desktop; "" if it can. Needs a
    QGuiApplication.
    """
    context = QOpenGLContext()
    context.setFormat(default_format())
    if not context.create():
        return tr("This desktop offers no OpenGL.")
    surface = QOffscreenSurface()
    surface.setFormat(context.format())
    surface.create()
    if not surface.isValid() or not context.makeCurrent(surface):
        return tr("This desktop offers no OpenGL.")
    found = surface_error(context.format(), alpha=False)
    context.doneCurrent()
    surface.destroy()
    return found


class AlphaMap:
    """The alpha values of a picture; pixels count from the top left."""

    def __init__(self, data: ctypes.Array[ctypes.c_ubyte], width: int, height: int) -> None:
        self._data = data
        self.size = (width, height)

    def at(self, x: int, y: int) -> int:
        """Return the alpha value of a pixel, 0 to 255."""
        width, height = self.size
        return int(self._data[4 * ((height - 1 - y) * width + x) + 3])

    def rows(self) -> tuple[bytes, int]:
        """Return all rows from the bottom up, and the bytes per row (which can be more than its
        pixels).
        """
        width, height = self.size
        form = QImage.Format.Format_RGBA8888_Premultiplied
        image = QImage(memoryview(self._data).cast("B"), width, height, 4 * width, form)
        alpha = image.convertToFormat(QImage.Format.Format_Alpha8)
        return bytes(alpha.constBits()), alpha.bytesPerLine()


class FramebufferReader:
    """Reads back the frame drawn in the current context. Pixels count from the top left."""

    def __init__(self, context: QOpenGLContext) -> None:
        pointer, number = ctypes.c_void_p, ctypes.c_int
        read = ctypes.CFUNCTYPE(
            None, number, number, number, number, ctypes.c_uint, ctypes.c_uint, pointer
        )
        viewport = ctypes.CFUNCTYPE(None, number, number, number, number)
        self._read = read(_address(context, b"glReadPixels"))
        self._viewport = viewport(_address(context, b"glViewport"))
        share = ctypes.c_float
        colour = ctypes.CFUNCTYPE(None, share, share, share, share)
        self._colour = colour(_address(context, b"glClearColor"))
        self._clear = ctypes.CFUNCTYPE(None, ctypes.c_uint)(_address(context, b"glClear"))
        text = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_uint)
        self.renderer = (text(_address(context, b"glGetString"))(_RENDERER) or b"").decode(
            "utf-8", "replace"
        )
        """The name of the GL renderer."""

    def clear(self) -> None:
        """Clear the surface."""
        self._colour(0.0, 0.0, 0.0, 0.0)
        self._clear(_COLOUR_BUFFER)

    def alphas(self, width: int, height: int) -> AlphaMap:
        """Return the alpha values of a whole surface."""
        data = (ctypes.c_ubyte * (4 * width * height))()
        self._read(0, 0, width, height, _RGBA, _BYTES, ctypes.addressof(data))
        return AlphaMap(data, width, height)

    def image(self, width: int, height: int) -> QImage:
        """Return the whole surface with premultiplied alpha."""
        row = 4 * width
        data = (ctypes.c_ubyte * (row * height))()
        self._read(0, 0, width, height, _RGBA, _BYTES, ctypes.addressof(data))
        form = QImage.Format.Format_RGBA8888_Premultiplied
        return QImage(bytes(data), width, height, row, form).flipped(Qt.Orientation.Vertical)

    def viewport(self, width: int, height: int) -> None:
        self._viewport(0, 0, width, height)


def _address(context: QOpenGLContext, name: bytes) -> int:
    return int(context.getProcAddress(name))


class OffscreenCanvas:
    """A picture in memory to draw on with the current context: `with OffscreenCanvas(…)
    as canvas`.
    """

    def __init__(self, pixels: FramebufferReader, width: int, height: int) -> None:
        self._pixels = pixels
        self.size = width, height
        wanted = QOpenGLFramebufferObjectFormat()
        wanted.setAttachment(QOpenGLFramebufferObject.Attachment.CombinedDepthStencil)
        self.buffer = QOpenGLFramebufferObject(width, height, wanted)

    def __enter__(self) -> OffscreenCanvas:
        self.buffer.bind()
        self._pixels.viewport(*self.size)
        return self

    def __exit__(self, *_: object) -> None:
        self.buffer.release()

    def image(self) -> QImage:
        """Return the drawn picture with premultiplied alpha, top row first."""
        return self.buffer.toImage()


def opaque_bounds(image: QImage) -> PixelBox | None:
    """Return the smallest box around non-transparent pixels; None if there are none."""
    alpha = image.convertToFormat(QImage.Format.Format_Alpha8)
    stride, width, height = alpha.bytesPerLine(), alpha.width(), alpha.height()
    data = bytes(alpha.constBits())
    rows = [data[y * stride : y * stride + width] for y in range(height)]
    drawn = [y for y, row in enumerate(rows) if row.count(0) != width]
    if not drawn:
        return None
    left = min(width - len(rows[y].lstrip(b"\0")) for y in drawn)
    right = max(len(rows[y].rstrip(b"\0")) for y in drawn)
    return PixelBox(left, drawn[0], right, drawn[-1] + 1)


_COLOURS, _LINEAR = 0x4000, 0x2601
_CARD = ((600_000, 2.0), (1_400_000, 1.5))
_PROCESSOR = ((62_000, 1.5),)
"""Supersampling factors for windows up to a number of pixels."""


def supersampling_factor(width: int, height: int, *, software: bool) -> float:
    """Return the factor by which a picture of this size is drawn larger before it is
    scaled down.
    """
    steps = _PROCESSOR if software else _CARD
    return next((times for most, times in steps if width * height <= most), 1.0)


class Supersampler:
    """The supersampler of one window, whose context is current for all calls."""

    def __init__(self, pixels: FramebufferReader, *, software: bool) -> None:
        self._pixels = pixels
        self._software = software
        self._able = QOpenGLFramebufferObject.hasOpenGLFramebufferBlit()
        self._buffer: QOpenGLFramebufferObject | None = None

    def paint(
        self, width: int, height: int, draw: Callable[[], None], onto: OffscreenCanvas | None = None
    ) -> None:
        """`draw` the window's `width` × `height` device pixels smoothly, or those of a canvas that
        is being drawn on.
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
