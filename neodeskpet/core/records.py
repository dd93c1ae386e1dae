"""Rows of lists: a conversation, and a message without its blocks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A row of the conversation list. Times are unix seconds."""

    id: str
    title: str
    created: float
    updated: float
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class MessageHead:
    """A message's place in a long conversation, without its blocks: enough to estimate a height.

    `chars` is the length of its shown text.
    """

    id: str
    role: str
    chars: int
    blocks: int = 1
