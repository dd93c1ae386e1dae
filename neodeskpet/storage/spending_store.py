"""Stores tokens and cost of every request to a model; SQLite computes the sums.

Only numbers, a model's name and a conversation's id are stored, no text: so the records are kept
when the conversation is deleted.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime

from neodeskpet.core.costs import CostGroup, CostSum, MonthlyCosts, RequestCost, month_after
from neodeskpet.platform.observers import Observers
from neodeskpet.storage.database import Database
from neodeskpet.storage.database_schema import from_column, to_column

_log = logging.getLogger(__name__)

_SUM_COLUMNS = (
    "count(*), sum(input), sum(output), sum(cached), sum(seconds), count(cost), "
    "coalesce(sum(cost), 0), CASE WHEN cost IS NULL THEN '' ELSE currency END AS paid_in"
)
_DAY = "date(at, 'unixepoch', 'localtime')"


class SpendingStore:
    """The stored costs. Use it on the loop; all coroutines raise only StoreError."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._changed: Observers[[str]] = Observers()

    def subscribe(self, observer: Callable[[str], object]) -> Callable[[], None]:
        """Call `observer` on the loop with the conversation that had costs ("" for none); returns a
        function that unsubscribes it.
        """
        return self._changed.subscribe(observer)

    def add(self, spent: RequestCost) -> None:
        """Store a cost. Returns at once and never raises, because an answer must not fail for its
        accounting.
        """
        row = (
            self._clock(),
            spent.conversation,
            spent.purpose,
            to_column(spent.model),
            spent.input_tokens,
            spent.output_tokens,
            spent.cached_tokens,
            spent.seconds,
            spent.cost,
            spent.currency,
        )

        def put(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO spending (at, conversation, purpose, model, input, output, cached, "
                "seconds, cost, currency) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )

        def done(future: Future[None]) -> None:
            if (error := future.exception()) is not None:
                _log.warning("The cost of a request could not be stored: %s", error)
            elif not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._changed.notify, spent.conversation)

        self._database.post(put).add_done_callback(done)

    async def get_month(self, year: int, month: int) -> MonthlyCosts:
        """Return all costs of a month (in this computer's time)."""
        span = _month_span(year, month)
        return await self._database.read(lambda db: _read_month(db, span), index=True)

    async def get_conversation(self, conversation_id: str) -> CostSum:
        """Return all that was spent for a conversation, including replaced and deleted answers."""

        def look(connection: sqlite3.Connection) -> CostSum:
            found = _sums_by(connection, "conversation", "conversation = ?", (conversation_id,))
            return found[conversation_id] if found else CostSum()

        return await self._database.read(look)

    async def get_cost(self, year: int, month: int, currency: str) -> float:
        """Return the known cost of that month in this currency."""

        def look(connection: sqlite3.Connection) -> float:
            query = (
                "SELECT coalesce(sum(cost), 0) FROM spending "
                "WHERE at >= ? AND at < ? AND upper(currency) = upper(?)"
            )
            (cost,) = connection.execute(query, (*_month_span(year, month), currency)).fetchone()
            return float(cost)

        return await self._database.read(look)


def _month_span(year: int, month: int) -> tuple[float, float]:
    """Return the first moment of the month and of the next one."""
    begin, end = datetime(year, month, 1), datetime(*month_after(year, month), 1)
    return begin.timestamp(), end.timestamp()


def _read_month(connection: sqlite3.Connection, span: tuple[float, float]) -> MonthlyCosts:
    where = "at >= ? AND at < ?"
    days = _sums_by(connection, _DAY, where, span)
    models = _sums_by(connection, "model", where, span)
    talks = _sums_by(connection, "conversation", f"{where} AND conversation != ''", span)
    rest = _sums_by(connection, "purpose", f"{where} AND conversation = ''", span)
    titles = {
        one: from_column(title)
        for one, title in connection.execute(
            "SELECT id, title FROM conversations WHERE discarded IS NULL AND id IN "
            f"(SELECT conversation FROM spending WHERE {where})",
            span,
        )
    }
    parts = [CostGroup(key, total, titles.get(key)) for key, total in talks.items()]
    parts += [CostGroup("", total, purpose=purpose) for purpose, total in rest.items()]
    return MonthlyCosts(
        [CostGroup(day, total) for day, total in sorted(days.items())],
        _sorted_by_cost([CostGroup(from_column(name), total) for name, total in models.items()]),
        _sorted_by_cost(parts),
    )


def _sorted_by_cost(parts: list[CostGroup]) -> list[CostGroup]:
    return sorted(parts, key=lambda part: (-part.sum.tokens, part.key, part.purpose))


def _sums_by(
    connection: sqlite3.Connection, key: str, where: str, values: tuple[object, ...]
) -> dict[str, CostSum]:
    """Return the sums by `key`, one row for each currency."""
    query = (
        f"SELECT {key} AS part, {_SUM_COLUMNS} FROM spending WHERE {where} GROUP BY part, paid_in"
    )
    found: dict[str, CostSum] = {}
    for part, count, sent, said, cached, seconds, priced, cost, currency in connection.execute(
        query, values
    ):
        costs = {str(currency): float(cost)} if priced else {}
        one = CostSum(count, sent, said, cached, float(seconds), priced, costs)
        found[part] = found.get(part, CostSum()) + one
    return found
