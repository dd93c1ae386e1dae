"""The runner: every command is executed, every job ends exactly once, nothing hangs."""

import asyncio
import io
import logging
import sys
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.conversation.approvals import DenyAll, OpenQuestions
from neodeskpet.conversation.ports import ApprovalQuestion, Approver, Decision, TurnListener
from neodeskpet.conversation.runner import ReplySource, StorePictures, TurnRunner
from neodeskpet.core.approval import DEFAULT_POLICY
from neodeskpet.core.attachments import Picture
from neodeskpet.core.blocks import (
    Block,
    Image,
    MessageState,
    Notice,
    Text,
    ToolStatus,
    ToolUse,
)
from neodeskpet.core.dialects import NATIVE, TOOL_REQUEST, Dialect
from neodeskpet.core.errors import (
    InvalidArguments,
    ListHidden,
    StoreError,
    StreamBroken,
    ToolCancelled,
    ToolDenied,
    ToolTimedOut,
    Unreachable,
)
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Progress, Risk, ToolSpec
from neodeskpet.core.turn.signals import Command, Signal
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import (
    BlockChanged,
    BlockStarted,
    RoundStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.core.wire import (
    PictureReceived,
    ResponseFinished,
    StopReason,
    TextDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    WireEvent,
)
from neodeskpet.llm.scripted_model import (
    ScriptedModel,
    scripted_call,
    scripted_text,
    scripted_thinking,
)
from neodeskpet.platform.async_tasks import running, spawn_task
from tests.support.playbook import Mirror
from tests.support.policies import AskFor
from tests.support.virtualtime import run_virtually
from tests.unit.conversation.doubles import (
    Answers,
    Ear,
    Offered,
    Tools,
    forever,
    some_tools,
    stubborn,
)
from tests.unit.core.strategies import wire_events

STOP_BOUND = 0.2  # seconds, from the specification


class Stage:
    """A runner with its doubles; `ear` is the last listener."""

    def __init__(
        self,
        model: Model,
        tools: Tools | None = None,
        *,
        approver: Approver | None = None,
        dialect: Dialect = NATIVE,
        asks: Sequence[str] = (),
        parallel: bool = False,
        listeners: Sequence[TurnListener] = (),
        turn: Turn | None = None,
        unable: Exception | None = None,
        keep_pictures: StorePictures | None = None,
        answer_timeout: float | None = None,
    ) -> None:
        """`unable` is raised when the request is built."""
        self.tools = tools or some_tools()
        self.mirror = Mirror(turn.blocks if turn else ())
        self.ear = Ear()
        self.asked: list[tuple[Block, ...]] = []
        self.offered: list[Sequence[ToolSpec]] = []
        self._unable = unable
        self.turn = turn or Turn(
            "m", policy=AskFor(*asks), limits=TurnLimits(parallel=8 if parallel else 1)
        )
        self.runner = TurnRunner(
            self.turn,
            ReplySource(model, dialect, self._request),
            toolbox=self.tools,
            approver=approver or DenyAll(),
            listeners=[self.mirror, *listeners, self.ear],
            keep_pictures=keep_pictures,
            answer_timeout=answer_timeout,
            now=lambda: 1.0,
        )

    async def _request(self, blocks: Sequence[Block], tools: Sequence[ToolSpec]) -> ModelRequest:
        self.asked.append(tuple(blocks))
        self.offered.append(tools)
        if self._unable is not None:
            raise self._unable
        return ModelRequest("", [])

    def play(self, keep: int | None = None) -> MessageState:
        return run_virtually(self._play(keep))

    async def _play(self, keep: int | None) -> MessageState:
        state = await self.runner.run(keep)
        self.check()
        return state

    async def stopped(self, after: float) -> float:
        """Run, press Stop after that time; return how long the end took then."""
        loop = asyncio.get_running_loop()
        loop.call_later(after, self.runner.stop)
        state = await self.runner.run()
        assert state is MessageState.CANCELLED
        self.check()
        return loop.time() - after

    def check(self) -> None:
        assert tuple(self.mirror.blocks) == self.turn.blocks
        assert isinstance(self.ear.events[-1], TurnEnded)

    def tool(self, number: int = 0) -> ToolUse:
        return [block for block in self.turn.blocks if isinstance(block, ToolUse)][number]


class OwnModel:
    """A model made of one async generator."""

    label = "own"

    def __init__(self, play: Callable[[], AsyncGenerator[WireEvent, None]]) -> None:
        self._play = play

    def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        return self._play()


class TestReplies:
    def test_text_thinking_and_the_order_of_events(self) -> None:
        stage = Stage(ScriptedModel([scripted_thinking("Hm"), scripted_text("Hel", "lo")]))
        assert stage.play() is MessageState.DONE
        kinds = [type(event).__name__ for event in stage.ear.events]
        assert kinds == [
            "TurnStarted",
            "RoundStarted",
            "BlockStarted",
            "BlockEnded",
            "BlockStarted",
            "TextAppended",
            "BlockEnded",
            "TurnEnded",
        ]

    def test_a_tool_and_the_next_round_get_what_came_before(self) -> None:
        stage = Stage(
            ScriptedModel(
                [scripted_text("Look:"), scripted_call("clock")], [scripted_text("Nine.")]
            ),
            Tools(clock=at_nine),
        )
        assert stage.play() is MessageState.DONE
        assert [len(blocks) for blocks in stage.asked] == [0, 2]
        seen = stage.asked[1][1]
        assert isinstance(seen, ToolUse)
        assert (seen.status, seen.output) == (ToolStatus.SUCCESS, "nine")

    def test_text_mode_runs_calls_in_the_text(self) -> None:
        reply = "Look: <<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\n<<<[END_TOOL_REQUEST]>>>"
        model = ScriptedModel([scripted_text(*reply)], [scripted_text("Nine.")])
        stage = Stage(model, Tools(clock=at_nine), dialect=TOOL_REQUEST)
        assert stage.play() is MessageState.DONE
        assert stage.tools.ran == [("clock", {})]
        assert [type(block) for block in stage.turn.blocks] == [Text, ToolUse, Text]

    def test_a_call_that_leaks_into_the_text_runs(self) -> None:
        model = ScriptedModel(
            [scripted_text("Look: ", "<function=clo", "ck></function>")], [scripted_text("Nine.")]
        )
        stage = Stage(model, Tools(clock=at_nine))
        assert stage.play() is MessageState.DONE
        assert stage.tools.ran == [("clock", {})]
        assert stage.tool().leaked
        assert stage.turn.blocks[0] == Text(0, 0, "Look: ")

    def test_held_text_of_an_interrupted_reply_is_shown_and_not_run(self) -> None:
        model = ScriptedModel([scripted_text("a ", "[clock()]"), StreamBroken()])
        stage = Stage(model, Tools(clock=at_nine))
        assert stage.play() is MessageState.FAILED
        assert stage.tools.ran == []
        model = ScriptedModel([scripted_text("a ", "<function"), StreamBroken()])
        stage = Stage(model, Tools(clock=at_nine))
        assert stage.play() is MessageState.FAILED
        assert stage.turn.blocks[0] == Text(0, 0, "a <function")

    def test_words_are_shown_while_a_model_hangs(self) -> None:
        hangs = asyncio.Event()

        async def scene() -> None:
            running = spawn_task(stage.runner.run(), name="run")
            await asyncio.sleep(1)
            assert stage.turn.blocks == (Text(0, 0, "clo"),)
            hangs.set()
            assert await running is MessageState.DONE

        model = ScriptedModel([scripted_text("clo"), hangs, scripted_text("sed, <b", ">at six")])
        stage = Stage(model, Tools(clock=at_nine))
        run_virtually(scene())
        assert [block.text for block in stage.turn.blocks] == ["clo", "sed, <b>at six"]  # type: ignore

    def test_held_text_is_shown_when_the_app_ends(self) -> None:
        async def scene() -> None:
            running = spawn_task(stage.runner.run(), name="run")
            await asyncio.sleep(1)
            running.cancel()
            await asyncio.wait([running])

        stage = Stage(ScriptedModel([scripted_text("a ", "<fun"), asyncio.Event()]))
        run_virtually(scene())
        assert stage.turn.blocks == (Text(0, 0, "a <fun"),)
        assert tuple(stage.mirror.blocks) == stage.turn.blocks

    def test_a_retry_drops_the_failed_round(self) -> None:
        turn = Turn("m", blocks=[Text(0, 0, "Onc"), Notice(1, 0, "stream_broken")])
        stage = Stage(ScriptedModel([scripted_text("Once upon")]), turn=turn)
        assert stage.play(keep=0) is MessageState.DONE
        assert stage.turn.blocks == (Text(0, 0, "Once upon"),)

    def test_progress_shows_on_the_card(self) -> None:
        async def work(arguments: Mapping[str, object], progress: Progress) -> str:
            progress(0.5, "half")
            await asyncio.sleep(1)
            return "done"

        stage = Stage(
            ScriptedModel([scripted_call("dig")], [scripted_text("Done.")]), Tools(dig=work)
        )
        stage.play()
        seen = [event.block for event in stage.ear.events if isinstance(event, BlockChanged)]
        assert any(isinstance(b, ToolUse) and b.progress_text == "half" for b in seen)

    def test_progress_from_a_thread(self) -> None:
        async def work(arguments: Mapping[str, object], progress: Progress) -> str:
            await asyncio.to_thread(progress, 0.25, "quarter")
            return "done"

        stage = Stage(
            ScriptedModel([scripted_call("dig")], [scripted_text("Done.")]), Tools(dig=work)
        )
        assert asyncio.run(stage._play(None)) is MessageState.DONE
        seen = [event.block for event in stage.ear.events if isinstance(event, BlockChanged)]
        assert any(isinstance(b, ToolUse) and b.progress == 0.25 for b in seen)

    def test_eager_tools_run_while_the_reply_streams(self) -> None:
        gate = asyncio.Event()

        async def wave(arguments: Mapping[str, object], progress: Progress) -> str:
            gate.set()
            return "waved"

        tools = Tools(ToolSpec("wave", "Wave.", eager=True), wave=wave)
        model = ScriptedModel(
            [scripted_call("wave"), gate, scripted_text("There.")], [scripted_text("Bye.")]
        )
        stage = Stage(model, tools)
        assert stage.play() is MessageState.DONE  # the reply itself waited for the wave

    def test_parallel_tools_run_at_the_same_time(self) -> None:
        meeting = asyncio.Barrier(2)

        async def meet(arguments: Mapping[str, object], progress: Progress) -> str:
            await meeting.wait()
            return "met"

        model = ScriptedModel([scripted_call("a"), scripted_call("b")], [scripted_text("Done.")])
        stage = Stage(model, Tools(a=meet, b=meet), parallel=True)
        assert stage.play() is MessageState.DONE


async def at_nine(arguments: Mapping[str, object], progress: Progress) -> str:
    return "nine"


class TestFailures:
    """Each job ends exactly once, whatever happens in it, and the message ends."""

    def test_a_service_that_fails(self) -> None:
        stage = Stage(ScriptedModel([scripted_text("Once"), Unreachable("No route")]))
        assert stage.play() is MessageState.FAILED
        notice = stage.turn.blocks[-1]
        assert isinstance(notice, Notice)
        assert (notice.code, notice.detail) == ("unreachable", "No route")

    @pytest.mark.parametrize("said", [(), (TextDelta(0, "Once"),)], ids=["nothing", "something"])
    def test_a_stream_without_an_end_is_broken(self, said: Sequence[WireEvent]) -> None:
        async def play() -> AsyncGenerator[WireEvent, None]:
            for event in said:
                yield event

        stage = Stage(OwnModel(play))
        assert stage.play() is MessageState.FAILED
        assert stage.turn.blocks[-1].code == "stream_broken"  # type: ignore[union-attr]

    def test_a_bug_in_the_model_is_reported_and_logged(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        stage = Stage(ScriptedModel())  # a script without responses raises IndexError
        assert stage.play() is MessageState.FAILED
        notice = stage.turn.blocks[-1]
        assert isinstance(notice, Notice)
        assert notice.code == "unexpected"
        assert "IndexError" in notice.detail
        assert "Job model round 0 failed unexpectedly" in caplog.text

    def test_a_known_error_is_not_logged_as_a_bug(self, caplog: pytest.LogCaptureFixture) -> None:
        Stage(ScriptedModel([Unreachable()])).play()
        assert caplog.text == ""

    def test_a_bug_in_building_the_request(self, caplog: pytest.LogCaptureFixture) -> None:
        stage = Stage(ScriptedModel([scripted_text("Hi")]), unable=ValueError("no prompt"))
        assert stage.play() is MessageState.FAILED
        assert "no prompt" in caplog.text

    def test_a_decoder_with_events_in_the_wrong_order(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def play() -> AsyncGenerator[WireEvent, None]:
            yield TextDelta(0, "Once")
            yield ToolArgsDelta(3, "{}")
            await forever()

        stage = Stage(OwnModel(play))
        assert stage.play() is MessageState.FAILED
        assert stage.turn.blocks[0] == Text(0, 0, "Once")
        assert "could not take ToolArgsDelta" in caplog.text

    @pytest.mark.parametrize(
        ("error", "status", "reason"),
        [
            (ToolDenied("Never."), ToolStatus.DENIED, "The user didn't allow this call. Never."),
            (ToolCancelled(), ToolStatus.CANCELLED, "The call was cancelled."),
            (
                ListHidden(name="todo.list"),
                ToolStatus.DENIED,
                "The user doesn't let the companion see this list: todo.list was not used.",
            ),
            (
                ToolTimedOut(seconds="3"),
                ToolStatus.ERROR,
                "The tool didn't finish within 3 s. It was stopped and may be half done.",
            ),
            (
                ZeroDivisionError("oops"),
                ToolStatus.ERROR,
                "The tool has an internal error. ZeroDivisionError: oops",
            ),
        ],
    )
    def test_a_failed_tool_has_a_result_and_the_turn_continues(
        self, error: Exception, status: ToolStatus, reason: str
    ) -> None:
        async def fail(arguments: Mapping[str, object], progress: Progress) -> str:
            raise error

        stage = Stage(
            ScriptedModel([scripted_call("dig")], [scripted_text("Well.")]), Tools(dig=fail)
        )
        assert stage.play() is MessageState.DONE
        assert (stage.tool().status, stage.tool().error) == (status, reason)

    def test_an_unknown_tool(self) -> None:
        stage = Stage(ScriptedModel([scripted_call("nope")], [scripted_text("Well.")]))
        assert stage.play() is MessageState.DONE
        assert stage.tool().error.startswith("There is no tool named nope.")
        assert stage.tools.ran == []

    def test_a_tool_that_cancels_itself_does_not_hang_the_turn(self) -> None:
        async def work(arguments: Mapping[str, object], progress: Progress) -> str:
            inner = spawn_task(forever(), name="inner")
            inner.cancel()
            return await inner

        stage = Stage(
            ScriptedModel([scripted_call("dig")], [scripted_text("Well.")]), Tools(dig=work)
        )
        assert stage.play() is MessageState.DONE
        assert stage.tool().status is ToolStatus.ERROR

    def test_a_model_that_cancels_itself_does_not_hang_the_turn(self) -> None:
        async def play() -> AsyncGenerator[WireEvent, None]:
            yield TextDelta(0, "Once")
            raise asyncio.CancelledError

        stage = Stage(OwnModel(play))
        assert stage.play() is MessageState.FAILED

    def test_a_question_that_can_not_be_asked_is_a_no(self) -> None:
        approver = Answers(RuntimeError("no window"))
        stage = Stage(
            ScriptedModel([scripted_call("w")], [scripted_text("Well.")]),
            approver=approver,
            asks=["w"],
        )
        assert stage.play() is MessageState.DONE
        assert stage.tool().status is ToolStatus.DENIED
        assert "no window" in stage.tool().error

    def test_a_question_that_fails_before_it_can_be_awaited_is_a_no(self) -> None:
        class Broken:
            def ask(self, question: ApprovalQuestion) -> asyncio.Future[Decision]:
                raise RuntimeError("no window")

        stage = Stage(
            ScriptedModel([scripted_call("w")], [scripted_text("Well.")]),
            approver=Broken(),
            asks=["w"],
        )
        assert stage.play() is MessageState.DONE
        assert "no window" in stage.tool().error

    def test_a_toolbox_that_would_end_the_app_ends_the_call(self) -> None:
        async def leave(arguments: Mapping[str, object], progress: Progress) -> str:
            sys.exit(3)

        stage = Stage(
            ScriptedModel([scripted_call("dig")], [scripted_text("Well.")]), Tools(dig=leave)
        )
        assert stage.play() is MessageState.DONE
        assert "SystemExit" in stage.tool().error

    def test_an_error_whose_text_can_not_be_made(self) -> None:
        class Mute(Exception):
            def __str__(self) -> str:
                raise ValueError("no words")

        async def fail(arguments: Mapping[str, object], progress: Progress) -> str:
            raise Mute

        stage = Stage(
            ScriptedModel([scripted_call("dig")], [scripted_text("Well.")]), Tools(dig=fail)
        )
        assert stage.play() is MessageState.DONE
        assert stage.tool().error == "The tool has an internal error. Mute"

    @pytest.mark.parametrize("depth", [900, 970, 100_000])
    def test_deeply_nested_arguments_are_freed_with_the_turn(self, depth: int) -> None:
        raw = '{"a":' * depth + "1" + "}" * depth
        stage = Stage(ScriptedModel([scripted_call("dig", raw)], [scripted_text("Well.")]))
        assert stage.play() in (MessageState.DONE, MessageState.FAILED)
        assert stage.tool().status.ended

    def test_a_bug_in_the_turn_itself(self) -> None:
        class Broken(Turn):
            def receive(self, signal: Signal, now: float) -> list[Command | TurnEvent]:
                raise RuntimeError("no turn")

        stage = Stage(ScriptedModel([scripted_text("Hi")]), turn=Broken("m"))
        assert stage.play() is MessageState.FAILED

    def test_a_failing_listener_does_not_affect_the_others(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fall(event: object) -> None:
            raise ValueError("paint")

        stage = Stage(ScriptedModel([scripted_text("Hel", "lo")]), listeners=[Ear(fall)])
        assert stage.play() is MessageState.DONE
        assert stage.ear.events[-1] == TurnEnded(MessageState.DONE, 1.0)
        assert caplog.text.count("A listener failed") == 1


class Hostile(Exception):
    def __str__(self) -> str:
        raise RecursionError("no words")


FAULTS: tuple[BaseException, ...] = (
    ValueError("bug"),
    RecursionError("deep"),
    Hostile(),
    asyncio.CancelledError(),
    SystemExit(1),
    ToolTimedOut(seconds="1"),
)
DEEP = '{"a":' * 980 + "1" + "}" * 980
SOUND = st.sampled_from(
    [
        scripted_call("dig"),
        scripted_call("ask", {"a": [1]}),
        scripted_call("dig", DEEP),
        scripted_text("Hm"),
        0.5,
    ]
)
RESPONSES = st.lists(SOUND, max_size=4) | st.lists(wire_events, max_size=4)


@settings(max_examples=60)
@given(
    st.lists(RESPONSES, min_size=1, max_size=4),
    st.lists(st.none() | st.sampled_from(FAULTS), max_size=6),
    st.lists(st.booleans() | st.sampled_from(FAULTS[:3]), max_size=4),
    st.booleans(),
)
def test_a_turn_always_ends(
    responses: list[list[Any]],
    faults: list[BaseException | None],
    answers: list[bool | Exception],
    parallel: bool,
) -> None:
    """Whatever model, tools and approver do: `run_virtually` raises Stuck if it hangs."""

    async def work(arguments: Mapping[str, object], progress: Progress) -> str:
        fault = faults.pop() if faults else None
        if fault is not None:
            raise fault
        return "done"

    approver = Answers(*(Decision(one) if isinstance(one, bool) else one for one in answers))
    tools = Tools(dig=work, ask=work)
    model = ScriptedModel(*responses)
    stage = Stage(model, tools, approver=approver, asks=["ask"], parallel=parallel)
    stage.play()
    assert stage.turn.ended
    assert not [b for b in stage.turn.blocks if isinstance(b, ToolUse) and not b.status.ended]


class TestApproval:
    def test_which_calls_are_asked_about_and_run(self) -> None:
        approver = Answers(Decision(True, arguments={"path": "b"}))
        model = ScriptedModel([scripted_call("write", {"path": "a"})], [scripted_text("Done.")])
        stage = Stage(model, Tools(write=at_nine), approver=approver, asks=["write"])
        assert stage.play() is MessageState.DONE
        assert approver.asked == [("m", 0, "write", {"path": "a"})]
        assert stage.tools.ran == [("write", {"path": "b"})]

    def test_a_no_with_its_reason(self) -> None:
        model = ScriptedModel([scripted_call("write")], [scripted_text("Well.")])
        stage = Stage(model, approver=Answers(Decision(False, "Not now.")), asks=["write"])
        assert stage.play() is MessageState.DONE
        assert stage.tools.ran == []
        assert stage.tool().error.endswith("They said: Not now.")

    def test_a_call_can_be_checked_before_it_is_asked_about(self) -> None:
        class Careful(Answers):
            async def ask(self, question: ApprovalQuestion) -> Decision:
                question.check({"path": "b"})
                with pytest.raises(InvalidArguments):
                    question.check({"wrong": "b"})
                return await super().ask(question)

        approver = Careful(Decision(True))
        stage = Stage(
            ScriptedModel([scripted_call("w")], [scripted_text("Well.")]),
            approver=approver,
            asks=["w"],
        )
        assert stage.play() is MessageState.DONE
        assert [name for name, _ in stage.tools.ran] == ["w"]

    def test_a_question_can_be_answered_as_soon_as_it_is_shown(self) -> None:
        """Also if showing it took so long that other tasks get the loop next."""

        class Quick:
            def __init__(self) -> None:
                self.heard: list[bool] = []

            def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
                blocks = stage.mirror.blocks
                if blocks and stage.tool().status is ToolStatus.ASKING and not self.heard:
                    self.heard.append(False)
                    time.sleep(0.02)
                    asyncio.get_running_loop().call_soon(self.answer, message_id)

            def answer(self, message_id: str) -> None:
                self.heard.append(approvals.answer(message_id, 0, Decision(True)))

        approvals, quick = OpenQuestions(), Quick()
        model = ScriptedModel([scripted_call("w")], [scripted_text("Well.")])
        stage = Stage(model, approver=approvals, asks=["w"], answer_timeout=600, listeners=[quick])
        assert stage.play() is MessageState.DONE
        assert quick.heard == [False, True]
        assert [name for name, _ in stage.tools.ran] == ["w"]

    def test_a_question_without_an_answer_in_time_is_a_no(self) -> None:
        model = ScriptedModel([scripted_call("w")], [scripted_text("Well.")])
        stage = Stage(model, approver=OpenQuestions(), asks=["w"], answer_timeout=600)
        assert stage.play() is MessageState.DONE
        assert stage.tools.ran == []
        assert "not answered" in stage.tool().error


class TestOffers:
    """A round has one set of tools: in the request, in the turn and for running."""

    def test_a_tool_that_appears_in_the_middle_of_a_turn_asks(self) -> None:
        async def discover(arguments: Mapping[str, object], progress: Progress) -> str:
            stage.tools.add(ToolSpec("files.delete", "Delete.", risk=Risk.WRITE))
            return "found"

        approver = Answers(Decision(False))
        model = ScriptedModel(
            [scripted_call("look")], [scripted_call("files.delete")], [scripted_text("Well.")]
        )
        turn = Turn("m", policy=DEFAULT_POLICY)
        stage = Stage(model, Tools(look=discover), approver=approver, turn=turn)
        assert stage.play() is MessageState.DONE
        assert [name for _, _, name, _ in approver.asked] == ["files.delete"]
        assert [name for name, _ in stage.tools.ran] == ["look"]
        assert [len(specs) for specs in stage.offered] == [1, 2, 2]

    def test_one_that_appears_while_the_reply_streams_is_of_the_next_round(self) -> None:
        ready = asyncio.Event()

        def appear(event: object) -> None:
            if isinstance(event, BlockStarted) and isinstance(event.block, Text):
                stage.tools.add(ToolSpec("late", "Late."))
                ready.set()

        model = ScriptedModel(
            [scripted_text("Hm"), ready, scripted_call("late")],
            [scripted_call("late")],
            [scripted_text("Well.")],
        )
        stage = Stage(model, Tools(), listeners=[Ear(appear)])
        assert stage.play() is MessageState.DONE
        assert [stage.tool(0).status, stage.tool(1).status] == [
            ToolStatus.ERROR,
            ToolStatus.SUCCESS,
        ]

    def test_a_toolbox_that_can_not_list_its_tools_fails_the_turn(self) -> None:
        class Broken(Tools):
            def offer(self) -> Offered:
                raise RuntimeError("no tools")

        stage = Stage(ScriptedModel([scripted_text("Hi")]), Broken())
        assert stage.play() is MessageState.FAILED
        assert isinstance(stage.turn.blocks[0], Notice)


class TestStop:
    """Each stop within the specified time, on a virtual clock."""

    def test_while_it_streams_closes_the_response(self) -> None:
        model = ScriptedModel([scripted_text("Once"), asyncio.Event()])
        stage = Stage(model)
        assert run_virtually(stage.stopped(after=5)) <= STOP_BOUND
        assert stage.turn.blocks == (Text(0, 0, "Once"),)
        assert model.abandoned == 1

    def test_shows_held_text_and_runs_nothing_of_it(self) -> None:
        for held, shown in (("<fun", "a <fun"), ("[clock()]", "a ")):
            stage = Stage(
                ScriptedModel([scripted_text("a ", held), asyncio.Event()]), Tools(clock=at_nine)
            )
            assert run_virtually(stage.stopped(after=5)) <= STOP_BOUND
            assert stage.turn.blocks == (Text(0, 0, shown),)
            assert stage.tools.ran == []

    def test_while_a_tool_runs_cancels_it(self) -> None:
        async def work(arguments: Mapping[str, object], progress: Progress) -> str:
            return await forever()

        stage = Stage(ScriptedModel([scripted_call("dig")]), Tools(dig=work))
        assert run_virtually(stage.stopped(after=5)) <= STOP_BOUND
        assert stage.tools.cancelled == ["dig"]
        assert stage.tool().status is ToolStatus.CANCELLED

    def test_while_a_question_is_open(self) -> None:
        class Silent:
            async def ask(self, question: ApprovalQuestion) -> Decision:
                await forever()
                return Decision(True)

        stage = Stage(ScriptedModel([scripted_call("write")]), approver=Silent(), asks=["write"])
        assert run_virtually(stage.stopped(after=5)) <= STOP_BOUND
        assert stage.tool().status is ToolStatus.CANCELLED

    def test_a_tool_that_ignores_it_is_left_behind(self) -> None:
        async def work(arguments: Mapping[str, object], progress: Progress) -> str:
            return await stubborn()

        async def scene() -> float:
            taken = await stage.stopped(after=5)
            blocks = stage.turn.blocks
            await asyncio.sleep(200)  # it ends at last, without a listener
            assert stage.turn.blocks == blocks
            return taken

        stage = Stage(ScriptedModel([scripted_call("dig")]), Tools(dig=work))
        assert 0 < run_virtually(scene()) <= STOP_BOUND
        assert stage.tool().status is ToolStatus.CANCELLED

    def test_a_model_that_ignores_it_is_left_behind(self) -> None:
        async def play() -> AsyncGenerator[WireEvent, None]:
            yield TextDelta(0, "Once")
            await stubborn()
            yield TextDelta(0, " late")

        stage = Stage(OwnModel(play))
        assert 0 < run_virtually(stage.stopped(after=5)) <= STOP_BOUND
        assert stage.turn.blocks == (Text(0, 0, "Once"),)

    def test_does_not_wait_for_buffered_events_of_a_fast_model(self) -> None:
        async def play() -> AsyncGenerator[WireEvent, None]:
            for _ in range(5000):
                yield TextDelta(0, "x")
            yield ResponseFinished(StopReason.END)

        seen = 0

        def stop_at_tenth(event: object) -> None:
            nonlocal seen
            seen += isinstance(event, TextAppended)
            if seen == 10:
                stage.runner.stop()

        stage = Stage(OwnModel(play), listeners=[Ear(stop_at_tenth)])
        assert stage.play() is MessageState.CANCELLED
        assert seen == 10

    def test_earlier_results_of_a_tool_are_kept(self) -> None:
        async def done_when_it_stops(arguments: Mapping[str, object], progress: Progress) -> str:
            asyncio.get_running_loop().call_soon(stage.runner.stop)
            return "nine"

        stage = Stage(ScriptedModel([scripted_call("write")]), Tools(write=done_when_it_stops))
        assert stage.play() is MessageState.CANCELLED
        assert stage.tool().status is ToolStatus.SUCCESS

    def test_before_it_began(self) -> None:
        stage = Stage(ScriptedModel())
        stage.runner.stop()
        assert stage.play() is MessageState.CANCELLED
        assert stage.ear.events == [TurnEnded(MessageState.CANCELLED, 1.0)]

    def test_at_once_after_it_began_leaves_no_job_that_was_never_awaited(self) -> None:
        def stop(event: object) -> None:
            if isinstance(event, RoundStarted):
                stage.runner.stop()

        model = ScriptedModel([scripted_text("Hi")])
        stage = Stage(model, listeners=[Ear(stop)])
        assert stage.play() is MessageState.CANCELLED
        assert model.requests == []

    def test_twice(self) -> None:
        def stop(event: object) -> None:
            if isinstance(event, BlockStarted):
                stage.runner.stop()
                stage.runner.stop()

        stage = Stage(ScriptedModel([scripted_text("Hi", " there")]), listeners=[Ear(stop)])
        assert stage.play() is MessageState.CANCELLED


class TestJobs:
    def test_no_job_is_left_after_the_end(self) -> None:
        async def work(arguments: Mapping[str, object], progress: Progress) -> str:
            return await forever()

        async def scene() -> None:
            before = running()
            task = spawn_task(stage.runner.run(), name="turn")
            await asyncio.sleep(1)
            assert len(running() - before) == 2
            stage.runner.stop()
            await task
            await asyncio.sleep(0)
            assert running() == before

        stage = Stage(ScriptedModel([scripted_call("dig")]), Tools(dig=work))
        run_virtually(scene())

    def test_cancelling_the_run_aborts_the_jobs_and_keeps_the_message(self) -> None:
        async def work(arguments: Mapping[str, object], progress: Progress) -> str:
            return await forever()

        async def scene() -> None:
            task = spawn_task(stage.runner.run(), name="turn")
            await asyncio.sleep(1)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()

        stage = Stage(ScriptedModel([scripted_call("dig")]), Tools(dig=work))
        run_virtually(scene())
        assert stage.tools.cancelled == ["dig"]
        assert stage.tool().status is ToolStatus.RUNNING
        assert not any(isinstance(event, TurnEnded) for event in stage.ear.events)

    def test_a_failed_model_has_its_eager_tools_aborted(self) -> None:
        async def work(arguments: Mapping[str, object], progress: Progress) -> str:
            return await forever()

        tools = Tools(ToolSpec("wave", "Wave.", eager=True), wave=work)
        stage = Stage(ScriptedModel([scripted_call("wave"), 1.0, Unreachable()]), tools)
        assert stage.play() is MessageState.FAILED
        assert stage.tools.cancelled == ["wave"]
        assert stage.tool().status is ToolStatus.INTERRUPTED

    def test_each_job_has_a_name_for_the_log(self) -> None:
        names: set[str] = set()

        async def work(arguments: Mapping[str, object], progress: Progress) -> str:
            names.update(task.get_name() for task in asyncio.all_tasks())
            return "done"

        Stage(
            ScriptedModel([scripted_call("dig")], [scripted_text("Done.")]), Tools(dig=work)
        ).play()
        assert "tool dig" in names


class TestBurst:
    def test_other_tasks_run_while_a_model_never_waits(self) -> None:
        async def play() -> AsyncGenerator[WireEvent, None]:
            for _ in range(2000):
                yield TextDelta(0, "x")
            yield ResponseFinished(StopReason.END)

        ticks = 0
        ended = asyncio.Event()

        async def others() -> None:
            nonlocal ticks
            while not ended.is_set():
                ticks += 1
                await asyncio.sleep(0)

        async def scene() -> None:
            other = spawn_task(others(), name="others")
            await stage.runner.run()
            ended.set()
            await other

        stage = Stage(OwnModel(play))
        run_virtually(scene())
        assert ticks >= 20
        assert stage.turn.blocks == (Text(0, 0, "x" * 2000),)

    def test_the_first_word_is_shown_before_the_second_is_sent(self) -> None:
        shown: list[str] = []
        between: list[list[str]] = []

        async def play() -> AsyncGenerator[WireEvent, None]:
            yield TextDelta(0, "first")
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            between.append(list(shown))
            yield TextDelta(0, "second")
            yield ResponseFinished(StopReason.END)

        def note(event: object) -> None:
            if isinstance(event, BlockStarted) and isinstance(event.block, Text):
                shown.append(event.block.text)

        Stage(OwnModel(play), listeners=[Ear(note)]).play()
        assert between == [["first"]]


def test_the_turn_uses_the_clock_of_the_runner() -> None:
    stage = Stage(ScriptedModel([scripted_call("dig")], [scripted_text("Done.")]))
    stage.play()
    assert (stage.tool().started, stage.tool().ended) == (1.0, 1.0)
    assert stage.ear.events[0] == TurnStarted("m")


def test_a_whole_call_of_many_deltas_is_read(caplog: pytest.LogCaptureFixture) -> None:
    text = "y" * 3000

    async def play() -> AsyncGenerator[WireEvent, None]:
        if stage.asked[1:]:
            yield TextDelta(0, "Done.")
        else:
            yield ToolCallStarted(0, "c", "dig")
            for piece in f'{{"text":"{text}"}}':
                yield ToolArgsDelta(0, piece)
            yield ToolCallReady(0)
        yield ResponseFinished(StopReason.END)

    caplog.set_level(logging.DEBUG)
    stage = Stage(OwnModel(play), Tools(dig=at_nine))
    assert stage.play() is MessageState.DONE
    assert stage.tools.ran == [("dig", {"text": text})]


def test_pictures_of_a_result_are_stored_before_the_message_shows_them() -> None:
    cat = Picture("d" * 64, b"cat", "image/png")
    kept: list[str] = []

    async def look(arguments: Mapping[str, object], progress: Progress) -> ToolResult:
        return ToolResult("a cat", images=(cat,))

    async def keep(pictures: Sequence[Picture]) -> None:
        assert not stage.tool().images
        kept.extend(picture.digest for picture in pictures)

    stage = Stage(
        ScriptedModel([scripted_call("look")], [scripted_text("Cute.")]),
        Tools(look=look),
        keep_pictures=keep,
    )
    assert stage.play() is MessageState.DONE
    assert kept == [cat.digest] == [image.digest for image in stage.tool().images]


def test_if_pictures_can_not_be_stored_the_call_fails() -> None:
    async def look(arguments: Mapping[str, object], progress: Progress) -> ToolResult:
        return ToolResult("a cat", images=(Picture("d" * 64, b"cat", "image/png"),))

    async def keep(pictures: Sequence[Picture]) -> None:
        raise StoreError("disk full")

    stage = Stage(
        ScriptedModel([scripted_call("look")], [scripted_text("Oh.")]),
        Tools(look=look),
        keep_pictures=keep,
    )
    assert stage.play() is MessageState.DONE
    assert "disk full" in stage.tool().error


def _png(color: str) -> bytes:
    from PIL import Image as Picturing

    out = io.BytesIO()
    Picturing.new("RGB", (2, 2), color).save(out, "PNG")
    return out.getvalue()


def test_a_picture_of_the_reply_is_stored_before_the_message_names_it() -> None:
    kept: list[str] = []

    async def keep(pictures: Sequence[Picture]) -> None:
        assert not [block for block in stage.turn.blocks if isinstance(block, Image)]
        kept.extend(picture.digest for picture in pictures)

    made = PictureReceived(1, _png("red"), "image/png")
    stage = Stage(
        ScriptedModel([TextDelta(0, "Here."), made, ResponseFinished(StopReason.END)]),
        keep_pictures=keep,
    )
    assert asyncio.run(stage._play(None)) is MessageState.DONE
    (image,) = (block for block in stage.turn.blocks if isinstance(block, Image))
    assert kept == [image.digest]


def test_a_picture_of_the_reply_that_cannot_be_kept_is_reported() -> None:
    async def keep(pictures: Sequence[Picture]) -> None:
        raise StoreError("disk full")

    for data in (_png("red"), b"no picture"):
        made = PictureReceived(1, data, "image/png")
        stage = Stage(
            ScriptedModel([TextDelta(0, "Here."), made, ResponseFinished(StopReason.END)]),
            keep_pictures=keep,
        )
        assert asyncio.run(stage._play(None)) is MessageState.DONE
        assert [type(block) for block in stage.turn.blocks] == [Text, Notice]
