"""Renders a built model off screen, with EGL and no window system.

Run in a process of its own (``python -m companion.stage JOB.json``), which ``render`` does: a
broken model kills the process that loads it.
"""

import contextlib
import ctypes
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_ROOT = Path(__file__).parent.parent
_FRAME = 1 / 30
_BACKGROUND = (236, 240, 246)


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: what to play for how many seconds, then which values to set."""

    expression: str = ""
    motion: tuple[str, int] | None = None
    seconds: float = 0.0
    values: Mapping[str, float] = field(default_factory=dict)


def render(
    model: Path, shots: Sequence[Shot], width: int, height: int, timeout: float = 300.0
) -> list[Image.Image]:
    """Pictures of ``model``, made in a subprocess; raises ``RuntimeError`` if that dies."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "job.json"
        document = {
            "model": str(model.resolve()),
            "size": [width, height],
            "shots": [asdict(shot) for shot in shots],
        }
        job.write_text(json.dumps(document))
        command = [sys.executable, "-m", "companion.stage", str(job)]
        done = subprocess.run(
            command, cwd=_ROOT, env=surfaceless(), capture_output=True, text=True, timeout=timeout
        )
        if done.returncode:
            raise RuntimeError(f"{model} failed ({done.returncode}): {done.stderr[-2000:]}")
        return [Image.open(Path(folder) / f"{i}.png").copy() for i in range(len(shots))]


def in_child(module: str, arguments: Sequence[str]) -> int:
    """Run ``python -m module`` with a screen of its own off screen; returns how it ended."""
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, env=surfaceless(), check=False).returncode


def surfaceless() -> dict[str, str]:
    """The environment of a process that renders without a window system."""
    return {
        **os.environ,
        "PYTHONPATH": str(_ROOT),
        "PYOPENGL_PLATFORM": "egl",
        "EGL_PLATFORM": "surfaceless",
    }


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
            self._model: Any = live2d.Model()
            self._model.LoadModelJson(str(model))
        self._model.Resize(width, height)
        self._model.SetAutoBlink(False)
        self._model.SetAutoBreath(False)
        self._hidden: tuple[int, ...] = ()
        self._playing: tuple[Any, ...] = ()
        self._clock = 0.0

    def ids(self) -> list[str]:
        """The meshes' names."""
        return [str(name) for name in self._model.GetDrawableIds()]

    def tint(self, colour: Callable[[str], tuple[float, float, float]]) -> None:
        """Multiply what each part shows by a colour."""
        for index, part in enumerate(self._model.GetPartIds()):
            self._model.SetPartMultiplyColor(index, *colour(str(part)), 1.0)

    def hide(self, parts: Sequence[str]) -> None:
        """Draw nothing of ``parts`` from now on."""
        own = [str(name) for name in self._model.GetPartIds()]
        self._hidden = tuple(own.index(name) for name in parts if name in own)

    def alone(self, parts: Sequence[str]) -> NDArray[np.uint8]:
        """(height, width): the opacity of ``parts``, drawn alone, in the pose drawn last."""
        own = [str(name) for name in self._model.GetPartIds()]
        for index, name in enumerate(own):
            self._model.SetPartOpacity(index, 1.0 if name in parts else 0.0)
        pixels = self._drawn()
        for index in range(len(own)):
            self._model.SetPartOpacity(index, 0.0 if index in self._hidden else 1.0)
        return pixels[..., 3]

    def value(self, parameter: str) -> float:
        """What ``parameter`` is in the pose drawn last."""
        return float(self._model.GetParamValueById(parameter))

    def vertices(self, mesh: str) -> NDArray[np.float64]:
        """(n, 2): where the vertices of ``mesh`` were drawn, y up."""
        flat = self._model.GetDrawableVertices(self.ids().index(mesh))
        return np.asarray(flat, dtype=np.float64).reshape(-1, 2)

    def triangles(self, mesh: str) -> NDArray[np.int64]:
        """(m, 3): the vertices of each triangle of ``mesh``."""
        flat = self._model.GetDrawableIndices(self.ids().index(mesh))
        return np.asarray(flat, dtype=np.int64).reshape(-1, 3)

    def picture(self, shot: Shot) -> Image.Image:
        """The model as ``shot`` describes it, before a plain background."""
        pixels = self.pixels(shot)
        alpha = pixels[..., 3:].astype(np.float64) / 255
        # What comes out is premultiplied.
        over = pixels[..., :3] + np.array(_BACKGROUND) * (1 - alpha)
        return Image.fromarray(np.clip(over, 0, 255).astype(np.uint8))

    def pixels(self, shot: Shot) -> NDArray[np.uint8]:
        """(height, width, 4), premultiplied: the model as ``shot`` describes it.

        A motion already playing is carried on.
        """
        playing = (shot.expression, shot.motion)
        if playing != self._playing or shot.seconds < self._clock:
            self._start(shot)
            self._playing, self._clock = playing, 0.0
        while self._clock < shot.seconds - _FRAME / 2:
            self._model.Update(_FRAME)
            self._clock += _FRAME
        self._model.Update(0.0)
        for name, value in shot.values.items():
            self._model.SetParamById(name, value)
        for index in self._hidden:
            self._model.SetPartOpacity(index, 0.0)
        return self._drawn()

    def _start(self, shot: Shot) -> None:
        self._model.StopAllMotions()
        self._model.ResetExpressions()
        self._model.ResetAllParameters()
        if shot.expression:
            self._model.SetExpression(shot.expression)
        if shot.motion:
            self._model.StartMotion(*shot.motion, 3)

    def _drawn(self) -> NDArray[np.uint8]:
        from OpenGL import GL

        width, height = self._size
        GL.glViewport(0, 0, width, height)
        self._live2d.clearBuffer(0.0, 0.0, 0.0, 0.0)
        self._model.Draw()
        raw = GL.glReadPixels(0, 0, width, height, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE)
        return np.frombuffer(raw, dtype=np.uint8).reshape(height, width, 4)[::-1]


def _open_context(width: int, height: int) -> None:
    from OpenGL import EGL

    display = EGL.eglGetDisplay(EGL.EGL_DEFAULT_DISPLAY)
    EGL.eglInitialize(display, ctypes.c_long(), ctypes.c_long())
    wanted = [EGL.EGL_SURFACE_TYPE, EGL.EGL_PBUFFER_BIT, EGL.EGL_ALPHA_SIZE, 8]
    wanted += [EGL.EGL_RENDERABLE_TYPE, EGL.EGL_OPENGL_BIT, EGL.EGL_NONE]
    configs = (EGL.EGLConfig * 1)()
    EGL.eglChooseConfig(display, wanted, configs, 1, ctypes.c_long())
    EGL.eglBindAPI(EGL.EGL_OPENGL_API)
    context = EGL.eglCreateContext(display, configs[0], EGL.EGL_NO_CONTEXT, None)
    size = [EGL.EGL_WIDTH, width, EGL.EGL_HEIGHT, height, EGL.EGL_NONE]
    surface = EGL.eglCreatePbufferSurface(display, configs[0], size)
    EGL.eglMakeCurrent(display, surface, surface, context)


def _main(job: Path) -> None:
    document = json.loads(job.read_text())
    stage = Stage(Path(document["model"]), *document["size"])
    for i, entry in enumerate(document["shots"]):
        motion = tuple(entry["motion"]) if entry["motion"] else None
        shot = Shot(entry["expression"], motion, entry["seconds"], entry["values"])
        stage.picture(shot).save(job.parent / f"{i}.png", compress_level=1)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
