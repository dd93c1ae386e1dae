"""What a model is: one shape of a request, one port.

Whatever answers (a service over the network, a chain of them, the offline helper, a scripted
double) takes a `ModelRequest` and yields wire events; wrappers (retry, pace, pictures, fallback)
are models around a model.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from neodeskpet.core.flow import ContextReading
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import ModelMessage
from neodeskpet.core.turn.trace import ContextRemark, Tracer
from neodeskpet.core.wire import WireEvent


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call. `tools` is empty in a text dialect. `tool_choice` is auto, none, required
    or a tool's name. `dialect` names how tools travel (the offline helper needs to know it).
    `stops` are texts at which the model is to end, where the service can be told so. `remarks`
    are told to the person alone; `witness` hears what it leads to. `account` is the conversation
    that it is made for, "" for none. `reading` is what of it is whose; no service is told that.
    """

    system: str
    messages: Sequence[ModelMessage]
    tools: Sequence[ToolSpec] = ()
    tool_choice: str = "auto"
    dialect: str = "native"
    stops: tuple[str, ...] = ()
    remarks: tuple[ContextRemark, ...] = field(default=(), compare=False)
    tracer: Tracer | None = field(default=None, compare=False, repr=False)
    account: str = field(default="", compare=False)
    reading: ContextReading = field(default_factory=ContextReading, compare=False, repr=False)


class Model(Protocol):
    """A model service, or the offline helper, or a scripted double."""

    @property
    def label(self) -> str:
        """What the person sees: the model's name."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        """Yield the response; the last event is `ResponseFinished`. Raises LlmError.

        Closing the iterator (`aclosing`) closes the connection.
        """
        ...
