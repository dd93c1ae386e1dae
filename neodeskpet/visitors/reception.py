"""Receives other programs: what they may call, how often, and in whose name it is done.

Beside the tools of the companion (`tools.py`) these are those of its own notes, timers and to-dos,
as the model has them. What would ask the person asks here too, at the companion. Nothing here
reaches settings, keys, conversations or approvals.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from neodeskpet.core.errors import KnownError
from neodeskpet.core.foreign import defuse
from neodeskpet.core.toolspec import Risk, ToolSpec, wire_form
from neodeskpet.core.visible import visible
from neodeskpet.language import tr
from neodeskpet.tools.registry import Tool
from neodeskpet.tools.toolbox import Toolbox
from neodeskpet.visitors.allowance import Allowance, Pace
from neodeskpet.visitors.port import Answer, Offered, Presence, name_of
from neodeskpet.visitors.tools import (
    PATIENCE,
    Deed,
    Nobody,
    NobodyThere,
    remind_tool,
    visitor_tools,
)

_log = logging.getLogger(__name__)

KEPT = ("note.", "timer.", "todo.")
"""The families of the app's own tools that visitors may call."""

_PACES = {
    "talk": Pace(at_once=6, seconds=5.0),
    "move": Pace(at_once=10, seconds=1.0),
    "keep": Pace(at_once=30, seconds=2.0),
}
_KINDS = {"say": "talk", "ask": "talk", "notify": "talk", "express": "move", "play": "move"}
_TAGS = 19
_LABEL = 500
_ARGUMENTS = 300
"""Characters of a call that are shown when it asks."""

Asks = Callable[[ToolSpec, Mapping[str, object]], bool]
"""Whether a call of the app's own tool waits for the person."""


class Reception:
    """A `House`. Used on the app's loop. With `Nobody` as the presence only what is kept can be
    used, and nothing that asks. `wanted` is asked each time.
    """

    def __init__(
        self,
        presence: Presence,
        toolbox: Toolbox,
        asks: Asks,
        *,
        wanted: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._presence = presence
        self._toolbox = toolbox
        self._asks = asks
        self._wanted = wanted
        self._clock = clock
        self._allowance = Allowance(_PACES)
        self._own: dict[str, Tool] = {one.name: one for one in visitor_tools(presence)}
        self._remind = remind_tool()

    async def tools(self) -> Sequence[Offered]:
        if not self._wanted():
            return []
        kept = self._kept().values()
        own = [one.spec for one in (*self._own.values(), self._remind)]
        return [_offered(spec) for spec in (*own, *kept)]

    async def call(self, who: str, tool: str, arguments: Mapping[str, object]) -> Answer:
        who = name_of(who) or tr("A program")
        if not self._wanted():
            return Answer("The person has switched this off in NeoDeskPet's settings.", failed=True)
        kind = _KINDS.get(tool, "keep")
        wait = self._allowance.take(kind, who, self._clock())
        if wait > 0:
            return Answer(f"Too often. Wait {wait:.0f} seconds.", {"wait": wait}, failed=True)
        try:
            return await self._call(who, tool, arguments)
        except KnownError as error:
            return Answer(str(error), failed=True)
        except Exception:  # noqa: BLE001 - a bug of ours is no reason to hang up on the visitor
            _log.exception("A visitor's call of %s failed", tool)
            return Answer("Something in NeoDeskPet failed; it is in its log.", failed=True)

    async def _call(self, who: str, tool: str, arguments: Mapping[str, object]) -> Answer:
        own = self._own.get(tool)
        if own is not None:
            if isinstance(self._presence, Nobody):
                raise NobodyThere()
            deed = cast("Deed", own.prepare(arguments, _silent)())
            return await deed(who)
        if tool == self._remind.name:
            as_timer = self._remind.prepare(arguments, _silent)()
            tool, arguments = "timer_set", cast("Mapping[str, object]", as_timer)
        kept = self._kept()
        if tool not in kept:
            names = ", ".join([*self._own, self._remind.name, *kept])
            return Answer(f"There is no tool {visible(tool)[:80]}. Tools: {names}", failed=True)
        return await self._keep(who, kept[tool], arguments)

    # What is kept

    def _kept(self) -> dict[str, ToolSpec]:
        """The app's own tools that are on now, by the names that programs can bear."""
        return {
            wire_form(spec.name): spec
            for spec in self._toolbox.specs()
            if not spec.foreign and spec.name.startswith(KEPT)
        }

    async def _keep(self, who: str, spec: ToolSpec, arguments: Mapping[str, object]) -> Answer:
        offer = self._toolbox.offer()
        offer.check(spec.name, arguments)
        given = _signed(spec, who, arguments)
        free = spec.risk in (Risk.READ, Risk.OWN) and not self._asks(spec, given)
        if not free and not await self._allowed(who, spec, given):
            return Answer("The person didn't allow it.", failed=True)
        result = await offer.run(spec.name, given, _silent)
        return Answer(result.text)

    async def _allowed(self, who: str, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        """Each time anew: what is answered to a program counts for that call alone."""
        named = ", ".join(f"{key}: {value}" for key, value in arguments.items())
        title = tr(spec.title) if spec.title else spec.name
        told = visible(" ".join(f"{title} – {named}".split()))[:_ARGUMENTS]
        yes = tr("Allow once")
        reply = await self._presence.ask(who, told, [yes, tr("No")], PATIENCE)
        return reply.choice == yes


def _signed(spec: ToolSpec, who: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
    """What is kept bears the program's name, and is foreign text wherever a model reads it."""
    if spec.risk is Risk.READ:
        return arguments
    given = {key: defuse(one) if isinstance(one, str) else one for key, one in arguments.items()}
    match spec.name:
        case "note.add":
            tags = given.get("tags")
            tags = [defuse(str(one)) for one in tags] if isinstance(tags, list) else []
            given["tags"] = [*tags[:_TAGS], who]
        case "timer.set":
            given["label"] = f"{who}: {given.get('label') or tr('Timer')}"[:_LABEL]
        case _:
            pass
    return given


def _silent(fraction: float | None, text: str) -> None:
    """Nobody watches."""


def _offered(spec: ToolSpec) -> Offered:
    reads, deletes = spec.risk is Risk.READ, spec.risk is Risk.WRITE
    return Offered(wire_form(spec.name), spec.description, spec.parameters, reads, deletes)
