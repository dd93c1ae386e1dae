"""One turn as a transcript: calls, eager, serial and parallel tools, approvals, limits."""

import pytest

from neodeskpet.core.approval import DEFAULT_POLICY, ApprovalPolicy
from neodeskpet.core.attachments import Picture
from neodeskpet.core.blocks import MessageState, Notice, Text, ToolStatus, ToolUse
from neodeskpet.core.errors import Action, InvalidArguments
from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.tool_result import CallPreview, ResultImage, ShownDiff, ShownList, ToolResult
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.core.turn.signals import (
    ApprovalGiven,
    AskApproval,
    Begun,
    CallModel,
    CallPreviewed,
    Cancelled,
    EndTurn,
    RunTool,
    Signal,
    ToolFinished,
    ToolProgressed,
    ToolsOffered,
)
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockChanged,
    BlockEnded,
    BlockStarted,
    RoundStarted,
    TextAppended,
    TurnEnded,
    TurnStarted,
)
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.core.turn.turn_states import TurnState
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
)
from tests.support.playbook import Note, Wait, card, playbook
from tests.support.policies import AskFor

SPECS = (
    ToolSpec("clock", "The time."),
    ToolSpec("write", "Write."),
    ToolSpec("live2d.motion", "Move.", eager=True),
)
CARDS = (RunTool, AskApproval, CallModel, EndTurn, BlockEnded)
COMMANDS = (RunTool, AskApproval, CallModel, EndTurn)
DONE, END = ToolStatus.SUCCESS, ResponseFinished(StopReason.END)
TOOLS = ResponseFinished(StopReason.TOOLS)


def begun(*calls: tuple[str, str], ended: bool = True, **options: object) -> Turn:
    """Start a turn whose first reply made these calls (name, arguments)."""
    turn = Turn("m", SPECS, **options)  # type: ignore[arg-type]
    signals: list[Signal] = [Begun()]
    for index, (name, json) in enumerate(calls):
        signals += [ToolCallStarted(index, f"c{index}", name), ToolArgsDelta(index, json)]
        signals.append(ToolCallReady(index))
    for signal in [*signals, TOOLS] if ended else signals:
        turn.receive(signal, 0.0)
    return turn


def tools_of(turn: Turn) -> list[ToolUse]:
    return [block for block in turn.blocks if isinstance(block, ToolUse)]


