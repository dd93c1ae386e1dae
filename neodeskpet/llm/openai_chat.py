"""OpenAI chat/completions, and every gateway that speaks something like it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from neodeskpet.core.errors import LlmError, StreamBroken
from neodeskpet.core.wire import (
    RefusalDelta,
    ResponseFinished,
    Stop,
    TextDelta,
    ThinkingDelta,
    UsageReported,
    WireEvent,
)
from neodeskpet.language import tr
from neodeskpet.llm.faults import bad_reply, error_in, reply_error
from neodeskpet.llm.openai_calls import CallAssembler
from neodeskpet.llm.openai_request import NAME, REFUSABLE, build_listing, build_request
from neodeskpet.llm.openai_request import headers as headers
from neodeskpet.llm.protocol import (
    ModelProtocol,
    as_count,
    as_dict,
    as_list,
    as_text,
    compact,
    read_ids,
    write_opaque,
)
from neodeskpet.llm.sse import SseEvent
from neodeskpet.llm.thinktags import ThinkTags

_STOPS = {
    "stop": Stop.END,
    "end_turn": Stop.END,
    "eos": Stop.END,
    "tool_calls": Stop.TOOLS,
    "tool_use": Stop.TOOLS,
    "function_call": Stop.TOOLS,
    "length": Stop.LENGTH,
    "max_tokens": Stop.LENGTH,
    "model_length": Stop.LENGTH,
    "content_filter": Stop.FILTER,
    "sensitive": Stop.FILTER,
}


class OpenAIChatDecoder:
    """Reads a stream of `chat.completion.chunk`, or one whole `chat.completion`."""

    def __init__(self) -> None:
        self.finish_reason: str | None = None
        self.done = False
        self._parts = 0
        self._kind: type[WireEvent] | None = None  # of the part that is being written
        self._index = -1
        self._calls = CallAssembler(self._new_part)
        self._tags = ThinkTags()
        self._thinking = _ThinkingFields()
        self._usage: Mapping[str, object] | None = None
        self._started = False

    def feed(self, event: SseEvent) -> Iterator[WireEvent]:
        data = event.data
        if data.strip() in ("[DONE]", ""):
            if data.strip():
                self.done = True
                yield from self._close()
            return
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            raise self._undecodable(event) from None
        if not isinstance(chunk, dict):
            return
        self._started = True
        yield from self._read_chunk(chunk, failed=event.event == "error")

    def read_body(self, body: object) -> Iterator[WireEvent]:
        if not isinstance(body, dict) or ("choices" not in body and error_in(body) is None):
            raise bad_reply(compact(body))
        yield from self._read_chunk(body, failed=False)
        yield from self._close()
        self.done = True

    def end(self) -> Iterator[WireEvent]:
        if self.finish_reason is None and not self.done:
            raise StreamBroken(tr("The connection ended before the reply was complete."))
        yield from self._close()
        if self.finish_reason == "error":
            raise reply_error({"message": "", "finish_reason": "error"})
        yield ResponseFinished(self._stop(), self.finish_reason)

    def _stop(self) -> Stop:
        stop = _STOPS.get(self.finish_reason or "stop", Stop.OTHER)
        return Stop.TOOLS if stop is Stop.END and len(self._calls) else stop

    def _undecodable(self, event: SseEvent) -> LlmError:
        if event.event == "error":
            return reply_error(event.data)
        if not self._started:
            return bad_reply(event.data)
        return StreamBroken(
            tr("A piece of the reply isn't valid JSON: {text}", text=event.data[:200])
        )

    def _read_chunk(self, chunk: dict[str, Any], *, failed: bool) -> Iterator[WireEvent]:
        choice = _first_choice(chunk)
        if choice is not None:
            yield from self._read_choice(choice)
        yield from self._read_usage(chunk, choice)
        error = error_in(chunk) or as_dict(choice).get("error") or (chunk if failed else None)
        if error:
            raise reply_error(error)

    def _read_choice(self, choice: dict[str, Any]) -> Iterator[WireEvent]:
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            delta = as_dict(choice.get("message"))
        if delta:
            yield from self._read_delta(delta)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finish_reason = reason
            yield from self._close()

    def _read_delta(self, delta: dict[str, Any]) -> Iterator[WireEvent]:
        thought = self._thinking.take(delta)
        if thought:
            yield self._piece(ThinkingDelta, thought)
        content = delta.get("content")
        if content:
            yield from self._read_content(content)
        refusal = delta.get("refusal")
        if refusal and isinstance(refusal, str):
            yield from self._write(RefusalDelta, refusal)
        calls = delta.get("tool_calls")
        if not calls and delta.get("function_call"):
            calls = [{"index": 0, "function": delta["function_call"]}]
        for call in as_list(calls):
            if isinstance(call, dict):
                yield from self._read_call(call)

    def _read_content(self, content: object) -> Iterator[WireEvent]:
        if isinstance(content, str):
            for thinking, piece in self._tags.feed(content):
                yield from self._write(ThinkingDelta if thinking else TextDelta, piece)
            return
        for part in as_list(content):
            kind, text = _content_part(part)
            if not text:
                continue
            if kind is TextDelta:
                yield from self._read_content(text)
            else:
                yield from self._write(kind, text)

    def _read_call(self, call: dict[str, Any]) -> Iterator[WireEvent]:
        before = len(self._calls)
        events = list(self._calls.take(call))
        if len(self._calls) > before:
            yield from self._flush()
            self._kind = None
        yield from events

    def _write(
        self, kind: type[TextDelta | RefusalDelta | ThinkingDelta], text: str
    ) -> Iterator[WireEvent]:
        """A piece of text, thinking or refusal; a new part when the kind changes."""
        if kind is not self._kind:
            yield from self._flush_thinking(leaving=kind)
            if text.strip():
                yield from self._calls.close_whole()
        yield self._piece(kind, text)

    def _piece(
        self, kind: type[TextDelta | RefusalDelta | ThinkingDelta], text: str
    ) -> TextDelta | RefusalDelta | ThinkingDelta:
        if kind is not self._kind:
            self._kind = kind
            self._index = self._new_part()
        return kind(self._index, text)

    def _new_part(self) -> int:
        self._parts += 1
        return self._parts - 1

    def _flush(self) -> Iterator[WireEvent]:
        for thinking, piece in self._tags.end():
            yield from self._write(ThinkingDelta if thinking else TextDelta, piece)
        yield from self._flush_thinking(leaving=None)

    def _flush_thinking(self, leaving: type[WireEvent] | None) -> Iterator[WireEvent]:
        """Thinking ends here: what the provider wants echoed goes with it."""
        if leaving is ThinkingDelta:
            return
        opaque = self._thinking.take_opaque()
        if opaque:
            if self._kind is not ThinkingDelta:
                self._kind = ThinkingDelta
                self._index = self._new_part()
            yield ThinkingDelta(self._index, "", opaque)

    def _close(self) -> Iterator[WireEvent]:
        yield from self._flush()
        yield from self._calls.close_all()

    def _read_usage(
        self, chunk: dict[str, Any], choice: dict[str, Any] | None
    ) -> Iterator[WireEvent]:
        usage = (
            chunk.get("usage")
            or as_dict(choice).get("usage")
            or as_dict(chunk.get("x_groq")).get("usage")
        )
        if not isinstance(usage, dict) or usage == self._usage:
            return
        self._usage = usage
        sent, written = (
            as_dict(usage.get("prompt_tokens_details")),
            as_dict(usage.get("completion_tokens_details")),
        )
        yield UsageReported(
            as_count(usage.get("prompt_tokens")),
            as_count(usage.get("completion_tokens")),
            as_count(sent.get("cached_tokens") or usage.get("prompt_cache_hit_tokens")),
            as_count(written.get("reasoning_tokens") or usage.get("reasoning_tokens")),
            usage,
        )


class _ThinkingFields:
    """Thinking under the names gateways give it; the first that comes is the one that is read,
    because some send the same words under two of them.
    """

    _FIELDS = ("reasoning_content", "reasoning", "reasoning_details")

    def __init__(self) -> None:
        self._field = ""
        self._seen = False
        self._details: list[dict[str, Any]] = []

    def take(self, delta: dict[str, Any]) -> str:
        """The thinking in a delta."""
        details = delta.get("reasoning_details")
        if details:
            for detail in as_list(details):
                self._keep(as_dict(detail))
        for field in (self._field,) if self._field else self._FIELDS:
            text = delta.get(field)
            if field == "reasoning_details" and text:
                text = "".join(
                    as_text(as_dict(d).get("text")) or as_text(as_dict(d).get("summary"))
                    for d in as_list(text)
                )
            if text and isinstance(text, str):
                self._field = field
                self._seen = True
                return text
        return ""

    def _keep(self, detail: dict[str, Any]) -> None:
        """Deltas of one detail become one again; an encrypted one always comes whole."""
        last = self._details[-1] if self._details else None
        if (
            last is None
            or detail.get("data")
            or any(last.get(key) != detail.get(key) for key in ("type", "index"))
        ):
            last = {}
            self._details.append(last)
        for key, value in detail.items():
            if key in ("text", "summary") and isinstance(value, str):
                last.setdefault(key, []).append(value)
            elif value is not None or key not in last:
                last[key] = value

    def take_opaque(self) -> str:
        """What is to be echoed of the thinking so far; "" if there was none."""
        seen, self._seen = self._seen, False
        details, self._details = self._details, []
        if details:
            return write_opaque(NAME, {"details": [_joined(detail) for detail in details]})
        if seen and self._field == "reasoning_content":
            return write_opaque(NAME, {"field": self._field})
        return ""


def _joined(detail: dict[str, Any]) -> dict[str, Any]:
    return {key: "".join(v) if isinstance(v, list) else v for key, v in detail.items()}


def _first_choice(chunk: dict[str, Any]) -> dict[str, Any] | None:
    """The first of n choices, if this chunk has a piece of it."""
    choices = chunk.get("choices")
    if not choices or not isinstance(choices, list):
        return None
    for choice in choices:
        if isinstance(choice, dict) and not choice.get("index"):
            return choice
    return None


def _content_part(part: object) -> tuple[type[TextDelta | RefusalDelta | ThinkingDelta], str]:
    """Kind and text of one part of a content list; "" for parts that aren't words."""
    if isinstance(part, str):
        return TextDelta, part
    fields = as_dict(part)
    match fields.get("type"):
        case "thinking" | "reasoning":
            words = fields.get("thinking") or fields.get("text") or fields.get("reasoning")
            pieces = words if isinstance(words, list) else [words]
            return ThinkingDelta, "".join(_content_part(p)[1] for p in pieces if p)
        case "refusal":
            return RefusalDelta, as_text(fields.get("refusal"))
        case "text" | "output_text" | None:
            return TextDelta, as_text(fields.get("text"))
        case _:
            return TextDelta, ""


PROTOCOL = ModelProtocol(NAME, build_request, OpenAIChatDecoder, build_listing, read_ids, REFUSABLE)
