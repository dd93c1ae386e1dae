"""An offer with one more tool before the others, which belongs to whoever makes the offer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.core.tool_result import Shown, ToolResult
from neodeskpet.core.toolspec import ToolOffer, ToolSpec
from neodeskpet.tools.registry import Progress

Arguments = Mapping[str, object]


async def _nothing(_arguments: Arguments) -> Shown | None:
    return None


@dataclass(frozen=True, slots=True)
class ExtraTool:
    """The same three as of an `Offer`, for this tool."""

    spec: ToolSpec
    run: Callable[[Arguments, Progress], Awaitable[ToolResult]]
    check: Callable[[Arguments], object]
    preview: Callable[[Arguments], Awaitable[Shown | None]] = _nothing


class OfferWithExtraTool:
    """An `Offer`: `first`, and of `offer` what stands in `specs`. (What doesn't is run as well when
    it is called.)
    """

    def __init__(self, first: ExtraTool, offer: ToolOffer, specs: Iterable[ToolSpec]) -> None:
        self._first = first
        self._offer = offer
        self._specs = [first.spec, *specs]

    @property
    def specs(self) -> Sequence[ToolSpec]:
        return self._specs

    async def run(self, name: str, arguments: Arguments, progress: Progress) -> ToolResult:
        if name == self._first.spec.name:
            return await self._first.run(arguments, progress)
        return await self._offer.run(name, arguments, progress)

    def check(self, name: str, arguments: Arguments) -> None:
        if name == self._first.spec.name:
            self._first.check(arguments)
        else:
            self._offer.check(name, arguments)

    async def preview(self, name: str, arguments: Arguments) -> Shown | None:
        if name == self._first.spec.name:
            return await self._first.preview(arguments)
        return await self._offer.preview(name, arguments)
