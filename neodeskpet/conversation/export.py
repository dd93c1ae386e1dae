"""A conversation as a file: Markdown for people, JSON for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from neodeskpet.core.blocks import Block, Image, Message, Notice, Role, Text, Thinking, ToolUse
from neodeskpet.language import say_code, tr


def to_json(title: str, messages: Sequence[Message]) -> str:
    """`{"title", "messages": [...]}`: every field of every message; blocks carry their `kind`."""
    rows = []
    for message in messages:
        row = asdict(message)
        row["blocks"] = [
            {"kind": type(block).__name__.lower(), **asdict(block)} for block in message.blocks
        ]
        rows.append(row)
    return json.dumps({"title": title, "messages": rows}, ensure_ascii=False, indent=2) + "\n"


def to_markdown(title: str, messages: Sequence[Message], name: str = "Neo") -> str:
    """What was said, with tool calls as code and notices as quotes."""
    parts = [f"# {title or tr('Conversation')}"]
    for message in messages:
        who = tr("You") if message.role is Role.USER else name
        when = datetime.fromtimestamp(message.created).astimezone().strftime("%Y-%m-%d %H:%M")
        parts.append(f"## {who} · {when}")
        parts += [said for block in message.blocks if (said := _block(block))]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    match block:
        case Text(text=text):
            return text.strip()
        case Thinking(text=text) if text.strip():
            return "\n".join(f"> {line}" for line in text.strip().splitlines())
        case ToolUse():
            said = block.output or block.error or block.status.value
            return _fenced(f"{block.name} {block.raw_arguments}\n→ {said}")
        case Image(name=name, description=description):
            return f"[{name or tr('Picture')}{': ' + description if description else ''}]"
        case Notice():
            what, hint = say_code(block.code, dict(block.params), block.detail)
            return f"> {what} {hint}"
        case _:
            return ""


def _fenced(code: str) -> str:
    """`code` in a fence longer than any that is in it."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"
