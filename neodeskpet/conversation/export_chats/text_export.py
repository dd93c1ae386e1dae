"""Exports a conversation as Markdown, or as JSON that can be imported again.

JSON is `{"title", "messages": [...], "versions": [...]}` with one message a line; every field of
every message is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from urllib.parse import quote

from neodeskpet.conversation.export_chats.export_format import (
    ExportEntry,
    PictureData,
    PictureFolder,
    TargetFile,
    message_pictures,
    message_time,
    speaker_name,
)
from neodeskpet.core.blocks import (
    Block,
    ConversationInfo,
    Document,
    Image,
    Notice,
    Text,
    Thinking,
    ToolUse,
)
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
            parts += filter(None, self._block_lines(block, pictures))
        self._out.write("\n" + "\n\n".join(parts) + "\n")

    def finish(self) -> None:
        self._out.finish()

    def abort(self) -> None:
        self._out.abort()

    def _block_lines(self, block: Block, pictures: PictureData) -> list[str]:
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


class JsonFormat:
    all_versions = True

    def __init__(self, path: Path) -> None:
        self._out = TargetFile(path)
        self._beside = PictureFolder(path)
        self._shown = True
        self._first = True

    def start(self, info: ConversationInfo) -> None:
        kept = {"folder": info.folder, "pinned": info.pinned, "archived": info.archived}
        record: dict[str, object] = {"title": info.title, "created": info.created}
        record |= {name: value for name, value in kept.items() if value}
        rows = "".join(f"{_to_json(name)}: {_to_json(value)},\n" for name, value in record.items())
        self._out.write("{\n" + rows + '"messages": [')

    def add(self, entry: ExportEntry, pictures: PictureData) -> None:
        if self._shown and not entry.visible:
            self._out.write('\n],\n"versions": [')
            self._shown, self._first = False, True
        self._out.write("\n" if self._first else ",\n")
        self._first = False
        self._out.write(_to_json(self._row(entry, pictures)))

    def finish(self) -> None:
        self._out.write("\n]\n}\n")
        self._out.finish()

    def abort(self) -> None:
        self._out.abort()

    def _row(self, entry: ExportEntry, pictures: PictureData) -> dict[str, object]:
        places = {
            image.digest: place
            for image in message_pictures(entry.message)
            if (place := self._beside.store(image, pictures))
        }
        row = asdict(entry.message)
        row["blocks"] = [_block(block, places) for block in entry.message.blocks]
        if places:
            row["files"] = places
        if entry.node is not None:
            node = entry.node
            row |= {"number": entry.number, "parent": node.parent, "chosen": node.chosen}
        return row


def _block(block: Block, places: dict[str, str]) -> dict[str, object]:
    row = {"kind": block.kind, **asdict(block)}
    if isinstance(block, ToolUse) and block.shown is not None:
        row["shown"] = {"kind": block.shown.kind, **asdict(block.shown)}
    if isinstance(block, Image) and block.digest in places:
        row["file"] = places[block.digest]
    return row


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
