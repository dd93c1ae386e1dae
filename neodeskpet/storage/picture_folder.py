"""The pictures of messages: files named by their content, beside the database.

A file exists as long as some message shows it: the store writes it with the first such message and
deletes it with the last.
"""

from __future__ import annotations

import json
import logging
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from neodeskpet.core.attachments import FileText, Picture, name_by_content, read_omitted
from neodeskpet.core.json_text import MOST_DEPTH, read_json
from neodeskpet.platform.private_files import write_private
from neodeskpet.storage.database_schema import from_column, to_column

PICTURES_FOLDER = "pictures"

_log = logging.getLogger(__name__)
_DIGEST_NAME = re.compile(r"[0-9a-f]{64}")
_BATCH = 500
# Each has an index (migrations 002 and 003).
_IMAGE_BLOCKS = "kind = 'image'"
_RESULT_BLOCKS = "kind = 'tool_use' AND instr(fields, '\"images\": [{') > 0"


class PictureFolder:
    """The pictures; in memory if `folder` is None. Use it on worker threads; raises OSError."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._held: dict[str, bytes] = {}

    def put(self, pictures: Iterable[Picture]) -> None:
        """Store the pictures that are missing."""
        for picture in pictures:
            if self._folder is None:
                self._held[picture.digest] = picture.data
                continue
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = self._file(self._folder, picture.digest)
            if file is not None and not file.exists():
                write_private(file, picture.data)

    def get(self, digest: str) -> bytes | None:
        """Return a picture; None if there is none."""
        if self._folder is None:
            return self._held.get(digest)
        file = self._file(self._folder, digest)
        try:
            return None if file is None else file.read_bytes()
        except OSError as error:
            _log.warning("The picture %s can't be read: %s", digest[:12], error)
            return None

    def delete(self, digests: Iterable[str]) -> None:
        """Delete the pictures; failures are logged."""
        for digest in digests:
            self._held.pop(digest, None)
            file = None if self._folder is None else self._file(self._folder, digest)
            try:
                if file is not None:
                    file.unlink(missing_ok=True)
            except OSError as error:
                _log.warning("The picture %s can't be removed: %s", digest[:12], error)

    def delete_partial(self, digests: Collection[str]) -> None:
        """Delete partly written files of these pictures, left by a killed process."""
        for part in () if self._folder is None else list(self._folder.glob(".*.part")):
            if part.name[1:].partition(".")[0] in digests:
                try:
                    part.unlink(missing_ok=True)
                except OSError as error:
                    _log.warning("%s can't be removed: %s", part.name[:12], error)

    def _file(self, folder: Path, digest: str) -> Path | None:
        """Return the file of a digest; None for another name, because rows are untrusted."""
        return folder / digest if _DIGEST_NAME.fullmatch(digest) else None


def shown_pictures(connection: sqlite3.Connection, conversation_id: str | None = None) -> set[str]:
    """Return the digests that messages and drafts show: of one conversation, or of all."""
    within = ""
    values: tuple[str, ...] = ()
    if conversation_id is not None:
        within = " AND message IN (SELECT number FROM messages WHERE conversation = ?)"
        values = (conversation_id,)
    named: set[str] = set()
    for place in (_IMAGE_BLOCKS, _RESULT_BLOCKS):
        query = f"SELECT fields FROM blocks WHERE {place}{within}"
        for (fields,) in connection.execute(query, values):
            named.update(picture_digests(fields))
    drafts = "SELECT digest FROM draft_pictures"
    if conversation_id is not None:
        drafts += " WHERE conversation = ?"
    named.update(digest for (digest,) in connection.execute(drafts, values))
    return {digest for digest in named if _DIGEST_NAME.fullmatch(digest)}


DRAFT_FILE_MEDIA_TYPE = "application/x-neodeskpet-document"
"""The media type of a file in a draft; its data is the `FileText` as JSON."""


def pack_file(read: FileText) -> Picture:
    """Return the file as it is stored with the pictures of a draft."""
    data = json.dumps(asdict(read), ensure_ascii=False).encode("utf-8", "replace")
    return Picture(name_by_content(data), data, DRAFT_FILE_MEDIA_TYPE, read.name)


def unpack_file(stored: Picture) -> FileText | None:
    """Return the file of `pack_file`; None if the data is damaged."""
    try:
        read = FileText(**read_json(stored.data.decode("utf-8")))  # type: ignore[arg-type]
        return replace(read, omitted=read_omitted(read.omitted))
    except (ValueError, TypeError, KeyError):
        return None


def read_draft_pictures(connection: sqlite3.Connection, conversation_id: str) -> list[Picture]:
    """Return the pictures and packed files of a draft, without their data."""
    rows = connection.execute(
        "SELECT digest, media_type, name, quoted FROM draft_pictures "
        "WHERE conversation = ? ORDER BY position",
        (conversation_id,),
    )
    return [
        Picture(digest, b"", media_type, from_column(name), quoted=bool(quoted))
        for digest, media_type, name, quoted in rows
    ]


def put_draft_pictures(
    connection: sqlite3.Connection, conversation_id: str, pictures: Sequence[Picture]
) -> set[str]:
    """Store these as the pictures of a draft; return those that nothing shows any more."""
    before = {one.digest for one in read_draft_pictures(connection, conversation_id)}
    connection.execute("DELETE FROM draft_pictures WHERE conversation = ?", (conversation_id,))
    connection.executemany(
        "INSERT INTO draft_pictures SELECT ?1, ?2, ?3, ?4, ?5, ?6 "
        "WHERE EXISTS (SELECT 1 FROM conversations WHERE id = ?1)",
        [
            (conversation_id, at, one.digest, one.media_type, to_column(one.name), one.quoted)
            for at, one in enumerate(pictures)
        ],
    )
    named = before | {one.digest for one in pictures}
    return named - shown_pictures(connection) if named else named


def picture_digests(fields: str | bytes) -> Iterator[str]:
    """Yield the pictures in a block's fields: its own, and those of a tool's result."""
    try:
        read = read_json(from_column(fields), depth=MOST_DEPTH + 2)
    except ValueError:
        return
    if isinstance(read, dict):
        images = read.get("images")
        for one in (read, *(images if isinstance(images, list) else ())):
            if isinstance(one, dict) and _DIGEST_NAME.fullmatch(str(one.get("digest", ""))):
                yield str(one["digest"])


def read_descriptions(connection: sqlite3.Connection, digests: Sequence[str]) -> dict[str, str]:
    """Return the descriptions of these pictures, if there are any."""
    found: dict[str, str] = {}
    real = [digest for digest in digests if _DIGEST_NAME.fullmatch(digest)]
    for start in range(0, len(real), _BATCH):
        batch = real[start : start + _BATCH]
        marks = ", ".join("?" * len(batch))
        rows = connection.execute(
            f"SELECT digest, text FROM descriptions WHERE digest IN ({marks})", tuple(batch)
        )
        found.update((digest, from_column(text)) for digest, text in rows)
    return found


def delete_descriptions(connection: sqlite3.Connection, digests: Iterable[str]) -> None:
    connection.executemany(
        "DELETE FROM descriptions WHERE digest = ?", [(digest,) for digest in digests]
    )
