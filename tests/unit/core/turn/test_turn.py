"""One turn as a transcript: the table of states, text, thinking, usage, continuing."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from neodeskpet.core.blocks import (
    Block,
    Image,
    MessageState,
    Notice,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.errors import (
    Action,
    PictureNotDescribed,
    RepliedWithoutMemory,
    StreamBroken,
    ToolsUnsupported,
    Unreachable,
)
from neodeskpet.core.i18n import Reason
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.turn.signals import (
    ApprovalGiven,
    AskApproval,
    Begun,
    CallModel,
    Cancelled,
    EndTurn,
    MemoryReported,
    ModelFailed,
    RunTool,
    Signal,
    ToolFinished,
    ToolProgressed,
)
from neodeskpet.core.turn.turn import MOST_PARALLEL_CALLS, Turn
from neodeskpet.core.turn.turn_events import (
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    ModelChosen,
    RoundStarted,
    TextAppended,
    TurnEnded,
    TurnStarted,
    UsageChanged,
)
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.core.turn.turn_states import LIVE_STATES, TURN_TRANSITIONS, TurnState, TurnTrigger
from neodeskpet.core.wire import (
    CueKind,
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
)
from tests.support.playbook import Note, Wait, card, playbook
from tests.support.policies import AskFor

END = ResponseFinished(StopReason.END)
TOOLS = ResponseFinished(StopReason.TOOLS)
SPECS = (ToolSpec("clock", "The time."), ToolSpec("write", "Write."))
COMMANDS = (CallModel, RunTool, AskApproval, EndTurn)
BLOCKS = (BlockStarted, BlockChanged, BlockEnded, TextAppended)


def call(index: int, name: str = "clock", json: str = "{}") -> list[Signal]:
    return [
        ToolCallStarted(index, f"c{index}", name),
        ToolArgsDelta(index, json),
        ToolCallReady(index),
    ]


def tell(turn: Turn, *signals: Signal, at: float = 0.0) -> list[object]:
    return [output for signal in signals for output in turn.receive(signal, at)]


class TestTransitions:
    """The table itself; no other transition is possible."""

    def turn_in(self, state: TurnState) -> Turn:
        turn = Turn("m", SPECS, policy=AskFor("clock"), limits=TurnLimits(rounds=2))
        ways: dict[TurnState, list[Signal]] = {
            TurnState.READY: [],
            TurnState.STREAMING: [Begun()],
            TurnState.WAITING: [Begun(), *call(0), TOOLS],
            TurnState.TOOLS: [Begun(), *call(0), TOOLS, ApprovalGiven(0, True)],
            TurnState.DONE: [Begun(), TextDelta(0, "Hi"), END],
            TurnState.LIMITED: [Begun(), END],
            TurnState.CANCELLED: [Cancelled()],
            TurnState.FAILED: [Begun(), ModelFailed(Unreachable())],
        }
        tell(turn, *ways[state])
        assert turn.state is state
        return turn

    # The signals for each trigger, in any state that allows it.
    SIGNALS: tuple[tuple[TurnState, TurnTrigger, tuple[Signal, ...]], ...] = (
        (TurnState.READY, TurnTrigger.BEGUN, (Begun(),)),
        (TurnState.STREAMING, TurnTrigger.REPLY_ENDED, (TextDelta(0, "Hi"), END)),
        (TurnState.STREAMING, TurnTrigger.CALLS_LEFT, (*call(0, "write"), TOOLS)),
        (TurnState.STREAMING, TurnTrigger.LIMIT_REACHED, (ResponseFinished(StopReason.LENGTH),)),
        *((state, TurnTrigger.FAILED, (ModelFailed(Unreachable()),)) for state in LIVE_STATES),
        *((state, TurnTrigger.CANCELLED, (Cancelled(),)) for state in LIVE_STATES),
        (
            TurnState.TOOLS,
            TurnTrigger.TOOLS_ENDED,
            (ToolFinished(0, ToolStatus.SUCCESS, ToolResult("9")),),
        ),
        (TurnState.WAITING, TurnTrigger.APPROVALS_GIVEN, (ApprovalGiven(0, True),)),
    )

    @pytest.mark.parametrize(("state", "trigger", "signals"), SIGNALS)
    def test_each_trigger_leads_to_the_state_in_the_table(
        self, state: TurnState, trigger: TurnTrigger, signals: tuple[Signal, ...]
    ) -> None:
        turn = self.turn_in(state)
        tell(turn, *signals)
        assert turn.state is TURN_TRANSITIONS[state, trigger]

    def test_calls_that_ask_lead_through_tools_to_waiting(self) -> None:
        turn = self.turn_in(TurnState.STREAMING)
        tell(turn, *call(0), TOOLS)
        assert TURN_TRANSITIONS[TurnState.STREAMING, TurnTrigger.CALLS_LEFT] is TurnState.TOOLS
        assert turn.state is TURN_TRANSITIONS[TurnState.TOOLS, TurnTrigger.APPROVAL_ASKED]

    def test_the_last_round_leads_from_tools_to_failed(self) -> None:
        turn = self.turn_in(TurnState.TOOLS)
        tell(turn, ToolFinished(0, ToolStatus.SUCCESS, ToolResult("9")), *call(0, "write"), TOOLS)
        tell(turn, ToolFinished(1, ToolStatus.SUCCESS, ToolResult("9")))
        assert turn.state is TURN_TRANSITIONS[TurnState.TOOLS, TurnTrigger.FAILED]

    def test_the_last_call_leads_from_tools_to_limited(self) -> None:
        turn = Turn("m", SPECS, limits=TurnLimits(calls=1))
        tell(turn, Begun(), *call(0), *call(1, "write"), TOOLS)
        tell(turn, ToolFinished(0, ToolStatus.SUCCESS, ToolResult("9")))
        assert turn.state is TURN_TRANSITIONS[TurnState.TOOLS, TurnTrigger.LIMIT_REACHED]

    def test_results_that_need_no_answer_lead_from_tools_to_done(self) -> None:
        turn = Turn("m", SPECS)
        tell(turn, Begun(), TextDelta(9, "Nine."), *call(0), TOOLS)
        tell(turn, ToolFinished(1, ToolStatus.SUCCESS, ToolResult("9", continue_=False)))
        assert turn.state is TURN_TRANSITIONS[TurnState.TOOLS, TurnTrigger.REPLY_ENDED]

    def test_a_round_without_text_continues_whatever_its_results_say(self) -> None:
        turn = self.turn_in(TurnState.TOOLS)
        tell(turn, ToolFinished(0, ToolStatus.SUCCESS, ToolResult("9", continue_=False)))
        assert turn.state is TURN_TRANSITIONS[TurnState.TOOLS, TurnTrigger.TOOLS_ENDED]

    def test_every_entry_of_the_table_is_tested_here(self) -> None:
        reached = {(state, trigger) for state, trigger, _ in self.SIGNALS}
        reached |= {
            (TurnState.TOOLS, TurnTrigger.APPROVAL_ASKED),
            (TurnState.TOOLS, TurnTrigger.REPLY_ENDED),
            (TurnState.TOOLS, TurnTrigger.LIMIT_REACHED),
        }
        assert reached == set(TURN_TRANSITIONS)

    ILLEGAL: tuple[tuple[TurnState, Signal], ...] = (
        *((state, Begun()) for state in (TurnState.STREAMING, TurnState.TOOLS, TurnState.WAITING)),
        *(
            (state, signal)
            for state in (TurnState.READY, TurnState.TOOLS, TurnState.WAITING)
            for signal in (
                TextDelta(0, "x"),
                RefusalDelta(0, "x"),
                ThinkingDelta(0, "x"),
                ToolCallStarted(9, "", "clock"),
                ToolArgsDelta(0, "{}"),
                ToolCallReady(0),
                UsageReported(1, 1),
                RetryAnnounced(1, 1.0, "unreachable"),
                END,
            )
        ),
        (TurnState.STREAMING, ToolArgsDelta(7, "{}")),
        (TurnState.STREAMING, ToolCallReady(7)),
    )

    @pytest.mark.parametrize(("state", "signal"), ILLEGAL)
    def test_an_impossible_signal_is_refused_and_changes_nothing(
        self, state: TurnState, signal: Signal
    ) -> None:
        turn = self.turn_in(state)
        before = turn.blocks
        with pytest.raises(KeyError):
            turn.receive(signal, 1.0)
        assert (turn.state, turn.blocks, turn.usage) == (state, before, None)

    @pytest.mark.parametrize(
        "state", [TurnState.DONE, TurnState.LIMITED, TurnState.CANCELLED, TurnState.FAILED], ids=str
    )
    def test_after_the_end_everything_is_ignored(self, state: TurnState) -> None:
        turn = self.turn_in(state)
        before = turn.blocks
        late: list[Signal] = [
            Begun(),
            TextDelta(0, "late"),
            ToolCallReady(0),
            UsageReported(1, 1),
            END,
            ToolProgressed(0, 0.5),
            ToolFinished(0, ToolStatus.SUCCESS, ToolResult("late")),
            ApprovalGiven(0, True),
            ModelFailed(Unreachable()),
            Cancelled(),
        ]
        assert tell(turn, *late, at=9.0) == []
        assert turn.blocks == before
        assert turn.ended

    def test_a_call_can_not_be_opened_twice_or_closed_twice(self) -> None:
        turn = self.turn_in(TurnState.STREAMING)
        tell(turn, ToolCallStarted(0, "c", "clock"))
        with pytest.raises(KeyError):
            turn.receive(ToolCallStarted(0, "c", "clock"), 0.0)
        tell(turn, ToolCallReady(0))
        with pytest.raises(KeyError):
            turn.receive(ToolCallReady(0), 0.0)
        with pytest.raises(KeyError):
            turn.receive(ToolArgsDelta(0, "more"), 0.0)
        assert len(turn.blocks) == 1


class TestText:
    def test_a_text_reply(self) -> None:
        assert (
            playbook(Turn("m"))
            >> Begun()
            << TurnStarted("m")
            << RoundStarted(0)
            << CallModel(0)
            >> TextDelta(0, "Hi")
            << BlockStarted(Text(0, 0, "Hi"))
            >> TextDelta(0, " there")
            << TextAppended(0, " there")
            >> Wait(2)
            >> END
            << BlockEnded(Text(0, 0, "Hi there"))
            << EndTurn(MessageState.DONE)
            << TurnEnded(MessageState.DONE, 2.0)
        )

    def test_thinking_is_separate_and_keeps_its_duration_and_its_opaque_part(self) -> None:
        assert (
            playbook(Turn("m"), see=BLOCKS)
            >> Begun()
            >> Wait(1)
            >> ThinkingDelta(0, "Hm")
            << BlockStarted(Thinking(0, 0, "Hm", started=1.0))
            >> ThinkingDelta(0, "m")
            << TextAppended(0, "m")
            >> ThinkingDelta(0, "", "sig")
            << BlockChanged(Thinking(0, 0, "Hmm", "sig", started=1.0))
            >> Wait(3)
            >> TextDelta(1, "Yes.")
            << BlockEnded(Thinking(0, 0, "Hmm", "sig", started=1.0, ended=4.0))
            << BlockStarted(Text(1, 0, "Yes."))
            >> END
            << BlockEnded(Text(1, 0, "Yes."))
        )

    def test_thinking_with_only_an_opaque_part_is_kept(self) -> None:
        """Anthropic's redacted thinking must be sent back although it has no text."""
        turn = Turn("m")
        tell(turn, Begun(), ThinkingDelta(0, "", "secret"), TextDelta(1, "Yes."), END)
        assert turn.blocks[0] == Thinking(0, 0, "", "secret", started=0.0, ended=0.0)

    def test_the_parts_of_a_response_are_distinguished_by_kind_and_index(self) -> None:
        turn = Turn("m")
        tell(turn, Begun(), TextDelta(0, "a"), TextDelta(1, "b"), ThinkingDelta(1, "c"))
        tell(turn, RefusalDelta(1, "no"), TextDelta(1, "d"), END)
        assert turn.blocks == (
            Text(0, 0, "a"),
            Text(1, 0, "b"),
            Thinking(2, 0, "c", started=0.0, ended=0.0),
            Text(3, 0, "no", refusal=True),
            Text(4, 0, "d"),
        )

    def test_white_space_alone_makes_no_block(self) -> None:
        assert (
            playbook(Turn("m"), see=BLOCKS)
            >> Begun()
            >> ThinkingDelta(0, "\n")
            >> ThinkingDelta(0, "\n")
            >> TextDelta(1, "\n")
            >> TextDelta(1, " \n")
            >> TextDelta(1, "Hi")
            << BlockStarted(Text(0, 0, "\n \nHi"))
            >> TextDelta(2, " \n")
            >> TextDelta(1, "!")
            << TextAppended(0, "!")
            >> END
            << BlockEnded(Text(0, 0, "\n \nHi!"))
        )

    def test_white_space_between_calls_makes_no_block(self) -> None:
        turn = Turn("m")
        tell(turn, Begun(), TextDelta(0, "Look:"), *call(1), TextDelta(0, "\n\n"), *call(2))
        assert [type(block) for block in turn.blocks] == [Text, ToolUse, ToolUse]

    def test_text_after_a_call_is_a_block_of_its_own(self) -> None:
        turn = Turn("m")
        tell(turn, Begun(), TextDelta(0, "a"), *call(1), TextDelta(0, "b"), TOOLS)
        assert turn.blocks[0] == Text(0, 0, "a")
        assert turn.blocks[2] == Text(2, 0, "b")

    def test_empty_deltas_have_no_effect(self) -> None:
        assert (
            playbook(Turn("m"), see=BLOCKS)
            >> Begun()
            >> TextDelta(0, "")
            >> TextDelta(0, "a")
            << BlockStarted(Text(0, 0, "a"))
            >> TextDelta(0, "")
            >> TextDelta(0, "b")
            << TextAppended(0, "b")
        )

    def test_a_retry_of_the_client_is_announced(self) -> None:
        assert (
            playbook(Turn("m"))
            >> Begun()
            << TurnStarted("m")
            << RoundStarted(0)
            << CallModel(0)
            >> RetryAnnounced(1, 2.5, "rate_limited")
            << RetryAnnounced(1, 2.5, "rate_limited")
        )

    def test_a_cue_is_no_part_of_the_text(self) -> None:
        text = Text(0, 0, "a")
        assert (
            playbook(Turn("m"))
            >> Begun()
            << TurnStarted("m")
            << RoundStarted(0)
            << CallModel(0)
            >> TextDelta(0, "a")
            << BlockStarted(text)
            >> CueReached(CueKind.MOTION, "Wave")
            << CueReached(CueKind.MOTION, "Wave")
            >> TextDelta(0, "b")
            << TextAppended(0, "b")
        )

    def test_the_description_of_pictures_is_announced_and_reported(self) -> None:
        notice = Notice(0, 0, "picture_unseen", detail="nobody", actions=(Action.OPEN_SETTINGS,))
        assert (
            playbook(Turn("m"))
            >> Begun()
            << TurnStarted("m")
            << RoundStarted(0)
            << CallModel(0)
            >> DescriptionAnnounced(2)
            << DescriptionAnnounced(2)
            >> PictureDescribed("d", "a cat")
            << PictureDescribed("d", "a cat")
            >> DescriptionFailed(PictureNotDescribed("nobody"))
            << BlockStarted(notice)
            << BlockEnded(notice)
            >> TextDelta(0, "Pity.")
            << BlockStarted(Text(1, 0, "Pity."))
        )

    def test_the_loading_of_a_model_is_announced(self) -> None:
        assert (
            playbook(Turn("m"), see=(LoadingAnnounced,))
            >> Begun()
            >> LoadingAnnounced("tiny")
            << LoadingAnnounced("tiny")
            >> LoadingAnnounced("tiny", ready=True)
            << LoadingAnnounced("tiny", ready=True)
        )

    def test_blocks_and_events_agree_at_every_moment(self) -> None:
        turn = Turn("m")
        tell(turn, Begun(), TextDelta(0, "a"), TextDelta(0, "b"))
        assert turn.blocks == (Text(0, 0, "ab"),)
        tell(turn, TextDelta(0, "c"))
        assert turn.blocks == (Text(0, 0, "abc"),)


