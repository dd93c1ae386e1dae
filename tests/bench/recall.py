"""How much of a set of questions with known answers is recalled: `./run bench recall --set FILE …`.

A set is JSON lines, a file a memory. First what was said, in order of time, then what is asked:

    {"id": "D1:3", "time": "2023-05-08T13:56:30", "speaker": "Caroline", "text": "…"}
    {"question": "…", "time": "2023-10-23T10:00:00", "evidence": ["D1:3"], "category": "2"}

`speaker` is a name, "user" or "assistant"; `evidence` are the ids that answer, or what stands
before the colon in them: then whole sessions are searched; `category` may be left out. It is
asked through `neodeskpet memory serve`, as any program would. Nobody's set lies in
this repository: most may not be passed on.

Questions are cut into two halves by their words: "even" is to be looked at when something is to be
improved, "odd" tells whether it was. Beside them stands plain FTS5 over the same terms, any of
them, by its own rank. `--misses` prints those of the even half alone. `--meaning` finds by meaning,
too, with vectors made on this computer (extra `meaning`).
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from neodeskpet.memory.recall.text_terms import terms_of

COUNT, BUDGET = 5, 1200
"""The number of searched items, and of tokens if tokens are limited."""
_IN_SESSIONS = 50
"""The number of searched items if sessions are counted."""
_MANY = 1000


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    time: str
    evidence: frozenset[str]
    category: str = ""

    @property
    def half(self) -> str:
        return "odd" if zlib.crc32(self.text.encode()) % 2 else "even"


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, and the returned ids: the best few, and all that fit into the tokens."""

    question: Question
    best: Sequence[str]
    fitting: Sequence[str]

    def met(self) -> tuple[float, float, float]:
        """Each 0 or 1, or a share: some evidence among the best; how much of it; some of it among
        what fits.
        """
        wanted = self.question.evidence
        among = wanted.intersection(self.best)
        return bool(among), len(among) / len(wanted), bool(wanted.intersection(self.fitting))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run bench recall")
    parser.add_argument("--set", nargs="+", required=True, type=Path, metavar="FILE")
    parser.add_argument("--misses", action="store_true", help="of the even half")
    parser.add_argument("--meaning", action="store_true", help="also by vectors made here")
    words = parser.parse_args(arguments)
    report(words.set, words.misses, words.meaning)
    return 0


def report(paths: Sequence[Path], misses: bool = False, meaning: bool = False) -> None:
    """Print the shares of each file, its halves and categories, and of all together."""
    everything = []
    for path in paths:
        said, questions = read_set(path)
        answers = ask(said, questions, meaning)
        everything += answers
        _print(path.stem, answers)
        _print_shares("plain FTS5", ask_plainly(said, questions), columns=2)
        if misses:
            _print_misses(answers, {one["id"]: one["text"] for one in said})
    if len(paths) > 1:
        _print("all", everything)


def read_set(path: Path) -> tuple[list[dict[str, str]], list[Question]]:
    said, questions = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        if "question" in told:
            evidence = frozenset(told["evidence"])
            category = str(told.get("category", ""))
            questions.append(Question(told["question"], told["time"], evidence, category))
        else:
            said.append(told)
    return said, [one for one in questions if one.evidence]


def ask(
    said: Sequence[Mapping[str, str]], questions: Sequence[Question], meaning: bool = False
) -> list[Answered]:
    """Ask each question of a memory that contains all messages."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _served(Path(folder), meaning) as (lines, answers),
    ):

        def put(told: Mapping[str, object]) -> None:
            lines.write(json.dumps(told) + "\n")

        def found(question: Question, count: int, budget: int | None) -> list[str]:
            search = {"op": "search", "text": question.text, "time": question.time}
            put({**search, "k": count, "token_budget": budget})
            lines.flush()
            answer = json.loads(answers.readline())
            return [str(one) for one in answer["ids"]]

        def answered(question: Question) -> Answered:
            fitting = found(question, _MANY, BUDGET)
            if not question.evidence.isdisjoint(ids):
                return Answered(question, found(question, COUNT, None), fitting)
            best = _sessions(found(question, _IN_SESSIONS, None))
            return Answered(question, best[:COUNT], _sessions(fitting))

        for one in said:
            put({"op": "add", **one})
        put({"op": "flush"})
        lines.flush()
        answers.readline()
        ids = {one["id"] for one in said}
        return [answered(one) for one in questions]


def ask_plainly(said: Sequence[Mapping[str, str]], questions: Sequence[Question]) -> list[Answered]:
    """Ask FTS5 without any knowledge of questions; it has no limit of tokens."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (id UNINDEXED, x)")
    rows = [(one["id"], " ".join(terms_of(one["text"]))) for one in said]
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    ids = {one["id"] for one in said}

    def found(question: Question) -> list[str]:
        words = " OR ".join(f'"{term}"' for term in terms_of(question.text))
        query = "SELECT id FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?"
        rows = connection.execute(query, (words or '""', _IN_SESSIONS)).fetchall()
        best = [str(one) for (one,) in rows]
        return best if question.evidence & ids else _sessions(best)

    answers = [Answered(one, found(one)[:COUNT], ()) for one in questions]
    connection.close()
    return answers


def _sessions(ids: Sequence[str]) -> list[str]:
    """The part before the colon of each, in their order, once."""
    return list(dict.fromkeys(one.partition(":")[0] for one in ids))


@contextmanager
def _served(folder: Path, meaning: bool) -> Iterator[tuple[IO[str], IO[str]]]:
    """A memory of its own in `folder`; yields where lines are written, and answers come."""
    serve = [sys.executable, "-m", "neodeskpet", "memory", "serve", "--data-dir", str(folder)]
    serve += ["--meaning"] if meaning else []
    with subprocess.Popen(
        serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        yield process.stdin, process.stdout
        process.stdin.close()


def _print(name: str, answers: Sequence[Answered]) -> None:
    groups: dict[str, list[Answered]] = defaultdict(list)
    groups["all"] = list(answers)
    for one in answers:
        groups[one.question.half].append(one)
        if one.question.category:
            groups[f"category {one.question.category}"].append(one)
    print(f"{name}: questions, % with evidence among {COUNT}, % of evidence, % in {BUDGET} tokens")
    for group, among in sorted(groups.items()):
        _print_shares(group, among)


def _print_shares(group: str, among: Sequence[Answered], columns: int = 3) -> None:
    shares = [100 * sum(one) / len(among) for one in zip(*(a.met() for a in among), strict=True)]
    told = "".join(f"{share:7.1f}" for share in shares[:columns])
    print(f"  {group:24} {len(among):4}{told}")


def _print_misses(answers: Sequence[Answered], texts: Mapping[str, str]) -> None:
    for one in answers:
        if one.question.half == "even" and not one.met()[0]:
            print(f"  ? {one.question.text}")
            for sign, ids in (("+", sorted(one.question.evidence)), ("-", one.best)):
                for each in ids:
                    print(f"      {sign} {each}: {texts.get(each, '')[:150]}")
