"""A turn: one assistant message from the first token to its end, as a sans-IO state machine.

All code that changes the state of a turn is in this file, and every change is an entry of
TURN_TRANSITIONS. `Turn.receive(signal, now)` returns the commands to carry out and the events to
show and store, in order. There is no clock, no network and no await here.

The owner carries out commands and posts the results as signals. Each job of a command posts exactly
one last signal: `CallModel` → `ResponseFinished` or `ModelFailed` (before that `ToolsOffered`, then
`ContextRead`); `RunTool` → `ToolFinished`; `AskApproval` → `ApprovalGiven`. `ModelFailed` and
`Cancelled` end the turn in any state; signals after the end are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import assert_never

from neodeskpet.core.approval import DEFAULT_POLICY, Policy
from neodeskpet.core.blocks import (
    Block,
    Image,
    Notice,
    Text,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.call_arguments import repair_arguments
from neodeskpet.core.data_labels import FlowQuestion
from neodeskpet.core.errors import (
    CallMalformed,
    CallNotRun,
    CallUnfinished,
    DeniedBefore,
    EmptyReply,
    InvalidArguments,
    KnownError,
    LengthLimit,
    NoticeContent,
    Refused,
    RepliedWithoutMemory,
    RoundLimit,
    StoppedShort,
    ToolDenied,
    ToolError,
    ToolFault,
)
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.information_flow import ContextReading, uses_found_address
from neodeskpet.core.tool_result import CallPreview, bounded_content
from neodeskpet.core.toolspec import Risk, ToolNames, ToolSpec
from neodeskpet.core.turn.call_results import finish_call
from neodeskpet.core.turn.code_continuation import OpenFence, open_fence_at_end
from neodeskpet.core.turn.given_answers import GivenAnswers
from neodeskpet.core.turn.message_draft import MessageDraft
from neodeskpet.core.turn.reply_builder import ReplyBuilder
from neodeskpet.core.turn.signals import (
    ApprovalGiven,
    AskApproval,
    Begun,
    CallModel,
    CallPreviewed,
    Cancelled,
    Command,
    ContextRead,
    EndTurn,
    MemoryReported,
    ModelFailed,
    RunTool,
    Signal,
    ToolFinished,
    ToolProgressed,
    ToolsOffered,
)
from neodeskpet.core.turn.turn_events import (
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    ModelChosen,
    RoundStarted,
    TurnEnded,
    TurnEvent,
    TurnStarted,
    UsageChanged,
)
from neodeskpet.core.turn.turn_limits import TurnLimiter, TurnLimits
from neodeskpet.core.turn.turn_states import (
    FINAL_MESSAGE_STATES,
    TURN_TRANSITIONS,
    TurnState,
    TurnTrigger,
)
from neodeskpet.core.wire import (
    CueReached,
    DescriptionAnnounced,
    DescriptionFailed,
    LoadingAnnounced,
    ModelNamed,
    PictureDescribed,
    PictureReceived,
    RefusalDelta,
    ResponseFinished,
    RetryAnnounced,
    StopReason,
    TextDelta,
    TextRetracted,
    ThinkingDelta,
    ThinkingRetracted,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    ToolsDropped,
    UsageReported,
    WaitAnnounced,
    WireEvent,
)

MOST_PARALLEL_CALLS = 8
"""Value of `TurnLimits.parallel` if calls may run at the same time: a model can make hundreds in
one reply.
"""


class Turn:
    """One run over one assistant message. A message that was limited, cut or retried gets another
    `Turn` with its `blocks` and the number of its `rounds`; limits start again, rounds continue.
    `policy` decides for each call, when it comes, whether it asks.
    """

    def __init__(
        self,
        message_id: str,
        tools: Iterable[ToolSpec] = (),
        *,
        limits: TurnLimits | None = None,
        policy: Policy = DEFAULT_POLICY,
        blocks: Iterable[Block] = (),
        usage: Usage | None = None,
        model: str = "",
        rounds: int = 0,
    ) -> None:
        self.message_id = message_id
        self.state = TurnState.READY
        self.usage = usage
        self._model = model
        self._rounds = rounds
        self._finish_reason = ""
        self._specs: Mapping[str, ToolSpec] = {spec.name: spec for spec in tools}
        self._names = ToolNames(self._specs)
        self._policy = policy
        limits = limits or TurnLimits()
        self._guard = TurnLimiter(limits)
        self._parallel = limits.parallel
        self._draft = MessageDraft(blocks)
        self._answers = GivenAnswers()
        self._resumed = len(self._draft) > 0
        self._out: list[Command | TurnEvent] = []
        self._now = 0.0

        last = self._draft.last()
        self._round = last.round if last is not None else -1

        self._open_fence: OpenFence | None = None
        self._reply = ReplyBuilder(self._draft, self._names, self._round)
        self._round_usage: Usage | None = None
        self._missed: RepliedWithoutMemory | None = None
        self._reading = ContextReading()
        self._found = 0  # used addresses that came from untrusted text

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self._draft.blocks()

    @property
    def round(self) -> int:
        """Number of the current round, 0 for the first of the message."""
        return self._round

    @property
    def ended(self) -> bool:
        return self.state in FINAL_MESSAGE_STATES

    def receive(self, signal: Signal, now: float) -> list[Command | TurnEvent]:
        """Take one signal at `now` (Unix seconds). Raises KeyError, and changes nothing, if the
        signal is impossible in this state: that is a bug of the caller, never of a provider.
        Signals of a job for a call that no longer waits for it are ignored. If a bug interrupts the
        method, the events so far are returned with the next signal, so listeners miss nothing.
        """
        of_response = isinstance(signal, WireEvent | ToolsOffered | ContextRead)
        if of_response and self.state is not TurnState.STREAMING and not self.ended:
            raise KeyError(f"{type(signal).__name__} while {self.state}")
        self._now = now
        if not self.ended:
            self._dispatch(signal)
        out, self._out = self._out, []
        return out

    def _dispatch(self, signal: Signal) -> None:
        match signal:
            case TextDelta() | RefusalDelta() | ThinkingDelta():
                self._out += self._reply.take_text(signal, self._now)
            case TextRetracted() | ThinkingRetracted() | PictureReceived():
                self._take_complete_block(signal)
            case ToolCallStarted() | ToolArgsDelta() | ToolCallReady():
                self._take_call(signal)
            case (
                UsageReported()
                | ResponseFinished()
                | ModelNamed()
                | DescriptionFailed()
                | ToolsDropped()
            ):
                self._take_frame(signal)
            case (
                CueReached()
                | RetryAnnounced()
                | LoadingAnnounced()
                | WaitAnnounced()
                | DescriptionAnnounced()
                | PictureDescribed()
            ):
                self._out.append(signal)  # the message doesn't change
            case ToolProgressed() | CallPreviewed() | ToolFinished() | ApprovalGiven():
                self._take_job(signal)
            case MemoryReported(missed=missed):
                self._missed = missed
            case Begun() | ToolsOffered() | ContextRead() | ModelFailed() | Cancelled():
                self._take_edge(signal)
            case _:
                assert_never(signal)

    def _take_complete_block(
        self, signal: TextRetracted | ThinkingRetracted | PictureReceived
    ) -> None:
        match signal:
            case TextRetracted():
                self._out += self._reply.retract_text(signal, self._now)
            case ThinkingRetracted():
                self._out += self._reply.retract_thinking(signal, self._now)
            case PictureReceived():
                self._out += self._reply.add_picture(signal, self._now)
            case _:
                assert_never(signal)

    def _take_edge(
        self, signal: Begun | ToolsOffered | ContextRead | ModelFailed | Cancelled
    ) -> None:
        match signal:
            case Begun(keep=keep):
                self._begin(keep)
            case ToolsOffered(specs=specs):
                self._specs = {spec.name: spec for spec in specs}
                self._names = ToolNames(self._specs)
                self._reply = ReplyBuilder(self._draft, self._names, self._round, self._open_fence)
                self._reply.untrusted = self._reading.labels.untrusted
            case ContextRead(reading=reading):
                self._reading = reading
                self._reply.untrusted = reading.labels.untrusted
            case ModelFailed(error=error):
                self._end(TurnTrigger.FAILED, ToolStatus.INTERRUPTED, error)
            case Cancelled():
                self._end(TurnTrigger.CANCELLED, ToolStatus.CANCELLED)
            case _:
                assert_never(signal)

    def _take_frame(
        self,
        signal: UsageReported | ResponseFinished | ModelNamed | DescriptionFailed | ToolsDropped,
    ) -> None:
        match signal:
            case UsageReported():
                self._round_usage = Usage(
                    signal.input_tokens,
                    signal.output_tokens,
                    signal.cached_tokens,
                    signal.thinking_tokens,
                    signal.input_tokens + signal.output_tokens,
                    signal.cost,
                    signal.currency,
                )
            case ResponseFinished():
                self._finish_response(signal)
            case ModelNamed(label=label):
                if label != self._model:
                    self._model = label
                    self._out.append(ModelChosen(label))
            case DescriptionFailed(error=error) | ToolsDropped(error=error):
                self._out += self._reply.close_text(self._now)
                self._notify(error)
            case _:
                assert_never(signal)

    def _take_job(
        self, signal: ToolProgressed | CallPreviewed | ToolFinished | ApprovalGiven
    ) -> None:
        match signal:
            case ToolProgressed(index=index, fraction=fraction, text=text):
                call = self._draft.tool(index)
                if call.status is ToolStatus.RUNNING:
                    self._change(replace(call, progress=fraction, progress_text=text))
            case CallPreviewed(index=index, preview=preview):
                call = self._draft.tool(index)
                if call.status is ToolStatus.ASKING:
                    self._take_preview(call, preview)
            case ToolFinished():
                self._finish_tool(signal)
            case ApprovalGiven():
                self._take_approval(signal)
            case _:
                assert_never(signal)

    # Beginning and ending

    def _go(self, trigger: TurnTrigger) -> None:
        self.state = TURN_TRANSITIONS[self.state, trigger]

    def _begin(self, keep: int | None) -> None:
        self._go(TurnTrigger.BEGUN)
        self._out.append(TurnStarted(self.message_id, resumed=self._resumed, at=self._now))
        before = self._draft.blocks()
        if keep is not None and keep < len(self._draft):
            self._draft.truncate(keep)
            self._out.append(BlocksRemoved(keep))
        for block in self._draft.blocks():
            if isinstance(block, Notice) and not block.resolved:
                self._change(replace(block, resolved=True))
            elif isinstance(block, ToolUse) and not block.status.ended:
                self._end_call(block, ToolStatus.INTERRUPTED, "")  # the app ended in the meantime
        self._answers.restore((*before, *self._draft.blocks()))
        last = self._draft.last()
        self._round = last.round if last is not None else -1
        open_fence = open_fence_at_end(self._draft.blocks())
        if (
            open_fence is not None
        ):  # a round that continued the block of an earlier one has no block
            self._round = max(self._round, self._rounds - 1)
        self._call_model(open_fence)

    def _call_model(self, open_fence: OpenFence | None = None) -> None:
        self._round += 1
        self._finish_reason = ""
        self._guard.begin_round()
        self._open_fence = open_fence
        self._reply = ReplyBuilder(self._draft, self._names, self._round, open_fence)
        self._out += [RoundStarted(self._round), CallModel(self._round)]

    def _end(
        self, trigger: TurnTrigger, left_over: ToolStatus, error: KnownError | None = None
    ) -> None:
        """Close open blocks (calls become `left_over`), add the reason, and end the turn."""
        self._go(trigger)
        self._out += self._reply.close_text(self._now)
        self._settle_usage()
        for block in self._draft.blocks():
            if isinstance(block, ToolUse) and not block.status.ended:
                self._end_call(block, left_over, "")
        if error is not None:
            self._notify(error)
        elif self._missed is not None and trigger is TurnTrigger.REPLY_ENDED:
            self._notify(self._missed)
        end = FINAL_MESSAGE_STATES[self.state]
        self._out += [EndTurn(end), TurnEnded(end, self._now, self._finish_reason)]

    def _notify(self, event: NoticeContent) -> None:
        index, number = len(self._draft), max(self._round, 0)
        notice = Notice(index, number, event.code, event.params, event.detail, event.actions)
        self._add(notice)
        self._out.append(BlockEnded(notice))

    # Output of the model

    def _take_call(self, event: ToolCallStarted | ToolArgsDelta | ToolCallReady) -> None:
        match event:
            case ToolCallStarted():
                self._out += self._reply.start_call(event, self._now)
            case ToolArgsDelta():
                self._out += self._reply.grow_call(event)
            case ToolCallReady():
                self._read_call(self._reply.close_call(event))
            case _:
                assert_never(event)

    def _read_call(self, index: int) -> None:
        """Parse the complete arguments; eager tools run now."""
        call = self._draft.tool(index)
        try:
            arguments, repair = repair_arguments(call.raw_arguments)
        except InvalidArguments as error:
            self._reply.cut = True
            self._fail_call(call, ToolStatus.ERROR, error)
            return
        call = replace(call, arguments=arguments, status=ToolStatus.QUEUED, repaired=repair.value)
        self._change(call)
        spec = self._specs.get(call.name)
        if spec is not None and spec.eager and not self._asks(self._draft.tool(index)):
            self._run(index)

    # Running calls

    def _run(self, index: int) -> None:
        """Run the call, unless a limit is reached; then it is cancelled and the turn will pause."""
        call = self._draft.tool(index)
        if not self._guard.admit(call):
            self._fail_call(call, ToolStatus.CANCELLED, _not_run(self._guard.reached))
            return
        if call.name not in self._specs:
            self._fail_call(call, ToolStatus.ERROR, self._names.unknown(call.name))
            return
        spec, arguments = self._specs[call.name], call.arguments or {}
        approved = self._answers.get(call, spec) is True
        self._answers.use(call)
        self._found += uses_found_address(spec, arguments, self._reading)
        running = replace(
            call,
            status=ToolStatus.RUNNING,
            started=self._now,
            foreign=spec.brings_foreign,
            labels=spec.labels,
        )
        self._change(running)
        read = self._reading.labels
        self._out.append(RunTool(index, call.name, arguments, read, approved))

    def _next_calls(self) -> None:
        """Start the calls that may run now: one at a time, or up to `TurnLimits.parallel`; in the
        second case calls that ask don't count.
        """
        calls = [block for block in self._draft.blocks() if isinstance(block, ToolUse)]
        counted = (
            {ToolStatus.RUNNING} if self._parallel > 1 else {ToolStatus.RUNNING, ToolStatus.ASKING}
        )
        free = self._parallel - sum(call.status in counted for call in calls)
        for call in calls:
            if call.status is ToolStatus.QUEUED and free > 0:
                self._start(call)
                free -= self._draft.tool(call.index).status in counted

    def _start(self, call: ToolUse) -> None:
        if not self._asks(call) or self._guard.reached is not None:
            self._run(call.index)
            return
        if self._refused(call):
            self._fail_call(call, ToolStatus.DENIED, _denied_before())
            return
        flow = self._flow(call, self._specs[call.name])
        self._change(replace(call, status=ToolStatus.ASKING, asked=self._now, flow=flow))
        self._out.append(AskApproval(call.index, call.name, call.arguments or {}, flow))

    def _asks(self, call: ToolUse) -> bool:
        """Return whether the call asks. A leaked call may be no call at all, so it never changes
        anything without asking.
        """
        spec = self._specs.get(call.name)
        if spec is None:
            return False
        if self._answers.get(call, spec):
            return False
        changes = spec.risk not in (Risk.READ, Risk.GESTURE)
        if (call.leaked and changes) or self._policy.asks(spec, call.arguments or {}):
            return True
        return self._flow(call, spec) is not None

    def _flow(self, call: ToolUse, spec: ToolSpec) -> FlowQuestion | None:
        """Return why the call asks because of what the model reads, or None."""
        return self._policy.flow(spec, call.arguments or {}, self._reading, self._found)

    def _refused(self, call: ToolUse) -> bool:
        """Return whether the user has denied this call."""
        spec = self._specs.get(call.name)
        return spec is not None and self._answers.get(call, spec) is False

    def _take_preview(self, call: ToolUse, preview: CallPreview) -> None:
        """Show the preview of the call; a call whose target doesn't exist fails without a
        question.
        """
        if preview.error is not None:
            self._fail_call(replace(call, answered=self._now), ToolStatus.ERROR, preview.error)
            self._release()
            self._advance()
            return
        shown = preview.shown and bounded_content(preview.shown)
        self._change(replace(call, shown=shown, question=preview.question))

    def _take_approval(self, signal: ApprovalGiven) -> None:
        call = self._draft.tool(signal.index)
        if call.status is not ToolStatus.ASKING:
            return
        call = replace(call, answered=self._now, shown=None)
        if signal.arguments is not None and signal.arguments != call.arguments:
            call = replace(
                call,
                arguments=signal.arguments,
                raw_arguments=json.dumps(signal.arguments, ensure_ascii=False),
                edited=True,
            )
        self._answers.add(call, allowed=signal.allowed)
        if signal.allowed:
            self._change(replace(call, status=ToolStatus.QUEUED))
            self._run(signal.index)
        else:
            self._fail_call(call, ToolStatus.DENIED, _refusal(signal))
        self._release()
        self._advance()

    def _release(self) -> None:
        """Apply an answer to equal calls that wait; the answer may have been "always"."""
        for call in self._draft.blocks():
            if not isinstance(call, ToolUse) or call.status is not ToolStatus.ASKING:
                continue
            if not self._asks(call):
                self._change(
                    replace(call, status=ToolStatus.QUEUED, answered=self._now, shown=None)
                )
                self._run(call.index)
            elif self._refused(call):
                answered = replace(call, answered=self._now)
                self._fail_call(answered, ToolStatus.DENIED, _denied_before())

    def _finish_tool(self, signal: ToolFinished) -> None:
        call = self._draft.tool(signal.index)
        if call.status is not ToolStatus.RUNNING:
            return
        self._put_end(finish_call(call, signal, self._now))
        if self.state is not TurnState.STREAMING:
            self._advance()

    def _fail_call(self, call: ToolUse, status: ToolStatus, error: ToolError) -> None:
        self._end_call(call, status, str(error), ToolFault.of(error))

    def _end_call(
        self, call: ToolUse, status: ToolStatus, text: str, fault: ToolFault | None = None
    ) -> None:
        ok = status is ToolStatus.SUCCESS
        ended = replace(
            call,
            status=status,
            output=text if ok else call.output,
            error="" if ok else text,
            fault=fault,
            ended=self._now,
        )
        self._put_end(ended)

    def _put_end(self, ended: ToolUse) -> None:
        self._draft.replace(ended)
        self._out.append(BlockEnded(ended))

    # The end of a response and the next step

    def _finish_response(self, event: ResponseFinished) -> None:
        self._finish_reason = event.raw or ""
        self._out += self._reply.close_text(self._now)
        self._settle_usage()
        for index in self._reply.abandon_calls():
            self._fail_call(self._draft.tool(index), ToolStatus.ERROR, CallUnfinished())
        if event.stop is StopReason.LENGTH and (self._reply.cut or not self._reply.called):
            self._end(TurnTrigger.LIMIT_REACHED, ToolStatus.CANCELLED, LengthLimit())
        elif self._reply.called:
            self._go(TurnTrigger.CALLS_LEFT)
            self._advance()
        elif event.stop is StopReason.FILTER:
            self._end(TurnTrigger.FAILED, ToolStatus.INTERRUPTED, Refused(event.raw or ""))
        elif event.stop is StopReason.MALFORMED:
            self._end(TurnTrigger.FAILED, ToolStatus.INTERRUPTED, CallMalformed())
        elif event.stop is StopReason.OTHER:
            error = StoppedShort(reason=event.raw or "?")
            self._end(TurnTrigger.LIMIT_REACHED, ToolStatus.CANCELLED, error)
        elif self._is_empty():
            self._end(TurnTrigger.LIMIT_REACHED, ToolStatus.CANCELLED, EmptyReply())
        else:
            self._end(TurnTrigger.REPLY_ENDED, ToolStatus.CANCELLED)

    def _is_empty(self) -> bool:
        """Whether the reply has no content; reports of background tasks don't count."""
        blocks = self._draft.blocks()
        return not any(
            isinstance(block, Text | Image) or (isinstance(block, ToolUse) and not block.task)
            for block in blocks
        )

    def _advance(self) -> None:
        """In TOOLS or WAITING: start the calls that may start; continue when every call of the
        round has ended.
        """
        if self.state is TurnState.WAITING and not self._count(ToolStatus.ASKING):
            self._go(TurnTrigger.APPROVALS_GIVEN)
        self._next_calls()
        if self.state is TurnState.TOOLS and self._count(ToolStatus.ASKING):
            self._go(TurnTrigger.APPROVAL_ASKED)
        if self.state is TurnState.WAITING or self._count(ToolStatus.RUNNING):
            return
        if not self._wants_more():
            self._end(TurnTrigger.REPLY_ENDED, ToolStatus.CANCELLED)
            return
        if not self._guard.admit_round():
            reached = self._guard.reached
            failed = isinstance(reached, RoundLimit)  # it did not end; other limits only pause it
            trigger = TurnTrigger.FAILED if failed else TurnTrigger.LIMIT_REACHED
            self._end(trigger, ToolStatus.CANCELLED, reached)
            return
        self._go(TurnTrigger.TOOLS_ENDED)
        self._call_model()

    def _wants_more(self) -> bool:
        """Return whether a result of this round needs an answer; a call without success does. A
        round without text continues too: a reply must not be only gestures.
        """
        here = [block for block in self._draft.blocks() if block.round == self._round]
        said = any(isinstance(block, Text) for block in here)
        return not said or any(isinstance(b, ToolUse) and b.continue_ for b in here)

    def _count(self, status: ToolStatus) -> int:
        blocks = self._draft.blocks()
        return sum(isinstance(b, ToolUse) and b.status is status for b in blocks)

    def _settle_usage(self) -> None:
        if self._round_usage is None:
            return
        this = self._round_usage
        self.usage = this if self.usage is None else self.usage + this
        self._round_usage = None
        self._out.append(UsageChanged(self.usage))

    def _add(self, block: Block) -> None:
        self._draft.add(block)
        self._out.append(BlockStarted(block))

    def _change(self, block: Block) -> None:
        self._draft.replace(block)
        self._out.append(BlockChanged(block))


def _not_run(limit: KnownError | None) -> CallNotRun:
    return CallNotRun(reasons=[] if limit is None else [Reason(limit.what, limit.params)])


def _denied_before() -> DeniedBefore:
    return DeniedBefore(advice="Don't make it again; go on without it.")


def _refusal(signal: ApprovalGiven) -> ToolError:
    if signal.unanswered is not None:
        return signal.unanswered
    said = Reason(N_("They said: {words}"), {"words": signal.reason})
    return ToolDenied(reasons=[said] if signal.reason else [])
