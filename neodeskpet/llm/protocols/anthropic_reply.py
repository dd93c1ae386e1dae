"""Decodes replies of the Anthropic Messages API. The request is built in `anthropic_request.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from neodeskpet.core.json_text import MOST_BODY_DEPTH, read_json
from neodeskpet.core.wire import (
    ResponseFinished,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
)
from neodeskpet.llm.protocols.anthropic_request import NAME, REFUSABLE, build_listing, build_request
from neodeskpet.llm.protocols.protocol import (
    HttpRequest,
    ModelProtocol,
    as_arguments,
    as_count,
    as_dict,
    as_list,
    as_reason,
    as_text,
    compact_json,
    read_ids,
    unwrap_reply,
    write_opaque,
)
from neodeskpet.llm.protocols.provider_errors import bad_reply, error_in, reply_error
from neodeskpet.llm.protocols.reply_decoder import ReplyDecoder, stream_cut_short
from neodeskpet.llm.protocols.stop_reasons import stop_reason_of
from neodeskpet.llm.protocols.stream.sse import SseEvent

# kind of delta -> the field with its text, the field of the block that grows
_DELTAS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "input_json_delta": ("partial_json", "input"),
    "compaction_delta": ("content", "content"),
}


class _ContentBlock:
    """A content block while it grows. `raw` and `pieces` restore the complete block if the reply
    pauses. `index` is the index of our part, None for blocks that the client ignores.
    """

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.kind = as_text(raw.get("type"))
        self.index: int | None = None
        self.pieces: dict[str, list[str]] = {}
        self.citations: list[Any] = []

    def add(self, key: str, piece: str) -> None:
        self.pieces.setdefault(key, []).append(piece)

    def joined(self, key: str) -> str:
        return "".join(self.pieces.get(key, ()))

    def whole(self) -> dict[str, Any]:
        out = dict(self.raw)
        for key in self.pieces:
            if key == "input":
                out[key] = _object(self.joined(key))
            else:
                out[key] = as_text(out.get(key)) + self.joined(key)
        if self.citations:
            out["citations"] = as_list(out.get("citations")) + self.citations
        return out


class AnthropicDecoder(ReplyDecoder):
    """Reads `message_start` … `message_stop`, or one whole `message`."""

    protocol = NAME

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[object, _ContentBlock] = {}
        self._blocks: list[_ContentBlock] = []
        self._calls = 0
        self._usage: dict[str, Any] = {}

    def read_event(self, event: SseEvent) -> None:
        data = self.parse(event)
        match data.get("type") or event.event:
            case "content_block_delta":
                self._read_delta(data.get("index"), as_dict(data.get("delta")))
            case "content_block_start":
                self._start(data.get("index"), as_dict(data.get("content_block")))
            case "content_block_stop":
                self._stop(data.get("index"))
            case "message_start":
                self._read_message(as_dict(data.get("message")))
            case "message_delta":
                self._read_stop(as_dict(data.get("delta")), bare=True)
                self._read_usage(data.get("usage"))
            case "message_stop":
                self.done = True
            case _:
                error = error_in(data, "type")
                if error is None and "error" in (event.event, data.get("type")):
                    error = data
                if error:
                    raise reply_error(error)

    def read_whole(self, body: object) -> None:
        message = as_dict(unwrap_reply(body, "content"))
        if "content" not in message:
            error = error_in(body, "content")
            raise bad_reply(compact_json(body)) if error is None else reply_error(error)
        self._read_message(message)
        self.done = True

    def finish(self) -> None:
        if not self.settled:
            raise stream_cut_short()
        stop = stop_reason_of(self.finish_reason, called=bool(self._calls))
        self.emit(ResponseFinished(stop, self.finish_reason))

    def resume(self, request: HttpRequest) -> HttpRequest | None:
        """Return the same request again, with the received content as the assistant's part."""
        if self.finish_reason != "pause_turn":
            return None
        self.finish_reason, self.done = None, False
        said = {"role": "assistant", "content": [block.whole() for block in self._blocks]}
        self._blocks.clear()
        self._open.clear()
        body = dict(request.body or {})
        body["messages"] = [*as_list(body.get("messages")), said]
        return replace(request, body=body)

    def _read_message(self, message: dict[str, Any]) -> None:
        """`message_start` may already have content; a second one means that the first reply broke
        off.
        """
        self._open.clear()
        for number, block in enumerate(as_list(message.get("content"))):
            self._start(number, as_dict(block))
            self._stop(number)
        self._read_stop(message, bare=False)
        self._read_usage(message.get("usage"))

    def _read_stop(self, delta: dict[str, Any], *, bare: bool) -> None:
        reason = as_reason(delta.get("stop_reason"))
        if reason:
            self.stop_with(reason, bare=bare)

    def _start(self, key: object, raw: dict[str, Any]) -> None:
        block = _ContentBlock(raw)
        self._open[_hashable(key)] = block
        self._blocks.append(block)
        match block.kind:
            case "text":
                if raw.get("text"):
                    self.write_text(as_text(raw["text"]))
            case "thinking":
                self.new_part()
                if raw.get("thinking"):
                    self.write(ThinkingDelta, as_text(raw["thinking"]))
            case "redacted_thinking":
                self.new_part()
                self.write_opaque(write_opaque(NAME, {"redacted": raw.get("data")}))
            case "tool_use":
                block.index = self.new_part()
                self._calls += 1
                name, call_id = as_text(raw.get("name")), as_text(raw.get("id"))
                self.emit(ToolCallStarted(block.index, call_id, name))
            case _:  # server tools and their results: text after them is another part
                self.new_part()

    def _read_delta(self, key: object, delta: dict[str, Any]) -> None:
        block = self._open.get(_hashable(key)) or _ContentBlock({})
        kind = as_text(delta.get("type"))
        if kind == "signature_delta":
            block.add("signature", as_text(delta.get("signature")))
        elif kind == "citations_delta":
            block.citations.append(delta.get("citation"))
        elif kind in _DELTAS:
            source, field = _DELTAS[kind]
            given = delta.get(source)
            text = as_arguments(given) if field == "input" else as_text(given)
            if text:
                block.add(field, text)
                self._tell_piece(block, field, text)

    def _tell_piece(self, block: _ContentBlock, field: str, text: str) -> None:
        """Emit the growth of a block that the client shows; the start of the block may be
        missing.
        """
        if field == "text" and block.kind in ("text", ""):
            self.write_text(text)
        elif field == "thinking" and block.kind in ("thinking", ""):
            self.write(ThinkingDelta, text)
        elif field == "input" and block.index is not None:
            self.emit(ToolArgsDelta(block.index, text))

    def _stop(self, key: object) -> None:
        block = self._open.pop(_hashable(key), None)
        if block is None:
            return
        signature = as_text(block.raw.get("signature")) + block.joined("signature")
        if block.kind == "thinking" and signature:
            self.write_opaque(write_opaque(NAME, {"signature": signature}))
        elif block.index is not None:
            given = block.raw.get("input")
            if given and "input" not in block.pieces:
                self.emit(ToolArgsDelta(block.index, as_arguments(given)))
            self.emit(ToolCallReady(block.index))

    def _read_usage(self, usage: object) -> None:
        """Merge usage reports: the input tokens come at the start, the output tokens at the end."""
        if not isinstance(usage, dict) or not usage:
            return
        self._usage = {**self._usage, **usage}
        self.emit(_usage_of(self._usage))


def _usage_of(usage: Mapping[str, Any]) -> UsageReported:
    """Anthropic counts cached input separately."""
    read = as_count(usage.get("cache_read_input_tokens"))
    written = as_count(usage.get("cache_creation_input_tokens"))
    thinking = as_dict(usage.get("output_tokens_details")).get("thinking_tokens")
    return UsageReported(
        as_count(usage.get("input_tokens")) + read + written,
        as_count(usage.get("output_tokens")),
        read,
        as_count(thinking),
        usage,
    )


def _object(text: str) -> dict[str, Any]:
    try:
        return as_dict(read_json(text, depth=MOST_BODY_DEPTH))
    except ValueError:
        return {}


def _hashable(key: object) -> object:
    return key if isinstance(key, int | str) else None


PROTOCOL = ModelProtocol(NAME, build_request, AnthropicDecoder, build_listing, read_ids, REFUSABLE)
