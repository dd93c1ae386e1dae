"""The nearest of 100,000 vectors of 384 and of 1,024 numbers: the app's vector file, exact and with
its signs, compared with `sqlite-vec` (over apsw, since this Python's SQLite may load no
extensions).

The vectors are in clusters, as those of texts; `…_recall` is how many of the exact ten are found.
"""

from __future__ import annotations

import tempfile
import time
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from neodeskpet.memory.vectors.vector_file import MAX_EXACT_NUMBERS, VectorFile

COUNT, ASKED, FEW = 100_000, 40, 10
SIZES = (384, 1024)
_CLUSTERS, _PORTION = 500, 5000

Found = Sequence[str]


def measure(count: int = COUNT) -> dict[str, float]:
    """Milliseconds of this machine; nan where a library isn't installed."""
    figures: dict[str, float] = {"vectors": count}
    for size in SIZES:
        rows, questions = _sample(count, size)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "v.db"
            _fill(path, rows)
            exact, exact_times = _shelf(path, questions, count * size)
            signs, signs_times = _shelf(path, questions, MAX_EXACT_NUMBERS)
        other, other_times = _sqlite_vec(rows, questions)
        same = [len(set(a) & set(b)) / FEW for a, b in zip(exact, signs, strict=True)]
        figures |= {
            f"exact_{size}_p50_ms": _middle(exact_times),
            f"shelf_{size}_p50_ms": _middle(signs_times),
            f"shelf_{size}_p95_ms": sorted(signs_times)[int(len(signs_times) * 0.95)],
            f"shelf_{size}_recall": sum(same) / len(same),
            f"sqlite_vec_{size}_p50_ms": _middle(other_times),
            f"sqlite_vec_{size}_ratio": _middle(other_times) / _middle(signs_times),
        }
        if other:
            agreed = [len(set(a) & set(b)) / FEW for a, b in zip(exact, other, strict=True)]
            figures[f"sqlite_vec_{size}_recall"] = sum(agreed) / len(agreed)
    return figures


def _sample(count: int, size: int) -> tuple[Any, Any]:
    import numpy as np

    chance = np.random.default_rng(5)
    centres = chance.standard_normal((_CLUSTERS, size), np.float32)
    rows = chance.standard_normal((count + ASKED, size), np.float32)
    rows += centres[chance.integers(0, _CLUSTERS, count + ASKED)]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows[:count], rows[count:]


def _fill(path: Path, rows: Any) -> None:
    shelf = VectorFile(path)
    for start in range(0, len(rows), _PORTION):
        part = rows[start : start + _PORTION]
        names = [(str(start + at), "") for at in range(len(part))]
        shelf.update("m", names, [array("f", row.tobytes()) for row in part])
    shelf.close()


def _shelf(path: Path, questions: Any, exact: int) -> tuple[list[Found], list[float]]:
    shelf = VectorFile(path, exact=exact)

    def ask(question: Any) -> Found:
        near = shelf.nearest("m", question.tolist(), FEW)
        return [] if near is None else [one for one, _ in near.best]

    ask(questions[0])  # the file and the signs are read once
    found, times = _timed(ask, questions)
    shelf.close()
    return found, times


def _sqlite_vec(rows: Any, questions: Any) -> tuple[list[Found], list[float]]:
    try:
        import apsw
        import sqlite_vec
    except ImportError:
        return [], [float("nan")]
    connection = apsw.Connection(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.execute(f"CREATE VIRTUAL TABLE v USING vec0(e float[{rows.shape[1]}])")
    connection.execute("BEGIN")
    entries = ((at, row.tobytes()) for at, row in enumerate(rows))
    connection.executemany("INSERT INTO v (rowid, e) VALUES (?, ?)", entries)
    connection.execute("COMMIT")
    query = "SELECT rowid FROM v WHERE e MATCH ? AND k = ? ORDER BY distance"

    def ask(question: Any) -> Found:
        return [str(one) for (one,) in connection.execute(query, (question.tobytes(), FEW))]

    found, times = _timed(ask, questions)
    connection.close()
    return found, times


def _timed(ask: Callable[[Any], Found], questions: Any) -> tuple[list[Found], list[float]]:
    found, times = [], []
    for question in questions:
        begun = time.perf_counter()
        found.append(ask(question))
        times.append((time.perf_counter() - begun) * 1000)
    return found, times


def _middle(times: Sequence[float]) -> float:
    return sorted(times)[len(times) // 2]
