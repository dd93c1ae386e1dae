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

from neodeskpet.conversation.takeout.form import ENDINGS, PAGE, Entry, Form, pictures_of
from neodeskpet.conversation.takeout.page import head_of
from neodeskpet.conversation.takeout.target import part_of
from neodeskpet.core.blocks import Message
from neodeskpet.core.records import ConversationInfo, MessageHead, Node
from neodeskpet.language import tr

_AT_ONCE = 16
"""Messages in the memory at any time."""
_LONGEST = 60


class Archive(Protocol):
    """Where conversations are. Coroutines raise StoreError."""

    async def conversations(self) -> list[ConversationInfo]: ...

    async def heads(self, conversation_id: str) -> list[MessageHead]: ...

    async def nodes(self, conversation_id: str) -> list[Node]: ...

    async def messages(self, ids: Sequence[str]) -> list[Message]: ...

    async def picture(self, digest: str) -> bytes | None: ...


MakeForm = Callable[[Path], Form]
"""Begins a file. Raises OSError."""
Told = Callable[[int], None]
"""Hears that so many more messages are written."""


async def export_one(
    archive: Archive,
    info: ConversationInfo,
    path: Path,
    make: MakeForm,
    told: Told = lambda _count: None,
) -> None:
    """Write a conversation to `path`. Raises OSError and StoreError, and leaves nothing behind then
    (nor when it is cancelled) but pictures.
    """
    form = await asyncio.to_thread(make, path)
    try:
        await asyncio.to_thread(form.begin, info)
        wanted = await _wanted(archive, info.id, whole=form.whole)
        for start in range(0, len(wanted), _AT_ONCE):
            await _write(archive, form, wanted[start : start + _AT_ONCE])
            told(len(wanted[start : start + _AT_ONCE]))
        await asyncio.to_thread(form.end)
    finally:
        await asyncio.shield(asyncio.to_thread(form.drop))


async def export_all(
    archive: Archive, folder: Path, kind: str, make: MakeForm, told: Told = lambda _count: None
) -> Path:
    """Write each conversation into a new folder in `folder`, which is returned; with pages comes
    one that leads to them. Raises as `export_one`, and leaves nothing behind then.
    """
    name = f"NeoDeskPet {datetime.now():%Y-%m-%d %H%M%S}"
    part = part_of(folder / name)
    await asyncio.to_thread(part.mkdir, parents=True)
    try:
        names: dict[str, ConversationInfo] = {}
        for info in await archive.conversations():
            file = _free(info, ENDINGS[kind], names)
            names[file] = info
            await export_one(archive, info, part / file, make, told)
        if kind == PAGE:
            await asyncio.to_thread(_write_index, part, names)
        await asyncio.to_thread(part.rename, folder / name)
    except BaseException:
        await asyncio.shield(asyncio.to_thread(shutil.rmtree, part, ignore_errors=True))
        raise
    return folder / name


def file_name(title: str) -> str:
    """A title as a part of a file's name that every system takes; "" when nothing is left."""
    safe = "".join(c for c in title if c.isalnum() or c in " -_")
    return " ".join(safe.split())[:_LONGEST].strip()


def _free(info: ConversationInfo, ending: str, taken: dict[str, ConversationInfo]) -> str:
    day = datetime.fromtimestamp(info.created).strftime("%Y-%m-%d")
    stem = f"{day} {file_name(info.title) or tr('Conversation')}"
    same = [name for name in taken if name.lower().startswith(stem.lower())]
    return f"{stem} {len(same) + 1}.{ending}" if same else f"{stem}.{ending}"


@dataclass(frozen=True, slots=True)
class _Wanted:
    id: str
    number: int = 0
    node: Node | None = None
    shown: bool = True


async def _wanted(archive: Archive, conversation_id: str, *, whole: bool) -> list[_Wanted]:
    """The messages in the order they are written: those that are shown first. They may be a hundred
    thousand, so they are put in order in a thread.
    """
    heads = await archive.heads(conversation_id)
    if not whole:
        return await asyncio.to_thread(lambda: [_Wanted(head.id) for head in heads])
    nodes = await archive.nodes(conversation_id)
    return await asyncio.to_thread(_ordered, heads, nodes)


def _ordered(heads: Sequence[MessageHead], nodes: Sequence[Node]) -> list[_Wanted]:
    shown = [head.id for head in heads]
    on_path = set(shown)
    places = {node.id: (number, node) for number, node in enumerate(nodes)}
    order = [*shown, *(node.id for node in nodes if node.id not in on_path)]
    return [_Wanted(one, *places[one], one in on_path) for one in order if one in places]


async def _write(archive: Archive, form: Form, wanted: Sequence[_Wanted]) -> None:
    known = {one.id: one for one in wanted}
    entries = [
        Entry(message, (place := known[message.id]).number, place.node, place.shown)
        for message in await archive.messages([*known])
    ]
    for entry in entries:
        pictures = {}
        for digest in {image.digest for image in pictures_of(entry.message)}:
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
    page = head_of(tr("Conversations")) + f"<ul>\n{''.join(rows)}</ul>\n</body>\n</html>\n"
    (folder / "index.html").write_text(page, encoding="utf-8")
