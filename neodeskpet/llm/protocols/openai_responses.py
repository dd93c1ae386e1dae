"""Decodes replies of OpenAI responses. The request is built in `responses_request.py`.

The same text is sent up to four times (in deltas, their `done`, the item's `done` and the
response's end); gateways leave out any of these. Text that was already emitted is skipped, and text
that only comes later is used.
"""

from __future__ import annotations

from typing import Any

from neodeskpet.core.json_text import MOST_BODY_DEPTH, read_json
from neodeskpet.core.wire import (
    RefusalDelta,
    ResponseFinished,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
)
from neodeskpet.llm.protocols import embeddings, openai_request
from neodeskpet.llm.protocols.protocol import (
    ModelProtocol,
    as_arguments,
    as_count,
    as_dict,
    as_list,
    as_text,
    compact_json,
    read_ids,
    unwrap_reply,
    write_opaque,
)
from neodeskpet.llm.protocols.provider_errors import bad_reply, error_in, reply_error
from neodeskpet.llm.protocols.reply_decoder import ReplyDecoder, TextKind, stream_cut_short
from neodeskpet.llm.protocols.reply_pictures import picture_in
from neodeskpet.llm.protocols.responses_request import NAME, REFUSABLE, build_request
from neodeskpet.llm.protocols.stop_reasons import stop_reason_of
from neodeskpet.llm.protocols.stream.sse import SseEvent

# event -> the kind of its text
_WORDS: dict[str, TextKind] = {
    "response.output_text.delta": TextDelta,
    "response.refusal.delta": RefusalDelta,
    "response.reasoning_summary_text.delta": ThinkingDelta,
    "response.reasoning_text.delta": ThinkingDelta,
}
# event -> the kind of its complete text, and the field with it
_WHOLE_WORDS: dict[str, tuple[TextKind, str]] = {
    "response.output_text.done": (TextDelta, "text"),
    "response.refusal.done": (RefusalDelta, "refusal"),
    "response.reasoning_summary_text.done": (ThinkingDelta, "text"),
    "response.reasoning_text.done": (ThinkingDelta, "text"),
}
_Place = tuple[object, object, object, object]
_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.done")


class _Call:
    """A call while it streams; `item`, `call_id` and `slot` may identify it."""

    def __init__(self, index: int, slot: object, item: str, call_id: str) -> None:
        self.index = index
        self.slot = slot
        self.item = item
        self.call_id = call_id
        self.pieces: list[str] = []
        self.closed = False

    def is_it(self, item: str, call_id: str) -> bool:
        """Return whether these may be its ids; "" is no id."""
        named = bool(item or call_id)
        return named and _same_id(self.item, item) and _same_id(self.call_id, call_id)


class _ReportedText:
    """The emitted text of one kind: that of the current part, and all."""

    __slots__ = ("all", "begun", "place")

    def __init__(self) -> None:
        self.place: _Place | None = None
        self.all: list[str] = []
        self.begun = 0  # the position in `all` where the current part begins

    def rest_of(self, text: str, place: _Place) -> str:
        """Return the end of a part's complete `text` that wasn't emitted yet."""
        if place == self.place and len(self.all) > self.begun:
            reported = "".join(self.all[self.begun :])
            return text[len(reported) :] if text.startswith(reported) else ""
        return "" if text in "".join(self.all) else text


