"""Messages between the app and the process of a tool file are unchanged by the pipe."""

from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter

from neodeskpet.core.attachments import Picture, name_by_content
from neodeskpet.core.errors import InvalidArguments, StoreError, ToolCrashed, ToolFailed
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.i18n import Reason
from neodeskpet.core.tool_result import (
    Shown,
    ShownDiff,
    ShownImage,
    ShownList,
    ShownTable,
    ShownTerminal,
    ShownText,
    ToolResult,
)
from neodeskpet.core.toolspec import Mode, Risk, ToolSpec
from neodeskpet.tools.user_tools import tool_file_protocol


def over(told: object) -> dict[str, object]:
    """Send it through the pipe."""
    read: dict[str, object] = TypeAdapter(dict[str, object]).validate_json(json.dumps(told))
    return read


@pytest.mark.parametrize(
    "shown",
    [
        None,
        ShownText("a"),
        ShownDiff("+a", "x.txt"),
        ShownList(("a", "b"), "two"),
        ShownTable(("h",), (("a",), ("b",))),
        ShownImage("d", "cat"),
        ShownTerminal("out", "ls", 0),
    ],
)
def test_results(shown: Shown | None) -> None:
    picture = Picture(name_by_content(b"png"), b"png", "image/png", "cat")
    result = ToolResult("text", {"a": [1]}, shown, (picture,), continue_=False)
    assert (
        tool_file_protocol.result_from_json(over(tool_file_protocol.result_to_json(result)))
        == result
    )


def test_an_invalid_result() -> None:
    for told in ({}, {"text": "a", "shown": {"kind": "script"}}, {"text": "a", "images": [{}]}):
        with pytest.raises((KeyError, TypeError, ValueError)):
            tool_file_protocol.result_from_json(told)


def test_specs() -> None:
    scope = {"url": ScopeKind.HOST}
    spec = ToolSpec("a.b", "What", {"type": "object"}, Risk.RUN, Mode.ASYNC, scope=scope)
    assert tool_file_protocol.spec_from_json(over(tool_file_protocol.spec_to_json(spec))) == spec
    odd = {"name": "a", "description": "", "parameters": {}, "risk": "harmless", "timeout": 1e9}
    read = tool_file_protocol.spec_from_json(odd)
    assert (read.risk, read.timeout) == (Risk.WRITE, 3600)


def test_errors() -> None:
    wrong = InvalidArguments(reasons=[Reason("too {size}", {"size": "big"}, "a.b")], advice="Less.")
    read = tool_file_protocol.error_from_json(over(tool_file_protocol.fault_to_json(wrong)))
    assert isinstance(read, InvalidArguments)
    assert (read.reasons, str(read)) == (wrong.reasons, str(wrong))
    failed = tool_file_protocol.error_from_json(
        over(tool_file_protocol.fault_to_json(ToolFailed("no")))
    )
    assert (type(failed), failed.detail) == (ToolFailed, "no")
    made_up = {**tool_file_protocol.fault_to_json(ToolFailed("no")), "code": StoreError.code}
    assert type(tool_file_protocol.error_from_json(made_up)) is ToolCrashed