class TestModel:
    def test_a_different_model_than_requested_is_reported_once(self) -> None:
        assert (
            playbook(Turn("m", model="big"), see=(ModelChosen,))
            >> Begun()
            >> ModelNamed("big")
            >> ToolCallStarted(0, "c", "clock")
            >> ToolCallReady(0)
            >> TOOLS
            >> ToolFinished(0, ToolStatus.SUCCESS, ToolResult("9"))
            >> ModelNamed("small")
            << ModelChosen("small")
            >> ModelNamed("small")
            >> TextDelta(0, "Nine.")
            >> END
        )


class TestUsage:
    def test_the_last_report_of_a_round_counts_and_rounds_are_added_up(self) -> None:
        assert (
            playbook(Turn("m"), see=(UsageChanged,))
            >> Begun()
            >> UsageReported(100, 1)
            >> UsageReported(100, 5, 20, 3)
            >> ToolCallStarted(0, "c", "clock")
            >> ToolCallReady(0)
            >> TOOLS
            << UsageChanged(Usage(100, 5, 20, 3, 105))
            >> ToolFinished(0, ToolStatus.SUCCESS, ToolResult("9"))
            >> UsageReported(200, 7)
            >> TextDelta(0, "Nine.")
            >> END
            << UsageChanged(Usage(300, 12, 20, 3, 207))
        )

    def test_without_a_report_there_is_no_usage(self) -> None:
        turn = Turn("m")
        tell(turn, Begun(), TextDelta(0, "Hi"), END)
        assert turn.usage is None

    @pytest.mark.parametrize("end", [Cancelled(), ModelFailed(StreamBroken())], ids=["stop", "cut"])
    def test_usage_that_was_reported_before_a_failure_counts(self, end: Signal) -> None:
        turn = Turn("m", usage=Usage(10, 10))
        tell(turn, Begun(), UsageReported(5, 1), end)
        assert turn.usage == Usage(15, 11, context_tokens=6)