class ResponsesDecoder(ReplyDecoder):
    """Reads `response.created` … `response.completed`, or one whole `response`."""

    protocol = NAME

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[_Call] = []
        self._growing: _Call | None = None
        self._spoken: dict[TextKind, _ReportedText] = {
            kind: _ReportedText() for kind in (TextDelta, RefusalDelta, ThinkingDelta)
        }
        self._sealed: set[str] = set()
        self._edges = 0  # how often a message was opened or closed
        self._message: object = None

    def read_event(self, event: SseEvent) -> None:
        data = self.parse(event)
        kind = as_text(data.get("type")) or event.event
        words = _WORDS.get(kind)
        if words is not None:
            self._read_words(words, data)
        elif kind == "response.function_call_arguments.delta":
            self._read_arguments(data)
        elif kind in _WHOLE_WORDS:
            self._read_whole_words(kind, data)
        elif kind == "response.content_part.done":
            self._read_part(as_dict(data.get("part")), _place(data))
        elif kind == "response.function_call_arguments.done":
            self._close(self._call_of(data), as_arguments(data.get("arguments")))
        elif kind == "response.output_item.added":
            self._start(data.get("output_index"), as_dict(data.get("item")))
        elif kind == "response.output_item.done":
            self._finish_item(data.get("output_index"), as_dict(data.get("item")))
        elif kind in _ENDS:
            self._end(as_dict(data.get("response")))
        else:
            error = data.get("error") or data if kind == "error" else error_in(data, "type")
            if error:
                raise reply_error(error)

    def read_whole(self, body: object) -> None:
        response = as_dict(unwrap_reply(body, "output"))
        if "output" not in response:
            error = error_in(body, "output")
            raise bad_reply(compact_json(body)) if error is None else reply_error(error)
        self._end(response)

    def finish(self) -> None:
        if not self.done:
            raise stream_cut_short()
        stop = stop_reason_of(self.finish_reason, called=bool(self._calls))
        self.emit(ResponseFinished(stop, self.finish_reason))

    # Text

    def _read_words(self, kind: TextKind, data: dict[str, Any]) -> None:
        text = data.get("delta")
        if not text or not isinstance(text, str):
            return
        place, spoken = _place(data), self._spoken[kind]
        if kind is TextDelta and place == spoken.place:  # nearly always, and fast
            spoken.all.append(text)
            self.write_text(text)
        else:
            self._speak(kind, text, place)

    def _speak(self, kind: TextKind, text: str, place: _Place) -> None:
        """Separate messages, and the paragraphs of a summary, by a blank line."""
        spoken = self._spoken[kind]
        spoken.all.append(text)
        if place != spoken.place:
            here = len(spoken.all) - 1
            if self._begins(kind, place) and spoken.begun < here and self._kind is kind:
                text = "\n\n" + text
            spoken.place, spoken.begun = place, here
        if kind is TextDelta:
            self.write_text(text)
        else:
            self.write(kind, text)

    def _begins(self, kind: TextKind, place: _Place) -> bool:
        """Return whether another message or paragraph begins. Some gateways send another id in each
        event of one message, so opening and closing events count.
        """
        item, slot = place[0], place[1]
        before, self._message = self._message, (self._edges, slot, None if self._edges else item)
        return kind is not TextDelta or before != self._message

    def _read_whole_words(self, kind: str, data: dict[str, Any]) -> None:
        words, field = _WHOLE_WORDS[kind]
        self._complete(words, as_text(data.get(field)), _place(data))

    def _complete(self, kind: TextKind, text: str, place: _Place) -> None:
        rest = self._spoken[kind].rest_of(text, place) if text else ""
        if rest:
            self._speak(kind, rest, place)

    def _read_part(self, part: dict[str, Any], place: _Place) -> None:
        """Read one complete part of a message or of a summary of thinking."""
        match part.get("type"):
            case "refusal":
                self._complete(RefusalDelta, as_text(part.get("refusal")), place)
            case "reasoning_text" | "summary_text":
                self._complete(ThinkingDelta, as_text(part.get("text")), place)
            case "output_image" | "image":
                self.write_picture(picture_in(part))
            case _:
                self._complete(TextDelta, as_text(part.get("text")), place)

    # Calls

    def _start(self, slot: object, item: dict[str, Any]) -> _Call | None:
        """Open a call; return None for other items, or if it is already open."""
        self._edges += item.get("type") == "message"
        if item.get("type") != "function_call":
            return None
        item_id, call_id = as_text(item.get("id")), as_text(item.get("call_id"))
        if any(call.is_it(item_id, call_id) for call in self._calls):
            return None
        used = {call.call_id for call in self._calls}
        call = _Call(self.new_part(), slot, item_id, call_id)
        self._calls.append(call)
        key = call_id or item_id
        name = as_text(item.get("name"))
        self.emit(ToolCallStarted(call.index, "" if key in used else key, name))
        arguments = item.get("arguments")
        self._grow(call, as_arguments(arguments) if arguments else "")
        return call

    def _call_of(self, data: dict[str, Any]) -> _Call | None:
        """Return the call of an event: by its item, else (some gateways send another item id in
        each event) the last open one at that place, else the last open one.
        """
        item = as_text(data.get("item_id"))
        for call in reversed(self._calls):
            if item and call.item == item:
                return call
        left = [call for call in self._calls if not call.closed]
        there = [call for call in left if call.slot == data.get("output_index")]
        return (there or left)[-1] if left else None

    def _read_arguments(self, data: dict[str, Any]) -> None:
        call, piece = self._growing, as_arguments(data.get("delta"))
        if call is None or call.closed or call.item != data.get("item_id"):
            self._growing = call = self._call_of(data)
        if call is not None and not call.closed:
            self._grow(call, piece)

    def _grow(self, call: _Call, piece: str) -> None:
        if piece:
            call.pieces.append(piece)
            self.emit(ToolArgsDelta(call.index, piece))

    def _close(self, call: _Call | None, arguments: str) -> None:
        """Close a call. `arguments` are the complete ones, "" if they weren't sent again."""
        if call is None or call.closed:
            return
        streamed = "".join(call.pieces)
        if arguments.startswith(streamed):
            self._grow(call, arguments[len(streamed) :])
        elif streamed.split() in (["{}"], ["{", "}"]):  # the real ones only come now
            self._grow(call, arguments)
        call.closed = True
        self.emit(ToolCallReady(call.index))

    def _finish_call(self, slot: object, item: dict[str, Any]) -> None:
        item_id, call_id = as_text(item.get("id")), as_text(item.get("call_id"))
        arguments = as_arguments(item.get("arguments"))
        known = [call for call in self._calls if call.is_it(item_id, call_id)]
        if not known and call_id:
            known = [
                call
                for call in self._calls
                if call.call_id == call_id
                and (not call.closed or _same_json("".join(call.pieces), arguments))
            ]
        if not known:
            known = [
                call
                for call in self._calls
                if not call.closed and call.slot == slot and not (call.call_id and call_id)
            ]
        call = known[-1] if known else self._start(slot, item)
        self._close(call, arguments)

    # Items

    def _finish_item(self, slot: object, item: dict[str, Any]) -> None:
        """Read one complete item: emit the parts of it that weren't emitted yet."""
        kind = item.get("type")
        if kind == "function_call":
            self._finish_call(slot, item)
        elif kind == "message":
            for number, part in enumerate(as_list(item.get("content"))):
                self._read_part(as_dict(part), (item.get("id"), slot, number, None))
            self._edges += 1
        elif kind == "reasoning":
            self._finish_thought(slot, item)
        elif kind == "image_generation_call":
            self.write_picture(picture_in(item))

    def _finish_thought(self, slot: object, item: dict[str, Any]) -> None:
        for number, part in enumerate(as_list(item.get("summary"))):
            self._complete(
                ThinkingDelta,
                as_text(as_dict(part).get("text")),
                (item.get("id"), slot, None, number),
            )
        for number, part in enumerate(as_list(item.get("content"))):
            self._complete(
                ThinkingDelta,
                as_text(as_dict(part).get("text")),
                (item.get("id"), slot, number, None),
            )
        sealed = item.get("encrypted_content")
        if sealed and isinstance(sealed, str) and sealed not in self._sealed:
            self._sealed.add(sealed)
            kept = ("type", "id", "summary", "encrypted_content")
            self.write_opaque(write_opaque(NAME, {k: item[k] for k in kept if k in item}))
            self.new_part()

    def _end(self, response: dict[str, Any]) -> None:
        for slot, item in enumerate(as_list(response.get("output"))):
            self._finish_item(slot, as_dict(item))
        status = as_text(response.get("status"))
        if status in ("", "completed"):
            for call in self._calls:
                self._close(call, "")
        self.done = True
        why = as_dict(response.get("incomplete_details")).get("reason")
        self.finish_reason = as_text(why) or status or None
        usage = response.get("usage")
        if isinstance(usage, dict) and usage:
            self.emit(_usage_of(usage))
        if response.get("error") or status == "failed":
            raise reply_error(response.get("error") or {"message": "", "status": "failed"})


def _place(data: dict[str, Any]) -> _Place:
    """Return the item and the part of an event's text."""
    get = data.get
    return get("item_id"), get("output_index"), get("content_index"), get("summary_index")


def _same_json(one: str, other: str) -> bool:
    """Return whether both JSON texts have the same value."""
    if one == other:
        return True
    try:
        return read_json(one, depth=MOST_BODY_DEPTH) == read_json(other, depth=MOST_BODY_DEPTH)
    except ValueError:
        return False


def _same_id(one: str, other: str) -> bool:
    return not (one and other) or one == other


def _usage_of(usage: dict[str, Any]) -> UsageReported:
    return UsageReported(
        as_count(usage.get("input_tokens")),
        as_count(usage.get("output_tokens")),
        as_count(as_dict(usage.get("input_tokens_details")).get("cached_tokens")),
        as_count(as_dict(usage.get("output_tokens_details")).get("reasoning_tokens")),
        usage,
    )


PROTOCOL = ModelProtocol(
    NAME,
    build_request,
    ResponsesDecoder,
    openai_request.build_listing,
    read_ids,
    REFUSABLE,
    embedding=embeddings.OPENAI_EMBEDDINGS,
)
