"""A conversation as Markdown, for people and for other programs of notes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from neodeskpet.conversation.takeout.form import (
    ExportEntry,
    PictureData,
    message_time,
    speaker_name,
)
from neodeskpet.conversation.takeout.target import PictureFolder, TargetFile
from neodeskpet.core.blocks import Block, Document, Image, Notice, Text, Thinking, ToolUse
from neodeskpet.core.records import ConversationInfo
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.language import (
    join_sentences,
    tr,
    translate_code,
    translate_failure,
    with_tool_title,
)


class MarkdownFormat:
    """`name` is the companion's; `title(tool)` is the title of a tool."""

    all_versions = False

    def __init__(self, path: Path, name: str = "", title: Callable[[str], str] = str) -> None:
        self._out = TargetFile(path)
        self._beside = PictureFolder(path)
        self._name = name
        self._title = title

    def start(self, info: ConversationInfo) -> None:
        self._out.write(f"# {' '.join(info.title.split()) or tr('Conversation')}\n")

    def add(self, entry: ExportEntry, pictures: PictureData) -> None:
        message = entry.message
        parts = [f"## {speaker_name(message, self._name)} · {message_time(message)}"]
        for block in message.blocks:
            parts += filter(None, self._said(block, pictures))
        self._out.write("\n" + "\n\n".join(parts) + "\n")

    def finish(self) -> None:
        self._out.finish()

    def abort(self) -> None:
        self._out.abort()

    def _said(self, block: Block, pictures: PictureData) -> list[str]:
        match block:
            case Text(text=text):
                return [text.strip()]
            case Thinking(text=text) if text.strip():
                return ["\n".join(f"> {line}" for line in text.strip().splitlines())]
            case ToolUse():
                title = self._title(block.name) or block.name
                said = block.output or translate_failure(block, title) or block.status.value
                shown = [self._picture(one, pictures) for one in block.images]
                return [_fenced_code(f"{title} {block.raw_arguments}\n→ {said}"), *shown]
            case Image():
                return [self._picture(block, pictures)]
            case Document(name=name, text=text):
                return [f"**{name}**", _fenced_code(text.replace("\f", "\n\n"))]
            case Notice():
                what, hint = translate_code(
                    block.code, with_tool_title(block.params, self._title), block.detail
                )
                return [f"> {join_sentences(what, hint)}"]
            case _:
                return []

    def _picture(self, image: Image | ResultImage, pictures: PictureData) -> str:
        name = image.name or tr("Picture")
        said = image.description if isinstance(image, Image) else ""
        place = self._beside.store(image, pictures)
        if not place:
            return f"[{name}{': ' + said if said else ''}]"
        shown = re.sub(r"([\\\[\]])", r"\\\1", name)
        return f"![{shown}]({quote(place)})" + (f"\n\n> {said}" if said else "")


def _fenced_code(code: str) -> str:
    """`code` in a fence longer than any that is in it."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"
