"""A conversation as a file: Markdown for people, JSON for programs; its pictures beside it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

from neodeskpet.conversation.vision import Pictures
from neodeskpet.core.blocks import Block, Image, Message, Notice, Role, Text, Thinking, ToolUse
from neodeskpet.core.records import Node
from neodeskpet.language import say_code, say_failure, tr

_NOWHERE: Mapping[str, str] = MappingProxyType({})


async def write_export(
    path: Path,
    kind: str,
    title: str,
    messages: Sequence[Message],
    pictures: Pictures,
    name: str = "",
    *,
    tree: Sequence[Node] = (),
    shown: Collection[str] = (),
) -> None:
    """Write `kind` ("markdown" or "json") to `path`, and the pictures that are still there to a
    folder beside it, named like it. `name` is the companion's; `tree` and `shown` are as in
    `to_json`. Raises OSError.
    """
    places = picture_places(messages, f"{path.stem}.pictures")
    contents = {digest: await pictures.picture(digest) for digest in places}
    there = {digest: place for digest, place in places.items() if contents[digest]}
    if kind == "markdown":
        text = to_markdown(title, messages, there, name)
    else:
        text = to_json(title, messages, there, tree=tree, shown=shown)

    def write() -> None:
        path.write_bytes(text.encode("utf-8", "replace"))
        for digest, place in there.items():
            file = path.parent / place
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(contents[digest] or b"")

    await asyncio.to_thread(write)


def picture_places(messages: Sequence[Message], folder: str) -> dict[str, str]:
    """Where each picture is put, by its digest: `folder`/number.ending, in their order."""
    images = [block for one in messages for block in one.blocks if isinstance(block, Image)]
    endings = {image.digest: image.media_type.rpartition("/")[2] for image in images}
    return {
        digest: f"{folder}/{number}.{ending if ending.isalnum() else 'bin'}"
        for number, (digest, ending) in enumerate(endings.items(), start=1)
    }


def to_json(
    title: str,
    messages: Sequence[Message],
    places: Mapping[str, str] = _NOWHERE,
    *,
    tree: Sequence[Node] = (),
    shown: Collection[str] = (),
) -> str:
    """`{"title", "messages": [...]}`: every field of every message; blocks carry their `kind`,
    pictures the `file` they are in, if `places` has it for their digest.

    With the conversation's `tree`, messages that aren't among those `shown` stand in `versions`,
    and each says its `number` (in the order they were said), the `parent` it follows, and whether
    it is `chosen`. `memory/importing.py` reads all that.
    """
    place = {node.id: (number, node) for number, node in enumerate(tree)}
    path: list[dict[str, object]] = []
    versions: list[dict[str, object]] = []
    for message in messages:
        row = asdict(message)
        row["blocks"] = [_row(block, places) for block in message.blocks]
        if message.id in place:
            number, node = place[message.id]
            row |= {"number": number, "parent": node.parent, "chosen": node.chosen}
        (path if message.id in shown or not tree else versions).append(row)
    whole: dict[str, object] = {"title": title, "messages": path}
    if versions:
        whole["versions"] = versions
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def _row(block: Block, places: Mapping[str, str]) -> dict[str, object]:
    row = {"kind": block.kind, **asdict(block)}
    if isinstance(block, ToolUse) and block.shown is not None:
        row["shown"] = {"kind": block.shown.kind, **asdict(block.shown)}
    if isinstance(block, Image) and block.digest in places:
        row["file"] = places[block.digest]
    return row


def to_markdown(
    title: str,
    messages: Sequence[Message],
    places: Mapping[str, str] = _NOWHERE,
    name: str = "",
) -> str:
    """What was said, with tool calls as code and notices as quotes; pictures are shown from
    `places` (by digest), or have their names there.
    """
    parts = [f"# {title or tr('Conversation')}"]
    for message in messages:
        who = tr("You") if message.role is Role.USER else name or tr("Companion")
        when = datetime.fromtimestamp(message.created).astimezone().strftime("%Y-%m-%d %H:%M")
        parts.append(f"## {who} · {when}")
        parts += [said for block in message.blocks if (said := _block(block, places))]
    return "\n\n".join(parts) + "\n"


def _block(block: Block, places: Mapping[str, str]) -> str:
    match block:
        case Text(text=text):
            return text.strip()
        case Thinking(text=text) if text.strip():
            return "\n".join(f"> {line}" for line in text.strip().splitlines())
        case ToolUse():
            said = block.output or say_failure(block) or block.status.value
            return _fenced(f"{block.name} {block.raw_arguments}\n→ {said}")
        case Image():
            return _picture(block, places.get(block.digest, ""))
        case Notice():
            what, hint = say_code(block.code, dict(block.params), block.detail)
            return f"> {what} {hint}"
        case _:
            return ""


def _picture(image: Image, place: str) -> str:
    name, said = image.name or tr("Picture"), image.description
    if not place:
        return f"[{name}{': ' + said if said else ''}]"
    shown = re.sub(r"([\\\[\]])", r"\\\1", name)
    return f"![{shown}]({quote(place)})" + (f"\n\n> {said}" if said else "")


def _fenced(code: str) -> str:
    """`code` in a fence longer than any that is in it."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"