class TestResuming:
    CUT = (
        Text(0, 0, "Once"),
        Notice(1, 0, "stream_broken", actions=(Action.CONTINUE, Action.RETRY)),
    )

    def test_continue_starts_the_next_round_and_resolves_the_notice(self) -> None:
        assert (
            playbook(Turn("m", blocks=self.CUT))
            >> Begun()
            << TurnStarted("m", resumed=True)
            << BlockChanged(
                Notice(1, 0, "stream_broken", {}, "", (Action.CONTINUE, Action.RETRY), True)
            )
            << RoundStarted(1)
            << CallModel(1)
            >> TextDelta(0, " upon")
            << BlockStarted(Text(2, 1, " upon"))
        )

    def test_retry_drops_the_text_of_the_failed_round(self) -> None:
        assert (
            playbook(Turn("m", blocks=self.CUT))
            >> Begun(keep=0)
            << TurnStarted("m", resumed=True)
            << BlocksRemoved(0)
            << RoundStarted(0)
            << CallModel(0)
        )

    def test_keeping_everything_removes_nothing(self) -> None:
        book = playbook(Turn("m", blocks=self.CUT), see=(BlocksRemoved, RoundStarted))
        assert book >> Begun(keep=2) << RoundStarted(1)

    def test_a_resolved_notice_is_unchanged(self) -> None:
        notice = Notice(0, 0, "round_limit", resolved=True)
        turn = Turn("m", blocks=[notice])
        assert playbook(turn, see=(BlockChanged,)) >> Begun()
        assert turn.blocks == (notice,)

    def test_a_call_that_a_crash_left_open_is_interrupted_and_never_run(self) -> None:
        left = ToolUse(0, 0, "c", "clock", "{}", {}, ToolStatus.QUEUED)
        assert (
            playbook(Turn("m", SPECS, blocks=[left]), see=(*COMMANDS, BlockEnded))
            >> Begun()
            << card(0, ToolStatus.INTERRUPTED)
            << CallModel(1)
            >> ToolCallStarted(0, "d", "clock")
            >> ToolCallReady(0)
            >> TOOLS
            << RunTool(1, "clock", {})
            >> ToolFinished(1, ToolStatus.SUCCESS, ToolResult("9"))
            << card(1, ToolStatus.SUCCESS)
            << CallModel(2)
        )

    def test_usage_and_rounds_continue_while_limits_start_again(self) -> None:
        blocks = (Text(0, 4, "a"), Notice(1, 4, "round_limit"))
        turn = Turn("m", blocks=blocks, usage=Usage(7, 7), limits=TurnLimits(rounds=1))
        tell(turn, Begun(), UsageReported(1, 1), *call(0), TOOLS)
        assert (turn.round, turn.usage) == (5, Usage(8, 8, context_tokens=2))
        tell(turn, ToolFinished(2, ToolStatus.SUCCESS, ToolResult("9")))
        assert turn.state is TurnState.FAILED


