"""Receives other programs: what they may call, how often, and in whose name it is done.

Beside the tools of the companion (`tools.py`) these are those of its own notes, timers and to-dos,
as the model has them, and the actions of all apps, whose windows can be read. What would ask the
person asks here too, at the companion, and so does all that reaches the person's own things (files,
clipboard). Nothing here reaches settings, keys, conversations or approvals.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

from neodeskpet.apps.app import App
from neodeskpet.apps.apps import Apps
from neodeskpet.apps.record import Actor
from neodeskpet.core.errors import KnownError
from neodeskpet.core.foreign import defuse
from neodeskpet.core.labels import Material, Source, labels_of
from neodeskpet.core.toolspec import Offer, Risk, ToolSpec, wire_form
from neodeskpet.core.visible import visible
from neodeskpet.core.windows.render import render
from neodeskpet.language import tr
from neodeskpet.tools.origin import Origin, acting_for
from neodeskpet.tools.registry import Tool
from neodeskpet.tools.toolbox import Toolbox
from neodeskpet.visitors.allowance import Allowance, Pace
from neodeskpet.visitors.port import Answer, Offered, Presence, Showcase, name_of
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
_BODY = "live2d."
"""These are `express` and `play` here."""
_PRIVATE = "(What it holds is the person's own. Its actions tell, and ask the person.)"

_PACES = {
    "talk": Pace(at_once=6, seconds=5.0),
    "move": Pace(at_once=10, seconds=1.0),
    "keep": Pace(at_once=30, seconds=2.0),
}
_KINDS = {
    **dict.fromkeys(("say", "ask", "notify"), "talk"),
    **dict.fromkeys(("express", "play", "withdraw"), "move"),
}
_TAGS = 19
_LABEL = 500
_ARGUMENTS = 300
"""Characters of a call that are shown when it asks."""

Asks = Callable[[ToolSpec, Mapping[str, object]], bool]
"""Whether a call of the app's own tool waits for the person."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A tool of the app's own, or an action of an app, which the toolbox hasn't; `private`: it
    reaches what is the person's own.
    """

    spec: ToolSpec
    action: tuple[str, str] | None = None
    private: bool = False

    @property
    def offered(self) -> Offered:
        return _offered(self.spec)


class Reception:
    """A `House`. Used on the app's loop. With `Nobody` as the presence only what is kept can be
    used, and nothing that asks. `wanted` is asked each time. Without `apps` there are no windows.
    """

    def __init__(
        self,
        presence: Presence,
        toolbox: Toolbox,
        asks: Asks,
        *,
        apps: Apps | None = None,
        wanted: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._presence = presence
        self._toolbox = toolbox
        self._asks = asks
        self._apps = apps
        self._wanted = wanted
        self._clock = clock
        self._allowance = Allowance(_PACES)

    @cached_property
    def _own(self) -> Mapping[str, Tool]:
        """Made when somebody comes: few have programs that do."""
        return {one.name: one for one in visitor_tools(self._presence)}

    @cached_property
    def _remind(self) -> Tool:
        return remind_tool()

    async def tools(self) -> Sequence[Offered]:
        if not self._wanted():
            return []
        own = [_offered(one.spec) for one in (*self._own.values(), self._remind)]
        return [*own, *(one.offered for one in self._kept().values())]

    async def windows(self) -> Sequence[Showcase]:
        if not self._wanted() or self._apps is None:
            return []
        return [Showcase(one.id, tr(one.title), one.description) for one in self._apps.host.apps]

    async def window(self, who: str, name: str) -> Answer:
        if not self._wanted() or self._apps is None:
            return Answer("There are no windows.", failed=True)
        wait = self._allowance.take("keep", name_of(who), self._clock())
        if wait > 0:
            return Answer(f"Too often. Wait {wait:.0f} seconds.", failed=True)
        try:
            app = self._apps.host.app(name)
            if app.private:
                told = app.window(_PRIVATE, self._apps.host.offered(app))
            else:
                told = await self._apps.host.look(name)
        except KnownError as error:
            return Answer(str(error), failed=True)
        options = replace(told.options, closable=False)  # it is the companion's to close
        return Answer(render(replace(told, options=options)))

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

    def _kept(self) -> dict[str, _Kept]:
        """What is on now of the app's own tools and of its apps' actions, by the names that
        programs can bear.
        """
        kept = {
            wire_form(spec.name): _Kept(spec)
            for spec in self._toolbox.specs()
            if not spec.foreign and spec.name.startswith(KEPT)
        }
        for app in self._apps.host.apps if self._apps is not None else ():
            for name, spec in self._actions(app):
                kept.setdefault(wire_form(spec.name), _Kept(spec, (app.id, name), app.private))
        return kept

    def _actions(self, app: App) -> list[tuple[str, ToolSpec]]:
        """Two of one tool (a folder is listed, and shown) are one here: the tool."""
        assert self._apps is not None
        offered = self._apps.host.offered(app)
        specs = {app.actions[name].name: (name, app.actions[name].spec) for name in offered}
        return [one for tool, one in specs.items() if not tool.startswith(_BODY)]

    async def _keep(self, who: str, kept: _Kept, arguments: Mapping[str, object]) -> Answer:
        spec = kept.spec
        offer = self._toolbox.offer()
        if kept.action is None:
            offer.check(spec.name, arguments)
        given = arguments if kept.private else _signed(spec, who, arguments)
        free = spec.risk in (Risk.READ, Risk.OWN) and not self._asks(spec, given)
        asks = kept.private or not free
        if asks and not await self._allowed(who, spec, given):
            return Answer("The person didn't allow it.", failed=True)
        with acting_for(Origin(_PROGRAM, approved=asks)):
            return await self._run(who, kept, offer, given)

    async def _run(
        self, who: str, kept: _Kept, offer: Offer, given: Mapping[str, object]
    ) -> Answer:
        spec = kept.spec
        if kept.action is not None and self._apps is not None:
            result = await self._apps.caller.do(Actor.PROGRAM, *kept.action, given, who)
            return Answer(result.text)
        result = await offer.run(spec.name, given, _silent)
        if self._apps is not None and spec.risk is not Risk.READ:
            await self._apps.caller.note_call(spec, given, result, who)
        return Answer(result.text)

    async def _allowed(self, who: str, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        """Each time anew: what is answered to a program counts for that call alone."""
        named = ", ".join(f"{key}: {value}" for key, value in arguments.items())
        title = tr(spec.title) if spec.title else spec.name
        told = visible(" ".join(f"{title} – {named}".split()))[:_ARGUMENTS]
        yes = tr("Allow once")
        reply = await self._presence.ask(who, told, [yes, tr("No")], PATIENCE)
        return reply.choice == yes


_PROGRAM = labels_of(Source(Material.PROGRAM), untrusted=True)
"""The labels of what other programs store."""


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
        case "todo.add" | "todo.edit" | "note.edit" if given.get("text") is not None:
            text = str(given["text"])
            given["text"] = text if text.startswith(f"{who}: ") else f"{who}: {text}"
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
