from __future__ import annotations

import pytest

from neodeskpet.core.dialects import TOOL_REQUEST
from neodeskpet.core.errors import StreamBroken
from neodeskpet.core.model import ModelRequest
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS


@pytest.mark.parametrize("name", PROTOCOLS)
def test_each_protocol_builds_and_decodes(name: str) -> None:
    protocol = PROTOCOLS[name]
    options = ModelOptions("https://api.example", "m", "sk-secret")
    request = protocol.build_request(options, ModelRequest("", []))
    assert "sk-secret" not in request.url
    assert any("sk-secret" in value for value in request.headers.values())
    first, second = protocol.new_decoder(), protocol.new_decoder()
    assert first is not second
    with pytest.raises(StreamBroken):
        list(first.end())


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("openai", ("stop",)),
        ("anthropic", ("stop_sequences",)),
        ("gemini", ("generationConfig", "stopSequences")),
    ],
)
def test_a_text_dialect_gives_stop_sequences(name: str, place: tuple[str, ...]) -> None:
    def told(prompt: ModelRequest, *dropped: str) -> object:
        options = ModelOptions("https://api.example", "m", dropped=frozenset(dropped))
        here: object = PROTOCOLS[name].build_request(options, prompt).body
        for step in place:
            here = here.get(step, {}) if isinstance(here, dict) else None
        return here or None

    prompt = ModelRequest("", [], stops=TOOL_REQUEST.stops)
    assert told(prompt) == ["<<<[TOOL_RESULT]>>>"]
    assert told(ModelRequest("", [])) is None
    assert told(prompt, ".".join(place)) is None
    assert ".".join(place) in PROTOCOLS[name].refusable
