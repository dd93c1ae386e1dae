"""The interfaces that the page of the figure needs; `app` implements them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from neodeskpet.characters.persona import Persona
from neodeskpet.figure.files.figure_settings import FigureSettings
from neodeskpet.figure.files.model_description import ModelDescription


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model to choose. `path` is the value in the settings, "" for the bundled model. `problem`
    is the reason why the model can't be used, "" if none is known.
    """

    path: str
    title: str
    removable: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FigureParts:
    """What a model can do, and the user's settings for it. The bundled model has no such
    settings.
    """

    description: ModelDescription
    side: FigureSettings
    editable: bool = True


class ModelsPort(Protocol):
    """The models. Coroutines raise KnownError. A `path` is that of a ModelChoice."""

    async def tiles(self) -> Sequence[ModelChoice]: ...

    async def picture(self, path: str) -> Path:
        """Return a PNG of the figure with an alpha channel; it is rendered if it doesn't
        exist yet.
        """
        ...

    async def add(self, source: Path) -> str:
        """Import a folder, zip or settings file; return the path of the new model."""
        ...

    async def choose(self, path: str) -> None:
        """Check the model, and show it on the desktop."""
        ...

    async def remove(self, path: str) -> None:
        """Delete the model. If it is on the desktop, the bundled model replaces it."""
        ...

    async def parts(self, path: str) -> FigureParts: ...

    async def note(self, path: str, side: FigureSettings) -> FigureParts:
        """Store the user's settings of a model. If it is on the desktop, apply them at once."""
        ...

    async def show_expression(self, name: str) -> None:
        """Show this expression on the figure on the desktop (a shown name)."""
        ...

    async def show_motion(self, group: str, index: int) -> None:
        """Play this motion on the figure on the desktop (shown names)."""
        ...


@dataclass(frozen=True, slots=True)
class PersonaState:
    """The persona of the figure at `path`. `own`: the user changed it, and it is stored in `file`;
    otherwise it came with the figure. `problem` is the error of the file, "" if there is none.
    """

    path: str
    persona: Persona
    file: str = ""
    own: bool = False
    problem: str = ""


class PersonaPort(Protocol):
    """The persona of the figure on the desktop. Coroutines raise KnownError."""

    def state(self) -> PersonaState: ...

    def refresh(self) -> None:
        """Read the file again if it was changed by hand."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when the state may have changed. Return a function that ends this."""
        ...

    async def keep(self, path: str, persona: Persona) -> None:
        """Store the persona of the figure at `path`."""
        ...

    async def restore_default(self, path: str) -> None:
        """Restore the persona that came with the figure. A copy of a broken file is kept."""
        ...
