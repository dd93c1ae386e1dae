"""The events that a protocol adapter may yield. Failures are raised as `LlmError`, never yielded as
text.

Order: any number of deltas, then exactly one `ResponseFinished` as the last event. `index`
identifies a part of one response; the decoder numbers the parts itself and doesn't use the
provider's numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from neodeskpet.core.errors import KnownError


class StopReason(StrEnum):
    """Why the model stopped. Unknown reasons are OTHER; `ResponseFinished.raw` has the original
    word.
    """

    END = "end"
    TOOLS = "tools"
    LENGTH = "length"
    FILTER = "filter"
    MALFORMED = "malformed"
    """The service aborted the reply because it could not read a tool call of its model."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class TextDelta:
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class TextRetracted:
    """The text under this index was thinking: its closing tag came, and the opening tag was in the
    prompt.
    """

    index: int


@dataclass(frozen=True, slots=True)
class ThinkingRetracted:
    """The thinking under this index was text: its opening tag `opening` was never closed."""

    index: int
    opening: str


@dataclass(frozen=True, slots=True)
class PictureReceived:
    """An encoded picture that the model made. `media_type` is the service's statement, "" if there
    is none.
    """

    index: int
    data: bytes = field(repr=False)
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class RefusalDelta:
    """Text with which the model refuses to answer (OpenAI `refusal`)."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """`opaque` is data that the provider wants back (signature, encrypted part), as JSON text."""

    index: int
    text: str
    opaque: str = ""


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """`call_id` is the provider's, "" if it sent none; `name` is the wire name.

    `opaque` is data that must be sent back with this call (Gemini's thoughtSignature), as JSON
    text. `leaked`: the call was found in the text of the reply.
    """

    index: int
    call_id: str
    name: str
    opaque: str = ""
    leaked: bool = False


@dataclass(frozen=True, slots=True)
class ToolArgsDelta:
    """`json` is appended to the earlier deltas; it is never merged or replaced."""

    index: int
    json: str


@dataclass(frozen=True, slots=True)
class ToolCallReady:
    """The arguments are complete (but not necessarily valid)."""

    index: int


@dataclass(frozen=True, slots=True)
class UsageReported:
    """Tokens of this response; the last report counts. `raw` is the provider's own object. `cost`
    in `currency` is set if the model's prices are known.
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
    """The display name of the model that answers; it may be a fallback for another."""

    label: str


@dataclass(frozen=True, slots=True)
class RetryAnnounced:
    """The request is retried; nothing was shown yet. `delay` is in seconds."""

    attempt: int
    delay: float
    code: str


class CueKind(StrEnum):
    EXPRESSION = "expression"
    MOTION = "motion"
    LINE = "line"
    """The end of a line that is spoken by itself. The name is that of the expression shown
    meanwhile, "" for none.
    """


@dataclass(frozen=True, slots=True)
class CueReached:
    """A cue in the text (`[表情:smile]`), already removed from it. The name is the one that
    the model wrote and need not exist.
    """

    kind: CueKind
    name: str


@dataclass(frozen=True, slots=True)
class DescriptionAnnounced:
    """`count` pictures are being described for a model that can't see; nothing was shown yet."""

    count: int


@dataclass(frozen=True, slots=True)
class PictureDescribed:
    """The description of the picture `digest` by a vision model."""

    digest: str
    description: str


@dataclass(frozen=True, slots=True)
class DescriptionFailed:
    """A picture could not be described. The response continues without it."""

    error: KnownError


@dataclass(frozen=True, slots=True)
class LoadingAnnounced:
    """A local model is being loaded; or, if `ready`, it is loaded and reads the conversation, which
    may take as long. Nothing of the reply was shown.
    """

    model: str
    ready: bool = False


@dataclass(frozen=True, slots=True)
class WaitAnnounced:
    """Nothing of the reply has arrived for this many seconds since the request."""

    seconds: float


@dataclass(frozen=True, slots=True)
class ToolsDropped:
    """Tools don't work here: the service answered only without them, or its model doesn't call any.
    `error` says which.
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
    """Yield the event; a text longer than PIECE_CHARACTERS is split into several equivalent events,
    so that the consumer can do other work in between.
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
