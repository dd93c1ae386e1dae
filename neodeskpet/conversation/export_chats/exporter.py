"""Writes conversations, one or all, into files, a few messages at a time."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from neodeskpet.conversation.export_chats.export_format import (
    FILE_ENDINGS,
    HTML,
    ExportEntry,
    ExportFormat,
    message_pictures,
    partial_path,
)
from neodeskpet.conversation.export_chats.html_export import page_head
from neodeskpet.core.blocks import ConversationInfo, Message, MessageHead, MessageNode
from neodeskpet.language import tr

_BATCH_MESSAGES = 16
"""The largest number of messages in memory at a time."""
_MAX_FILE_NAME = 60


class ConversationSource(Protocol):
    """The source of conversations. Coroutines raise StoreError."""

    async def conversations(self) -> list[ConversationInfo]: ...

    async def heads(self, conversation_id: str) -> list[MessageHead]: ...

    async def nodes(self, conversation_id: str) -> list[MessageNode]: ...

    async def messages(self, ids: Sequence[str]) -> list[Message]: ...

    async def picture(self, digest: str) -> bytes | None: ...


CreateFormat = Callable[[Path], ExportFormat]
"""Starts a file. Raises OSError."""
ReportProgress = Callable[[int], None]
"""Called with the number of further messages written."""


async def export_conversation(
    archive: ConversationSource,
    info: ConversationInfo,
    path: Path,
    make: CreateFormat,
    report: ReportProgress = lambda _count: None,
) -> None:
    """Write a conversation to `path`. Raises OSError and StoreError. After an error or cancellation
    nothing but pictures is left behind.
    """
    form = await asyncio.to_thread(make, path)
    try:
        await asyncio.to_thread(form.start, info)
        wanted = await _messages_to_export(archive, info.id, whole=form.all_versions)
        for start in range(0, len(wanted), _BATCH_MESSAGES):
            await _write_messages(archive, form, wanted[start : start + _BATCH_MESSAGES])
            report(len(wanted[start : start + _BATCH_MESSAGES]))
        await asyncio.to_thread(form.finish)
    finally:
        await asyncio.shield(asyncio.to_thread(form.abort))


async def export_all(
    archive: ConversationSource,
    folder: Path,
    kind: str,
    make: CreateFormat,
    report: ReportProgress = lambda _count: None,
) -> Path:
    """Write each conversation into a new folder in `folder` and return that folder. HTML pages get
    an index page. Raises as `export_conversation`, and then leaves nothing behind.
    """
    name = f"NeoDeskPet {datetime.now():%Y-%m-%d %H%M%S}"
    part = partial_path(folder / name)
    await asyncio.to_thread(part.mkdir, parents=True)
    try:
        names: dict[str, ConversationInfo] = {}
        for info in await archive.conversations():
            file = _free_name(info, FILE_ENDINGS[kind], names)
            names[file] = info
            await export_conversation(archive, info, part / file, make, report)
        if kind == HTML:
            await asyncio.to_thread(_write_index, part, names)
        await asyncio.to_thread(part.rename, folder / name)
    except BaseException:
        await asyncio.shield(asyncio.to_thread(shutil.rmtree, part, ignore_errors=True))
        raise
    return folder / name


def file_name(title: str) -> str:
    """Return a title as a file name part that is valid on every system, "" if nothing remains."""
    safe = "".join(c for c in title if c.isalnum() or c in " -_")
    return " ".join(safe.split())[:_MAX_FILE_NAME].strip()


def _free_name(info: ConversationInfo, ending: str, taken: dict[str, ConversationInfo]) -> str:
    day = datetime.fromtimestamp(info.created).strftime("%Y-%m-%d")
    stem = f"{day} {file_name(info.title) or tr('Conversation')}"
    same = [name for name in taken if name.lower().startswith(stem.lower())]
    return f"{stem} {len(same) + 1}.{ending}" if same else f"{stem}.{ending}"


@dataclass(frozen=True, slots=True)
class _ExportedMessage:
    id: str
    number: int = 0
    node: MessageNode | None = None
    shown: bool = True


async def _messages_to_export(
    archive: ConversationSource, conversation_id: str, *, whole: bool
) -> list[_ExportedMessage]:
    """Return the messages in the order of the file: shown ones first. There may be 100,000, so they
    are sorted on a thread.
    """
    heads = await archive.heads(conversation_id)
    if not whole:
        return await asyncio.to_thread(lambda: [_ExportedMessage(head.id) for head in heads])
    nodes = await archive.nodes(conversation_id)
    return await asyncio.to_thread(_in_order, heads, nodes)


def _in_order(heads: Sequence[MessageHead], nodes: Sequence[MessageNode]) -> list[_ExportedMessage]:
    shown = [head.id for head in heads]
    on_path = set(shown)
    places = {node.id: (number, node) for number, node in enumerate(nodes)}
    order = [*shown, *(node.id for node in nodes if node.id not in on_path)]
    return [_ExportedMessage(one, *places[one], one in on_path) for one in order if one in places]


async def _write_messages(
    archive: ConversationSource, form: ExportFormat, wanted: Sequence[_ExportedMessage]
) -> None:
    known = {one.id: one for one in wanted}
    entries = [
        ExportEntry(message, (place := known[message.id]).number, place.node, place.shown)
        for message in await archive.messages([*known])
    ]
    for entry in entries:
        pictures = {}
        for digest in {image.digest for image in message_pictures(entry.message)}:
            data = await archive.picture(digest)
            if data is not None:
                pictures[digest] = data
        await asyncio.to_thread(form.add, entry, pictures)


def _write_index(folder: Path, names: dict[str, ConversationInfo]) -> None:
    rows = [
        f'<li><a href="{quote(name)}">{escape(info.title or tr("Conversation"))}</a> '
        f'<span class="time">{datetime.fromtimestamp(info.updated):%Y-%m-%d}</span></li>\n'
        for name, info in names.items()
    ]
    page = page_head(tr("Conversations")) + f"<ul>\n{''.join(rows)}</ul>\n</body>\n</html>\n"
    (folder / "index.html").write_text(page, encoding="utf-8")
