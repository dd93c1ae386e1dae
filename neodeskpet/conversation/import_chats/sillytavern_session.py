"""Reads a chat of SillyTavern (`chats/*/*.jsonl`): a line with the names, then a line for each
message. Pure.

The other versions of a message are its `swipes`. In a group each message names its speaker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from neodeskpet.conversation.import_chats.format_helpers import (
    BlockRow,
    list_of,
    object_of,
    picture_rows,
    text_of,
    text_rows,
    thinking_rows,
    time_of,
)
from neodeskpet.conversation.import_chats.thread_builder import (
    ArchiveNode,
    ImportedThread,
    build_thread,
    hide_empty,
)
from neodeskpet.core.schedule.vocabulary import MONTHS

SOURCE = "sillytavern"
NAME = "SillyTavern"
_NO_NAMES = frozenset({"", "unused", "User", "You"})
_MONTHS = tuple(name.lower() for name in MONTHS)
_WORDED_TIME = re.compile(
    r"([A-Za-z]+) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2}) ?([ap])m", re.IGNORECASE
)
_NUMERIC_TIME = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m(?: ?(\d{1,2})s)?(?: ?\d{1,3}ms)?"
)


def is_session(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether these first lines are of such a chat."""
    return any("chat_metadata" in one or "character_name" in one for one in rows[:1]) or any(
        isinstance(one.get("mes"), str) and "is_user" in one for one in rows
    )


def read_session(
    rows: Sequence[Mapping[str, Any]], name: str, *, otherwise: float
) -> ImportedThread:
    """Read the chat. Never raises: unreadable parts are left out. `name`: the file's, without its
    ending; `otherwise`: the time to use if it has none.
    """
    head = rows[0] if rows and "mes" not in rows[0] else {}
    messages = [one for one in rows if isinstance(one.get("mes"), str)]
    speakers = {text_of(one.get("name")) for one in messages if one.get("is_user") is not True}
    nodes: list[ArchiveNode] = []
    current = ""
    for place, one in enumerate(messages):
        versions = list(_version_nodes(place, one, current, grouped=len(speakers) > 1))
        nodes += versions
        chosen = one.get("swipe_id")
        inside = isinstance(chosen, int) and 0 <= chosen < len(versions)
        current = versions[chosen if inside and isinstance(chosen, int) else -1].key
    character = text_of(head.get("character_name"))
    own = text_of(object_of(head.get("chat_metadata")).get("integrity"))
    begun = _message_time(head.get("create_date"))
    return build_thread(
        (SOURCE, NAME),
        own or f"{character}:{text_of(head.get('create_date'))}:{name}",
        hide_empty(nodes),
        title=character if character not in _NO_NAMES else name,
        begun=begun,
        otherwise=otherwise,
        current=current,
        joined=False,
    )


def _version_nodes(
    place: int, message: Mapping[str, Any], parent: str, *, grouped: bool
) -> Iterator[ArchiveNode]:
    texts = [one for one in list_of(message.get("swipes")) if isinstance(one, str)]
    user = message.get("is_user") is True
    speaker = text_of(message.get("name"))
    extra = object_of(message.get("extra"))
    for number, text in enumerate(texts or [message["mes"]]):
        shown = number == message.get("swipe_id", 0)
        rows: list[BlockRow] = (
            thinking_rows(text_of(extra.get("reasoning"))) if shown and not user else []
        )
        if shown and text_of(extra.get("image")):
            rows.append(picture_rows(text_of(extra.get("image")), text_of(extra.get("title"))))
        words = f"**{speaker}:** {text}" if grouped and not user and speaker and text else text
        yield ArchiveNode(
            f"{place}:{number}",
            parent,
            user=user,
            time=_message_time(message.get("send_date")),
            rows=[*rows, *text_rows(words)],
            model="" if user else text_of(extra.get("model")),
        )


def _message_time(value: object) -> float | None:
    """Return a time in any format of SillyTavern's versions, in the local time zone if it names
    none.
    """
    text = text_of(value)
    words, numbers = _WORDED_TIME.fullmatch(text.strip()), _NUMERIC_TIME.fullmatch(text.strip())
    try:
        if words is not None and words[1].lower() in _MONTHS:
            month = _MONTHS.index(words[1].lower()) + 1
            hour = int(words[4]) % 12 + (12 if words[6].lower() == "p" else 0)
            at = datetime(int(words[3]), month, int(words[2]), hour, int(words[5]))
            return time_of(at.timestamp())
        if numbers is not None:
            parts = [int(numbers[n]) for n in range(1, 6)]
            at = datetime(parts[0], parts[1], parts[2], parts[3], parts[4], int(numbers[6] or 0))
            return time_of(at.timestamp())
    except (ValueError, OverflowError, OSError):
        return None
    return time_of(int(text) if text.isdecimal() and len(text) < 16 else value)