class TestCard:
    def test_a_call_from_its_first_letter_to_the_next_round(self) -> None:
        made = ToolUse(1, 0, "c1", "clock", started=1.0)
        assert (
            playbook(Turn("m", SPECS))
            >> Begun()
            << TurnStarted("m")
            << RoundStarted(0)
            << CallModel(0)
            >> TextDelta(0, "Let me look.")
            << BlockStarted(Text(0, 0, "Let me look."))
            >> Wait(1)
            >> ToolCallStarted(1, "c1", "clock")
            << BlockEnded(Text(0, 0, "Let me look."))
            << BlockStarted(made)
            >> ToolArgsDelta(1, '{"zone":')
            << ArgumentsAppended(1, '{"zone":')
            >> ToolArgsDelta(1, "")
            >> ToolArgsDelta(1, '"UTC"}')
            << ArgumentsAppended(1, '"UTC"}')
            >> ToolCallReady(1)
            << card(1, ToolStatus.QUEUED, arguments={"zone": "UTC"}, raw_arguments='{"zone":"UTC"}')
            >> Wait(1)
            >> TOOLS
            << card(1, ToolStatus.RUNNING, started=2.0, ended=None)
            << RunTool(1, "clock", {"zone": "UTC"})
            >> ToolProgressed(1, 0.5, "half")
            << card(1, ToolStatus.RUNNING, progress=0.5, progress_text="half")
            >> Wait(1)
            >> ToolFinished(1, DONE, ToolResult("noon"))
            << card(1, DONE, output="noon", error="", started=2.0, ended=3.0)
            << RoundStarted(1)
            << CallModel(1)
            >> TextDelta(0, "Noon.")
            << BlockStarted(Text(2, 1, "Noon."))
            >> END
            << BlockEnded(Text(2, 1, "Noon."))
            << EndTurn(MessageState.DONE)
            << TurnEnded(MessageState.DONE, 3.0)
        )

    def test_the_provider_s_opaque_part_stays_on_the_call(self) -> None:
        turn = Turn("m")
        turn.receive(Begun(), 0.0)
        turn.receive(ToolCallStarted(0, "c", "clock", opaque="sig"), 0.0)
        assert tools_of(turn)[0].opaque == "sig"

    def test_a_call_without_an_id_gets_one_that_is_unique_in_the_message(self) -> None:
        turn = Turn("m", SPECS)
        for signal in (
            Begun(),
            ToolCallStarted(0, "", "clock"),
            ToolCallReady(0),
            ToolCallStarted(1, "", "clock"),
            ToolCallReady(1),
            TOOLS,
            ToolFinished(0, DONE, ToolResult("9")),
            ToolFinished(1, DONE, ToolResult("9")),
            ToolCallStarted(0, "", "clock"),
        ):
            turn.receive(signal, 0.0)
        ids = [call.call_id for call in tools_of(turn)]
        assert ids == ["call_1_0", "call_1_1", "call_2_0"]

    def test_wire_names_are_converted_back(self) -> None:
        turn = begun(("live2d_motion", "{}"), ("default_api:clock", "{}"), ("nonsense", "{}"))
        names = [call.name for call in tools_of(turn)]
        assert names == ["live2d.motion", "clock", "nonsense"]

    @pytest.mark.parametrize("status", [ToolStatus.ERROR, ToolStatus.CANCELLED, ToolStatus.DENIED])
    def test_a_failed_tool_gives_a_reason_and_the_turn_continues(self, status: ToolStatus) -> None:
        assert (
            playbook(begun(("clock", "{}")), see=CARDS)
            >> ToolFinished(0, status, ToolResult("why"))
            << card(0, status, output="", error="why")
            << CallModel(1)
        )


class TestOrder:
    def test_serial_calls_run_one_after_another(self) -> None:
        turn = begun(("clock", '{"n":1}'), ("clock", '{"n":2}'), ended=False)
        assert (
            playbook(turn, see=COMMANDS)
            >> TOOLS
            << RunTool(0, "clock", {"n": 1})
            >> ToolFinished(0, ToolStatus.ERROR, ToolResult("no"))
            << RunTool(1, "clock", {"n": 2})
            >> ToolFinished(1, DONE, ToolResult("9"))
            << CallModel(1)
        )

    def test_parallel_calls_run_together(self) -> None:
        turn = begun(
            ("clock", '{"n":1}'), ("clock", '{"n":2}'), ended=False, limits=TurnLimits(parallel=8)
        )
        assert (
            playbook(turn, see=COMMANDS)
            >> TOOLS
            << RunTool(0, "clock", {"n": 1})
            << RunTool(1, "clock", {"n": 2})
            >> ToolFinished(1, DONE, ToolResult("9"))
            >> ToolFinished(0, DONE, ToolResult("9"))
            << CallModel(1)
        )

    def test_an_eager_tool_runs_in_the_middle_of_the_reply(self) -> None:
        assert (
            playbook(Turn("m", SPECS), see=(*CARDS, TextAppended, BlockStarted))
            >> Begun()
            << CallModel(0)
            >> TextDelta(0, "Hey")
            << BlockStarted(Text(0, 0, "Hey"))
            >> ToolCallStarted(1, "c1", "live2d_motion")
            << BlockEnded(Text(0, 0, "Hey"))
            << card(1, ToolStatus.WRITING, name="live2d.motion")
            >> ToolArgsDelta(1, '{"group":"Wave"}')
            >> ToolCallReady(1)
            << RunTool(1, "live2d.motion", {"group": "Wave"})
            >> TextDelta(0, " you")
            << BlockStarted(Text(2, 0, " you"))
            >> ToolFinished(1, DONE, ToolResult("ok"))
            << card(1, DONE, output="ok")
            >> TextDelta(0, "!")
            << TextAppended(2, "!")
            >> TOOLS
            << BlockEnded(Text(2, 0, " you!"))
            << CallModel(1)
        )

    def test_an_eager_tool_that_still_runs_delays_the_others(self) -> None:
        turn = begun(("live2d.motion", "{}"), ("clock", "{}"), ended=False)
        assert (
            playbook(turn, see=COMMANDS)
            >> TOOLS
            >> ToolFinished(0, DONE, ToolResult("ok"))
            << RunTool(1, "clock", {})
            >> ToolFinished(1, DONE, ToolResult("9"))
            << CallModel(1)
        )

    def test_an_eager_tool_that_must_be_allowed_waits_for_the_end_of_the_reply(self) -> None:
        assert (
            playbook(Turn("m", SPECS, policy=AskFor("live2d.motion")), see=COMMANDS)
            >> Begun()
            << CallModel(0)
            >> ToolCallStarted(0, "c0", "live2d.motion")
            >> ToolCallReady(0)
            >> TOOLS
            << AskApproval(0, "live2d.motion", {})
        )

    def test_thinking_between_calls_stays_where_it_was(self) -> None:
        turn = begun(("clock", "{}"), ended=False)
        turn.receive(ThinkingDelta(5, "And now?"), 0.0)
        turn.receive(ToolCallStarted(6, "c6", "clock"), 0.0)
        assert [type(b).__name__ for b in turn.blocks] == ["ToolUse", "Thinking", "ToolUse"]


