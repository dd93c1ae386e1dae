"""The library's model, with a guard around every call that could end the process.

By measurement (live2d-py 1.0.0; `python -m tests.bench.orders` looks for more) these are: any call
before a load; a motion started again within its fade-out time (so every motion is loaded twice, see
docs/upstream/live2d-py-double-free.md); drawing without a renderer; making a renderer before the
library knows a GL context; touching the motions from a motion's own callback.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.live2d.gl_functions import TextureFiltering
from neodeskpet.figure.live2d.gl_programs import GlPrograms, mask_lists, moc_version
from neodeskpet.figure.live2d.mipmaps import TextureDensity

COPIES = 2
_MARGIN = 0.5
"""The library adds up its time in single precision."""


@dataclass(slots=True)
class _Run:
    """A run of one copy. It lasts until `until`, which is known once it is being replaced."""

    replaced: bool = False
    until: float = math.inf


class MotionCopies:
    """`fades` are the fade-out times of motions, where they are known (s): a run that is replaced
    leaves the library's queue after that. Of the others only an empty queue tells it.
    """

    def __init__(self, fades: Mapping[Motion, float], copies: int = COPIES) -> None:
        self._fades = fades
        self._copies = range(copies)
        self._runs: dict[tuple[Motion, int], _Run] = {}
        self._time = 0.0

    def free(self, motion: Motion) -> int | None:
        """The copy of `motion` to start; None while all of them are in use."""
        for copy in self._copies:
            run = self._runs.get((motion, copy))
            if run is None or self._time > run.until:
                return copy
        return None

    def start(self, motion: Motion, copy: int) -> None:
        """This copy was started, which makes all others fade out."""
        for run in self._runs.values():
            run.replaced = True
        self._runs[motion, copy] = _Run()

    def update(self, seconds: float) -> None:
        """The library moved on; what was replaced before began to fade out in that step."""
        self._time += max(0.0, seconds)
        for (motion, _), run in self._runs.items():
            if run.replaced and run.until == math.inf:
                run.until = self._time + self._fades.get(motion, math.inf) + _MARGIN

    def clear(self) -> None:
        """The library's queue is empty."""
        self._runs.clear()
        self._time = 0.0


FORCE_PRIORITY = 3
_HARMLESS = (
    "Resize",
    "SetScale",
    "SetOffset",
    "Rotate",
    "GetMvp",
    "Drag",
    "GetParamIds",
    "GetParamMinById",
    "GetParamMaxById",
    "GetParamDefaultById",
    "GetParamValueById",
    "SetParamById",
    "SetSaveParamById",
    "AddParamById",
    "GetDrawableIds",
    "IsMotionFinished",
    "SetExpression",
    "ResetExpression",
    "GetExpressions",
    "GetCanvasSizePixel",
    "SetAutoBreath",
    "SetAutoBlink",
    "IsV3",
)


