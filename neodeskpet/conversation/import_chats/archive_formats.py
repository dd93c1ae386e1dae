"""Detects the source of an archive: every program whose archives can be imported.

All readers return the same type (`thread_builder.ImportedThread`). Most sources have a list of
conversations, some one object with all tables, and some a JSON lines file for each conversation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from neodeskpet.conversation.import_chats import (
    chatgpt_archive,
    cherrystudio_backup,
    claude_archive,
    claude_code_session,
    codex_session,
    deepseek_archive,
    lobechat_backup,
    openwebui_archive,
    sillytavern_session,
)
from neodeskpet.conversation.import_chats.thread_builder import ImportedThread

_LIST_FORMATS = (deepseek_archive, chatgpt_archive, openwebui_archive)
"""DeepSeek's conversations have the same outer form as ChatGPT's, so they are tested first."""
_BACKUP_FORMATS = (lobechat_backup, cherrystudio_backup)
FORMAT_NAMES = ", ".join(
    one.NAME
    for one in (
        chatgpt_archive,
        claude_archive,
        deepseek_archive,
        openwebui_archive,
        sillytavern_session,
        lobechat_backup,
        cherrystudio_backup,
        claude_code_session,
        codex_session,
    )
)


def read_item(
    item: Mapping[str, Any],
    unknown: Counter[str],
    projects: Mapping[str, str],
    otherwise: float,
) -> Iterator[ImportedThread] | None:
    """Return the conversations in an object of a file; None if the format is unknown. `projects`:
    names of Claude's projects by id; `otherwise`: the time of items without one.
    """
    for listed in _LIST_FORMATS:
        if listed.is_conversation(item):
            return iter([listed.read_conversation(item, unknown, otherwise=otherwise)])
    if claude_archive.is_conversation(item):
        return iter(
            [claude_archive.read_conversation(item, unknown, projects, otherwise=otherwise)]
        )
    for backup in _BACKUP_FORMATS:
        if backup.is_backup(item):
            threads: Iterator[ImportedThread] = backup.read_backup(
                item, unknown, otherwise=otherwise
            )
            return threads
    return None


def is_session(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a JSON lines file with these first lines is a conversation of a
    known program.
    """
    return any(
        one.is_session(rows) for one in (sillytavern_session, claude_code_session, codex_session)
    )


def read_session(
    rows: Sequence[Mapping[str, Any]],
    first: Sequence[Mapping[str, Any]],
    unknown: Counter[str],
    name: str,
    otherwise: float,
) -> ImportedThread:
    """Return the conversation of a JSON lines file. `first` are its first lines, accepted by
    `is_session`; `name` is the file's.
    """
    if sillytavern_session.is_session(first):
        return sillytavern_session.read_session(rows, name, otherwise=otherwise)
    if claude_code_session.is_session(first):
        return claude_code_session.read_session(rows, unknown, name, otherwise=otherwise)
    return codex_session.read_session(rows, unknown, name, otherwise=otherwise)
