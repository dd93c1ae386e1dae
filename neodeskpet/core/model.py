"""The interface of models: one request type and one protocol, for models that write text and for
models that make vectors. A service, a chain of services, the offline helper and the scripted double
all take a `ModelRequest` and yield wire events. Wrappers are models that use another model.
"""

from __future__ import annotations

from array import array
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from neodeskpet.core.information_flow import ContextReading
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import ModelMessage
from neodeskpet.core.turn.turn_trace import ContextRemark, Tracer
from neodeskpet.core.wire import WireEvent


@dataclass(frozen=True, slots=True)
class Vectors:
    """One vector for each text, in order and of equal length, as four-byte floats ("f") in the
    service's own scale. `model` is the model's name at the service: vectors of different models
    can't be compared. `tokens` is 0 if the service doesn't report them.
    """

    rows: tuple[array[float], ...]
    model: str
    tokens: int = 0


class Embedder(Protocol):
    """Makes vectors of texts, always with the same model."""

    @property
    def label(self) -> str:
        """The model's name, for the user."""
        ...

    @property
    def model(self) -> str:
        """The id of the model: only vectors with the same id can be compared."""
        ...

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return the vectors of any number of texts, none of them empty. `query`: the texts are
        search queries, not the texts to find; some models distinguish them. Raises LlmError.
        """
        ...


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call. `tools` is empty in a text dialect. `tool_choice` is auto, none, required or
    the name of a tool. `dialect` is the form of tool calls (the offline helper needs it). The model
    should stop at the texts in `stops`, if the service supports that. `remarks` are shown only to
    the user. `tracer` records the events of the request. `account` is the id of the conversation,
    "" for none. `reading` says who wrote which part; it is never sent.
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
    """A model service, the offline helper, or a scripted double."""

    @property
    def label(self) -> str:
        """The model's name, for the user."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        """Yield the response; the last event is `ResponseFinished`. Raises LlmError.

        Closing the iterator (`aclosing`) closes the connection.
        """
        ...
