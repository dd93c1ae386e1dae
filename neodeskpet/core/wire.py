"""What a protocol adapter may yield. Failures are raised as `LlmError`, never yielded as text.

Order: any number of deltas, then `ResponseFinished` exactly once and last. `index` tells parts of
one response apart; it is the decoder's own numbering, never a provider's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from neodeskpet.core.errors import KnownError


class StopReason(StrEnum):
    """Why the model stopped. Unknown reasons are OTHER; the raw word stays in `raw`."""

    END = "end"
    TOOLS = "tools"
    LENGTH = "length"
    FILTER = "filter"
    MALFORMED = "malformed"
    """The service gave up the reply: its model wrote a tool call that it could not read."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class TextDelta:
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class TextRetracted:
    """What was told as text under this index was thinking: its closing tag came, and the opening
    one stood in the prompt.
    """

    index: int


@dataclass(frozen=True, slots=True)
class ThinkingRetracted:
    """What was told as thinking under this index was text: `opening`, its tag, was never closed."""

    index: int
    opening: str


@dataclass(frozen=True, slots=True)
class PictureReceived:
    """A picture that the model made, encoded. `media_type` is what the service calls it, "" if it
    doesn't.
    """

    index: int
    data: bytes = field(repr=False)
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class RefusalDelta:
    """The model's own words of refusal (OpenAI `refusal`)."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """`opaque` is what the provider wants echoed (signature, encrypted part), as JSON text."""

    index: int
    text: str
    opaque: str = ""


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """`call_id` is the provider's, or "" when it sent none; `name` as it came on the wire.

    `opaque` is what must be echoed on this very call (Gemini's thoughtSignature), as JSON text.
    `leaked`: it was found in the text of the reply.
    """

    index: int
    call_id: str
    name: str
    opaque: str = ""
    leaked: bool = False


@dataclass(frozen=True, slots=True)
class ToolArgsDelta:
    """`json` is appended to what came before; it is never merged or replaced."""

    index: int
    json: str


@dataclass(frozen=True, slots=True)
class ToolCallReady:
    """The arguments are complete (not necessarily valid)."""

    index: int


@dataclass(frozen=True, slots=True)
class UsageReported:
    """Tokens of this response; the last report wins. `raw` is the provider's own object. `cost` in
    `currency` where the model's prices are known.
    """

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    thinking_tokens: int = 0
    raw: Mapping[str, object] | None = None
    cost: float | None = None
    currency: str = ""


@dataclass(frozen=True, slots=True)
class ModelNamed:
    """The model that answers, as the person calls it; it may stand in for another."""

    label: str


@dataclass(frozen=True, slots=True)
class RetryAnnounced:
    """Nothing was shown yet and the request is tried again. `delay` in seconds."""

    attempt: int
    delay: float
    code: str


class CueKind(StrEnum):
    EXPRESSION = "expression"
    MOTION = "motion"
    LINE = "line"
    """A line that is said by itself ends here; the name is that of the expression which shows
    while it is said, "" for none.
    """


@dataclass(frozen=True, slots=True)
class CueReached:
    """A stage direction in the text (`[表情:smile]`), already taken out of it. The name as the
    model wrote it, which need not exist.
    """

    kind: CueKind
    name: str


@dataclass(frozen=True, slots=True)
class DescriptionAnnounced:
    """`count` pictures are looked at for a model that can't see; nothing was shown yet."""

    count: int


@dataclass(frozen=True, slots=True)
class PictureDescribed:
    """What a model that sees found in the picture `digest`."""

    digest: str
    description: str


@dataclass(frozen=True, slots=True)
class DescriptionFailed:
    """A picture could not be described. The response goes on without it."""

    error: KnownError


@dataclass(frozen=True, slots=True)
class LoadingAnnounced:
    """A model of this computer is only now read into memory; or, `ready`, it is there and reads the
    conversation, which may take as long. Nothing of the reply was shown.
    """

    model: str
    ready: bool = False


@dataclass(frozen=True, slots=True)
class WaitAnnounced:
    """Nothing of the reply has come for this many seconds since it was asked for."""

    seconds: float


@dataclass(frozen=True, slots=True)
class ToolsDropped:
    """Tools are of no use here: the service answered only once it was asked without them, or its
    model doesn't call any. `error` says so.
    """

    error: KnownError


@dataclass(frozen=True, slots=True)
class ResponseFinished:
    """The last event of a response. `raw` is the provider's finish reason, None if it sent none."""

    stop: StopReason
    raw: str | None = None


WireEvent = (
    TextDelta
    | TextRetracted
    | ThinkingRetracted
    | PictureReceived
    | RefusalDelta
    | ThinkingDelta
    | ToolCallStarted
    | ToolArgsDelta
    | ToolCallReady
    | UsageReported
    | ModelNamed
    | CueReached
    | RetryAnnounced
    | DescriptionAnnounced
    | PictureDescribed
    | DescriptionFailed
    | ToolsDropped
    | LoadingAnnounced
    | WaitAnnounced
    | ResponseFinished
)

PIECE_CHARACTERS = 16_000


def pieces_of(event: WireEvent) -> Iterator[WireEvent]:
    """The event, or for a text longer than `PIECE` characters several that together are the same:
    whoever reads them can look up in between.
    """
    if isinstance(event, TextDelta | ThinkingDelta) and len(event.text) > PIECE_CHARACTERS:
        for start in range(0, len(event.text), PIECE_CHARACTERS):
            piece = replace(event, text=event.text[start : start + PIECE_CHARACTERS])
            last = start + PIECE_CHARACTERS >= len(event.text)
            if isinstance(piece, ThinkingDelta) and not last:
                piece = replace(piece, opaque="")
            yield piece
    else:
        yield event
