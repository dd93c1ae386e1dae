"""Runs the calls of a model in windows, one after another.

A call that fails is reported in its step; the other calls still run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from neodeskpet.core.app_windows.action_parameters import parameter_errors
from neodeskpet.core.app_windows.window import CLOSE_ACTION
from neodeskpet.core.app_windows.window_calls import (
    ACT_TOOL,
    WindowCall,
    WindowStep,
    read_calls,
    steps_data,
    steps_text,
)
from neodeskpet.core.attachments import MOST_ATTACHMENTS as PICTURES
from neodeskpet.core.attachments import Picture
from neodeskpet.core.background_tasks import STARTED, StartTask
from neodeskpet.core.data_labels import NO_LABELS, Labels
from neodeskpet.core.errors import InvalidArguments, StoreError, ToolError
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import (
    ApprovalText,
    CallPreview,
    ShownTable,
    ToolResult,
    count_brief,
    shown_as_text,
)
from neodeskpet.core.toolspec import Mode, Risk, ToolSpec
from neodeskpet.core.untrusted import escape_markers, mark_untrusted
from neodeskpet.language import tr, translate_error, translate_reasons
from neodeskpet.platform.observers import Observers
from neodeskpet.toolkit.app_window import LAUNCH, App
from neodeskpet.toolkit.executor import run_tool
from neodeskpet.toolkit.registry import Progress, Tool
from neodeskpet.tools.apps.window_host import AppHost
from neodeskpet.tools.apps.window_log import Actor, LogEntry, WindowLog

_log = logging.getLogger(__name__)

_MOST = 20_000
"""Most characters of the result of one call."""
_SUMMARY = 120


@dataclass(slots=True)
class _CallsDone:
    """The results of the calls so far; `undo` has the undo data of the calls that can be undone."""

    steps: list[WindowStep] = field(default_factory=list)
    undo: list[Mapping[str, object]] = field(default_factory=list)
    images: list[Picture] = field(default_factory=list)
    labels: Labels = NO_LABELS
    brief: Reason | None = None
    """The brief result of the last call that gave one."""


class WindowCaller:
    """Runs actions in the windows of `host` and logs each in `record`. Call it from the
    event loop.
    """

    def __init__(self, host: AppHost, record: WindowLog) -> None:
        self._host = host
        self._record = record
        self._acted: Observers[[]] = Observers()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` after each call; returns a function that unsubscribes it."""
        return self._acted.subscribe(observer)

    def called_actions(
        self, spec: ToolSpec, arguments: Mapping[str, object]
    ) -> list[tuple[ToolSpec, Mapping[str, object]]]:
        """Return the tool calls that need a decision: for a call in windows each action that may
        run (a closed window may be open by then), for any other tool the call itself.
        """
        if spec.name != ACT_TOOL:
            return [(spec, arguments)]
        return [(action.spec, params) for action, params in self._named(arguments)]

    async def preview(self, arguments: Mapping[str, object]) -> CallPreview:
        """Return a preview of the actions, as far as they provide one. Raises nothing."""
        named = self._named(arguments)
        found = [await self._preview(action, params) for action, params in named]
        if len(found) < 2:
            return found[0] if found else CallPreview()
        lines, undoable = [], True
        for (action, _), preview in zip(named, found, strict=True):
            question = preview.question
            title = question.title if question is not None else Reason(action.title or action.name)
            lines.append(tr(title.text, **title.params))
            undoable = undoable and (question is None or question.undoable is not False)
        count = count_brief(len(found), N_("Do this?"), N_("Do these {count} things?"))
        return CallPreview(ApprovalText(count, "\n".join(lines), undoable))

    async def preview_action(
        self, app_id: str, action_id: str, params: Mapping[str, object]
    ) -> CallPreview:
        """Return a preview of an action, whether or not its window is open."""
        return await self._preview(self._host.app(app_id).actions[action_id], params)

    async def _preview(self, action: Tool, params: Mapping[str, object]) -> CallPreview:
        try:
            return await action.preview_call(params)
        except ToolError:
            return CallPreview()  # the call itself will report it
        except Exception:  # noqa: BLE001 - a preview is optional: the question is shown without it
            _log.exception("The preview of %s failed", action.name)
            return CallPreview()

    async def run_calls(
        self,
        arguments: Mapping[str, object],
        progress: Progress,
        begin: StartTask | None = None,
    ) -> ToolResult:
        """Run all calls; without `begin`, wait for async ones. Raises InvalidArguments if the calls
        can't be read.
        """
        calls = read_calls(arguments)
        done = _CallsDone()
        for number, call in enumerate(calls):
            progress(number / len(calls), call.name)
            before = len(done.undo)
            step = await self._step(call, progress, begin, done)
            done.steps.append(await self._note(step, *done.undo[before:]))
        steps = done.steps
        data: dict[str, object] = {"steps": steps_data(steps)}
        if done.undo:
            untils = [one.get("until") for one in done.undo]
            until = min(one if isinstance(one, int | float) else 0 for one in untils)
            data["undo"] = {"until": until, "calls": done.undo}
        return ToolResult(
            steps_text(steps),
            data,
            ShownTable((), tuple(_row(step) for step in steps)),
            images=tuple(done.images[:PICTURES]),
            brief=done.brief if len(steps) == 1 else None,
            failed=not any(step.success for step in steps),
            labels=done.labels,
        )

    async def run_action(
        self, actor: Actor, app_id: str, action_id: str, params: Mapping[str, object], who: str = ""
    ) -> ToolResult:
        """Run an action for the user, or for a program named `who`, whether or not its window is
        open. Raises ToolError.
        """
        app = self._host.app(app_id)
        action = app.actions[action_id]
        try:
            result = await _run(action, params, _silent)
            opened = await self._launch(app, result.data)
        except ToolError as error:
            await self.log_entry(
                LogEntry(0, 0.0, actor, app_id, action_id, False, _failure(error), who=who)
            )
            raise
        words = opened or _summary(action.spec, params, result)
        undo = _undo(action.name, result)
        await self.log_entry(LogEntry(0, 0.0, actor, app_id, action_id, True, words, undo, who))
        return result

    async def log_call(
        self,
        spec: ToolSpec,
        params: Mapping[str, object],
        result: ToolResult | ToolError,
        who: str = "",
    ) -> None:
        """Log a tool call of a program named `who`, or of the companion ("")."""
        actor = Actor.PROGRAM if who else Actor.COMPANION
        place = self._place_of(spec)
        if isinstance(result, ToolError):
            await self.log_entry(LogEntry(0, 0.0, actor, *place, False, _failure(result), who=who))
            return
        words, undo = _summary(spec, params, result), _undo(spec.name, result)
        await self.log_entry(LogEntry(0, 0.0, actor, *place, True, words, undo, who))

    def _place_of(self, spec: ToolSpec) -> tuple[str, str]:
        """Return app and action of a tool; for a tool without an app, its family and its title."""
        for app in self._host.apps:
            for name, action in app.actions.items():
                if action.name == spec.name:
                    return app.id, name
        return spec.family, spec.title or spec.name

    def _named(self, arguments: Mapping[str, object]) -> list[tuple[Tool, Mapping[str, object]]]:
        """Return the actions that exist, with their parameters, whether or not their windows are
        open.
        """
        try:
            calls = read_calls(arguments)
        except InvalidArguments:
            return []
        apps = {app.id: app for app in self._host.apps}
        found = []
        for call in calls:
            app = apps.get(call.window_id)
            action = app.actions.get(call.action_id) if app is not None else None
            if action is not None and call.fault is None:
                found.append((action, call.params))
        return found

    async def _step(
        self, call: WindowCall, progress: Progress, begin: StartTask | None, done: _CallsDone
    ) -> WindowStep:
        try:
            app, action = self._find(call)
            if action is None:
                await self._host.close(app.id)
                return WindowStep(app.id, CLOSE_ACTION, True, "", tr("Closed"), params=call.params)
            if begin is not None and action.spec.in_background(call.params):
                return await self._start(app, action, call, begin)
            result = await _run_below(action, call, progress)
            opened = await self._finish(app, result)
        except ToolError as error:
            names = (call.window_id, call.action_id)
            return WindowStep(*names, False, str(error), _failure(error), params=call.params)
        undo = _undo(action.name, result)
        done.undo += [undo] if undo is not None else []
        done.images += result.images
        done.brief = result.brief
        done.labels |= action.spec.labels | result.labels
        text = result.text
        if action.spec.brings_foreign:
            text = mark_untrusted(escape_markers(text), action.name)
        summary = opened or _summary(action.spec, call.params, result)
        names = (call.window_id, call.action_id)
        return WindowStep(*names, True, text, summary, data=result.data, params=call.params)

    async def _start(
        self, app: App, action: Tool, call: WindowCall, begin: StartTask
    ) -> WindowStep:
        """Start the action in the background. Raises ToolError."""
        with _naming_params():
            action.read(call.params)
        work = partial(self._carry_on, app, action, call)
        task_id = await begin(action.spec, call.params, work)
        return WindowStep(
            app.id,
            call.action_id,
            True,
            STARTED.format(id=task_id),
            tr("Goes on in the background"),
            resolved_mode=Mode.ASYNC,
            task_id=task_id,
            data={"task_id": task_id},
            params=call.params,
        )

    async def _carry_on(
        self, app: App, action: Tool, call: WindowCall, progress: Progress
    ) -> ToolResult:
        """Run the action as a background task and log its result."""
        names = (Actor.COMPANION, app.id, call.action_id)
        try:
            result = await _run_below(action, call, progress)
            opened = await self._finish(app, result)
        except ToolError as error:
            await self.log_entry(LogEntry(0, 0.0, *names, False, _failure(error)))
            raise
        words = opened or _summary(action.spec, call.params, result)
        await self.log_entry(LogEntry(0, 0.0, *names, True, words, _undo(action.name, result)))
        return result

    async def _finish(self, app: App, result: ToolResult) -> str:
        """Open the window that a result names, and close the action's window if it closes after
        use. Return the line for the user.
        """
        opened = await self._launch(app, result.data)
        if app.options.close_after:
            await self._host.close(app.id)
        return opened

    def _find(self, call: WindowCall) -> tuple[App, Tool | None]:
        """Return the app and the action of the call; the action is None if the call closes the
        window. Raises InvalidArguments.
        """
        if call.fault is not None:
            raise InvalidArguments(reasons=[call.fault])
        app = self._host.find(call.window_id)
        names = self._host.offered(app)
        if call.action_id == CLOSE_ACTION and app.options.closable:
            return app, None
        if call.action_id not in names:
            listed = ", ".join([*names, *([CLOSE_ACTION] if app.options.closable else [])]) or "—"
            text = N_("There is no action “{action}” in the window “{window}”; there are: {names}.")
            params = {"action": call.action_id, "window": app.id, "names": listed}
            raise InvalidArguments(reasons=[Reason(text, params)])
        action = app.actions[call.action_id]
        wrong = parameter_errors(action.parameters, call.params)
        if wrong:
            raise InvalidArguments(reasons=wrong)
        return app, action

    async def _launch(self, source: App, data: object) -> str:
        """Open the app that a result names and return the line for the user. Raises
        InvalidArguments.
        """
        if not (isinstance(data, Mapping) and data.get("action") == LAUNCH):
            return ""
        target = data.get("target")
        app = await self._host.open(str(data.get("app")), "" if target is None else str(target))
        closes = data.get("close_source") is True and source.options.closable
        if closes and source is not app:
            await self._host.close(source.id)
        return tr("Opened: {name}", name=tr(app.title))

    async def _note(self, step: WindowStep, undo: Mapping[str, object] | None = None) -> WindowStep:
        """Log the step and return it with its number."""
        names = (step.window_id or "?", step.action_id or "?")
        act = LogEntry(0, 0.0, Actor.COMPANION, *names, step.success, step.summary, undo)
        return replace(step, number=await self.log_entry(act))

    async def log_entry(self, act: LogEntry) -> int:
        """Add `act` to the log and return its number, 0 if it can't be stored."""
        try:
            act = await self._record.add(act)
        except StoreError:
            _log.exception("An action in a window can't be logged")
        self._acted.notify()
        return act.number


