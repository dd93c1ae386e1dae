"""The output of a turn on the terminal: as JSON lines, or as text and cards."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TextIO, assert_never

from neodeskpet.conversation.chat_events import ChatEvent, TurnAdvanced
from neodeskpet.core.app_windows.window_calls import steps_in
from neodeskpet.core.background_tasks import Task
from neodeskpet.core.blocks import (
    Block,
    Image,
    Message,
    MessageState,
    Notice,
    Text,
    Thinking,
    ToolUse,
)
from neodeskpet.core.turn.turn_events import BlockEnded, BlockStarted, TextAppended, TurnEvent
from neodeskpet.core.wire import (
    DescriptionAnnounced,
    LoadingAnnounced,
    PictureDescribed,
    RetryAnnounced,
    WaitAnnounced,
)
from neodeskpet.language import (
    join_sentences,
    tr,
    translate_code,
    translate_failure,
    with_tool_title,
)

_GLYPHS = {
    "success": "✓",
    "error": "✕",
    "cancelled": "⊘",
    "denied": "⛔",
    "interrupted": "⏸",
}
_MAX_SHORT_TEXT = 100


def event_line(message_id: str, event: TurnEvent) -> str:
    """Return an event as JSON: `type` is the event's name in snake case, then its fields."""
    name = "".join("_" + c.lower() if c.isupper() else c for c in type(event).__name__).lstrip("_")
    return json.dumps(
        {"type": name, "message_id": message_id, **_event_fields(event)}, ensure_ascii=False
    )


def task_line(kind: str, task: Task) -> str:
    """Return a background task as JSON."""
    call = task.call
    record = {
        "type": kind,
        "task_id": task.id,
        "name": call.name,
        "arguments": dict(call.arguments or {}),
        "status": call.status.value,
        "output": call.output or call.error,
    }
    return json.dumps(record, ensure_ascii=False)


def _event_fields(event: TurnEvent) -> Mapping[str, object]:
    fields = asdict(event)
    block = fields.get("block")
    if block is not None:
        whole: Block = getattr(event, "block")  # noqa: B009 - a union of events
        block["kind"] = whole.kind
        if isinstance(whole, ToolUse) and whole.shown is not None:
            block["shown"]["kind"] = whole.shown.kind
    return fields


_STEP_FIELDS = (
    "call_id",
    "window_id",
    "action_id",
    "params",
    "resolved_mode",
    "success",
    "message",
    "summary",
    "task_id",
    "turn",
    "index",
)
"""The fields of a step in a window."""


def result_record(message: Message) -> dict[str, object]:
    """Return the last line of `chat --json`: the result of the turn."""
    calls = [block for block in message.blocks if isinstance(block, ToolUse)]
    images = [
        {"digest": block.digest, "media_type": block.media_type}
        for block in message.blocks
        if isinstance(block, Image)
    ]
    return {
        "type": "result",
        "success": message.state is MessageState.DONE,
        "error": ending_notice(message),
        "model": message.model,
        "finish_reason": None,
        "rounds": message.rounds,
        "tool_calls": [
            {
                "call_id": call.call_id,
                "name": call.name,
                "arguments": dict(call.arguments or {}),
                "status": call.status.value,
                "output": call.output or call.error,
                **({} if call.fault is None else {"error": call.fault.code}),
                **({"leaked": True} if call.leaked else {}),
                **({"task_id": call.task} if call.task else {}),
                **({"images": [asdict(image) for image in call.images]} if call.images else {}),
            }
            for call in calls
        ],
        **_window_actions(message),
        **({"images": images} if images else {}),
        "text": message.text,
        "thinking": message.thinking,
        "usage": None
        if message.usage is None
        else {
            "input_tokens": message.usage.input_tokens,
            "output_tokens": message.usage.output_tokens,
        },
    }


def _window_actions(message: Message) -> dict[str, object]:
    """Return the actions in windows, and the last one separately."""
    steps = steps_in(message.blocks)
    last = steps[-1] if steps else None
    names = ("window_id", "action_id", "params")
    keys = ("success", "message", "summary", "data")
    return {
        "steps": [{key: one for key, one in step.items() if key in _STEP_FIELDS} for step in steps],
        "action": last and {key: last.get(key) for key in names},
        "action_result": last and {key: last.get(key) for key in keys},
    }


