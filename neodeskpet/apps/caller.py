"""Runs what a model calls in windows: a list of calls, one after another.

Whatever goes wrong with one call becomes its step, and the others run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from neodeskpet.apps.app import LAUNCH, App
from neodeskpet.apps.host import AppHost
from neodeskpet.apps.record import Act, Actor, Record
from neodeskpet.core.errors import InvalidArguments, StoreError, ToolError
from neodeskpet.core.foreign import defuse, mark
from neodeskpet.core.tool_result import ShownTable, ToolResult, shown_words
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.windows.calls import ACT, WindowCall, read_calls
from neodeskpet.core.windows.params import faults
from neodeskpet.core.windows.steps import Step, stored, word
from neodeskpet.core.windows.window import CLOSE
from neodeskpet.core.wording import N_, Reason
from neodeskpet.language import say, say_reasons, tr
from neodeskpet.observers import Observers
from neodeskpet.tools.executor import run_tool
from neodeskpet.tools.registry import Progress, Tool

_log = logging.getLogger(__name__)

_MOST = 20_000
"""Characters that one call gives back."""
_SUMMARY = 120


@dataclass(slots=True)
class _Done:
    """What came of the calls so far; `undo` is what each of them can be taken back by."""

    steps: list[Step] = field(default_factory=list)
    undo: list[Mapping[str, object]] = field(default_factory=list)


class Caller:
    """Calls in the windows of `host`; each is noted in `record`. Call from the loop."""

    def __init__(self, host: AppHost, record: Record) -> None:
        self._host = host
        self._record = record
        self._acted: Observers[[]] = Observers()

    def observe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` after each call; returns what ends it."""
        return self._acted.add(observer)

    def meant(
        self, spec: ToolSpec, arguments: Mapping[str, object]
    ) -> list[tuple[ToolSpec, Mapping[str, object]]]:
        """What a call of a tool comes to, for whoever asks the person: of a call in windows each
        action that would run, of any other tool the call itself.
        """
        if spec.name != ACT:
            return [(spec, arguments)]
        return [(action.spec, params) for action, params in self._runnable(arguments)]

    async def act(self, arguments: Mapping[str, object], progress: Progress) -> ToolResult:
        """Run all calls. Raises InvalidArguments where there are none to be read."""
        calls = read_calls(arguments)
        done = _Done()
        for number, call in enumerate(calls):
            progress(number / len(calls), call.name)
            before = len(done.undo)
            step = await self._step(call, progress, done)
            done.steps.append(await self._note(step, *done.undo[before:]))
        steps = done.steps
        data: dict[str, object] = {"steps": stored(steps)}
        if done.undo:
            untils = [one.get("until") for one in done.undo]
            until = min(one if isinstance(one, int | float) else 0 for one in untils)
            data["undo"] = {"until": until, "calls": done.undo}
        return ToolResult(
            word(steps),
            data,
            ShownTable((), tuple(_row(step) for step in steps)),
            failed=not any(step.success for step in steps),
        )

    def _runnable(
        self, arguments: Mapping[str, object]
    ) -> Iterator[tuple[Tool, Mapping[str, object]]]:
        try:
            calls = read_calls(arguments)
        except InvalidArguments:
            return
        for call in calls:
            try:
                _, action = self._find(call)
            except InvalidArguments:
                continue
            if action is not None:
                yield action, call.params

    async def _step(self, call: WindowCall, progress: Progress, done: _Done) -> Step:
        try:
            app, action = self._find(call)
            if action is None:
                await self._host.close(app.id)
                return Step(app.id, CLOSE, True, "", tr("Closed"))
            result = await self._run(action, call, progress)
            opened = await self._launch(app, result.data)
        except ToolError as error:
            said = say_reasons(error.reasons) or say(error)[0]
            return Step(call.window_id, call.action_id, False, str(error), said[:_SUMMARY])
        if isinstance(result.data, Mapping) and isinstance(result.data.get("undo"), Mapping):
            done.undo.append({**result.data["undo"], "tool": action.name})
        if app.options.close_after:
            await self._host.close(app.id)
        text = result.text
        if action.spec.brings_foreign:
            text = mark(defuse(text), action.name)
        summary = opened or _summary(result)
        return Step(call.window_id, call.action_id, True, text, summary, data=result.data)

    def _find(self, call: WindowCall) -> tuple[App, Tool | None]:
        """The app, and the action that the call runs, None for the closing of its window. Raises
        InvalidArguments.
        """
        if call.fault is not None:
            raise InvalidArguments(reasons=[call.fault])
        app = self._host.find(call.window_id)
        names = self._host.offered(app)
        if call.action_id == CLOSE and app.options.closable:
            return app, None
        if call.action_id not in names:
            listed = ", ".join([*names, *([CLOSE] if app.options.closable else [])]) or "—"
            text = N_("There is no action “{action}” in the window “{window}”; there are: {names}.")
            params = {"action": call.action_id, "window": app.id, "names": listed}
            raise InvalidArguments(reasons=[Reason(text, params)])
        action = app.actions[call.action_id]
        wrong = faults(action.parameters, call.params)
        if wrong:
            raise InvalidArguments(reasons=wrong)
        return app, action

    async def _run(self, action: Tool, call: WindowCall, progress: Progress) -> ToolResult:
        try:
            return await run_tool(action, action.spec, call.params, progress, _MOST)
        except InvalidArguments as error:
            reasons = [_below_params(one) for one in error.reasons]
            raise InvalidArguments(error.detail, reasons=reasons, advice=error.advice) from error

    async def _launch(self, source: App, data: object) -> str:
        """Open what a result asks to be opened; what people read of it. Raises
        InvalidArguments.
        """
        if not (isinstance(data, Mapping) and data.get("action") == LAUNCH):
            return ""
        target = data.get("target")
        app = await self._host.open(str(data.get("app")), "" if target is None else str(target))
        if data.get("close_source") is True and source is not app:
            await self._host.close(source.id)
        return tr("Opened: {name}", name=tr(app.title))

    async def _note(self, step: Step, undo: Mapping[str, object] | None = None) -> Step:
        """The step with its number in the log."""
        names = (step.window_id or "?", step.action_id or "?")
        act = Act(0, 0.0, Actor.COMPANION, *names, step.success, step.summary, undo)
        return replace(step, number=await self.note(act))

    async def note(self, act: Act) -> int:
        """Put `act` into the log; its number, 0 where it can't be kept."""
        try:
            act = await self._record.add(act)
        except StoreError:
            _log.exception("What was done in a window can't be kept")
        self._acted.tell()
        return act.number


def _below_params(reason: Reason) -> Reason:
    return replace(reason, path=f"params.{reason.path}") if reason.path else reason


def _summary(result: ToolResult) -> str:
    words = shown_words(result.shown) if result.shown is not None else result.text
    line = " ".join(words.split())
    return line if len(line) <= _SUMMARY else line[: _SUMMARY - 1] + "…"


def _row(step: Step) -> tuple[str, str, str]:
    return ("✓" if step.success else "✗", step.name, step.summary)
