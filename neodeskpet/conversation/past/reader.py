"""The archive's reader as the app sees it: a process of its own that is asked step by step."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neodeskpet.children import Answering
from neodeskpet.core.errors import KnownError
from neodeskpet.core.picture import Picture
from neodeskpet.core.records import Node
from neodeskpet.core.wording import N_
from neodeskpet.memory.importing import Imported, read_message
from neodeskpet.memory.past.rows import Past

SECONDS = 60.0
"""What one step may take; it is meant to take a quarter of a second."""

REASONS: Mapping[str, str] = {
    "unreadable": N_("Check that the file is still there and that you may read it."),
    "foreign": N_(
        "There are no conversations in it. Those of ChatGPT, Claude, DeepSeek, Open WebUI, "
        "SillyTavern, LobeChat, Cherry Studio, Claude Code and Codex can be imported."
    ),
    "inner_archive": N_("It is an archive inside the archive: unpack it and import it alone."),
    "encrypted": N_("It is encrypted: unpack it, and take the file conversations.json."),
    "bomb": N_("It unpacks to far more than it is."),
    "large": N_("It is too large."),
    "broken": N_("It is damaged, or it isn't what its name says."),
    "slow": N_("Reading it took too long or too much memory."),
    "unknown": N_("It is damaged, or it isn't what its name says."),
    "item_large": N_("too long, or nested too deep"),
    "item_broken": N_("damaged"),
    "item_foreign": N_("no conversation"),
    "item_empty": N_("nothing was said in it"),
    "item_lines": N_("damaged lines"),
}
"""Why a file, or something in it, can't be read."""


class PastRefused(KnownError):
    """`reason` says why, in words of ours."""

    code = "past"
    what = N_("“{name}” can't be brought in.")
    hint = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A conversation of the archive. `marks` are those of its messages (`memory.past.rows.mark`).
    Times are unix seconds.
    """

    id: str
    title: str
    first: float
    last: float
    marks: tuple[str, ...]
    folder: str


@dataclass(frozen=True, slots=True)
class Omitted:
    """What couldn't be read; `why` is one of REASONS."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Step:
    """What a step found. `done` is the share of the archive, 0..1. `unknown` counts, over all so
    far, kinds of content that nobody here knows; what is text in them was taken.
    """

    done: float
    ended: bool
    found: Sequence[Summary] = ()
    omitted: Sequence[Omitted] = ()
    unknown: Mapping[str, int] | None = None


class PastReader:
    """All but `stop` are for a thread, one at a time, and raise PastRefused."""

    def __init__(self, path: Path, *, seconds: float = SECONDS) -> None:
        self.path = path
        self._child = Answering("past", seconds)
        self._drafts: list[_Draft] = []

    def open(self) -> None:
        self._ask({"open": str(self.path.absolute())})

    def survey(self) -> Step:
        """What there is, from the beginning on; again until it has ended."""
        told = self._ask({"survey": True})
        return Step(
            told["done"],
            told["ended"],
            [_summary(one) for one in told["found"]],
            [Omitted(str(one["what"]), str(one["why"])) for one in told["skipped"]],
            {str(kind): int(count) for kind, count in told["unknown"].items()},
        )

    def fetch(self, ids: Sequence[str]) -> None:
        """From now on `read` gives these."""
        self._drafts.clear()
        self._ask({"fetch": list(ids)})

    def read(self) -> tuple[Step, list[Past]]:
        """Those that have become whole; again until it has ended."""
        told = self._ask({"next": True})
        return Step(told["done"], told["ended"]), list(self._made(told["pieces"]))

    def stop(self) -> None:
        """From any thread: what is asked now is refused."""
        self._child.stop()

    def close(self) -> None:
        self._child.end()

    def _ask(self, question: Mapping[str, object]) -> dict[str, Any]:
        answer = self._child.ask(json.dumps(question).encode())
        told: dict[str, Any] = {"refused": "slow"} if answer is None else json.loads(answer)
        if "refused" in told:
            reason = REASONS.get(told["refused"], REASONS["broken"])
            raise PastRefused(told.get("detail", ""), name=self.path.name, reason=reason)
        return told

    def _made(self, pieces: Sequence[Mapping[str, Any]]) -> Iterator[Past]:
        for piece in pieces:
            if "head" in piece:
                self._drafts = [_Draft(piece["head"], [], [])]
            elif "rows" in piece:
                self._drafts[0].rows.extend(piece["rows"])
            elif "picture" in piece:
                self._drafts[0].pictures.append(_picture(piece["picture"]))
            else:
                yield self._drafts.pop().made()


@dataclass(frozen=True, slots=True)
class _Draft:
    head: Mapping[str, Any]
    rows: list[Mapping[str, Any]]
    pictures: list[Picture]

    def made(self) -> Past:
        messages = [read_message(row, row["id"]) for row in self.rows]
        nodes = [Node(row["id"], row["parent"], row["chosen"]) for row in self.rows]
        head = self.head
        kept = {name: head[name] for name in ("folder", "pinned", "archived")}
        found = Imported(head["title"], messages, nodes, self.pictures, **kept)
        return Past(head["id"], found, head["created"], head["updated"], head["current"])


def _summary(one: Mapping[str, Any]) -> Summary:
    return Summary(
        one["id"], one["title"], one["first"], one["last"], tuple(one["ids"]), one["folder"]
    )


def _picture(one: Mapping[str, Any]) -> Picture:
    return Picture(one["digest"], base64.b64decode(one["data"]), one["media_type"])
