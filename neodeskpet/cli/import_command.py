"""`neodeskpet import FILE…`: imports exported conversations, conversations of other programs, and
calendar files (`.ics`). Nothing is replaced.

Exit codes: 0 success, 1 a file could not be read or stored, 2 wrong usage, 130 interrupted: what
was imported until then stays, and can be removed again.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from neodeskpet.cli.calendar_files import CALENDAR_SUFFIX, import_calendars
from neodeskpet.cli.terminal import ProgressLine, add_data_dir, data_folder, parse_words
from neodeskpet.conversation.import_chats.archive_formats import FORMAT_NAMES
from neodeskpet.conversation.import_chats.archive_reader import REFUSAL_REASONS
from neodeskpet.conversation.import_chats.chat_importer import (
    ChatImporter,
    ImportChoice,
    ImportPreview,
    interrupted_imports,
    is_foreign_archive,
    last_import,
    undo_import,
)
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import count_conversations, count_messages, format_error, tr, tr_count
from neodeskpet.storage.chat_export_reader import NotAnExport, read_export
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore

_MAX_LISTED = 20
"""Most omitted items that are listed."""


def run(argv: Sequence[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    parser = argparse.ArgumentParser(
        prog="neodeskpet import",
        description=tr(
            "Import conversations that were exported here (JSON), or those of {names}: their "
            "archives, backups and session files. Calendar files (.ics) are imported as well. "
            "Nothing is replaced, and nothing is imported twice.",
            names=FORMAT_NAMES,
        ),
    )
    parser.add_argument("file", type=Path, nargs="*")
    add_data_dir(parser)
    parser.add_argument(
        "--list", action="store_true", help=tr("only show the content of an archive")
    )
    parser.add_argument(
        "--take-back", action="store_true", help=tr("delete what the last import added")
    )
    words = parse_words(parser, argv)
    if isinstance(words, int):
        return words
    if not words.file and not words.take_back:
        parser.print_usage(sys.stderr)
        return 2
    home = data_folder(words.data_dir)
    calendars = [path for path in words.file if path.suffix.lower() == CALENDAR_SUFFIX]
    words.file = [path for path in words.file if path not in calendars]
    try:
        code = asyncio.run(import_calendars(home, calendars, only_list=words.list))
        return max(code, asyncio.run(_run(home, words))) if words.file or words.take_back else code
    except KnownError as error:
        print(format_error(error), file=sys.stderr)
        return 1


async def _run(home: Path, words: argparse.Namespace) -> int:
    store = await SqliteStore.open(home / CONVERSATIONS_FILE, required=True)
    try:
        if store.fault is not None:
            print(format_error(store.fault), file=sys.stderr)
        if words.take_back:
            await _undo_import(store)
        codes = [await _import(store, path, only_list=words.list) for path in words.file]
        return max(codes, default=0)
    finally:
        await store.aclose()


async def _import(store: SqliteStore, path: Path, *, only_list: bool) -> int:
    if await asyncio.to_thread(is_foreign_archive, path):
        return await _import_archive(store, path, only_list=only_list)
    try:
        found = await asyncio.to_thread(read_export, path)
    except NotAnExport as error:
        print(format_error(error), file=sys.stderr)
        return 1
    if only_list:
        print(f"{found.title}  {len(found.messages)}")
        return 0
    made = await store.import_conversation(found)
    print(f"{made.id}  {made.title}")
    return 0


async def _import_archive(store: SqliteStore, path: Path, *, only_list: bool) -> int:
    intake = ChatImporter(store, path)
    try:
        preview = await intake.preview_archive()
        await _print_interrupted(store)
        _print_preview(preview)
        if only_list:
            for choice in preview.choices:
                print(_choice_line(choice))
            return 0
        with ProgressLine() as line:
            count = sum(one.new for one in preview.new)
            taken = await intake.import_conversations(
                [one.id for one in preview.new],
                lambda taken: line.show(taken.count - taken.earlier_count, count),
            )
    except KnownError as error:
        print(format_error(error), file=sys.stderr)
        return 1
    finally:
        await intake.aclose()
    if not preview.choices:
        return 1
    print(
        tr(
            "Imported {messages} in {conversations}",
            messages=count_messages(taken.count),
            conversations=count_conversations(len(taken.messages)),
        )
    )
    return 0


async def _print_interrupted(store: SqliteStore) -> None:
    for one in await interrupted_imports(store):
        said = tr(
            "The import of “{name}” was interrupted after {messages} in "
            "{conversations}. Import the file again to get the rest, or undo the "
            "import.",
            name=one.name,
            messages=count_messages(one.count),
            conversations=count_conversations(len(one.messages)),
        )
        print(f"{said} (--take-back)", file=sys.stderr)


def _print_preview(preview: ImportPreview) -> None:
    print(
        tr(
            "{name}: {conversations}, {messages}; new: {new}",
            name=preview.name,
            conversations=count_conversations(len(preview.choices)),
            messages=count_messages(preview.messages),
            new=str(len(preview.new)),
        )
    )
    for one in preview.skipped[:_MAX_LISTED]:
        print(f"- {one.item}: {tr(REFUSAL_REASONS.get(one.reason, one.reason))}", file=sys.stderr)
    more = len(preview.skipped) - _MAX_LISTED
    if more > 0:
        print(tr("and {count} more", count=str(more)), file=sys.stderr)
    if preview.unknown:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in preview.unknown.items())
        print(tr("Unknown types, imported as text only: {kinds}", kinds=kinds), file=sys.stderr)


def _choice_line(choice: ImportChoice) -> str:
    day = datetime.fromtimestamp(choice.first).strftime("%Y-%m-%d")
    return f"{day}  {choice.new:>5}/{choice.count:<5}  {choice.title or tr('Conversation')}"


async def _undo_import(store: SqliteStore) -> None:
    last = await last_import(store)
    taken = max(
        [*await interrupted_imports(store), *([last] if last is not None else [])],
        key=lambda one: one.started,
        default=None,
    )
    if taken is None:
        print(tr("There is no import to undo."))
        return
    await undo_import(store, taken)
    print(
        tr_count(N_("Taken back: {count} message"), N_("Taken back: {count} messages"), taken.count)
    )
