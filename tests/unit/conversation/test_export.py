"""A conversation as a file."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from neodeskpet.conversation.export import to_json, to_markdown, write_export
from neodeskpet.core.blocks import (
    Image,
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.language import language, set_language

QUESTION = Message(
    "u",
    Role.USER,
    (Text(0, 0, "What is this? 猫"), Image(1, 0, "d1", "image/png", "cat.png", "a cat")),
    MessageState.DONE,
    0.0,
)
ANSWER = Message(
    "a",
    Role.ASSISTANT,
    (
        Thinking(0, 0, "Hm.\nA cat?"),
        Text(1, 0, "Let me look.\n"),
        ToolUse(2, 0, "c", "look", '{"at":"it"}', {"at": "it"}, ToolStatus.SUCCESS, "a cat"),
        Notice(3, 0, "round_limit", {"count": "12"}),
    ),
    MessageState.LIMITED,
    60.0,
    usage=Usage(1, 2),
)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    before = language()
    set_language("en")
    yield
    set_language(before)


def test_json_has_every_field() -> None:
    text = to_json("Cats", [QUESTION, ANSWER])
    assert "猫" in text
    data = json.loads(text)
    assert data["title"] == "Cats"
    question, answer = data["messages"]
    assert (question["role"], answer["state"]) == ("user", "limited")
    assert answer["usage"]["output_tokens"] == 2
    kinds = [block["kind"] for block in question["blocks"] + answer["blocks"]]
    assert kinds == ["text", "image", "thinking", "text", "tool_use", "notice"]
    assert answer["blocks"][2]["arguments"] == {"at": "it"}


def test_markdown_reads_as_a_conversation() -> None:
    text = to_markdown("Cats", [QUESTION, ANSWER], name="Neo")
    assert text.startswith("# Cats\n\n## You · 19")
    assert "\n\nWhat is this? 猫\n\n[cat.png: a cat]\n\n## Neo · " in text
    assert "\n\n> Hm.\n> A cat?\n\nLet me look.\n\n" in text
    assert '```\nlook {"at":"it"}\n→ a cat\n```' in text
    assert "> The reply came to no end within 12 rounds of tools." in text
    assert text.endswith("\n")


def test_what_has_no_words_says_what_it_is() -> None:
    blocks = (
        Text(0, 0, " \n"),
        Thinking(1, 0, ""),
        ToolUse(2, 0, "c", "look", status=ToolStatus.CANCELLED),
        Image(3, 0, "d", "image/png"),
    )
    message = Message("a", Role.ASSISTANT, blocks, MessageState.CANCELLED, 0.0)
    text = to_markdown("", [message])
    assert text.startswith("# Conversation\n\n## Companion")
    assert "```\nlook \n→ cancelled\n```\n\n[Picture]\n" in text


def test_an_empty_conversation() -> None:
    assert to_markdown("", []) == "# Conversation\n"
    assert json.loads(to_json("", [])) == {"title": "", "messages": []}


def test_a_fence_in_an_output_does_not_end_the_block() -> None:
    call = ToolUse(0, 0, "c", "t", "{}", {}, ToolStatus.SUCCESS, "```\ncode\n```")
    message = Message("m", Role.ASSISTANT, (call,), MessageState.DONE, 0.0)
    written = to_markdown("T", [message])
    assert written.count("````") == 2


class Folder:
    async def picture(self, digest: str) -> bytes | None:
        return b"a cat" if digest == "d1" else None


@pytest.mark.parametrize("kind", ["markdown", "json"])
def test_its_pictures_lie_beside_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "My cats.md"
    gone = Message("g", Role.USER, (Image(0, 0, "d2", "image/../x"),), MessageState.DONE, 0.0)
    asyncio.run(write_export(path, kind, "Cats", [QUESTION, gone, QUESTION], Folder()))
    assert (tmp_path / "My cats.pictures" / "1.png").read_bytes() == b"a cat"
    assert sorted(p.name for p in tmp_path.rglob("*")) == [
        "1.png",
        "My cats.md",
        "My cats.pictures",
    ]
    text = path.read_text(encoding="utf-8")
    if kind == "markdown":
        assert "![cat.png](My%20cats.pictures/1.png)\n\n> a cat" in text
        assert "[Picture]" in text
    else:
        blocks = [row["blocks"] for row in json.loads(text)["messages"]]
        assert blocks[0][1]["file"] == "My cats.pictures/1.png"
        assert "file" not in blocks[1][0]


def test_without_pictures_there_is_no_folder(tmp_path: Path) -> None:
    asyncio.run(write_export(tmp_path / "a.json", "json", "", [ANSWER], Folder()))
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]
