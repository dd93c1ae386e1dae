"""One response of the model while it is written: deltas become blocks of the draft.

Text and thinking grow one block for each part; white space alone makes no block. A call opens a
card at once, and its arguments grow as they stream. The methods return the events to show.
"""

from __future__ import annotations

from dataclasses import replace

from neodeskpet.core.attachments import name_by_content
from neodeskpet.core.blocks import Image, Text, Thinking, ToolUse
from neodeskpet.core.data_labels import DataSource
from neodeskpet.core.toolspec import ToolNames
from neodeskpet.core.turn.code_continuation import OpenFence
from neodeskpet.core.turn.message_draft import MessageDraft
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    TextAppended,
    TurnEvent,
)
from neodeskpet.core.wire import (
    PictureReceived,
    RefusalDelta,
    TextDelta,
    TextRetracted,
    ThinkingDelta,
    ThinkingRetracted,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
)

Delta = TextDelta | RefusalDelta | ThinkingDelta
_Part = tuple[type[Delta], int]
"""Kind of text and wire index: the deltas of one part make one block."""


class ReplyBuilder:
    """Writes round `number` into `draft`. Times are Unix seconds. A call without a provider's id
    gets `call_{round}_{index}`: rounds from 1, calls from 0.

    `called`: the model made a call. `cut`: one of its calls can't be run as written. `open_fence`:
    the open code that the text may continue. `untrusted`: the untrusted sources that the model
    reads.
    """

    def __init__(
        self,
        draft: MessageDraft,
        names: ToolNames,
        number: int,
        open_fence: OpenFence | None = None,
    ) -> None:
        self.called = False
        self.cut = False
        self.untrusted: tuple[DataSource, ...] = ()
        self._draft = draft
        self._names = names
        self._round = number
        self._open: _Part | None = None  # the growing text or thinking
        self._at = -1  # its block: the last one, unless it continues cut code
        self._before: Text | None = None  # that block as it was
        self._open_fence = open_fence
        self._held = ""  # text whose block isn't known yet
        self._blank: tuple[_Part | None, str] = (None, "")  # white space without a block
        self._calls = 0  # number of calls
        self._unread: dict[int, int] = {}  # wire index -> block of a call that still streams

    def take_text(self, delta: Delta, now: float) -> list[TurnEvent]:
        part = (type(delta), delta.index)
        if self._open_fence is not None and isinstance(delta, TextDelta):
            return self._take_after_fence(self._open_fence, delta, now)
        if part == self._open:
            return self._grow(delta)
        before, blank = self._blank
        text = blank + delta.text if before == part else delta.text
        if not (text.strip() or _opaque(delta)):
            # White space alone makes no block (between tool calls).
            self._blank = (part, text)
            return []
        events = self.close_text(now)
        self._open, self._at, self._before = part, len(self._draft), None
        return [*events, self._add(self._new_block(delta, text, now))]

    def _take_after_fence(
        self, open_fence: OpenFence, delta: TextDelta, now: float, *, ended: bool = False
    ) -> list[TurnEvent]:
        """Take text that may belong to the cut code."""
        self._held += delta.text
        goes_on = open_fence.continues_code(self._held, ended=ended)
        if goes_on is None:
            return []
        held, self._held, self._open_fence = self._held, "", None
        if not goes_on:
            closed = open_fence.closed()
            self._draft.replace(closed)
            whole = TextDelta(delta.index, held)
            return [BlockChanged(closed), *self.take_text(whole, now)]
        events = self.close_text(now)
        index, words = open_fence.block.index, open_fence.join(held)
        self._open, self._at, self._before = (TextDelta, delta.index), index, open_fence.block
        self._draft.append(index, words)
        return [*events, BlockChanged(open_fence.block), TextAppended(index, words)]

    def retract_text(self, event: TextRetracted, now: float) -> list[TurnEvent]:
        """Turn the open text into thinking; text that isn't open any more is unchanged."""
        if self._open != (TextDelta, event.index):
            return []
        before, index = self._before, self._at
        block = self._draft[index]
        text = block.text if isinstance(block, Text) else ""
        self._open, self._blank = None, (None, "")
        events: list[TurnEvent] = [BlocksRemoved(index)]
        if before is not None:
            text = text[len(before.text) :]
            self._draft.replace(before)
            events, index = [BlockChanged(before)], len(self._draft)
        thought = Thinking(index, self._round, text, started=now, ended=now)
        self._draft.truncate(index)
        self._draft.add(thought)
        return [*events, BlockStarted(thought), BlockEnded(thought)]

    def retract_thinking(self, event: ThinkingRetracted, now: float) -> list[TurnEvent]:
        """Turn the open thinking back into text, after the text before it. Thinking that isn't open
        any more is unchanged.
        """
        if self._open != (ThinkingDelta, event.index):
            return []
        index = self._at
        thought = self._draft[index]
        words = event.opening + (thought.text if isinstance(thought, Thinking) else "")
        self._open, self._blank = None, (None, "")
        self._draft.truncate(index)
        events: list[TurnEvent] = [BlocksRemoved(index)]
        before = self._draft[index - 1] if index else None
        if isinstance(before, Text) and before.round == self._round and not before.refusal:
            self._open, self._at, self._before = (TextDelta, event.index), before.index, None
            self._draft.append(before.index, words)
            return [*events, TextAppended(before.index, words)]
        return [*events, *self.take_text(TextDelta(event.index, words), now)]

    def add_picture(self, event: PictureReceived, now: float) -> list[TurnEvent]:
        """Add a picture that the model made; its bytes are already stored."""
        events = self.close_text(now)
        digest = name_by_content(event.data)
        picture = Image(len(self._draft), self._round, digest, event.media_type)
        return [*events, self._add(picture), BlockEnded(picture)]

    def close_text(self, now: float) -> list[TurnEvent]:
        """End the open text or thinking block."""
        if self._open_fence is not None and self._held.strip():
            rest = TextDelta(0, "")
            return [
                *self._take_after_fence(self._open_fence, rest, now, ended=True),
                *self.close_text(now),
            ]
        opened, self._open, self._blank = self._open, None, (None, "")
        if opened is None:
            return []
        block = self._draft[self._at]
        if isinstance(block, Thinking):
            block = replace(block, ended=now)
            self._draft.replace(block)
        return [BlockEnded(block)]

    def start_call(self, event: ToolCallStarted, now: float) -> list[TurnEvent]:
        """Start a call. Raises KeyError if a call with this wire index is open."""
        if event.index in self._unread:
            raise KeyError(f"call {event.index} is open already")
        events = self.close_text(now)
        index = len(self._draft)
        self._unread[event.index] = index
        call_id = event.call_id or f"call_{self._round + 1}_{self._calls}"
        self.called = True
        self._calls += 1
        name = self._names.own_name(event.name)
        call = ToolUse(
            index,
            self._round,
            call_id,
            name,
            started=now,
            opaque=event.opaque,
            leaked=event.leaked,
        )
        return [*events, self._add(call)]

    def grow_call(self, event: ToolArgsDelta) -> list[TurnEvent]:
        """Append to the arguments of a call. Raises KeyError if no call with this wire index is
        open.
        """
        index = self._unread[event.index]
        if not event.json:
            return []
        self._draft.append(index, event.json)
        return [ArgumentsAppended(index, event.json)]

    def close_call(self, event: ToolCallReady) -> int:
        """Return the block of the call whose arguments are complete. Raises KeyError if no call
        with this wire index is open.
        """
        return self._unread.pop(event.index)

    def abandon_calls(self) -> list[int]:
        """Return the blocks of calls that were never closed."""
        left = list(self._unread.values())
        self.cut = self.cut or bool(left)
        self._unread.clear()
        return left

    def _grow(self, delta: Delta) -> list[TurnEvent]:
        index = self._at
        events: list[TurnEvent] = []
        if delta.text:
            self._draft.append(index, delta.text)
            events.append(TextAppended(index, delta.text))
        opaque = _opaque(delta)
        block = self._draft[index] if opaque else None
        if isinstance(block, Thinking):
            block = replace(block, opaque=opaque)
            self._draft.replace(block)
            events.append(BlockChanged(block))
        return events

    def _new_block(self, delta: Delta, text: str, now: float) -> Text | Thinking:
        index = len(self._draft)
        if isinstance(delta, ThinkingDelta):
            return Thinking(index, self._round, text, delta.opaque, started=now)
        refusal = isinstance(delta, RefusalDelta)
        return Text(index, self._round, text, refusal, self.untrusted)

    def _add(self, block: Text | Thinking | ToolUse | Image) -> TurnEvent:
        self._draft.add(block)
        return BlockStarted(block)


def _opaque(delta: Delta) -> str:
    return delta.opaque if isinstance(delta, ThinkingDelta) else ""