class TestBadEnds:
    @pytest.mark.parametrize(
        ("end", "code"),
        [
            (END, "empty_reply"),
            (ResponseFinished(StopReason.LENGTH, "length"), "length_limit"),
        ],
    )
    def test_an_empty_response(self, end: ResponseFinished, code: str) -> None:
        assert (
            playbook(Turn("m"), see=(EndTurn, BlockStarted))
            >> Begun()
            >> ThinkingDelta(0, "\n")
            >> TextDelta(1, " \n")
            >> end
            << Note(code)
            << EndTurn(MessageState.LIMITED)
        )

    def test_thinking_alone_is_an_empty_reply(self) -> None:
        turn = Turn("m")
        tell(turn, Begun(), ThinkingDelta(0, "Hm"), END)
        assert turn.blocks[1] == Notice(1, 0, "empty_reply", actions=(Action.RETRY,))
        assert turn.blocks[0] == Thinking(0, 0, "Hm", started=0.0, ended=0.0)

    def test_no_text_after_tools_is_a_normal_end(self) -> None:
        turn = Turn("m")
        tell(
            turn,
            Begun(),
            *call(0),
            TOOLS,
            ToolFinished(0, ToolStatus.SUCCESS, ToolResult("9")),
            END,
        )
        assert turn.state is TurnState.DONE

    def test_the_length_limit_offers_to_continue(self) -> None:
        turn = Turn("m")
        tell(turn, Begun(), TextDelta(0, "Once upon"), ResponseFinished(StopReason.LENGTH))
        assert turn.blocks[1] == Notice(1, 0, "length_limit", actions=(Action.CONTINUE,))

    def test_the_content_filter_is_a_failure_with_the_providers_reason(self) -> None:
        assert (
            playbook(Turn("m"), see=(EndTurn, BlockEnded))
            >> Begun()
            >> TextDelta(0, "I")
            >> ResponseFinished(StopReason.FILTER, "SAFETY")
            << BlockEnded(Text(0, 0, "I"))
            << BlockEnded(Notice(1, 0, "refused", {}, "SAFETY", (Action.RETRY,)))
            << EndTurn(MessageState.FAILED)
        )

    def test_text_that_turns_out_to_be_thinking(self) -> None:
        turn = Turn("m")
        tell(
            turn, Begun(), TextDelta(0, "Hm"), TextDelta(0, "."), TextRetracted(0), TextRetracted(0)
        )
        tell(turn, TextDelta(1, "Yes."), ResponseFinished(StopReason.END))
        assert [type(block) for block in turn.blocks] == [Thinking, Text]
        assert [block.text for block in turn.blocks if isinstance(block, Thinking | Text)] == [
            "Hm.",
            "Yes.",
        ]

    def test_omitted_tools_are_reported_after_the_answer(self) -> None:
        turn = Turn("m")
        tell(turn, Begun(), TextDelta(0, "Hi"), ToolsDropped(ToolsUnsupported("no")))
        tell(turn, ResponseFinished(StopReason.END))
        notice = turn.blocks[-1]
        assert isinstance(notice, Notice)
        assert (turn.state, notice.code) == (TurnState.DONE, "tools_unsupported")

    def test_missing_memory_is_reported_below_the_answer(self) -> None:
        missed = RepliedWithoutMemory(Reason("Not ready within {limit} ms.", {"limit": "300"}))
        turn = Turn("m")
        tell(
            turn,
            Begun(),
            MemoryReported(missed),
            TextDelta(0, "Hi"),
            ResponseFinished(StopReason.END),
        )
        notice = turn.blocks[-1]
        assert isinstance(notice, Notice)
        assert (turn.state, notice.code) == (TurnState.DONE, "memory_missed")
        assert notice.actions == (Action.ASK_AGAIN,)
        assert notice.params["limit"] == "300"

    def test_memory_that_came_with_a_later_request_is_not_missing(self) -> None:
        turn = Turn("m")
        tell(turn, Begun(), MemoryReported(RepliedWithoutMemory(Reason("x"))), MemoryReported(None))
        tell(turn, TextDelta(0, "Hi"), ResponseFinished(StopReason.END))
        assert [type(block) for block in turn.blocks] == [Text]

    def test_thinking_that_turns_out_to_be_text(self) -> None:
        turn = Turn("m")
        tell(
            turn,
            Begun(),
            TextDelta(0, "a "),
            ThinkingDelta(1, "b"),
            ThinkingRetracted(1, "<think>"),
        )
        tell(turn, ResponseFinished(StopReason.END))
        assert turn.blocks == (Text(0, 0, "a <think>b"),)

    def test_a_reply_may_be_a_picture_alone(self) -> None:
        turn = Turn("m")
        tell(
            turn, Begun(), PictureReceived(0, b"cat", "image/png"), ResponseFinished(StopReason.END)
        )
        assert turn.state is TurnState.DONE
        assert [type(block) for block in turn.blocks] == [Image]

    def test_a_malformed_call_has_a_message_of_its_own(self) -> None:
        turn = Turn("m")
        tell(turn, Begun(), ResponseFinished(StopReason.MALFORMED, "MALFORMED_FUNCTION_CALL"))
        notice = turn.blocks[-1]
        assert isinstance(notice, Notice)
        assert (turn.state, notice.code) == (TurnState.FAILED, "call_malformed")

    def test_an_unknown_stop_reason_is_named(self) -> None:
        turn = Turn("m")
        tell(turn, Begun(), TextDelta(0, "Hi"), ResponseFinished(StopReason.OTHER, "because"))
        assert turn.state is TurnState.LIMITED
        notice = turn.blocks[-1]
        assert isinstance(notice, Notice)
        assert (notice.code, notice.params) == ("stopped_short", {"reason": "because"})
        assert notice.actions == (Action.CONTINUE,)

    def test_a_failure_keeps_the_received_text_and_reports_the_error(self) -> None:
        error = Unreachable("No route", host="there")
        assert (
            playbook(Turn("m"))
            >> Begun()
            << TurnStarted("m")
            << RoundStarted(0)
            << CallModel(0)
            >> TextDelta(0, "Once")
            << BlockStarted(Text(0, 0, "Once"))
            >> UsageReported(3, 1)
            >> Wait(1)
            >> ModelFailed(error)
            << BlockEnded(Text(0, 0, "Once"))
            << UsageChanged(Usage(3, 1, context_tokens=4))
            << BlockStarted(
                Notice(1, 0, "unreachable", {"host": "there"}, "No route", error.actions)
            )
            << Note("unreachable", ended=True)
            << EndTurn(MessageState.FAILED)
            << TurnEnded(MessageState.FAILED, 1.0)
        )

    def test_a_failure_closes_open_calls_and_thinking(self) -> None:
        turn = Turn("m", [ToolSpec("wave", "Wave.", eager=True)])
        tell(turn, Begun(), *call(0, "wave"), *call(1), ToolCallStarted(2, "", "clock"))
        tell(turn, ThinkingDelta(3, "Hm"), ModelFailed(StreamBroken()), at=5.0)
        cards = [block for block in turn.blocks if isinstance(block, ToolUse)]
        assert [c.status for c in cards] == [ToolStatus.INTERRUPTED] * 3
        assert [c.ended for c in cards] == [5.0] * 3
        assert turn.blocks[3] == Thinking(3, 0, "Hm", started=5.0, ended=5.0)

    def test_stop_before_the_beginning(self) -> None:
        assert (
            playbook(Turn("m"))
            >> Cancelled()
            << EndTurn(MessageState.CANCELLED)
            << TurnEnded(MessageState.CANCELLED, 0.0)
            >> Begun()
        )

    def test_stop_while_it_streams(self) -> None:
        assert (
            playbook(Turn("m"), see=(*COMMANDS, BlockEnded))
            >> Begun()
            << CallModel(0)
            >> TextDelta(0, "Once")
            >> ToolCallStarted(1, "c", "clock")
            << BlockEnded(Text(0, 0, "Once"))
            >> ToolArgsDelta(1, '{"a"')
            >> Cancelled()
            << card(1, ToolStatus.CANCELLED, raw_arguments='{"a"', arguments=None)
            << EndTurn(MessageState.CANCELLED)
            >> TextDelta(0, "late")
        )

    def test_stop_while_tools_run_and_wait(self) -> None:
        assert (
            playbook(
                Turn("m", SPECS, policy=AskFor("write"), limits=TurnLimits(parallel=8)),
                see=(*COMMANDS, BlockEnded),
            )
            >> Begun()
            << CallModel(0)
            >> ToolCallStarted(0, "c0", "clock")
            >> ToolCallReady(0)
            >> ToolCallStarted(1, "c1", "write")
            >> ToolCallReady(1)
            >> TOOLS
            << RunTool(0, "clock", {})
            << AskApproval(1, "write", {})
            >> Wait(3)
            >> Cancelled()
            << card(0, ToolStatus.CANCELLED, ended=3.0)
            << card(1, ToolStatus.CANCELLED, ended=3.0)
            << EndTurn(MessageState.CANCELLED)
            >> ToolFinished(0, ToolStatus.SUCCESS, ToolResult("9"))
            >> ApprovalGiven(1, True)
        )

    def test_with_many_parallel_calls_some_wait(self) -> None:
        turn = Turn("m", SPECS, limits=TurnLimits(parallel=8))
        calls = [one for n in range(20) for one in call(n, json=f'{{"n": {n}}}')]
        ran = [
            output.index
            for signal in (Begun(), *calls, TOOLS)
            for output in turn.receive(signal, 1.0)
            if isinstance(output, RunTool)
        ]
        assert ran == [*range(MOST_PARALLEL_CALLS)]
        for index in range(20):
            done = ToolFinished(index, ToolStatus.SUCCESS, ToolResult("9"))
            outputs = turn.receive(done, 2.0)
            ran += [output.index for output in outputs if isinstance(output, RunTool)]
        assert ran == [*range(20)]
        assert CallModel(1) in outputs