class GuardedModel:
    """`library` is the imported library with `init()` behind it, `programs` what it has made in
    GL; the rest as in `new_model`.

    Satisfies `library.CubismModel`. Raises RuntimeError and IndexError where the library would end
    the process.
    """

    def __init__(self, library: Any, settings: str, root: str, programs: GlPrograms) -> None:
        self._library = library
        self._programs = programs
        tree = json.loads(settings)
        self._find_moc = partial(_moc, tree, root)
        moc = self._find_moc()
        self._moc_version, self._mask_lists = moc_version(moc), mask_lists(moc)
        self._copies = COPIES if "FileReferences" in tree else 1
        self._in_use = MotionCopies(fade_outs(tree), self._copies)
        self._model = model = library.Model()
        model.LoadFromJsonString(json.dumps(_doubled(tree, self._copies), indent=4), False, root)
        self._counts = {
            group: count // self._copies for group, count in model.GetMotionGroups().items()
        }
        self._meshes = len(model.GetDrawableIds())
        self._rendered = False
        self._enough = math.inf
        self._filtering: TextureFiltering | None = None
        for name in _HARMLESS:
            setattr(self, name, getattr(model, name))

    # Motions

    def GetMotionGroups(self) -> dict[str, int]:
        return dict(self._counts)

    def StartMotion(self, group: str, no: int, priority: int = FORCE_PRIORITY) -> None:
        """Start a motion; does nothing for one the model doesn't have, and below FORCE nothing
        while another one runs.
        """
        count = self._counts.get(group, 0)
        if not 0 <= no < count:
            return
        if self._model.IsMotionFinished():
            self._in_use.clear()
        elif priority < FORCE_PRIORITY:
            return
        motion = (group, no)
        copy = self._in_use.free(motion)
        if copy is None:
            # Started again and again within its own fade-out: its values stay where they are, and
            # it fades in from there.
            self.StopAllMotions()
            copy = 0
        self._in_use.start(motion, copy)
        # Always with force: the library forgets to take back the priority of what was stopped.
        self._model.StartMotion(group, no + copy * count, FORCE_PRIORITY)

    def StopAllMotions(self) -> None:
        self._model.StopAllMotions()
        self._in_use.clear()

    def Update(self, deltaSecs: float = -1.0) -> None:  # noqa: N803
        self._model.Update(deltaSecs)
        self._in_use.update(deltaSecs)

    # Drawing

    def CreateRenderer(self, tall: float = math.inf) -> None:
        """A GL context must be current. The figure will be some `tall` pixels high: of textures
        only what is seen then may be loaded, until `show_detail` asks for more.
        """
        self._make_renderer(lambda fineness: tall / fineness.height if fineness.height else tall)

    def show_detail(self, pixels: float) -> None:
        """A unit of the model is to be drawn so many pixels wide: its textures are loaded anew
        where they are too coarse (some 50 ms). The GL context of its renderer must be current.
        """
        if self._rendered and pixels > self._enough:
            self.DestroyRenderer()
            self._make_renderer(lambda fineness: pixels)

    def _make_renderer(self, wanted: Callable[[TextureDensity], float]) -> None:
        """With textures for as many pixels a unit as are `wanted`."""
        self._enough = math.inf
        leads = self._programs.can_limit(self._library, self._moc_version)
        moc = self._find_moc() if leads else b""
        fineness = TextureDensity.of(moc, self.GetDrawableVertices)
        pixels = math.inf if fineness is None else wanted(fineness)

        def unread(width: int, height: int) -> int:
            if fineness is None:
                return 0
            side = math.sqrt(width * height)
            left_out = fineness.unneeded_levels(side, pixels)
            self._enough = min(self._enough, fineness.enough(side, left_out))
            return left_out

        self._programs.make_renderer(
            self._library, self._model, self._moc_version, self._mask_lists, unread
        )
        self._filtering = self._programs.filtering(self._library, self._moc_version)
        self._rendered = True

    def DestroyRenderer(self) -> None:
        self._rendered = False
        self._model.DestroyRenderer()

    def Draw(self) -> None:
        if not self._rendered:
            raise RuntimeError("a model without a renderer can't be drawn")
        if self._filtering is None:
            self._model.Draw()
        else:
            with self._filtering.drawing():
                self._model.Draw()

    def GetDrawableVertices(self, index: int) -> list[float]:
        if not 0 <= index < self._meshes:
            raise IndexError(index)
        vertices: list[float] = self._model.GetDrawableVertices(index)
        return vertices


def _moc(tree: dict[str, Any], root: str) -> bytes:
    """What its .moc3 holds; nothing for a figure of Cubism 2."""
    try:
        return Path(root, tree["FileReferences"]["Moc"]).read_bytes()
    except (KeyError, OSError):
        return b""


def fade_outs(tree: dict[str, Any]) -> dict[Motion, float]:
    """The fade-out times that a checked settings tree gives for motions, seconds."""
    references = tree.get("FileReferences")
    groups = tree.get("motions", {}) if references is None else references.get("Motions", {})
    key, unit = ("fade_out", 1000.0) if references is None else ("FadeOutTime", 1.0)
    return {
        (group, index): entry[key] / unit
        for group, entries in groups.items()
        for index, entry in enumerate(entries)
        if entry.get(key, -1.0) >= 0.0
    }


def _doubled(tree: dict[str, Any], copies: int) -> dict[str, Any]:
    """`tree` with every motion group followed by its copies."""
    if copies == 1:
        return tree
    references = tree["FileReferences"]
    motions = {group: entries * copies for group, entries in references.get("Motions", {}).items()}
    return {**tree, "FileReferences": {**references, "Motions": motions}}
