"""A conversation with the offline helper through the real turn engine, with real tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import count

from neodeskpet.conversation.ports import Decision
from neodeskpet.conversation.runner import ReplySource, TurnRunner
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.blocks import Message, MessageState, Role, Text, Thinking, ToolStatus, ToolUse
from neodeskpet.core.dialects import DIALECTS
from neodeskpet.core.model import Model
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import TurnEvent
from neodeskpet.llm.offline import OfflineModel
from neodeskpet.notebook.note_tools import note_tools
from neodeskpet.notebook.notes import NotesInMemory
from neodeskpet.notebook.timer_tools import timer_tools
from neodeskpet.notebook.timers import Timer, TimerService, TimersInMemory
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.calculator import calc_tools
from neodeskpet.tools.builtin.clock import time_tools
from neodeskpet.tools.builtin.live2d import live2d_tools
from tests.support.policies import AskFor

NOW = datetime(2025, 11, 21, 15, 0, tzinfo=timezone(timedelta(hours=8)))
START = datetime(2025, 11, 21, 15, 0).timestamp()


class NeoBody:
    """The names of the figure that comes with the app."""

    def __init__(self) -> None:
        self.faces = ["neutral", "smile", "joy", "shy", "sad", "cry", "angry", "surprised"]
        self.faces += ["sleepy", "wink", "thinking", "love"]
        self.can_be_grouped = {"Idle": 2, "TapBody": 1, "Wave": 1, "Nod": 1}
        self.acts: list[str] = []

    def expressions(self) -> Sequence[str]:
        return self.faces

    def motions(self) -> Mapping[str, int]:
        return self.can_be_grouped

    def parameters(self) -> Mapping[str, tuple[float, float, float]]:
        return {}

    def notes(self, kind: str) -> Mapping[str, str]:
        return {}

    def animate(self, script: Sequence[Mapping[str, object]]) -> float:
        return 0.0

    def wearables(self) -> Sequence[str]:
        return ()

    def wear(self, part: str) -> None:
        pass

    def express(self, name: str) -> None:
        self.acts.append(name)

    def play(self, group: str, index: int | None) -> None:
        self.acts.append(group)


@dataclass
class Reply:
    """One assistant message, and its wire events."""

    message: Message

    @property
    def text(self) -> str:
        return "".join(b.text for b in self.message.blocks if isinstance(b, Text))

    @property
    def calls(self) -> list[tuple[str, dict[str, object]]]:
        return [(c.name, dict(c.arguments or {})) for c in self.cards]

    @property
    def cards(self) -> list[ToolUse]:
        return [b for b in self.message.blocks if isinstance(b, ToolUse)]

    @property
    def shape(self) -> list[str]:
        """The kinds of the blocks in order: text, thinking, or a tool's name."""
        names = {Text: "text", Thinking: "thinking"}
        return [b.name if isinstance(b, ToolUse) else names[type(b)] for b in self.message.blocks]


class _Yes:
    async def ask(self, *_: object) -> Decision:
        return Decision(allowed=True)


class _No:
    async def ask(self, *_: object) -> Decision:
        return Decision(allowed=False, reason="not now")


class Ears:
    def __init__(self) -> None:
        self.events: list[TurnEvent] = []

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        self.events.append(event)


class Talk:
    """Say something, get the reply; the history is kept."""

    def __init__(self, dialect: str, make_model: Callable[[Toolbox], Model] | None = None) -> None:
        self.dialect = DIALECTS[dialect]
        self.body = NeoBody()
        self.now = START
        self.start_requested: list[Timer] = []
        self.timers = TimerService(
            TimersInMemory(),
            self.start_requested.append,
            clock=lambda: self.now,
        )
        self.notes = NotesInMemory(lambda: self.now)
        self.off: set[str] = set()
        self.toolbox = Toolbox(
            AppTools(
                [
                    *live2d_tools(self.body),
                    *time_tools(lambda: NOW),
                    *timer_tools(self.timers),
                    *note_tools(self.notes),
                    *calc_tools(),
                ]
            ),
            enabled=lambda spec: spec.name not in self.off,
        )
        self.model = make_model(self.toolbox) if make_model else self.offline_model(self.toolbox)
        self.asks: frozenset[str] = frozenset()
        self.approval = True
        self.history: list[Message] = []
        self.ears = Ears()
        self._ids = count(1)

    def offline_model(self, toolbox: Toolbox) -> OfflineModel:
        return OfflineModel(toolbox.specs, delay=0, clock=lambda: datetime.fromtimestamp(self.now))

    def say(self, words: str) -> Reply:
        person = Message(
            f"u{next(self._ids)}", Role.USER, (Text(0, 0, words),), MessageState.DONE, self.now
        )
        self.history.append(person)
        return asyncio.run(asyncio.wait_for(self.answer(), 30))

    async def answer(self) -> Reply:
        blank = Message(f"a{next(self._ids)}", Role.ASSISTANT, (), MessageState.RUNNING, self.now)
        setup = TurnSetup(self.model, self.toolbox, self.dialect)
        turn = Turn(blank.id, policy=AskFor(*self.asks), limits=setup.limits)
        runner = TurnRunner(
            turn,
            ReplySource(
                self.model,
                self.dialect,
                lambda blocks, tools: setup.request(self.history, blank, blocks, tools),
            ),
            toolbox=self.toolbox,
            approver=_Yes() if self.approval else _No(),
            listeners=[self.ears],
            now=lambda: self.now,
        )
        state = await runner.run()
        done = Message(
            blank.id, Role.ASSISTANT, turn.blocks, state, self.now, rounds=turn.round + 1
        )
        self.history.append(done)
        assert state is MessageState.DONE, turn.blocks
        assert all(
            block.status.ended and block.status is not ToolStatus.INTERRUPTED
            for block in turn.blocks
            if isinstance(block, ToolUse)
        )
        return Reply(done)


Calls = list[tuple[str, dict[str, object]]]


def one(tool: str, /, **arguments: object) -> Calls:
    """Exactly this call."""
    return [(tool, arguments)]


def face(name: str) -> Calls:
    return one("live2d.expression", name=name)


def motion(group: str) -> Calls:
    return one("live2d.motion", group=group)


def expect(talk: Talk, words: str, calls: Calls, answer: str) -> None:
    """Check that the words make these calls, and that the answer contains `answer`, ignoring white
    space.
    """
    reply = talk.say(words)
    assert reply.calls == calls
    assert "".join(answer.split()) in "".join(reply.text.split())
    assert "<<<" not in reply.text
