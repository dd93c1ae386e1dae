"""Loads a model in a separate process to check it.

`python -m neodeskpet.figure.files.model_probe SETTINGS [--no-gl]`

A bad model doesn't raise, it ends the process, so it ends only this one. Every motion and
expression is played and every parameter is moved to its limits; then, if EGL provides a context
without a display, frames are drawn. The name of each step is printed before it runs, so that the
last line tells which step ended the process. The last line of a successful run is `ok {json}`: the
names that the library reports.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STEP_WORD = "step "
OK_WORD = "ok "
BAD_WORD = "bad "
CONTEXT_STEP = "context"
_MEMORY = 6 << 30
_SECONDS = 25
"""Seconds of processor time, so that a busy computer has no effect."""
_SIZE = 96
_FRAMES = 12


def main(arguments: list[str]) -> int:
    """Run the check: 0 and `ok …` if the model can be used; 1 and `bad reason` if it was
    rejected.
    """
    file, gl = Path(arguments[0]), "--no-gl" not in arguments
    _limit_resources()
    # Before the library is imported: its GL loader reads the platform.
    os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
    try:
        found = probe(file, gl=gl)
    except ValueError as error:
        _say(BAD_WORD + str(error))
        return 1
    _say(OK_WORD + json.dumps(found))
    return 0


def probe(file: Path, *, gl: bool) -> dict[str, Any]:
    """Load the model of the checked settings file and use all of its parts. Raises ValueError."""
    from neodeskpet.figure.files.moc_file import MAGIC_3, check_indices
    from neodeskpet.figure.live2d.library import new_model

    settings = file.read_text(encoding="utf-8")
    tree = json.loads(settings)
    references = tree.get("FileReferences", {})
    moc = (file.parent / (references.get("Moc") or tree["model"])).read_bytes()
    _step("moc")
    if moc.startswith(MAGIC_3):
        check_indices(moc, len(references["Textures"]))
    _step("load")
    model = new_model(settings, str(file.parent))
    model.Resize(_SIZE, _SIZE)
    model.Update(0.03)
    _check_canvas(model)
    for name in _exercise(model):
        _step(name)
    found: dict[str, Any] = {
        "expressions": model.GetExpressions(),
        "motions": model.GetMotionGroups(),
    }
    if gl:
        _step(CONTEXT_STEP)
        with egl_context(_SIZE, _SIZE) as ready:
            if ready:
                found["reach"] = _draw(settings, str(file.parent))
    return found


def _check_canvas(model: Any) -> None:
    """Check the size of the canvas. Raises ValueError if the model can't be fitted into a
    window.
    """
    from neodeskpet.figure.live2d.framing import PixelBox, Projection, place_model, view_of

    try:
        lens = Projection(model.GetMvp(), _SIZE, _SIZE)
        placing = place_model(
            model, view_of(PixelBox(0, 0, _SIZE, _SIZE), lens, None), _SIZE, _SIZE
        )
    except (ZeroDivisionError, OverflowError):
        raise ValueError("Its canvas has no size.") from None
    if not all(math.isfinite(value) for value in (placing.x, placing.y, placing.step)):
        raise ValueError("Its canvas has no size.")


class MotionReach:
    """The box around all vertices: at rest, and extended by later movements.

    The library computes vertices when it draws, so only drawn frames count.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._meshes = range(len(model.GetDrawableIds()))
        self._rest = self._box()
        self._grown = self._rest

    def grow(self) -> None:
        """Extend the box to the current pose."""
        box, grown = self._box(), self._grown
        self._grown = (
            min(box[0], grown[0]),
            min(box[1], grown[1]),
            max(box[2], grown[2]),
            max(box[3], grown[3]),
        )

    def shares(self) -> list[float]:
        """Return the extension to the left, top, right and bottom of the screen, as shares of the
        size at rest.
        """
        rest, grown = self._rest, self._grown
        width, height = max(rest[2] - rest[0], 1e-6), max(rest[3] - rest[1], 1e-6)
        low, high = (rest[1] - grown[1]) / height, (grown[3] - rest[3]) / height
        top, bottom = (high, low) if self._model.IsV3() else (low, high)
        return [(rest[0] - grown[0]) / width, top, (grown[2] - rest[2]) / width, bottom]

    def _box(self) -> tuple[float, float, float, float]:
        xs: list[float] = []
        ys: list[float] = []
        for mesh in self._meshes:
            points = self._model.GetDrawableVertices(mesh)
            xs += points[0::2]
            ys += points[1::2]
        return (
            min(xs, default=0.0),
            min(ys, default=0.0),
            max(xs, default=0.0),
            max(ys, default=0.0),
        )


