"""Someone talks to the companion from a terminal: plain text, tools, both modes, stop."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import stat
from pathlib import Path

import pytest

from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from tests.support import terminal
from tests.support.desk import settle
from tests.support.replies import bare, block, end
from tests.support.sseserver import (
    CUT,
    HANG,
    HOLD,
    RESET,
    Part,
    ScriptedServer,
    check_history,
    done,
    error,
    finish,
    text,
    thinking,
    tool_call,
)
from tests.support.terminal import chat


def halved(chunk: bytes) -> bytes:
    """`chunk` with half of a surrogate pair in place of HALF, as a gateway writes it."""
    return chunk.replace(b"HALF", b"\\ud83d")


def test_a_plain_reply(tmp_path: Path) -> None:
    with ScriptedServer(check_history) as server:
        server.reply(thinking("Hm. "), text("你好，"), text("world"), *end())
        outcome = chat(tmp_path, server.url, "hello")

    assert outcome.code == 0
    assert outcome.result == {
        "type": "result",
        "success": True,
        "error": None,
        "model": "test-model",
        "finish_reason": "stop",
        "rounds": 1,
        "tool_calls": [],
        "steps": [],
        "action": None,
        "action_result": None,
        "text": "你好，world",
        "thinking": "Hm. ",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }
    kinds = [line["type"] for line in outcome.lines]
    assert kinds[0] == "turn_started"
    assert kinds[-2:] == ["turn_ended", "result"]


def test_several_tools_in_several_rounds_natively(tmp_path: Path) -> None:
    with ScriptedServer(check_history) as server:
        first = tool_call("calc_evaluate", {"expression": "6*7"}, "a", 0)
        second = tool_call("note_add", {"text": "买牛奶"}, "b", 1)
        server.reply(text("Let me see. "), first, second, *end("tool_calls"))
        server.reply(tool_call("note_search", {"query": "牛奶"}, "a"), *end("tool_calls"))
        server.reply(text("42, noted."), *end())
        outcome = chat(tmp_path, server.url, "do it")
        last = server.requests[-1].body

    assert outcome.code == 0
    assert outcome.statuses() == ["success"] * 3
    calls = outcome.result["tool_calls"]
    assert calls[0]["name"] == "calc.evaluate"
    assert calls[0]["arguments"] == {"expression": "6*7"}
    assert "42" in calls[0]["output"]
    assert "买牛奶" in calls[2]["output"]
    assert outcome.result["rounds"] == 3
    assert outcome.result["text"] == "Let me see.\n\n42, noted."
    assert outcome.result["usage"] == {"input_tokens": 30, "output_tokens": 15}
    assert [m["role"] for m in last["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "tool",
    ]


def test_several_tools_in_text_mode(tmp_path: Path) -> None:
    reply = (
        "Watch me "
        + block("live2d.expression", {"name": "smile"})
        + " and "
        + block("calc.evaluate", {"expression": "6*7"})
        + " there."
    )
    with ScriptedServer(check_history) as server:
        server.reply(*(text(letter) for letter in reply), *end())
        server.reply(text("It is 42."), *end())
        outcome = chat(tmp_path, server.url, "do it", "--mode", "text")
        first, second = (request.body for request in server.requests)

    assert outcome.code == 0
    assert outcome.statuses() == ["success", "success"]
    assert outcome.result["text"] == "Watch me  and  there.\n\nIt is 42."
    assert "tools" not in first
    assert "TOOL_REQUEST" in first["messages"][0]["content"]
    assert "<<<[TOOL_RESULT]>>>" in second["messages"][-1]["content"]
    assert "42" in second["messages"][-1]["content"]
    assert "TOOL" not in "".join(
        line.get("text", "") for line in outcome.lines if line["type"] == "text_appended"
    )


def test_calls_in_windows_in_text_mode(tmp_path: Path) -> None:
    """Natively they are one tool; here tools of no app are in a window too."""
    made = {"window_id": "tools", "action_id": "calc.evaluate", "params": {"expression": "6*7"}}
    reply = f"Let me see. <tool_call>{json.dumps({'calls': [made]})}</tool_call>"
    with ScriptedServer(check_history) as server:
        server.reply(*(text(letter) for letter in reply), *end())
        server.reply(text("It is 42."), *end())
        outcome = chat(tmp_path, server.url, "6*7?", "--mode", "text", "--dialect", "tool_call")
        first, second = (request.body for request in server.requests)

    assert outcome.code == 0
    assert outcome.statuses() == ["success"]
    assert outcome.result["text"] == "Let me see.\n\nIt is 42."
    assert '<Window id="tools">' in first["messages"][0]["content"] and "tools" not in first
    assert '<Window id="log_1" compact="true">' in second["messages"][-1]["content"]
    assert not any("tool_call" in line.get("text", "") for line in outcome.lines)


def test_lines_and_calls_in_tags(tmp_path: Path) -> None:
    """Lines are printed as they come; calls run after the reply has ended."""
    call = "<tool><name>calc.evaluate</name><arguments>6 * 7</arguments></tool>"
    reply = f"<messages>\n<item>Let me \\| see.||smile</item>\n{call}\n<item>So:</item></messages>"
    with ScriptedServer(check_history) as server:
        server.reply(*(text(letter) for letter in reply), *end())
        server.reply(text("<item>It is 42.</item>"), *end())
        outcome = chat(tmp_path, server.url, "6*7?", "--mode", "text", "--dialect", "tool_tag")
        first, second = (request.body for request in server.requests)

    assert outcome.code == 0
    assert outcome.statuses() == ["success"]
    assert outcome.result["text"] == "Let me | see.\n\nSo:\n\nIt is 42."
    assert "<item>" in first["messages"][0]["content"] and "tools" not in first
    feedback = second["messages"][-1]["content"]
    assert feedback.startswith("<tools_results><continue>true</continue><results><result>")
    assert "<name>calc.evaluate</name><ok>true</ok><data>6 * 7 = 42<" in feedback
    assert not any("<" in line.get("text", "") for line in outcome.lines)


def test_the_figure_tools_have_the_names_of_the_model(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        wrong = tool_call("live2d_motion", {"group": "Fly"}, "a", 0)
        server.reply(wrong, *end("tool_calls"))
        server.reply(text("ok"), *end())
        outcome = chat(tmp_path, server.url, "fly")
        offered = {t["function"]["name"]: t["function"] for t in server.requests[0].body["tools"]}

    assert outcome.statuses() == ["error"]
    assert "Idle" in outcome.result["tool_calls"][0]["output"]
    names = offered["live2d_expression"]["parameters"]["properties"]["name"]["enum"]
    assert "smile" in names


@pytest.mark.parametrize("mode", ["native", "auto"])
def test_an_endpoint_without_tools_is_named_and_nothing_changes(tmp_path: Path, mode: str) -> None:
    with ScriptedServer() as server:
        server.reply({"error": {"message": "this model does not support tools"}}, status=400)
        outcome = chat(tmp_path, server.url, "hello", "--mode", mode)

    assert outcome.code == 1
    assert outcome.result["error"]["type"] == "tools_unsupported"
    assert "text mode" in outcome.result["error"]["hint"]
    assert len(server.requests) == 1


def test_a_refusal_without_a_reason_fails_with_the_question(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.reply({"error": {"message": "bad request"}}, status=400)
        outcome = chat(tmp_path, server.url, "hello", "--mode", "auto")

    assert outcome.code == 1
    assert outcome.result["error"]["type"] == "tools_doubted"
    assert "Send without tools" in outcome.result["error"]["hint"]
    assert len(server.requests) == 1


def test_it_continues_the_last_conversation(tmp_path: Path) -> None:
    with ScriptedServer(check_history) as server:
        for word in ("one", "two", "three"):
            server.reply(text(word), *end())
        chat(tmp_path, server.url, "first")
        chat(tmp_path, server.url, "second")
        chat(tmp_path, server.url, "third", "--new")
        said = [[bare(m["content"]) for m in r.body["messages"][1:]] for r in server.requests]

    assert said == [["first"], ["first", "one", "second"], ["third"]]


def test_memory_and_documents_are_used_unless_switched_off(tmp_path: Path) -> None:
    home, paper = tmp_path / "home", tmp_path / "parrots.md"
    paper.write_text("# Parrots\n\nA parrot of the kind kakapo can't fly.")
    question, tries = "What is my parrot called, and can parrots of the kind kakapo fly?", 4
    with ScriptedServer(check_history) as server:
        for _ in range(1 + 3 * tries):
            server.reply(text("Well."), *end())
        chat(home, server.url, "By the way: our parrot answers to Zazu.")
        assert terminal.run(home, "knowledge", "add", str(paper)).code == 0
        told = []
        for words in ((), ("--no-memory",), ("--no-knowledge",)):
            found: set[str] = set()
            for _ in range(tries):  # memory that isn't found in 30 ms is left out of a request
                assert chat(home, server.url, question, "--new", *words).code == 0
                sent = json.dumps(server.requests[-1].body)
                found |= {word for word in ("Zazu", "can't fly") if word in sent}
                if len(found) == 2:
                    break
            told.append(found)
    assert told == [{"Zazu", "can't fly"}, {"can't fly"}, {"Zazu"}]


@pytest.mark.parametrize(
    ("parts", "status", "kind"),
    [
        (["<html>Bad gateway</html>"], 200, "bad_reply"),
        ([b""], 200, "bad_reply"),
        ([text("half"), CUT], 200, "stream_broken"),
        ([text("half"), RESET], 200, "stream_broken"),
        ([text("half")], 200, "stream_broken"),
        ([text("half"), error("overloaded")], 200, "reply_error"),
        ([{"error": {"message": "bad key"}}], 401, "unauthorized"),
        ([{"error": {"message": "no such model"}}], 404, "not_found"),
    ],
)
def test_each_error_has_its_own_text(
    tmp_path: Path, parts: list[Part], status: int, kind: str
) -> None:
    with ScriptedServer() as server:
        for _ in range(4):
            server.reply(*parts, status=status)
        outcome = chat(tmp_path, server.url, "hello")

    assert outcome.code == 1
    assert outcome.result["success"] is False
    assert outcome.result["error"]["type"] == kind
    assert outcome.result["error"]["message"]
    assert outcome.result["text"] == ("half" if parts[0] == text("half") else "")


def test_cut_off_arguments_are_never_run(tmp_path: Path) -> None:
    with ScriptedServer(check_history) as server:
        server.reply(text("I "), tool_call("note_add", '{"text": "ha', "a"), RESET)
        outcome = chat(tmp_path, server.url, "note it")
        server.reply(text("fine"), *end())
        second = chat(tmp_path, server.url, "again")

    assert outcome.code == 1
    assert outcome.statuses() == ["interrupted"]
    assert second.code == 0


def test_lone_surrogates_end_nothing(tmp_path: Path) -> None:
    """In the arguments, the ids, the names, the text and the error: all of it is printed."""
    arguments = json.dumps({"text": "a \ud83d b"})
    with ScriptedServer() as server:
        call = tool_call("note_add", arguments, "idHALF")
        server.reply(halved(text("xHALFy")), halved(call), *end("tool_calls"))
        server.reply(halved(b'{"error": {"message": "no HALF"}}'), status=400)
        outcome = chat(tmp_path, server.url, "note it")

    assert outcome.code == 1
    assert outcome.statuses() == ["success"]
    assert outcome.result["tool_calls"][0]["arguments"] == {"text": "a \ufffd b"}
    assert outcome.result["tool_calls"][0]["call_id"] == "id\ufffd"
    assert outcome.result["text"].startswith("x\ufffdy")
    assert "no \ufffd" in outcome.result["error"]["message"]


def test_usage_that_is_no_number_is_ignored(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        counts = '{"choices": [], "usage": {"prompt_tokens": NaN, "completion_tokens": 1e999}}'
        server.reply(text("here"), finish(), f"data: {counts}\n\n", done())
        outcome = chat(tmp_path, server.url, "hello")

    assert (outcome.code, outcome.result["text"]) == (0, "here")
    assert outcome.result["usage"] == {"input_tokens": 0, "output_tokens": 0}


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:99999/v1", "http://[::1/v1", "ftp://127.0.0.1/v1"]
)
def test_an_invalid_address_is_named(tmp_path: Path, address: str) -> None:
    outcome = chat(tmp_path, address, "hello")
    assert outcome.code == 1
    assert outcome.result["error"]["type"] == "address_wrong"
    assert not [line for line in outcome.lines if line["type"] == "retry_announced"]


@pytest.mark.parametrize(
    "reason", ["insufficient_system_resource", "repetition_truncation", "a_new_word"]
)
def test_an_unknown_stop_reason_is_named(tmp_path: Path, reason: str) -> None:
    with ScriptedServer() as server:
        server.reply(text("half"), finish(reason), done())
        outcome = chat(tmp_path, server.url, "hello")

    assert outcome.code == 1
    assert outcome.result["text"] == "half"
    assert reason in outcome.result["error"]["message"]


def test_a_pause_requested_by_the_service_is_kept_and_the_turn_succeeds(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        wait = {"Retry-After": "1"}
        server.reply({"error": {"message": "slow down"}}, status=429, headers=wait)
        server.reply(text("here"), *end())
        outcome = chat(tmp_path, server.url, "hello")

    assert outcome.code == 0
    retries = [line for line in outcome.lines if line["type"] == "retry_announced"]
    assert [(line["attempt"], line["code"]) for line in retries] == [(1, "rate_limited")]
    assert retries[0]["delay"] >= 1


@pytest.mark.parametrize("where", ["text", "arguments", "tool", "retry"])
def test_ctrl_c_ends_it_like_stop(tmp_path: Path, where: str) -> None:
    parts: dict[str, list[Part]] = {
        "text": [text("Well"), HANG],
        "arguments": [text("Well"), tool_call("note_add", '{"te', "a"), HANG],
        "tool": [text("Well"), tool_call("live2d_expression", {"name": "smile"}, "a"), HANG],
        "retry": [{"error": {"message": "slow down"}}],
    }
    shown = {"retry": "retry_announced", "text": "block_started"}.get(where, "arguments_appended")
    with ScriptedServer(check_history) as server:
        wait = {"Retry-After": "30"}
        status = 429 if where == "retry" else 200
        server.reply(*parts[where], status=status, headers=wait if where == "retry" else {})
        words = ("--json", "--base-url", server.url, "--model", "m")
        process = terminal.start(tmp_path, "chat", "hello", *words)
        assert process.stdout is not None
        seen = []
        while not seen or json.loads(seen[-1])["type"] != shown:
            seen.append(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        result = json.loads(out.splitlines()[-1])
        if where != "retry":
            assert server.requests[0].closed_early.wait(60)
        server.reply(text("fine"), *end())
        second = chat(tmp_path, server.url, "and now?")

    assert process.returncode == 130
    assert result["error"]["type"] == "cancelled"
    assert all(call["status"] in ("cancelled", "success") for call in result["tool_calls"])
    assert second.code == 0


def test_the_offline_helper_answers_without_a_service(tmp_path: Path) -> None:
    for mode in ("native", "text"):
        outcome = chat(tmp_path, "", "what is 6*7?", "--mode", mode)
        assert outcome.code == 0
        assert outcome.result["tool_calls"][0]["name"] == "calc.evaluate"
        assert "42" in outcome.result["text"]


def test_people_without_json_read_text_and_cards(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.reply(text("See: "), tool_call("calc_evaluate", {"expression": "6*7"}), *end())
        server.reply(text("42!"), *end())
        words = ("--base-url", server.url, "--model", "m")
        outcome = terminal.run(tmp_path, "chat", "hello", *words)

    assert outcome.code == 0
    assert "See:" in outcome.out
    assert "✓ Calculate" in outcome.out
    assert outcome.out.endswith("42!\n")


def test_wrong_usage_is_exit_code_two(tmp_path: Path) -> None:
    assert terminal.run(tmp_path, "chat").code == 2
    assert terminal.run(tmp_path, "chat", "x", "--mode", "sideways").code == 2
    assert terminal.run(tmp_path, "chat", "  ").code == 2


def test_the_key_is_sent_and_written_nowhere(tmp_path: Path) -> None:
    key = "sk-marked-5f2c9a7e"
    with ScriptedServer() as server:
        server.reply({"error": {"message": f"wrong key {key}"}}, status=401)
        outcome = chat(tmp_path, server.url, "hello", env={"NEODESKPET_API_KEY": key})
        assert server.requests[0].headers["authorization"] == f"Bearer {key}"

    assert key not in outcome.out + outcome.err
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes(), file


@pytest.mark.parametrize(
    "written", ["{root}", "{root}/", "{root}/v1", "{root}/v1/chat/completions"]
)
def test_base_urls_are_taken_as_people_write_them(tmp_path: Path, written: str) -> None:
    with ScriptedServer() as server:
        server.reply(text("hi"), *end())
        root = server.url.removesuffix("/v1")
        outcome = chat(tmp_path, written.format(root=root), "hello")
        path = server.requests[0].path

    assert outcome.code == 0
    assert path == "/v1/chat/completions"


def test_everything_is_in_the_database(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.reply(text("kept"), *end())
        chat(tmp_path, server.url, "hello")
    files = [path for path in tmp_path.rglob("*.db") if b"kept" in path.read_bytes()]
    assert files
    connection = sqlite3.connect(files[0])
    assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
    connection.close()


def test_a_held_stream_shows_the_first_token_before_the_second_is_sent(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        reply = server.reply(text("first"), HOLD, text("second"), *end())
        words = ("--json", "--base-url", server.url, "--model", "m")
        process = terminal.start(tmp_path, "chat", "hello", *words)
        assert process.stdout is not None
        line = ""
        while "first" not in line:
            line = process.stdout.readline()
        assert reply.sent == 1
        reply.release()
        out, _ = process.communicate(timeout=60)

    assert json.loads(out.splitlines()[-1])["text"] == "firstsecond"


def test_a_damaged_database_is_reported(tmp_path: Path) -> None:
    with ScriptedServer(check_history) as server:
        for word in ("one", "two", "three"):
            server.reply(text(word), *end())
        (tmp_path / CONVERSATIONS_FILE).write_bytes(b"no database " * 1000)
        told = chat(tmp_path, server.url, "first")
        (tmp_path / CONVERSATIONS_FILE).write_bytes(b"no database " * 1000)
        service = ("--base-url", server.url, "--model", "m")
        plain = terminal.run(tmp_path, "chat", "second", *service)
        well = chat(tmp_path, server.url, "third")

    assert told.code == 0
    (fault,) = [line for line in told.lines if line["type"] == "fault"]
    assert fault["code"] == "conversations_damaged"
    kept = re.search(r"neodeskpet\.damaged-[-0-9]+\.db", fault["hint"])
    assert kept is not None
    assert (tmp_path / kept[0]).exists()
    assert fault["message"] in told.err
    assert told.result["text"] == "one"
    assert plain.out == "two\n"
    assert "was damaged, so a new one was created" in plain.err
    assert not well.err
    assert "fault" not in [line["type"] for line in well.lines]


def test_of_half_a_database_the_readable_part_is_used(tmp_path: Path) -> None:
    with ScriptedServer(check_history) as server:
        for _ in range(2):
            server.reply(text("long ".ljust(3000, "x")), *end())
        chat(tmp_path, server.url, "first")
        connection = sqlite3.connect(tmp_path / CONVERSATIONS_FILE)
        root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'conversations'")
        (page,) = root.fetchone()
        connection.close()
        content = bytearray((tmp_path / CONVERSATIONS_FILE).read_bytes())
        content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
        (tmp_path / CONVERSATIONS_FILE).write_bytes(content)
        again = chat(tmp_path, server.url, "second")
        said = [bare(m["content"]) for m in server.requests[-1].body["messages"]]

    assert again.code == 0
    assert "first" in said
    assert "2 of 2 messages could be recovered" in again.err


def test_an_invalid_byte_in_a_message_loses_one_letter(tmp_path: Path) -> None:
    with ScriptedServer(check_history) as server:
        server.reply(text("well"), *end())
        server.reply(text("still well"), *end())
        chat(tmp_path, server.url, "first")
        connection = sqlite3.connect(tmp_path / CONVERSATIONS_FILE)
        connection.execute("UPDATE blocks SET body = CAST(x'77ff6c6c' AS TEXT) WHERE body = 'well'")
        connection.execute("UPDATE messages SET usage = CAST(x'7bff' AS TEXT)")
        connection.commit()
        connection.close()
        again = chat(tmp_path, server.url, "second")
        said = [bare(m["content"]) for m in server.requests[-1].body["messages"][1:]]

    assert again.code == 0
    assert said == ["first", "w\ufffdll", "second"]


NASTY = "a\x1b]0;title\x07b\x1b[2Jc\x1b]52;c;aGk=\x07d\x00e\x9bf\u202eg\x7fh\r!"
TAME = "a␛]0;title␇b␛[2Jc␛]52;c;aGk=␇d␀e\\u009bf\\u202eg\\u007fh␍!"


def test_no_text_can_control_the_terminal(tmp_path: Path) -> None:
    with ScriptedServer(check_history) as server:
        call = tool_call("calc_evaluate", {"expression": NASTY}, "a")
        for _ in range(2):
            server.reply(text(NASTY), call, *end("tool_calls"))
            server.reply(text("\x1b[31mred"), *end())
        server.reply({"error": {"message": f"no such model {NASTY}"}}, status=404)
        service = ("--base-url", server.url, "--model", "m")
        plain = terminal.run(tmp_path, "chat", "hello", *service)
        as_json = chat(tmp_path, server.url, "hello")
        failed = terminal.run(tmp_path, "chat", "hello", *service)

    assert plain.out.startswith(TAME)
    assert "␛[31mred" in plain.out
    assert TAME[:-2] in failed.out
    assert as_json.result["text"] == f"{NASTY}\n\n\x1b[31mred"
    said = "".join(outcome.out + outcome.err for outcome in (plain, as_json, failed))
    assert not [letter for letter in said if letter in "\x1b\x07\x00\x9b\u202e\x7f\r"]


def test_file_names_can_not_control_the_terminal(tmp_path: Path) -> None:
    model = terminal.run(tmp_path, "model", "check", "\x1b]0;owned\x07")
    usage = terminal.run(tmp_path, "chat", "hello", "--\x1b[2J")
    for outcome in (model, usage):
        assert outcome.code == 2
        assert "␛" in outcome.err
        assert "\x1b" not in outcome.err


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_closed_pipe_is_no_error(tmp_path: Path, words: tuple[str, ...]) -> None:
    with ScriptedServer(check_history) as server:
        reply = server.reply(text("first\n"), HOLD, text("second\n"), HANG)
        service = ("--base-url", server.url, "--model", "m")
        process = terminal.start(tmp_path, "chat", "hello", *words, *service)
        assert process.stdout is not None
        assert process.stderr is not None
        while "first" not in process.stdout.readline():
            pass
        process.stdout.close()
        reply.release()
        said = process.stderr.read()
        assert process.wait(30) == 141
        process.stderr.close()
        server.reply(text("well"), *end())
        again = chat(tmp_path, server.url, "and now?")
        asked = [bare(m["content"]) for m in server.requests[-1].body["messages"][1:]]

    assert said == ""
    assert again.code == 0
    assert asked[0] == "hello"
    assert asked[1].startswith("first")


def test_a_full_disk_of_the_output_is_a_known_error(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        process = terminal.start(tmp_path, "chat", "hello", out=full)
        outcome = terminal.finish(process)
    assert outcome.code == 1
    assert outcome.err == "The output can't be written: No space left on device.\n"


def test_a_full_disk_of_the_log_affects_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "neodeskpet.log").symlink_to("/dev/full")
    (tmp_path / CONVERSATIONS_FILE).write_bytes(b"no database " * 1000)  # which is logged
    outcome = terminal.run(tmp_path, "chat", "hello")
    assert outcome.code == 0
    assert "Hi, nice to see you!" in outcome.out
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize("command", [("chat", "hello"), ("chat", "hello", "--json"), ("doctor",)])
def test_a_file_as_the_data_folder_is_a_known_error(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        outcome = terminal.run(tmp_path, *command, "--data-dir", str(folder))
        assert outcome.code == 2
        assert str(tmp_path / "file") in outcome.err
        assert "can't be used" in outcome.err
        assert "Traceback" not in outcome.err


# An administrator may write anywhere, unless that right is removed.
_LIKE_ANYBODY = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []


def test_a_folder_that_can_not_be_written_is_reported_and_the_reply_comes(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(check_history) as server:
        for _ in range(3):
            server.reply(text("well"), *end())
        service = ("--base-url", server.url, "--model", "m")
        assert chat(home, server.url, "first").code == 0
        before = (home / CONVERSATIONS_FILE).read_bytes()
        for path in (home, *home.rglob("*")):
            path.chmod(0o500 if path.is_dir() else 0o400)
        environ = terminal.environment(home)
        outcomes = [
            terminal.finish(
                terminal.start_cold(
                    environ, "chat", "second", *words, *service, through=_LIKE_ANYBODY
                )
            )
            for words in ((), ("--json",))
        ]
        for path in (home, *home.rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)

    plain, as_json = outcomes
    assert (plain.code, as_json.code) == (0, 0)
    assert plain.out == "well\n"
    assert as_json.result["text"] == "well"
    (fault,) = [line for line in as_json.lines if line["type"] == "fault"]  # once for all files
    for told in (plain.err, as_json.err):
        assert fault["message"] in told
        assert "Traceback" not in told
    assert fault["code"] == "store_read_only"
    assert (home / CONVERSATIONS_FILE).read_bytes() == before


def test_a_terminal_without_utf8_keeps_the_reply(tmp_path: Path) -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    with ScriptedServer(check_history) as server:
        for _ in range(2):
            server.reply(text("你好 😀 well"), *end())
        service = ("--base-url", server.url, "--model", "m")
        plain = terminal.run(tmp_path, "chat", "hello", *service, env=ascii_only)
        as_json = chat(tmp_path, server.url, "hello", env=ascii_only)

    assert plain.code == 0
    assert "\\u4f60\\u597d \\ud83d\\ude00 well" in plain.out
    assert as_json.result["text"] == "你好 😀 well"


def test_only_the_user_can_read_what_it_writes(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(check_history) as server:
        note = tool_call("note_add", {"text": "secret"}, "a", 0)
        timer = tool_call("timer_set", {"at": "1h"}, "b", 1)
        for _ in range(2):
            server.reply(text("Yes."), note, timer, *end("tool_calls"))
            server.reply(text("Done."), *end())
        assert chat(home, server.url, "hello").statuses() == ["success", "success"]
        made = {path.name for path in home.rglob("*")}
        for path in (home, *home.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        before = terminal.start(home, "chat", "hello", "--base-url", server.url, "--model", "m")
        assert terminal.finish(before).code == 0

    assert made >= {"neodeskpet.db", "notebook.db", "logs"}
    for path in (home, *home.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


WIPE = block("note.delete", {"id": 1})
NEVER, ALWAYS = ("--approve", "never"), ("--approve", "always")


@pytest.mark.parametrize(
    ("words", "code", "status"), [((), 3, "denied"), (NEVER, 3, "denied"), (ALWAYS, 0, "error")]
)
def test_deleting_with_permission_asks_nothing(
    tmp_path: Path, words: tuple[str, ...], code: int, status: str
) -> None:
    with ScriptedServer(check_history) as server:
        server.reply(text(WIPE), *end())
        server.reply(text("Well."), *end())
        outcome = chat(tmp_path, server.url, "forget it", "--mode", "text", *words)
        told = server.requests[-1].body["messages"][-1]["content"]
    assert outcome.code == code
    assert outcome.statuses() == [status]
    assert ("there is no user to ask" in told) == (status == "denied")


def _background(server: ScriptedServer, command: str) -> None:
    """Replies that start `command` in the background, say so, and answer its end."""
    call = tool_call("shell_run", {"command": command, "background": True}, "c1")
    server.reply(call, *end("tool_calls"))
    server.reply(text("It runs. "), *end())
    server.reply(text("It is made."), *end())


def _shell(home: Path) -> None:
    """The shell is switched on in the data folder `home`."""
    settle(home, {"mode": {"shell": True}})


def test_background_tasks_are_awaited(tmp_path: Path) -> None:
    _shell(tmp_path)
    with ScriptedServer(check_history) as server:
        _background(server, "sleep 0.3; echo made")
        outcome = chat(tmp_path, server.url, "run it in the shell", "--approve", "always")
    kinds = [line["type"] for line in outcome.lines if line["type"].startswith("task_")]
    assert kinds == ["task_waited_for", "task_ended"]
    asked, follow_up = (line for line in outcome.lines if line["type"] == "result")
    assert (asked["text"].strip(), "follow_up" in asked) == ("It runs.", False)
    assert (follow_up["text"], follow_up["follow_up"]) == ("It is made.", True)
    (told,) = outcome.result["tool_calls"]
    assert (told["task_id"], told["status"]) == ("t1", "success")
    assert outcome.code == 0


def test_ctrl_c_ends_background_tasks(tmp_path: Path) -> None:
    out = _until_it_waits(tmp_path, signal.SIGINT)
    assert "It runs." in out
    assert "⊘ Run a command" in out


def test_tasks_of_a_killed_process_are_reported_as_lost(tmp_path: Path) -> None:
    _until_it_waits(tmp_path, signal.SIGKILL)
    os.killpg(int((tmp_path / "pid").read_text()), signal.SIGKILL)  # no process was left to do that
    with ScriptedServer(check_history) as server:
        server.reply(text("It was lost."), *end())
        outcome = chat(tmp_path, server.url, "hello")
        assert "they are lost: shell.run." in outcome.err
        assert "lost because the app ended" in str(server.requests[-1].body["messages"])


def _until_it_waits(home: Path, last: signal.Signals) -> str:
    """Send the command `last` while it waits for a task; return its output."""
    _shell(home)
    words = ("chat", "run it in the shell", "--approve", "always", "--model", "m")
    with ScriptedServer(check_history) as server:
        _background(server, f"echo $$ > {home / 'pid'}; sleep 600")
        process = terminal.start(home, *words, "--base-url", server.url)
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "Running in the background: Run a command. Press Ctrl-C to end." in line:
                break
        process.send_signal(last)
        return "".join(lines) + terminal.finish(process).out
