"""`neodeskpet export [FILE]`: exports conversations to files, or the calendar to an `.ics` file.

Exit codes: 0 success, 1 failure, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from neodeskpet.cli.calendar_files import CALENDAR_SUFFIX, export_calendar
from neodeskpet.cli.terminal import USAGE, add_data_dir, data_folder, parse_words
from neodeskpet.conversation.export_chats.export_format import FILE_ENDINGS, JSON
from neodeskpet.conversation.export_chats.exporter import export_all, export_conversation
from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tool_titles, tr
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.ui.rendering.export_formats import ExportFormats


def run(argv: Sequence[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    words = parse_words(_parser(), argv)
    if isinstance(words, int):
        return words
    home = data_folder(words.data_dir)
    calendar = words.file is not None and words.file.suffix.lower() == CALENDAR_SUFFIX
    try:
        return asyncio.run(
            export_calendar(home, words.file) if calendar else _with_store(home, words)
        )
    except KnownError as error:
        print(format_error(error), file=sys.stderr)
    except OSError as error:
        print(tr("The file could not be written."), error, file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="neodeskpet export",
        description=tr(
            "Write conversations into files, or the calendar into an .ics file. Without a file: "
            "the list of conversations."
        ),
    )
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        help=tr("its ending says what it is: md, html, pdf, json or ics"),
    )
    parser.add_argument("--all", action="store_true", help=tr("all, into a folder with this name"))
    parser.add_argument(
        "--conversation", metavar="ID", default="", help=tr("this one instead of the latest")
    )
    parser.add_argument("--as", dest="kind", choices=[*FILE_ENDINGS.values()], default="")
    add_data_dir(parser)
    return parser


async def _with_store(home: Path, words: argparse.Namespace) -> int:
    store = await SqliteStore.open(home / CONVERSATIONS_FILE, required=True)
    try:
        if store.fault is not None:
            print(format_error(store.fault), file=sys.stderr)
        return await _export(store, words)
    finally:
        await store.aclose()


async def _export(store: SqliteStore, words: argparse.Namespace) -> int:
    infos = await store.conversations()
    if words.file is None:
        for info in infos:
            print(f"{info.id}  {info.title}")
        return 0
    kind = _kind(words)
    if not kind:
        said = tr(
            "The format of {file} is unknown. Use the extension md, html, pdf or json, or --as.",
            file=words.file.name,
        )
        print(said, file=sys.stderr)
        return USAGE
    forms = ExportFormats(title=str if kind == JSON else await _tool_titles())
    try:
        if words.all:
            print(await export_all(store, words.file, kind, forms.maker_for(kind)))
            return 0
        named = _named(infos, words.conversation)
        if named is None:
            print(tr("There is no such conversation."), file=sys.stderr)
            return 1
        await export_conversation(store, named, words.file, forms.maker_for(kind))
        print(words.file)
        return 0
    finally:
        forms.close()


async def _tool_titles() -> Callable[[str], str]:
    """Return the titles of the app's own tools, from an engine without data."""
    from neodeskpet.app.engine import open_engine

    with tempfile.TemporaryDirectory(prefix="neodeskpet-") as empty:
        engine = await open_engine(Path(empty))
        try:
            return tool_titles(engine.tools.toolbox.all_specs())
        finally:
            await engine.aclose()


def _kind(words: argparse.Namespace) -> str:
    """Return the format that the user names or that the file's extension implies; "" if unknown. A
    folder's name has none.
    """
    kinds = {ending: kind for kind, ending in FILE_ENDINGS.items()}
    ending = words.kind or words.file.suffix.lower().removeprefix(".")
    return kinds.get(ending, JSON if words.all else "")


def _named(infos: Sequence[ConversationInfo], wanted: str) -> ConversationInfo | None:
    if wanted:
        return next((info for info in infos if info.id == wanted), None)
    return max(infos, key=lambda info: info.updated, default=None)
