"""The child process that reads files for the knowledge base and computes their terms: `python -m
neodeskpet.memory.knowledge.knowledge_child SECONDS`.

The terms of a book take seconds, which would block the windows. A request is `{"path", "name",
"time", "key", "forgotten", "longest", "language", "encoding"}`; the answer has the number of
passages, or the reason for a refusal. `{"from": n}` then returns the passages from the n-th on, a
few at a time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path, PurePath

from neodeskpet.core.json_text import repair_surrogates
from neodeskpet.documents.reader_child import read_file
from neodeskpet.documents.reader_types import ReaderRefusal, ReadOptions
from neodeskpet.memory.knowledge.passage_splitter import Passage, split_passages
from neodeskpet.memory.recall.text_terms import date_terms, is_single_character, terms_of
from neodeskpet.platform.child_process import serve_frames

BATCH_PASSAGES = 40
"""Passages in one answer."""
_CODE_SUFFIX_LIST = """
    .py .pyi .js .mjs .cjs .jsx .ts .tsx .java .c .h .cc .cpp .cxx .hh .hpp .hxx .cs .go .rs .rb
    .php .swift .kt .kts .scala .lua .pl .pm .sh .bash .zsh .fish .ps1 .sql .r .m .mm .dart .ex
    .exs .erl .hs .ml .clj .groovy .vue .svelte .zig .nim .jl .v .sv .vhd .asm .s .cmake .gradle
    .yaml .yml .toml .ini .cfg .conf .json .jsonl .xml .css .scss .less .tf .proto .graphql
    .properties .env .dockerfile .mk
"""
_CODE_SUFFIXES = frozenset(_CODE_SUFFIX_LIST.split())


def main(arguments: Sequence[str]) -> int:
    """Answer until standard input ends; return the exit code."""
    logging.disable()
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.nice(10)
    return serve_frames(_FileReading().answer, float(arguments[0]))


class _FileReading:
    """The most recently requested file."""

    def __init__(self) -> None:
        self._passages: list[Passage] = []
        self._name = ""
        self._time = datetime.min

    def answer(self, frame: bytes) -> bytes:
        try:
            reply = self._answer(json.loads(frame))
        except ReaderRefusal as refusal:
            reply = {"refused": refusal.args[0]}
        except MemoryError:
            reply = {"refused": "slow"}
        except RecursionError:
            reply = {"refused": "broken"}
        except Exception as error:  # noqa: BLE001 - whatever a library stumbles over, it is refused
            reply = {"refused": "broken", "detail": f"{type(error).__name__}: {error}"[:200]}
        return json.dumps(repair_surrogates(reply)).encode()

    def _answer(self, asked: Mapping[str, object]) -> dict[str, object]:
        start = asked.get("from")
        if isinstance(start, int):
            batch = self._passages[start : start + BATCH_PASSAGES]
            return {"passages": [self._passage_row(one) for one in batch]}
        path = Path(str(asked["path"]))
        self._passages = []
        self._name = str(asked["name"])
        self._time = datetime.fromisoformat(str(asked["time"]))
        forgotten = frozenset(asked.get("forgotten") or ())  # type: ignore[call-overload]
        longest = int(str(asked["longest"]))
        language, encoding = str(asked["language"]), str(asked["encoding"])
        options = ReadOptions(longest, marked=True, language=language, encoding=encoding)
        found = read_file(path, options)
        text = remove_forgotten_lines(found.text, str(asked["key"]), forgotten)
        code = path.suffix.lower() in _CODE_SUFFIXES
        self._passages = split_passages(text, code=code, paged=bool(found.pages))
        return {
            "count": len(self._passages),
            "pages": found.pages,
            "cut": found.cut or found.pages_read < found.pages,
            "omitted": [asdict(one) for one in found.omitted],
            "encoding": found.encoding,
        }

    def _passage_row(self, one: Passage) -> list[object]:
        about = terms_of(f"{PurePath(self._name).stem} {one.heading}")
        terms = [*about, *terms_of(one.text), *date_terms(one.text, self._time)]
        length = sum(not is_single_character(term) for term in terms)
        return [one.text, one.start, one.line, one.page, one.heading, " ".join(terms), length]


def line_digest(key: str, line: str) -> str:
    """Return the digest that identifies a forgotten line of the file `key` without storing its
    text.
    """
    said = " ".join(line.split())
    return hashlib.sha256(f"{key}\n{said}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def remove_forgotten_lines(text: str, key: str, forgotten: Collection[str]) -> str:
    """Return `text` without the lines that the user deleted."""
    if not forgotten:
        return text
    kept = (
        line
        for line in text.splitlines(keepends=True)
        if not line.strip() or line_digest(key, line) not in forgotten
    )
    return "".join(kept)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