class TestArguments:
    def test_unreadable_calls_are_not_run_and_are_reported_to_the_model(self) -> None:
        assert (
            playbook(Turn("m", SPECS), see=CARDS)
            >> Begun()
            << CallModel(0)
            >> ToolCallStarted(0, "c0", "live2d.motion")
            >> ToolArgsDelta(0, '{"group": Wave}')
            >> ToolCallReady(0)
            << card(0, ToolStatus.ERROR, arguments=None, raw_arguments='{"group": Wave}')
            >> TOOLS
            << CallModel(1)
        )

    def test_the_reason_contains_the_received_text(self) -> None:
        reason = tools_of(begun(("clock", "[1]")))[0].error
        assert reason == "The arguments are not valid. A JSON object is required. Received: [1]"

    def test_a_call_that_was_never_closed_is_not_run(self) -> None:
        assert (
            playbook(Turn("m", SPECS), see=CARDS)
            >> Begun()
            << CallModel(0)
            >> ToolCallStarted(0, "c0", "clock")
            >> ToolArgsDelta(0, "{}")
            >> ToolCallStarted(1, "c1", "clock")
            >> ToolCallReady(1)
            >> TOOLS
            << card(
                0, ToolStatus.ERROR, error="The model did not complete the call, so it was not run."
            )
            << RunTool(1, "clock", {})
        )

    def test_a_call_that_was_never_closed_is_not_open_in_the_next_round(self) -> None:
        turn = Turn("m", SPECS)
        for signal in (Begun(), ToolCallStarted(0, "c0", "clock"), TOOLS):
            turn.receive(signal, 0.0)
        assert (
            playbook(turn, see=COMMANDS)
            >> ToolCallStarted(0, "c1", "clock")
            >> ToolCallReady(0)
            >> TOOLS
            << RunTool(1, "clock", {})
        )

    def test_good_calls_run_beside_a_bad_one(self) -> None:
        turn = begun(("clock", "nonsense"), ("clock", "{}"))
        assert [call.status for call in tools_of(turn)] == [ToolStatus.ERROR, ToolStatus.RUNNING]

    def test_an_unknown_tool_is_answered_with_similar_names_and_never_run_or_asked_for(
        self,
    ) -> None:
        turn = begun(("clok", "{}"), ended=False, policy=AskFor("clok"))
        assert playbook(turn, see=COMMANDS) >> TOOLS << CallModel(1)
        (call,) = tools_of(turn)
        assert call.status is ToolStatus.ERROR
        assert "no tool named clok. Did you mean clock" in call.error

    def test_calls_cut_off_by_the_length_limit_are_not_run(self) -> None:
        assert (
            playbook(begun(("clock", "{}"), ("clock", '{"n":1'), ended=False), see=CARDS)
            >> ResponseFinished(StopReason.LENGTH, "length")
            << card(0, ToolStatus.CANCELLED)
            << BlockEnded(Notice(2, 0, "length_limit", actions=(Action.CONTINUE,)))
            << EndTurn(MessageState.LIMITED)
        )

    def test_a_call_left_open_by_the_length_limit_is_not_run(self) -> None:
        turn = begun(("live2d.motion", "{}"), ended=False)
        turn.receive(ToolCallStarted(1, "c1", "clock"), 0.0)
        assert (
            playbook(turn, see=CARDS)
            >> ResponseFinished(StopReason.LENGTH)
            << card(1, ToolStatus.ERROR)
            << card(0, ToolStatus.CANCELLED)
            << Note("length_limit", ended=True)
            << EndTurn(MessageState.LIMITED)
        )

    def test_whole_calls_before_the_length_limit_run(self) -> None:
        turn = begun(("clock", "{}"), ended=False)
        assert (
            playbook(turn, see=COMMANDS)
            >> ResponseFinished(StopReason.LENGTH)
            << RunTool(0, "clock", {})
        )

    def test_a_bad_call_of_an_earlier_round_does_not_affect_this_one(self) -> None:
        turn = begun(("clock", "nonsense"), ended=False)
        assert (
            playbook(turn, see=COMMANDS)
            >> TOOLS
            << CallModel(1)
            >> ToolCallStarted(0, "c9", "clock")
            >> ToolCallReady(0)
            >> ResponseFinished(StopReason.LENGTH)
            << RunTool(1, "clock", {})
        )


