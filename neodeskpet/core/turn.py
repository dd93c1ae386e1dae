"""A turn: one assistant message from the first token to its end, as a sans-IO state machine.

The law: everything that changes the state of a turn lives in this file, and every change is an
entry of TRANSITIONS. `Turn.receive(signal, now)` returns what the outside has to do (commands) and
what it may show and store (events), in order. There is no clock, no network and no await here.

The owner carries commands out and posts what comes back as signals. Each job that a command
starts posts exactly one last signal: `CallModel` → `ResponseFinished` or `ModelFailed`; `RunTool`
→ `ToolFinished`; `AskApproval` → `ApprovalGiven`. Signals after the end are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from neodeskpet.core.blocks import (
    Block,
    MessageState,
    Notice,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.draft import Draft
from neodeskpet.core.errors import (
    CallLimit,
    EmptyReply,
    InvalidArguments,
    KnownError,
    LengthLimit,
    Refused,
    RepeatedCall,
    RoundLimit,
)
from neodeskpet.core.signals import (
    ApprovalGiven,
    AskApproval,
    Begun,
    CallModel,
    Cancelled,
    Command,
    EndTurn,
    ModelFailed,
    RunTool,
    Signal,
    ToolFinished,
    ToolProgressed,
)
from neodeskpet.core.toolspec import ToolNames, ToolSpec
from neodeskpet.core.turn_events import (
    ArgumentsAppended,
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    RetryAnnounced,
    RoundStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
    UsageChanged,
)
from neodeskpet.core.wire import (
    RefusalDelta,
    ResponseFinished,
    RetryScheduled,
    Stop,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)


class State(StrEnum):
    READY = "ready"
    STREAMING = "streaming"
    TOOLS = "tools"
    WAITING = "waiting"
    DONE = "done"
    LIMITED = "limited"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Trigger(StrEnum):
    BEGUN = "begun"
    REPLY_ENDED = "reply ended"
    CALLS_LEFT = "calls left"
    APPROVAL_ASKED = "approval asked"
    APPROVALS_GIVEN = "approvals given"
    TOOLS_ENDED = "tools ended"
    LIMIT_REACHED = "limit reached"
    FAILED = "failed"
    CANCELLED = "cancelled"


TRANSITIONS: dict[tuple[State, Trigger], State] = {
    (State.READY, Trigger.BEGUN): State.STREAMING,
    (State.READY, Trigger.CANCELLED): State.CANCELLED,
    (State.STREAMING, Trigger.REPLY_ENDED): State.DONE,
    (State.STREAMING, Trigger.CALLS_LEFT): State.TOOLS,
    (State.STREAMING, Trigger.LIMIT_REACHED): State.LIMITED,
    (State.STREAMING, Trigger.FAILED): State.FAILED,
    (State.STREAMING, Trigger.CANCELLED): State.CANCELLED,
    (State.TOOLS, Trigger.APPROVAL_ASKED): State.WAITING,
    (State.TOOLS, Trigger.TOOLS_ENDED): State.STREAMING,
    (State.TOOLS, Trigger.LIMIT_REACHED): State.LIMITED,
    (State.TOOLS, Trigger.CANCELLED): State.CANCELLED,
    (State.WAITING, Trigger.APPROVALS_GIVEN): State.TOOLS,
    (State.WAITING, Trigger.CANCELLED): State.CANCELLED,
}

_ENDS = {
    State.DONE: MessageState.DONE,
    State.LIMITED: MessageState.LIMITED,
    State.CANCELLED: MessageState.CANCELLED,
    State.FAILED: MessageState.FAILED,
}


_Delta = TextDelta | RefusalDelta | ThinkingDelta
_Part = tuple[type[_Delta], int]
"""What kind of text, and its wire index: deltas of one part make one block."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`repeats`: that many equal calls in a row are stopped before the last one runs."""

    rounds: int = 12
    calls: int = 40
    repeats: int = 3


