"""An observed reply: its parts with their times, and its tool calls as they were sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from neodeskpet.core.call_arguments import parse_arguments
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.json_text import MOST_BODY_DEPTH, read_json
from neodeskpet.core.toolspec import ToolNames
from neodeskpet.core.transcript import AssistantTurn, CallPart, TextPart, ThinkingPart
from neodeskpet.core.wire import (
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)
from neodeskpet.llm.protocols.protocol import (
    Decoder,
    HttpRequest,
    ModelProtocol,
    as_dict,
    as_list,
    as_text,
)
from neodeskpet.llm.protocols.stream.sse import SseEvent


@dataclass
class ObservedCall:
    """A tool call. `arguments` is extended with each delta; `name` is as received."""

    call_id: str
    name: str
    opaque: str
    arguments: list[str] = field(default_factory=list)

    def parsed(self) -> Mapping[str, object] | None:
        """Return the arguments, None if they are broken."""
        try:
            return parse_arguments("".join(self.arguments))
        except InvalidArguments:
            return None


@dataclass
class ObservedReply:
    """The reply to one request. Times are the clock's; `first` is None until something arrived.
    `cut`: reading was stopped before its end.
    """

    began: float
    first: float | None = None
    ended: float = 0.0
    cut: bool = False
    pieces: int = 0
    usage: UsageReported | None = None
    calls: dict[int, ObservedCall] = field(default_factory=dict)
    _parts: dict[int, TextPart | ThinkingPart] = field(default_factory=dict)

    def take(self, event: WireEvent, at: float) -> None:
        match event:
            case TextDelta(index=index, text=text):
                self._count(at)
                said = self._parts.get(index, TextPart(""))
                self._parts[index] = replace(said, text=said.text + text)
            case ThinkingDelta(index=index, text=text, opaque=opaque):
                self._count(at)
                thought = self._parts.get(index)
                if not isinstance(thought, ThinkingPart):
                    thought = ThinkingPart("")
                self._parts[index] = ThinkingPart(thought.text + text, opaque or thought.opaque)
            case ToolCallStarted(index=index, call_id=call_id, name=name, opaque=opaque):
                self.calls[index] = ObservedCall(call_id, name, opaque)
            case ToolArgsDelta(index=index, json=piece):
                self.calls[index].arguments.append(piece)
            case UsageReported():
                self.usage = event
            case _:
                pass

    def _count(self, at: float) -> None:
        self.first = at if self.first is None else self.first
        self.pieces += 1

    @property
    def text(self) -> str:
        return "".join(part.text for part in self._parts.values() if isinstance(part, TextPart))

    @property
    def thought(self) -> bool:
        return any(isinstance(part, ThinkingPart) for part in self._parts.values())

    @property
    def signed(self) -> int:
        """Return the number of parts that the service wants echoed."""
        opaque = [one.opaque for one in self._parts.values() if isinstance(one, ThinkingPart)]
        return sum(bool(word) for word in (*opaque, *(call.opaque for call in self.calls.values())))

    def turn(self, names: ToolNames) -> AssistantTurn:
        """Return the reply as a message of the history. A call without an id gets one."""
        parts: dict[int, TextPart | ThinkingPart | CallPart] = dict(self._parts)
        for index, call in self.calls.items():
            name = names.own_name(call.name)
            call_id = call.call_id or f"call_{index}"
            parts[index] = CallPart(call_id, name, call.parsed() or {}, call.opaque)
        return AssistantTurn(tuple(parts[index] for index in sorted(parts)))


@dataclass
class CallNumbers:
    """The numbering of tool calls in an OpenAI-like stream. `missing`: deltas without a number;
    `shared`: calls with the number of another call.
    """

    missing: int = 0
    ids: dict[int, list[str]] = field(default_factory=dict)

    @property
    def shared(self) -> int:
        return sum(len(ids) - 1 for ids in self.ids.values())

    def look(self, event: SseEvent) -> None:
        if "tool_calls" not in event.data:
            return
        try:
            chunk = read_json(event.data, depth=MOST_BODY_DEPTH)
        except ValueError:
            return  # the decoder reports the fault
        for choice in as_list(as_dict(chunk).get("choices")):
            delta = as_dict(as_dict(choice).get("delta"))
            for call in as_list(delta.get("tool_calls")):
                self._count(as_dict(call).get("index"), as_text(as_dict(call).get("id")))

    def _count(self, number: object, call_id: str) -> None:
        if not isinstance(number, int):
            self.missing += 1
            return
        ids = self.ids.setdefault(number, [])
        if not ids or (call_id and call_id not in ids):
            ids.append(call_id)


def observed_protocol(protocol: ModelProtocol, numbers: CallNumbers) -> ModelProtocol:
    """Return `protocol` with decoders that pass each event to `numbers` too."""
    return replace(protocol, new_decoder=lambda: _ObservedDecoder(protocol.new_decoder(), numbers))


class _ObservedDecoder:
    """A decoder that passes its input on to an observer."""

    def __init__(self, decoder: Decoder, numbers: CallNumbers) -> None:
        self._decoder = decoder
        self._numbers = numbers

    @property
    def doubted(self) -> bool:
        return self._decoder.doubted

    @property
    def finish_reason(self) -> str | None:
        return self._decoder.finish_reason

    @property
    def done(self) -> bool:
        return self._decoder.done

    @property
    def settled(self) -> bool:
        return self._decoder.settled

    @property
    def silence(self) -> float | None:
        return self._decoder.silence

    def fall_silent(self) -> Iterator[WireEvent]:
        return self._decoder.fall_silent()

    def feed(self, *events: SseEvent) -> Iterator[WireEvent]:
        for event in events:
            if self._decoder.done:
                return
            self._numbers.look(event)
            yield from self._decoder.feed(event)

    def read_body(self, body: object) -> Iterator[WireEvent]:
        return self._decoder.read_body(body)

    def end(self) -> Iterator[WireEvent]:
        return self._decoder.end()

    def resume(self, request: HttpRequest) -> HttpRequest | None:
        return self._decoder.resume(request)