class TestResults:
    CAT = Picture("d" * 64, b"cat", "image/png", "cat.png")

    def test_the_whole_result_is_in_the_call(self) -> None:
        turn = begun(("clock", "{}"))
        shown = ShownList(("a", "b"))
        turn.receive(ToolFinished(0, DONE, ToolResult("9", {"h": 9}, shown, (self.CAT,))), 1.0)
        (call,) = tools_of(turn)
        assert (call.output, call.data, call.shown) == ("9", {"h": 9}, shown)
        assert call.images == (ResultImage("d" * 64, "image/png", "cat.png"),)

    def test_a_failure_has_only_its_reason(self) -> None:
        turn = begun(("clock", "{}"))
        failed = ToolResult("no", {"h": 9}, ShownList(()), continue_=False)
        turn.receive(ToolFinished(0, ToolStatus.ERROR, failed), 1.0)
        (call,) = tools_of(turn)
        assert (call.error, call.data, call.shown, call.continue_) == ("no", None, None, True)
        assert turn.round == 1

    def test_another_round_comes_if_any_result_asks_for_it(self) -> None:
        turn = begun(("clock", "{}"), ("clock", '{"n":1}'), limits=TurnLimits(parallel=8))
        silent = ToolResult("9", continue_=False)
        assert playbook(turn, see=COMMANDS) >> ToolFinished(0, DONE, silent)
        assert (
            playbook(turn, see=COMMANDS)
            >> ToolFinished(1, DONE, ToolResult("9"))
            << CallModel(1)
            >> TextDelta(1, "Nine.")
            >> ToolCallStarted(0, "", "clock")
            >> ToolCallReady(0)
            >> TOOLS
            << RunTool(3, "clock", {})
            >> ToolFinished(3, DONE, silent)
            << EndTurn(MessageState.DONE)
        )


