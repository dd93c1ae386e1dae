"""What a model is: one request type and one interface, for models that write text and for models
that make vectors. A service, a chain of services, the offline helper and the scripted double all
take a `ModelRequest` and yield wire events; wrappers are models around a model.
"""

from __future__ import annotations

from array import array
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from neodeskpet.core.i18n import N_
from neodeskpet.core.information_flow import ContextReading
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import ModelMessage
from neodeskpet.core.turn.turn_trace import ContextRemark, Tracer
from neodeskpet.core.wire import WireEvent

MODE_NAMES = {"native": N_("Native"), "text": N_("Text"), "auto": N_("Auto")}
"""In the order in which they are offered."""

MODE_NOTES = {
    "native": N_("Tools travel in the service's own form. Stops and says so if it can't."),
    "text": N_("Tools travel in the text. Works with every model."),
    "auto": N_("Begins native; offers text mode if the service can't use tools."),
}


def mode_name(mode: str) -> str:
    """The English name, for `tr`; an unknown mode stays as it is."""
    return MODE_NAMES.get(mode, mode)


@dataclass(frozen=True, slots=True)
class Vectors:
    """One vector for each text, in their order and all of one length; of four-byte floats ("f"), in
    the service's own scale. `model` is what made them, as the service calls it: vectors of another
    model can't be compared with them. `tokens` is 0 where the service doesn't tell.
    """

    rows: tuple[array[float], ...]
    model: str
    tokens: int = 0


class Embedder(Protocol):
    """What makes vectors of texts: always the same model."""

    @property
    def label(self) -> str:
        """The model's name, for the person."""
        ...

    @property
    def model(self) -> str:
        """What its vectors can be compared by: those of another are of another kind."""
        ...

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Any number of texts, none of them empty. `query`: they are what is searched for, not what
        is found; some models make a difference. Raises LlmError.
        """
        ...


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
