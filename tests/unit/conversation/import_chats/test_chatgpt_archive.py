"""Conversations of ChatGPT's archives, following public descriptions and samples."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.conversation.import_chats.archive_file import fill_pointers
from neodeskpet.conversation.import_chats.chatgpt_archive import is_conversation, read_conversation
from neodeskpet.conversation.import_chats.thread_builder import ImportedThread
from neodeskpet.core.blocks import (
    Document,
    Image,
    Message,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
)
from neodeskpet.storage.chat_export_reader import read_message
from tests.support.pasts import BEGUN, Json, chatgpt_conversation, chatgpt_message, chatgpt_talk


def read(item: Json) -> tuple[ImportedThread, list[Message], Counter[str]]:
    unknown: Counter[str] = Counter()
    thread = read_conversation(item, unknown)
    fill_pointers(thread, lambda block: block.pop("pointer"))
    return thread, [read_message(row, row["id"]) for row in thread.rows], unknown


def one(*messages: Json, **more: object) -> tuple[list[Message], Counter[str]]:
    """Return the result of importing a linear sequence of messages."""
    nodes: list[tuple[str, str | None, Json | None]] = [("root", None, None)]
    for place, message in enumerate(messages):
        nodes.append((f"n{place}", nodes[-1][0], message))
    _, found, unknown = read(chatgpt_conversation("c", "T", nodes, **more))
    return found, unknown


def test_a_conversation() -> None:
    item = chatgpt_talk("c", "Cats", "hello", "hi", "more?", "yes")
    assert is_conversation(item)
    thread, messages, unknown = read(item | {"is_starred": True, "is_archived": True})
    assert [(m.role, m.text, m.created, m.model) for m in messages] == [
        (Role.USER, "hello", BEGUN, ""),
        (Role.ASSISTANT, "hi", BEGUN + 1, "gpt-4o"),
        (Role.USER, "more?", BEGUN + 2, ""),
        (Role.ASSISTANT, "yes", BEGUN + 3, "gpt-4o"),
    ]
    assert (thread.title, thread.folder, thread.created) == ("Cats", "ChatGPT", BEGUN)
    assert thread.pinned and thread.archived and thread.updated == BEGUN + 3
    assert not unknown


def test_the_same_archive_gives_the_same_ids_and_another_conversation_gives_others() -> None:
    first, again = (read(chatgpt_talk("c", "x", "a", "b")) for _ in range(2))
    other = read(chatgpt_talk("d", "x", "a", "b"))
    ids = [[m.id for m in found[1]] for found in (first, again, other)]
    assert ids[0] == ids[1] and not {*ids[0]} & {*ids[2]}
    assert first[0].id == again[0].id != other[0].id


def test_thinking_search_and_answer_of_a_turn_are_one_message() -> None:
    found, unknown = one(
        chatgpt_message("user", "look it up"),
        chatgpt_message(
            "assistant",
            {"content_type": "thoughts", "thoughts": [{"summary": "Plan", "content": "search"}]},
            model="gpt-5-2-thinking",
        ),
        chatgpt_message(
            "assistant",
            {"content_type": "code", "language": "unknown", "text": '{"search_query":[{"q":"x"}]}'},
            recipient="web.run",
        ),
        chatgpt_message(
            "tool",
            {
                "content_type": "sonic_webpage",
                "url": "https://a.example",
                "title": "A",
                "text": "page",
            },
            name="web.run",
        ),
        chatgpt_message("assistant", {"content_type": "reasoning_recap", "content": "6s"}),
        chatgpt_message("assistant", "It is so."),
    )
    assert [m.role for m in found] == [Role.USER, Role.ASSISTANT]
    thinking, call, text = found[1].blocks
    assert isinstance(thinking, Thinking) and thinking.text == "**Plan**\nsearch"
    assert isinstance(call, ToolUse) and call.name == "web.run" and call.foreign
    assert call.arguments == {"search_query": [{"q": "x"}]}
    assert call.output == "A\nhttps://a.example\npage"
    assert isinstance(text, Text) and text.text == "It is so."
    assert found[1].model == "gpt-5-2-thinking" and not unknown


def test_the_interpreter_with_its_code_its_output_and_its_error() -> None:
    found, _ = one(
        chatgpt_message("user", "compute"),
        chatgpt_message("assistant", {"content_type": "code", "text": "1/0"}, recipient="python"),
        chatgpt_message(
            "tool", {"content_type": "system_error", "name": "Zero", "text": "by 0"}, name="python"
        ),
        chatgpt_message("assistant", {"content_type": "code", "text": "6*7"}, recipient="python"),
        chatgpt_message("tool", {"content_type": "execution_output", "text": "42"}, name="python"),
    )
    first, second = found[1].blocks
    assert isinstance(first, ToolUse) and isinstance(second, ToolUse)
    assert (first.status, first.error) == (ToolStatus.ERROR, "Zero\nby 0")
    assert (second.arguments, second.output) == ({"code": "6*7"}, "42")
    assert (first.round, second.round) == (0, 1)


def test_a_canvas_is_a_part_of_its_message() -> None:
    text = '{"name": "Letter", "type": "document", "content": "Dear cat"}'
    found, _ = one(chatgpt_message("assistant", text, recipient="canmore.create_textdoc"))
    assert found[0].text == "**Letter**\n\nDear cat"
    code = '{"name": "m", "type": "code/python", "content": "print(1)"}'
    found, _ = one(chatgpt_message("assistant", code, recipient="canmore.create_textdoc"))
    assert "```python\nprint(1)\n```" in found[0].text


def test_pictures_files_and_speech() -> None:
    pointer = {
        "content_type": "image_asset_pointer",
        "asset_pointer": "sediment://file_00001",
        "size_bytes": 3,
        "metadata": {"dalle": None},
    }
    heard = {"content_type": "audio_transcription", "text": "said aloud", "direction": "in"}
    attached: list[Json] = [
        {"id": "file_00001", "name": "a.png", "mime_type": "image/png"},
        {"id": "file-Abc", "name": "b.csv", "mime_type": "text/csv", "size": 7},
        {"id": "file-Old", "name": "c.jpg", "mime_type": "image/jpeg"},
    ]
    parts = [pointer, heard, "what is it?"]
    content = {"content_type": "multimodal_text", "parts": parts}
    found, unknown = one(chatgpt_message("user", content, attachments=attached))
    kinds = [type(block) for block in found[0].blocks]
    assert kinds == [Document, Image, Image, Text, Text] and not unknown
    made = {"content_type": "multimodal_text", "parts": [pointer]}
    found, _ = one(chatgpt_message("tool", made, name="dalle.text2im"))
    assert [type(block) for block in found[0].blocks] == [ToolUse, Image]


def test_citation_marks_become_links_or_are_removed() -> None:
    text = (
        "So it is \ue200cite\ue202turn0search1\ue201, see \u30103\u2020source\u3011\ue200x\ue201."
    )
    mark = "\ue200cite\ue202turn0search1\ue201"
    link = "([a](https://a.example))"
    about = [{"matched_text": mark, "alt": link}, {"matched_text": " ", "alt": None}, 5]
    found, _ = one(chatgpt_message("assistant", text, content_references=about))
    assert found[0].text == f"So it is {link}, see ."


def test_instructions_and_hidden_messages_are_left_out() -> None:
    found, unknown = one(
        chatgpt_message("system", "You are", is_visually_hidden_from_conversation=True),
        chatgpt_message(
            "user", {"content_type": "user_editable_context", "user_profile": "secret"}
        ),
        chatgpt_message("user", "custom", is_visually_hidden_from_conversation=True),
        chatgpt_message("user", "hello"),
        chatgpt_message("assistant", ""),
        chatgpt_message("assistant", "hi"),
    )
    assert [m.text for m in found] == ["hello", "hi"] and not unknown


def test_edits_and_regenerated_answers_are_versions() -> None:
    nodes: list[tuple[str, str | None, Json | None]] = [
        ("root", None, None),
        ("q", "root", chatgpt_message("user", "q", at=1e9)),
        ("a1", "q", chatgpt_message("assistant", "a1", at=1e9 + 1)),
        ("a2", "q", chatgpt_message("assistant", "a2", at=1e9 + 2)),
        ("q2", "root", chatgpt_message("user", "q2", at=1e9 + 3)),
        ("b", "q2", chatgpt_message("assistant", "b", at=1e9 + 4)),
    ]
    thread, messages, _ = read(chatgpt_conversation("c", "T", nodes, current_node="a1"))
    chosen = {m.text: row["chosen"] for m, row in zip(messages, thread.rows, strict=True)}
    assert chosen == {"q": True, "a1": True, "a2": False, "q2": False, "b": True}


def test_unknown_kinds_are_counted_and_their_text_is_kept() -> None:
    strange = {"content_type": "hologram", "text": "a cat in 3D"}
    found, unknown = one(chatgpt_message("assistant", strange))
    assert found[0].text == "a cat in 3D" and unknown == {"hologram": 1}


def test_a_plain_string_is_valid_content() -> None:
    message = chatgpt_message("user", "") | {"content": "raw string content"}
    assert one(message)[0][0].text == "raw string content"


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inside: st.lists(inside, max_size=2) | st.dictionaries(st.text(max_size=3), inside),
    max_leaves=6,
)
names = [
    "author",
    "role",
    "name",
    "metadata",
    "create_time",
    "content",
    "content_type",
    "parts",
    "text",
    "thoughts",
    "recipient",
    "attachments",
    "asset_pointer",
    "content_references",
    "matched_text",
    "alt",
    "id",
]
values = st.sampled_from(["user", "assistant", "tool", "text", "code", "multimodal_text", "all"])


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c"]),
        st.fixed_dictionaries(
            {
                "parent": st.sampled_from(["a", "b", "c", None, 5]),
                "message": st.recursive(
                    junk | values,
                    lambda inside: (
                        st.dictionaries(st.sampled_from(names), inside)
                        | st.lists(inside, max_size=3)
                    ),
                    max_leaves=15,
                ),
            }
        )
        | junk,
    ),
    junk,
)
def test_wrong_types_anywhere_raise_nothing(mapping: dict[str, Any], odd: Any) -> None:
    item: Json = {"mapping": mapping, "title": odd, "create_time": odd, "current_node": odd}
    thread, messages, _ = read(item)
    assert len(messages) == len(thread.rows)
