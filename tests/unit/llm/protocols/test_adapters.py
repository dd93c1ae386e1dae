from __future__ import annotations

import pytest

from neodeskpet.core.errors import StreamBroken
from neodeskpet.core.model import ModelRequest
from neodeskpet.llm.protocols.adapters import PROTOCOLS
from neodeskpet.llm.protocols.protocol import ModelOptions


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
