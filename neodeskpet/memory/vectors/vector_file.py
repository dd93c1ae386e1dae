"""Vectors in two files: a list of texts with their row numbers, and the rows as a memory-mapped
array. Used by one thread. Each model has its own scale of cosines; `NearestTexts` makes them
comparable.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from neodeskpet.platform.private_files import make_private

_CROWD_SIZE = 20


@dataclass(frozen=True, slots=True)
class NearestTexts:
    """`best` are the ids of the nearest texts with their cosines, best first; `median` is the
    median of all cosines, `top` the highest.
    """

    best: tuple[tuple[str, float], ...]
    median: float
    top: float

    def relative(self, cosine: float) -> float:
        """Return the nearness relative to the nearest text: 0 to 1."""
        return _share_of(cosine - self.median, self.top - self.median)

    def absolute(self, cosine: float) -> float:
        """Return the absolute nearness: 0 to 1."""
        return _share_of(cosine - self.median, 1.0 - self.median)

    def distinct(self, cosine: float) -> float:
        """Return how distinct it is from other near texts: 0 to 1. With texts in two languages, all
        texts in the language of the question are near.
        """
        crowd = self.best[_CROWD_SIZE - 1][1] if len(self.best) >= _CROWD_SIZE else self.median
        return _share_of(cosine - crowd, 1.0 - crowd)


def _share_of(much: float, whole: float) -> float:
    return min(max(much / whole, 0.0), 1.0) if whole > 1e-6 else 0.0


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Words = NDArray[np.uint64]

TextEntry = tuple[str, str]
"""The id of a text, and a mark that changes with the text."""

MAX_EXACT_NUMBERS = 8_000_000
"""Numbers to multiply in one search; beyond that, candidates are selected by the signs first."""
CANDIDATE_ROWS = 2000
"""Rows selected by the signs."""
_GROWTH_ROWS = 1024  # rows
_SAMPLE_ROWS = 1024  # rows for the median
_BATCH_ROWS = 8192  # rows whose signs are computed at once
_BATCH = 500

_TABLES = """
    CREATE TABLE IF NOT EXISTS model (
        one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, size INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS entries (
        place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, mark TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS free (place INTEGER PRIMARY KEY);
"""
_log = logging.getLogger(__name__)


class VectorFile:
    """`path` is the file of the list, created with the first vectors; the rows are in a file beside
    it. None keeps everything in memory. Methods raise sqlite3.Error and OSError.
    """

    def __init__(self, path: Path | None, *, exact: int = MAX_EXACT_NUMBERS) -> None:
        self._path = path
        self._exact = exact
        self._connection: sqlite3.Connection | None = None
        self._name, self._size = "", 0
        self._rows: Floats | None = None
        self._signs: _SignBits | None = None

    @property
    def exists(self) -> bool:
        """Whether it may have content."""
        return self._connection is not None or (self._path is not None and self._path.exists())

    def close(self) -> None:
        self._drop_rows()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # Entries

    def list_marks(self, model: str | None) -> dict[str, str]:
        """Return the marks of the texts with vectors of `model` (None: of any), by id."""
        if not self.exists:
            return {}
        run = self._open().execute
        if model not in (None, self._name):
            return {}
        return dict(run("SELECT id, mark FROM entries").fetchall())

    def size(self) -> int:
        """Return how many texts have vectors."""
        if not self.exists:
            return 0
        return int(self._open().execute("SELECT count(*) FROM entries").fetchone()[0])

    def vector_length(self, model: str) -> int:
        """Return the length of a vector of `model`; 0 if there is none."""
        if not self.exists:
            return 0
        self._read_model(self._open())
        return self._size if model == self._name else 0

    def get(self, model: str, ids: Sequence[str]) -> dict[str, array[float]]:
        """Return the vectors of `model` for these ids, without missing ones."""
        known = self._read_rows(self._open(), ids) if self.vector_length(model) else {}
        if not known:
            return {}
        held = self._map_rows(max(known.values()) + 1)
        return {one: array("f", held[place].tolist()) for one, place in known.items()}

    def update(
        self, model: str, entries: Sequence[TextEntry], vectors: Sequence[array[float]]
    ) -> None:
        """Store vectors of `model`, replacing those with the same ids. Vectors of another model are
        deleted, because they can't be compared.
        """
        import numpy as np

        if not entries:
            return
        rows = np.array(vectors, np.float32)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        connection = self._open()
        with _transaction(connection):
            self._read_model(connection)
            if (model, rows.shape[1]) != (self._name, self._size):
                self._reset_for_model(connection, model, rows.shape[1])
            places = self._allocate_rows(connection, [one for one, _ in entries])
            held = self._map_rows(max(places) + 1)
            held[places] = rows
            self._flush()
            connection.executemany(
                "INSERT OR REPLACE INTO entries (place, id, mark) VALUES (?, ?, ?)",
                [(place, *entry) for place, entry in zip(places, entries, strict=True)],
            )
        self._update_signs(places)

    def delete(self, ids: Sequence[str]) -> None:
        """Erase these vectors completely."""
        if not self.exists:
            return
        connection = self._open()
        with _transaction(connection):
            self._read_model(connection)
            places = list(self._read_rows(connection, ids).values())
            if not places:
                return
            self._map_rows(max(places) + 1)[places] = 0.0
            self._flush()
            one = [(place,) for place in places]
            connection.executemany("DELETE FROM entries WHERE place = ?", one)
            connection.executemany("INSERT OR IGNORE INTO free VALUES (?)", one)

    def clear(self) -> None:
        """Erase everything."""
        if not self.exists:
            return
        connection = self._open()
        with _transaction(connection):
            self._reset_for_model(connection, "", 0)

    def delete_files(self) -> None:
        """Remove the files."""
        self.close()
        if self._path is not None:
            for ending in ("", "-journal"):
                self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
            self._rows_path(self._path).unlink(missing_ok=True)

    # Searching

    def nearest(self, model: str, vector: Sequence[float], count: int) -> NearestTexts | None:
        """Return the `count` texts nearest to `vector`; None if there are none of `model`."""
        import numpy as np

        question = self._normalized_question(model, vector)
        if question is None:
            return None
        connection = self._open()
        (last,) = connection.execute("SELECT max(place) FROM entries").fetchone()
        if last is None:
            return None
        rows = self._map_rows(last + 1)[: last + 1]
        chosen = self._candidate_rows(rows, question)
        cosines = rows @ question if chosen is None else rows[chosen] @ question
        few = min(count, len(cosines))
        best = np.argpartition(cosines, len(cosines) - few)[-few:]
        best = best[np.argsort(-cosines[best])]
        places = (best if chosen is None else chosen[best]).tolist()
        names = self._names(connection, places)
        found = [
            (names.get(place, ""), float(cosines[at]))
            for place, at in zip(places, best, strict=True)
        ]
        found = [one for one in found if one[0]]
        if not found:
            return None
        sample = rows[:: max(1, len(rows) // _SAMPLE_ROWS)] @ question
        return NearestTexts(tuple(found), float(np.median(sample)), found[0][1])

    def cosines(self, model: str, vector: Sequence[float], ids: Sequence[str]) -> dict[str, float]:
        """Return the cosines of these texts by id, without those that have no vector."""
        question = self._normalized_question(model, vector)
        if question is None or not ids:
            return {}
        known = self._read_rows(self._open(), ids)
        if not known:
            return {}
        places = list(known.values())
        cosines = self._map_rows(max(places) + 1)[places] @ question
        return dict(zip(known, cosines.tolist(), strict=True))

    # Internal: the list

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            if self._path is not None:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                make_private(self._path)
                make_private(self._rows_path(self._path))
            connection = sqlite3.connect(
                self._path or ":memory:", isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute("PRAGMA journal_mode = TRUNCATE")
                connection.execute("PRAGMA secure_delete = ON")
                connection.executescript(_TABLES)
                self._read_model(connection)
                self._check(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _read_model(self, connection: sqlite3.Connection) -> None:
        """Read the current model: another process may have started again with another one."""
        row = connection.execute("SELECT name, size FROM model").fetchone() or ("", 0)
        if row != (self._name, self._size):
            self._drop_rows()
            self._name, self._size = str(row[0]), int(row[1])

    def _check(self, connection: sqlite3.Connection) -> None:
        """Repair after a crash: remove entries without a row, and overwrite rows without
        an entry.
        """
        if not self._size:
            return
        held = self._row_capacity()
        with _transaction(connection):
            connection.execute("DELETE FROM entries WHERE place >= ?", (held,))
            connection.execute("DELETE FROM free WHERE place >= ?", (held,))
            (last,) = connection.execute("SELECT coalesce(max(place), -1) FROM entries").fetchone()
            (free,) = connection.execute("SELECT coalesce(max(place), -1) FROM free").fetchone()
        used = max(last, free) + 1
        if held > used:
            rest = self._map_rows(held)[used:]
            if rest.any():
                rest[:] = 0.0
                self._flush()

    def _reset_for_model(self, connection: sqlite3.Connection, model: str, size: int) -> None:
        self._drop_rows()
        if self._path is not None:
            os.truncate(self._rows_path(self._path), 0)
        connection.execute("DELETE FROM entries")
        connection.execute("DELETE FROM free")
        connection.execute("INSERT OR REPLACE INTO model VALUES (1, ?, ?)", (model, size))
        self._name, self._size = model, size

    def _allocate_rows(self, connection: sqlite3.Connection, ids: Sequence[str]) -> list[int]:
        """Return a row for each id: its own, a free one, or a new one."""
        known = self._read_rows(connection, ids)
        new = len(ids) - len(known)
        rows = connection.execute("SELECT place FROM free LIMIT ?", (new,)).fetchall()
        free = [place for (place,) in rows]
        connection.executemany("DELETE FROM free WHERE place = ?", [(place,) for place in free])
        (last,) = connection.execute(
            "SELECT max(coalesce((SELECT max(place) FROM entries), -1), "
            "coalesce((SELECT max(place) FROM free), -1), ?)",
            (max(free, default=-1),),
        ).fetchone()
        more = iter([*free, *range(last + 1, last + 1 + new)])
        return [known[one] if one in known else next(more) for one in ids]

    def _read_rows(self, connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for start in range(0, len(ids), _BATCH):
            batch = ids[start : start + _BATCH]
            marks = ", ".join("?" * len(batch))
            query = f"SELECT id, place FROM entries WHERE id IN ({marks})"
            found.update(connection.execute(query, batch).fetchall())
        return found

    def _names(self, connection: sqlite3.Connection, places: Sequence[int]) -> dict[int, str]:
        marks = ", ".join("?" * len(places))
        query = f"SELECT place, id FROM entries WHERE place IN ({marks})"
        return dict(connection.execute(query, places).fetchall())

    # Internal: the rows

    @staticmethod
    def _rows_path(path: Path) -> Path:
        return path.with_suffix(".f32")

    def _row_capacity(self) -> int:
        """Return the number of rows that fit."""
        if self._path is None:
            return 0 if self._rows is None else len(self._rows)
        try:
            return self._rows_path(self._path).stat().st_size // (4 * self._size)
        except FileNotFoundError:
            return 0

    def _map_rows(self, count: int) -> Floats:
        """Return the mapped rows, at least `count`."""
        import numpy as np

        if self._rows is not None and len(self._rows) >= count:
            return self._rows
        old, held = self._rows, self._row_capacity()
        self._rows = None
        room = max(held, -(-count // _GROWTH_ROWS) * _GROWTH_ROWS)
        if self._path is None:
            rows = np.zeros((room, self._size), np.float32)
            if old is not None:
                rows[: len(old)] = old
            self._rows = rows
        else:
            path = self._rows_path(self._path)
            if room > held:
                make_private(path)
                os.truncate(path, room * self._size * 4)
            self._rows = np.memmap(path, np.dtype("<f4"), "r+", shape=(room, self._size))
        return self._rows

    def _flush(self) -> None:
        flush = getattr(self._rows, "flush", None)
        if flush is not None:
            flush()

    def _drop_rows(self) -> None:
        self._rows = self._signs = None

    def _normalized_question(self, model: str, vector: Sequence[float]) -> Floats | None:
        import numpy as np

        if not self.exists:
            return None
        self._read_model(self._open())
        if (model, len(vector)) != (self._name, self._size):
            return None
        question = np.array(vector, np.float32)
        length = float(np.linalg.norm(question))
        return question / length if length > 0 else None

    def _candidate_rows(self, rows: Floats, question: Floats) -> NDArray[np.int64] | None:
        """Return the rows with the best matching signs; None for all."""
        import numpy as np

        if rows.size <= self._exact or len(rows) <= CANDIDATE_ROWS:
            return None
        if self._signs is None:
            self._signs = _SignBits(rows)
        other = self._signs.differences(rows, question)
        chosen = np.argpartition(other, CANDIDATE_ROWS)[:CANDIDATE_ROWS]
        chosen.sort()
        return chosen

    def _update_signs(self, places: Sequence[int]) -> None:
        """Update the known signs of changed rows."""
        if self._signs is not None and self._rows is not None:
            self._signs.change(self._rows, places)


class _SignBits:
    """One bit for each number of each row: whether it is above the mean of that number, in words of
    eight bytes. Rows that agree in most bits are near each other.
    """

    def __init__(self, rows: Floats) -> None:
        import numpy as np

        self._mean = rows[:: max(1, len(rows) // _BATCH_ROWS)].mean(axis=0, dtype=np.float32)
        self._words: Words | None = None

    def differences(self, rows: Floats, question: Floats) -> NDArray[np.uint16]:
        """Return in how many bits each row differs."""
        import numpy as np

        parts = [] if self._words is None else [self._words]
        known = 0 if self._words is None else len(self._words)
        starts = range(known, len(rows), _BATCH_ROWS)
        parts += [self._of(rows[start : start + _BATCH_ROWS]) for start in starts]
        words = self._words = parts[0] if len(parts) == 1 else np.concatenate(parts)
        asked = self._of(question[None, :])
        bits: NDArray[np.uint8] = np.bitwise_count(words[: len(rows)] ^ asked)
        found: NDArray[np.uint16] = np.add.reduce(bits, axis=1, dtype=np.uint16)
        return found

    def change(self, rows: Floats, places: Sequence[int]) -> None:
        known = [] if self._words is None else [one for one in places if one < len(self._words)]
        if self._words is not None and known:
            self._words[known] = self._of(rows[known])

    def _of(self, rows: Floats) -> Words:
        import numpy as np

        bits = np.packbits(rows > self._mean, axis=1)
        rest = -bits.shape[1] % 8
        padded = np.pad(bits, ((0, 0), (0, rest))) if rest else bits
        return np.ascontiguousarray(padded).view(np.uint64)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run a transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
