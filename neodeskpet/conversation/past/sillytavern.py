"""A chat of SillyTavern (`chats/*/*.jsonl`): a line with the names, then a line for each message.
Pure.

The other versions of a message are its `swipes`. In a group each message says who speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from neodeskpet.conversation.past.fields import list_in, table_in, text_in, time_in
from neodeskpet.conversation.past.parts import Row, picture, said, thought
from neodeskpet.conversation.past.thread import Node, Thread, thread_of, without_empty
from neodeskpet.core.schedule.vocabulary import MONTHS

SOURCE = "sillytavern"
NAME = "SillyTavern"
_NOBODY = frozenset({"", "unused", "User", "You"})
_MONTHS = tuple(name.lower() for name in MONTHS)
_WORDS = re.compile(r"([A-Za-z]+) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2}) ?([ap])m", re.IGNORECASE)
_NUMBERS = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m(?: ?(\d{1,2})s)?(?: ?\d{1,3}ms)?"
)


def is_session(rows: Sequence[Mapping[str, Any]]) -> bool:
    """`rows`: the first lines."""
    return any("chat_metadata" in one or "character_name" in one for one in rows[:1]) or any(
        isinstance(one.get("mes"), str) and "is_user" in one for one in rows
    )


def read_session(rows: Sequence[Mapping[str, Any]], name: str, *, otherwise: float) -> Thread:
    """Never raises: what can't be read of it is left out. `name`: the file's, without its ending;
    `otherwise`: the time of one that bears none.
    """
    head = rows[0] if rows and "mes" not in rows[0] else {}
    messages = [one for one in rows if isinstance(one.get("mes"), str)]
    speakers = {text_in(one.get("name")) for one in messages if one.get("is_user") is not True}
    nodes: list[Node] = []
    current = ""
    for place, one in enumerate(messages):
        versions = list(_versions(place, one, current, grouped=len(speakers) > 1))
        nodes += versions
        chosen = one.get("swipe_id")
        inside = isinstance(chosen, int) and 0 <= chosen < len(versions)
        current = versions[chosen if inside and isinstance(chosen, int) else -1].key
    character = text_in(head.get("character_name"))
    own = text_in(table_in(head.get("chat_metadata")).get("integrity"))
    begun = _time(head.get("create_date"))
    return thread_of(
        (SOURCE, NAME),
        own or f"{character}:{text_in(head.get('create_date'))}:{name}",
        without_empty(nodes),
        title=character if character not in _NOBODY else name,
        begun=begun,
        otherwise=otherwise,
        current=current,
        joined=False,
    )


def _versions(
    place: int, message: Mapping[str, Any], parent: str, *, grouped: bool
) -> Iterator[Node]:
    texts = [one for one in list_in(message.get("swipes")) if isinstance(one, str)]
    user = message.get("is_user") is True
    speaker = text_in(message.get("name"))
    extra = table_in(message.get("extra"))
    for number, text in enumerate(texts or [message["mes"]]):
        shown = number == message.get("swipe_id", 0)
        rows: list[Row] = thought(text_in(extra.get("reasoning"))) if shown and not user else []
        if shown and text_in(extra.get("image")):
            rows.append(picture(text_in(extra.get("image")), text_in(extra.get("title"))))
        words = f"**{speaker}:** {text}" if grouped and not user and speaker and text else text
        yield Node(
            f"{place}:{number}",
            parent,
            user=user,
            at=_time(message.get("send_date")),
            rows=[*rows, *said(words)],
            model="" if user else text_in(extra.get("model")),
        )


def _time(value: object) -> float | None:
    """A moment as one of its versions wrote it, in this computer's zone where it says none."""
    text = text_in(value)
    words, numbers = _WORDS.fullmatch(text.strip()), _NUMBERS.fullmatch(text.strip())
    try:
        if words is not None and words[1].lower() in _MONTHS:
            month = _MONTHS.index(words[1].lower()) + 1
            hour = int(words[4]) % 12 + (12 if words[6].lower() == "p" else 0)
            at = datetime(int(words[3]), month, int(words[2]), hour, int(words[5]))
            return time_in(at.timestamp())
        if numbers is not None:
            parts = [int(numbers[n]) for n in range(1, 6)]
            at = datetime(parts[0], parts[1], parts[2], parts[3], parts[4], int(numbers[6] or 0))
            return time_in(at.timestamp())
    except (ValueError, OverflowError, OSError):
        return None
    return time_in(int(text) if text.isdecimal() and len(text) < 16 else value)
