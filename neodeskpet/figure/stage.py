"""The stage: where the companion stands, as a port, and a stage made of paper.

What drives the companion (the turn, the tools, the terminal) knows only `Stage`; the window with
the real body is one, `NullStage` another: it has the names of a model and writes down what it is
told, for the terminal and for tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.animation_script import ParameterRange, parse_script
from neodeskpet.figure.files.model_reader import ModelDescription, describe_model
from neodeskpet.figure.poses import Pose
from neodeskpet.platform.observers import Observers


class StageSignal(Protocol):
    """Something a stage tells. A Qt signal is one."""

    def connect(self, listener: Callable[..., object], /) -> object: ...


class Stage(Protocol):
    """Names that the model doesn't have do nothing: check them against the lists."""

    @property
    def touched(self) -> StageSignal:
        """Tells the name of the touched area (str)."""
        ...

    @property
    def ready(self) -> StageSignal:
        """Tells the ModelDescription of the model that now stands there."""
        ...

    @property
    def failed(self) -> StageSignal:
        """Tells a ModelFileError; the model that stood there stays."""
        ...

    def load(self, path: Path) -> None:
        """Bring another model on. The answer is `ready` or `failed`."""
        ...

    async def wait_until_loaded(self) -> None:
        """Until no load is under way: the names below are those of the last one, if it is sound."""
        ...

    def express(self, name: str) -> None: ...

    def play(self, group: str, index: int | None = None) -> None:
        """A motion of `group`: the one at `index` (from 0), else one by chance."""
        ...

    def look_at(self, x: float, y: float) -> None:
        """Look towards a point of the screen (device-independent pixels)."""
        ...

    def speak(self, level: float, vowel: str = "") -> None:
        """Open the mouth: 0 (shut) to 1, for a vowel ("AIUEO") if one is known."""
        ...

    def pose(self, state: Pose) -> None:
        """Show the state of the turn with the whole body."""
        ...

    def expressions(self) -> list[str]: ...

    def motions(self) -> dict[str, int]:
        """Group → number of motions."""
        ...

    def parameters(self) -> dict[str, ParameterRange]:
        """Id → minimum, maximum, default."""
        ...

    def notes(self, kind: str) -> Mapping[str, str]:
        """Short descriptions by name, of a `kind`: "expression", "motion" or "parameter"."""
        ...

    def animate(self, script: Sequence[Mapping[str, object]]) -> float:
        """Move parameters by a script (`animation_script.py`); its seconds. Ends the one before.
        Raises InvalidArguments.
        """
        ...


def notes_of(description: ModelDescription | None, kind: str) -> Mapping[str, str]:
    """What `Stage.notes` tells of a model."""
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
    """An announcement without Qt: calls its listeners in the order they came."""

    def __init__(self) -> None:
        self._listeners: Observers[...] = Observers()

    def connect(self, listener: Callable[..., object], /) -> object:
        self._listeners.subscribe(listener)
        return listener

    def emit(self, *values: object) -> None:
        self._listeners.notify(*values)


class NullStage:
    """A stage without a body. `played` holds every command with its arguments, oldest first."""

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
        """It loads at once."""

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
        return dict(self._description.parameters) if self._description else {}

    def notes(self, kind: str) -> Mapping[str, str]:
        return notes_of(self._description, kind)

    def animate(self, script: Sequence[Mapping[str, object]]) -> float:
        moves = parse_script(script, self.parameters())
        self.commands.append(("animate", script))
        return moves.seconds
