"""Decodes replies of Gemini's streamGenerateContent. The request is built in
`gemini_request.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)
from neodeskpet.llm.protocols import embeddings
from neodeskpet.llm.protocols.gemini_partial_args import PartialArgs
from neodeskpet.llm.protocols.gemini_request import (
    NAME,
    REFUSABLE,
    build_listing,
    build_request,
    read_listing,
)
from neodeskpet.llm.protocols.protocol import (
    ModelProtocol,
    as_count,
    as_dict,
    as_index,
    as_list,
    as_reason,
    as_text,
    compact_json,
    unwrap_reply,
    write_opaque,
)
from neodeskpet.llm.protocols.provider_errors import bad_reply, error_in, reply_error
from neodeskpet.llm.protocols.reply_decoder import ReplyDecoder, stream_cut_short
from neodeskpet.llm.protocols.reply_pictures import picture_in
from neodeskpet.llm.protocols.stop_reasons import stop_reason_of
from neodeskpet.llm.protocols.stream.sse import SseEvent

_ANSWER = ("candidates", "promptFeedback", "usageMetadata")
_SNAKE_ANSWER = (*_ANSWER, "prompt_feedback", "usage_metadata")
_PAUSE = 0.3
"""Seconds of silence after which a call with arguments is complete. A further piece without a name
follows at once.
"""


class GeminiDecoder(ReplyDecoder):
    """Reads a stream of `GenerateContentResponse`, or one, or a list of them. The stream has no
    terminator except a finish reason or a blocked prompt; usage may follow either.
    """

    protocol = NAME

    def __init__(self) -> None:
        super().__init__()
        self.block_reason: str | None = None
        self._call: int | None = None  # the index of the call that still receives arguments
        self._goes_on = False  # the service said that more of it follows
        self._args = PartialArgs()
        self._candidate: int | None = None  # the number of the candidate that is read
        self._calls = 0
        self._usage: object = None

    @property
    def settled(self) -> bool:
        return super().settled or self.block_reason is not None

    @property
    def silence(self) -> float | None:
        waits = self._call is not None and not self._goes_on and self._args.given
        grace = super().silence
        return _PAUSE if grace is None and waits and not self.done else grace

    def fall_silent(self) -> Iterator[WireEvent]:
        if super().silence is not None:
            return super().fall_silent()
        self._close_call()
        return iter(self.take_events())

    def read_event(self, event: SseEvent) -> None:
        reply = self.parse(event)
        if "candidates" not in reply or "_" in event.data:
            reply = _normal(reply)
        self._read(reply, failed=event.event == "error")

    def read_whole(self, body: object) -> None:
        replies = as_list(body) if isinstance(body, list) else [body]
        if not replies:
            raise bad_reply(compact_json(body))
        for wrapped in replies:
            reply = _normal(wrapped)
            error = error_in(reply, "candidates")
            if error is None and not any(key in as_dict(reply) for key in _ANSWER):
                raise bad_reply(compact_json(body))
            self._read(as_dict(reply), failed=False)

    def finish(self) -> None:
        if not self.settled:
            self._tell_args()
            raise stream_cut_short()
        self._close_call()
        if self.block_reason is not None:
            self.emit(ResponseFinished(StopReason.FILTER, self.block_reason))
            return
        stop = stop_reason_of(self.finish_reason, called=bool(self._calls))
        self.emit(ResponseFinished(stop, self.finish_reason))

    def _read(self, reply: dict[str, Any], *, failed: bool) -> None:
        candidates = {
            as_index(one.get("index")) or 0: one
            for one in reversed(as_list(reply.get("candidates")))
            if isinstance(one, dict)
        }
        if self._candidate is None and candidates:
            self._candidate = min(candidates)
        if self._candidate in candidates:
            self._read_candidate(candidates[self._candidate])
        if "promptFeedback" in reply:
            blocked = as_dict(reply["promptFeedback"]).get("blockReason")
            self.block_reason = str(blocked) if blocked else self.block_reason
        if "usageMetadata" in reply:
            self._read_usage(reply["usageMetadata"])
        if failed or "candidates" not in reply:
            error = error_in(reply, "usageMetadata") or (reply if failed else None)
            if error:
                self._tell_args()
                raise reply_error(error)

    def _read_candidate(self, candidate: dict[str, Any]) -> None:
        mark = self.mark()
        for part in as_list(as_dict(candidate.get("content")).get("parts")):
            self._read_part(as_dict(part))
        reason = as_reason(candidate.get("finishReason"))
        if reason:
            bare = not self.has_written(mark)
            if bare and not self._goes_on:
                self._close_call()
            self.stop_with(reason, bare=bare)

    def _read_part(self, part: dict[str, Any]) -> None:
        text = part.get("text")
        if self._call is not None and text and "functionCall" not in part:
            self._close_call()
        if len(part) == 1 and text and isinstance(text, str):  # most parts have only text
            self.write_text(text)
            return
        signature = as_text(part.get("thoughtSignature"))
        if "functionCall" in part:
            self._read_call(as_dict(part["functionCall"]), signature)
            return
        text = as_text(text)
        if part.get("thought"):
            if text:
                self.write(ThinkingDelta, text)
            if signature:
                self.write_opaque(write_opaque(NAME, {"thought": signature}))
                self.new_part()
        elif "text" in part:
            self._read_text(text, signature)
        elif "inlineData" in part:
            self._close_call()
            self.write_picture(picture_in(part))

    def _read_text(self, text: str, signature: str) -> None:
        if text:
            self.write_text(text)
        if signature:
            # The signature belongs to this part, and must be sent back with the same text.
            self.new_part()
            self.write_opaque(write_opaque(NAME, {"signature": signature, "text": text}))
            self.new_part()

    def _read_call(self, call: dict[str, Any], signature: str) -> None:
        """Read a piece of a call. A piece without a name belongs to the previous call. If there is
        none, or text came in between, it is a call without a name, which is answered with an error.
        """
        name = as_text(call.get("name"))
        pieces, args = as_list(call.get("partialArgs")), call.get("args")
        if name or (self._call is None and (pieces or args)):
            self._close_call()
            self._begin(call, name, signature)
        if self._call is None:
            return
        for piece in pieces:
            self._args.take(as_dict(piece))
        self._args.add(args)
        self._goes_on = bool(call.get("willContinue"))

    def _close_call(self) -> None:
        """Close the open call. If more of it was announced, it is incomplete and isn't run."""
        index = self._call
        if index is None:
            return
        self._tell_args()
        if not self._goes_on:
            self.emit(ToolCallReady(index))
        self._goes_on = False

    def _begin(self, call: dict[str, Any], name: str, signature: str) -> None:
        self._call = self.new_part()
        self._calls += 1
        self._args = PartialArgs()
        call_id = as_text(call.get("id"))
        kept = {key: value for key, value in (("signature", signature), ("id", call_id)) if value}
        opaque = write_opaque(NAME, kept) if kept else ""
        self.emit(ToolCallStarted(self._call, call_id, name, opaque))

    def _tell_args(self) -> None:
        """Emit the received arguments of the open call. This happens at its end, because pieces are
        values at paths, not JSON text.
        """
        if self._call is not None:
            self.emit(ToolArgsDelta(self._call, self._args.text()))
            self._call = None

    def _read_usage(self, usage: object) -> None:
        if not isinstance(usage, dict) or not usage or usage == self._usage:
            return
        self._usage = usage
        thinking = as_count(usage.get("thoughtsTokenCount"))
        sent = as_count(usage.get("promptTokenCount"))
        self.emit(
            UsageReported(
                sent + as_count(usage.get("toolUsePromptTokenCount")),
                as_count(usage.get("candidatesTokenCount")) + thinking,
                as_count(usage.get("cachedContentTokenCount")),
                thinking,
                usage,
            )
        )


def _normal(body: Any) -> Any:
    """Return the reply in `body`, without a wrapper and with Google's field names: some proxies use
    snake case.
    """
    reply = unwrap_reply(body, *_SNAKE_ANSWER)
    return _in_camel_case(reply) if any(key in as_dict(reply) for key in _SNAKE_ANSWER) else reply


def _in_camel_case(value: Any) -> Any:
    """Return `value` with its field names in camel case. Arguments of calls are unchanged."""
    if isinstance(value, list):
        return [_in_camel_case(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        (name := _camel(key)): one if name in ("args", "error") else _in_camel_case(one)
        for key, one in value.items()
    }


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return "".join([first, *(part.capitalize() for part in rest)]) if first and rest else name


PROTOCOL = ModelProtocol(
    NAME,
    build_request,
    GeminiDecoder,
    build_listing,
    read_listing,
    REFUSABLE,
    embedding=embeddings.GEMINI_EMBEDDINGS,
)
