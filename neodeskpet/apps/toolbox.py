"""The tools of a turn beside the windows: one tool acts in them, and what an open window does isn't
sent as a tool too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from neodeskpet.apps.caller import WindowCaller
from neodeskpet.apps.host import AppHost
from neodeskpet.core.background.task import StartTask
from neodeskpet.core.errors import ToolError
from neodeskpet.core.tool_result import Shown, ToolResult
from neodeskpet.core.toolspec import Risk, Toolbox, ToolOffer, ToolSpec
from neodeskpet.core.windows.calls import ACT_TOOL, MOST_WINDOW_CALLS, read_calls
from neodeskpet.core.wording import N_
from neodeskpet.tools.first_tool import ExtraTool, OfferWithExtraTool
from neodeskpet.tools.registry import Progress

ACT_SPEC = ToolSpec(
    ACT_TOOL,
    "Act in the windows that are open (each <Window> lists its actions): a list of calls, run one "
    "after another. Give no ids and no modes. What came of each is told, and the windows show it.",
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
    risk=Risk.APP_DATA,  # what asks is said by the actions: `Caller.meant`
    main_argument="calls",
    title=N_("Use an app"),
)


class ToolboxWithWindows:
    """A `conversation.ports.Toolbox` of one turn: `toolbox`, and the windows of `host`. `begin`
    runs async actions; without it they are waited for.
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
    """`toolbox`, of which each act of the companion is noted in the log. What only looks isn't."""

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

    async def preview(self, name: str, arguments: Mapping[str, object]) -> Shown | None:
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
