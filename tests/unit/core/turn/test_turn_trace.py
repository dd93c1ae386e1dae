"""Pictures are left out of what is kept of a request."""

from __future__ import annotations

import json

from neodeskpet.core.turn.turn_trace import without_pictures


def test_long_base64_is_named_by_its_length() -> None:
    picture = "A" * 5000
    body = json.dumps(
        {
            "openai": {"url": f"data:image/png;base64,{picture}"},
            "claude": {"data": picture},
            "small": {"data": "short"},
        },
        separators=(",", ":"),
    ).encode()
    kept = json.loads(without_pictures(body))
    assert kept["openai"]["url"] == "data:image/png;base64,[5000 characters of a picture]"
    assert kept["claude"]["data"] == "[5000 characters of a picture]"
    assert kept["small"]["data"] == "short"


def test_what_holds_none_is_the_same_object() -> None:
    body = b'{"messages": "no picture"}'
    assert without_pictures(body) is body


def test_one_that_never_ends() -> None:
    kept = without_pictures(b'{"data":"' + b"A" * 3000)
    assert kept == b'{"data":"[3000 characters of a picture]'
