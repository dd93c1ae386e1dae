"""An approval policy by tool name, for tests."""

from __future__ import annotations

from collections.abc import Mapping

from neodeskpet.core.data_labels import FlowQuestion
from neodeskpet.core.information_flow import ContextReading
from neodeskpet.core.toolspec import ToolSpec


class AskFor:
    """These tools ask; `names` may change while a turn runs."""

    def __init__(self, *names: str) -> None:
        self.names = set(names)

    def asks(self, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        return spec.name in self.names

    def flow(
        self, spec: ToolSpec, arguments: Mapping[str, object], reading: ContextReading, found: int
    ) -> FlowQuestion | None:
        return None
