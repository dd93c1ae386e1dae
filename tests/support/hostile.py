"""Texts that make a careless regular expression read the same characters again and again.

`python -m tests.support.hostile READER...` gives all of them to each reader, short and long, in a
process of its own: an expression that hangs blocks the interpreter, which is only visible from
outside.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC
from pathlib import Path
from typing import cast

from neodeskpet.app.services import build_tools
from neodeskpet.core.call_arguments import coerce_value
from neodeskpet.core.dialects import DIALECTS
from neodeskpet.core.errors import KnownError
from neodeskpet.core.json_text import read_json
from neodeskpet.core.schedule.parsing.time_finder import find_time
from neodeskpet.core.schedule.parsing.time_parser import parse_moment
from neodeskpet.core.toolspec import ToolNames, ToolOffer
from neodeskpet.core.wire import TextDelta
from neodeskpet.documents.web.web_search import SearchService, WebSearch
from neodeskpet.figure.stage import NullStage
from neodeskpet.llm.offline.offline_model import plan_script
from neodeskpet.llm.offline.request_reader import OfflineRequest
from neodeskpet.llm.protocols.provider_errors import error_from_status
from neodeskpet.notebook.notes import NotesInMemory
from neodeskpet.notebook.timers import TimerService, TimersInMemory
from neodeskpet.platform.redaction import redact
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.files.allowed_folders import AllowedFolders
from neodeskpet.tools.files.text_files import FileBackups

SHORT, LONG = 4_000, 32_000
_ALLOWED = 3.0
"""The cost may grow this many times faster than the length; the square of the length is eight
times.
"""
_NOTHING = 0.4
"""Processor seconds that a long text may take in any case."""

_UNITS = (
    *" \n\u3000a1_.-+*`\"'\\[](<>|#!?=/:;,~@%√。零一半百的请",
    "a ",
    "1 ",
    "a.",
    "1.",
    "1,",
    "1,111",
    "1 h ",
    "半个 ",
    " and",
    "please ",
    "\\u",
    "sk-",
    "api_key",
    "a_",
    "://a:",
    "「始",
    "「末",
    "<<<[",
    "```",
)
_FRAMES = (("", "\0"), ("1", "h"), ("```json", "x"), ('api_key="', ""))


def texts(length: int) -> Iterator[str]:
    for unit in _UNITS:
        body = (unit * length)[:length]
        for before, after in _FRAMES:
            yield before + body + after


def moments(text: str) -> None:
    with suppress(ValueError):
        parse_moment(text, 1_767_268_800.0, UTC)
    find_time(text[:400], 1_767_268_800.0, UTC)


def numbers(text: str) -> None:
    for kind in ("integer", "number", "boolean", "array", "object"):
        coerce_value(text, {"type": kind, "items": {"type": "string"}})


def names(text: str) -> None:
    known = ToolNames(["note.add", "live2d.motion"])
    known.near(known.own_name(text))


def errors(text: str) -> None:
    error_from_status(400, {}, text, tools=True)


def json_text(text: str) -> None:
    with suppress(ValueError):
        read_json(text)


def offline(text: str) -> None:
    for chinese in (False, True):
        plan_script(OfflineRequest(text, chinese))


def text_mode(text: str) -> None:
    for value in (f"tool_name:「始」note.add「末」\ninput_json:「始」{text}", text):
        reader = DIALECTS["tool_request"].reader()
        for piece in ("<<<[TOOL_REQUEST]>>>\n", value, "「末」\n<<<[END_TOOL_REQUEST]>>>"):
            list(reader.read(TextDelta(0, piece)))


async def _no_key(endpoint: str) -> str:
    return ""


@functools.cache
def _box(_batch: int) -> ToolOffer:
    timers = TimerService(TimersInMemory(), lambda _timer: None)
    stage, notes, files = NullStage(), NotesInMemory(), (AllowedFolders(list), FileBackups(Path()))
    search = WebSearch(lambda: SearchService("", ""), _no_key)
    return Toolbox(AppTools(build_tools(stage, timers, notes, *files, search))).offer()


_texts = itertools.count()
_BATCH = 16
"""This many texts share the same tools: making them costs more than running them, and their memory
must stay small.
"""


def tools(text: str) -> None:
    """Every text parameter of our tools."""
    box = _box(next(_texts) // _BATCH)

    async def run() -> None:
        for spec in box.specs:
            fields = cast("Mapping[str, object]", spec.parameters["properties"])
            for name in fields:
                with suppress(KnownError):
                    await box.run(spec.name, {name: text}, lambda *_: None)

    asyncio.run(run())


READERS: Mapping[str, Callable[[str], object]] = {
    "moments": moments,
    "numbers": numbers,
    "names": names,
    "errors": errors,
    "json": json_text,
    "offline": offline,
    "text mode": text_mode,
    "tools": tools,
    "redaction": redact,
}


def cost(read: Callable[[str], object], text: str) -> float:
    """Return the processor seconds."""
    began = time.process_time()
    read(text)
    return time.process_time() - began


def main(names: Sequence[str]) -> int:
    """Print the texts whose cost grows faster than their length, and the name of each reader that
    has read all texts.
    """
    for name in names:
        read = READERS[name]
        for short, long in zip(texts(SHORT), texts(LONG), strict=True):
            spent = cost(read, long)
            if spent > _NOTHING and spent > cost(read, short) * _ALLOWED * LONG / SHORT:
                print(f"{name}: {long[:12]!r} … {long[-4:]!r}: {spent:.1f} s")
        print(f"{name}: through", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