class Turn:
    """One run over one assistant message. A message that was limited, cut or retried gets another
    `Turn` with its `blocks`; limits count anew, rounds go on.
    """

    def __init__(
        self,
        message_id: str,
        tools: Iterable[ToolSpec] = (),
        *,
        limits: Limits | None = None,
        asks: Collection[str] = (),
        parallel: bool = False,
        blocks: Iterable[Block] = (),
        usage: Usage | None = None,
    ) -> None:
        self.message_id = message_id
        self.state = State.READY
        self.usage = usage
        self._specs: Mapping[str, ToolSpec] = {spec.name: spec for spec in tools}
        self._names = ToolNames(self._specs)
        self._limits = limits or Limits()
        self._asks = frozenset(asks)
        self._parallel = parallel
        self._draft = Draft(blocks)
        self._resumed = len(self._draft) > 0
        self._out: list[Command | TurnEvent] = []
        self._now = 0.0

        last = self._draft.last()
        self._round = last.round if last is not None else -1
        self._rounds_run = 0
        self._calls_run = 0
        self._last_call = ""
        self._repeats = 0
        self._limit: KnownError | None = None

        # Of the round that runs:
        self._open: _Part | None = None  # the text or thinking that is the last block
        self._blank: tuple[_Part | None, str] = (None, "")  # white space that has no block yet
        self._unread: dict[int, int] = {}  # wire index -> block of a call that still streams
        self._called = False
        self._cut = False
        self._round_usage: Usage | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self._draft.blocks()

    @property
    def round(self) -> int:
        """Number of the round that runs, 0 for the first of the message."""
        return self._round

    @property
    def ended(self) -> bool:
        return self.state in _ENDS

    def receive(self, signal: Signal, now: float) -> list[Command | TurnEvent]:
        """Take one signal at `now` (unix seconds). Raises KeyError, and changes nothing, if it
        can't happen now: a bug of the caller, never a fault of a provider. What a job tells of a
        call that doesn't wait for it (any more) is ignored.
        """
        if self.ended:
            return []
        if isinstance(signal, WireEvent) and self.state is not State.STREAMING:
            raise KeyError(f"{type(signal).__name__} while {self.state}")
        self._now = now
        self._out = []
        self._dispatch(signal)
        return self._out

    def _dispatch(self, signal: Signal) -> None:
        match signal:
            case TextDelta() | RefusalDelta() | ThinkingDelta():
                self._take_text(signal)
            case ToolCallStarted() | ToolArgsDelta() | ToolCallReady():
                self._take_call(signal)
            case UsageReported() | RetryScheduled() | ResponseFinished():
                self._take_frame(signal)
            case ToolProgressed() | ToolFinished() | ApprovalGiven():
                self._take_job(signal)
            case Begun() | ModelFailed() | Cancelled():
                self._take_edge(signal)
            case _:
                assert_never(signal)

    def _take_edge(self, signal: Begun | ModelFailed | Cancelled) -> None:
        match signal:
            case Begun(keep=keep):
                self._begin(keep)
            case ModelFailed(error=error):
                self._end(Trigger.FAILED, ToolStatus.INTERRUPTED, error)
            case Cancelled():
                self._end(Trigger.CANCELLED, ToolStatus.CANCELLED)
            case _:
                assert_never(signal)

    def _take_frame(self, signal: UsageReported | RetryScheduled | ResponseFinished) -> None:
        match signal:
            case UsageReported():
                self._round_usage = Usage(
                    signal.input_tokens,
                    signal.output_tokens,
                    signal.cached_tokens,
                    signal.thinking_tokens,
                )
            case RetryScheduled(attempt=attempt, delay=delay, code=code):
                self._out.append(RetryAnnounced(attempt, delay, code))
            case ResponseFinished():
                self._finish_response(signal)
            case _:
                assert_never(signal)

    def _take_job(self, signal: ToolProgressed | ToolFinished | ApprovalGiven) -> None:
        match signal:
            case ToolProgressed(index=index, fraction=fraction, text=text):
                call = self._draft.tool(index)
                if call.status is ToolStatus.RUNNING:
                    self._change(replace(call, progress=fraction, progress_text=text))
            case ToolFinished():
                self._finish_tool(signal)
            case ApprovalGiven():
                self._take_approval(signal)
            case _:
                assert_never(signal)

    # Beginning and ending

    def _go(self, trigger: Trigger) -> None:
        self.state = TRANSITIONS[self.state, trigger]

    def _begin(self, keep: int | None) -> None:
        self._go(Trigger.BEGUN)
        self._out.append(TurnStarted(self.message_id, resumed=self._resumed))
        if keep is not None and keep < len(self._draft):
            self._draft.truncate(keep)
            self._out.append(BlocksRemoved(keep))
        for block in self._draft.blocks():
            if isinstance(block, Notice) and not block.resolved:
                self._change(replace(block, resolved=True))
            elif isinstance(block, ToolUse) and not block.status.ended:
                self._end_call(block, ToolStatus.INTERRUPTED, "")  # the app died meanwhile
        last = self._draft.last()
        self._round = last.round if last is not None else -1
        self._call_model()

    def _call_model(self) -> None:
        self._round += 1
        self._rounds_run += 1
        self._called = False
        self._cut = False
        self._out += [RoundStarted(self._round), CallModel(self._round)]

    def _end(
        self, trigger: Trigger, left_over: ToolStatus, error: KnownError | None = None
    ) -> None:
        """Close what is open (calls become `left_over`), say why, and end the turn."""
        self._go(trigger)
        self._close_text()
        self._settle_usage()
        for block in self._draft.blocks():
            if isinstance(block, ToolUse) and not block.status.ended:
                self._end_call(block, left_over, "")
        if error is not None:
            self._notify(error)
        end = _ENDS[self.state]
        self._out += [EndTurn(end), TurnEnded(end, self._now)]

    def _notify(self, error: KnownError) -> None:
        index, number = len(self._draft), max(self._round, 0)
        notice = Notice(index, number, error.code, error.params, error.detail, error.actions)
        self._add(notice)
        self._out.append(BlockEnded(notice))

    # Text and thinking

    def _take_text(self, delta: _Delta) -> None:
        part = (type(delta), delta.index)
        if part == self._open:
            self._grow_text(delta)
            return
        before, blank = self._blank
        text = blank + delta.text if before == part else delta.text
        if text.strip() or _opaque(delta):
            self._close_text()
            self._open_text(delta, text)
            self._open = part
        else:
            self._blank = (part, text)  # alone it makes no block: it stands between tool calls

    def _grow_text(self, delta: _Delta) -> None:
        index = len(self._draft) - 1
        if delta.text:
            self._draft.append(index, delta.text)
            self._out.append(TextAppended(index, delta.text))
        opaque = _opaque(delta)
        block = self._draft[index] if opaque else None
        if isinstance(block, Thinking):
            self._change(replace(block, opaque=opaque))

    def _open_text(self, delta: _Delta, text: str) -> None:
        index = len(self._draft)
        if isinstance(delta, ThinkingDelta):
            self._add(Thinking(index, self._round, text, delta.opaque, started=self._now))
        else:
            self._add(Text(index, self._round, text, refusal=isinstance(delta, RefusalDelta)))

    def _close_text(self) -> None:
        """End the open text or thinking block, which is the last one."""
        opened, self._open, self._blank = self._open, None, (None, "")
        if opened is None:
            return
        block = self._draft[len(self._draft) - 1]
        if isinstance(block, Thinking):
            block = replace(block, ended=self._now)
            self._draft.put(block)
        self._out.append(BlockEnded(block))

    # Calls while they stream

    def _take_call(self, event: ToolCallStarted | ToolArgsDelta | ToolCallReady) -> None:
        match event:
            case ToolCallStarted():
                self._start_call(event)
            case ToolArgsDelta(index=wire_index, json=piece):
                index = self._unread[wire_index]
                if piece:
                    self._draft.append(index, piece)
                    self._out.append(ArgumentsAppended(index, piece))
            case ToolCallReady(index=wire_index):
                self._read_call(self._unread.pop(wire_index))
            case _:
                assert_never(event)

    def _start_call(self, event: ToolCallStarted) -> None:
        if event.index in self._unread:
            raise KeyError(f"call {event.index} is open already")
        self._close_text()
        index = len(self._draft)
        self._unread[event.index] = index
        self._called = True
        self._add(
            ToolUse(
                index,
                self._round,
                event.call_id or f"call_{self._round}_{event.index}",
                self._names.own(event.name),
                started=self._now,
                opaque=event.opaque,
            )
        )

    def _read_call(self, index: int) -> None:
        """The arguments are complete: parse them strictly; eager tools run now."""
        call = self._draft.tool(index)
        try:
            arguments = parse_arguments(call.raw_arguments)
        except InvalidArguments as error:
            self._cut = True
            self._end_call(call, ToolStatus.ERROR, str(error))
            return
        self._change(replace(call, arguments=arguments, status=ToolStatus.QUEUED))
        spec = self._specs.get(call.name)
        if spec is not None and spec.eager and call.name not in self._asks:
            self._run(index)

    # Calls while they run

    def _run(self, index: int) -> None:
        """Run the call, unless a guard stops it; then it is cancelled and the turn will pause."""
        call = self._draft.tool(index)
        limit = self._limit or self._guard(call)
        if limit is not None:
            self._limit = limit
            self._end_call(call, ToolStatus.CANCELLED, f"Not run. {limit}")
            return
        self._calls_run += 1
        running = replace(call, status=ToolStatus.RUNNING, started=self._now)
        self._change(running)
        self._out.append(RunTool(index, call.name, call.arguments or {}))

    def _guard(self, call: ToolUse) -> KnownError | None:
        key = json.dumps([call.name, call.arguments], sort_keys=True)
        self._repeats = self._repeats + 1 if key == self._last_call else 1
        self._last_call = key
        if self._repeats >= self._limits.repeats:
            self._repeats, self._last_call = 0, ""
            return RepeatedCall(tool=call.name, count=str(self._limits.repeats))
        if self._calls_run >= self._limits.calls:
            return CallLimit(count=str(self._limits.calls))
        return None

    def _next_calls(self) -> None:
        """Start the calls that may run now: one at a time, or all when parallel."""
        calls = [block for block in self._draft.blocks() if isinstance(block, ToolUse)]
        busy = any(call.status in (ToolStatus.RUNNING, ToolStatus.ASKING) for call in calls)
        for call in calls:
            if call.status is not ToolStatus.QUEUED or (busy and not self._parallel):
                continue
            self._start(call)
            busy = busy or not self._draft.tool(call.index).status.ended

    def _start(self, call: ToolUse) -> None:
        if call.name not in self._asks or self._limit is not None:
            self._run(call.index)
            return
        self._change(replace(call, status=ToolStatus.ASKING))
        self._out.append(AskApproval(call.index, call.name, call.arguments or {}))

    def _take_approval(self, signal: ApprovalGiven) -> None:
        call = self._draft.tool(signal.index)
        if call.status is not ToolStatus.ASKING:
            return
        if signal.arguments is not None:
            call = replace(
                call,
                arguments=signal.arguments,
                raw_arguments=json.dumps(signal.arguments, ensure_ascii=False),
            )
        if signal.allowed:
            self._change(replace(call, status=ToolStatus.QUEUED))
            self._run(signal.index)
        else:
            reason = "The person didn't allow this call."
            if signal.reason:
                reason += f" They said: {signal.reason}"
            self._end_call(call, ToolStatus.DENIED, reason)
        self._advance()

    def _finish_tool(self, signal: ToolFinished) -> None:
        call = self._draft.tool(signal.index)
        if call.status is not ToolStatus.RUNNING:
            return
        self._end_call(call, signal.status, signal.text)
        if self.state is not State.STREAMING:
            self._advance()

    def _end_call(self, call: ToolUse, status: ToolStatus, text: str) -> None:
        ok = status is ToolStatus.SUCCESS
        ended = replace(
            call,
            status=status,
            output=text if ok else call.output,
            error="" if ok else text,
            ended=self._now,
        )
        self._draft.put(ended)
        self._out.append(BlockEnded(ended))

    # The end of a response, and what follows

    def _finish_response(self, event: ResponseFinished) -> None:
        self._close_text()
        self._settle_usage()
        for index in self._unread.values():
            self._cut = True
            message = "The call was never closed, so it was not run."
            self._end_call(self._draft.tool(index), ToolStatus.ERROR, message)
        self._unread.clear()
        if event.stop is Stop.LENGTH and (self._cut or not self._called):
            self._end(Trigger.LIMIT_REACHED, ToolStatus.CANCELLED, LengthLimit())
        elif self._called:
            self._go(Trigger.CALLS_LEFT)
            self._advance()
        elif event.stop is Stop.FILTER:
            self._end(Trigger.FAILED, ToolStatus.INTERRUPTED, Refused(event.raw or ""))
        elif self._is_empty():
            self._end(Trigger.LIMIT_REACHED, ToolStatus.CANCELLED, EmptyReply())
        else:
            self._end(Trigger.REPLY_ENDED, ToolStatus.CANCELLED)

    def _is_empty(self) -> bool:
        return not any(isinstance(block, Text | ToolUse) for block in self._draft.blocks())

    def _advance(self) -> None:
        """In TOOLS or WAITING: start what may start; go on when every call of the round ended."""
        if self.state is State.WAITING and not self._count(ToolStatus.ASKING):
            self._go(Trigger.APPROVALS_GIVEN)
        self._next_calls()
        if self.state is State.TOOLS and self._count(ToolStatus.ASKING):
            self._go(Trigger.APPROVAL_ASKED)
        if self.state is State.WAITING or self._count(ToolStatus.RUNNING):
            return
        if self._limit is None and self._rounds_run >= self._limits.rounds:
            self._limit = RoundLimit(count=str(self._limits.rounds))
        if self._limit is not None:
            self._end(Trigger.LIMIT_REACHED, ToolStatus.CANCELLED, self._limit)
            return
        self._go(Trigger.TOOLS_ENDED)
        self._call_model()

    def _count(self, status: ToolStatus) -> int:
        blocks = self._draft.blocks()
        return sum(isinstance(b, ToolUse) and b.status is status for b in blocks)

    def _settle_usage(self) -> None:
        if self._round_usage is None:
            return
        self.usage = (self.usage or Usage()) + self._round_usage
        self._round_usage = None
        self._out.append(UsageChanged(self.usage))

    def _add(self, block: Block) -> None:
        self._draft.add(block)
        self._out.append(BlockStarted(block))

    def _change(self, block: Block) -> None:
        self._draft.put(block)
        self._out.append(BlockChanged(block))


def _opaque(delta: _Delta) -> str:
    return delta.opaque if isinstance(delta, ThinkingDelta) else ""


def parse_arguments(raw: str) -> Mapping[str, object]:
    """The arguments a model wrote, strictly: "" means `{}`, else a JSON object.

    Raises InvalidArguments with what the model has to mend.
    """
    if not raw.strip():
        return {}
    try:
        value = json.loads(raw, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidArguments(f"Not valid JSON: {error}. Received: {raw[:500]}") from None
    if not isinstance(value, dict):
        raise InvalidArguments(f"A JSON object is needed. Received: {raw[:500]}")
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
