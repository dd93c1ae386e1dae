"""The settings page's port onto the persona of the figure on the desktop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from neodeskpet.engine import Engine, figure_at
from neodeskpet.language import format_error
from neodeskpet.personas.persona import Persona
from neodeskpet.ui.settings.figure.port import PersonaState


class PersonaAdapter:
    """A `ui.settings.figure.port.PersonaPort` on the engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def state(self) -> PersonaState:
        personas = self._engine.personas
        wrong = format_error(personas.fault) if personas.fault is not None else ""
        return PersonaState(
            str(self._engine.settings.value("companion", "model")),
            personas.current,
            file=str(personas.path(personas.figure)),
            own=personas.own,
            wrong=wrong,
        )

    def refresh(self) -> None:
        self._engine.personas.refresh()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._engine.personas.subscribe(observer)

    async def keep(self, path: str, persona: Persona) -> None:
        personas = self._engine.personas
        await asyncio.to_thread(personas.update, figure_at(self._engine.home, path), persona)
        personas.refresh()

    async def start_anew(self, path: str) -> None:
        personas = self._engine.personas
        await asyncio.to_thread(personas.reset, figure_at(self._engine.home, path))
        personas.refresh()
