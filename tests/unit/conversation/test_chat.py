"""A conversation as a user uses it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import pytest

from neodeskpet.conversation.chat import Chat, ConversationHooks
from neodeskpet.conversation.chat_events import (
    ChatErrorOccurred,
    ChatEvent,
    ConversationChanged,
    MessageAdded,
    PathChanged,
    QueueChanged,
    RunningChanged,
    TurnAdvanced,
)
from neodeskpet.conversation.conversation import count_kept_blocks
from neodeskpet.conversation.ports import Decision
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.blocks import (
    Block,
    Image,
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    ToolStatus,
    ToolUse,
)
from neodeskpet.core.dialects import NATIVE, TOOL_REQUEST
from neodeskpet.core.errors import (
    Action,
    KnownError,
    MessageNotFound,
    StoreError,
    StreamBroken,
    ToolsUnsupported,
    Unreachable,
)
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import Progress
from neodeskpet.core.transcript import AssistantTurn, ImagePart, TextPart, UserTurn
from neodeskpet.core.turn.turn_events import BlocksRemoved, TurnEnded, TurnEvent, TurnStarted
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.llm.scripted_model import ScriptedModel, ScriptItem, scripted_call, scripted_text
from neodeskpet.platform.async_tasks import running
from tests.support.memorystore import MemoryStore
from tests.support.pictures import picture
from tests.support.playbook import Mirror
from tests.support.policies import AskFor
from tests.support.virtualtime import run_virtually
from tests.unit.conversation.doubles import Tools, forever, some_tools

STREAMING = 10_000.0  # seconds: a response that doesn't end


class Window:
    """The content of the interface: every event it received, in order and by kind."""

    def __init__(self) -> None:
        self.messages: dict[str, Mirror] = {}
        self.roles: list[Role] = []
        self.paths: list[list[str]] = []
        self.queues: list[tuple[str, ...]] = []
        self.running: list[bool] = []
        self.titles: list[str] = []
        self.troubles: list[KnownError] = []
        self.events: list[TurnEvent] = []

    def on_chat_event(self, event: ChatEvent) -> None:
        match event:
            case TurnAdvanced(message_id=message_id, event=moved):
                self._see(message_id, moved)
            case MessageAdded(message=message):
                self.messages[message.id] = Mirror(message.blocks)
                self.roles.append(message.role)
            case PathChanged(path=path, messages=messages):
                self.paths.append([path.after, *(head.id for head in path.heads)])
                for one in messages:
                    self.messages[one.id] = Mirror(one.blocks)
            case QueueChanged(queue=queue):
                told = (f"{text} +{len(own)}" if own else text for text, own in queue)
                self.queues.append(tuple(told))
            case RunningChanged(running=running):
                self.running.append(running)
            case ConversationChanged(info=info):
                self.titles.append(info.title)
            case ChatErrorOccurred(error=error):
                self.troubles.append(error)

    def _see(self, message_id: str, event: TurnEvent) -> None:
        self.events.append(event)
        if isinstance(event, TurnStarted) and event.resumed:
            self.messages[message_id] = Mirror(tuple(self.messages[message_id].blocks))
        self.messages[message_id].on_turn_event(message_id, event)


class Desk:
    """A chat with a scripted model, a store in memory, and a window."""

    def __init__(
        self,
        *responses: Sequence[ScriptItem],
        tools: Tools | None = None,
        limits: TurnLimits | None = None,
        asks: frozenset[str] = frozenset(),
        store: MemoryStore | None = None,
    ) -> None:
        self.store = store or MemoryStore()
        self.model = ScriptedModel(*responses)
        self.tools = tools or some_tools()
        self.text_mode = False
        self.remote_computer = ""
        self._limits = limits or TurnLimits()
        self._asks = asks
        self.window = Window()
        self.named: list[str] = []  # the models that were requested
        self.chat = Chat(
            self.store,
            self._set_up,
            switch_to_text=self._switch,
            hooks=ConversationHooks(remote_computer=lambda _conversation: self.remote_computer),
            now=lambda: 1_000.0,
        )
        self.chat.subscribe(self.window)

    def _set_up(self, _conversation: str, named: str) -> TurnSetup:
        self.named.append(named)
        return TurnSetup(
            self.model,
            self.tools,
            dialect=TOOL_REQUEST if self.text_mode else NATIVE,
            limits=self._limits,
            policy=AskFor(*self._asks),
        )

    def _switch(self) -> None:
        self.text_mode = True

    async def history(self) -> list[Message]:
        info = self.chat.conversation
        assert info is not None
        return await self.store.history(info.id)

    async def last(self) -> Message:
        return (await self.history())[-1]

    async def say(self, *texts: str) -> list[Message]:
        """Send, and wait for the end of the reply."""
        for text in texts:
            self.chat.send(text)
        await self.chat.wait_idle()
        return await self.history()

    def asked(self, number: int = -1) -> list[str]:
        """The texts of a request; the sides alternate."""
        request = self.model.requests[number]
        assert isinstance(request, ModelRequest)
        return [
            "".join(part.text for part in message.parts if isinstance(part, TextPart))
            for message in request.messages
            if isinstance(message, UserTurn | AssistantTurn)
        ]


def play(scene: Callable[[], Awaitable[None]]) -> None:
    async def checked() -> None:
        await scene()
        await asyncio.sleep(0)
        assert not running(), "nothing is left behind"

    run_virtually(checked())


class TestSend:
    def test_one_input_makes_exactly_one_message(self) -> None:
        desk = Desk([scripted_text("Look:"), scripted_call("clock")], [scripted_text("Nine.")])

        async def scene() -> None:
            question, answer = await desk.say("What time is it?")
            assert (question.role, question.text) == (Role.USER, "What time is it?")
            assert (question.state, question.created) == (MessageState.DONE, 1_000.0)
            assert (answer.role, answer.state, answer.rounds) == (
                Role.ASSISTANT,
                MessageState.DONE,
                2,
            )
            assert answer.model == "Scripted model"
            assert [type(block) for block in answer.blocks] == [Text, ToolUse, Text]
            assert desk.window.messages[answer.id].blocks == list(answer.blocks)

        play(scene)
        assert desk.window.roles == [Role.USER, Role.ASSISTANT]
        assert desk.window.running == [True, False]

    def test_the_next_request_contains_the_conversation(self) -> None:
        desk = Desk([scripted_text("Hello!")], [scripted_text("Bye!")])
        play(lambda: desk.say("Hi", "Bye"))
        assert desk.asked(0) == ["Hi"]
        assert desk.asked(1) == ["Hi", "Hello!", "Bye"]

    @pytest.mark.parametrize("text", ["", " ", "\n\t"])
    def test_white_space_is_not_sent(self, text: str) -> None:
        desk = Desk()

        async def scene() -> None:
            desk.chat.send(text)
            assert not desk.chat.running

        play(scene)
        assert desk.window.running == []

    def test_a_failure_is_in_the_message(self) -> None:
        desk = Desk([scripted_text("Once"), Unreachable()])

        async def scene() -> None:
            answer = (await desk.say("Tell me"))[-1]
            assert answer.state is MessageState.FAILED
            assert [type(block) for block in answer.blocks] == [Text, Notice]

        play(scene)
        assert desk.window.troubles == []

    def test_a_message_that_is_sent_during_a_turn_is_queued(self) -> None:
        desk = Desk([scripted_text("One"), 1.0], [scripted_text("Two")], [scripted_text("Three")])

        async def scene() -> None:
            history = await desk.say("a", "b", "c")
            assert [m.text for m in history] == ["a", "One", "b", "Two", "c", "Three"]

        play(scene)
        assert desk.window.queues == [("b",), ("b", "c"), ("c",), ()]
        assert desk.window.running[-1] is False
        assert desk.window.running.count(False) == 1

    def test_pictures_belong_to_their_text_and_wait_with_it(self) -> None:
        desk = Desk([scripted_text("One"), 1.0], [scripted_text("Two")])
        red, blue = picture("red", "red.png"), picture("blue", quoted=True)

        async def scene() -> None:
            desk.chat.send("", [red])
            desk.chat.send("Look", [red, blue])
            await desk.chat.wait_idle()
            first, _, second, _ = await desk.history()
            assert first.blocks == (Image(0, 0, red.digest, "image/png", "red.png"),)
            assert second.blocks == (
                Image(0, 0, blue.digest, "image/png", quoted=True),
                Image(1, 0, red.digest, "image/png", "red.png"),
                Text(2, 0, "Look"),
            )

        play(scene)
        assert desk.window.queues == [("Look +2",), ()]
        asked = desk.model.requests[-1].messages[-1]
        assert isinstance(asked, UserTurn)
        assert [part.data for part in asked.parts if isinstance(part, ImagePart)] == [
            blue.data, red.data,
        ]  # fmt: skip

    def test_queued_messages_can_be_taken_back(self) -> None:
        desk = Desk([scripted_text("One"), 1.0], [scripted_text("Three")])

        async def scene() -> None:
            for text in "abc":
                desk.chat.send(text)
            desk.chat.unqueue(5)
            desk.chat.unqueue(-1)
            desk.chat.unqueue(0)
            await desk.chat.wait_idle()
            assert [m.text for m in await desk.history()] == ["a", "One", "c", "Three"]

        play(scene)
        assert desk.window.queues == [("b",), ("b", "c"), ("c",), ()]

    def test_the_setup_is_built_for_every_turn(self) -> None:
        desk = Desk([scripted_text("One")], [scripted_text("Two")])

        async def scene() -> None:
            await desk.say("a")
            desk.text_mode = True
            await desk.say("b")

        play(scene)
        assert [request.dialect for request in desk.model.requests] == ["native", "tool_request"]  # type: ignore[union-attr]


class TestTitle:
    def test_the_first_words_are_the_title(self) -> None:
        desk = Desk([scripted_text("One")], [scripted_text("Two")])
        play(lambda: desk.say("Good\n morning,  Neo", "And now?"))
        assert desk.window.titles == ["", "Good morning, Neo"]

    def test_a_long_title_is_cut(self) -> None:
        desk = Desk([scripted_text("One")])
        play(lambda: desk.say("word " * 50))
        title = desk.window.titles[-1]
        assert len(title) == 40
        assert title.endswith("…")

    def test_a_title_of_the_user_stays(self) -> None:
        desk = Desk([scripted_text("One")])

        async def scene() -> None:
            info = await desk.store.create_conversation("Cats")
            await desk.chat.open(info.id)
            await desk.say("Hi")

        play(scene)
        assert desk.window.titles == ["Cats"]


class TestStop:
    def test_stop_while_the_reply_streams(self) -> None:
        desk = Desk([scripted_text("Once"), STREAMING], [scripted_text("Yes?")])

        async def scene() -> None:
            desk.chat.send("Tell me")
            await asyncio.sleep(1)
            desk.chat.stop()
            await desk.chat.wait_idle()
            assert (await desk.last()).state is MessageState.CANCELLED
            assert (await desk.last()).text == "Once"
            await desk.say("Hey")

        play(scene)
        assert desk.asked(1) == ["Tell me", "Once", "Hey"]

    def test_stop_while_a_tool_runs_and_the_next_message_works(self) -> None:
        async def work(arguments: Mapping[str, object], progress: Progress) -> str:
            return await forever()

        desk = Desk([scripted_call("dig")], [scripted_text("Yes?")], tools=Tools(dig=work))

        async def scene() -> None:
            desk.chat.send("Dig")
            await asyncio.sleep(1)
            desk.chat.stop()
            await desk.chat.wait_idle()
            (card,) = (await desk.last()).blocks
            assert isinstance(card, ToolUse)
            assert card.status is ToolStatus.CANCELLED
            await desk.say("Hey")

        play(scene)
        request = desk.model.requests[1]
        assert isinstance(request, ModelRequest)
        kinds = [type(message).__name__ for message in request.messages]
        assert kinds == ["UserTurn", "AssistantTurn", "ToolResults", "UserTurn"]

    def test_stop_before_the_turn_has_really_begun(self) -> None:
        desk = Desk([scripted_text("One")])

        async def scene() -> None:
            desk.chat.send("Hi")
            desk.chat.stop()
            await desk.chat.wait_idle()
            assert [m.role for m in await desk.history()] == [Role.USER, Role.ASSISTANT]
            assert (await desk.last()).state is MessageState.CANCELLED

        play(scene)
        assert desk.model.requests == []

    def test_when_nothing_runs(self) -> None:
        desk = Desk([scripted_text("One")])

        async def scene() -> None:
            desk.chat.stop()
            await desk.say("Hi")
            assert (await desk.last()).state is MessageState.DONE

        play(scene)


class TestHeldQueue:
    def test_stop_holds_queued_messages_until_the_user_continues(self) -> None:
        desk = Desk(
            [scripted_text("Once"), STREAMING], [scripted_text("Two.")], [scripted_text("Three.")]
        )

        async def scene() -> None:
            for text in ("one", "two", "three"):
                desk.chat.send(text)
            await asyncio.sleep(1)
            desk.chat.stop()
            await desk.chat.wait_idle()
            assert [m.text for m in await desk.history()] == ["one", "Once"]
            desk.chat.send_queue()
            await desk.chat.wait_idle()
            assert [m.text for m in await desk.history()][2:] == ["two", "Two.", "three", "Three."]

        play(scene)
        assert desk.window.queues[-1] == ()

    def test_a_new_message_goes_first_and_the_queue_still_waits(self) -> None:
        desk = Desk([scripted_text("Once"), STREAMING], [scripted_text("Well.")])

        async def scene() -> None:
            desk.chat.send("one")
            desk.chat.send("two")
            await asyncio.sleep(1)
            desk.chat.stop()
            await desk.chat.wait_idle()
            await desk.say("no, this")
            assert [m.text for m in await desk.history()][2:] == ["no, this", "Well."]

        play(scene)
        assert desk.window.queues[-1] == ("two",)

    def test_after_the_last_one_is_taken_back_nothing_is_held(self) -> None:
        desk = Desk(
            [scripted_text("Once"), STREAMING],
            [scripted_text("Two"), 1.0],
            [scripted_text("Three.")],
        )

        async def scene() -> None:
            desk.chat.send("one")
            desk.chat.send("x")
            await asyncio.sleep(1)
            desk.chat.stop()
            await desk.chat.wait_idle()
            desk.chat.unqueue(0)
            desk.chat.send("two")
            desk.chat.send("three")
            await desk.chat.wait_idle()
            assert (await desk.last()).text == "Three."

        play(scene)

    def test_continuing_an_empty_queue_does_nothing(self) -> None:
        desk = Desk()
        desk.chat.send_queue()
        assert desk.window.queues == []


class TestNotices:
    """Continue, Retry and Switch act in the same message."""

    def test_continue_after_a_broken_stream(self) -> None:
        desk = Desk([scripted_text("Once"), StreamBroken()], [scripted_text("upon")])

        async def scene() -> None:
            answer = (await desk.say("Tell me"))[-1]
            desk.chat.run_notice_action(answer.id, Action.CONTINUE)
            await desk.chat.wait_idle()
            history = await desk.history()
            assert len(history) == 2
            text, notice, more = history[-1].blocks
            assert isinstance(notice, Notice)
            assert notice.resolved
            assert (text, more) == (Text(0, 0, "Once"), Text(2, 1, "upon"))
            assert history[-1].state is MessageState.DONE
            assert desk.window.messages[answer.id].blocks == list(history[-1].blocks)

        play(scene)
        assert desk.asked(1)[:2] == ["Tell me", "Once"]

    def test_retry_drops_the_failed_round(self) -> None:
        desk = Desk(
            [scripted_call("clock")],
            [scripted_text("Ni"), StreamBroken()],
            [scripted_text("Nine.")],
        )

        async def scene() -> None:
            answer = (await desk.say("Time?"))[-1]
            desk.chat.run_notice_action(answer.id, Action.RETRY)
            await desk.chat.wait_idle()
            card, text = (await desk.last()).blocks
            assert isinstance(card, ToolUse)
            assert text == Text(1, 1, "Nine.")

        play(scene)
        assert BlocksRemoved(1) in desk.window.events
        assert desk.tools.ran == [("clock", {})]

    def test_a_conversation_that_another_process_deleted_loses_no_message(self) -> None:
        desk = Desk([scripted_text("One.")], [scripted_text("Two.")])

        async def scene() -> None:
            await desk.say("First")
            gone = desk.chat.conversation
            assert gone is not None
            await desk.store.delete_conversation(gone.id)
            shown = await desk.say("Second")
            assert [one.text for one in shown] == ["Second", "Two."]
            present = desk.chat.conversation
            assert present is not None and present.id != gone.id
            assert [one.id for one in await desk.store.conversations()] == [present.id]
            await desk.store.delete_conversation(present.id)
            assert (await desk.chat.open_new()).id != present.id

        play(scene)

    def test_what_another_process_adds_is_shown(self) -> None:
        desk = Desk([scripted_text("One.")])

        async def scene() -> None:
            await desk.say("First")
            info = desk.chat.conversation
            assert info is not None
            await desk.chat.reload_external_changes()
            added = Message("x", Role.USER, (Text(0, 0, "Elsewhere"),), MessageState.DONE, 9.0, 9.0)
            await desk.store.add_message(info.id, added)
            await desk.chat.reload_external_changes()
            assert "x" in desk.window.messages

        play(scene)

    def test_asking_again_with_memory_makes_another_version(self) -> None:
        desk = Desk([scripted_text("Without.")], [scripted_text("With.")])

        async def scene() -> None:
            answer = (await desk.say("Where is it?"))[-1]
            desk.chat.run_notice_action(answer.id, Action.ASK_AGAIN)
            await desk.chat.wait_idle()
            again = await desk.last()
            assert again.id != answer.id and again.text == "With."

        play(scene)

    def test_continue_after_a_limit(self) -> None:
        desk = Desk([scripted_call("clock")], [scripted_text("Nine.")], limits=TurnLimits(rounds=1))

        async def scene() -> None:
            answer = (await desk.say("Time?"))[-1]
            assert answer.state is MessageState.FAILED
            desk.chat.run_notice_action(answer.id, Action.CONTINUE)
            await desk.chat.wait_idle()
            assert (await desk.last()).text == "Nine."

        play(scene)

    def test_switching_to_text_mode_repeats_the_request_with_it(self) -> None:
        desk = Desk([ToolsUnsupported()], [scripted_text("Hello")])

        async def scene() -> None:
            answer = (await desk.say("Hi"))[-1]
            desk.chat.run_notice_action(answer.id, Action.SWITCH_TO_TEXT)
            await desk.chat.wait_idle()
            assert (await desk.last()).blocks == (Text(0, 0, "Hello"),)

        play(scene)
        assert desk.text_mode
        assert [request.dialect for request in desk.model.requests] == ["native", "tool_request"]  # type: ignore[union-attr]

    def test_the_button_for_settings_is_handled_by_the_interface(self) -> None:
        desk = Desk([Unreachable()])

        async def scene() -> None:
            answer = (await desk.say("Hi"))[-1]
            desk.chat.run_notice_action(answer.id, Action.OPEN_SETTINGS)
            assert not desk.chat.running

        play(scene)

    def test_an_older_message_is_continued_with_its_own_history(self) -> None:
        desk = Desk(
            [scripted_text("Once"), StreamBroken()],
            [scripted_text("Fine.")],
            [scripted_text("upon")],
        )

        async def scene() -> None:
            history = await desk.say("Tell me", "How are you?")
            desk.chat.run_notice_action(history[1].id, Action.CONTINUE)
            await desk.chat.wait_idle()
            assert (await desk.history())[1].text == "Once\n\nupon"

        play(scene)
        assert desk.asked(2)[:2] == ["Tell me", "Once"]
        assert "How are you?" not in desk.asked(2)

    def test_buttons_do_nothing_while_a_turn_runs(self) -> None:
        desk = Desk([Unreachable()], [scripted_text("Two"), 1.0])

        async def scene() -> None:
            answer = (await desk.say("One"))[-1]
            desk.chat.send("Two")
            desk.chat.run_notice_action(answer.id, Action.RETRY)
            await desk.chat.wait_idle()
            assert len(await desk.history()) == 4

        play(scene)
        assert len(desk.model.requests) == 2

    def test_a_button_of_a_deleted_message(self) -> None:
        desk = Desk()

        async def scene() -> None:
            desk.chat.run_notice_action("nobody", Action.RETRY)
            await desk.chat.wait_idle()

        play(scene)
        assert desk.window.running == [True, False]
        assert desk.window.troubles == []


def message(*blocks: Block) -> Message:
    return Message("m", Role.ASSISTANT, blocks, MessageState.FAILED, 0.0)


@pytest.mark.parametrize(
    ("blocks", "kept"),
    [
        ((), 0),
        ((Notice(0, 0, "unreachable"),), 0),
        ((Text(0, 0, "a"), Notice(1, 0, "stream_broken")), 0),
        ((ToolUse(0, 0, "c", "t"), Notice(1, 1, "unreachable")), 1),
        ((ToolUse(0, 0, "c", "t"), Text(1, 1, "a"), Notice(2, 1, "stream_broken")), 1),
        ((ToolUse(0, 0, "c", "t"), Text(1, 1, "a")), 1),
    ],
    ids=["nothing", "a notice", "cut text", "nothing came", "the second round", "stopped"],
)
def test_how_much_is_kept_when_the_last_round_is_retried(
    blocks: tuple[Block, ...], kept: int
) -> None:
    assert count_kept_blocks(message(*blocks)) == kept


class TestVersions:
    def test_a_regenerated_answer_is_a_version_beside_the_old_one(self) -> None:
        desk = Desk([scripted_text("One")], [scripted_text("Two")])

        async def scene() -> None:
            question, old = await desk.say("Hi")
            await desk.chat.regenerate(old.id)
            await desk.chat.wait_idle()
            same, new = await desk.history()
            assert (same, new.text) == (question, "Two")
            assert desk.window.paths == [[question.id, new.id]]
            assert desk.window.messages[new.id].blocks == list(new.blocks)
            await desk.chat.step_version(new.id, -1)
            assert await desk.history() == [question, old]

        play(scene)
        assert desk.asked(1) == ["Hi"]

    def test_an_older_answer_can_be_regenerated_and_keeps_its_continuation(self) -> None:
        desk = Desk([scripted_text("One")], [scripted_text("Two")], [scripted_text("Anew")])

        async def scene() -> None:
            history = await desk.say("a", "b")
            await desk.chat.regenerate(history[1].id)
            await desk.chat.wait_idle()
            assert [m.text for m in await desk.history()] == ["a", "Anew"]
            await desk.chat.step_version((await desk.last()).id, -1)
            assert await desk.history() == history

        play(scene)
        assert desk.asked() == ["a"]

    def test_with_another_model(self) -> None:
        desk = Desk([scripted_text("One")], [scripted_text("Two")])

        async def scene() -> None:
            answer = (await desk.say("a"))[-1]
            await desk.chat.regenerate(answer.id, "the other")
            await desk.say("b")

        play(scene)
        assert desk.named == ["", "the other", ""]

    def test_an_edited_message_is_answered_with_only_its_own_history(self) -> None:
        async def work(arguments: Mapping[str, object], progress: Progress) -> str:
            return "nine"

        desk = Desk(
            [scripted_call("clock")], [scripted_text("Nine.")], [scripted_text("Two")],
            [scripted_text("Anew")], [scripted_text("More")],
            tools=Tools(clock=work),
        )  # fmt: skip
        red = picture("red")

        async def scene() -> None:
            history = await desk.say("a", "b")
            await desk.chat.edit(history[2].id, "B", [red])
            await desk.chat.wait_idle()
            now = await desk.history()
            assert now[:2] == history[:2]
            assert [m.text for m in now[2:]] == ["B", "Anew"]
            await desk.chat.edit(history[0].id, "A")
            await desk.chat.wait_idle()
            assert [m.text for m in await desk.history()] == ["A", "More"]
            await desk.chat.show_message(history[3].id)
            assert await desk.history() == history

        play(scene)
        assert desk.asked(3) == ["a", "", "Nine.", "B"], "the call and its result are there"
        assert desk.asked(4) == ["A"]

    def test_the_title_follows_the_first_message(self) -> None:
        desk = Desk([scripted_text("One")], [scripted_text("Two")], [scripted_text("Three")])

        async def scene() -> None:
            first, _ = await desk.say("Good mroning")
            await desk.chat.edit(first.id, "Good morning")
            await desk.say("More")
            await desk.chat.edit((await desk.history())[2].id, "Something else")
            await desk.chat.wait_idle()

        play(scene)
        assert desk.window.titles == ["", "Good mroning", "Good morning"]

    def test_looking_at_another_version_does_not_end_the_turn(self) -> None:
        desk = Desk(
            [scripted_text("One")],
            [scripted_text("Tw"), 5.0, scripted_text("o"), 1.0, scripted_text("!")],
        )

        async def scene() -> None:
            _, old = await desk.say("Hi")
            await desk.chat.regenerate(old.id)
            await asyncio.sleep(1)
            running = await desk.last()
            await desk.chat.step_version(running.id, -1)
            assert await desk.last() == old
            assert desk.chat.running
            await asyncio.sleep(5)
            await desk.chat.step_version(old.id, 1)
            shown = desk.window.messages[running.id].blocks
            assert "".join(b.text for b in shown if isinstance(b, Text)) == "Two"
            await desk.chat.wait_idle()
            assert desk.window.messages[running.id].blocks == list((await desk.last()).blocks)
            assert (await desk.last()).text == "Two!"

        play(scene)

    def test_queued_messages_go_to_the_version_that_is_shown_then(self) -> None:
        desk = Desk([scripted_text("One")], [scripted_text("Two"), 5.0], [scripted_text("Three")])

        async def scene() -> None:
            _, old = await desk.say("Hi")
            await desk.chat.regenerate(old.id)
            await asyncio.sleep(1)
            await desk.chat.step_version((await desk.last()).id, -1)
            desk.chat.send("More")
            await desk.chat.wait_idle()
            assert [m.text for m in await desk.history()] == ["Hi", "One", "More", "Three"]

        play(scene)
        assert desk.asked() == ["Hi", "One", "More"]

    def test_an_edit_ends_the_running_turn_and_keeps_the_queue(self) -> None:
        desk = Desk([scripted_text("Once"), STREAMING], [scripted_text("Two")])

        async def scene() -> None:
            desk.chat.send("a")
            await asyncio.sleep(1)
            desk.chat.send("later")
            first = (await desk.history())[0]
            await desk.chat.edit(first.id, "A")
            await desk.chat.wait_idle()
            assert [m.text for m in await desk.history()] == ["A", "Two"]
            await desk.chat.step_version((await desk.history())[0].id, -1)
            assert (await desk.last()).state is MessageState.CANCELLED

        play(scene)
        assert desk.window.queues == [("later",), ("later",)]

    def test_deleting_and_undo(self) -> None:
        desk = Desk([scripted_text("One")], [scripted_text("Two")], [scripted_text("Three")])

        async def scene() -> None:
            history = await desk.say("a", "b")
            deletion = await desk.chat.delete_message(history[1].id, below=False)
            assert [m.text for m in await desk.history()] == ["a", "b", "Two"]
            await desk.chat.restore_messages(deletion)
            assert await desk.history() == history
            deletion = await desk.chat.delete_message(history[2].id, below=True)
            assert await desk.history() == history[:2]
            await desk.say("c")
            await desk.chat.restore_messages(deletion)
            assert await desk.history() == history
            assert desk.window.paths[-1] == [history[1].id, history[2].id, history[3].id]

        play(scene)
        assert desk.asked() == ["a", "One", "c"]

    def test_a_running_turn_ends_when_its_message_is_deleted(self) -> None:
        desk = Desk([scripted_text("Once"), STREAMING])

        async def scene() -> None:
            desk.chat.send("a")
            await asyncio.sleep(1)
            await desk.chat.delete_message((await desk.history())[0].id, below=True)
            assert not desk.chat.running
            assert await desk.history() == []

        play(scene)

    def test_a_new_conversation_from_here(self) -> None:
        desk = Desk([scripted_text("One")], [scripted_text("Two")], [scripted_text("Three")])

        async def scene() -> None:
            history = await desk.say("a", "b")
            made = await desk.chat.create_branch(history[1].id)
            assert desk.chat.conversation == made
            assert [m.text for m in await desk.history()] == ["a", "One"]
            await desk.say("c")

        play(scene)
        assert desk.window.titles[-1] == "a (branch)"
        assert desk.asked() == ["a", "One", "c"]

    def test_a_deleted_conversation_is_reported(self) -> None:
        desk = Desk([scripted_text("One")])

        async def scene() -> None:
            answer = (await desk.say("a"))[-1]
            with pytest.raises(MessageNotFound):
                await desk.chat.step_version(answer.id, 1)
            with pytest.raises(MessageNotFound):
                await desk.chat.delete_message("nobody", below=False)
            await desk.chat.regenerate("nobody")
            await desk.chat.wait_idle()

        play(scene)
        assert [type(error) for error in desk.window.troubles] == [MessageNotFound]


class TestOpening:
    def test_the_first_start_makes_a_conversation(self) -> None:
        desk = Desk()

        async def scene() -> None:
            assert desk.chat.conversation is None
            info = await desk.chat.open()
            assert desk.chat.conversation == info
            assert await desk.store.conversations() == [info]

        play(scene)

    def test_the_last_used_conversation_is_opened(self) -> None:
        desk = Desk([scripted_text("One")])

        async def scene() -> None:
            first = await desk.store.create_conversation("first")
            second = await desk.store.create_conversation("second")
            await desk.chat.open(first.id)
            await desk.say("Hi")
            again = Desk(store=desk.store)
            assert (await again.chat.open()).id == first.id
            assert (await again.chat.open(second.id)).id == second.id

        play(scene)

    def test_an_unknown_conversation_gives_a_new_one(self) -> None:
        desk = Desk()

        async def scene() -> None:
            known = await desk.store.create_conversation("first")
            assert (await desk.chat.open("nobody")).id != known.id

        play(scene)

    def test_a_new_conversation_unless_the_current_one_is_empty(self) -> None:
        desk = Desk([scripted_text("One")])

        async def scene() -> None:
            first = await desk.chat.open_new()
            assert await desk.chat.open_new() == first
            await desk.say("Hi")
            second = await desk.chat.open_new()
            assert second.id != first.id
            assert await desk.history() == []

        play(scene)

    def test_leaving_a_conversation_ends_its_turn_and_its_queue(self) -> None:
        desk = Desk([scripted_text("Once"), STREAMING])

        async def scene() -> None:
            first = await desk.chat.open()
            desk.chat.send("Tell me")
            desk.chat.send("And then?")
            await asyncio.sleep(1)
            await desk.chat.open_new()
            assert not desk.chat.running
            _, answer = await desk.store.history(first.id)
            assert answer.state is MessageState.CANCELLED

        play(scene)
        assert desk.window.queues == [("And then?",), ()]

    def test_a_message_that_is_sent_during_a_switch_goes_to_the_new_conversation(self) -> None:
        desk = Desk([scripted_text("Once"), STREAMING], [scripted_text("Hi there")])

        async def scene() -> None:
            first = await desk.chat.open()
            desk.chat.send("Tell me")
            await asyncio.sleep(1)
            switch = asyncio.ensure_future(desk.chat.open_new())  # noqa: TID251
            await asyncio.sleep(0)
            desk.chat.send("Hello")
            second = await switch
            await desk.chat.wait_idle()
            texts = [m.text for m in await desk.store.history(second.id)]
            assert texts == ["Hello", "Hi there"]
            assert [m.text for m in await desk.store.history(first.id)] == ["Tell me", "Once"]

        play(scene)

    def test_opening_the_open_conversation_does_not_end_the_turn(self) -> None:
        desk = Desk([scripted_text("Once"), 2.0, scripted_text(" upon")])

        async def scene() -> None:
            info = await desk.chat.open()
            desk.chat.send("Tell me")
            await asyncio.sleep(1)
            await desk.chat.open(info.id)
            assert desk.chat.running
            await desk.chat.wait_idle()
            assert (await desk.last()).state is MessageState.DONE

        play(scene)


class TestClosing:
    def test_closing_keeps_the_running_message_and_the_next_start_continues_it(self) -> None:
        desk = Desk([scripted_text("Once"), STREAMING])

        async def scene() -> None:
            desk.chat.send("Tell me")
            desk.chat.send("And then?")
            await asyncio.sleep(1)
            await desk.chat.aclose()
            left = await desk.last()
            assert (left.state, left.text) == (MessageState.RUNNING, "Once")
            assert desk.model.abandoned == 1

            assert await desk.store.interrupt_running() == [left.id]
            again = Desk([scripted_text("upon")], store=desk.store)
            await again.chat.open()
            again.window.on_chat_event(MessageAdded(desk.store.message(left.id)))
            again.chat.run_notice_action(left.id, Action.CONTINUE)
            await again.chat.wait_idle()
            assert (await again.last()).text == "Once\n\nupon"
            assert (await again.last()).state is MessageState.DONE

        play(scene)
        assert not any(isinstance(event, TurnEnded) for event in desk.window.events)

    def test_when_nothing_runs(self) -> None:
        desk = Desk()
        play(desk.chat.aclose)
        assert desk.store.flushes == 1


class TestApprovals:
    def test_the_answer_reaches_the_tool(self) -> None:
        desk = Desk([scripted_call("write")], [scripted_text("Done.")], asks=frozenset({"write"}))

        async def scene() -> None:
            desk.chat.send("Write")
            await asyncio.sleep(1)
            answer = await desk.last()
            assert answer.blocks[0].status is ToolStatus.ASKING  # type: ignore[union-attr]
            assert desk.chat.approvals.answer(answer.id, 0, Decision(True))
            await desk.chat.wait_idle()

        play(scene)
        assert desk.tools.ran == [("write", {})]

    def test_an_answer_after_stop_is_ignored(self) -> None:
        desk = Desk([scripted_call("write")], asks=frozenset({"write"}))

        async def scene() -> None:
            desk.chat.send("Write")
            await asyncio.sleep(1)
            desk.chat.stop()
            await desk.chat.wait_idle()
            assert not desk.chat.approvals.answer((await desk.last()).id, 0, Decision(True))

        play(scene)
        assert desk.tools.ran == []


class TestTrouble:
    @pytest.mark.parametrize(
        "method", ["conversations", "create_conversation", "add_message", "history", "flush"]
    )
    def test_a_failing_store_is_reported_and_the_chat_continues(self, method: str) -> None:
        desk = Desk([scripted_text("One")])

        async def scene() -> None:
            desk.store.failing = {method}
            desk.chat.send("Hi")
            await desk.chat.wait_idle()
            assert not desk.chat.running
            desk.store.failing = set()
            desk.window.messages.clear()
            await desk.say("Hi again")
            assert (await desk.last()).text == "One"

        play(scene)
        assert [error.code for error in desk.window.troubles] == [StoreError.code]
        assert desk.window.running == [True, False, True, False]


@pytest.mark.parametrize("kind", [TurnAdvanced, MessageAdded, RunningChanged, ConversationChanged])
def test_a_failing_listener_is_logged_once_and_the_turn_continues(
    kind: type[ChatEvent], caplog: pytest.LogCaptureFixture
) -> None:
    class Failing:
        def on_chat_event(self, event: ChatEvent) -> None:
            if isinstance(event, kind):
                raise RuntimeError("paint")

    desk = Desk([scripted_text("One")], [scripted_text("Two")])
    window, desk.window = desk.window, Window()
    desk.chat.subscribe(Failing())
    desk.chat.subscribe(desk.window)  # it is called after the one that fails

    async def scene() -> None:
        await desk.say("Hi")
        await desk.chat.regenerate((await desk.last()).id)
        await desk.chat.wait_idle()
        assert (await desk.last()).text == "Two"
        assert (await desk.last()).state is MessageState.DONE

    play(scene)
    assert desk.window.events == window.events
    assert desk.window.running == window.running == [True, False, True, False]
    assert desk.window.paths == window.paths != []
    assert caplog.text.count("A listener failed") == 1


class TestGivingUp:
    """A turn that can't be run ends in its message with the reason."""

    def test_an_unreadable_history(self) -> None:
        desk = Desk([scripted_text("One")])

        async def scene() -> None:
            desk.store.failing = {"history"}
            desk.chat.send("Hi")
            await desk.chat.wait_idle()
            desk.store.failing = set()
            last = await desk.last()
            assert last.state is MessageState.FAILED
            assert [getattr(block, "code", "") for block in last.blocks] == [StoreError.code]

        play(scene)
