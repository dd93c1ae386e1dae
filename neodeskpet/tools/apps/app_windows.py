"""The app windows of a running program: their host, the calls in them and the log. Also the toolbox
of a turn with open windows: one tool acts in the windows, and the tools that an open window offers
are not sent separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.core.app_windows.window_calls import ACT_TOOL, MOST_WINDOW_CALLS, read_calls
from neodeskpet.core.background_tasks import StartTask
from neodeskpet.core.errors import ToolError
from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_result import CallPreview, ToolResult
from neodeskpet.core.toolspec import Risk, Toolbox, ToolOffer, ToolSpec
from neodeskpet.toolkit.app_window import App
from neodeskpet.toolkit.registry import Progress
from neodeskpet.toolkit.toolbox import ExtraTool, OfferWithExtraTool
from neodeskpet.toolkit.undo import WindowCallsUndo
from neodeskpet.tools.apps.launcher import launcher_app
from neodeskpet.tools.apps.window_caller import WindowCaller
from neodeskpet.tools.apps.window_host import AppHost
from neodeskpet.tools.apps.window_log import (
    UNDO_ACTION,
    Actor,
    LogEntry,
    WindowLog,
    activity_app,
)


@dataclass(frozen=True, slots=True)
class AppWindows:
    """`host` has the windows, `caller` runs the actions in them, `record` logs the actions."""

    host: AppHost
    caller: WindowCaller
    record: WindowLog

    async def undo(self, act: LogEntry, undo: WindowCallsUndo) -> bool:
        """Undo a logged action and return whether that succeeded. Raises KnownError."""
        if act.undo is None or not await undo.one(act.undo):
            return False
        await self.record.mark_undone(act.number)
        await self.caller.log_entry(
            LogEntry(0, 0.0, Actor.PERSON, act.window, UNDO_ACTION, True, act.summary)
        )
        return True


def create_apps(
    apps: Iterable[App],
    record: WindowLog,
    enabled: Callable[[ToolSpec], bool],
    hidden: Callable[[ToolSpec], bool] = lambda spec: False,
) -> AppHost:
    """Return a host of these apps, of the launcher and of the log of actions."""
    host = AppHost(apps, record, enabled=enabled, hidden=hidden)
    host.add(activity_app(record, lambda: [one for one in host.apps if host.is_hidden(one)]))
    host.add(launcher_app(lambda: [one for one in host.apps if not host.is_hidden(one)]))
    return host


ACT_SPEC = ToolSpec(
    ACT_TOOL,
    "Act in the windows that are open (each <Window> lists its actions): a list of calls, run one "
    "after another. Give no ids and no modes. You get the result of each, and the windows show it.",
    {
        "type": "object",
        "properties": {
            "calls": {
                "type": "array",
                "maxItems": MOST_WINDOW_CALLS,
                "description": "The calls, in their order.",
                "items": {
                    "type": "object",
                    "properties": {
                        "window_id": {"type": "string", "description": "The window's id."},
                        "action_id": {"type": "string", "description": "The action's id."},
                        "params": {
                            "type": "object",
                            "description": "As the action's params say; {} for none.",
                        },
                    },
                    "required": ["window_id", "action_id"],
                },
            }
        },
        "required": ["calls"],
    },
    risk=Risk.APP_DATA,  # the actions decide about questions: `WindowCaller.called_actions`
    main_argument="calls",
    title=N_("Use an app"),
)


class ToolboxWithWindows:
    """A `Toolbox` of one turn: `toolbox`, plus the windows of `host`. `begin` starts async actions;
    without it, the call waits for them.
    """

    def __init__(
        self, toolbox: Toolbox, host: AppHost, caller: WindowCaller, begin: StartTask | None = None
    ) -> None:
        self._toolbox = toolbox
        self._host = host
        self._caller = caller
        self._begin = begin

    def offer(self) -> ToolOffer:
        offer, hidden = self._toolbox.offer(), self._host.hidden_tools()
        act = ExtraTool(ACT_SPEC, self._act, read_calls, self._caller.preview)
        return OfferWithExtraTool(act, offer, (one for one in offer.specs if one.id not in hidden))

    async def _act(self, arguments: Mapping[str, object], progress: Progress) -> ToolResult:
        return await self._caller.run_calls(arguments, progress, self._begin)


class LoggedToolbox:
    """`toolbox`, with each action of the companion noted in the log. Tools that only read are not
    noted.
    """

    def __init__(self, toolbox: Toolbox, caller: WindowCaller) -> None:
        self._toolbox = toolbox
        self._caller = caller

    def offer(self) -> ToolOffer:
        return _LoggedOffer(self._toolbox.offer(), self._caller)


class _LoggedOffer:
    def __init__(self, offer: ToolOffer, caller: WindowCaller) -> None:
        self._offer = offer
        self._caller = caller
        self.check = offer.check

    @property
    def specs(self) -> Sequence[ToolSpec]:
        return self._offer.specs

    async def preview(self, name: str, arguments: Mapping[str, object]) -> CallPreview:
        return await self._offer.preview(name, arguments)

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        spec = next((one for one in self.specs if one.name == name), None)
        if spec is None or spec.risk in (Risk.READ, Risk.GESTURE):
            return await self._offer.run(name, arguments, progress)
        try:
            result = await self._offer.run(name, arguments, progress)
        except ToolError as error:
            await self._caller.log_call(spec, arguments, error)
            raise
        await self._caller.log_call(spec, arguments, result)
        return result
