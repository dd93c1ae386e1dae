"""A sync server in memory, with the same rules as PostgreSQL: for many runs in little time.

`tests/unit/sync/test_user_edit_sync.py` runs the same operations on both.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from neodeskpet.storage.sync_log import USER_EDIT_KINDS, RecordVersion, SyncRecord
from neodeskpet.sync.encryption import seal_plain
from neodeskpet.sync.server_connection import FetchedRecords, ServerPosition

Key = tuple[str, str]
Backup = tuple[dict[Key, SyncRecord], dict[Key, int], list[str]]


class FakeSyncServer:
    """The methods of a `ServerConnection` that `SyncEngine` calls. `backup` and `restore` are
    actions of an administrator. `trusted`: only the user can write to it.
    """

    id = "shelf"
    connection_number = 1

    def __init__(self, *, trusted: bool = True) -> None:
        self._trusted = trusted
        self.records: dict[Key, SyncRecord] = {}
        self._numbers: dict[Key, int] = {}
        self._tokens: list[str] = []
        self._pushes = itertools.count()
        self.seal = seal_plain

    def close(self) -> None:
        """Nothing is open."""

    def push(self, records: Sequence[SyncRecord], pictures: Mapping[str, bytes]) -> str:
        for one in records:
            known = self.records.get((one.kind, one.id))
            home = known.conversation if known is not None and not one.conversation else ""
            fits = one.version.deleted or one.kind in USER_EDIT_KINDS
            if not fits and self._is_gone("conversation", one.conversation):
                continue
            if known is None or one.version.is_newer_than(known.version):
                self._put(replace(one, conversation=one.conversation or home))
        for key, one in [*self.records.items()]:
            if one.kind in USER_EDIT_KINDS:
                if not one.version.deleted and self._is_homeless(one):
                    self._put(replace(one, version=replace(one.version, deleted=True), value=b""))
            elif one.kind != "conversation" and self._is_gone("conversation", one.conversation):
                del self.records[key]
        self._tokens.append(f"push {next(self._pushes)}")
        return self._tokens[-1]

    def backup(self) -> Backup:
        return dict(self.records), dict(self._numbers), list(self._tokens)

    def restore(self, backup: Backup) -> None:
        records, numbers, tokens = backup
        self.records, self._numbers, self._tokens = dict(records), dict(numbers), list(tokens)

    def break_record(self, key: Key, version: RecordVersion, value: bytes) -> None:
        """Another program sends this."""
        self._put(SyncRecord(*key, "", version, value))
        self._tokens.append(f"push {next(self._pushes)}")

    def position(self, token: str = "") -> ServerPosition:
        last = self._tokens[-1] if self._tokens else ""
        knows = not token or token in self._tokens
        return ServerPosition(self.id, self.last_number(), last, knows, self._trusted)

    def _put(self, record: SyncRecord) -> None:
        self.records[record.kind, record.id] = record
        self._numbers[record.kind, record.id] = max(self._numbers.values(), default=0) + 1

    def _is_gone(self, kind: str, one: str) -> bool:
        known = self.records.get((kind, one))
        return known is not None and known.version.deleted

    def _is_homeless(self, record: SyncRecord) -> bool:
        messages = (record.id, record.id.rpartition("/")[0])
        return self._is_gone("conversation", record.conversation) or any(
            self._is_gone("message", one) for one in messages
        )

    def last_number(self) -> int:
        return max(self._numbers.values(), default=0)

    def pull(self, after: int, most: int, kinds: Sequence[str]) -> FetchedRecords:
        found = sorted(
            (number, key)
            for key, number in self._numbers.items()
            if number > after and key[0] in kinds and key in self.records
        )[:most]
        cursor = found[-1][0] if found else after
        return FetchedRecords([self.records[key] for _, key in found], cursor, len(found) == most)

    def pull_latest(self, kinds: Sequence[str]) -> list[SyncRecord]:
        return []

    def missing_pictures(self, digests: Sequence[str]) -> list[str]:
        return []

    def picture(self, digest: str) -> None:
        return None

    def report_active(self, device: str, name: str, writing: Sequence[str]) -> dict[str, str]:
        return {}

    def hashes(self) -> dict[Key, str]:
        return {
            key: hashlib.sha256(one.value).hexdigest()
            for key, one in self.records.items()
            if not one.version.deleted
        }
