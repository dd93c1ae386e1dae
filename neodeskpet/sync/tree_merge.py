"""The tree of a conversation, of what several computers said of it. Pure: the same records make the
same tree everywhere, in whichever order they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from neodeskpet.core.blocks import MessageNode


@dataclass(frozen=True, slots=True)
class ExistingMessage:
    """A message that is there. `created`: unix seconds."""

    id: str
    created: float


def merge_tree(
    stones: Iterable[ExistingMessage],
    parents: Mapping[str, str],
    choices: Mapping[str, str],
    conversation: str,
) -> list[MessageNode]:
    """The messages in the order in which they count as said, each after what it follows.

    `parents` tells what each follows, also of messages that are gone: what followed one of these
    follows what that one followed. `choices`: which is shown of those that follow a message (of
    those at the top: that follow `conversation`); where that one is gone, or nothing was chosen,
    it is the last.
    """
    known = {stone.id: stone for stone in stones}
    above: dict[str, str] = {}
    keys: dict[str, tuple[float, int, str]] = {}
    for stone in sorted(known.values(), key=lambda one: (one.created, one.id)):
        _place_message(stone.id, known, parents, above, keys)
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
    """Find what it follows, and its place in the order, once that of what it follows is known."""
    way: list[str] = []
    at = message
    while at not in keys and at not in way:
        way.append(at)
        above[at] = _nearest_existing(at, known, parents)
        at = above[at]
        if not at:
            break
    else:
        if at in way:  # a circle, which no computer makes: cut where it was entered
            above[way[-1]] = ""
    for one in reversed(way):
        time, depth, _ = keys.get(above[one], (known[one].created, -1, ""))
        keys[one] = (max(time, known[one].created), depth + 1, one)


def _nearest_existing(
    message: str, known: Mapping[str, ExistingMessage], parents: Mapping[str, str]
) -> str:
    """The nearest that is there of what this message follows; "" for the top."""
    seen = {message}
    at = parents.get(message, "")
    while at and at not in known and at not in seen:
        seen.add(at)
        at = parents.get(at, "")
    return at if at in known and at != message else ""
