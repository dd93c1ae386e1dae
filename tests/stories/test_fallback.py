"""Someone has several model services in `llm-config.json`, and one of them fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import terminal
from tests.support.replies import end
from tests.support.sseserver import (
    RESET,
    Reply,
    ScriptedServer,
    check_history,
    text,
    thinking,
    tool_call,
)
from tests.support.terminal import Outcome

CONFIG = "llm-config.json"


def configure(home: Path, first: str, second: str, **entry: Any) -> None:
    """Two endpoints, "first" before "second"; `entry` has more settings of the first's model."""
    document = {
        "endpoints": [
            {"name": "first", "protocol": "openai", "base_url": first},
            {"name": "second", "protocol": "openai", "base_url": second},
        ],
        "models": [
            {"endpoint": "first", "id": "big", **entry},
            {"endpoint": "second", "id": "small"},
        ],
        "tiers": {"complex": ["big", "small"]},
        "purposes": {"chat": "complex"},
    }
    (home / CONFIG).write_text(json.dumps(document, indent=1), encoding="utf-8")


def chat(home: Path, *words: str) -> Outcome:
    return terminal.run(home, "chat", "hello", "--json", *words)


def retries(outcome: Outcome) -> list[tuple[int, str]]:
    lines = [line for line in outcome.lines if line["type"] == "retry_announced"]
    return [(line["attempt"], line["code"]) for line in lines]


@pytest.mark.parametrize(
    ("status", "codes"),
    [
        (401, ["unauthorized"]),
        (404, ["not_found"]),
        (503, ["service_failed", "service_failed"]),
        (429, ["rate_limited"]),
    ],
)
def test_the_next_model_answers_and_the_user_sees_why(
    tmp_path: Path, status: int, codes: list[str]
) -> None:
    with ScriptedServer() as first, ScriptedServer(check_history) as second:
        wait = {"Retry-After": "40"} if status == 429 else {}
        for _ in range(2):
            first.reply({"error": {"message": "no"}}, status=status, headers=wait)
        second.reply(thinking("Hm."), text("Here I am."), *end())
        configure(tmp_path, first.url, second.url)
        outcome = chat(tmp_path)

    assert outcome.code == 0
    assert outcome.result["text"] == "Here I am."
    (chosen,) = [line for line in outcome.lines if line["type"] == "model_chosen"]
    assert "small" in chosen.values(), "the message names the answering model"
    assert retries(outcome) == [(number, code) for number, code in enumerate(codes, 1)]
    assert len(first.requests) == len(codes)
    assert second.requests[0].body["model"] == "small"


def test_an_unreachable_service_is_skipped_too(tmp_path: Path) -> None:
    with ScriptedServer() as second:
        second.reply(text("Here I am."), *end())
        configure(tmp_path, "http://127.0.0.1:9/v1", second.url)
        outcome = chat(tmp_path)

    assert outcome.result["text"] == "Here I am."
    assert [code for _, code in retries(outcome)] == ["unreachable", "unreachable"]


def test_tools_continue_with_the_model_that_answers(tmp_path: Path) -> None:
    with ScriptedServer() as first, ScriptedServer(check_history) as second:
        first.reply({"error": {"message": "wrong key"}}, status=401)
        call = tool_call("calc_evaluate", {"expression": "6*7"}, "a")
        second.reply(text("Let me see. "), call, *end("tool_calls"))
        second.reply(text("42."), *end())
        configure(tmp_path, first.url, second.url)
        outcome = chat(tmp_path)

    assert outcome.code == 0
    assert outcome.statuses() == ["success"]
    assert outcome.result["text"] == "Let me see.\n\n42."
    assert len(first.requests) == 1, "the failed one cools down"


def test_shown_text_is_kept_and_the_error_is_named(tmp_path: Path) -> None:
    with ScriptedServer() as first, ScriptedServer() as second:
        first.reply(text("Half a"), RESET)
        configure(tmp_path, first.url, second.url)
        outcome = chat(tmp_path)

    assert outcome.code == 1
    assert outcome.result["error"]["type"] == "stream_broken"
    assert outcome.result["text"] == "Half a"
    assert second.requests == []


