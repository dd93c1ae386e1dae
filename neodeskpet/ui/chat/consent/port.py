"""What a card that asks needs to know; `app/consent.py` answers with the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.scope import Grant


class ApprovalInfo(Protocol):
    """About a call that asks."""

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        """What "always" could mean for it, the narrowest first."""
        ...

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        """The JSON Schema of its arguments; empty where that isn't known."""
        ...

    def argument_error(self, message_id: str, index: int, arguments: Mapping[str, object]) -> str:
        """Why the tool would refuse these arguments; "" if it takes them."""
        ...


class NoApprovalInfo:
    """A view that stands alone."""

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        return (Grant(call.name),)

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        return {}

    def argument_error(self, message_id: str, index: int, arguments: Mapping[str, object]) -> str:
        return ""
