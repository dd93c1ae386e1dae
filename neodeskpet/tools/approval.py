"""Which tools ask the person first: a pure policy over a tool's risk and the settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from neodeskpet.core.toolspec import Risk, ToolSpec


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """`always_allowed` holds the tools the person answered "always" for; it never covers a tool
    that runs programs. `ask_before_every_change` makes the companion's own changes ask too.
    """

    always_allowed: frozenset[str] = field(default_factory=frozenset)
    ask_before_every_change: bool = False


def asks(spec: ToolSpec, policy: ApprovalPolicy) -> bool:
    """Whether a call of this tool waits for the person."""
    match spec.risk:
        case Risk.READ:
            return False
        case Risk.OWN:
            return policy.ask_before_every_change and spec.name not in policy.always_allowed
        case Risk.WRITE:
            return spec.name not in policy.always_allowed
        case Risk.RUN:
            return True


def tools_that_ask(specs: Iterable[ToolSpec], policy: ApprovalPolicy) -> frozenset[str]:
    """The names of those of `specs` that ask, for `Turn(asks=...)`."""
    return frozenset(spec.name for spec in specs if asks(spec, policy))
