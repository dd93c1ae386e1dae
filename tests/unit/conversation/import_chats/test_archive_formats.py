"""Conversations of each program are converted to one form; unknown formats are refused with a
message.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.conversation.import_chats.archive_file import Archive, SkippedItem
from neodeskpet.conversation.import_chats.archive_formats import is_session, read_item, read_session
from neodeskpet.conversation.import_chats.chat_importer import is_foreign_archive
from neodeskpet.conversation.import_chats.json_streams import JsonLines, is_json_lines
from neodeskpet.conversation.import_chats.thread_builder import ImportedThread

Json = dict[str, Any]
_AT = 1_780_000_000_000


def threads_of(path: Path) -> tuple[list[ImportedThread], list[SkippedItem]]:
    archive = Archive(path)
    found = [one for one in archive.conversations() if one is not None]
    archive.close()
    threads = [one for one in found if isinstance(one, ImportedThread)]
    return threads, [one for one in found if isinstance(one, SkippedItem)]


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def told(thread: ImportedThread) -> list[tuple[str, list[str]]]:
    """Return for each message its author and a short form of its blocks."""
    return [(row["role"], [_short(one) for one in row["blocks"]]) for row in thread.rows]


def _short(block: Json) -> str:
    match block["kind"]:
        case "tool_use":
            return f"{block['name']}({block['raw_arguments']}) -> {block.get('output', '')}"
        case "image":
            return "image"
        case "document":
            return f"file {block['name']}"
        case kind:
            return f"{kind}: {block['text']}"


def fragments(*pairs: tuple[str, str]) -> Json:
    found = [{"type": kind, "content": text} for kind, text in pairs]
    return {"fragments": found, "inserted_at": "2026-06-01T10:00:01+08:00", "model": "reasoner"}


def test_deepseek(tmp_path: Path) -> None:
    search = {"type": "SEARCH", "results": [{"title": "Pots", "url": "https://example.org"}]}
    answer = fragments(("THINK", "Iron holds heat."), ("RESPONSE", "An iron pot."), ("NEW", "x"))
    answer["fragments"].insert(0, search)
    question = fragments(("REQUEST", "Which tea?"))
    question["files"] = [{"file_name": "a.txt", "content": "text"}]
    talk = {
        "id": "d1",
        "title": "Tea",
        "inserted_at": "2026-06-01T10:00:00+08:00",
        "mapping": {
            "root": {"id": "root", "parent": None, "message": None},
            "1": {"id": "1", "parent": "root", "message": question},
            "2": {"id": "2", "parent": "1", "message": answer},
        },
    }
    (thread,), skipped = threads_of(written(tmp_path / "conversations.json", [talk]))
    assert (thread.title, thread.folder, skipped) == ("Tea", "DeepSeek", [])
    assert told(thread) == [
        ("user", ["file a.txt", "text: Which tea?"]),
        (
            "assistant",
            [
                "search({}) -> Pots\nhttps://example.org",
                "thinking: Iron holds heat.",
                "text: An iron pot.",
                "text: x",
            ],
        ),
    ]
    assert thread.rows[1]["model"] == "reasoner"


def test_open_webui(tmp_path: Path) -> None:
    content = (
        '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n'
        "&gt; It is\n&gt; cold.\n</details>\n"
        '<details type="tool_calls" done="true" id="c1" name="weather" '
        'arguments="&quot;{\\&quot;city\\&quot;: \\&quot;Bonn\\&quot;}&quot;" '
        'result="&quot;4 degrees&quot;">\n<summary>Ran</summary>\n</details>\nTake a coat.'
    ).replace("&gt; ", "> ")
    picture = base64.b64encode(b"x").decode()
    messages = {
        "u": {
            "role": "user",
            "parentId": None,
            "content": "Weather?",
            "timestamp": 1_780_000_000,
            "files": [
                {"type": "image", "url": f"data:image/png;base64,{picture}"},
                {"type": "file", "name": "a.md", "file": {"data": {"content": "words"}}},
            ],
        },
        "a": {"role": "assistant", "parentId": "u", "content": content, "model": "m1"},
        "b": {"role": "assistant", "parentId": "u", "content": "Rain.", "model": "m2"},
    }
    chat = {"title": "W", "history": {"messages": messages, "currentId": "a"}}
    talk = {"id": "w1", "title": "W", "chat": chat, "created_at": 1_780_000_000, "pinned": True}
    (thread,), _ = threads_of(written(tmp_path / "chats.json", [talk]))
    assert thread.folder == "Open WebUI" and thread.pinned
    assert told(thread)[0] == ("user", ["image", "file a.md", "text: Weather?"])
    assert told(thread)[1] == (
        "assistant",
        [
            "thinking: It is\ncold.",
            'weather({"city": "Bonn"}) -> 4 degrees',
            "text: Take a coat.",
        ],
    )
    assert [(row["parent"], row["chosen"]) for row in thread.rows[1:]] == [
        (thread.rows[0]["id"], True),
        (thread.rows[0]["id"], False),
    ]
    flat = {"chat": {"messages": [{"id": "1", "role": "user", "content": [{"text": "hi"}]}]}}
    assert told(threads_of(written(tmp_path / "one.json", flat))[0][0]) == [("user", ["text: hi"])]


def test_tags_without_an_end_are_text(tmp_path: Path) -> None:
    content = '<details type="reasoning">' * 20_000
    flat = {"chat": {"messages": [{"id": "1", "role": "assistant", "content": content}]}}
    (thread,), _ = threads_of(written(tmp_path / "one.json", flat))
    assert thread.rows[0]["blocks"][0]["text"] == content


def test_sillytavern(tmp_path: Path) -> None:
    head = {"user_name": "Ada", "character_name": "Yuka", "create_date": "2026-08-01@10h00m00s"}
    path = lines(
        tmp_path / "Yuka - 2026-08-01.jsonl",
        head,
        {"name": "Yuka", "is_user": False, "send_date": "August 1, 2026 10:00am", "mes": "Hello."},
        {"name": "Ada", "is_user": True, "send_date": "2026-08-01T10:01:00Z", "mes": "Morning."},
        {
            "name": "Yuka",
            "is_user": False,
            "mes": "It is.",
            "swipe_id": 0,
            "swipes": ["It is.", "Is it?"],
            "extra": {"reasoning": "A greeting.", "model": "m", "image": "user/images/a.png"},
        },
        {"name": "Ada", "is_user": True, "mes": "Yes."},
    )
    (thread,), skipped = threads_of(path)
    assert (thread.title, thread.folder, skipped) == ("Yuka", "SillyTavern", [])
    assert told(thread) == [
        ("assistant", ["text: Hello."]),
        ("user", ["text: Morning."]),
        ("assistant", ["thinking: A greeting.", "image", "text: It is."]),
        ("assistant", ["text: Is it?"]),
        ("user", ["text: Yes."]),
    ]
    assert thread.rows[4]["parent"] == thread.rows[2]["id"]
    assert [row["chosen"] for row in thread.rows] == [True, True, True, False, True]
    assert thread.rows[0]["created"] == thread.created
    group = lines(
        tmp_path / "group.jsonl",
        {"chat_metadata": {"integrity": "i"}, "character_name": "unused", "user_name": "unused"},
        {"name": "Yuka", "is_user": False, "mes": "One."},
        {"name": "Rin", "is_user": False, "mes": "Two."},
    )
    (thread,), _ = threads_of(group)
    assert thread.title == "group"
    assert told(thread)[1] == ("assistant", ["text: **Rin:** Two."])


@pytest.mark.parametrize("outer", ["state", "data"])
def test_lobechat(tmp_path: Path, outer: str) -> None:
    tool = {"id": "c1", "apiName": "search", "arguments": '{"q": "tea"}', "identifier": "web"}
    messages = [
        {
            "id": "2",
            "role": "assistant",
            "content": "",
            "tools": [tool],
            "createdAt": _AT + 1,
        },
        {"id": "1", "role": "user", "content": "Find tea", "createdAt": _AT},
        {
            "id": "3",
            "role": "tool",
            "tool_call_id": "c1",
            "content": "Sencha",
            "createdAt": _AT + 2,
        },
        {
            "id": "4",
            "role": "assistant",
            "content": "Sencha.",
            "model": "m",
            "reasoning": {"content": "One fits."},
            "createdAt": _AT + 3,
        },
    ]
    for one in messages:
        one |= {"topicId": "t", "sessionId": "s"}
    messages.append({"id": "9", "role": "user", "content": "Alone", "sessionId": "s"})
    tables = {
        "messages": messages,
        "topics": [{"id": "t", "title": "Tea", "favorite": True}],
        "sessions": [{"id": "s", "meta": {"title": "Helper"}}],
    }
    backup = {"exportType": "all", "version": 7, outer: tables}
    threads, _ = threads_of(written(tmp_path / "LobeChat.json", backup))
    tea, alone = threads
    assert (tea.title, tea.folder, tea.pinned) == ("Tea", "LobeChat · Helper", True)
    assert told(tea) == [
        ("user", ["text: Find tea"]),
        (
            "assistant",
            ['search({"q": "tea"}) -> Sencha', "thinking: One fits.", "text: Sencha."],
        ),
    ]
    assert (alone.title, told(alone)) == ("Helper", [("user", ["text: Alone"])])


def test_cherry_studio(tmp_path: Path) -> None:
    topics = [{"id": "t1", "name": "Tea", "createdAt": "2026-06-01T10:00:00Z"}]
    store = {"assistants": json.dumps({"assistants": [{"name": "Helper", "topics": topics}]})}
    at = {"createdAt": "2026-06-01T10:00:00Z"}
    data = {
        "time": 1,
        "version": 5,
        "localStorage": {"persist:cherry-studio": json.dumps(store)},
        "indexedDB": {
            "topics": [
                {
                    "id": "t1",
                    "messages": [
                        {"id": "1", "role": "user", "blocks": ["b1", "b5"], **at},
                        {
                            "id": "2",
                            "role": "assistant",
                            "askId": "1",
                            "blocks": ["b2", "b3"],
                            **at,
                        },
                        {"id": "3", "role": "assistant", "askId": "1", "blocks": ["b4"], **at},
                        {"id": "4", "role": "user", "content": "Thanks", **at},
                    ],
                }
            ],
            "message_blocks": [
                {"id": "b1", "type": "main_text", "content": "Which tea?"},
                {"id": "b2", "type": "thinking", "content": "Hm."},
                {
                    "id": "b3",
                    "type": "tool",
                    "toolId": "c",
                    "toolName": "search",
                    "arguments": {"q": "tea"},
                    "content": {"found": 1},
                },
                {"id": "b4", "type": "code", "content": "x = 1", "language": "python"},
                {"id": "b5", "type": "file", "file": {"origin_name": "a.pdf", "size": 5}},
            ],
        },
    }
    path = tmp_path / "cherry.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.json", json.dumps(data))
        archive.writestr("Data/Files/other.json", "[]")
    (thread,), skipped = threads_of(path)
    assert (thread.title, thread.folder, skipped) == ("Tea", "Cherry Studio · Helper", [])
    assert told(thread) == [
        ("user", ["text: Which tea?", "file a.pdf"]),
        ("assistant", ["thinking: Hm.", 'search({"q": "tea"}) -> {"found": 1}']),
        ("assistant", ["text: ```python\nx = 1\n```"]),
        ("user", ["text: Thanks"]),
    ]
    assert thread.rows[2]["parent"] == thread.rows[0]["id"]


def test_claude_code(tmp_path: Path) -> None:
    base = {"sessionId": "s1", "cwd": "/home/ada/garden", "timestamp": "2026-06-01T10:00:00Z"}

    def line(own: str, above: str | None, kind: str, content: object, **more: object) -> Json:
        message = {"role": kind, "content": content, "model": "opus"}
        return {**base, "uuid": own, "parentUuid": above, "type": kind, "message": message, **more}

    use = [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}}]
    result = [
        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "a"}]}
    ]
    path = lines(
        tmp_path / "s1.jsonl",
        {"type": "summary", "summary": "List the files", "leafUuid": "x"},
        {"type": "file-history-snapshot", "messageId": "x"},
        line("1", None, "user", "<command-name>/clear</command-name>"),
        line("2", "1", "user", "List the files please"),
        line("3", "2", "assistant", [{"type": "thinking", "thinking": "With ls."}]),
        line("4", "3", "assistant", use),
        line("side", "4", "user", "Look around", isSidechain=True),
        line("5", "4", "user", result),
        line("6", "5", "assistant", [{"type": "text", "text": "There is a."}]),
        line("7", "6", "user", "Caveat: …", isMeta=True),
        line("8", "7", "user", [{"type": "text", "text": "Thanks"}, {"type": "odd"}]),
    )
    (thread,), skipped = threads_of(path)
    assert (thread.title, thread.folder) == ("List the files", "Claude Code · garden")
    assert told(thread) == [
        ("user", ["text: List the files please"]),
        ("assistant", ["thinking: With ls.", 'Bash({"command": "ls"}) -> a', "text: There is a."]),
        ("user", ["text: Thanks"]),
    ]
    assert skipped == [] and thread.rows[1]["model"] == "opus"


def test_codex_in_both_formats(tmp_path: Path) -> None:
    def text(role: str, words: str) -> Json:
        kind = "input_text" if role == "user" else "output_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}

    items = [
        text("developer", "Rules"),
        text("user", "<environment_context>cwd</environment_context>"),
        text("user", "Fix the test"),
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look first."}]},
        {
            "type": "function_call",
            "name": "shell",
            "arguments": '{"command": ["ls"]}',
            "call_id": "c",
        },
        {"type": "function_call_output", "call_id": "c", "output": '{"output": "a.py"}'},
        {"type": "custom_tool_call", "name": "apply_patch", "input": "*** x", "call_id": "d"},
        {"type": "custom_tool_call_output", "call_id": "d", "output": "Done"},
        {"type": "web_search_call", "id": "w", "action": {"query": "q"}},
        text("assistant", "Fixed."),
    ]
    wrapped = [
        {"timestamp": "2026-06-01T10:00:00Z", "type": "response_item", "payload": one}
        for one in items
    ]
    meta = {"id": "s", "cwd": "C:\\work\\garden", "timestamp": "2026-06-01T10:00:00Z"}
    new = lines(
        tmp_path / "rollout-new.jsonl",
        {"type": "session_meta", "payload": meta},
        {"type": "turn_context", "payload": {"model": "gpt-5"}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "Fix the test"}},
        *wrapped,
    )
    old = lines(tmp_path / "rollout-old.jsonl", {"id": "s2", "instructions": None}, *items)
    for path, folder in ((new, "Codex · garden"), (old, "Codex")):
        (thread,), skipped = threads_of(path)
        assert (thread.title, thread.folder, skipped) == ("Fix the test", folder, [])
        assert told(thread) == [
            ("user", ["text: Fix the test"]),
            (
                "assistant",
                [
                    "thinking: Look first.",
                    'shell({"command": ["ls"]}) -> a.py',
                    'apply_patch({"input": "*** x"}) -> Done',
                    'web_search({"query": "q"}) -> ',
                    "text: Fixed.",
                ],
            ),
        ]


def test_an_archive_of_sessions(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name in ("a", "b"):
            row = {"name": "Yuka", "is_user": False, "mes": name}
            archive.writestr(f"chats/Yuka/{name}.jsonl", json.dumps(row) + "\n\nbroken\n")
        archive.writestr("chats/other.jsonl", '{"a": 1}\n')
        archive.writestr("chats/empty.jsonl", '{"chat_metadata": {}}\n')
    threads, skipped = threads_of(tmp_path / "all.zip")
    assert [told(one) for one in threads] == [
        [("assistant", ["text: a"])],
        [("assistant", ["text: b"])],
    ]
    assert [(one.item, one.reason) for one in skipped] == [
        ("a.jsonl: 1", "item_lines"),
        ("b.jsonl: 1", "item_lines"),
        ("empty.jsonl", "item_empty"),
        ("other.jsonl", "item_foreign"),
    ]


def test_the_same_session_has_the_same_ids_again(tmp_path: Path) -> None:
    rows = ({"character_name": "Y"}, {"name": "Y", "is_user": False, "mes": "a"})
    one, two = (threads_of(lines(tmp_path / "a.jsonl", *rows))[0][0] for _ in range(2))
    assert (one.id, one.rows[0]["id"]) == (two.id, two.rows[0]["id"])


def test_only_line_feeds_end_a_line() -> None:
    data = b'{"a": "x\xe2\x80\xa8y"}\r\n[1]\n{"b": 1}'
    reader = JsonLines(100)
    assert [one for one in reader.read(io.BytesIO(data)) if one] == [{"a": "x\u2028y"}, {"b": 1}]
    assert reader.invalid_lines == 1
    long = JsonLines(10)
    found = [one for one in long.read(io.BytesIO(b'{"a": "xxxxxxxxxx"}\n{"b": 1}\n')) if one]
    assert found == [{"b": 1}] and long.invalid_lines == 1


@pytest.mark.parametrize(
    ("head", "is_so"),
    [
        (b'{"a": 1}\n{"b": 2}\n', True),
        (b'{"a": 1}\n', True),
        (b'{"a": 1}', False),
        (b'{\n"a": 1}', False),
        (b'{"a": 1}\n,', False),
        (b'[{"a": 1}]\n[', False),
        (b'{"a": 1}}\n{', False),
    ],
)
def test_a_format_is_recognised_by_its_first_line(head: bytes, is_so: bool) -> None:
    assert is_json_lines(head) is is_so


def test_foreign_archives_are_distinguished_from_own_exports(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    for text, past in (
        ('{\n"title": "a \\" b",\n"created": 1,\n"messages": []}', False),
        ('{"title": "a", "messages": []}', False),
        ('{"messages": []}', False),
        ('{"title": "a", "create_time": 1, "mapping": {}}', True),
        ('{"exportType": "all"}', True),
        ("[]", True),
        ("words", False),
    ):
        own.write_text(text)
        assert is_foreign_archive(own) is past, text


_NAMES = (
    "mapping",
    "message",
    "fragments",
    "chat",
    "history",
    "messages",
    "content",
    "type",
    "indexedDB",
    "topics",
    "blocks",
    "state",
    "exportType",
    "mes",
    "is_user",
    "payload",
    "sessionId",
    "uuid",
    "role",
    "id",
    "tools",
    "extra",
    "swipes",
    "name",
    "localStorage",
)
_OUTER = ("type", "payload", "mes", "is_user", "uuid", "message", "sessionId", "chat_metadata")
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_NAMES), inner, max_size=5)
    ),
    max_leaves=25,
)


@given(st.dictionaries(st.sampled_from(["mapping", "chat", "indexedDB", "state", "data"]), _JSON))
def test_invalid_objects_never_raise(item: Json) -> None:
    threads = read_item(item, Counter(), {}, 1.0)
    assert all(isinstance(one, ImportedThread) for one in threads or ())


@given(st.lists(st.dictionaries(st.sampled_from(_OUTER), _JSON), min_size=1, max_size=5))
def test_invalid_lines_never_raise(rows: list[Json]) -> None:
    if is_session(rows):
        assert isinstance(read_session(rows, rows, Counter(), "a", 1.0), ImportedThread)
