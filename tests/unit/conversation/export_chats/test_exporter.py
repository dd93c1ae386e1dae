"""Export of a conversation to a file, in every format."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from neodeskpet.conversation.export_chats.export_format import (
    HTML,
    JSON,
    MARKDOWN,
    ExportFormat,
    TargetFile,
)
from neodeskpet.conversation.export_chats.exporter import export_all, export_conversation, file_name
from neodeskpet.conversation.export_chats.html_export import HtmlFormat
from neodeskpet.conversation.export_chats.pdf_export import PdfFormat
from neodeskpet.conversation.export_chats.text_export import JsonFormat, MarkdownFormat
from neodeskpet.core.blocks import (
    ConversationInfo,
    Image,
    Message,
    MessageHead,
    MessageNode,
    MessageState,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.errors import RepeatedCall, ToolFault, UnknownTool
from neodeskpet.core.markdown.formulas import Formula
from neodeskpet.core.tool_result import ResultImage, ShownText
from neodeskpet.language import language, set_language

QUESTION = Message(
    "u",
    Role.USER,
    (Text(0, 0, "What is this? 猫"), Image(1, 0, "d1", "image/png", "cat.png", "a cat")),
    MessageState.DONE,
    0.0,
)
CALL = ToolUse(
    2,
    0,
    "c",
    "look",
    '{"at":"it"}',
    {"at": "it"},
    ToolStatus.SUCCESS,
    "a <cat>",
    shown=ShownText("a cat"),
    images=(ResultImage("d1", "image/png"),),
)
ANSWER = Message(
    "a",
    Role.ASSISTANT,
    (
        Thinking(0, 0, "Hm.\nA cat?"),
        Text(1, 0, "Let me look.\n"),
        CALL,
        Notice(3, 0, "round_limit", {"count": "12"}),
    ),
    MessageState.LIMITED,
    60.0,
    usage=Usage(1, 2),
    model="gpt-x",
)
OTHER = Message("b", Role.ASSISTANT, (Text(0, 0, "Else $x$"),), MessageState.DONE, 61.0)
INFO = ConversationInfo("here", "Cats", 1e9, 1e9, folder="Pets")


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    before = language()
    set_language("en")
    yield
    set_language(before)


class Shelf:
    """Conversations in memory; only `shown` of all messages are visible."""

    def __init__(
        self, *messages: Message, shown: int = 99, infos: Sequence[ConversationInfo] = (INFO,)
    ) -> None:
        self.all = messages
        self.shown = messages[:shown]
        self.infos = infos

    async def conversations(self) -> list[ConversationInfo]:
        return list(self.infos)

    async def heads(self, _id: str) -> list[MessageHead]:
        return [MessageHead(one.id, one.role, 1) for one in self.shown]

    async def nodes(self, _id: str) -> list[MessageNode]:
        return [MessageNode(one.id, "", one in self.shown) for one in self.all]

    async def messages(self, ids: Sequence[str]) -> list[Message]:
        return [one for one in self.all if one.id in ids]

    async def picture(self, digest: str) -> bytes | None:
        return b"a cat" if digest == "d1" else None


def draw(formulas: Sequence[Formula]) -> list[str | None]:
    return [f"<svg>{one.tex}</svg>" if one.tex == "x" else None for one in formulas]


def page(path: Path) -> ExportFormat:
    return HtmlFormat(path, draw, "Neo", {"look": "Look <at>"}.get)  # type: ignore[arg-type]


def write(
    path: Path, make: Callable[[Path], ExportFormat], *messages: Message, shown: int = 99
) -> str:
    counted: list[int] = []
    pictures = Shelf(*messages, shown=shown)
    asyncio.run(export_conversation(pictures, INFO, path, make, counted.append))
    assert not list(path.parent.glob(".*")), "no partial file is left"
    return path.read_text("utf-8")


def test_json_has_every_field(tmp_path: Path) -> None:
    text = write(tmp_path / "a.json", JsonFormat, QUESTION, ANSWER, OTHER, shown=2)
    assert "猫" in text
    data = json.loads(text)
    assert (data["title"], data["folder"]) == ("Cats", "Pets")
    question, answer = data["messages"]
    assert (question["role"], answer["state"], answer["number"]) == ("user", "limited", 1)
    assert answer["usage"]["output_tokens"] == 2
    kinds = [block["kind"] for block in question["blocks"] + answer["blocks"]]
    assert kinds == ["text", "image", "thinking", "text", "tool_use", "notice"]
    assert answer["blocks"][2]["arguments"] == {"at": "it"}
    assert answer["blocks"][2]["shown"] == {"kind": "text", "text": "a cat"}
    assert answer["files"] == {"d1": "a.pictures/d1.png"}
    (version,) = data["versions"]
    assert (version["id"], version["chosen"]) == ("b", False)


def test_markdown_is_readable_as_a_conversation(tmp_path: Path) -> None:
    text = write(tmp_path / "My cats.md", lambda p: MarkdownFormat(p, "Neo"), QUESTION, ANSWER)
    assert text.startswith("# Cats\n\n## You · 19")
    assert "\n\nWhat is this? 猫\n\n![cat.png](My%20cats.pictures/d1.png)\n\n> a cat" in text
    assert "\n\n## Neo · " in text
    assert "\n\n> Hm.\n> A cat?\n\nLet me look.\n\n" in text
    assert '```\nlook {"at":"it"}\n→ a <cat>\n```' in text
    assert "> The reply is not finished after 12 rounds of tool calls." in text
    assert (tmp_path / "My cats.pictures" / "d1.png").read_bytes() == b"a cat"


def test_a_tool_has_its_title(tmp_path: Path) -> None:
    denied = ToolUse(
        0,
        0,
        "c",
        "look",
        "{}",
        {},
        status=ToolStatus.ERROR,
        fault=ToolFault.of(UnknownTool(tool="look")),
    )
    stopped = Notice(1, 0, RepeatedCall.code, {"tool": "look", "count": "3"})
    message = Message("a", Role.ASSISTANT, (denied, stopped), MessageState.LIMITED, 0.0)
    title = {"look": "Look <at>"}.get
    markdown = write(tmp_path / "a.md", lambda p: MarkdownFormat(p, "Neo", title), message)
    assert "```\nLook <at> {}\n→ " in markdown
    shown = write(tmp_path / "a.html", page, message)
    assert "look" not in markdown + shown


def test_blocks_without_text_are_described(tmp_path: Path) -> None:
    blocks = (
        Text(0, 0, " \n"),
        Thinking(1, 0, ""),
        ToolUse(2, 0, "c", "look", status=ToolStatus.CANCELLED, output="```\ncode\n```"),
        ToolUse(2, 0, "c", "look", status=ToolStatus.CANCELLED),
        Image(3, 0, "gone", "image/../x"),
    )
    message = Message("a", Role.ASSISTANT, blocks, MessageState.CANCELLED, 0.0)
    text = write(tmp_path / "a.md", MarkdownFormat, message)
    assert "\n\n## Companion" in text
    assert "```\nlook \n→ cancelled\n```\n\n[Picture]\n" in text
    assert text.count("````") == 2, "a fence in an output doesn't end the block"
    shown = write(tmp_path / "a.html", page, message)
    assert "[Picture]" in shown and "<img" not in shown
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []


def test_an_empty_conversation(tmp_path: Path) -> None:
    assert json.loads(write(tmp_path / "a.json", JsonFormat))["messages"] == []
    assert write(tmp_path / "a.md", MarkdownFormat) == "# Cats\n"


def test_a_page_is_self_contained_and_runs_no_scripts(tmp_path: Path) -> None:
    text = write(tmp_path / "a.html", page, QUESTION, ANSWER, OTHER)
    assert "default-src 'none'" in text
    assert text.count("src=") == 2 and text.count('src="data:image/png;base64,YSBjYXQ="') == 2
    assert "<summary>Look &lt;at&gt;</summary>" in text
    assert "<pre>a &lt;cat&gt;</pre>" in text
    assert ">Else <svg>x</svg></p>" in text
    assert "<b>Neo</b>" in text and "gpt-x" in text
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


class Press:
    """Replaces the process that renders the PDF."""

    def __init__(self, path: Path, answers: dict[str, bytes | None]) -> None:
        self.path = path
        self.answers = answers
        self.told: list[dict[str, object]] = []

    def ask(self, question: bytes) -> bytes | None:
        self.told.append(json.loads(question))
        self.path.write_bytes(b"%PDF")
        return next((a for key, a in self.answers.items() if key in self.told[-1]), b"")

    def close(self) -> None:
        pass


def test_a_pdf_contains_messages_with_their_pictures_and_formulas(tmp_path: Path) -> None:
    pressed: list[Press] = []

    def press(path: Path) -> Press:
        pressed.append(Press(path, {}))
        return pressed[-1]

    def make(path: Path) -> ExportFormat:
        return PdfFormat(path, press, lambda wanted: [{"tex": tex} for tex, _ in wanted], "Neo")

    path = tmp_path / "a.pdf"
    assert write(path, make, QUESTION, OTHER) == "%PDF"
    title, question, answer, end = pressed[0].told
    assert (title["title"], end) == ("Cats", {"end": True})
    assert question["pictures"] == {"d1": "YSBjYXQ="}
    assert '<img src="picture:d1">' in str(question["html"])
    assert answer["formulas"] == [["x", "$x$", False, {"tex": "x"}]]
    assert f"Else {chr(0xF0000)}" in str(answer["html"])


@pytest.mark.parametrize("answer", [None, b"The file can't be written."])
def test_a_failed_pdf_leaves_no_file(tmp_path: Path, answer: bytes | None) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"older")

    def make(place: Path) -> ExportFormat:
        return PdfFormat(place, lambda part: Press(part, {"pictures": answer}), lambda _: [])

    with pytest.raises(OSError, match="ended" if answer is None else "written"):
        write(path, make, QUESTION)
    assert [one.name for one in tmp_path.iterdir()] == ["a.pdf"]
    assert path.read_bytes() == b"older"


def test_a_failure_during_the_export_leaves_the_older_file(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("older")

    class Torn(Shelf):
        async def messages(self, ids: Sequence[str]) -> list[Message]:
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        asyncio.run(export_conversation(Torn(QUESTION), INFO, path, MarkdownFormat))
    assert [one.name for one in tmp_path.iterdir()] == ["a.md"]
    assert path.read_text() == "older"


@pytest.mark.parametrize("kind", [MARKDOWN, JSON, HTML])
def test_all_conversations_are_exported_to_a_folder(tmp_path: Path, kind: str) -> None:
    makers: dict[str, Callable[[Path], ExportFormat]] = {
        MARKDOWN: MarkdownFormat,
        JSON: JsonFormat,
        HTML: page,
    }
    infos = [INFO, INFO, ConversationInfo("x", '../<a>:"b"', 1e9, 1e9)]
    pictures = Shelf(QUESTION, infos=infos)
    made = asyncio.run(export_all(pictures, tmp_path, kind, makers[kind]))
    assert list(tmp_path.iterdir()) == [made]
    names = sorted(one.stem for one in made.iterdir() if one.is_file())
    assert [name[11:] for name in names if name != "index"] == ["Cats", "Cats 2", "ab"]
    if kind == HTML:
        index = (made / "index.html").read_text("utf-8")
        assert index.count("<li>") == 3 and "&lt;a&gt;" in index


def test_if_all_fail_nothing_is_left(tmp_path: Path) -> None:
    def make(_path: Path) -> ExportFormat:
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        asyncio.run(export_all(Shelf(QUESTION), tmp_path, JSON, make))
    assert list(tmp_path.iterdir()) == []


def test_names_of_files() -> None:
    assert file_name("../a\\b: 猫?\n") == "ab 猫"
    assert file_name("…") == ""
    assert len(file_name("x" * 300)) == 60


def test_an_export_over_a_private_file_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("before")
    path.chmod(0o600)
    target = TargetFile(path)
    target.write("after")
    target.finish()
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("after", 0o600)
    before = os.umask(0o077)
    try:
        fresh = TargetFile(tmp_path / "b.md")
        fresh.finish()
    finally:
        os.umask(before)
    assert (tmp_path / "b.md").stat().st_mode & 0o777 == 0o600
