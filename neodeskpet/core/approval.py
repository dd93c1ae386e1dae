"""What asks the person first: looked at when the call comes, by the tool it calls.

A call of a tool that the turn doesn't know is never run, so there is nothing to ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from neodeskpet.core.toolspec import Risk, ToolSpec


class Policy(Protocol):
    """Answers each time anew: what the person says in the middle of a turn counts at once."""

    def asks(self, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        """Whether this call of the tool `spec` waits for the person."""
        ...


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """`always_allowed` holds the tools the person answered "always" for; it never covers a tool
    that runs programs. `ask_before_every_change` makes the companion's own changes ask too, but
    never the moves of its body.
    """

    always_allowed: frozenset[str] = field(default_factory=frozenset)
    ask_before_every_change: bool = False

    def asks(self, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        match spec.risk:
            case Risk.READ | Risk.BODY:
                return False
            case Risk.OWN:
                return self.ask_before_every_change and spec.name not in self.always_allowed
            case Risk.WRITE:
                return spec.name not in self.always_allowed
            case _:
                return True  # it runs programs; and so with any risk that is added here one day


CAREFUL: Policy = ApprovalPolicy()
"""What holds where nobody has said anything."""
