"""Converts blocks to the unified messages that are sent to a model.

Calls and results are always paired, the two roles always alternate, and content for the user only
(notices) is left out. A reply that the user interrupted by speaking is cut where they stopped
hearing it. A protocol adapter or a text dialect converts these messages to its own form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from neodeskpet.core.blocks import (
    Block,
    Document,
    Image,
    Message,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
)
from neodeskpet.core.errors import SpeechInterrupted
from neodeskpet.core.untrusted import escape_markers, mark_untrusted

CONTINUE_TEXT = (
    "Go on exactly from where your last message stopped. Don't repeat what is already there, "
    "don't comment on the interruption."
)
DELETED_TEXT = (
    "(There is no message of the user here: you wrote first, or the message was deleted.)"
)
"""Replaces a missing first user message: no provider accepts a conversation that begins with a
reply.
"""
INTERRUPTED_TEXT = (
    "(The user interrupted you by speaking while your last reply was read aloud. They heard only "
    "the part of it that is above.)"
)
_EDITED = (
    "(The user changed the arguments of this call before allowing it: the arguments in the call "
    "are now the user's.)"
)
_NO_RESULT = {
    ToolStatus.CANCELLED: "The call was cancelled by the user and not finished.",
    ToolStatus.DENIED: "The user didn't allow this call.",
    ToolStatus.INTERRUPTED: "Not run: the reply broke off before the call could run.",
    ToolStatus.ERROR: "The tool failed.",
}


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    text: str
    opaque: str = ""


@dataclass(frozen=True, slots=True)
class ImagePart:
    """`data` is the encoded picture; the conversation layer fills it in, the core has only the
    digest. `description` is the text of a vision model, "" if there is none. `url` is the address
    to which the model layer uploaded the picture; it is sent instead of the data.
    """

    digest: str
    media_type: str
    data: bytes = field(default=b"", repr=False)
    description: str = ""
    quoted: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class CallPart:
    call_id: str
    name: str
    arguments: Mapping[str, object]
    opaque: str = ""


@dataclass(frozen=True, slots=True)
class ResultPart:
    """`continue_`: whether the model continues after this result."""

    call_id: str
    name: str
    output: str
    ok: bool
    continue_: bool = True


@dataclass(frozen=True, slots=True)
class UserTurn:
    parts: tuple[TextPart | ImagePart, ...]


@dataclass(frozen=True, slots=True)
class AssistantTurn:
    """One round: the output of the model between two inputs."""

    parts: tuple[TextPart | ThinkingPart | CallPart, ...]


@dataclass(frozen=True, slots=True)
class ToolResults:
    """The results of the calls in the preceding `AssistantTurn`, in the order of the calls."""

    results: tuple[ResultPart, ...]


ModelMessage = UserTurn | AssistantTurn | ToolResults


def render_pictures(turn: UserTurn, word: Callable[[ImagePart], str | None]) -> UserTurn:
    """Return `turn` with pictures replaced by the text that `word` returns for them, if any. The
    text comes after the user's text ("hello [图片:a cat]").
    """
    parts: list[TextPart | ImagePart] = []
    marks: list[str] = []
    for part in turn.parts:
        if isinstance(part, TextPart):
            parts.append(TextPart(" ".join((part.text, *marks))))
            marks.clear()
        elif (mark := word(part)) is not None:
            marks.append(mark)
        else:
            parts.append(part)
    return UserTurn((*parts, TextPart(" ".join(marks))) if marks else tuple(parts))


def build_transcript(messages: Iterable[Message]) -> list[ModelMessage]:
    """Return the conversation as a model reads it: it begins with the user, roles alternate, and
    the model is next.

    If the last message is an incomplete reply, a text asks the model to continue it.
    """
    taken: set[str] = set()
    out: list[ModelMessage] = []
    answers = False
    for message in _cut_interrupted(messages):
        answers = answers or message.role is Role.ASSISTANT
        turns = _user_turns(message) if message.role is Role.USER else _rounds(message, taken)
        for turn in turns:
            _append(out, turn)
    if answers and not isinstance(out[0] if out else None, UserTurn):
        out.insert(0, UserTurn((TextPart(DELETED_TEXT),)))
    if out and isinstance(out[-1], AssistantTurn):
        out.append(UserTurn((TextPart(CONTINUE_TEXT),)))
    return out


def append_text(messages: Iterable[ModelMessage], words: str) -> list[ModelMessage]:
    """Return `messages` with the app's text `words` at the end."""
    out = list(messages)
    _append(out, UserTurn((TextPart(words),)))
    return out