class TestApproval:
    ASKED = (("write", '{"path":"a"}'), ("write", '{"path":"b"}'))

    def test_an_allowed_call(self) -> None:
        assert (
            playbook(
                begun(self.ASKED[0], ended=False, policy=AskFor("write")),
                see=(*COMMANDS, BlockChanged),
            )
            >> TOOLS
            << card(0, ToolStatus.ASKING)
            << AskApproval(0, "write", {"path": "a"})
            >> ApprovalGiven(0, True)
            << card(0, ToolStatus.QUEUED)
            << card(0, ToolStatus.RUNNING)
            << RunTool(0, "write", {"path": "a"}, approved=True)
            >> ToolFinished(0, DONE, ToolResult("written"))
            << CallModel(1)
        )

    @pytest.mark.parametrize("allowed", [True, False])
    def test_the_time_that_the_user_took_is_stored(self, allowed: bool) -> None:
        turn = begun(self.ASKED[0], ended=False, policy=AskFor("write"))
        for signal, now in ((TOOLS, 10.0), (ApprovalGiven(0, allowed), 70.0)):
            list(turn.receive(signal, now))
        (call,) = tools_of(turn)
        assert (call.asked, call.answered) == (10.0, 70.0)

    def test_a_call_that_always_allows_counts_as_answered(self) -> None:
        policy = AskFor("write")
        turn = begun(*self.ASKED, ended=False, policy=policy, limits=TurnLimits(parallel=8))
        list(turn.receive(TOOLS, 10.0))
        policy.names = set()
        list(turn.receive(ApprovalGiven(0, True), 70.0))
        assert [(call.asked, call.answered) for call in tools_of(turn)] == [(10.0, 70.0)] * 2

    def test_an_edited_call(self) -> None:
        turn = begun(self.ASKED[0], policy=AskFor("write"))
        assert (
            playbook(turn, see=COMMANDS)
            >> ApprovalGiven(0, True, arguments={"path": "猫"})
            << RunTool(0, "write", {"path": "猫"}, approved=True)
        )
        (call,) = tools_of(turn)
        assert (call.arguments, call.raw_arguments) == ({"path": "猫"}, '{"path": "猫"}')

    def test_the_change_is_shown_while_it_asks(self) -> None:
        turn = begun(self.ASKED[0], policy=AskFor("write"))
        turn.receive(CallPreviewed(0, CallPreview(shown=ShownDiff("-a\n+b"))), 0.0)
        assert tools_of(turn)[0].shown == ShownDiff("-a\n+b")
        turn.receive(ApprovalGiven(0, True), 0.0)
        assert tools_of(turn)[0].shown is None
        turn.receive(CallPreviewed(0, CallPreview(shown=ShownDiff("late"))), 0.0)
        assert tools_of(turn)[0].shown is None

    def test_a_call_without_a_target_fails_without_a_question(self) -> None:
        gone = InvalidArguments("there is no note 9")
        turn = begun(self.ASKED[0], policy=AskFor("write"))
        turn.receive(CallPreviewed(0, CallPreview(error=gone)), 5.0)
        (call,) = tools_of(turn)
        assert (call.status, call.answered) == (ToolStatus.ERROR, 5.0)
        assert "no note 9" in call.error
        turn.receive(ApprovalGiven(0, True), 6.0)
        assert tools_of(turn)[0].status is ToolStatus.ERROR

    def test_denied_with_a_reason(self) -> None:
        assert (
            playbook(begun(self.ASKED[0], policy=AskFor("write")), see=CARDS)
            >> ApprovalGiven(0, False, "Not there.")
            << card(
                0,
                ToolStatus.DENIED,
                error="The user didn't allow this call. They said: Not there.",
            )
            << CallModel(1)
        )

    def test_denied_without_a_reason(self) -> None:
        turn = begun(self.ASKED[0], policy=AskFor("write"))
        turn.receive(ApprovalGiven(0, False), 0.0)
        assert tools_of(turn)[0].error == "The user didn't allow this call."

    def test_one_question_at_a_time(self) -> None:
        assert (
            playbook(begun(*self.ASKED, ended=False, policy=AskFor("write")), see=COMMANDS)
            >> TOOLS
            << AskApproval(0, "write", {"path": "a"})
            >> ApprovalGiven(0, False)
            << AskApproval(1, "write", {"path": "b"})
            >> ApprovalGiven(1, True)
            << RunTool(1, "write", {"path": "b"}, approved=True)
            >> ToolFinished(1, DONE, ToolResult(""))
            << CallModel(1)
        )

    def test_always_takes_effect_at_once(self) -> None:
        """The policy is evaluated when the call comes, not when the turn begins."""
        policy = AskFor("write")
        turn = begun(*self.ASKED, ended=False, policy=policy)
        book = playbook(turn, see=COMMANDS) >> TOOLS << AskApproval(0, "write", {"path": "a"})
        assert book
        policy.names.clear()
        assert (
            book
            >> ApprovalGiven(0, True)
            << RunTool(0, "write", {"path": "a"}, approved=True)
            >> ToolFinished(0, DONE, ToolResult(""))
            << RunTool(1, "write", {"path": "b"})
        )

    def test_always_answers_the_waiting_calls_of_the_same_tool(self) -> None:
        policy = AskFor("write")
        turn = begun(*self.ASKED, policy=policy, limits=TurnLimits(parallel=8))
        policy.names.clear()
        assert (
            playbook(turn, see=COMMANDS)
            >> ApprovalGiven(0, True)
            << RunTool(0, "write", {"path": "a"}, approved=True)
            << RunTool(1, "write", {"path": "b"})
            >> ApprovalGiven(1, False)  # Too late: it runs.
            >> ToolFinished(1, DONE, ToolResult(""))
            >> ToolFinished(0, DONE, ToolResult(""))
            << CallModel(1)
        )

    def test_a_tool_that_appears_during_the_turn_asks_too(self) -> None:
        turn = begun(("clock", "{}"), policy=DEFAULT_POLICY)
        new = ToolSpec("files.delete", "Delete.", risk=Risk.WRITE)
        turn.receive(ToolFinished(0, DONE, ToolResult("nine")), 0.0)
        assert (
            playbook(turn, see=COMMANDS)
            >> ToolsOffered([*SPECS, new])
            >> ToolCallStarted(0, "", "files_delete")
            >> ToolCallReady(0)
            >> TOOLS
            << AskApproval(1, "files.delete", {})
        )

    def test_tools_are_offered_for_one_round(self) -> None:
        with pytest.raises(KeyError):
            Turn("m").receive(ToolsOffered(SPECS), 0.0)

    def test_all_questions_at_once_when_parallel(self) -> None:
        turn = begun(
            *self.ASKED,
            ("clock", "{}"),
            ended=False,
            policy=AskFor("write"),
            limits=TurnLimits(parallel=8),
        )
        assert (
            playbook(turn, see=COMMANDS)
            >> TOOLS
            << AskApproval(0, "write", {"path": "a"})
            << AskApproval(1, "write", {"path": "b"})
            << RunTool(2, "clock", {})
            >> ApprovalGiven(1, True)
            << RunTool(1, "write", {"path": "b"}, approved=True)
            >> ToolFinished(1, DONE, ToolResult(""))
            >> ToolFinished(2, DONE, ToolResult("9"))
            >> ApprovalGiven(0, False)
            << CallModel(1)
        )

    def test_a_second_answer_changes_nothing(self) -> None:
        assert (
            playbook(begun(self.ASKED[0], policy=AskFor("write")))
            >> ApprovalGiven(0, True)
            << card(0, ToolStatus.QUEUED)
            << card(0, ToolStatus.RUNNING)
            << RunTool(0, "write", {"path": "a"}, approved=True)
            >> ApprovalGiven(0, True)
            >> ApprovalGiven(0, False)
        )


