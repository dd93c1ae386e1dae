"""What computers exchange: records, each the latest value of one thing. Pure.

Of two versions the later one wins (by stamp, then by the id of the computer). A permanent deletion
wins over every change.
"""

from __future__ import annotations

from dataclasses import dataclass

CONVERSATION_FIELDS = ("title", "pinned", "archived", "folder", "character")
"""The fields of a conversation besides its times."""
STORED_KINDS = ("place", "choice")
USER_EDIT_KINDS = ("pin", "correction")
CLEARED_KIND = "cleared"
NOTEBOOK_KINDS = ("note", "todo", "appointment")
APART_KIND = "apart"
CARD_KINDS = ("card", "portrait", "persona")
RECORD_KINDS = (
    *("conversation", *CONVERSATION_FIELDS, "message", *STORED_KINDS),
    *("fact", "read", *USER_EDIT_KINDS, CLEARED_KIND),
    *NOTEBOOK_KINDS,
    *(APART_KIND, *CARD_KINDS),
)
"""`place`: the parent of a message; `choice`: which of several versions is shown, by the id of
their parent, or of the conversation; `fact`: one about the person; `read`: no fact is made of this
message any more; `pin` and `correction`: edits of a memory item by the person, whose id begins with
that of its message; `cleared`: until when the person cleared the memory; `character`: who speaks
in a conversation; `apart`: whether a character has a memory of its own; `card`, `portrait`: a
character; `persona`: that of a figure.
"""


@dataclass(frozen=True, slots=True)
class RecordVersion:
    """When (a hybrid logical clock, about unix microseconds) and where it was last changed."""

    stamp: int
    device: str
    deleted: bool = False

    def is_newer_than(self, other: RecordVersion) -> bool:
        """Whether this wins over `other`."""
        if self.deleted != other.deleted:
            return self.deleted
        return (self.stamp, self.device) > (other.stamp, other.device)


@dataclass(frozen=True, slots=True)
class SyncRecord:
    """`value` is JSON as bytes, which can hold any text; it is empty for a deletion. `pictures`:
    the digests of the pictures in it.
    """

    kind: str
    id: str
    conversation: str
    version: RecordVersion
    value: bytes = b""
    pictures: frozenset[str] = frozenset()