async def _run_below(action: Tool, call: WindowCall, progress: Progress) -> ToolResult:
    with _naming_params():
        return await _run(action, call.params, progress)


async def _run(action: Tool, params: Mapping[str, object], progress: Progress) -> ToolResult:
    spec = action.spec
    spec = replace(spec, timeout=spec.time_limit(params))
    return await run_tool(action, spec, params, progress, _MOST)


@contextmanager
def _naming_params() -> Iterator[None]:
    """Prefix the paths of argument errors with "params.", as the model wrote them."""
    try:
        yield
    except InvalidArguments as error:
        reasons = [_below_params(one) for one in error.reasons]
        raise InvalidArguments(error.detail, reasons=reasons, advice=error.advice) from error


def _below_params(reason: Reason) -> Reason:
    return replace(reason, path=f"params.{reason.path}") if reason.path else reason


def _failure(error: ToolError) -> str:
    return (translate_reasons(error.reasons) or translate_error(error)[0])[:_SUMMARY]


def _undo(tool: str, result: ToolResult) -> Mapping[str, object] | None:
    """Return the undo data of a result, with the tool's name."""
    data = result.data
    if isinstance(data, Mapping) and isinstance(data.get("undo"), Mapping):
        return {**data["undo"], "tool": tool}
    return None


def _summary(spec: ToolSpec, params: Mapping[str, object], result: ToolResult) -> str:
    """Return the line for the log. Of private data and of data from outside it has only the main
    argument, not the result.
    """
    asked = str(params.get(spec.main_argument) or "")
    if spec.risk is Risk.SENSITIVE_READ or spec.outside:
        words = asked
    else:
        words = shown_as_text(result.shown) if result.shown is not None else asked or result.text
    line = " ".join(words.split())
    return line if len(line) <= _SUMMARY else line[: _SUMMARY - 1] + "…"


def _row(step: WindowStep) -> tuple[str, str, str]:
    return ("✓" if step.success else "✗", step.name, step.summary)


def _silent(fraction: float | None, text: str) -> None:
    """Ignore progress."""