def _exercise(model: Any) -> Iterator[str]:
    """Use every parameter, expression and motion; yield the name of each step before it runs."""
    for name in model.GetExpressions():
        yield f"expression {name}"
        model.SetExpression(name)
        for _ in range(8):
            model.Update(0.25)
    model.ResetExpression()
    for group, count in model.GetMotionGroups().items():
        for index in range(count):
            yield f"motion {group!r} {index}"
            model.StartMotion(group, index, 3)
            for _ in range(20):
                model.Update(0.4)
            model.Update(30.0)
    for name in model.GetParamIds():
        yield f"parameter {name}"
        for value in (model.GetParamMinById(name), model.GetParamMaxById(name)):
            model.SetParamById(name, value)
            model.Update(0.03)


def _draw(settings: str, root: str) -> list[float]:
    """Draw everything; return how far motions reach beyond the figure at rest, see
    `MotionReach.shares`.
    """
    from neodeskpet.figure.live2d.library import cubism_library, new_model, start_gl

    _step("draw")
    library = cubism_library()
    start_gl()
    model = new_model(settings, root, renderer=True)
    model.Resize(_SIZE, _SIZE)

    def frame(seconds: float) -> None:
        library.clearBuffer(0.0, 0.0, 0.0, 0.0)
        model.Update(seconds)
        model.Draw()

    for _ in range(3):
        frame(0.03)
    reach = MotionReach(model)
    for name in model.GetExpressions():
        _step(f"drawing the expression {name}")
        model.SetExpression(name)
        frame(0.5)
    for group, count in model.GetMotionGroups().items():
        for index in range(count):
            _step(f"drawing the motion {group!r} {index}")
            model.StartMotion(group, index, 3)
            for _ in range(_FRAMES):
                frame(0.7)
                reach.grow()
    return reach.shares()


@contextmanager
def egl_context(width: int, height: int) -> Iterator[bool]:
    """Provide a current GL context that needs no display and draws into memory; False if there is
    none.

    Only for a separate process: it takes over the process' GL.
    """
    os.environ.setdefault("EGL_PLATFORM", "surfaceless")
    made = _make_context(width, height)
    if made is None:
        yield False
        return
    egl, display, context, surface = made
    try:
        yield True
    finally:
        egl.eglMakeCurrent(display, None, None, None)
        egl.eglDestroyContext(display, context)
        egl.eglDestroySurface(display, surface)
        egl.eglTerminate(display)


def _make_context(width: int, height: int) -> tuple[Any, Any, Any, Any] | None:
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError:
        return None
    pointer = ctypes.c_void_p
    for name in ("eglGetDisplay", "eglCreateContext", "eglCreatePbufferSurface"):
        getattr(egl, name).restype = pointer
    for name in ("eglInitialize", "eglChooseConfig", "eglMakeCurrent", "eglDestroyContext"):
        getattr(egl, name).argtypes = None
    egl.eglGetDisplay.argtypes = [pointer]
    display = pointer(egl.eglGetDisplay(None))
    if not display or not egl.eglInitialize(display, None, None):
        return None
    config, count = pointer(), ctypes.c_int()
    # Surface type pbuffer, OpenGL rendering, 8 bits a channel.
    wanted = _attributes(0x3033, 1, 0x3040, 8, 0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3021, 8)
    egl.eglBindAPI(0x30A2)
    chosen = egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(count))
    if not chosen or not count.value:
        return None
    context = pointer(egl.eglCreateContext(display, config, None, None))
    size = _attributes(0x3057, width, 0x3056, height)
    surface = pointer(egl.eglCreatePbufferSurface(display, config, size))
    if not context or not egl.eglMakeCurrent(display, surface, surface, context):
        return None
    return egl, display, context, surface


def _attributes(*values: int) -> Any:
    return (ctypes.c_int * (len(values) + 1))(*values, 0x3038)


def _limit_resources() -> None:
    """Limit memory and time: a model that uses too much ends this process only. No core files are
    written.
    """
    if sys.platform != "win32":  # Windows relies on the timeout of the guard
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _step(name: str) -> None:
    _say(STEP_WORD + name)


def _say(line: str) -> None:
    print(line.replace("\n", " "), flush=True)


if __name__ == "__main__":
    # Skip the interpreter's shutdown: a graphics driver that crashes while it cleans up would
    # lose a good verdict.
    os._exit(main(sys.argv[1:]))
