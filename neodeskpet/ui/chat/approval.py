"""What a tool card needs about a call that asks for permission."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.grant_scope import Grant


class ApprovalInfo(Protocol):
    """Information about a call that asks for permission."""

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        """Return the possible meanings of "always", the narrowest first."""
        ...

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        """Return the JSON Schema of the arguments; empty if unknown."""
        ...

    def argument_error(self, message_id: str, index: int, arguments: Mapping[str, object]) -> str:
        """Return why the tool would refuse these arguments; "" if it accepts them."""
        ...


class NoApprovalInfo:
    """The `ApprovalInfo` of a view without an engine."""

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        return (Grant(call.name),)

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        return {}

    def argument_error(self, message_id: str, index: int, arguments: Mapping[str, object]) -> str:
        return ""