class Counted(str):
    """Text that counts the characters of each `+`."""

    copied = 0

    def __radd__(self, other: str) -> str:
        Counted.copied += len(other)
        return str.__add__(other, self)

    def __add__(self, other: str) -> str:
        Counted.copied += len(self)
        return str.__add__(self, other)


@contextmanager
def joins() -> Iterator[list[object]]:
    """Count the calls of `str.join` in the block."""
    seen: list[object] = []

    def note(frame: object, event: str, function: object) -> None:
        if event == "c_call" and getattr(function, "__name__", "") == "join":
            seen.append(function)

    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(None)


class TestCost:
    """A delta costs the same at any length: operations are counted, time isn't measured."""

    @pytest.mark.parametrize("kind", [TextDelta, ThinkingDelta, ToolArgsDelta])
    def test_growing_text_is_neither_copied_nor_joined_until_it_is_read(
        self, kind: type[TextDelta] | type[ThinkingDelta] | type[ToolArgsDelta]
    ) -> None:
        turn = Turn("m")
        tell(turn, Begun(), ToolCallStarted(0, "c", "clock"), kind(0, "x" * 1000))
        Counted.copied = 0
        with joins() as made:
            for _ in range(1000):
                assert len(turn.receive(kind(0, Counted("abcd")), 0.0)) == 1
        assert (Counted.copied, len(made)) == (0, 0)
        with joins() as made:
            block = turn.blocks[-1]
        assert len(made) == 1
        text = block.raw_arguments if isinstance(block, ToolUse) else block.text  # type: ignore
        assert len(text) == 5000

    def test_the_counters_count(self) -> None:
        before = Counted.copied
        with joins() as made:
            assert "abc" + Counted("d") == "".join(["abc", "d"])
            assert Counted("ab") + "c" == "abc"
        assert (Counted.copied, len(made)) == (before + 5, 1)


