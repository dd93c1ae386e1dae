"""Conversations of Claude's archives, following public descriptions and samples."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.conversation.import_chats.claude_archive import (
    is_conversation,
    read_conversation,
    read_memories,
    read_projects,
)
from neodeskpet.conversation.import_chats.thread_builder import ImportedThread
from neodeskpet.core.blocks import (
    Document,
    Message,
    MessageNode,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
)
from neodeskpet.storage.chat_export_reader import read_message
from neodeskpet.storage.message_tree import MessageTree
from tests.support.pasts import Json, claude_conversation, claude_message, words

ROOT = "00000000-0000-4000-8000-000000000000"
AT = 1_768_471_200.0  # 2026-01-15 10:00 UTC


def read(item: Json, **more: Any) -> tuple[ImportedThread, list[Message], Counter[str]]:
    unknown: Counter[str] = Counter()
    thread = read_conversation(item, unknown, **more)
    return thread, [read_message(row, row["id"]) for row in thread.rows], unknown


def one(message: Json) -> tuple[Message, Counter[str]]:
    _, (found,), unknown = read(claude_conversation("c", "T", message))
    return found, unknown


def shown(thread: ImportedThread, messages: list[Message]) -> list[str]:
    tree = MessageTree(MessageNode(row["id"], row["parent"], row["chosen"]) for row in thread.rows)
    texts = {message.id: message.text for message in messages}
    return [texts[one] for one in tree.path()]


def test_a_conversation() -> None:
    item = claude_conversation(
        "conv-001",
        "Test Chat",
        claude_message("m1", "human", words("Hello, how are you?")),
        claude_message("m2", "assistant", words("I'm doing well, thanks!")),
    )
    assert is_conversation(item)
    thread, messages, unknown = read(item)
    assert [(m.role, m.text, m.created) for m in messages] == [
        (Role.USER, "Hello, how are you?", AT),
        (Role.ASSISTANT, "I'm doing well, thanks!", AT),
    ]
    assert (thread.title, thread.folder) == ("Test Chat", "Claude") and not unknown


def test_blocks_are_used_instead_of_the_text_for_old_clients() -> None:
    message = claude_message(
        "m",
        "assistant",
        {"type": "thinking", "thinking": "deep thought", "signature": "s"},
        {"type": "thinking", "thinking": ""},
        words("First part."),
        {"type": "tool_use", "id": "t", "name": "web_search", "input": {"query": "x"}},
        {
            "type": "tool_result",
            "tool_use_id": "t",
            "name": "web_search",
            "content": [{"type": "text", "text": "found"}, 5],
            "is_error": False,
        },
        {"type": "token_budget"},
        words("Second part."),
    )
    message["text"] = "This block is not supported on your current device yet."
    found, unknown = one(message)
    assert [type(block) for block in found.blocks] == [Thinking, Text, ToolUse, Text]
    call = found.blocks[2]
    assert isinstance(call, ToolUse) and call.foreign
    assert (call.arguments, call.output) == ({"query": "x"}, "found")
    assert found.text == "First part.\n\nSecond part." and not unknown


def test_without_blocks_the_text_is_used() -> None:
    for content in ([], [{"type": "tool_result", "content": ""}]):
        found, _ = one(claude_message("m", "human", *content, text="Fallback text"))
        assert found.text == "Fallback text"


def test_files_and_their_text() -> None:
    attached: list[Any] = [
        {"file_name": "notes.md", "file_size": 17, "extracted_content": "line one\nline two"},
        {"extracted_content": "without a name"},
        {"file_name": "empty.txt", "extracted_content": "  "},
        "not-a-dict",
    ]
    found, _ = one(
        claude_message(
            "m", "human", words("read"), attachments=attached, files=[{"file_name": "img.png"}, 42]
        )
    )
    files = [block for block in found.blocks if isinstance(block, Document)]
    assert [(f.name, f.text) for f in files] == [
        ("notes.md", "line one\nline two"),
        ("File", "without a name"),
        ("img.png", ""),
    ]


def test_an_artifact_is_a_part_of_its_message() -> None:
    made: Json = {
        "type": "tool_use",
        "name": "artifacts",
        "input": {
            "command": "create",
            "title": "Game",
            "type": "application/vnd.ant.code",
            "language": "python",
            "content": "print('cat')",
        },
    }
    found, _ = one(claude_message("m", "assistant", made))
    assert "**Game**" in found.text and "```python\nprint('cat')\n```" in found.text


def test_a_failed_tool() -> None:
    call = {"type": "tool_use", "name": "bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "name": "bash", "content": "denied", "is_error": True}
    (block,) = one(claude_message("m", "assistant", call, result))[0].blocks
    assert isinstance(block, ToolUse)
    assert (block.status, block.error) == (ToolStatus.ERROR, "denied")


@pytest.mark.parametrize(
    ("leaf", "path"),
    [({}, ["q", "second"]), ({"current_leaf_message_uuid": "a"}, ["q", "first"])],
)
def test_versions(leaf: Json, path: list[str]) -> None:
    item = claude_conversation(
        "c",
        "T",
        claude_message("q", "human", words("q"), parent_message_uuid=ROOT),
        claude_message("a", "assistant", words("first"), parent_message_uuid="q"),
        claude_message("b", "assistant", words("second"), parent_message_uuid="q"),
        **leaf,
    )
    thread, messages, _ = read(item)
    assert shown(thread, messages) == path and len(messages) == 3


def test_messages_without_parents_are_a_linear_conversation() -> None:
    said = [
        claude_message(str(n), "human" if n % 2 else "assistant", words(str(n))) for n in (1, 2)
    ]
    thread, messages, _ = read(claude_conversation("c", "T", *said, {"sender": "robot"}))
    assert shown(thread, messages) == ["1", "2"]


def test_projects_and_memories() -> None:
    projects = read_projects([{"uuid": "p", "name": "Proj"}, {"uuid": 5}, None])
    item = claude_conversation("c", "T", claude_message("m", "human", words("x")))
    thread, _, _ = read(item | {"project": {"uuid": "p"}}, projects=projects)
    assert thread.folder == "Claude · Proj"
    memories = [
        {"conversations_memory": "Likes cats.", "project_memories": {"p": "Uses Go."}, "x": 1},
        None,
    ]
    told = read_memories(memories, AT, projects)
    assert told is not None
    message = read_message(told.rows[0], told.rows[0]["id"])
    assert message.role is Role.ASSISTANT and message.text == "Likes cats.\n\n## Proj\n\nUses Go."
    assert read_memories([{"conversations_memory": ""}], AT, {}) is None
    assert read_memories("odd", AT, {}) is None


def test_unknown_blocks_are_counted_and_their_text_is_kept() -> None:
    found, unknown = one(
        claude_message(
            "m",
            "assistant",
            {"type": "mystery", "text": "kept as text"},
            {"type": "mystery2", "content": "also text"},
            {"type": "mystery3", "foo": "bar"},
        )
    )
    assert found.text == "kept as textalso text"
    assert unknown == {"mystery": 1, "mystery2": 1, "mystery3": 1}


names = [
    "uuid",
    "text",
    "content",
    "sender",
    "created_at",
    "attachments",
    "files",
    "parent_message_uuid",
    "type",
    "thinking",
    "input",
    "name",
    "tool_use_id",
    "extracted_content",
    "file_name",
    "is_error",
]
leaves = st.sampled_from(
    [None, True, 5, 1e300, "", "human", "assistant", "text", "tool_use", "tool_result", "a", "b"]
)
trees = st.recursive(
    leaves,
    lambda inside: st.dictionaries(st.sampled_from(names), inside) | st.lists(inside, max_size=3),
    max_leaves=20,
)


@given(st.lists(trees, max_size=5), trees)
def test_wrong_types_anywhere_raise_nothing(messages: list[Any], odd: Any) -> None:
    item = {"chat_messages": messages, "name": odd, "uuid": odd, "created_at": odd, "project": odd}
    thread, found, _ = read(item)
    assert len(found) == len(thread.rows)
    read_memories(odd, AT, read_projects(odd))
