"""The child process that reads archives: `python -m
neodeskpet.conversation.import_chats.archive_child SECONDS`.

A frame (`child_process.serve_frames`) is a request in JSON:

- `{"open": PATH}` → `{}`, or `{"refused": WHY}`

- `{"survey": true}` → `{"found": [...], "skipped": [...], "unknown": {...}, "done": 0..1, "ended":
bool}`: what was found since the last such request, within a short time

- `{"fetch": [IDS]}` → `{}`: start again, with these conversations only

- `{"next": true}` → `{"pieces": [...], "done", "ended"}`: a piece is a conversation without its
messages (`head`), or some of the messages (`rows`) and pictures of the last one

Answers are small, so that reading one doesn't block the caller.
"""

from __future__ import annotations

import base64
import json
import logging
import sys
import time
import zipfile
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from neodeskpet.conversation.import_chats.archive_file import (
    Archive,
    ArchiveRefused,
    FoundItem,
    SkippedItem,
    fill_pointers,
)
from neodeskpet.conversation.import_chats.format_helpers import POINTER, to_json
from neodeskpet.conversation.import_chats.thread_builder import ImportedThread
from neodeskpet.core.errors import KnownError
from neodeskpet.platform.child_process import serve_frames
from neodeskpet.storage.image_resize import fit_picture

_STEP_SECONDS = 0.25  # seconds
_MAX_ANSWER_BYTES = 400_000
"""Characters; one message may be longer."""
_MAX_MEMORY = 1_600_000_000
_MAX_PICTURE_MEMORY = 200_000_000


def main(arguments: Sequence[str]) -> int:
    """Answer requests until standard input ends. Returns the exit code."""
    logging.disable()
    return serve_frames(ArchiveSession().answer, float(arguments[0]), _MAX_MEMORY)


class ArchiveSession:
    """The state of reading between two requests."""

    def __init__(self) -> None:
        self._archive: Archive | None = None
        self._left: Iterator[FoundItem | None] = iter(())
        self._wanted: set[str] = set()
        self._once: set[str] = set()
        """The conversations that occur once in the archive, as far as it was surveyed."""
        self._twice: set[str] = set()
        self._pieces: deque[dict[str, Any]] = deque()

    def answer(self, frame: bytes) -> bytes:
        asked = json.loads(frame)
        try:
            reply = self._answer(asked)
        except ArchiveRefused as refused:
            reply = {"refused": refused.args[0]}
        except OSError as error:
            reply = {"refused": "unreadable", "detail": str(error)}
        except MemoryError:
            reply = {"refused": "large"}
        except Exception as error:  # noqa: BLE001 - whatever a library stumbles over
            why = "broken" if isinstance(error, zipfile.BadZipFile | ValueError) else "unknown"
            reply = {"refused": why, "detail": f"{type(error).__name__}: {error}"[:200]}
        return json.dumps(reply).encode()

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        if "open" in asked:
            self._archive = Archive(Path(asked["open"]))
            self._left = self._archive.conversations()
            return {}
        if self._archive is None:
            raise ArchiveRefused("broken")
        if "fetch" in asked:
            self._wanted = set(asked["fetch"])
            self._left = self._archive.conversations()
            return {}
        return self._survey(self._archive) if "survey" in asked else self._next(self._archive)

    def _survey(self, archive: Archive) -> dict[str, Any]:
        until = time.monotonic() + _STEP_SECONDS
        found: list[dict[str, Any]] = []
        skipped: list[dict[str, Any]] = []
        ended, size = True, 0
        for one in self._left:
            if isinstance(one, SkippedItem):
                skipped.append({"what": one.item, "why": one.reason})
            elif one is not None:
                found.append(_summary(one))
                self._count(one.id)
                size += len(one.rows)
            if time.monotonic() > until or size > 5_000:
                ended = False
                break
        unknown = dict(archive.unknown_kinds.most_common(20))
        done = {"done": archive.progress, "ended": ended, "unknown": unknown}
        return {"found": found, "skipped": skipped, **done}

    def _count(self, conversation: str) -> None:
        if conversation in self._once:
            self._once.remove(conversation)
            self._twice.add(conversation)
        elif conversation not in self._twice:
            self._once.add(conversation)

    def _next(self, archive: Archive) -> dict[str, Any]:
        until = time.monotonic() + _STEP_SECONDS
        ended = not self._wanted
        while not self._pieces and not ended and time.monotonic() < until:
            ended = not self._step(archive)
        pieces: list[dict[str, Any]] = []
        size = 0
        while self._pieces and size < _MAX_ANSWER_BYTES:
            pieces.append(self._pieces.popleft())
            size += pieces[-1].get("size", 200)
        return {"pieces": pieces, "done": archive.progress, "ended": ended and not self._pieces}

    def _step(self, archive: Archive) -> bool:
        """Read the next item. Returns whether there was one that may be wanted."""
        try:
            one = next(self._left)
        except StopIteration:
            return False
        if isinstance(one, ImportedThread) and one.id in self._wanted:
            self._cut(archive, one)
            if one.id in self._once:
                self._wanted.remove(one.id)
        return bool(self._wanted)

    def _cut(self, archive: Archive, thread: ImportedThread) -> None:
        pictures: dict[str, dict[str, Any]] = {}
        fill_pointers(thread, lambda block: _fill_block(archive, block, pictures))
        head = {name: getattr(thread, name) for name in thread.__slots__ if name != "rows"}
        self._pieces.append({"head": head | {"count": len(thread.rows)}})
        rows: list[dict[str, Any]] = []
        size = 0
        for row in thread.rows:
            rows.append(row)
            size += len(to_json(row))
            if size > _MAX_ANSWER_BYTES:
                self._pieces.append({"rows": rows, "size": size})
                rows, size = [], 0
        self._pieces.append({"rows": rows, "size": size})
        for one in pictures.values():
            self._pieces.append({"picture": one, "size": len(one["data"])})
        self._pieces.append({"whole": True})


def _fill_block(
    archive: Archive, block: dict[str, Any], pictures: dict[str, dict[str, Any]]
) -> None:
    """Fill in the file that a block names: the picture, or the text."""
    pointer = block.pop(POINTER)
    if block["kind"] != "image":
        block["text"] = block["text"] or archive.text(pointer)
        return
    found = archive.file(pointer)
    if found is None:
        return
    try:
        fitted = fit_picture(found[1], block["name"] or found[0], memory=_MAX_PICTURE_MEMORY)
    except (KnownError, MemoryError):
        return
    block |= {"digest": fitted.digest, "media_type": fitted.media_type}
    pictures[fitted.digest] = {
        "digest": fitted.digest,
        "media_type": fitted.media_type,
        "data": base64.b64encode(fitted.data).decode(),
    }


def _summary(thread: ImportedThread) -> dict[str, Any]:
    return {
        "id": thread.id,
        "title": thread.title,
        "first": thread.created,
        "last": thread.updated,
        "ids": [row["id"][:13] for row in thread.rows],
        "folder": thread.folder,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
