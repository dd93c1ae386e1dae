"""Merges the tree of a conversation from records of several computers. Pure: the same records make
the same tree in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from neodeskpet.core.blocks import MessageNode


@dataclass(frozen=True, slots=True)
class ExistingMessage:
    """An existing message. `created`: unix seconds."""

    id: str
    created: float


def merge_tree(
    messages: Iterable[ExistingMessage],
    parents: Mapping[str, str],
    choices: Mapping[str, str],
    conversation: str,
) -> list[MessageNode]:
    """Return the messages in their order, each after its parent.

    `parents` has the parent of each message, also of deleted ones: the children of a deleted
    message move to its parent. `choices` has the shown child of each message (for top-level
    messages: of `conversation`); without one, or if it was deleted, the last child is shown.
    """
    known = {message.id: message for message in messages}
    above: dict[str, str] = {}
    keys: dict[str, tuple[float, int, str]] = {}
    for message in sorted(known.values(), key=lambda one: (one.created, one.id)):
        _place_message(message.id, known, parents, above, keys)
    order = sorted(known, key=keys.__getitem__)
    last: dict[str, str] = {above[one]: one for one in order}
    for parent in last:
        wanted = choices.get(parent or conversation, "")
        if above.get(wanted) == parent:
            last[parent] = wanted
    return [MessageNode(one, above[one], last[above[one]] == one) for one in order]


def _place_message(
    message: str,
    known: Mapping[str, ExistingMessage],
    parents: Mapping[str, str],
    above: dict[str, str],
    keys: dict[str, tuple[float, int, str]],
) -> None:
    """Find the parent of a message and its place in the order, after that of its parent."""
    way: list[str] = []
    at = message
    while at not in keys and at not in way:
        way.append(at)
        above[at] = _nearest_existing(at, known, parents)
        at = above[at]
        if not at:
            break
    else:
        if at in way:  # a cycle, which no valid program makes: cut it where it was entered
            above[way[-1]] = ""
    for one in reversed(way):
        time, depth, _ = keys.get(above[one], (known[one].created, -1, ""))
        keys[one] = (max(time, known[one].created), depth + 1, one)


def _nearest_existing(
    message: str, known: Mapping[str, ExistingMessage], parents: Mapping[str, str]
) -> str:
    """Return the nearest existing ancestor of this message; "" for the top."""
    seen = {message}
    at = parents.get(message, "")
    while at and at not in known and at not in seen:
        seen.add(at)
        at = parents.get(at, "")
    return at if at in known and at != message else ""
