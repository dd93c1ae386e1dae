"""The archive reader of the app: it sends requests to the child process step by step."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neodeskpet.core.attachments import Picture
from neodeskpet.core.blocks import MessageNode
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.platform.child_process import FrameWorker
from neodeskpet.storage.chat_export_reader import ImportedConversation, read_message
from neodeskpet.storage.chat_imports import ForeignConversation

STEP_TIMEOUT = 60.0
"""The limit of one step in seconds; it should take 0.25."""

REFUSAL_REASONS: Mapping[str, str] = {
    "unreadable": N_("Check that the file is still there and that you may read it."),
    "foreign": N_(
        "There are no conversations in it. Those of ChatGPT, Claude, DeepSeek, Open WebUI, "
        "SillyTavern, LobeChat, Cherry Studio, Claude Code and Codex can be imported."
    ),
    "inner_archive": N_("It is an archive inside the archive: unpack it and import it alone."),
    "encrypted": N_("It is encrypted: unpack it, and take the file conversations.json."),
    "bomb": N_("It unpacks to far more data than allowed."),
    "large": N_("It is too large."),
    "broken": N_("It is damaged, or its type doesn't match its name."),
    "slow": N_("Reading it took too long or too much memory."),
    "unknown": N_("It is damaged, or its type doesn't match its name."),
    "item_large": N_("too long, or nested too deep"),
    "item_broken": N_("damaged"),
    "item_foreign": N_("no conversation"),
    "item_empty": N_("nothing was said in it"),
    "item_lines": N_("damaged lines"),
}
"""Reasons why a file, or an item in it, can't be read."""


class ArchiveUnreadable(KnownError):
    """`reason` is one of our texts."""

    code = "past"
    what = N_("“{name}” can't be brought in.")
    hint = ""


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A conversation of the archive. `message_marks` identify its messages
    (`storage.chat_imports.mark`). Times are unix seconds.
    """

    id: str
    title: str
    first: float
    last: float
    message_marks: tuple[str, ...]
    folder: str


@dataclass(frozen=True, slots=True)
class SkippedEntry:
    """An item that couldn't be read; `why` is a key of REFUSAL_REASONS."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReadStep:
    """The result of a step. `done` is the share of the archive, 0..1. `unknown` counts all unknown
    kinds of content so far; their text was imported.
    """

    progress: float
    ended: bool
    found: Sequence[ConversationSummary] = ()
    skipped: Sequence[SkippedEntry] = ()
    unknown: Mapping[str, int] | None = None


class ArchiveReader:
    """The reader. All methods except `stop` block: call them from one thread. They raise
    ArchiveUnreadable.
    """

    def __init__(self, path: Path, *, seconds: float = STEP_TIMEOUT) -> None:
        self.path = path
        self._child = FrameWorker("past", seconds)
        self._drafts: list[_ConversationDraft] = []

    def open(self) -> None:
        self._ask({"open": str(self.path.absolute())})

    def survey(self) -> ReadStep:
        """Survey the archive from the beginning; call it again until it has ended."""
        reply = self._ask({"survey": True})
        return ReadStep(
            reply["done"],
            reply["ended"],
            [_to_summary(one) for one in reply["found"]],
            [SkippedEntry(str(one["what"]), str(one["why"])) for one in reply["skipped"]],
            {str(kind): int(count) for kind, count in reply["unknown"].items()},
        )

    def fetch(self, ids: Sequence[str]) -> None:
        """Select the conversations that `read` returns."""
        self._drafts.clear()
        self._ask({"fetch": list(ids)})

    def read(self) -> tuple[ReadStep, list[ForeignConversation]]:
        """Return the conversations that are complete; call it again until it has ended."""
        reply = self._ask({"next": True})
        return ReadStep(reply["done"], reply["ended"]), list(self._made(reply["pieces"]))

    def stop(self) -> None:
        """Stop the reader, from any thread; a running request fails."""
        self._child.stop()

    def close(self) -> None:
        self._child.close()

    def _ask(self, question: Mapping[str, object]) -> dict[str, Any]:
        answer = self._child.ask(json.dumps(question).encode())
        reply: dict[str, Any] = {"refused": "slow"} if answer is None else json.loads(answer)
        if "refused" in reply:
            reason = REFUSAL_REASONS.get(reply["refused"], REFUSAL_REASONS["broken"])
            raise ArchiveUnreadable(reply.get("detail", ""), name=self.path.name, reason=reason)
        return reply

    def _made(self, pieces: Sequence[Mapping[str, Any]]) -> Iterator[ForeignConversation]:
        for piece in pieces:
            if "head" in piece:
                self._drafts = [_ConversationDraft(piece["head"], [], [])]
            elif "rows" in piece:
                self._drafts[0].rows.extend(piece["rows"])
            elif "picture" in piece:
                self._drafts[0].pictures.append(_to_picture(piece["picture"]))
            else:
                yield self._drafts.pop().build()


@dataclass(frozen=True, slots=True)
class _ConversationDraft:
    header: Mapping[str, Any]
    rows: list[Mapping[str, Any]]
    pictures: list[Picture]

    def build(self) -> ForeignConversation:
        messages = [read_message(row, row["id"]) for row in self.rows]
        nodes = [MessageNode(row["id"], row["parent"], row["chosen"]) for row in self.rows]
        head = self.header
        kept = {name: head[name] for name in ("folder", "pinned", "archived")}
        found = ImportedConversation(head["title"], messages, nodes, self.pictures, **kept)
        return ForeignConversation(
            head["id"], found, head["created"], head["updated"], head["current"]
        )


def _to_summary(one: Mapping[str, Any]) -> ConversationSummary:
    return ConversationSummary(
        one["id"], one["title"], one["first"], one["last"], tuple(one["ids"]), one["folder"]
    )


def _to_picture(one: Mapping[str, Any]) -> Picture:
    return Picture(one["digest"], base64.b64decode(one["data"]), one["media_type"])
