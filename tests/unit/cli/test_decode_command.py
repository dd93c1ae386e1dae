from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.cli.decode_command import decode, run
from tests.support.sseserver import done, error, finish, text, thinking, tool_call, usage

STREAM = b"".join(
    [
        thinking("hm"),
        text("你好"),
        tool_call("f", '{"a":', "1"),
        tool_call("", "1}"),
        tool_call("g", "{oops", "2", 1),
        finish("tool_calls"),
        usage(3, 2),
        done(),
    ]
)


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out = capsys.readouterr()
    assert out.out.count("\n") == 1
    return dict(json.loads(out.out))


def test_a_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "reply.sse"
    file.write_bytes(STREAM)
    expected = {
        "text": "你好",
        "thinking": "hm",
        "refusal": "",
        "tool_calls": [
            {"name": "f", "arguments": {"a": 1}},
            {"name": "g", "arguments": None, "arguments_raw": "{oops"},
        ],
        "finish_reason": "tool_calls",
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
        "error": None,
    }
    assert run(["--protocol", "openai", str(file)]) == 0
    assert printed(capsys) == expected
    for split in ("1", "7"):
        assert run(["--protocol", "openai", "--split", split, str(file)]) == 0
        assert printed(capsys) == expected


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in ([], ["-"]):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text("a") + done())))
        assert run(["--protocol", "openai", *arguments]) == 0
        assert printed(capsys)["text"] == "a"


def test_a_broken_stream_still_prints_its_events() -> None:
    broken = decode("openai", text("a") + tool_call("f", "{}", "1"))
    assert broken["text"] == "a"
    assert broken["tool_calls"] == [{"name": "f", "arguments": {}}]
    assert broken["finish_reason"] is None
    assert broken["error"] == {
        "type": "stream_broken",
        "message": "The reply stopped before it was complete. "
        "The connection ended before the reply was complete.",
    }


def test_an_error_is_the_providers_own_object(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "reply.sse"
    file.write_bytes(text("a") + error("no", code="x"))
    assert run(["--protocol", "openai", str(file)]) == 1
    shown = printed(capsys)
    assert shown["text"] == "a"
    assert shown["error"] == {"message": "no", "code": "x"}


def test_a_body_that_is_no_reply() -> None:
    error_shown = decode("openai", b"<html>")["error"]
    assert isinstance(error_shown, dict)
    assert error_shown["type"] == "bad_reply"


def test_a_complete_reply() -> None:
    body = {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}
    assert decode("openai", json.dumps(body).encode())["text"] == "a"


def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        [],
        ["--protocol", "nope"],
        ["--protocol", "openai", "--split", "0", "x"],
        ["--protocol", "openai", "--split", "x", "x"],
        ["--protocol", "openai", str(tmp_path / "missing")],
        ["--protocol", "openai", str(tmp_path)],
    ):
        assert run(arguments) == 2
        out = capsys.readouterr()
        assert out.out == ""
        assert out.err
    assert run(["--help"]) == 0


class TestLeakedCalls:
    """`--tools`: calls in the text are tool calls too."""

    TOOLS = (
        {"name": "f", "parameters": {"properties": {"n": {"type": "integer"}}}},
        {"name": "g"},
    )

    def decode(
        self, tmp_path: Path, reply: str, capsys: pytest.CaptureFixture[str], end: bytes = done()
    ) -> dict[str, Any]:
        tools, body = tmp_path / "tools.json", tmp_path / "reply.sse"
        tools.write_text(json.dumps(self.TOOLS), "utf-8")
        body.write_bytes(b"".join(text(letter) for letter in reply) + end)
        run(["--protocol", "openai", "--tools", str(tools), str(body)])
        return printed(capsys)

    def test_they_are_typed_and_marked(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        leak = "<function=f><parameter=n>3</parameter></function>"
        told = self.decode(tmp_path, f"So: {leak} Wait.", capsys, finish() + done())
        assert told["text"] == "So:  Wait."
        assert told["tool_calls"] == [{"name": "f", "arguments": {"n": 3}, "leaked": True}]

    def test_a_call_that_was_cut_off_is_no_call(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        told = self.decode(tmp_path, "So: <function=f><parameter=n>3", capsys)
        assert (told["text"], told["tool_calls"]) == ("So: ", [])

    def test_held_text_of_an_interrupted_reply_is_reported(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        told = self.decode(tmp_path, "So: <tool", capsys, b"")
        assert told["error"] is not None
        assert told["text"] == "So: <tool"

    @pytest.mark.parametrize("tools", ["{}", "[5]", '[{"name": 5}]', "no JSON"])
    def test_a_file_without_tools(
        self, tools: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "tools.json"
        file.write_text(tools, "utf-8")
        assert run(["--protocol", "openai", "--tools", str(file), str(file)]) == 2
        assert "can't be decoded" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("forms", "reason"),
    [
        ('[{"name": "x", "call": "<|{nam}|>{json}"}]', "{nam}"),
        ('[{"name": "x",', "not valid JSON"),
    ],
)
def test_invalid_forms_are_reported(
    forms: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "call-forms.json"
    file.write_text(forms, "utf-8")
    assert run(["--protocol", "openai", "--forms", str(file), str(file)]) == 2
    assert reason in capsys.readouterr().err