def join_turns(messages: Iterable[ModelMessage]) -> list[ModelMessage]:
    """Return `messages` with consecutive user messages joined."""
    out: list[ModelMessage] = []
    for message in messages:
        last = out[-1] if out else None
        if isinstance(message, UserTurn) and isinstance(last, UserTurn):
            out[-1] = UserTurn(last.parts + message.parts)
        else:
            out.append(message)
    return out


def _cut_interrupted(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages with each interrupted reply cut at the last heard word."""
    whole = list(messages)
    kept = {
        block.params.get("message", ""): block.params.get("kept", "")
        for message in whole
        for block in message.blocks
        if isinstance(block, Notice) and block.code == SpeechInterrupted.code
    }
    for message in whole:
        length = kept.get(message.id, "")
        yield _cut_text(message, int(length)) if length.isdecimal() else message


def _cut_text(message: Message, length: int) -> Message:
    """Return `message` with the first `length` characters of its text."""
    blocks: list[Block] = []
    for block in message.blocks:
        if isinstance(block, Text):
            blocks.append(replace(block, text=block.text[:length]))
            length = max(0, length - len(block.text))
        else:
            blocks.append(block)
    return replace(message, blocks=tuple(blocks))


def _append(out: list[ModelMessage], turn: ModelMessage) -> None:
    last = out[-1] if out else None
    if isinstance(turn, UserTurn) and isinstance(last, UserTurn):
        out[-1] = UserTurn(last.parts + turn.parts)
        return
    if isinstance(turn, AssistantTurn) and isinstance(last, AssistantTurn):
        out.append(UserTurn((TextPart(CONTINUE_TEXT),)))
    out.append(turn)


def _user_turns(message: Message) -> Iterator[UserTurn]:
    """Yield the user's content: quoted pictures first, then the user's own pictures, files, and the
    text.
    """
    images = [block for block in message.blocks if isinstance(block, Image)]
    parts: list[TextPart | ImagePart] = [
        ImagePart(
            image.digest,
            image.media_type,
            description=escape_markers(image.description),
            quoted=image.quoted,
        )
        for image in sorted(images, key=lambda image: not image.quoted)
    ]
    parts += [TextPart(_document(b)) for b in message.blocks if isinstance(b, Document)]
    parts += [TextPart(b.text) for b in message.blocks if isinstance(b, Text) and b.text]
    if parts:
        yield UserTurn(tuple(parts))


def _document(block: Document) -> str:
    """Return a file as the model reads it, marked as untrusted: others may have written it."""
    part = ""
    if block.cut:
        of = f"pages 1–{block.pages_read} of {block.pages}" if block.pages else "the beginning"
        part = f" It was too long: it contains only {of}."
    if block.omitted:
        part += f" Not in it: {', '.join(map(str, block.omitted))}."
    text = escape_markers(block.text.replace("\f", "\n\n"))
    return f"(The user attached a file.{part})\n{mark_untrusted(text, 'file ' + block.name)}"


def _rounds(message: Message, taken: set[str]) -> Iterator[AssistantTurn | ToolResults | UserTurn]:
    for _, blocks in groupby(message.blocks, key=lambda block: block.round):
        inside = list(blocks)
        extra = (*_task_ends(inside), *_interruptions(inside))
        if extra:
            yield UserTurn(extra)
        parts, results = _round(inside, taken)
        if any(not isinstance(part, ThinkingPart) for part in parts):
            yield AssistantTurn(tuple(parts))
        if results:
            yield ToolResults(tuple(results))
        pictures = (*_made_pictures(inside), *_result_pictures(inside))
        if pictures:
            yield UserTurn(pictures)


def _round(
    blocks: Sequence[Block], taken: set[str]
) -> tuple[list[TextPart | ThinkingPart | CallPart], list[ResultPart]]:
    parts: list[TextPart | ThinkingPart | CallPart] = []
    results: list[ResultPart] = []
    for block in blocks:
        match block:
            case Text(text=text) if text.strip():
                parts.append(TextPart(text))
            case Thinking(text=text, opaque=opaque) if text or opaque:
                parts.append(ThinkingPart(text, opaque))
            case ToolUse() if _is_complete(block):
                call_id = _unique(block.call_id, taken)
                parts.append(CallPart(call_id, block.name, block.arguments or {}, block.opaque))
                results.append(_result(block, call_id))
            case _:
                pass
    return parts, results


def _interruptions(blocks: Sequence[Block]) -> Iterator[TextPart]:
    for block in blocks:
        if isinstance(block, Notice) and block.code == SpeechInterrupted.code:
            yield TextPart(INTERRUPTED_TEXT)


MADE_PICTURES = "(The picture that you made:)"


def _made_pictures(blocks: Sequence[Block]) -> Iterator[TextPart | ImagePart]:
    """Yield the model's own pictures for a user message: few protocols accept pictures in assistant
    messages.
    """
    for block in blocks:
        if isinstance(block, Image):
            yield TextPart(MADE_PICTURES)
            yield ImagePart(
                block.digest, block.media_type, description=escape_markers(block.description)
            )


def _result_pictures(blocks: Sequence[Block]) -> Iterator[TextPart | ImagePart]:
    """Yield pictures of tool results for a message of their own: not every protocol accepts
    pictures in results.
    """
    for block in blocks:
        if isinstance(block, ToolUse) and block.images and _is_complete(block):
            yield TextPart(f"(What {block.name} shows:)")
            yield from (ImagePart(one.digest, one.media_type) for one in block.images)


TASK_ENDED = "(The app tells you, not the user: a background task has ended."
"""The beginning of a user message that the app writes."""
_ASKED = 300
"""Characters of the arguments in the report of a task."""
_ENDS = {
    ToolStatus.SUCCESS: "done",
    ToolStatus.ERROR: "failed",
    ToolStatus.CANCELLED: "cancelled by the user",
    ToolStatus.INTERRUPTED: "lost because the app ended",
}


def _task_ends(blocks: Sequence[Block]) -> Iterator[TextPart | ImagePart]:
    """Yield the reports of ended background tasks as the app's text, because no call in this
    request waits for them.
    """
    for block in blocks:
        if isinstance(block, ToolUse) and block.task:
            asked = escape_markers(f"{block.name} {block.raw_arguments[:_ASKED]}")
            end = _ENDS.get(block.status, "not run")
            head = f"{TASK_ENDED} {block.task}, {asked}: {end}.)"
            yield TextPart(f"{head}\n{result_text(block)}")
            yield from (ImagePart(one.digest, one.media_type) for one in block.images)


def _is_complete(call: ToolUse) -> bool:
    """Return whether the call is sent to the model: not if its arguments are incomplete, and not if
    it reports a background task.
    """
    if call.task:
        return False
    return call.arguments is not None or call.status is ToolStatus.ERROR


def _result(call: ToolUse, call_id: str) -> ResultPart:
    note = f"{_EDITED}\n" if call.edited else ""
    ok = call.status is ToolStatus.SUCCESS
    return ResultPart(call_id, call.name, note + result_text(call), ok, call.continue_)


def result_text(call: ToolUse) -> str:
    """Return the text of an ended call for the model: its result, or why there is none."""
    ok = call.status is ToolStatus.SUCCESS
    said = call.output if ok else call.error
    if call.foreign and said and call.status in (ToolStatus.SUCCESS, ToolStatus.ERROR):
        said = mark_untrusted(said, call.name)
    return said if ok else said or _NO_RESULT.get(call.status, "The call has no result.")


def _unique(call_id: str, taken: set[str]) -> str:
    """Return a call id that is unique in the request; gateways reuse ids in later turns."""
    candidate, number = call_id, 2
    while candidate in taken:
        candidate, number = f"{call_id}_{number}", number + 1
    taken.add(candidate)
    return candidate