def test_an_error_of_the_request_is_not_passed_on(tmp_path: Path) -> None:
    with ScriptedServer() as first, ScriptedServer() as second:
        first.reply({"error": {"message": "this model does not support tools"}}, status=400)
        configure(tmp_path, first.url, second.url)
        outcome = chat(tmp_path)

    assert outcome.result["error"]["type"] == "tools_unsupported"
    assert second.requests == []


def test_an_endpoint_that_can_t_stream_gives_one_message(tmp_path: Path) -> None:
    with ScriptedServer(check_history) as first:
        made = {
            "id": "a",
            "type": "function",
            "function": {"name": "calc_evaluate", "arguments": '{"expression": "6*7"}'},
        }
        calls = {"role": "assistant", "content": "See: ", "tool_calls": [made]}
        first.reply({"choices": [{"message": calls, "finish_reason": "tool_calls"}]})
        last = {"role": "assistant", "content": "42."}
        first.reply({"choices": [{"message": last, "finish_reason": "stop"}]})
        configure(tmp_path, first.url, "http://127.0.0.1:9/v1", streaming=False)
        outcome = chat(tmp_path)

    assert outcome.code == 0
    assert outcome.result["text"] == "See:\n\n42."
    assert outcome.statuses() == ["success"]
    assert all(request.body["stream"] is False for request in first.requests)


def test_a_broken_file_keeps_the_last_valid_one(tmp_path: Path) -> None:
    with ScriptedServer() as first:
        for _ in range(2):
            first.reply(text("Here I am."), *end())
        configure(tmp_path, first.url, "http://127.0.0.1:9/v1")
        assert chat(tmp_path).code == 0
        broken = '{"endpoints": [\n oops'
        (tmp_path / CONFIG).write_text(broken, encoding="utf-8")
        outcome = chat(tmp_path)

    assert outcome.code == 0
    assert outcome.result["text"] == "Here I am."
    assert (tmp_path / CONFIG).read_text(encoding="utf-8") == broken


def test_the_command_line_overrides_the_file(tmp_path: Path) -> None:
    with ScriptedServer() as first, ScriptedServer() as named:
        named.reply(text("I was named."), *end())
        first.reply(text("I too."), *end())
        configure(tmp_path, first.url, "http://127.0.0.1:9/v1")
        outcome = chat(tmp_path, "--base-url", named.url, "--model", "m")
        other = chat(tmp_path, "--model", "another")

    assert outcome.result["text"] == "I was named."
    assert other.result["text"] == "I too."
    assert first.requests[0].body["model"] == "another"


def test_the_doctor_names_the_line_and_tests_the_used_services(tmp_path: Path) -> None:
    with ScriptedServer() as first:
        first.fallback = lambda request: Reply([text("one "), text("two"), *end()])
        configure(tmp_path, first.url, "http://127.0.0.1:9/v1")
        chat(tmp_path)
        wrong = '{\n "endpoints": [],\n "modles": []\n}'
        (tmp_path / CONFIG).write_text(wrong, encoding="utf-8")
        tested = terminal.run(tmp_path, "doctor", "--endpoint", "first", "--json")
        looked = terminal.run(tmp_path, "doctor", "--local")

    assert tested.code == 0
    advice = json.loads(tested.out)["endpoints"][0]["advice"]
    assert (advice["mode"], advice["why"]) == ("none", "no_form")
    assert "line 3, modles: there is no such field here (did you mean “models”?)" in looked.out


def test_with_several_hosts_the_key_of_the_environment_goes_to_none(tmp_path: Path) -> None:
    key = "sk-for-one-service-only"
    with ScriptedServer() as first, ScriptedServer() as second:
        first.reply({"error": {"message": "no key"}}, status=401)
        second.reply(text("Here I am."), *end())
        configure(tmp_path, first.url, second.url)
        terminal.run(tmp_path, "chat", "hello", "--json", env={"NEODESKPET_API_KEY": key})
        sent = [request.headers for request in (*first.requests, *second.requests)]

    assert len(sent) == 2
    assert all("authorization" not in headers for headers in sent)
