"""Imports and uses the Cubism library without output on stdout, and finds the chosen or the bundled
figure. `live2d` prints a banner when it is imported, and the stdout of a terminal command belongs
to its reply, so the file descriptor is redirected meanwhile.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import io
import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Protocol, cast

from neodeskpet.figure.live2d.gl_programs import GlPrograms
from neodeskpet.figure.live2d.guarded_model import GuardedModel
from neodeskpet.platform.installation import assets_dir
from neodeskpet.settings.settings_model import Settings

_STDOUT = 1


class CubismModel(Protocol):
    """The part of `live2d.Model` that the app uses. Points are in pixels of the last `Resize`, y
    down.

    The instances are `guarded_model.GuardedModel`, since the library ends the process in place of
    raising. Unknown expression and motion names do nothing.
    """

    def CreateRenderer(self, tall: float = ...) -> None: ...
    def show_detail(self, pixels: float) -> None: ...
    def DestroyRenderer(self) -> None: ...
    def Resize(self, w: int, h: int) -> None: ...
    def SetScale(self, scale: float) -> None: ...
    def SetOffset(self, dx: float, dy: float) -> None: ...
    def Rotate(self, deg: float) -> None: ...
    def GetMvp(self) -> tuple[float, ...]: ...
    def Update(self, deltaSecs: float = -1.0) -> None: ...  # noqa: N803
    def Draw(self) -> None: ...
    def Drag(self, x: float, y: float) -> None: ...
    def GetParamIds(self) -> list[str]: ...
    def GetParamMinById(self, id: str) -> float: ...
    def GetParamMaxById(self, id: str) -> float: ...
    def GetParamDefaultById(self, id: str) -> float: ...
    def SetSaveParamById(self, id: str, value: float, weight: float = 1.0) -> None: ...
    def SetParamById(self, id: str, value: float, weight: float = 1.0) -> None: ...
    def AddParamById(self, id: str, value: float) -> None: ...
    def GetParamValueById(self, id: str) -> float: ...
    def GetDrawableIds(self) -> list[str]: ...
    def GetDrawableVertices(self, index: int) -> list[float]: ...
    def StartMotion(self, group: str, no: int, priority: int = 3) -> None: ...
    def IsMotionFinished(self) -> bool: ...
    def StopAllMotions(self) -> None: ...
    def GetMotionGroups(self) -> dict[str, int]: ...
    def SetExpression(self, expressionId: str, fadeoutMs: float = -1.0) -> None: ...  # noqa: N803
    def ResetExpression(self) -> None: ...
    def GetExpressions(self) -> list[str]: ...
    def GetCanvasSizePixel(self) -> tuple[float, float]: ...
    def SetAutoBreath(self, on: bool) -> None: ...
    def SetAutoBlink(self, on: bool) -> None: ...


@contextlib.contextmanager
def without_stdout() -> Iterator[None]:
    """Suppress all output to stdout inside the `with` block, even from C code."""
    try:
        kept = os.dup(_STDOUT)
    except OSError:  # a windowed program has no console
        with contextlib.redirect_stdout(io.StringIO()):
            yield
        return
    if sys.stdout is not None:
        sys.stdout.flush()
    _flush_c()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, _STDOUT)
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        # Output of C code may still be in its buffer and would appear with the next line.
        _flush_c()
        os.dup2(kept, _STDOUT)
        os.close(kept)
        os.close(nowhere)


def _flush_c() -> None:
    name = "ucrtbase" if sys.platform == "win32" else None
    ctypes.CDLL(name).fflush(None)


@lru_cache(maxsize=1)
def cubism_library() -> ModuleType:
    """Return the library, initialized once. Raises ImportError if there is no build of it for this
    system.

    Call it before the first GL context of the process is created: if it is imported later, its C
    part ends the process with `bad_alloc` (seen with live2d-py 1.0.0 and Mesa).
    """
    with without_stdout():
        import live2d

        live2d.enableLog(False)
        live2d.init()
    return live2d  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def has_cubism_core() -> bool:
    """Return whether the library is part of this program, without loading it: a bundle without it
    has figures made of pictures only.
    """
    return importlib.util.find_spec("live2d") is not None


def library_version() -> str:
    """Return the release of the loaded or installed library; "" if unknown."""
    loaded = sys.modules.get("live2d")
    if loaded is not None:
        return str(loaded.__version__)
    from importlib import metadata  # not needed at a start

    try:
        return metadata.version("live2d-py")
    except metadata.PackageNotFoundError:  # a bundle may come without metadata
        return ""


def bundled_figure_path() -> Path:
    """Return the bundled figure: Neo, made of pictures if the library is missing."""
    return assets_dir() / "companion" / ("neo" if has_cubism_core() else "pictures")


_programs = GlPrograms()


def start_gl() -> None:
    """Give the library the functions of the current GL context; call it before the first renderer
    is created.
    """
    library = cubism_library()
    with without_stdout():
        _programs.begin(library)


def draws_in_software() -> bool:
    """Return whether the context of the last `start_gl` renders in software."""
    return _programs.software


def new_model(settings: str, root: str, *, renderer: bool = False) -> CubismModel:
    """Load a model. `settings` is checked, indented JSON; `root` is the folder of its files.

    Never pass a model that the guard has not checked: a bad file ends the process. With `renderer`
    (or a later `CreateRenderer()`) a GL context must be current and passed to the library by
    `start_gl`.
    """
    library = cubism_library()
    with without_stdout():
        model = GuardedModel(library, settings, root.rstrip("/") + "/", _programs)
        if renderer:
            model.CreateRenderer()
    return cast(CubismModel, model)


def chosen_figure_path(settings: Settings) -> Path:
    """Return the path of the chosen figure, or of the bundled one."""
    chosen = settings.companion.model
    return Path(chosen).expanduser() if chosen else bundled_figure_path()
