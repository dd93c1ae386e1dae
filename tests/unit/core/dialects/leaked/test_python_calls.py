"""Values, neighbours and the text between calls in Python's syntax."""

from __future__ import annotations

import pytest

from tests.unit.core.dialects.leaked.leaking import CATS, CLOCK, PARIS, Heard, read, tool
from tests.unit.core.dialects.splitting import cut_everywhere


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("'a\\'b\\\\c\\n\\d'", "a'b\\c\n\\d"),
        ('"\\x41\\u4f60\\U0001F600\\uZZZZ\\Uffffffff"', "A你😀\\uZZZZ\\Uffffffff"),
        ("''", ""),
        ("'''a'b\nc'''", "a'b\nc"),
        ("5", "5"),
        ("-1.5e3", -1500.0),
        ("None", None),
        ("true", True),
        ("[1, 'a', (2,), {}]", [1, "a", [2], {}]),
        ("{'a': {'b': [False,],},}", {"a": {"b": [False]}}),
    ],
)
def test_python_values(written: str, meant: object) -> None:
    for pieces in cut_everywhere(f"[note(text={written},)]"):
        heard = read(pieces, [tool("note", text="any")])
        assert heard.calls == [("note", {"text": 5 if meant == "5" else meant})], pieces


def test_a_number_that_json_can_not_hold_drops_its_call() -> None:
    heard = read(["[search(query=1e999), search(query=[{'a': 1e999}]), clock_now()]"])
    assert heard.calls == [CLOCK]


def test_text_between_calls_stays() -> None:
    reply = "[search(query='cats')] and [clock_now()]"
    for pieces in cut_everywhere(reply):
        assert read(pieces) == Heard(" and ", "", [CATS, CLOCK], []), pieces


def test_an_unreadable_call_does_not_affect_the_others() -> None:
    for reply in (
        "[get_weather(city='Paris'), fly(a='x 'y', b='z')]",
        "[fly(x=b'z'), get_weather(city='Paris')]",
    ):
        for pieces in cut_everywhere(reply):
            assert read(pieces) == Heard("", "", [PARIS]), pieces
    heard = read(["[search(query='a 'b)'), clock_now()]"])
    assert (heard.calls, heard.broken) == ([CLOCK], ["search"])
