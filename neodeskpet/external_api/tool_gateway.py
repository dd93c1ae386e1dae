"""Runs the calls of other programs: decides what they may call and how often, and records the
program's name with what it does.

Programs may use the tools of the companion (`companion_tools.py`), the app's tools for notes,
timers and to-dos, and the actions of all apps, whose windows they can read. Calls that need the
user's approval in the chat need it here too, and so does all access to the user's own data (files,
clipboard). Settings, keys, conversations and approvals are not accessible.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

from neodeskpet.core.app_windows.window import render_window
from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.data_labels import DataSource, SourceKind, labels_of
from neodeskpet.core.errors import KnownError
from neodeskpet.core.tool_result import CallPreview
from neodeskpet.core.toolspec import Risk, ToolOffer, ToolSpec, wire_name
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.core.untrusted import escape_markers
from neodeskpet.external_api.access_control import Rate, RateLimiter
from neodeskpet.external_api.companion_tools import (
    ANSWER_TIMEOUT,
    CompanionNotRunning,
    NoCompanion,
    ProgramAction,
    program_tools,
    remind_tool,
)
from neodeskpet.external_api.local_protocol import (
    AppWindowInfo,
    CompanionAccess,
    OfferedTool,
    ToolAnswer,
    clean_program_name,
)
from neodeskpet.language import tr
from neodeskpet.language.approval_text import (
    answer_labels,
    question_fact,
    question_subject,
    question_title,
)
from neodeskpet.toolkit.app_window import App
from neodeskpet.toolkit.executor import CallOrigin, acting_for
from neodeskpet.toolkit.registry import Tool
from neodeskpet.toolkit.toolbox import Toolbox
from neodeskpet.tools.apps.app_windows import AppWindows
from neodeskpet.tools.apps.window_log import Actor

_log = logging.getLogger(__name__)

SHARED_TOOL_PREFIXES = ("note.", "timer.", "todo.")
"""The families of the app's own tools that programs may call."""
_FIGURE_PREFIX = "live2d."
"""Replaced by `express` and `play` here."""
_PRIVATE_NOTE = (
    "(The content is the user's own and isn't shown here. The actions give it after the user was "
    "asked.)"
)

_RATES = {
    "talk": Rate(burst=6, seconds=5.0),
    "move": Rate(burst=10, seconds=1.0),
    "keep": Rate(burst=30, seconds=2.0),
}
_RATE_KINDS = {
    **dict.fromkeys(("say", "ask", "notify"), "talk"),
    **dict.fromkeys(("express", "play", "withdraw"), "move"),
}
_MAX_TAGS = 19
_MAX_LABEL = 500
_MAX_ARGUMENTS = 300
"""Characters of a call that the approval question shows."""

NeedsApproval = Callable[[ToolSpec, Mapping[str, object]], bool]
"""Returns whether a call of the app's own tool needs the user's approval."""


@dataclass(frozen=True, slots=True)
class _SharedTool:
    """A tool of the app, or an action of an app that isn't in the toolbox; `private`: it accesses
    the user's own data.
    """

    spec: ToolSpec
    action: tuple[str, str] | None = None
    private: bool = False

    @property
    def offered(self) -> OfferedTool:
        return _to_offered(self.spec)


