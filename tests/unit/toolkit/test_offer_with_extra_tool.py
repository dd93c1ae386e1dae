"""A tool that is added to an offer is called by its name; the others are called as before."""

import asyncio
from collections.abc import Sequence

import pytest

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.tool_result import CallPreview, ShownList, ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.toolkit.registry import Progress
from neodeskpet.toolkit.toolbox import Arguments, ExtraTool, OfferWithExtraTool

FIRST, COUNT, HIDDEN = ToolSpec("first", "First."), ToolSpec("count", "Count."), ToolSpec("x", "X.")


class Others:
    """Each call answers with its name; arguments are refused."""

    specs: Sequence[ToolSpec] = [COUNT, HIDDEN]

    async def run(self, name: str, arguments: Arguments, progress: Progress) -> ToolResult:
        return ToolResult(f"{name} ran")

    def check(self, name: str, arguments: Arguments) -> None:
        if arguments:
            raise InvalidArguments(f"{name} takes none")

    async def preview(self, name: str, arguments: Arguments) -> CallPreview:
        return CallPreview(shown=ShownList((name,)))


async def run_first(arguments: Arguments, progress: Progress) -> ToolResult:
    return ToolResult("first of all", dict(arguments))


def quiet(fraction: float | None, text: str) -> None:
    """Ignore progress."""


def test_the_extra_tool_is_listed_and_called_first() -> None:
    checked: list[Arguments] = []
    offer = OfferWithExtraTool(ExtraTool(FIRST, run_first, checked.append), Others(), [COUNT])
    assert offer.specs == [FIRST, COUNT]
    offer.check("first", {"a": 1})
    assert checked == [{"a": 1}]
    with pytest.raises(InvalidArguments):
        offer.check("count", {"a": 1})

    async def main() -> None:
        assert (await offer.run("first", {"a": 2}, quiet)).data == {"a": 2}
        assert (await offer.run("x", {}, quiet)).text == "x ran"
        assert await offer.preview("first", {}) == CallPreview()
        assert await offer.preview("count", {}) == CallPreview(shown=ShownList(("count",)))

    asyncio.run(main())