class TestLateJobs:
    def test_a_second_end_of_a_tool_changes_nothing(self) -> None:
        turn = begun(("clock", '{"n":1}'), ("clock", '{"n":2}'))
        assert (
            playbook(turn, see=CARDS)
            >> ToolFinished(0, DONE, ToolResult("one"))
            << card(0, DONE, output="one")
            << RunTool(1, "clock", {"n": 2})
            >> ToolFinished(0, ToolStatus.ERROR, ToolResult("two"))
        )

    def test_progress_of_a_call_that_does_not_run_changes_nothing(self) -> None:
        assert (
            playbook(begun(("clock", "{}"), ("write", "{}"), policy=AskFor("write")))
            >> ToolProgressed(1, 0.5)
            >> ToolFinished(0, DONE, ToolResult("one"))
            << card(0, DONE)
            << card(1, ToolStatus.ASKING)
            << AskApproval(1, "write", {})
            >> ToolProgressed(0, 0.9)
            >> ToolProgressed(1, 0.9)
        )

    def test_the_end_of_a_tool_that_has_not_started_changes_nothing(self) -> None:
        turn = begun(("clock", '{"n":1}'), ("clock", '{"n":2}'))
        assert playbook(turn) >> ToolFinished(1, DONE, ToolResult("two"))
        assert tools_of(turn)[1].status is ToolStatus.QUEUED


