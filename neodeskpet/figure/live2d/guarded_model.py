"""The library's model, with a guard around every call that could end the process.

According to measurements (live2d-py 1.0.0; `python -m tests.bench.orders` searches for more) these
are: any call before a load; a motion started again within its fade-out time (so every motion is
loaded twice, see docs/upstream/live2d-py-double-free.md); drawing without a renderer; creating a
renderer before the library has a GL context; using the motions in a motion's own callback.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.live2d.gl_functions import TextureFiltering
from neodeskpet.figure.live2d.gl_programs import GlPrograms, mask_lists, moc_version
from neodeskpet.figure.live2d.mipmaps import TextureDensity

COPIES = 2
_MARGIN = 0.5
"""Seconds; the library adds up its time in single precision."""


@dataclass(slots=True)
class _Run:
    """A run of one copy of a motion. It lasts until `until`, which is known once the run is being
    replaced.
    """

    replaced: bool = False
    until: float = math.inf


class MotionCopies:
    """The copies of motions. `fades` are the known fade-out times (s): a replaced run leaves the
    library's queue after that time. Other runs are known to be over only when the queue is empty.
    """

    def __init__(self, fades: Mapping[Motion, float], copies: int = COPIES) -> None:
        self._fades = fades
        self._copies = range(copies)
        self._runs: dict[tuple[Motion, int], _Run] = {}
        self._time = 0.0

    def free(self, motion: Motion) -> int | None:
        """Return the copy of `motion` to start; None while all of them are in use."""
        for copy in self._copies:
            run = self._runs.get((motion, copy))
            if run is None or self._time > run.until:
                return copy
        return None

    def start(self, motion: Motion, copy: int) -> None:
        """Record that this copy was started; all others then fade out."""
        for run in self._runs.values():
            run.replaced = True
        self._runs[motion, copy] = _Run()

    def update(self, seconds: float) -> None:
        """Advance the time; runs that were replaced before start to fade out in this step."""
        self._time += max(0.0, seconds)
        for (motion, _), run in self._runs.items():
            if run.replaced and run.until == math.inf:
                run.until = self._time + self._fades.get(motion, math.inf) + _MARGIN

    def clear(self) -> None:
        """Record that the library's queue is empty."""
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
    """A guarded model. `library` is the imported and initialised library, `programs` its GL
    programs; `settings` is the settings file and `root` its folder.

    Implements `library.CubismModel`. Raises RuntimeError and IndexError where the library would end
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
        """Start a motion; does nothing for an unknown one, nor below FORCE while another
        one runs.
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
            # Started repeatedly within its own fade-out: its values stay, and it fades in
            # from there.
            self.StopAllMotions()
            copy = 0
        self._in_use.start(motion, copy)
        # Always with force: the library does not reset the priority of a stopped motion.
        self._model.StartMotion(group, no + copy * count, FORCE_PRIORITY)

    def StopAllMotions(self) -> None:
        self._model.StopAllMotions()
        self._in_use.clear()

    def Update(self, deltaSecs: float = -1.0) -> None:  # noqa: N803
        self._model.Update(deltaSecs)
        self._in_use.update(deltaSecs)

    # Drawing

    def CreateRenderer(self, tall: float = math.inf) -> None:
        """Create the renderer; a GL context must be current. The figure will be about `tall` pixels
        high: textures may be loaded only in the resolution that is visible then, until
        `show_detail` requests more.
        """
        self._make_renderer(lambda fineness: tall / fineness.height if fineness.height else tall)

    def show_detail(self, pixels: float) -> None:
        """Prepare to draw a unit of the model with this width in pixels: textures that are too
        coarse are loaded again (about 50 ms). The GL context of its renderer must be current.
        """
        if self._rendered and pixels > self._enough:
            self.DestroyRenderer()
            self._make_renderer(lambda fineness: pixels)

    def _make_renderer(self, wanted: Callable[[TextureDensity], float]) -> None:
        """Create the renderer with textures for the `wanted` number of pixels a unit."""
        self._enough = math.inf
        leads = self._programs.can_limit(self._library, self._moc_version)
        moc = self._find_moc() if leads else b""
        fineness = TextureDensity.of(moc, self.GetDrawableVertices)
        pixels = math.inf if fineness is None else wanted(fineness)

        # The library loads the textures in the order of their numbers.
        textures = count()

        def unread(width: int, height: int) -> int:
            if fineness is None:
                return 0
            texture, side = next(textures), math.sqrt(width * height)
            left_out = fineness.unneeded_levels(texture, side, pixels)
            self._enough = min(self._enough, fineness.enough(texture, side, left_out))
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
    """Return the contents of its .moc3; empty for a Cubism 2 figure."""
    try:
        return Path(root, tree["FileReferences"]["Moc"]).read_bytes()
    except (KeyError, OSError):
        return b""


def fade_outs(tree: dict[str, Any]) -> dict[Motion, float]:
    """Return the fade-out times of motions in a checked settings tree, in seconds."""
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
    """Return `tree` with every motion group followed by its copies."""
    if copies == 1:
        return tree
    references = tree["FileReferences"]
    motions = {group: entries * copies for group, entries in references.get("Motions", {}).items()}
    return {**tree, "FileReferences": {**references, "Motions": motions}}
