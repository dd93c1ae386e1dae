"""Gemini streamGenerateContent: the reply. The request is built in `gemini_request.py`."""

from __future__ import annotations

from typing import Any

from neodeskpet.core.wire import (
    ResponseFinished,
    Stop,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
)
from neodeskpet.llm.protocols import embeddings
from neodeskpet.llm.protocols.gemini_args import PartialArgs
from neodeskpet.llm.protocols.gemini_request import (
    NAME,
    REFUSABLE,
    build_listing,
    build_request,
    read_listing,
)
from neodeskpet.llm.protocols.parts import ReplyDecoder, cut_short
from neodeskpet.llm.protocols.protocol import (
    ModelProtocol,
    as_count,
    as_dict,
    as_list,
    as_text,
    compact,
    write_opaque,
)
from neodeskpet.llm.protocols.provider_errors import bad_reply, error_in, reply_error
from neodeskpet.llm.protocols.stops import stop_of
from neodeskpet.llm.protocols.stream.sse import SseEvent

_ANSWER = ("candidates", "promptFeedback", "usageMetadata")


class GeminiDecoder(ReplyDecoder):
    """Reads a stream of `GenerateContentResponse`, or one, or a list of them.

    There is no terminator but a finish reason or a blocked prompt; usage may follow either.
    """

    protocol = NAME

    def __init__(self) -> None:
        super().__init__()
        self.block_reason: str | None = None
        self._call: int | None = None  # the call whose arguments still come, by our index
        self._args = PartialArgs()
        self._calls = 0
        self._usage: object = None

    @property
    def settled(self) -> bool:
        return super().settled or self.block_reason is not None

    def read_event(self, event: SseEvent) -> None:
        self._read(self.parse(event), failed=event.event == "error")

    def read_whole(self, body: object) -> None:
        replies = as_list(body) if isinstance(body, list) else [body]
        if not replies:
            raise bad_reply(compact(body))
        for reply in replies:
            error = error_in(reply, "candidates")
            if error is None and not any(key in as_dict(reply) for key in _ANSWER):
                raise bad_reply(compact(body))
            self._read(as_dict(reply), failed=False)

    def finish(self) -> None:
        if not self.settled:
            self._tell_args()
            raise cut_short()
        self._tell_args()
        if self.block_reason is not None:
            self.emit(ResponseFinished(Stop.FILTER, self.block_reason))
            return
        stop = stop_of(self.finish_reason, called=bool(self._calls))
        self.emit(ResponseFinished(stop, self.finish_reason))

    def _read(self, reply: dict[str, Any], *, failed: bool) -> None:
        for candidate in as_list(reply.get("candidates")):
            if isinstance(candidate, dict) and not candidate.get("index"):
                self._read_candidate(candidate)
                break
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
        for part in as_list(as_dict(candidate.get("content")).get("parts")):
            self._read_part(as_dict(part))
        reason = candidate.get("finishReason")
        if reason and isinstance(reason, str):
            self.finish_reason = reason

    def _read_part(self, part: dict[str, Any]) -> None:
        text = part.get("text")
        if len(part) == 1 and text and isinstance(text, str):  # most parts are this and no more
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
            if text:
                self.write_text(text)
            if signature:
                # It belongs to this very part, and has to go back on the same text.
                self.new_part()
                self.write_opaque(write_opaque(NAME, {"signature": signature, "text": text}))
                self.new_part()

    def _read_call(self, call: dict[str, Any], signature: str) -> None:
        name = as_text(call.get("name"))
        if name:
            self._tell_args()
            self._begin(call, name, signature)
        if self._call is None:
            return
        for piece in as_list(call.get("partialArgs")):
            self._args.take(as_dict(piece))
        args = call.get("args")
        if isinstance(args, dict):
            for key, value in args.items():
                self._args.value()[key] = value
        if not call.get("willContinue"):
            index = self._call
            self._tell_args()
            self.emit(ToolCallReady(index))

    def _begin(self, call: dict[str, Any], name: str, signature: str) -> None:
        self._call = self.new_part()
        self._calls += 1
        self._args = PartialArgs()
        call_id = as_text(call.get("id"))
        kept = {key: value for key, value in (("signature", signature), ("id", call_id)) if value}
        opaque = write_opaque(NAME, kept) if kept else ""
        self.emit(ToolCallStarted(self._call, call_id, name, opaque))

    def _tell_args(self) -> None:
        """The arguments of the open call, as far as they came. They are told at its end: pieces
        come as values at paths, not as JSON text.
        """
        if self._call is not None:
            self.emit(ToolArgsDelta(self._call, compact(self._args.value())))
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


PROTOCOL = ModelProtocol(
    NAME,
    build_request,
    GeminiDecoder,
    build_listing,
    read_listing,
    REFUSABLE,
    embedding=embeddings.GEMINI,
)
