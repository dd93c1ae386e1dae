"""Recorded replies of real services are decoded correctly at any split of the bytes.

The recordings are beside the project (`../shared/wire`); a plain clone doesn't have them.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.cli.decode_command import decode, decode_chunks
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.llm.protocols.stream.sse import SseDecoder

ROOT = Path(__file__).resolve().parents[3] / "shared" / "wire"
SMALL = 20_000
FIELDS = ("text", "thinking", "refusal", "finish_reason", "usage", "error")

RECORDINGS = sorted(
    path
    for name in PROTOCOLS
    for path in (ROOT / name).glob("*.sse")
    if path.with_suffix(".json").exists()
)

SHORT = [path for path in RECORDINGS if path.stat().st_size <= SMALL]

pytestmark = pytest.mark.skipif(not RECORDINGS, reason="no recordings beside the project")


def _expected(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.with_suffix(".json").read_text("utf-8"))
    return data


def _calls(calls: Any) -> list[tuple[str, Any]]:
    return [(call["name"], call["arguments"]) for call in calls]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_it_is_decoded_correctly(path: Path) -> None:
    recording = _expected(path)
    expected = recording["expected"]
    decoded = decode(path.parent.name, path.read_bytes())
    if recording["tier"] == "core":
        for field in FIELDS:
            if field in expected:
                assert decoded[field] == expected[field], field
        assert _calls(decoded["tool_calls"]) == _calls(expected["tool_calls"])
    else:
        calls = [call for call in _calls(decoded["tool_calls"]) if call[1] is not None]
        assert len(calls) <= len(_calls(expected["tool_calls"]))
        for call in calls:
            assert call in _calls(expected["tool_calls"])
        assert (decoded["error"] is None) <= (expected["error"] is None)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_it_is_decoded_the_same_at_any_split(path: Path) -> None:
    body = path.read_bytes()
    protocol = path.parent.name
    whole = decode(protocol, body)
    assert decode(protocol, body, 1) == whole
    if recorded_framing(path):
        body = body.rstrip(b"\r\n")
        assert decode(protocol, body) == whole, "a last event without its blank line"
    places = random.Random(path.stem).sample(range(len(body)), min(200, len(body)))
    for place in [*range(min(64, len(body))), *places]:
        assert decode_chunks(protocol, [body[:place], body[place:]]) == whole, place


@pytest.mark.parametrize("path", SHORT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_events_are_the_same_at_every_split(path: Path) -> None:
    """The rest of a decoder only gets whole events, so this covers every split of a reply."""
    body = path.read_bytes()
    whole = _events([body])
    for place in range(1, len(body)):
        assert _events([body[:place], body[place:]]) == whole, place


def _events(chunks: list[bytes]) -> list[tuple[str, ...]]:
    decoder = SseDecoder()
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [tuple(event) for event in (*events, *decoder.end())]


def recorded_framing(path: Path) -> bool:
    return bool(_expected(path)["framing"] == "recorded")
