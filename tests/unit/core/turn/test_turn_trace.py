"""Pictures are left out of the stored request."""

from __future__ import annotations

import json

from neodeskpet.core.turn.turn_trace import without_pictures


def test_long_base64_is_replaced_by_its_length() -> None:
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


def test_a_value_without_pictures_is_returned_unchanged() -> None:
    body = b'{"messages": "no picture"}'
    assert without_pictures(body) is body


def test_a_very_long_text() -> None:
    kept = without_pictures(b'{"data":"' + b"A" * 3000)
    assert kept == b'{"data":"[3000 characters of a picture]'
