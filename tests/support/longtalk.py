"""A conversation of hundreds of turns, and twenty open windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neodeskpet.app.turn_factory import WINDOWS_SHARE
from neodeskpet.conversation.prompt import ContextSlot, WindowsContext
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.app_windows.window import (
    AppWindow,
    WindowAction,
    WindowOptions,
    fit_windows,
    render_window,
)
from neodeskpet.core.blocks import Block, Message, MessageState, Role, Text, ToolStatus, ToolUse
from neodeskpet.core.data_labels import NO_LABELS, Labels
from neodeskpet.core.model import Model
from neodeskpet.core.toolspec import Toolbox


def talk(turns: int, words: int = 30) -> list[Message]:
    """A question and an answer per turn; every fifth answer has called a tool."""
    found: list[Message] = []
    for number in range(turns):
        said = f"{number} " + "some words 说的话 " * words
        blocks: tuple[Block, ...] = (Text(0, 0, said),)
        found.append(_message(f"q{number}", Role.USER, blocks))
        if number % 5 == 0:
            call = ToolUse(1, 0, "c", "note.add", '{"text": "x"}', {"text": "x"}, output=said)
            blocks = (*blocks, replace(call, status=ToolStatus.SUCCESS))
        found.append(_message(f"a{number}", Role.ASSISTANT, blocks))
    return found


def _message(message_id: str, role: Role, blocks: tuple[Block, ...]) -> Message:
    return Message(message_id, role, blocks, MessageState.DONE, 0.0)


def windows(count: int, content: int = 200) -> list[AppWindow]:
    """The first is pinned, every fourth is important."""
    actions = (WindowAction("add", "Add something.", {"type": "object", "properties": {}}),)
    return [
        AppWindow(
            f"w{number}",
            f"Window {number}",
            "What it is for.",
            "content " * content,
            actions,
            WindowOptions(pinned=number == 0, important=number % 4 == 0, appended=number % 2 == 0),
        )
        for number in range(count)
    ]


class Desktop:
    """`conversation.prompt.Desktop` over these windows."""

    def __init__(self, opened: Sequence[AppWindow]) -> None:
        self.opened = opened

    async def render(self, budget: int) -> tuple[str, str, Sequence[str], Labels]:
        kept = fit_windows(self.opened, budget)
        steady = [render_window(one) for one in kept if not one.options.appended]
        changing = [render_window(one) for one in kept if one.options.appended]
        left_out = [one.title for one in self.opened if one not in kept]
        return "\n".join(steady), "\n".join(changing), left_out, NO_LABELS


def long_setup(
    model: Model, toolbox: Toolbox, context: int, opened: Sequence[AppWindow]
) -> TurnSetup:
    """What answers in that conversation."""
    place = ContextSlot(WindowsContext(Desktop(opened)), round(WINDOWS_SHARE * context))
    persona = "You are Neo. " * 50
    return TurnSetup(
        model, toolbox, persona=persona, context=context, extra_slots=(place,), wraps_user_text=True
    )
