"""Draws pictures of a Live2D model in memory: for the contact sheet, and one small picture.

For a separate process (see `contact_sheet`): it takes over the process' GL. On Linux EGL provides a
context that needs no display; elsewhere, or without EGL, Qt creates one on its own platform.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from neodeskpet.figure.behaviour.wearing import wearable_parts
from neodeskpet.figure.files.model_probe import egl_context
from neodeskpet.figure.live2d.framing import (
    MEASURE_SCALE,
    ModelView,
    PixelBox,
    Projection,
    place_model,
    view_of,
)
from neodeskpet.figure.live2d.library import cubism_library, new_model, start_gl
from neodeskpet.figure.sprites.sprite_thumbnails import Thumbnail

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PICTURE_SIDE = 480
"""The largest width and height of a picture, pixels."""
_MEASURE = 400
_FILM_FPS = 48
_MOUTHS = ("ParamMouthOpenY", "PARAM_MOUTH_OPEN_Y")
_STEP = 0.1
_SETTLE = 20
_MOMENT = 9
"""Frames of `_STEP` after the start of a motion, when its first gesture is visible."""


@contextmanager
def drawing_context() -> Iterator[bool]:
    """Provide a current GL context of SIDE × SIDE pixels; False if there is none."""
    # The library first: if it is imported after a GL context, it ends the process.
    cubism_library()
    with egl_context(MOST_PICTURE_SIDE, MOST_PICTURE_SIDE) as ready:
        if ready:
            yield True
            return
    with _qt_context() as ready:
        yield ready


@contextmanager
def _qt_context() -> Iterator[bool]:
    from PySide6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext, QSurfaceFormat
    from PySide6.QtOpenGL import QOpenGLFramebufferObject as Buffer
    from PySide6.QtOpenGL import QOpenGLFramebufferObjectFormat

    if QGuiApplication.instance() is None:
        yield False
        return
    wanted = QSurfaceFormat()
    wanted.setVersion(2, 1)
    wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CompatibilityProfile)
    wanted.setAlphaBufferSize(8)
    context, surface = QOpenGLContext(), QOffscreenSurface()
    context.setFormat(wanted)
    surface.setFormat(wanted)
    surface.create()
    if not context.create() or not context.makeCurrent(surface):
        yield False
        return
    form = QOpenGLFramebufferObjectFormat()
    form.setAttachment(Buffer.Attachment.CombinedDepthStencil)
    buffer = Buffer(MOST_PICTURE_SIDE, MOST_PICTURE_SIDE, form)
    buffer.bind()
    try:
        yield True
    finally:
        buffer.release()
        context.doneCurrent()


class ModelRenderer:
    """Draws pictures of one checked model. A context of `drawing_context` must be current."""

    def __init__(
        self, settings: str, root: str, reach: tuple[float, float, float, float] | None = None
    ) -> None:
        start_gl()
        self._gl = _gl()
        self._model = new_model(settings, root, renderer=True)
        self._model.SetAutoBlink(False)
        self._model.SetAutoBreath(False)
        self._size = (0, 0)
        self._view = self._measure(reach)

    def picture(self, height: int, wears: str = "") -> Image:
        """Return the figure in its neutral pose, at most SIDE pixels high and wide, with a worn
        part; premultiplied.
        """
        self._rest()
        part = wearable_parts(self._model.GetParamIds()).get(wears)
        if part is not None:
            for _ in range(_SETTLE):
                self._model.Update(_STEP)
                self._model.SetParamById(part, 1.0)
        return self._shoot(height)

    def expressions(self, height: int) -> Iterator[Thumbnail]:
        """Yield a picture of every expression."""
        for name in self._model.GetExpressions():
            self._rest()
            self._model.SetExpression(name)
            self._settle(_SETTLE)
            yield Thumbnail(name, self._shoot(height))
        self._model.ResetExpression()

    def motions(self, height: int) -> Iterator[Thumbnail]:
        """Yield a picture of every motion, a moment after its start."""
        for group, count in self._model.GetMotionGroups().items():
            for index in range(count):
                self._rest()
                self._model.StartMotion(group, index, 3)
                self._settle(_MOMENT)
                yield Thumbnail(f"{group} {index}".strip(), self._shoot(height))
                self._model.StopAllMotions()

    def still(self, look: tuple[float, float] = (0.0, 0.0), mouth: float = 0.0) -> Image:
        """Return a picture at rest, looking in a direction (as in `gaze`), with this opening of the
        mouth; SIDE high.
        """
        self._rest()
        width, height = self._place(MOST_PICTURE_SIDE)
        unit = max(width, height) / 2
        self._model.Drag(width / 2 + look[0] * unit, height / 2 - look[1] * unit)
        self._settle(_SETTLE)
        for name in _MOUTHS:
            if mouth:
                self._model.SetParamById(name, mouth)
        picture = self._draw(width, height)
        self._model.Drag(width / 2, height / 2)
        return picture

    def film(
        self, group: str, index: int, fps: float, seconds: float, *, again: bool = False
    ) -> Iterator[Image]:
        """Yield a motion's frames, from its start (`again`: of its second round) to its end, or for
        some seconds; SIDE high.
        """
        self._rest()
        size = self._place(MOST_PICTURE_SIDE)
        model, steps = self._model, max(1, round(_FILM_FPS / fps))
        model.StartMotion(group, index, 3)
        if again:
            for _ in range(round(seconds * _FILM_FPS)):
                if model.IsMotionFinished():
                    break
                model.Update(1 / _FILM_FPS)
            model.StartMotion(group, index, 3)
        for _ in range(round(seconds * fps)):
            for _ in range(steps):
                model.Update(1 / _FILM_FPS)
            yield self._draw(*size)
            if model.IsMotionFinished():
                break
        model.StopAllMotions()

    def _rest(self) -> None:
        model = self._model
        model.ResetExpression()
        model.StopAllMotions()
        for name in model.GetParamIds():
            model.SetSaveParamById(name, model.GetParamDefaultById(name))
        self._settle(_SETTLE)

    def _settle(self, frames: int) -> None:
        for _ in range(frames):
            self._model.Update(_STEP)

    def _measure(self, reach: tuple[float, float, float, float] | None) -> ModelView:
        self._model.Resize(_MEASURE, _MEASURE)
        self._model.SetScale(MEASURE_SCALE)
        self._settle(3)
        box = self._draw(_MEASURE, _MEASURE).getchannel("A").getbbox()
        lens = Projection(self._model.GetMvp(), _MEASURE, _MEASURE)
        return view_of(
            PixelBox(*box) if box else PixelBox(0.0, 0.0, _MEASURE, _MEASURE), lens, reach
        )

    def _shoot(self, height: int) -> Image:
        return self._draw(*self._place(height))

    def _place(self, height: int) -> tuple[int, int]:
        aspect = self._view.aspect
        height = min(height, MOST_PICTURE_SIDE, round(MOST_PICTURE_SIDE / aspect))
        size = (max(1, round(height * aspect)), max(1, height))
        if size != self._size:
            place_model(self._model, self._view, *size)
            self._size = size
        return size

    def _draw(self, width: int, height: int) -> Image:
        from PIL import Image

        gl = self._gl
        gl.glViewport(0, 0, width, height)
        cubism_library().clearBuffer(0.0, 0.0, 0.0, 0.0)
        self._model.Draw()
        pixels = gl.glReadPixels(0, 0, width, height, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
        picture = Image.frombytes("RGBA", (width, height), bytes(pixels))
        return picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def _gl() -> Any:
    # Reads the platform when it is imported: that of the context, which needs no display.
    os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
    from OpenGL import GL

    return GL
