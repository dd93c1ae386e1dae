"""Rows of lists: a conversation, a message without its blocks, and its place among its versions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

LATEST_TIME = 253_402_300_799.0
"""The end of the year 9999 (unix seconds): no time or number of a stored entry is higher."""


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A row of the conversation list. Times are unix seconds. `folder` is the name of the folder it
    stands in, "" for none.
    """

    id: str
    title: str
    created: float
    updated: float
    pinned: bool = False
    archived: bool = False
    folder: str = ""


@dataclass(frozen=True, slots=True)
class MessageHead:
    """A message's place in a long conversation, without its blocks: enough to estimate a height.

    `chars` is the length of its shown text.
    """

    id: str
    role: str
    chars: int
    blocks: int = 1
    version: int = 1
    """Which of the `versions` that stand in its place it is, from 1 on."""
    versions: int = 1


@dataclass(frozen=True, slots=True)
class MessageNode:
    """A message's place in the tree of a conversation: the id it follows, "" at the beginning.
    `chosen`: of all that follow the same message it is the one that is shown when that one is.
    """

    id: str
    parent: str
    chosen: bool = True


@dataclass(frozen=True, slots=True)
class ShownPath:
    """What of a conversation is shown below the message `after` ("": all of it), in order.
    `changed` were shown before and aren't now, or the other way round.
    """

    after: str
    heads: Sequence[MessageHead]
    changed: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Deletion:
    """What was taken out, the first one first, and what has moved up into its place: enough to
    put it back. `shown` is the one of `moved` that was shown, "" for none.
    """

    nodes: Sequence[MessageNode]
    moved: Sequence[str] = ()
    shown: str = ""
