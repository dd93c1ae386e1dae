"""Who answers on the terminal."""

from __future__ import annotations

from neodeskpet.conversation.character.told import greetings_of
from neodeskpet.core.errors import SettingsError
from neodeskpet.core.wording import N_
from neodeskpet.engine import Engine
from neodeskpet.language import tr


class NoSuchPersona(SettingsError):
    code = "no_such_persona"
    what = N_("There is no character called {name}.")
    hint = N_("Those there are: {known}. Others are imported in the settings.")


async def choose_persona(engine: Engine, name: str) -> None:
    """It answers in the open conversation from now on, "" for the figure's own persona; a new
    conversation begins with its greeting. Raises NoSuchPersona and StoreError.
    """
    info = engine.chat.conversation
    assert info is not None
    found = engine.cast.shelf.named(name) if name else None
    if found is None and name:
        known = ", ".join(one.card.name for one in engine.cast.shelf.all())
        raise NoSuchPersona(name=name, known=known or tr("none"))
    await engine.cast.choose(info.id, found.id if found is not None else "")
    await engine.chat.greet(greetings_of(found.card) if found is not None else ())
