"""The interface of the figure on the desktop, and an implementation without a window.

The parts that control the companion (the turn, the tools, the terminal) use only `Stage`; the
window with the figure implements it. `NullStage`, for the terminal and for tests, has the names of
a model and records all commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.animation_script import ParameterRange, parse_script
from neodeskpet.figure.behaviour.wearing import wearable_parts, without_props
from neodeskpet.figure.files.model_reader import ModelDescription, describe_model
from neodeskpet.figure.poses import Pose
from neodeskpet.platform.observers import Observers


class StageSignal(Protocol):
    """An event of a stage. A Qt signal is one."""

    def connect(self, listener: Callable[..., object], /) -> object: ...


class Stage(Protocol):
    """The figure on the desktop. Unknown names do nothing: check them against the lists."""

    @property
    def touched(self) -> StageSignal:
        """Emits the name of the touched area (str)."""
        ...

    @property
    def ready(self) -> StageSignal:
        """Emits the ModelDescription of the model that was loaded."""
        ...

    @property
    def failed(self) -> StageSignal:
        """Emits a ModelFileError; the previous model stays."""
        ...

    def load(self, path: Path) -> None:
        """Load another model. The result is reported later."""
        ...

    async def wait_until_loaded(self) -> None:
        """Wait until no load is running: the names below are those of the last model, if it is
        valid.
        """
        ...

    def express(self, name: str) -> None: ...

    def play(self, group: str, index: int | None = None) -> None:
        """Play a motion of `group`: the one at `index` (from 0), else a random one."""
        ...

    def look_at(self, x: float, y: float) -> None:
        """Look at a point of the screen (device-independent pixels)."""
        ...

    def speak(self, level: float, vowel: str = "") -> None:
        """Open the mouth: 0 (closed) to 1, for a vowel ("AIUEO") if one is known."""
        ...

    def pose(self, state: Pose) -> None:
        """Show a state of the turn."""
        ...

    def expressions(self) -> list[str]: ...

    def motions(self) -> dict[str, int]:
        """Return the number of motions by group."""
        ...

    def parameters(self) -> dict[str, ParameterRange]:
        """Return minimum, maximum and default by id, without those of worn parts."""
        ...

    def notes(self, kind: str) -> Mapping[str, str]:
        """Return short descriptions by name, of a `kind`: "expression", "motion" or "parameter"."""
        ...

    def animate(self, script: Sequence[Mapping[str, object]]) -> float:
        """Move parameters by a script (`animation_script.py`), which ends the previous one; return
        its duration in seconds. Raises InvalidArguments.
        """
        ...

    def wearables(self) -> list[str]:
        """Return the names of the parts that the figure can wear."""
        ...

    def wear(self, part: str) -> None:
        """Wear this part, or nothing with ""."""
        ...


def notes_of(description: ModelDescription | None, kind: str) -> Mapping[str, str]:
    """Return the result of `Stage.notes` for a model."""
    if description is None:
        return {}
    notes = description.notes
    known = {
        "expression": notes.expressions,
        "motion": notes.motions,
        "parameter": notes.parameters,
    }
    return known[kind]


class PlainSignal:
    """A signal without Qt: calls its listeners in the order in which they were added."""

    def __init__(self) -> None:
        self._listeners: Observers[...] = Observers()

    def connect(self, listener: Callable[..., object], /) -> object:
        self._listeners.subscribe(listener)
        return listener

    def emit(self, *values: object) -> None:
        self._listeners.notify(*values)


class NullStage:
    """A stage without a window. `commands` contains every command with its arguments,
    oldest first.
    """

    def __init__(self, description: ModelDescription | None = None) -> None:
        self.touched = PlainSignal()
        self.ready = PlainSignal()
        self.failed = PlainSignal()
        self.commands: list[tuple[object, ...]] = []
        self._description = description

    def load(self, path: Path) -> None:
        self.commands.append(("load", path))
        try:
            self._description = describe_model(path)
        except ModelFileError as error:
            self.failed.emit(error)
        else:
            self.ready.emit(self._description)

    async def wait_until_loaded(self) -> None:
        """Return at once: nothing is loaded in the background."""

    def express(self, name: str) -> None:
        self.commands.append(("express", name))

    def play(self, group: str, index: int | None = None) -> None:
        self.commands.append(("play", group, index))

    def look_at(self, x: float, y: float) -> None:
        self.commands.append(("look_at", x, y))

    def speak(self, level: float, vowel: str = "") -> None:
        self.commands.append(("speak", level))

    def pose(self, state: Pose) -> None:
        self.commands.append(("pose", state))

    def expressions(self) -> list[str]:
        return list(self._description.expressions) if self._description else []

    def motions(self) -> dict[str, int]:
        return dict(self._description.motions) if self._description else {}

    def parameters(self) -> dict[str, ParameterRange]:
        return without_props(self._description.parameters) if self._description else {}

    def notes(self, kind: str) -> Mapping[str, str]:
        return notes_of(self._description, kind)

    def animate(self, script: Sequence[Mapping[str, object]]) -> float:
        moves = parse_script(script, self.parameters())
        self.commands.append(("animate", script))
        return moves.seconds

    def wearables(self) -> list[str]:
        return list(wearable_parts(self._description.parameters)) if self._description else []

    def wear(self, part: str) -> None:
        self.commands.append(("wear", part))
