"""A conversation as Markdown, for people and for other programs of notes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from neodeskpet.conversation.takeout.form import Entry, Pictures, speaker, when
from neodeskpet.conversation.takeout.target import PicturesBeside, Target
from neodeskpet.core.blocks import Block, Document, Image, Notice, Text, Thinking, ToolUse
from neodeskpet.core.records import ConversationInfo
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.language import say_code, say_failure, sentences, titled, tr


class MarkdownForm:
    """`name` is the companion's; `title(tool)` is the title of a tool."""

    whole = False

    def __init__(self, path: Path, name: str = "", title: Callable[[str], str] = str) -> None:
        self._out = Target(path)
        self._beside = PicturesBeside(path)
        self._name = name
        self._title = title

    def begin(self, info: ConversationInfo) -> None:
        self._out.write(f"# {' '.join(info.title.split()) or tr('Conversation')}\n")

    def add(self, entry: Entry, pictures: Pictures) -> None:
        message = entry.message
        parts = [f"## {speaker(message, self._name)} · {when(message)}"]
        for block in message.blocks:
            parts += filter(None, self._said(block, pictures))
        self._out.write("\n" + "\n\n".join(parts) + "\n")

    def end(self) -> None:
        self._out.end()

    def drop(self) -> None:
        self._out.drop()

    def _said(self, block: Block, pictures: Pictures) -> list[str]:
        match block:
            case Text(text=text):
                return [text.strip()]
            case Thinking(text=text) if text.strip():
                return ["\n".join(f"> {line}" for line in text.strip().splitlines())]
            case ToolUse():
                title = self._title(block.name) or block.name
                said = block.output or say_failure(block, title) or block.status.value
                shown = [self._picture(one, pictures) for one in block.images]
                return [_fenced(f"{title} {block.raw_arguments}\n→ {said}"), *shown]
            case Image():
                return [self._picture(block, pictures)]
            case Document(name=name, text=text):
                return [f"**{name}**", _fenced(text.replace("\f", "\n\n"))]
            case Notice():
                what, hint = say_code(block.code, titled(block.params, self._title), block.detail)
                return [f"> {sentences(what, hint)}"]
            case _:
                return []

    def _picture(self, image: Image | ResultImage, pictures: Pictures) -> str:
        name = image.name or tr("Picture")
        said = image.description if isinstance(image, Image) else ""
        place = self._beside.place(image, pictures)
        if not place:
            return f"[{name}{': ' + said if said else ''}]"
        shown = re.sub(r"([\\\[\]])", r"\\\1", name)
        return f"![{shown}]({quote(place)})" + (f"\n\n> {said}" if said else "")


def _fenced(code: str) -> str:
    """`code` in a fence longer than any that is in it."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"
