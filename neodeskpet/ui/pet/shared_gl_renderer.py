"""Draws Live2D figures of other windows than the first.

The library creates programs, masks and buffers (for newer figures) for one GL context, and contexts
can't share the buffers. That context belongs to the first window. So all figures are drawn there;
those of other windows into pictures that their windows paint. The library never uses another
context, and nothing depends on what a driver shares between contexts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage, QOpenGLContext, QPainter
from PySide6.QtOpenGL import QOpenGLWindow

from neodeskpet.figure.files.model_reader import ModelDescription
from neodeskpet.figure.live2d.framing import PixelBox
from neodeskpet.ui.pet.gl_surface import FramebufferReader, OffscreenCanvas, Supersampler
from neodeskpet.ui.pet.live2d_figure import Live2DFigure
from neodeskpet.ui.pet.window_placement import FigureShape


class SharedGlRenderer:
    """The context of `window`, which the library uses; `software`: the CPU draws there."""

    def __init__(self, window: QOpenGLWindow, pixels: FramebufferReader, *, software: bool) -> None:
        self.pixels = pixels
        self.software = software
        self._window = window
        self._figures: list[SharedGlFigure] = []

    def add(self, figure: SharedGlFigure) -> None:
        """Draw this figure here until it is closed."""
        self._figures.append(figure)

    def remove(self, figure: SharedGlFigure) -> None:
        """Forget a closed figure."""
        self._figures.remove(figure)

    def close(self) -> None:
        """Release the library's resources; the remaining figures freeze."""
        for figure in list(self._figures):
            figure.close()

    @contextmanager
    def current_context(self, surface: QOpenGLWindow) -> Iterator[bool]:
        """Make the context current inside the block (yields False if it was lost), then that of
        `surface` again.
        """
        self._window.makeCurrent()
        try:
            yield QOpenGLContext.currentContext() == self._window.context()
        finally:
            surface.makeCurrent()


class SharedGlFigure:
    """A Live2D figure that is drawn in `renderer` and painted on `surface`, whose context is
    current for and after all calls. `make` creates the figure with the pixels it is given.
    """

    def __init__(
        self,
        renderer: SharedGlRenderer,
        surface: QOpenGLWindow,
        make: Callable[[FramebufferReader], Live2DFigure],
    ) -> None:
        """Raises RuntimeError if the context was lost."""
        self._renderer = renderer
        self._surface = surface
        self._size = (1, 1)
        self._canvas: OffscreenCanvas | None = None
        self._image = QImage()
        with renderer.current_context(surface) as able:
            if not able:
                raise RuntimeError("the GL context of the first window is gone")
            self._figure = make(renderer.pixels)
            self._smoothing: Supersampler | None = Supersampler(
                renderer.pixels, software=renderer.software
            )
        self.actor = self._figure.actor
        renderer.add(self)

    @property
    def description(self) -> ModelDescription:
        return self._figure.description

    @property
    def shape(self) -> FigureShape:
        return self._figure.shape

    def find_face(self) -> PixelBox:
        return self._figure.find_face()

    def set_description(self, description: ModelDescription, now: float) -> None:
        self._figure.set_description(description, now)

    def set_size(self, width: int, height: int) -> None:
        self._size = (width, height)

    def draw(self, now: float, seconds: float) -> None:
        smoothing = self._smoothing
        if smoothing is not None:
            with self._renderer.current_context(self._surface) as able:
                if able:
                    self._image = self._draw(smoothing, now, seconds)
        with QPainter(self._surface) as painter:
            painter.drawImage(QPoint(), self._image)

    def touch_area_at(self, x: float, y: float) -> str:
        return self._figure.touch_area_at(x, y)

    def snapshot(self, height: int) -> QImage:
        return self._taken(lambda: self._figure.snapshot(height))

    def portrait(self, side: int) -> QImage:
        return self._taken(lambda: self._figure.portrait(side))

    def close(self) -> None:
        """Release all resources; the last picture is painted from then on."""
        if self._smoothing is None:
            return
        self._renderer.remove(self)
        with self._renderer.current_context(self._surface) as able:
            if able:
                self._figure.close()
            self._smoothing = self._canvas = None

    def _draw(self, smoothing: Supersampler, now: float, seconds: float) -> QImage:
        width, height = self._size
        self._figure.set_size(width, height)
        canvas = self._canvas
        if canvas is None or canvas.size != self._size:
            canvas = self._canvas = OffscreenCanvas(self._renderer.pixels, width, height)
        with canvas:
            self._renderer.pixels.clear()
            smoothing.paint(width, height, lambda: self._figure.draw(now, seconds), canvas)
            image = canvas.image()
        image.setDevicePixelRatio(self._surface.devicePixelRatio())
        return image

    def _taken(self, take: Callable[[], QImage]) -> QImage:
        if self._smoothing is None:
            return QImage()
        with self._renderer.current_context(self._surface) as able:
            return take() if able else QImage()
