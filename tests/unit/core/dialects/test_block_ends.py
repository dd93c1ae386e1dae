"""The place where a block ends."""

from __future__ import annotations

import pytest

from neodeskpet.core.dialects.marker_reader import BlockBody, BlockBodyReader
from neodeskpet.core.dialects.tool_call import CLOSING_MARKER
from tests.unit.core.dialects.splitting import cut_everywhere

CASES = [
    ("{}</tool_call>x", BlockBody("{}", "x")),
    ('{"a": "</tool_call>"}</tool_call >', BlockBody('{"a": "</tool_call>"}', "")),
    (r'{"a": "\"</tool_call>\\"}</tool_call>', BlockBody(r'{"a": "\"</tool_call>\\"}', "")),
    ("a < b </tool </tool_call>", BlockBody("a < b </tool ", "")),
    ('{"a: 1}</tool_call> "b" \\', BlockBody('{"a: 1}', ' "b" \\')),
    ("{}</tool_call", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "ended"), CASES)
def test_a_block_ends_at_the_mark_outside_of_strings(text: str, ended: BlockBody | None) -> None:
    for pieces in cut_everywhere(text):
        block = BlockBodyReader(CLOSING_MARKER)
        body = None
        while pieces and body is None:
            body = block.feed(pieces.pop(0))
        body = body or block.finish()
        if body is not None:
            body = BlockBody(body.text, body.rest + "".join(pieces))
        assert body == ended