def ending_notice(message: Message) -> dict[str, str] | None:
    """Return the notice that ended the turn, None if it is done."""
    if message.state is MessageState.DONE:
        return None
    if message.state is MessageState.CANCELLED:
        return {"type": "cancelled", "message": tr("Stopped."), "hint": ""}
    last = message.blocks[-1] if message.blocks else None
    if not isinstance(last, Notice):
        return {"type": message.state.value, "message": tr("The reply was cut off."), "hint": ""}
    what, hint = translate_code(last.code, dict(last.params), last.detail)
    return {"type": last.code, "message": what, "hint": hint}


class Transcript:
    """Writes a turn as text: the reply as it streams, a line for each card, notices at the end.
    `title` returns the display name of a tool.
    """

    def __init__(self, out: TextIO | None = None, title: Callable[[str], str] = str) -> None:
        self._title = title
        self._out = out or sys.stdout
        self._thinking: set[int] = set()
        self._line_open = False

    def on_chat_event(self, event: ChatEvent) -> None:
        if isinstance(event, TurnAdvanced):
            self.on_turn_event(event.event)

    def on_turn_event(self, event: TurnEvent) -> None:
        match event:
            case BlockStarted(block=Text(text=text)):
                self._write(text.lstrip("\n"))
            case BlockStarted(block=Thinking(index=index)):
                self._thinking.add(index)
            case TextAppended(index=index, text=text) if index not in self._thinking:
                self._write(text)
            case BlockEnded(block=Thinking() as block) if block.text.strip():
                self._line("… " + _shorten(block.text))
            case BlockEnded(block=ToolUse() | Image() | Notice() as block):
                self._line(self._block_text(block))
            case RetryAnnounced(attempt=attempt, delay=delay):
                self._line(
                    tr("Trying again in {seconds} s …", seconds=f"{delay:.0f}") + f" ({attempt})"
                )
            case (
                DescriptionAnnounced()
                | PictureDescribed()
                | LoadingAnnounced(ready=False)
                | WaitAnnounced()
            ):
                self._line("… " + _status(event))
            case BlockEnded():
                self._end_line()
            case _:
                pass

    def _block_text(self, block: ToolUse | Image | Notice) -> str:
        match block:
            case ToolUse():
                return _card_line(block, self._title(block.name))
            case Image(name=name, digest=digest):
                return tr("Picture: {name}", name=name or digest[:12])
            case Notice():
                params = with_tool_title(block.params, self._title)
                return f"! {join_sentences(*translate_code(block.code, params, block.detail))}"
            case _:
                assert_never(block)

    def print_task_end(self, task: Task) -> None:
        """Print the end of a background task."""
        self._line(_card_line(task.call, self._title(task.call.name)))

    def print_waiting(self, tasks: Sequence[Task]) -> None:
        names = ", ".join(self._title(task.call.name) for task in tasks)
        self._line(
            "… " + tr("Running in the background: {names}. Press Ctrl-C to end.", names=names)
        )

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
        if text:
            self._line_open = not text.endswith("\n")

    def _line(self, text: str) -> None:
        self._end_line()
        self._out.write(text + "\n")
        self._out.flush()

    def _end_line(self) -> None:
        if self._line_open:
            self._out.write("\n")
        self._line_open = False


def _status(
    event: DescriptionAnnounced | PictureDescribed | LoadingAnnounced | WaitAnnounced,
) -> str:
    if isinstance(event, WaitAnnounced):
        return tr("Waiting for the model: {time}", time=f"{event.seconds:.0f} s")
    if isinstance(event, LoadingAnnounced):
        return tr("Loading the model {model}…", model=event.model)
    if isinstance(event, PictureDescribed):
        return tr("In the picture: {description}", description=_shorten(event.description))
    if event.count == 1:
        return tr("Looking at the picture…")
    return tr("Looking at {count} pictures…", count=str(event.count))


def _card_line(call: ToolUse, title: str) -> str:
    glyph = _GLYPHS.get(call.status.value, "●")
    said = _shorten(call.output or translate_failure(call, title))
    arguments = _shorten(call.raw_arguments)
    return f"  {glyph} {title} {arguments} → {said}"


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_SHORT_TEXT else line[: _MAX_SHORT_TEXT - 1] + "…"
