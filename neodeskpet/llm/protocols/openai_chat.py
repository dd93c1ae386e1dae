"""Decodes replies of OpenAI chat/completions, and of gateways with a similar protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neodeskpet.core.wire import (
    RefusalDelta,
    ResponseFinished,
    TextDelta,
    ThinkingDelta,
    UsageReported,
    WireEvent,
)
from neodeskpet.llm.protocols import embeddings
from neodeskpet.llm.protocols.openai_call_assembler import CallAssembler
from neodeskpet.llm.protocols.openai_request import NAME, REFUSABLE, build_listing, build_request
from neodeskpet.llm.protocols.openai_request import headers as headers
from neodeskpet.llm.protocols.protocol import (
    ModelProtocol,
    as_count,
    as_dict,
    as_index,
    as_list,
    as_reason,
    as_text,
    compact_json,
    read_ids,
    unwrap_reply,
    write_opaque,
)
from neodeskpet.llm.protocols.provider_errors import bad_reply, error_in, reply_error
from neodeskpet.llm.protocols.reply_decoder import (
    ReplyDecoder,
    TextKind,
    is_terminator,
    stream_cut_short,
)
from neodeskpet.llm.protocols.reply_pictures import picture_in
from neodeskpet.llm.protocols.stop_reasons import stop_reason_of
from neodeskpet.llm.protocols.stream.sse import SseEvent

_PAUSE = 0.3
"""Seconds of silence after which a call with complete arguments counts as complete."""

_TOLD_AGAIN = 16  # characters


class OpenAIChatDecoder(ReplyDecoder):
    """Reads a stream of `chat.completion.chunk`, or one whole `chat.completion`."""

    protocol = NAME

    def __init__(self) -> None:
        super().__init__()
        self._calls = CallAssembler(self.emit, self._begin_call)
        self._content: list[str] = []  # the received content
        self._length = 0
        self._thinking = _ThinkingFields()
        self._usage: Mapping[str, object] | None = None
        self._choice: int | None = None  # the number of the choice that is read

    @property
    def silence(self) -> float | None:
        grace = super().silence
        return _PAUSE if grace is None and self._calls.waits and not self.done else grace

    def fall_silent(self) -> Iterator[WireEvent]:
        if super().silence is not None:
            return super().fall_silent()
        self._calls.settle()
        return iter(self.take_events())

    def read_event(self, event: SseEvent) -> None:
        chunk = self.parse(event)
        if chunk:
            self._read_chunk(chunk, failed=event.event == "error")
        elif is_terminator(event.data.strip()):
            self.done = True
            self._close()

    def read_whole(self, body: object) -> None:
        body = unwrap_reply(body, "choices")
        if not isinstance(body, dict) or ("choices" not in body and error_in(body) is None):
            raise bad_reply(compact_json(body))
        self._read_chunk(body, failed=False)
        self._close()
        self.done = True

    def finish(self) -> None:
        if not self.settled:
            raise stream_cut_short()
        self._close()
        if self.finish_reason == "error":
            raise reply_error({"message": "", "finish_reason": "error"})
        stop = stop_reason_of(self.finish_reason, called=bool(len(self._calls)))
        self.emit(ResponseFinished(stop, self.finish_reason))

    def _read_chunk(self, chunk: dict[str, Any], *, failed: bool) -> None:
        if "choices" not in chunk:
            chunk = unwrap_reply(chunk, "choices")
        choice = self._own_choice(chunk)
        if choice is not None:
            reason = as_reason(choice.get("finish_reason"))
            delta = choice.get("delta")
            mark = self.mark()
            if delta and isinstance(delta, dict):
                self._read_delta(delta, last=bool(reason))
            elif choice.get("message"):
                self._read_message(as_dict(choice["message"]))
            if reason:
                self._stop(reason, bare=not self.has_written(mark))
        self._read_usage(chunk, choice or {})
        if choice is None or failed or "error" in chunk or "error" in choice:
            error = error_in(chunk) or as_dict(choice).get("error") or (chunk if failed else None)
            if error:
                raise reply_error(error)

    def _own_choice(self, chunk: dict[str, Any]) -> dict[str, Any] | None:
        """Return the delta of the choice that is read: the first one that came, whatever its
        number.
        """
        choices = chunk.get("choices")
        if not choices or not isinstance(choices, list):
            return None
        numbered = {
            as_index(choice.get("index")) or 0: choice
            for choice in reversed(choices)
            if isinstance(choice, dict)
        }
        if self._choice is None and numbered:
            self._choice = min(numbered)
        return numbered.get(self._choice) if self._choice is not None else None

    def _stop(self, reason: str, *, bare: bool) -> None:
        """Handle a finish reason. Incomplete calls stay open: some gateways send a finish reason
        with every piece, and an empty call that is closed too early would run without its
        arguments.
        """
        self.stop_with(reason, bare=bare)
        if bare:
            self._flush()
            self._calls.settle()

    def _read_message(self, message: dict[str, Any]) -> None:
        """Read a complete message; at the end of a stream it repeats what was streamed."""
        repeated = {"content", "images"} if self._content else set()
        if len(self._calls):
            repeated |= {"tool_calls", "function_call"}
        if self._thinking.seen:
            repeated |= _ThinkingFields.NAMES
        self._read_delta({k: v for k, v in message.items() if k not in repeated}, last=False)

    def _read_delta(self, delta: dict[str, Any], *, last: bool) -> None:
        content = delta.get("content")
        if content and len(delta) == 1:  # most deltas have only this field
            self._read_content(content, last=last)
            return
        thought = self._thinking.take(delta)
        if thought:
            self.write(ThinkingDelta, thought)
        if content:
            self._read_content(content, last=last)
        for picture in as_list(delta.get("images")):
            self.write_picture(picture_in(picture))
        refusal = delta.get("refusal")
        if refusal and isinstance(refusal, str):
            self.write(RefusalDelta, refusal)
        calls = delta.get("tool_calls")
        if not calls and delta.get("function_call"):
            calls = [{"index": 0, "function": delta["function_call"]}]
        if calls:
            for call in as_list(calls):
                self._calls.take(as_dict(call))

    def _read_content(self, content: object, *, last: bool) -> None:
        if isinstance(content, str):
            if len(content) == self._length and self._is_repeat(content, last=last):
                return
            self._content.append(content)
            self._length += len(content)
            self.write_text(content)
            return
        if isinstance(content, dict):
            content = [content]
        for part in as_list(content):
            if "image" in as_text(as_dict(part).get("type")):
                self.write_picture(picture_in(part))
            kind, text = _content_part(part)
            if text and kind is TextDelta:
                self._read_content(text, last=last)
            elif text:
                self.write(kind, text)

    def _is_repeat(self, content: str, *, last: bool) -> bool:
        """Return whether a delta repeats the whole text: the last delta, or one that is too long
        for a model to write the same twice.
        """
        again = len(self._content) > 1 and (last or len(content) >= _TOLD_AGAIN)
        return again and content == "".join(self._content)

    def put(self, kind: TextKind, text: str) -> None:
        if kind is not self._kind:
            if kind is not ThinkingDelta:
                self._end_thinking()
            if text.strip():
                self._calls.close_whole()
        super().put(kind, text)

    def _begin_call(self) -> int:
        self._flush()
        return self.new_part()

    def _flush(self) -> None:
        self.flush_text()
        self._end_thinking()

    def _end_thinking(self) -> None:
        """Add the data that the provider wants back to the thinking that ends here."""
        opaque = self._thinking.take_opaque()
        if opaque:
            self.write_opaque(opaque)

    def _close(self) -> None:
        self._flush()
        self._calls.close_all()

    def _read_usage(self, chunk: dict[str, Any], choice: dict[str, Any]) -> None:
        usage = (
            chunk.get("usage")
            or choice.get("usage")
            or ("x_groq" in chunk and as_dict(chunk["x_groq"]).get("usage"))
        )
        if not usage or not isinstance(usage, dict) or usage == self._usage:
            return
        self._usage = usage
        sent = as_dict(usage.get("prompt_tokens_details"))
        written = as_dict(usage.get("completion_tokens_details"))
        self.emit(
            UsageReported(
                as_count(usage.get("prompt_tokens")),
                as_count(usage.get("completion_tokens")),
                as_count(sent.get("cached_tokens") or usage.get("prompt_cache_hit_tokens")),
                as_count(written.get("reasoning_tokens") or usage.get("reasoning_tokens")),
                usage,
            )
        )


class _ThinkingFields:
    """Read thinking from the fields that gateways use. The first field with text is used from then
    on, because some gateways send the same text in two fields.
    """

    _FIELDS = (
        "reasoning_content",
        "reasoning",
        "reasoning_text",
        "thinking",
        "reasoning_details",
        "thinking_blocks",
    )
    NAMES = frozenset(_FIELDS)

    def __init__(self) -> None:
        self._field = ""
        self._seen = False
        self._details: list[dict[str, Any]] = []
        self._signature = ""

    def take(self, delta: dict[str, Any]) -> str:
        """Read the thinking in a delta."""
        if self.NAMES.isdisjoint(delta):
            return ""
        details = delta.get("reasoning_details")
        if details:
            for detail in as_list(details):
                self._keep(as_dict(detail))
        for field in (self._field,) if self._field else self._FIELDS:
            text = delta.get(field)
            if isinstance(text, dict):  # {"text": …, "signature": …}
                self._signature += as_text(text.get("signature"))
                text = _words_in(text)
            elif isinstance(text, list):
                text = "".join(map(_words_in, text))
            if text and isinstance(text, str):
                self._field = field
                self._seen = True
                return text
        return ""

    @property
    def seen(self) -> bool:
        """Return whether any of the fields contained text."""
        return bool(self._field)

    def _keep(self, detail: dict[str, Any]) -> None:
        """Join the deltas of one detail; an encrypted one always comes complete."""
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
        """Return the data to send back with the thinking so far; "" if there is none."""
        seen, self._seen = self._seen, False
        details, self._details = self._details, []
        signature, self._signature = self._signature, ""
        if details:
            return write_opaque(NAME, {"details": [_joined(detail) for detail in details]})
        if signature:
            return write_opaque(NAME, {"field": self._field, "signature": signature})
        if seen and self._field == "reasoning_content":
            return write_opaque(NAME, {"field": self._field})
        return ""


def _words_in(detail: object) -> str:
    """Return the text of one entry of `reasoning_details` or `thinking_blocks`, or of a field with
    an object.
    """
    fields = as_dict(detail)
    return next((as_text(w) for k in _WORD_KEYS if (w := fields.get(k))), "")


_WORD_KEYS = ("text", "summary", "thinking", "content", "reasoning", "reasoning_content")


def _joined(detail: dict[str, Any]) -> dict[str, Any]:
    return {key: "".join(v) if isinstance(v, list) else v for key, v in detail.items()}


def _content_part(part: object) -> tuple[TextKind, str]:
    """Return kind and text of one part of a content list; "" for parts without text."""
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


PROTOCOL = ModelProtocol(
    NAME,
    build_request,
    OpenAIChatDecoder,
    build_listing,
    read_ids,
    REFUSABLE,
    embedding=embeddings.OPENAI_EMBEDDINGS,
)
