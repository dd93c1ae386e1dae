"""Serves the memory in JSON lines, for measurements and other programs.

    {"op": "add", "id": …, "time": …, "speaker": …, "text": …}     no reply
    {"op": "flush"}                                                {"ok": true}
    {"op": "search", "text": …, "time": …, "k": …, "token_budget": …}   {"ids": […]}, best first
    {"op": "forget", "id": …}                                      {"ok": true}

Times are ISO 8601 without a zone; that of a search is its current time. An invalid line
gets {"error": …}, and the connection stays open.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from neodeskpet.core.errors import KnownError
from neodeskpet.core.json_text import read_json
from neodeskpet.core.model import Embedder
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem, QuestionVector
from neodeskpet.memory.vectors.vector_indexer import VectorIndexer

_CHUNK_BYTES = 1 << 16
_MAX_LINE_BYTES = 1 << 24
"""Most bytes of a line."""
_BATCH_ITEMS = 500
_MAX_COUNT = 1000
"""Items after which the index is optimized for searching."""
_SIDES = {"assistant": ItemSide.COMPANION, "document": ItemSide.DOCUMENT}


class BadLine(Exception):
    """A line is invalid; the text says why."""


async def serve(path: Path, source: BinaryIO, embedder: Embedder | None = None) -> int:
    """Answer the lines of `source` from the memory at `path` until the end; return the exit code.
    With an `embedder`, search uses meaning besides words. Raises StoreError if the memory can't be
    opened.
    """
    memory = await MemoryStore.open(path, required=True)
    service = _LineService(memory, embedder)
    rest: list[bytes] = []
    length = 0
    pieces: asyncio.Queue[bytes] = asyncio.Queue(1)
    _start_reader(source, pieces, asyncio.get_running_loop())
    try:
        if memory.fault is not None:
            _print_json({"error": str(memory.fault)})
        while piece := await pieces.get():
            first, *lines = piece.split(b"\n")
            rest.append(first)
            length += len(first)
            if length > _MAX_LINE_BYTES:
                rest = [b"".join(rest)[: _MAX_LINE_BYTES + 1]]  # it is refused at its end
                length = len(rest[0])
            if lines:
                for line in (b"".join(rest), *lines[:-1]):
                    await service.handle(line)
                rest, length = [lines[-1]], len(lines[-1])
        await service.handle(b"".join(rest))
        await service.flush()
    finally:
        await memory.aclose()
    return 0


def _start_reader(
    source: BinaryIO, pieces: asyncio.Queue[bytes], loop: asyncio.AbstractEventLoop
) -> None:
    """Read input into `pieces`, with an empty piece at the end. Uses a daemon thread, so that
    Ctrl+C doesn't wait for a line.
    """
    # A thread that blocks in the buffered reader would delay the process's end and make it fail.
    raw = getattr(source, "raw", source)

    def read() -> None:
        piece = b"x"
        with contextlib.suppress(RuntimeError, CancelledError):  # the loop was closed
            while piece:
                try:
                    piece = raw.read(_CHUNK_BYTES)
                except OSError:  # the terminal was closed
                    piece = b""
                asyncio.run_coroutine_threadsafe(pieces.put(piece), loop).result()

    threading.Thread(target=read, name="lines", daemon=True).start()


def _print_json(answer: Mapping[str, object]) -> None:
    """Print in ASCII, which is safe for any encoding of the reader."""
    print(json.dumps(answer), flush=True)


class _LineService:
    def __init__(self, memory: MemoryStore, embedder: Embedder | None) -> None:
        self._memory = memory
        self._embedder = embedder
        self._indexer: VectorIndexer | None = None
        if embedder is not None:
            self._indexer = VectorIndexer(memory.vectors, memory.texts(), lambda: embedder)
            memory.changed.subscribe(self._indexer.mark_changed)
        self._added: list[MemoryItem] = []
        self._since = 0

    async def handle(self, line: bytes) -> None:
        """Handle a line and print the answer."""
        if not line.strip():
            return
        try:
            answer = await self._do(_object(line))
        except (BadLine, KnownError) as error:
            answer = {"error": str(error)}
        if answer is not None:
            _print_json(answer)

    async def flush(self) -> None:
        added, self._added = self._added, []
        if added:
            await self._memory.add(added)
            self._since += len(added)
        if self._indexer is not None:
            await self._indexer.index_missing()

    async def _do(self, said: Mapping[str, object]) -> dict[str, object] | None:
        match said.get("op"):
            case "add":
                self._added.append(_item(said))
                if len(self._added) >= _BATCH_ITEMS:
                    await self.flush()
                return None
            case "flush":
                await self.flush()
                if self._since >= _MAX_COUNT:
                    self._since = 0
                    await self._memory.merge_index_segments()
                return {"ok": True}
            case "search":
                return {"ids": await self._search(said)}
            case "forget":
                await self.flush()
                await self._memory.delete([_text(said, "id")])
                return {"ok": True}
        raise BadLine(f"op must be add, flush, search or forget, not {said.get('op')!r}")

    async def _search(self, said: Mapping[str, object]) -> list[str]:
        text, now = _text(said, "text"), _time(said)
        count, budget = _number(said, "k"), _number(said, "token_budget")
        await self.flush()
        vector = await self._question_vector(text)
        if budget is None:
            few = 5 if count is None else count
            found = await self._memory.search(text, now, few, vector=vector)
            return [one.item.id for one in found]
        packed = await self._memory.search_within(text, now, count, budget, vector=vector)
        return [one.item.id for one in packed]

    async def _question_vector(self, text: str) -> QuestionVector | None:
        if self._embedder is None or not text.strip():
            return None
        made = await self._embedder.embed([text], query=True)
        return QuestionVector(made.model, made.rows[0])


def _object(line: bytes) -> Mapping[str, object]:
    if len(line) > _MAX_LINE_BYTES:
        raise BadLine(f"a line may have {_MAX_LINE_BYTES} bytes at most")
    try:
        said = read_json(line.decode("utf-8-sig"))  # some shells write a BOM before the first line
    except (ValueError, RecursionError) as error:
        raise BadLine(f"this is no JSON: {error}") from error
    if not isinstance(said, dict):
        raise BadLine("a line must be a JSON object")
    return said


def _item(said: Mapping[str, object]) -> MemoryItem:
    speaker = _text(said, "speaker")
    side = _SIDES.get(speaker, ItemSide.PERSON)
    return MemoryItem(_text(said, "id"), speaker, side, _time(said), _text(said, "text"))


def _text(said: Mapping[str, object], name: str) -> str:
    value = said.get(name)
    if not isinstance(value, str):
        raise BadLine(f"{name} must be a text")
    if name == "id" and not value:
        raise BadLine("id must not be empty")
    return value


def _time(said: Mapping[str, object]) -> datetime:
    try:
        return datetime.fromisoformat(_text(said, "time")).replace(tzinfo=None)
    except ValueError as error:
        raise BadLine(f"time: {error}") from error


def _number(said: Mapping[str, object], name: str) -> int | None:
    value = said.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadLine(f"{name} must be a number or null")
    if value < 0:
        raise BadLine(f"{name} must not be negative")
    return int(value)