class TestLimits:
    def round_of(self, turn: Turn, json: str = "{}") -> list[object]:
        """Play one round with one successful call; return the events of the turn."""
        index = len(turn.blocks)
        said: list[object] = []
        for signal in (
            ToolCallStarted(0, f"c{index}", "clock"),
            ToolArgsDelta(0, json),
            ToolCallReady(0),
            TOOLS,
            ToolFinished(index, DONE, ToolResult("9")),
        ):
            said += turn.receive(signal, 0.0)
        return said

    def test_the_limit_of_rounds(self) -> None:
        turn = Turn("m", SPECS, limits=TurnLimits(rounds=3))
        turn.receive(Begun(), 0.0)
        for number in range(2):
            assert CallModel(number + 1) in self.round_of(turn, f'{{"n":{number}}}')
        self.round_of(turn, '{"n":2}')
        assert turn.state is TurnState.FAILED
        assert turn.blocks[-1] == Notice(
            3, 2, "round_limit", {"count": "3"}, actions=(Action.CONTINUE,)
        )
        assert [call.status for call in tools_of(turn)] == [DONE] * 3

    def test_the_limit_of_calls(self) -> None:
        turn = begun(*[("clock", f'{{"n":{n}}}') for n in range(4)], limits=TurnLimits(calls=2))
        assert (
            playbook(turn, see=CARDS)
            >> ToolFinished(0, DONE, ToolResult("9"))
            << card(0, DONE)
            << RunTool(1, "clock", {"n": 1})
            >> ToolFinished(1, DONE, ToolResult("9"))
            << card(1, DONE)
            << card(2, ToolStatus.CANCELLED, error="Not run. Paused after 2 tool calls.")
            << card(3, ToolStatus.CANCELLED, error="Not run. Paused after 2 tool calls.")
            << Note("call_limit", ended=True)
            << EndTurn(MessageState.LIMITED)
        )

    def test_calls_after_the_limit_are_not_asked_about(self) -> None:
        turn = begun(
            ("clock", "{}"),
            ("clock", "{}"),
            ("write", "{}"),
            limits=TurnLimits(calls=1),
            policy=AskFor("write"),
        )
        assert (
            playbook(turn, see=COMMANDS)
            >> ToolFinished(0, DONE, ToolResult("9"))
            << EndTurn(MessageState.LIMITED)
        )
        assert tools_of(turn)[2].status is ToolStatus.CANCELLED

    def test_running_calls_are_awaited_when_a_limit_is_reached(self) -> None:
        turn = begun(
            *[("clock", f'{{"n":{n}}}') for n in range(3)],
            limits=TurnLimits(calls=2, parallel=8),
            ended=False,
        )
        assert (
            playbook(turn, see=COMMANDS)
            >> TOOLS
            << RunTool(0, "clock", {"n": 0})
            << RunTool(1, "clock", {"n": 1})
            >> ToolFinished(0, DONE, ToolResult("9"))
            >> ToolFinished(1, DONE, ToolResult("9"))
            << EndTurn(MessageState.LIMITED)
        )

    def test_the_same_call_three_times_in_a_row(self) -> None:
        turn = Turn("m", SPECS)
        turn.receive(Begun(), 0.0)
        self.round_of(turn, '{"a":1,"b":2}')
        self.round_of(turn, '{ "b": 2, "a": 1 }')
        self.round_of(turn, '{"a":1,"b":2}')
        assert [call.status for call in tools_of(turn)] == [DONE, DONE, ToolStatus.CANCELLED]
        assert turn.blocks[-1] == Notice(
            3, 2, "repeated_call", {"tool": "clock", "count": "3"}, actions=(Action.CONTINUE,)
        )

    def test_a_different_call_in_between_restarts_the_count(self) -> None:
        turn = Turn("m", SPECS)
        turn.receive(Begun(), 0.0)
        for json in ("{}", "{}", '{"n":1}', "{}", "{}"):
            self.round_of(turn, json)
        assert turn.state is TurnState.STREAMING

    def test_continue_after_a_repeated_call(self) -> None:
        turn = Turn("m", SPECS)
        turn.receive(Begun(), 0.0)
        for _ in range(3):
            self.round_of(turn)
        again = Turn("m", SPECS, blocks=turn.blocks)
        again.receive(Begun(), 0.0)
        self.round_of(again)
        assert again.state is TurnState.STREAMING
        assert [call.status for call in tools_of(again)][-1] is DONE

    def test_an_eager_call_counts_and_is_stopped_at_once(self) -> None:
        turn = begun(*[("live2d.motion", "{}")] * 3, ended=False)
        statuses = [call.status for call in tools_of(turn)]
        assert statuses == [ToolStatus.RUNNING, ToolStatus.RUNNING, ToolStatus.CANCELLED]
        assert (
            playbook(turn, see=COMMANDS)
            >> TextDelta(9, "Hm.")
            >> TOOLS
            >> ToolFinished(0, DONE, ToolResult(""))
            >> ToolFinished(1, DONE, ToolResult(""))
            << EndTurn(MessageState.LIMITED)
        )

    def test_an_approval_that_reaches_a_limit_ends_the_turn(self) -> None:
        calls = [("write", f'{{"n": {number}}}') for number in range(3)]
        turn = begun(*calls, policy=AskFor("write"), limits=TurnLimits(calls=2))
        assert (
            playbook(turn, see=COMMANDS)
            >> ApprovalGiven(0, True)
            << RunTool(0, "write", {"n": 0}, approved=True)
            >> ToolFinished(0, DONE, ToolResult(""))
            << AskApproval(1, "write", {"n": 1})
            >> ApprovalGiven(1, True)
            << RunTool(1, "write", {"n": 1}, approved=True)
            >> ToolFinished(1, DONE, ToolResult(""))
            << AskApproval(2, "write", {"n": 2})
            >> ApprovalGiven(2, True)
            << EndTurn(MessageState.LIMITED)
        )

    def test_stop_has_priority_over_a_limit(self) -> None:
        turn = begun(*[("live2d.motion", "{}")] * 3)
        turn.receive(Cancelled(), 0.0)
        assert turn.state is TurnState.CANCELLED
        assert not any(isinstance(block, Notice) for block in turn.blocks)


class TestLeaked:
    """A call that was found in the text may be no call at all."""

    @pytest.mark.parametrize(
        ("risk", "command"),
        [
            (Risk.READ, RunTool),
            (Risk.GESTURE, RunTool),
            (Risk.APP_DATA, AskApproval),
            (Risk.WRITE, AskApproval),
            (Risk.RUN, AskApproval),
        ],
    )
    @pytest.mark.parametrize("eager", [False, True])
    def test_a_leaked_call_that_changes_something_asks(
        self, risk: Risk, command: type[RunTool | AskApproval], eager: bool
    ) -> None:
        policy = ApprovalPolicy([Grant("tool")])
        turn = Turn("m", [ToolSpec("tool", "", risk=risk, eager=eager)], policy=policy)
        out: list[object] = []
        for signal in (
            Begun(),
            ToolCallStarted(0, "", "tool", leaked=True),
            ToolCallReady(0),
            ResponseFinished(StopReason.END),
        ):
            out += turn.receive(signal, 0.0)
        assert [type(one) for one in out if isinstance(one, RunTool | AskApproval)] == [command]
        assert tools_of(turn)[0].leaked
