"""The value types of the memory, without search code."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

VECTOR_TIMEOUT = 0.012


class ItemSide(StrEnum):
    """The origin of a text: the user, the companion, a tool, or a document of the
    knowledge base.
    """

    PERSON = "person"
    COMPANION = "companion"
    TOOL = "tool"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """A remembered text, literally. `id` is unique; `speaker` is "user", "assistant", a name, the
    name of a tool or the source of a document. `time` is local clock time without a zone. `message`
    and `conversation` are its place, "" for none. `corrected`: the text is the user's correction,
    not the original. `untrusted`: it was written while untrusted text was being read, or was
    imported. `corrected_elsewhere`: the correction came unencrypted from the sync server, so it is
    untrusted too.
    """

    id: str
    speaker: str
    side: ItemSide
    time: datetime
    text: str
    message: str = ""
    conversation: str = ""
    pinned: bool = False
    corrected: bool = False
    untrusted: bool = False
    corrected_elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class RecalledItem:
    """An item that answers a question. `text` is the part for the context (a long one is shortened
    to the relevant sentences); `relevance` is 0 to 1.
    """

    item: MemoryItem
    text: str
    relevance: float


@dataclass(slots=True)
class QuestionVector:
    """The vector of a question, made by `model`. `late`: it couldn't be used in time."""

    model: str
    vector: array[float]
    late: bool = False


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """A question, with its local clock time. Messages with ids in `visible` are not recalled,
    because they are in the context anyway. `messages` and `documents` select the kinds; `budget` is
    in tokens. `is_allowed_conversation`, if given, returns whether the texts of a conversation may
    be recalled; it is called on another thread. `vector` is the vector of the text, if known; after
    the word lookup the search waits `timeout` seconds for the similarities.
    """

    text: str
    now: datetime
    budget: int
    visible: frozenset[str] = frozenset()
    messages: bool = True
    documents: bool = True
    is_allowed_conversation: Callable[[str], bool] | None = None
    vector: QuestionVector | None = None
    timeout: float = VECTOR_TIMEOUT
