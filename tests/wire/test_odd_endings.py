"""What imperfect services do at the end of a reply, the same in every protocol: a stop reason that
cut it or that is unknown, an end without its terminator, a break within the first event, usage that
is no number, lone surrogates.
"""

from __future__ import annotations

import pytest

from neodeskpet.core.errors import LlmError, StreamBroken
from neodeskpet.core.wire import ResponseFinished, StopReason, WireEvent
from neodeskpet.llm.protocols.body_reader import BodyReader
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from tests.support.providers import PROVIDERS
from tests.support.providers.provider import Call, Say
from tests.wire.test_written import tell

ENDS = {
    "openai": b'"finish_reason": "stop"',
    "anthropic": b'"stop_reason": "end_turn"',
    "gemini": b'"finishReason": "STOP"',
}
"""Where the stop reason is."""
_COMPLETED = b'"type": "response.completed", "response": {"id": "resp_1", "status": "completed"'
_INCOMPLETE = (
    b'"type": "response.incomplete", "response": {"id": "resp_1", "status": "incomplete", '
    b'"incomplete_details": {"reason": "WORD"}'
)
WORDS = {
    "insufficient_system_resource": StopReason.OTHER,
    "repetition_truncation": StopReason.OTHER,
    "a_new_word": StopReason.OTHER,
    "MAX_TOKENS": StopReason.LENGTH,
    "content_filter": StopReason.FILTER,
}
COUNTS = {
    "openai": (b'"prompt_tokens": 10', b'"prompt_tokens": NaN'),
    "anthropic": (b'"input_tokens": 10', b'"input_tokens": 1e999'),
    "gemini": (b'"promptTokenCount": 10', b'"promptTokenCount": NaN'),
    "openai-responses": (b'"input_tokens": 10', b'"input_tokens": -Infinity'),
}
protocols = pytest.mark.parametrize("protocol", PROVIDERS)


def parts(protocol: str, *steps: Say | Call) -> list[bytes]:
    """A complete reply, one item per event."""
    provider = PROVIDERS[protocol]()
    said = [*provider.start()]
    for number, step in enumerate(steps, 1):
        said += provider.write(step, number)
    return [part for part in [*said, *provider.stop()] if isinstance(part, bytes)]


def whole(protocol: str, *steps: Say | Call) -> bytes:
    return b"".join(parts(protocol, *steps))


def swapped(body: bytes, old: bytes, new: bytes) -> bytes:
    assert old in body, "the provider words it differently by now"
    return body.replace(old, new)


def ended(protocol: str, word: str) -> bytes:
    body = whole(protocol, Say("a"))
    if protocol == "openai-responses":
        return swapped(body, _COMPLETED, _INCOMPLETE.replace(b"WORD", word.encode()))
    key = ENDS[protocol].split(b":")[0]
    return swapped(body, ENDS[protocol], key + b': "' + word.encode() + b'"')


@protocols
@pytest.mark.parametrize("word", WORDS)
def test_a_stop_reason_is_reported_with_its_meaning(protocol: str, word: str) -> None:
    reader = BodyReader(PROTOCOLS[protocol].new_decoder())
    events: list[WireEvent] = [*reader.feed(ended(protocol, word)), *reader.end()]
    (finished,) = [event for event in events if isinstance(event, ResponseFinished)]
    assert finished == ResponseFinished(WORDS[word], word)


def test_incomplete_without_details_means_cut() -> None:
    body = swapped(
        ended("openai-responses", "x"),
        b'"incomplete_details": {"reason": "x"}',
        b'"incomplete_details": null',
    )
    reader = BodyReader(PROTOCOLS["openai-responses"].new_decoder())
    events: list[WireEvent] = [*reader.feed(body), *reader.end()]
    assert events[-1] == ResponseFinished(StopReason.LENGTH, "incomplete")


@protocols
def test_a_break_within_the_first_event_is_a_break(protocol: str) -> None:
    first = parts(protocol, Say("a"))[0]
    for length in (1, 5, 7, len(first) // 2, len(first) - 3):
        reader = BodyReader(PROTOCOLS[protocol].new_decoder())
        with pytest.raises(LlmError) as raised:
            list(reader.feed(first[:length]))
            list(reader.end())
        assert type(raised.value) is StreamBroken, first[:length]


@protocols
def test_without_the_events_after_the_stop_reason_it_is_complete(protocol: str) -> None:
    said = parts(protocol, Say("a"))
    place = ENDS.get(protocol, _COMPLETED)
    (last,) = [number for number, part in enumerate(said) if place in part]
    told = tell(protocol, said[: last + 1])
    assert (told.text, told.error) == ("a", "")
    assert tell(protocol, said[:last]).error == "stream_broken"


@protocols
def test_usage_that_is_no_number_is_ignored(protocol: str) -> None:
    told = tell(protocol, [swapped(whole(protocol, Say("a")), *COUNTS[protocol])])
    assert (told.text, told.error, told.input_tokens) == ("a", "", 0)


@protocols
def test_lone_surrogates_are_replaced(protocol: str) -> None:
    written = whole(protocol, Say("Z"))
    told = tell(protocol, [written.replace(b'"Z"', b'"x\\ud800y"')])
    assert told.text == "x\ufffdy"
    called = whole(protocol, Call("f", {"a": "Q"}))
    ((name, arguments),) = tell(protocol, [swapped(called, b"Q", b"\\ud83d")]).calls
    assert name == "f"
    assert arguments.replace(" ", "") == '{"a":"\ufffd"}'
