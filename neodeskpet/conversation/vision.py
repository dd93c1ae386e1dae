"""Loads the pictures of a request: the newest, up to the limits of a service.

Only the model layer reads them. Pictures beyond the limits are replaced by their description, or by
a note that they are missing.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Protocol

from neodeskpet.core.attachments import picture_text
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.transcript import ImagePart, ModelMessage, TextPart, UserTurn, render_pictures
from neodeskpet.core.wire import WireEvent

MAX_PICTURE_BYTES = 10_000_000
"""Bytes of all pictures in one request; base64 adds a third, and some services accept 20
MB in all.
"""
MAX_PICTURES = 20

_LEFT_OUT_TEXT = "(an earlier picture, no longer shown)"
_GONE_TEXT = "(the picture is gone)"


class PictureLookup(Protocol):
    """The store of the pictures of messages."""

    async def picture(self, digest: str) -> bytes | None:
        """Return the encoded picture, None if it was deleted."""
        ...


class ModelWithPictures:
    """`model`, with the pictures that its requests refer to."""

    def __init__(self, model: Model, pictures: PictureLookup) -> None:
        self._model = model
        self._pictures = pictures

    @property
    def label(self) -> str:
        return self._model.label

    def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        named = (m.parts for m in request.messages if isinstance(m, UserTurn))
        if not any(isinstance(part, ImagePart) for parts in named for part in parts):
            return self._model.stream(request)
        return self._show(request)

    async def _show(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        messages = await fill_pictures(request.messages, self._pictures)
        async with aclosing(self._model.stream(replace(request, messages=messages))) as events:
            async for event in events:
                yield event


async def fill_pictures(
    messages: Sequence[ModelMessage], pictures: PictureLookup
) -> list[ModelMessage]:
    """Return `messages` with the data of their pictures, the newest first within the limits."""
    out = list(messages)
    left, count = MAX_PICTURE_BYTES, MAX_PICTURES
    for place in range(len(out) - 1, -1, -1):
        turn = out[place]
        if not isinstance(turn, UserTurn):
            continue
        parts: list[TextPart | ImagePart] = []
        missing: dict[str, str] = {}
        for part in turn.parts:
            if not isinstance(part, ImagePart):
                parts.append(part)
                continue
            data = await pictures.picture(part.digest) if left > 0 and count > 0 else None
            if data and len(data) <= left:
                left, count = left - len(data), count - 1
                part = replace(part, data=data)
            else:
                gone = _GONE_TEXT if left > 0 and count > 0 and not data else _LEFT_OUT_TEXT
                missing[part.digest] = gone
            parts.append(part)
        out[place] = render_pictures(UserTurn(tuple(parts)), partial(_placeholder, missing))
    return out


def _placeholder(missing: Mapping[str, str], part: ImagePart) -> str | None:
    if part.data:
        return None
    return picture_text(part.description or missing[part.digest], quoted=part.quoted)
