"""`neodeskpet knowledge`: adds files, folders and pages, lists, searches and removes them.

Exit codes: 0 success, 1 failure (or a file couldn't be read), 2 wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from neodeskpet.cli.terminal import (
    ProgressLine,
    SearchResultLine,
    add_data_dir,
    data_folder,
    parse_words,
    print_results,
)
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.documents.web.addresses import is_web
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.language import format_error, tr
from neodeskpet.memory.knowledge.knowledge_indexer import KnowledgeIndexer
from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_FILE
from neodeskpet.memory.knowledge.knowledge_store import KnowledgeStore
from neodeskpet.memory.knowledge.knowledge_types import (
    KnowledgeSource,
    SourceKind,
    missing_content_lines,
)
from neodeskpet.platform.text_encoding import OFFERED_ENCODINGS, is_encoding
from neodeskpet.settings.store import FILE_NAME as SETTINGS
from neodeskpet.settings.store import SettingsStore

Work = Callable[[KnowledgeStore, KnowledgeIndexer], Awaitable[int]]


def run(argv: Sequence[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    words = parse_words(_parser(), argv)
    if isinstance(words, int):
        return words
    try:
        return asyncio.run(_with_knowledge(data_folder(words.data_dir), _WORK[words.word](words)))
    except KnownError as error:
        print(format_error(error), file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="neodeskpet knowledge",
        description=tr("Files, folders and pages of the knowledge base."),
    )
    common = argparse.ArgumentParser(add_help=False)
    add_data_dir(common)
    words = parser.add_subparsers(dest="word", required=True)
    added = words.add_parser("add", parents=[common], help=tr("add files, folders or pages"))
    added.add_argument("what", nargs="+", metavar="PATH|URL")
    added.add_argument(
        "--encoding",
        default="",
        metavar="NAME",
        help=tr(
            "the encoding of text files, if it was detected wrongly ({names})",
            names=", ".join(OFFERED_ENCODINGS),
        ),
    )
    listed = words.add_parser("list", parents=[common], help=tr("list the sources"))
    listed.add_argument("--json", action="store_true", help=tr("one JSON object per line"))
    gone = words.add_parser(
        "remove", parents=[common], help=tr("remove a source; the files are not changed")
    )
    gone.add_argument("what", nargs="+", metavar="ID|PATH|URL")
    found = words.add_parser("search", parents=[common], help=tr("search the documents"))
    found.add_argument("text")
    found.add_argument("--count", type=int, default=5, metavar="N")
    found.add_argument("--json", action="store_true", help=tr("one JSON object per line"))
    words.add_parser("update", parents=[common], help=tr("index new and changed files"))
    return parser


async def _with_knowledge(home: Path, work: Work) -> int:
    """Run `work` with the knowledge base. Raises KnownError."""
    store = await KnowledgeStore.open(home / KNOWLEDGE_FILE, required=True)
    limit = SettingsStore(home / SETTINGS).settings.memory.knowledge_characters
    indexer = KnowledgeIndexer(store, Fetcher(), limit=lambda: limit)
    try:
        if store.fault is not None:
            print(format_error(store.fault), file=sys.stderr)
        return await work(store, indexer)
    finally:
        await asyncio.to_thread(indexer.close)
        await store.aclose()


def _add(words: argparse.Namespace) -> Work:
    async def work(store: KnowledgeStore, indexer: KnowledgeIndexer) -> int:
        if not all(one.strip() for one in words.what):
            print(tr("The path is empty."), file=sys.stderr)
            return 2
        if words.encoding and not is_encoding(words.encoding):
            print(tr("There is no encoding named “{name}”.", name=words.encoding), file=sys.stderr)
            return 2
        added = [
            await (
                indexer.add_page(one)
                if is_web(one)
                else indexer.add_path(Path(one), words.encoding)
            )
            for one in words.what
        ]
        return await _catch_up(store, indexer, added)

    return work


def _update(_words: argparse.Namespace) -> Work:
    async def work(store: KnowledgeStore, indexer: KnowledgeIndexer) -> int:
        return await _catch_up(store, indexer, [one.id for one in await store.list_sources()])

    return work


async def _catch_up(
    store: KnowledgeStore, indexer: KnowledgeIndexer, sources: Sequence[str]
) -> int:
    """Index what is new, with progress, and print the results for these sources."""

    with ProgressLine() as line:

        def show() -> None:
            now = indexer.progress
            if now.working:
                line.show(now.indexed, now.total, now.name)

        end = indexer.subscribe(show)
        try:
            await indexer.catch_up()
        finally:
            end()
    code = 0
    for one in await store.list_sources():
        if one.id in sources:
            await _print_source(store, one)
            code |= bool(one.fault or one.refused)
    return code


async def _print_source(store: KnowledgeStore, one: KnowledgeSource) -> None:
    print(f"{one.id}  {one.address}")
    numbers = {"files": str(one.files), "passages": str(one.passages)}
    print("      " + tr("Files: {files} · passages: {passages}", **numbers))
    if one.fault:
        print("      " + tr(one.fault))
    for line in missing_content_lines(
        one, await store.list_refused(one.id), await store.list_incomplete(one.id)
    ):
        print(f"      {line}")
    if one.kind is SourceKind.FILE:
        for file in await store.list_files(one.id):
            if file.encoding and file.encoding != "utf-8":
                print(
                    "      " + tr("Read as {encoding}. (--encoding NAME)", encoding=file.encoding)
                )


def _list(words: argparse.Namespace) -> Work:
    async def work(store: KnowledgeStore, indexer: KnowledgeIndexer) -> int:
        for one in await store.list_sources():
            if not words.json:
                await _print_source(store, one)
                continue
            record = {
                "id": one.id,
                "kind": one.kind.value,
                "address": one.address,
                "files": one.files,
                "passages": one.passages,
                "refused": [file.path for file in await store.list_refused(one.id)],
                "incomplete": [
                    {
                        "path": file.path,
                        "omitted": {one.what.value: one.count for one in file.omitted},
                    }
                    for file in await store.list_incomplete(one.id)
                ],
                "skipped": dict(one.skipped),
                "encodings": sorted({f.encoding for f in await store.list_files(one.id)} - {""}),
                "fault": tr(one.fault) if one.fault else "",
            }
            print(json.dumps(record, ensure_ascii=False))
        return 0

    return work


def _remove(words: argparse.Namespace) -> Work:
    async def work(store: KnowledgeStore, indexer: KnowledgeIndexer) -> int:
        by_name: dict[str, str] = {}
        for one in await store.list_sources():
            by_name |= {one.id: one.id, one.address: one.id}
        code = 0
        for what in words.what:
            source = by_name.get(what) or by_name.get(_absolute_address(what))
            if source is None or not await indexer.remove(source):
                print(tr("“{name}” isn't in the knowledge base.", name=what), file=sys.stderr)
                code = 1
        return code

    return work


def _absolute_address(path: str) -> str:
    return str(Path(path).expanduser().absolute())


def _search(words: argparse.Namespace) -> Work:
    async def work(store: KnowledgeStore, indexer: KnowledgeIndexer) -> int:
        found = await store.search(words.text, max(words.count, 1))
        print_results(
            (
                SearchResultLine(
                    one.relevance,
                    f"[{one.label}]",
                    one.passage.text.strip(),
                    {"source": one.label},
                )
                for one in found
            ),
            as_json=words.json,
            nothing=N_("Nothing was found in the documents."),
        )
        return 0

    return work


_WORK: dict[str, Callable[[argparse.Namespace], Work]] = {
    "add": _add,
    "list": _list,
    "remove": _remove,
    "search": _search,
    "update": _update,
}
