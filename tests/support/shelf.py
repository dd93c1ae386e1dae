"""A sync server in memory, with the same rules as PostgreSQL: for many runs in little time.

`test_by_hand.py` runs the same lives on both.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from neodeskpet.memory.shared.cipher import plain
from neodeskpet.memory.shared.record import BY_HAND, Record, Version
from neodeskpet.memory.shared.server import Fetched, Position

Key = tuple[str, str]
Backup = tuple[dict[Key, Record], dict[Key, int], list[str]]


class Shelf:
    """What `Exchange` asks of a `Server`. `backup` and `restore` are what an administrator does.
    `trusted`: nobody but the person can write to it.
    """

    id = "shelf"
    number = 1

    def __init__(self, *, trusted: bool = True) -> None:
        self._trusted = trusted
        self.records: dict[Key, Record] = {}
        self._numbers: dict[Key, int] = {}
        self._tokens: list[str] = []
        self._pushes = itertools.count()
        self.seal = plain

    def close(self) -> None:
        """Nothing is open."""

    def push(self, records: Sequence[Record], pictures: Mapping[str, bytes]) -> str:
        for one in records:
            known = self.records.get((one.kind, one.id))
            home = known.conversation if known is not None and not one.conversation else ""
            fits = one.version.gone or one.kind in BY_HAND
            if not fits and self._is_gone("conversation", one.conversation):
                continue
            if known is None or one.version.beats(known.version):
                self._put(replace(one, conversation=one.conversation or home))
        for key, one in [*self.records.items()]:
            if one.kind in BY_HAND:
                if not one.version.gone and self._is_homeless(one):
                    self._put(replace(one, version=replace(one.version, gone=True), value=b""))
            elif one.kind != "conversation" and self._is_gone("conversation", one.conversation):
                del self.records[key]
        self._tokens.append(f"push {next(self._pushes)}")
        return self._tokens[-1]

    def backup(self) -> Backup:
        return dict(self.records), dict(self._numbers), list(self._tokens)

    def restore(self, backup: Backup) -> None:
        records, numbers, tokens = backup
        self.records, self._numbers, self._tokens = dict(records), dict(numbers), list(tokens)

    def break_record(self, key: Key, version: Version, value: bytes) -> None:
        """Another program pushes this."""
        self._put(Record(*key, "", version, value))
        self._tokens.append(f"push {next(self._pushes)}")

    def position(self, token: str = "") -> Position:
        last = self._tokens[-1] if self._tokens else ""
        knows = not token or token in self._tokens
        return Position(self.id, self.last(), last, knows, self._trusted)

    def _put(self, record: Record) -> None:
        self.records[record.kind, record.id] = record
        self._numbers[record.kind, record.id] = max(self._numbers.values(), default=0) + 1

    def _is_gone(self, kind: str, one: str) -> bool:
        known = self.records.get((kind, one))
        return known is not None and known.version.gone

    def _is_homeless(self, record: Record) -> bool:
        messages = (record.id, record.id.rpartition("/")[0])
        return self._is_gone("conversation", record.conversation) or any(
            self._is_gone("message", one) for one in messages
        )

    def last(self) -> int:
        return max(self._numbers.values(), default=0)

    def pull(self, after: int, most: int, kinds: Sequence[str]) -> Fetched:
        found = sorted(
            (number, key)
            for key, number in self._numbers.items()
            if number > after and key[0] in kinds and key in self.records
        )[:most]
        cursor = found[-1][0] if found else after
        return Fetched([self.records[key] for _, key in found], cursor, len(found) == most)

    def latest(self, kinds: Sequence[str]) -> list[Record]:
        return []

    def lacks(self, digests: Sequence[str]) -> list[str]:
        return []

    def picture(self, digest: str) -> None:
        return None

    def say(self, device: str, name: str, writing: Sequence[str]) -> dict[str, str]:
        return {}

    def sums(self) -> dict[Key, str]:
        return {
            key: hashlib.sha256(one.value).hexdigest()
            for key, one in self.records.items()
            if not one.version.gone
        }