class TestGoingOnInCode:
    """A reply that was cut inside code continues in it."""

    CODE = "Here:\n\n```python\nreturn"

    def book(self, *blocks: Block) -> playbook:
        see = (BlockStarted, BlockChanged, BlockEnded, TextAppended)
        return playbook(Turn("m", SPECS, blocks=blocks or (Text(0, 0, self.CODE),)), see=see)

    def test_the_text_continues_where_it_was_cut(self) -> None:
        whole = f"{self.CODE} 5\n```\n\nDone."
        assert (
            self.book()
            >> Begun()
            >> TextDelta(0, " 5")
            << BlockChanged(Text(0, 0, self.CODE))
            << TextAppended(0, " 5")
            >> TextDelta(0, "\n```\n\nDone.")
            << TextAppended(0, "\n```\n\nDone.")
            >> ResponseFinished(StopReason.END)
            << BlockEnded(Text(0, 0, whole))
        )

    def test_earlier_thinking_comes_after_it(self) -> None:
        thought = Thinking(1, 1, "hm", started=0.0)
        assert (
            self.book()
            >> Begun()
            >> ThinkingDelta(0, "hm")
            << BlockStarted(thought)
            >> TextDelta(1, " 5")
            << BlockEnded(replace(thought, ended=0.0))
            << BlockChanged(Text(0, 0, self.CODE))
            << TextAppended(0, " 5")
            >> Cancelled()
            << BlockEnded(Text(0, 0, f"{self.CODE} 5"))
        )

    def test_a_notice_in_between_is_ignored(self) -> None:
        cut = Notice(1, 0, "length_limit", resolved=True)
        book = self.book(Text(0, 0, self.CODE), cut) >> Begun() >> TextDelta(0, " 5")
        assert book << BlockChanged(Text(0, 0, self.CODE)) << TextAppended(0, " 5")

    def test_white_space_waits_for_the_next_word(self) -> None:
        turn = Turn("m", blocks=[Text(0, 0, self.CODE)])
        tell(turn, Begun(), TextDelta(0, "\n"), TextDelta(0, "    "))
        assert turn.blocks == (Text(0, 0, self.CODE),)
        tell(turn, TextDelta(0, "5"), ResponseFinished(StopReason.END))
        assert turn.blocks == (Text(0, 0, f"{self.CODE}\n    5"),)

    @pytest.mark.parametrize("pieces", [("```\nDone.",), ("`", "``", "\n", "Done.")])
    def test_a_fence_that_closes_has_a_line_of_its_own(self, pieces: tuple[str, ...]) -> None:
        turn = Turn("m", blocks=[Text(0, 0, self.CODE)])
        tell(
            turn, Begun(), *(TextDelta(0, one) for one in pieces), ResponseFinished(StopReason.END)
        )
        assert turn.blocks == (Text(0, 0, f"{self.CODE}\n```\nDone."),)

    @pytest.mark.parametrize("pieces", [("```python\n", "return 5\n```"), ("```py", "thon\nx")])
    def test_newly_opened_code_closes_the_code_that_was_cut(self, pieces: tuple[str, ...]) -> None:
        turn = Turn("m", blocks=[Text(0, 0, self.CODE)])
        tell(
            turn, Begun(), *(TextDelta(0, one) for one in pieces), ResponseFinished(StopReason.END)
        )
        assert turn.blocks == (Text(0, 0, f"{self.CODE}\n```"), Text(1, 1, "".join(pieces)))

    @pytest.mark.parametrize(
        "end", [ResponseFinished(StopReason.END), Cancelled()], ids=["end", "stop"]
    )
    def test_text_that_is_held_at_the_end_is_kept(self, end: Signal) -> None:
        turn = Turn("m", blocks=[Text(0, 0, self.CODE)])
        tell(turn, Begun(), TextDelta(0, "``"), TextDelta(0, "`"), end)
        assert turn.blocks == (Text(0, 0, f"{self.CODE}\n```"),)

    def test_text_that_is_held_before_a_call_is_kept_too(self) -> None:
        turn = Turn("m", SPECS, blocks=[Text(0, 0, self.CODE)])
        tell(turn, Begun(), TextDelta(0, "\n```"), ToolCallStarted(1, "c", "clock"))
        assert turn.blocks[0] == Text(0, 0, f"{self.CODE}\n```")
        assert isinstance(turn.blocks[1], ToolUse)

    def test_text_that_becomes_thinking_leaves_the_code_unchanged(self) -> None:
        turn = Turn("m", blocks=[Text(0, 0, self.CODE)])
        tell(turn, Begun(), TextDelta(0, "hm"), TextRetracted(0), TextDelta(0, " 5"))
        thought = Thinking(1, 1, "hm", started=0.0, ended=0.0)
        assert turn.blocks == (Text(0, 0, self.CODE), thought, Text(2, 1, " 5"))

    @pytest.mark.parametrize(
        "blocks",
        [
            (Text(0, 0, "Once"),),
            (Text(0, 0, "```\nx\n```\n"),),
            (Text(0, 0, "```\nno", refusal=True),),
            (Text(0, 0, "```\nx"), ToolUse(1, 0, "c", "clock", status=ToolStatus.CANCELLED)),
        ],
        ids=["prose", "closed", "refusal", "a call since"],
    )
    def test_other_text_is_a_block_of_its_own(self, blocks: tuple[Block, ...]) -> None:
        turn = Turn("m", SPECS, blocks=blocks)
        tell(turn, Begun(), TextDelta(0, " upon"))
        assert turn.blocks[-1] == Text(len(blocks), 1, " upon")
        assert turn.blocks[0] == blocks[0]
