"""A picture on its way into a message, and what stands for one in text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

MOST_ATTACHMENTS = 8
"""Pictures and files that one message takes."""


DOCUMENT_MEDIA_TYPE = "application/x-neodeskpet-document"
"""The type of what was read of a file. On its way into a message it goes where pictures go."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded picture within the limits (`llm.fitting` makes it so). `digest` names it by its
    content: sha256, hex. `name` is the file's, "" if it has none. `quoted`: it is from an earlier
    message that is replied to.
    """

    digest: str
    data: bytes = field(repr=False)
    media_type: str
    name: str = ""
    quoted: bool = False


def name_by_content(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def picture_text(description: str, *, quoted: bool = False) -> str:
    """What a model that can't see reads in the place of a picture."""
    return f"[{'回复图片' if quoted else '图片'}:{' '.join(description.split())}]"
