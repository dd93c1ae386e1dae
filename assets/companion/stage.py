"""Renders a built model off screen, with EGL and no window system.

Run in a process of its own (``python -m companion.stage JOBS.json``): a broken model kills it.
"""

import contextlib
import ctypes
import io
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
os.environ.setdefault("EGL_PLATFORM", "surfaceless")


class Stage:
    """An off-screen surface with one model on it."""

    def __init__(self, model: Path, width: int, height: int) -> None:
        self._size = (width, height)
        with contextlib.redirect_stdout(io.StringIO()):
            # Before Mesa: once that has loaded libstdc++, LoadModelJson ends in bad_alloc.
            import live2d

            _open_context(width, height)
            live2d.enableLog(False)
            live2d.init()
            live2d.glInit()
            self._live2d: Any = live2d
            self.model: Any = live2d.Model()
            self.model.LoadModelJson(str(model))
        self.model.Resize(width, height)
        self.model.SetAutoBlink(False)
        self.model.SetAutoBreath(False)

    def picture(self, background: Sequence[int] = (236, 240, 246)) -> Image.Image:
        """The model as it stands, over ``background``."""
        from OpenGL import GL

        width, height = self._size
        GL.glViewport(0, 0, width, height)
        self._live2d.clearBuffer(0.0, 0.0, 0.0, 0.0)
        self.model.Draw()
        raw = GL.glReadPixels(0, 0, width, height, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE)
        pixels = np.frombuffer(raw, dtype=np.uint8).reshape(height, width, 4)[::-1].astype(np.float64)
        alpha = pixels[..., 3:] / 255
        # What comes out is premultiplied.
        over = pixels[..., :3] + np.array(background) * (1 - alpha)
        return Image.fromarray(np.clip(over, 0, 255).astype(np.uint8), "RGB")


def _open_context(width: int, height: int) -> None:
    from OpenGL import EGL

    display = EGL.eglGetDisplay(EGL.EGL_DEFAULT_DISPLAY)
    EGL.eglInitialize(display, ctypes.c_long(), ctypes.c_long())
    wanted = [
        EGL.EGL_SURFACE_TYPE, EGL.EGL_PBUFFER_BIT, EGL.EGL_RENDERABLE_TYPE, EGL.EGL_OPENGL_BIT,
        EGL.EGL_RED_SIZE, 8, EGL.EGL_GREEN_SIZE, 8, EGL.EGL_BLUE_SIZE, 8, EGL.EGL_ALPHA_SIZE, 8,
        EGL.EGL_NONE,
    ]
    configs = (EGL.EGLConfig * 1)()
    count = ctypes.c_long()
    EGL.eglChooseConfig(display, wanted, configs, 1, count)
    EGL.eglBindAPI(EGL.EGL_OPENGL_API)
    context = EGL.eglCreateContext(display, configs[0], EGL.EGL_NO_CONTEXT, None)
    surface = EGL.eglCreatePbufferSurface(
        display, configs[0], [EGL.EGL_WIDTH, width, EGL.EGL_HEIGHT, height, EGL.EGL_NONE]
    )
    EGL.eglMakeCurrent(display, surface, surface, context)


if __name__ == "__main__":
    job = json.loads(Path(sys.argv[1]).read_text())
    stage = Stage(Path(job["model"]), job["width"], job["height"])
    for shot in job["shots"]:
        stage.model.Update(0.0)
        for name, value in shot["values"].items():
            stage.model.SetParamById(name, value)
        stage.picture().save(shot["file"])
