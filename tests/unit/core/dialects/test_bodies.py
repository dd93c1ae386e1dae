"""What stands in a block: where it ends."""

from __future__ import annotations

import pytest

from neodeskpet.core.dialects.bodies import Body, BodyReader
from neodeskpet.core.dialects.call_block import CLOSING
from tests.unit.core.dialects.splitting import cut_everywhere

CASES = [
    ("{}</tool_call>x", Body("{}", "x")),
    ('{"a": "</tool_call>"}</tool_call >', Body('{"a": "</tool_call>"}', "")),
    (r'{"a": "\"</tool_call>\\"}</tool_call>', Body(r'{"a": "\"</tool_call>\\"}', "")),
    ("a < b </tool </tool_call>", Body("a < b </tool ", "")),
    ('{"a: 1}</tool_call> "b" \\', Body('{"a: 1}', ' "b" \\')),
    ("{}</tool_call", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "ended"), CASES)
def test_it_ends_at_the_mark_outside_strings(text: str, ended: Body | None) -> None:
    for pieces in cut_everywhere(text):
        block = BodyReader(CLOSING)
        body = None
        while pieces and body is None:
            body = block.feed(pieces.pop(0))
        body = body or block.finish()
        if body is not None:
            body = Body(body.text, body.rest + "".join(pieces))
        assert body == ended
