"""What computers tell each other: records, each with its latest value. Pure.

A record is the last word on one thing. Of two the later one stands (by stamp, then by the name of
the computer), and what was deleted for good stays so, whatever was said of it elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

REGISTERS = ("title", "pinned", "archived", "folder")
"""What a conversation has beside its times."""
KEPT = ("place", "choice")
BY_HAND = ("pin", "correction")
KINDS = ("conversation", *REGISTERS, "message", *KEPT, "fact", "read", *BY_HAND)
"""`place`: what a message follows; `choice`: which of those that follow the same one is shown, by
the id of what they follow, or of the conversation; `fact`: one about the person; `read`: no fact is
made of this message any more; `pin` and `correction`: what the person did by hand with an item of
the memory, whose id begins with that of its message.
"""


@dataclass(frozen=True, slots=True)
class Version:
    """When (a hybrid logical clock, about unix microseconds) and where something was last said."""

    stamp: int
    device: str
    gone: bool = False

    def beats(self, other: Version) -> bool:
        """Whether this stands where both were said."""
        if self.gone != other.gone:
            return self.gone
        return (self.stamp, self.device) > (other.stamp, other.device)


@dataclass(frozen=True, slots=True)
class Record:
    """`value` is JSON as bytes, so that any text can be held; empty for what is gone. `pictures`:
    the digests that it names.
    """

    kind: str
    id: str
    conversation: str
    version: Version
    value: bytes = b""
    pictures: frozenset[str] = frozenset()
