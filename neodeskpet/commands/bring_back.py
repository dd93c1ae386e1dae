"""`neodeskpet import FILE…`: bring exported conversations back. Nothing is replaced.

Exit codes: 0 well, 1 one of them could not be read or kept, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from neodeskpet.commands.terminal import home_of
from neodeskpet.core.errors import KnownError
from neodeskpet.language import say, tr
from neodeskpet.memory.importing import read_export
from neodeskpet.memory.store import FILE_NAME, SqliteStore


def run(argv: Sequence[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    parser = argparse.ArgumentParser(
        prog="neodeskpet import",
        description=tr("Bring exported conversations (JSON) back. Nothing is replaced."),
    )
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument("--data-dir", metavar="DIR", default=None)
    try:
        words = parser.parse_args(argv)
    except SystemExit as ended:  # argparse has said what is wrong
        return int(ended.code or 0)
    home = home_of(words.data_dir)
    try:
        return asyncio.run(_import(home, words.file))
    except KnownError as error:
        print(" ".join(say(error)), file=sys.stderr)
        return 1


async def _import(home: Path, files: Sequence[Path]) -> int:
    store = await SqliteStore.open(home / FILE_NAME)
    code = 0
    try:
        for path in files:
            try:
                found = await asyncio.to_thread(read_export, path)
            except (OSError, ValueError) as error:
                what = tr("This file is no exported conversation.")
                print(f"{path}: {what} {error}", file=sys.stderr)
                code = 1
                continue
            made = await store.import_conversation(found)
            print(f"{made.id}  {made.title}")
    finally:
        await store.close()
    return code
