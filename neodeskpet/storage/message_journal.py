"""Writes one assistant message as it grows.

Events arrive on the turn's loop and are only recorded there. Edges (a block begins, changes or
ends, the turn ends) are written at once; new text is gathered and written `GATHER_SECONDS` after
its first piece, as a new segment, so that the cost of a write depends on the new text only. What
can't be written is kept and tried again; the turn continues.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import IntEnum
from typing import assert_never

from neodeskpet.core.blocks import Block, MessageState, ToolStatus, ToolUse, Usage
from neodeskpet.core.errors import StoreError
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    ModelChosen,
    RoundStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
    UsageChanged,
)
from neodeskpet.core.wire import (
    CueReached,
    DescriptionAnnounced,
    LoadingAnnounced,
    PictureDescribed,
    RetryAnnounced,
    WaitAnnounced,
)
from neodeskpet.storage.database import Database, durable_transaction, transaction
from neodeskpet.storage.database_schema import to_column
from neodeskpet.storage.message_rows import encode_block, encode_usage, shown_chars

# A kill loses at most this and the time of one small write: together under 250 ms.
GATHER_SECONDS = 0.2
RETRY_SECONDS = 5.0

Execute = Callable[..., sqlite3.Cursor]
Report = Callable[["MessageJournal", StoreError | None], None]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _TextGrowth:
    """New text, thinking or arguments of one block, in pieces that are joined when written."""

    index: int
    pieces: list[str]


@dataclass(frozen=True, slots=True)
class _TurnColumns:
    """Values of the turn as a whole; None leaves a column unchanged."""

    state: MessageState | None = None
    ended: float | None = None
    rounds: int | None = None
    usage: Usage | None = None
    model: str | None = None
    resumed: float | None = None  # when it was continued


_JournalEntry = _TextGrowth | Block | BlocksRemoved | _TurnColumns


class _Urgency(IntEnum):
    """When an entry has to be written."""

    NEVER = 0
    LATER = 1
    NOW = 2


class MessageJournal:
    """A listener for one message. `on_turn_event` never blocks and never raises."""

    def __init__(
        self,
        database: Database,
        message_id: str,
        writer: str,
        clock: Callable[[], float],
        report: Report,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        """`report` is called with each failure, and with None when writing works again; `ended` is
        called when the end of the turn is written. Both are mostly called on the worker thread.
        """
        self._database = database
        self._message_id = message_id
        self._writer = writer
        self._clock = clock
        self._report = report
        self._ended = ended
        self._lock = threading.Lock()
        self._entries: list[_JournalEntry] = []
        self._due = _Urgency.NEVER  # requested from the worker and not started yet
        self._failed = False
        self._retrying = False
        self._over = False  # the turn has ended; not reported yet

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        """Record what `event` changes; events of other messages are ignored."""
        if message_id != self._message_id:
            return
        with self._lock:
            due = self._note(event)
            if due <= self._due:
                return
            self._due = due
        self._ask(self._write, GATHER_SECONDS if due is _Urgency.LATER else 0.0)

    def _note(self, event: TurnEvent) -> _Urgency:
        match event:
            case TextAppended(index=index, text=text) | ArgumentsAppended(index=index, json=text):
                self._grow(index, text)
                return _Urgency.LATER
            case BlockChanged(block=block):
                return self._change(block)
            case BlockStarted(block=block) | BlockEnded(block=block):
                self._entries.append(block)
            case BlocksRemoved():
                self._entries.append(event)
            case TurnStarted() | RoundStarted() | UsageChanged() | ModelChosen() | TurnEnded():
                self._entries.append(_turn_columns(event))
                self._over = isinstance(event, TurnEnded)
            case RetryAnnounced() | DescriptionAnnounced() | LoadingAnnounced() | WaitAnnounced():
                return _Urgency.NEVER
            case CueReached() | PictureDescribed():
                return _Urgency.NEVER
            case _:
                assert_never(event)
        return _Urgency.NOW

    def _grow(self, index: int, text: str) -> None:
        last = self._entries[-1] if self._entries else None
        if isinstance(last, _TextGrowth) and last.index == index:
            last.pieces.append(text)
        else:
            self._entries.append(_TextGrowth(index, [text]))

    def _change(self, block: Block) -> _Urgency:
        """Add a changed block. A running tool may report progress a hundred times a second, so that
        is gathered too.
        """
        if not isinstance(block, ToolUse):
            self._entries.append(block)
            return _Urgency.NOW
        last = self._entries[-1] if self._entries else None
        if isinstance(last, ToolUse) and last.index == block.index:
            self._entries.pop()
        self._entries.append(block)
        in_progress = block.status is ToolStatus.RUNNING and block.progress is not None
        return _Urgency.LATER if in_progress else _Urgency.NOW

    def _ask(self, work: Callable[[sqlite3.Connection], None], delay: float) -> None:
        self._database.post(work, delay).add_done_callback(self._settle)

    # On the worker thread

    def _write(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            entries, self._entries = self._entries, []
            self._due = _Urgency.NEVER
        if not entries:
            return
        over = any(isinstance(one, _TurnColumns) and one.ended is not None for one in entries)
        try:
            with durable_transaction(connection) if over else transaction(connection):
                _RowWriter(connection, self._message_id, self._writer, self._clock()).write(entries)
        except sqlite3.Error:
            with self._lock:
                self._entries = entries + self._entries
            raise

    def _write_again(self, connection: sqlite3.Connection) -> None:
        self._retrying = False
        self._write(connection)

    def _settle(self, done: Future[None]) -> None:
        error = done.exception()
        if error is None:
            with self._lock:
                over = self._failed and not self._entries
                self._failed = self._failed and not over
                ended = self._over and not self._entries
                self._over = self._over and not ended
            if over:
                self._report(self, None)
            if ended:
                self._ended()
            return
        if not isinstance(error, StoreError):
            _log.error("The journal of %s failed", self._message_id, exc_info=error)
            error = StoreError(repr(error))
        self._failed = True
        self._report(self, error)
        if not self._retrying:
            self._retrying = True
            self._ask(self._write_again, RETRY_SECONDS)


def _turn_columns(
    event: TurnStarted | RoundStarted | UsageChanged | ModelChosen | TurnEnded,
) -> _TurnColumns:
    match event:
        case TurnStarted(resumed=resumed, at=at):
            return _TurnColumns(state=MessageState.RUNNING, resumed=at if resumed else None)
        case RoundStarted(round=number):
            return _TurnColumns(rounds=number + 1)
        case UsageChanged(usage=usage):
            return _TurnColumns(usage=usage)
        case ModelChosen(label=label):
            return _TurnColumns(model=label)
        case TurnEnded(state=state, at=at):
            return _TurnColumns(state=state, ended=at)
        case _:
            assert_never(event)


def _latest_entries(entries: Sequence[_JournalEntry]) -> list[_JournalEntry]:
    """Drop entries that a later entry replaces: parallel calls change often."""
    kept: list[_JournalEntry] = []
    whole: set[int] = set()  # blocks that a later entry writes completely
    for entry in reversed(entries):
        if isinstance(entry, BlocksRemoved | _TurnColumns):
            kept.append(entry)
            continue
        if entry.index in whole:
            continue
        if not isinstance(entry, _TextGrowth):
            whole.add(entry.index)
        kept.append(entry)
    return kept[::-1]


class _RowWriter:
    """Writes entries to the rows of one message, inside a transaction."""

    def __init__(
        self, connection: sqlite3.Connection, message_id: str, writer: str, now: float
    ) -> None:
        self._run = connection.execute
        self._message_id = message_id
        self._writer = writer
        self._now = now
        self._number = 0

    def write(self, entries: list[_JournalEntry]) -> None:
        """Write the entries; nothing if the message was deleted meanwhile."""
        row = self._run("SELECT number FROM messages WHERE id = ?", (self._message_id,)).fetchone()
        if row is None:
            return
        self._number = row[0]
        for entry in _latest_entries(entries):
            self._write_entry(entry)
        update_head(self._run, self._number, self._now)

    def _write_entry(self, entry: _JournalEntry) -> None:
        match entry:
            case _TextGrowth(index=index, pieces=pieces):
                self._append(index, "".join(pieces))
            case BlocksRemoved(start=start):
                self._run(
                    "DELETE FROM blocks WHERE message = ? AND position >= ?", (self._number, start)
                )
            case _TurnColumns():
                self._close(entry)
            case _:
                write_block(self._run, self._number, entry)

    def _append(self, index: int, text: str) -> None:
        self._run(
            "INSERT INTO segments (message, position, text) "
            "SELECT message, position, ? FROM blocks WHERE message = ? AND position = ?",
            (to_column(text), self._number, index),
        )
        self._run(
            "UPDATE blocks SET chars = chars + ? "
            "WHERE message = ? AND position = ? AND kind = 'text'",
            (len(text), self._number, index),
        )

    def _close(self, entry: _TurnColumns) -> None:
        if entry.resumed is not None:
            self._run(
                "UPDATE messages SET paused = paused + max(0, ? - coalesce(ended, touched)) "
                "WHERE number = ?",
                (entry.resumed, self._number),
            )
        if entry.state is not None:
            writer = self._writer if entry.state is MessageState.RUNNING else None
            self._run(
                "UPDATE messages SET state = ?, writer = ?, ended = ? WHERE number = ?",
                (entry.state, writer, entry.ended, self._number),
            )
        if entry.ended is not None:
            self._run(
                "UPDATE conversations SET updated = ? "
                "WHERE id = (SELECT conversation FROM messages WHERE number = ?)",
                (entry.ended, self._number),
            )
        if entry.rounds is not None:
            self._run(
                "UPDATE messages SET rounds = ? WHERE number = ?", (entry.rounds, self._number)
            )
        if entry.usage is not None:
            self._run(
                "UPDATE messages SET usage = ? WHERE number = ?",
                (encode_usage(entry.usage), self._number),
            )
        if entry.model is not None:
            self._run("UPDATE messages SET model = ? WHERE number = ?", (entry.model, self._number))


def write_block(run: Execute, message: int, block: Block) -> None:
    """Write a whole block; it replaces the block's row and segments."""
    kind, fields, body = encode_block(block)
    key = (message, block.index)
    run("DELETE FROM segments WHERE message = ? AND position = ?", key)
    run(
        "INSERT INTO blocks (message, position, kind, chars, fields, body) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (message, position) DO UPDATE SET "
        "kind = excluded.kind, chars = excluded.chars, "
        "fields = excluded.fields, body = excluded.body",
        (*key, kind, shown_chars(block), fields, body),
    )


def update_head(run: Execute, message: int, now: float) -> None:
    """Update the columns for the list of heads, and the time of the last write."""
    run(
        "UPDATE messages SET touched = ?2, "
        "chars = (SELECT coalesce(sum(chars), 0) FROM blocks WHERE message = ?1), "
        "blocks = (SELECT count(*) FROM blocks WHERE message = ?1) WHERE number = ?1",
        (message, now),
    )
