"""Who answers on the terminal."""

from __future__ import annotations

from neodeskpet.conversation.character.told import greetings_of
from neodeskpet.core.errors import SettingsError
from neodeskpet.core.wording import N_
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.personas.shelf import Character


class NoSuchPersona(SettingsError):
    code = "no_such_persona"
    what = N_("There is no character called {name}.")
    hint = N_("Those there are: {known}. Others are imported in the settings.")


class AmbiguousPersona(SettingsError):
    code = "ambiguous_persona"
    what = N_("{count} characters are called {name}.")
    hint = N_("Name one by its id: {ids}")


def find_persona(engine: Engine, name: str) -> Character | None:
    """The character of this name or id, None for "". Raises NoSuchPersona and AmbiguousPersona."""
    if not name:
        return None
    found = engine.character_assignments.shelf.named(name)
    if not found:
        known = ", ".join(one.card.name for one in engine.character_assignments.shelf.list_all())
        raise NoSuchPersona(name=name, known=known or tr("none"))
    if len(found) > 1:
        ids = ", ".join(one.id for one in found)
        raise AmbiguousPersona(count=str(len(found)), name=name, ids=ids)
    return found[0]


async def choose_persona(engine: Engine, found: Character | None) -> None:
    """It answers in the open conversation from now on, None for the figure's own persona; a new
    conversation begins with its greeting. Raises StoreError.
    """
    info = engine.chat.conversation
    assert info is not None
    await engine.character_assignments.choose(info.id, found.id if found is not None else "")
    greetings = greetings_of(found.card) if found is not None else ()
    await engine.chat.greet(greetings, found.untrusted if found is not None else ())
