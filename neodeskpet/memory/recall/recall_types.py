"""What the memory keeps and what it gives back: the values, and nothing that searches."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

VECTOR_TIMEOUT = 0.012


class ItemSide(StrEnum):
    """Whose words they are: what the person or the companion said, what a tool brought, or a
    document of the person's knowledge.
    """

    PERSON = "person"
    COMPANION = "companion"
    TOOL = "tool"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """Something worth finding again, word for word. `id` is unique; `speaker` is "user",
    "assistant", a name, a tool's name or a document's source. `time` is what the clock on the wall
    showed, without a zone. `message` and `conversation` are where it stands, "" if nowhere.
    `corrected`: the text is what the person says now, not what stands there. `untrusted`: it was
    written while untrusted text was being read, or was imported. `corrected_elsewhere`: the
    correction came from the sync server without encryption, so it is untrusted too.
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
    """An item that answers a question. `text` is what of it is told (a long one is cut down to what
    matters); `relevance` is 0 to 1.
    """

    item: MemoryItem
    text: str
    relevance: float


@dataclass(slots=True)
class QuestionVector:
    """What a question means, as `model` tells it. `late`: it couldn't be used in time."""

    model: str
    vector: array[float]
    late: bool = False


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """What is asked, and when by the clock on the wall. The messages of the ids `visible` are not
    recalled: they are being read anyway. `said` and `knowledge` tell which kinds are wanted;
    `budget` is in tokens. `among`, if there is one, tells of a conversation whether what was said
    there may be recalled; it is asked on another thread. `vector` is what the text means, where
    that is known; how near that is to what there is is waited for `patience` seconds, once the
    words are looked up.
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
