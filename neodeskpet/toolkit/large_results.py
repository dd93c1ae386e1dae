"""Stores large results: a model gets the beginning, and can read the rest in parts.

They are stored in the data folder for a week; above 50 MB the oldest are deleted first.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from pydantic import Field

from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_result import ToolResult, count_brief
from neodeskpet.core.toolspec import Risk
from neodeskpet.platform.private_files import write_private
from neodeskpet.toolkit.registry import Tool, tool

SENT_CHARACTERS = 20_000
"""Characters of a result that a model gets at once."""
KEPT_CHARACTERS = 1_000_000
"""Characters of a result that are stored."""
READ_TOOL = "output.read"
_KEPT_SECONDS = 7 * 86_400
_KEPT_BYTES = 50_000_000
_ID = re.compile(r"[0-9a-f]{12}")


class LargeResults:
    """The stored results; `folder` is created on first use. Call it in threads."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock

    def add(self, text: str) -> str:
        """Store `text` and return its id. Raises OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._drop_old()
        content = text.encode("utf-8", "replace")
        id = hashlib.sha256(content).hexdigest()[:12]
        write_private(self._folder / id, content)
        return id

    def get(self, id: str) -> str | None:
        """Return the text with this id; None if it isn't stored (any more)."""
        if not _ID.fullmatch(id):
            return None
        try:
            return (self._folder / id).read_text("utf-8")
        except OSError:
            return None

    def has_any(self) -> bool:
        return self._folder.is_dir() and next(self._folder.iterdir(), None) is not None

    def _drop_old(self) -> None:
        files = [(file.stat(), file) for file in self._folder.iterdir()]
        room = _KEPT_BYTES
        for known, file in sorted(files, key=lambda one: -one[0].st_mtime):
            room -= known.st_size
            if room < 0 or known.st_mtime < self._clock() - _KEPT_SECONDS:
                with suppress(OSError):
                    file.unlink()


def shortened_result(text: str, id: str) -> str:
    """Return the text that a model gets of a large result stored under `id`."""
    rest = len(text) - SENT_CHARACTERS
    more = f'[{rest} more characters: {READ_TOOL}(id="{id}", offset={SENT_CHARACTERS})]'
    return f"{text[:SENT_CHARACTERS]}\n{more}"


def output_tools(outputs: LargeResults) -> list[Tool]:
    @tool(
        READ_TOOL,
        title=N_("Read more of a result"),
        risk=Risk.READ,
        main_argument="id",
        timeout=20,
        outside=True,
        reads=SourceKind.FILE,
        offered=outputs.has_any,
    )
    def read(
        id: Annotated[str, Field(max_length=40, description="As the cut result names it.")],
        offset: Annotated[int, Field(ge=0, description="Characters from its beginning.")] = 0,
    ) -> ToolResult:
        """Read on in a large result that was cut, 20,000 characters at once."""
        text = outputs.get(id)
        if text is None:
            raise InvalidArguments.at("id", N_("this result is no longer stored."))
        part = text[offset : offset + SENT_CHARACTERS]
        rest = len(text) - offset - len(part)
        more = f"\n[{rest} more characters]" if rest > 0 else ""
        brief = count_brief(len(part), N_("1 character"), N_("{count} characters"))
        return ToolResult(part + more, brief=brief)

    return [read]
