"""The doctor with scripted services, run as the command runs it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.cli.doctor_command import run
from neodeskpet.llm.catalog.model_catalog import FILE_NAME
from neodeskpet.platform.redaction import HIDDEN_MARK
from tests.support.sseserver import (
    Reply,
    Request,
    ScriptedServer,
    done,
    finish,
    text,
    tool_call,
    usage,
)

KEY = "sk-marked-0123456789abcdef"


def answer(request: Request) -> Reply:
    """A service with tools that sees everything red."""
    question = request.body["messages"][-1]
    if request.body.get("tools") and question["role"] == "user":
        ping = "ping" in question["content"]
        words = [word for word in ("one", "two", "neo") if f'"{word}"' in question["content"]]
        calls = [
            tool_call("probe_ping", "")
            if ping
            else tool_call("probe_echo", {"word": word}, word, number)
            for number, word in enumerate(["ping"] if ping else words)
        ]
        return Reply([*calls, finish("tool_calls"), usage(), done()])
    return Reply([text("red "), text("it is"), finish(), usage(), done()])


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        scripted.fallback = answer
        scripted.pages["/v1/models"] = {"data": [{"id": "text-embedding-3"}, {"id": "m"}]}
        yield scripted


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("BASE_URL", "MODEL", "PROTOCOL", "API_KEY"):
        monkeypatch.delenv(f"NEODESKPET_{name}", raising=False)
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return tmp_path


def put_catalog(home: Path, **addresses: str) -> None:
    document = {
        "endpoints": [
            {"name": name, "protocol": "openai", "base_url": url} for name, url in addresses.items()
        ],
        "models": [{"endpoint": name, "id": f"model-of-{name}"} for name in addresses],
    }
    (home / FILE_NAME).write_text(json.dumps(document), encoding="utf-8")


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return dict(json.loads(out))


def test_an_address_that_supports_everything(
    home: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--base-url", server.url, "--model", "m", "--json"]) == 0
    found = told(capsys)
    assert (found["ok"], found["checks"]) == (True, [])
    (endpoint,) = found["endpoints"]
    assert (endpoint["model"], endpoint["protocol"]) == ("m", "openai")
    outcomes = {trial["id"]: trial["outcome"] for trial in endpoint["trials"]}
    assert outcomes.pop("thinking") == "absent"
    assert set(outcomes.values()) == {"good"}
    assert endpoint["advice"]["mode"] == "auto"
    assert endpoint["advice"]["reason"] == "Replies and tool calls work."
    assert endpoint["advice"]["vision"] is True


def test_the_table_on_the_terminal(
    home: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--base-url", server.url, "--model", "m"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"service: m (openai, {server.url})\n  ✓ Connection ")
    assert "  ✓ Several calls at once      called  " in out
    assert "  – Thinking                   none shown\n" in out
    assert out.endswith(
        "  → Mode Auto: Replies and tool calls work.\n"
        "    Starts with native; offers text mode if the service can't use tools.\n"
    )


def test_without_a_model_the_first_chat_model_is_used(
    home: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--base-url", server.url, "--json"]) == 0
    assert told(capsys)["endpoints"][0]["model"] == "m"
    server.pages.clear()
    run(["--base-url", server.url, "--json"])
    assert told(capsys)["endpoints"][0]["model"] == ""


def test_a_service_that_refuses_the_key(
    home: Path,
    server: ScriptedServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NEODESKPET_API_KEY", KEY)
    server.fallback = lambda request: Reply([{"error": {"message": f"bad key {KEY}"}}], 401)
    for words in ([], ["--json"]):
        assert run(["--base-url", server.url, "--model", "m", *words]) == 1
        assert KEY not in capsys.readouterr().out
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_keys_in_an_address_are_not_printed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--base-url", f"http://127.0.0.1:9/v1?key={KEY}", "--model", "m", "--json"]) == 1
    out = capsys.readouterr().out
    assert KEY not in out
    assert HIDDEN_MARK in json.loads(out)["endpoints"][0]["base_url"]


def test_a_model_file_that_can_not_be_loaded(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "bad.gguf").write_bytes(b"<html>")
    assert run(["--base-url", f"local:{home}/bad.gguf", "--json"]) == 1
    (endpoint,) = told(capsys)["endpoints"]
    assert endpoint["model"] == "bad"
    (trial,) = endpoint["trials"]
    assert (trial["id"], trial["outcome"]) == ("models", "failed")
    assert trial["error"]["type"] == "local_bad_file"


def test_an_endpoint_of_the_file_by_its_name(
    home: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    put_catalog(home, good=server.url, bad="http://127.0.0.1:9/v1")
    assert run(["--endpoint", "good", "--json"]) == 0
    assert [one["model"] for one in told(capsys)["endpoints"]] == ["model-of-good"]
    assert run(["--endpoint", "good", "--model", "other", "--json"]) == 0
    assert [one["model"] for one in told(capsys)["endpoints"]] == ["other"]
    assert server.requests[-1].body["model"] == "other"
    assert run(["--endpoint", "bad", "--json"]) == 1
    assert told(capsys)["endpoints"][0]["advice"]["mode"] == ""


def test_wrong_usage_is_exit_code_two(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put_catalog(home, good="http://x")
    assert run(["--endpoint", "nobody"]) == 2
    assert "There is no endpoint “nobody”. Known: good" in capsys.readouterr().err
    for words in (
        ["--endpoint", "good", "--base-url", "http://x"],
        ["--local", "--endpoint", "good"],
        ["--base-url", " "],
        ["--protocol", "telepathy"],
    ):
        with pytest.raises(SystemExit) as ended:
            run(words)
        assert ended.value.code == 2


def test_the_address_of_the_environment_overrides_the_file(
    home: Path,
    server: ScriptedServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_catalog(home, bad="http://127.0.0.1:9/v1")
    monkeypatch.setenv("NEODESKPET_BASE_URL", server.url)
    monkeypatch.setenv("NEODESKPET_MODEL", "m")
    assert run(["--endpoint", "service", "--protocol", "openai", "--json"]) == 0
    assert told(capsys)["endpoints"][0]["base_url"] == server.url


def test_everything_is_checked(
    home: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    put_catalog(home, good=server.url)
    assert run(["--json"]) == 0
    found = told(capsys)
    rows = {row["id"]: row for row in found["checks"]}
    assert rows["services"]["text"] == "1 model"
    assert rows["companion"]["outcome"] == "good"
    assert len(found["endpoints"]) == 1


def test_checking_only_this_computer_sends_no_request(
    home: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    put_catalog(home, good=server.url)
    missing = {"companion": {"model": str(home / "nothing")}}
    (home / "settings.json").write_text(json.dumps(missing), encoding="utf-8")
    assert run(["--local"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("This computer\n  ✓ Version ")
    assert "  ✕ Companion " in out
    assert server.requests == []


def test_a_proposal_can_be_applied(
    home: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    put_catalog(home, first=server.url)
    document = json.loads((home / FILE_NAME).read_text(encoding="utf-8"))
    (home / FILE_NAME).write_text(json.dumps(document | {"_note": "mine"}), encoding="utf-8")
    assert run(["--endpoint", "first", "--take"]) == 0
    assert capsys.readouterr().out.endswith("  ✓ Applied.\n")
    after = json.loads((home / FILE_NAME).read_text(encoding="utf-8"))
    abilities = {"tools": True, "parallel": True, "vision": True, "streaming": True}
    assert after["models"] == [document["models"][0] | abilities]
    assert after["_note"] == "mine"
    assert json.loads((home / "settings.json").read_text(encoding="utf-8"))["mode"] == {
        "mode": "auto"
    }

    assert run(["--endpoint", "first", "--model", "unlisted", "--take", "--json"]) == 0
    assert told(capsys)["endpoints"][0]["taken"] is True
    after = json.loads((home / FILE_NAME).read_text(encoding="utf-8"))
    assert [model["id"] for model in after["models"]] == ["model-of-first", "unlisted"]


def test_applying_overwrites_no_broken_file(
    home: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    put_catalog(home, first=server.url)
    run(["--endpoint", "first", "--json"])
    (home / FILE_NAME).write_text("{", encoding="utf-8")
    capsys.readouterr()
    assert run(["--endpoint", "first", "--take"]) == 1
    assert "was not overwritten" in capsys.readouterr().out
    assert (home / FILE_NAME).read_text(encoding="utf-8") == "{"


def test_applying_needs_an_endpoint(home: Path) -> None:
    with pytest.raises(SystemExit) as exit_:
        run(["--take"])
    assert exit_.value.code == 2