class ToolGateway:
    """A `ToolHost`. Use it on the app's loop. With `NoCompanion` as the presence, only stored data
    can be used, without questions. `wanted` is called each time. Without `apps` there are no
    windows.
    """

    def __init__(
        self,
        presence: CompanionAccess,
        toolbox: Toolbox,
        asks: NeedsApproval,
        *,
        apps: AppWindows | None = None,
        wanted: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._presence = presence
        self._toolbox = toolbox
        self._asks = asks
        self._apps = apps
        self._wanted = wanted
        self._clock = clock
        self._allowance = RateLimiter(_RATES)

    @cached_property
    def _companion_tools(self) -> Mapping[str, Tool]:
        """Make the tools on first use: most users have no such programs."""
        return {one.name: one for one in program_tools(self._presence)}

    @cached_property
    def _reminder_tool(self) -> Tool:
        return remind_tool()

    async def tools(self) -> Sequence[OfferedTool]:
        if not self._wanted():
            return []
        own = [
            _to_offered(one.spec) for one in (*self._companion_tools.values(), self._reminder_tool)
        ]
        return [*own, *(one.offered for one in self._shared_tools().values())]

    async def windows(self) -> Sequence[AppWindowInfo]:
        if not self._wanted() or self._apps is None:
            return []
        host = self._apps.host
        shown = [one for one in host.apps if not host.is_hidden(one)]
        return [AppWindowInfo(one.id, tr(one.title), one.description) for one in shown]

    async def window(self, who: str, name: str) -> ToolAnswer:
        if not self._wanted() or self._apps is None:
            return ToolAnswer("There are no windows.", failed=True)
        wait = self._allowance.acquire("keep", clean_program_name(who), self._clock())
        if wait > 0:
            return ToolAnswer(f"Too often. Wait {wait:.0f} seconds.", failed=True)
        try:
            app = self._apps.host.app(name)
            if app.private:
                text = app.window(_PRIVATE_NOTE, self._apps.host.offered(app))
            else:
                text = await self._apps.host.window(name)
        except KnownError as error:
            return ToolAnswer(str(error), failed=True)
        options = replace(text.options, closable=False)  # programs can't close windows
        return ToolAnswer(render_window(replace(text, options=options)))

    async def call(self, who: str, tool: str, arguments: Mapping[str, object]) -> ToolAnswer:
        who = clean_program_name(who) or tr("A program")
        if not self._wanted():
            return ToolAnswer(
                "The user has switched this off in NeoDeskPet's settings.", failed=True
            )
        kind = _RATE_KINDS.get(tool, "keep")
        wait = self._allowance.acquire(kind, who, self._clock())
        if wait > 0:
            return ToolAnswer(f"Too often. Wait {wait:.0f} seconds.", {"wait": wait}, failed=True)
        try:
            return await self._call(who, tool, arguments)
        except KnownError as error:
            return ToolAnswer(str(error), failed=True)
        except Exception:  # noqa: BLE001 - a bug here must not end the connection
            _log.exception("The call of %s by a program failed", tool)
            return ToolAnswer("Something in NeoDeskPet failed; it is in its log.", failed=True)

    async def _call(self, who: str, tool: str, arguments: Mapping[str, object]) -> ToolAnswer:
        own = self._companion_tools.get(tool)
        if own is not None:
            if isinstance(self._presence, NoCompanion):
                raise CompanionNotRunning()
            program_action = cast("ProgramAction", own.prepare(arguments, _ignore_progress)())
            return await program_action(who)
        if tool == self._reminder_tool.name:
            as_timer = self._reminder_tool.prepare(arguments, _ignore_progress)()
            tool, arguments = "timer_set", cast("Mapping[str, object]", as_timer)
        kept = self._shared_tools()
        if tool not in kept:
            names = ", ".join([*self._companion_tools, self._reminder_tool.name, *kept])
            return ToolAnswer(
                f"There is no tool {show_hidden_chars(tool)[:80]}. Tools: {names}", failed=True
            )
        return await self._run_shared(who, kept[tool], arguments)

    # Stored data

    def _shared_tools(self) -> dict[str, _SharedTool]:
        """Return the enabled tools of the app and actions of its apps, by names that the protocols
        allow.
        """
        kept = {
            wire_name(spec.name): _SharedTool(spec)
            for spec in self._toolbox.specs()
            if not spec.foreign and spec.name.startswith(SHARED_TOOL_PREFIXES)
        }
        for app in self._apps.host.apps if self._apps is not None else ():
            for name, spec in self._app_actions(app):
                kept.setdefault(
                    wire_name(spec.name), _SharedTool(spec, (app.id, name), app.private)
                )
        return kept

    def _app_actions(self, app: App) -> list[tuple[str, ToolSpec]]:
        """Return the actions of an app; of two actions with the same tool (a folder is listed or
        shown) only the tool.
        """
        assert self._apps is not None
        offered = self._apps.host.offered(app)
        specs = {app.actions[name].name: (name, app.actions[name].spec) for name in offered}
        return [one for tool, one in specs.items() if not tool.startswith(_FIGURE_PREFIX)]

    async def _run_shared(
        self, who: str, kept: _SharedTool, arguments: Mapping[str, object]
    ) -> ToolAnswer:
        spec = kept.spec
        offer = self._toolbox.offer()
        if kept.action is None:
            offer.check(spec.name, arguments)
        given = arguments if kept.private else _with_program_name(spec, who, arguments)
        free = spec.risk in (Risk.READ, Risk.APP_DATA) and not self._asks(spec, given)
        asks = kept.private or not free
        if asks and not await self._ask_user(who, kept, offer, given):
            return ToolAnswer("The user didn't allow it.", failed=True)
        with acting_for(CallOrigin(_PROGRAM_LABELS, approved=asks)):
            return await self._run_tool(who, kept, offer, given)

    async def _run_tool(
        self, who: str, kept: _SharedTool, offer: ToolOffer, given: Mapping[str, object]
    ) -> ToolAnswer:
        spec = kept.spec
        if kept.action is not None and self._apps is not None:
            result = await self._apps.caller.run_action(Actor.PROGRAM, *kept.action, given, who)
            return ToolAnswer(result.text)
        result = await offer.run(spec.name, given, _ignore_progress)
        if self._apps is not None and spec.risk is not Risk.READ:
            await self._apps.caller.log_call(spec, given, result, who)
        return ToolAnswer(result.text)

    async def _ask_user(
        self, who: str, kept: _SharedTool, offer: ToolOffer, arguments: Mapping[str, object]
    ) -> bool:
        """Ask the user. An approval counts for that call only. Raises ToolError if the call names
        something that doesn't exist.
        """
        spec = kept.spec
        preview = await self._preview(kept, offer, arguments)
        if preview.error is not None:
            raise preview.error
        call = ToolUse(0, 0, "", spec.name, arguments=arguments, question=preview.question)
        title = question_title(call, tr(spec.title) if spec.title else spec.name)
        thing = question_subject(call)
        if len(thing) > _MAX_ARGUMENTS:
            thing = thing[: _MAX_ARGUMENTS - 1] + "…"
        shown = "\n".join(filter(None, (title, thing, question_fact(call))))
        yes, keep = answer_labels(call)
        reply = await self._presence.ask(who, shown, [yes, keep], ANSWER_TIMEOUT)
        return reply.choice == yes

    async def _preview(
        self, kept: _SharedTool, offer: ToolOffer, arguments: Mapping[str, object]
    ) -> CallPreview:
        if kept.action is None or self._apps is None:
            return await offer.preview(kept.spec.name, arguments)
        app, action = kept.action
        return await self._apps.caller.preview_action(app, action, arguments)


_PROGRAM_LABELS = labels_of(DataSource(SourceKind.PROGRAM), untrusted=True)
"""The labels of what other programs store."""


def _with_program_name(
    spec: ToolSpec, who: str, arguments: Mapping[str, object]
) -> Mapping[str, object]:
    """Add the program's name to stored texts, which are untrusted when a model reads them."""
    if spec.risk is Risk.READ:
        return arguments
    given = {
        key: escape_markers(one) if isinstance(one, str) else one for key, one in arguments.items()
    }
    match spec.name:
        case "note.add":
            tags = given.get("tags")
            tags = [escape_markers(str(one)) for one in tags] if isinstance(tags, list) else []
            given["tags"] = [*tags[:_MAX_TAGS], who]
        case "todo.add" | "todo.edit" | "note.edit" if given.get("text") is not None:
            text = str(given["text"])
            given["text"] = text if text.startswith(f"{who}: ") else f"{who}: {text}"
        case "timer.set":
            given["label"] = f"{who}: {given.get('label') or tr('Timer')}"[:_MAX_LABEL]
        case _:
            pass
    return given


def _ignore_progress(fraction: float | None, text: str) -> None:
    """Ignore progress."""


def _to_offered(spec: ToolSpec) -> OfferedTool:
    reads, deletes = spec.risk is Risk.READ, spec.risk is Risk.WRITE
    return OfferedTool(wire_name(spec.name), spec.description, spec.parameters, reads, deletes)
