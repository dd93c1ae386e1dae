"""Calls in windows that leak as JSON: bare, fenced, in tags; the same result at every split."""

from __future__ import annotations

import pytest

from neodeskpet.core.toolspec import ToolSpec
from tests.unit.core.dialects.leaked.leaking import TOOLS, Heard, read
from tests.unit.core.dialects.splitting import cut_everywhere

ACT = ToolSpec("window.act", "", {"type": "object", "properties": {"calls": {"type": "array"}}})
ADD = '{"window_id": "notes", "action_id": "add", "params": {"text": "milk"}}'
ONE = {"window_id": "notes", "action_id": "add", "params": {"text": "milk"}}
LIST = f'{{"calls": [{ADD}]}}'


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (LIST, [{"calls": [ONE]}]),
        (ADD, [ONE]),
        (f"[{ADD}, {ADD}]", [ONE, ONE]),
        ('{"Calls": [{"windowId": "notes", "actionId": "close"}]}', None),
        (f"```json\n{LIST}\n```", [{"calls": [ONE]}]),
        (f"<tool_call>{LIST}</tool_call>", [{"calls": [ONE]}]),
        (f"<tool_call>\n{ADD}\n</tool_call>", [ONE]),
        (f"<tools>\n{LIST}\n</tools>", [{"calls": [ONE]}]),
    ],
)
def test_a_call_in_a_window_is_read(text: str, calls: list[object] | None) -> None:
    whole = read([text], [*TOOLS, ACT])
    assert [name for name, _ in whole.calls] == ["window.act"] * len(calls or [1])
    assert calls is None or [given for _, given in whole.calls] == calls
    assert not whole.text
    for pieces in cut_everywhere(text):
        assert read(pieces, [*TOOLS, ACT]) == whole


@pytest.mark.parametrize(
    "text",
    [
        '{"calls": []}',
        '{"calls": [3]}',
        '{"calls": [{"window_id": "notes"}]}',
        '{"window_id": "notes"}',
        f"{LIST} is how one would write it.",
        f"`{LIST}`",
    ],
)
def test_other_json_stays_text(text: str) -> None:
    assert read([text], [*TOOLS, ACT]) == Heard(text=text)


def test_without_windows_it_is_text() -> None:
    assert read([LIST], TOOLS) == Heard(text=LIST)


def test_a_call_that_was_cut_off_is_hidden_and_never_run() -> None:
    for text in (LIST[:-20], f"<tool_call>{LIST[:-20]}"):
        heard = read([text], [*TOOLS, ACT])
        assert (heard.text, heard.calls, heard.broken) == ("", [], ["window.act"])
    heard = read([f'<tool_call>{{"calls": [{ADD},]}}</tool_call>'], [*TOOLS, ACT])
    assert (heard.text, heard.broken) == ("", ["window.act"])
