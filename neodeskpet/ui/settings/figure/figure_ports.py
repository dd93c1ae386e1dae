"""What the companion's page asks of the models there are; `app` fits it together."""

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
    """A model to choose. `path` is what the settings remember, "" for the bundled one. `wrong`
    says why it can't be used, "" if nothing is known against it.
    """

    path: str
    title: str
    removable: bool = False
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class FigureParts:
    """What a model can do, and what the person says of it. The bundled one takes no notes."""

    description: ModelDescription
    side: FigureSettings
    editable: bool = True


class ModelsPort(Protocol):
    """Coroutines raise KnownError. A `path` is a tile's."""

    async def tiles(self) -> Sequence[ModelChoice]: ...

    async def picture(self, path: str) -> Path:
        """A PNG of the figure, with alpha; drawn when it isn't there yet."""
        ...

    async def add(self, source: Path) -> str:
        """Bring a folder, zip or settings file; the new model's path."""
        ...

    async def choose(self, path: str) -> None:
        """Check the model, and let it stand on the desktop."""
        ...

    async def remove(self, path: str) -> None:
        """Delete it; if it stands on the desktop, the bundled one takes its place."""
        ...

    async def parts(self, path: str) -> FigureParts: ...

    async def note(self, path: str, side: FigureSettings) -> FigureParts:
        """Keep what the person says of a model, and show it at once if it is on the desktop."""
        ...

    async def show_expression(self, name: str) -> None:
        """Let the figure on the desktop wear it (a shown name)."""
        ...

    async def show_motion(self, group: str, index: int) -> None:
        """Let the figure on the desktop play it (shown names)."""
        ...


@dataclass(frozen=True, slots=True)
class PersonaState:
    """Who the figure at `path` is. `own`: the person said so, in `file`; else it is what the figure
    came with. `wrong` says what is the matter with the file, "" if nothing.
    """

    path: str
    persona: Persona
    file: str = ""
    own: bool = False
    wrong: str = ""


class PersonaPort(Protocol):
    """The persona of the figure on the desktop. Coroutines raise KnownError."""

    def state(self) -> PersonaState: ...

    def refresh(self) -> None:
        """Look whether the file was changed by hand."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever the state may be another; returns what ends it."""
        ...

    async def keep(self, path: str, persona: Persona) -> None:
        """That is who the figure at `path` is from now on."""
        ...

    async def start_anew(self, path: str) -> None:
        """Who it was when it came; a broken file is kept aside."""
        ...
