"""Blocks → the unified messages a model is sent.

Calls and results are always paired, roles always alternate between the two sides, and nothing that
only the person should see (notices) is sent. A protocol adapter or a text dialect turns these
messages into its own form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from neodeskpet.core.blocks import (
    Block,
    Document,
    Image,
    Message,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
)
from neodeskpet.core.untrusted import escape_markers, mark_untrusted

CONTINUE_TEXT = (
    "Go on exactly from where your last message stopped. Don't repeat what is already there, "
    "don't comment on the interruption."
)
DELETED_TEXT = (
    "(Nothing of the person's stands here: you spoke first, or what they said was deleted.)"
)
"""Stands where a conversation would begin with an answer: no provider takes that."""
_EDITED = (
    "(The person changed the arguments of this call before allowing it: those that stand in the "
    "call now are theirs.)"
)
_NO_RESULT = {
    ToolStatus.CANCELLED: "The call was cancelled by the person and not finished.",
    ToolStatus.DENIED: "The person didn't allow this call.",
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
    """`data` is the encoded picture; the conversation layer fills it in, the core only names it.
    `description` is what was seen in it, "" if nobody looked yet. `url` is the address to which the
    model layer uploaded it; it is sent instead of the data.
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
    """`continue_`: whether the model was to go on for it."""

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
    """One round: what the model wrote between two answers of ours."""

    parts: tuple[TextPart | ThinkingPart | CallPart, ...]


@dataclass(frozen=True, slots=True)
class ToolResults:
    """The results of the calls of the `AssistantTurn` just before, in the order of the calls."""

    results: tuple[ResultPart, ...]


ModelMessage = UserTurn | AssistantTurn | ToolResults


def render_pictures(turn: UserTurn, word: Callable[[ImagePart], str | None]) -> UserTurn:
    """`turn` with words in the place of those pictures for which `word` has some. They stand after
    what was said about them ("hello [图片:a cat]").
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
    """The conversation as a model reads it: the person begins, sides alternate, and the model has
    the next word.

    Where a reply stands unanswered (it was cut), the model is asked to go on from there.
    """
    taken: set[str] = set()
    out: list[ModelMessage] = []
    answers = False
    for message in messages:
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
    """`messages` with `words` of ours at their end."""
    out = list(messages)
    _append(out, UserTurn((TextPart(words),)))
    return out


def join_turns(messages: Iterable[ModelMessage]) -> list[ModelMessage]:
    """`messages`, of which two of the user's in a row become one."""
    out: list[ModelMessage] = []
    for message in messages:
        last = out[-1] if out else None
        if isinstance(message, UserTurn) and isinstance(last, UserTurn):
            out[-1] = UserTurn(last.parts + message.parts)
        else:
            out.append(message)
    return out


def _append(out: list[ModelMessage], turn: ModelMessage) -> None:
    last = out[-1] if out else None
    if isinstance(turn, UserTurn) and isinstance(last, UserTurn):
        out[-1] = UserTurn(last.parts + turn.parts)
        return
    if isinstance(turn, AssistantTurn) and isinstance(last, AssistantTurn):
        out.append(UserTurn((TextPart(CONTINUE_TEXT),)))
    out.append(turn)


def _user_turns(message: Message) -> Iterator[UserTurn]:
    """Quoted pictures come first, then the person's own, files, then the words about them."""
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
    """A file as the model reads it: others may have written what is in it."""
    part = ""
    if block.cut:
        of = f"pages 1–{block.pages_read} of {block.pages}" if block.pages else "the beginning"
        part = f" It was too long: only {of} stands here."
    if block.omitted:
        part += f" Not in it: {', '.join(map(str, block.omitted))}."
    text = escape_markers(block.text.replace("\f", "\n\n"))
    return f"(The person attached a file.{part})\n{mark_untrusted(text, 'file ' + block.name)}"


def _rounds(message: Message, taken: set[str]) -> Iterator[AssistantTurn | ToolResults | UserTurn]:
    for _, blocks in groupby(message.blocks, key=lambda block: block.round):
        inside = list(blocks)
        told = tuple(_task_ends(inside))
        if told:
            yield UserTurn(told)
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


MADE_PICTURES = "(The picture that you made:)"


def _made_pictures(blocks: Sequence[Block]) -> Iterator[TextPart | ImagePart]:
    """Pictures of the model's own go back in a message of the user's: few protocols take them in
    the model's.
    """
    for block in blocks:
        if isinstance(block, Image):
            yield TextPart(MADE_PICTURES)
            yield ImagePart(
                block.digest, block.media_type, description=escape_markers(block.description)
            )


def _result_pictures(blocks: Sequence[Block]) -> Iterator[TextPart | ImagePart]:
    """Pictures of results in a message of their own: not every protocol takes them in a result."""
    for block in blocks:
        if isinstance(block, ToolUse) and block.images and _is_complete(block):
            yield TextPart(f"(What {block.name} shows:)")
            yield from (ImagePart(one.digest, one.media_type) for one in block.images)


TASK_ENDED = "(The app tells you, not the person: a background task has ended."
"""How a user's message begins that the app wrote."""
_ASKED = 300
"""Characters of the arguments with which a task is named."""
_ENDS = {
    ToolStatus.SUCCESS: "done",
    ToolStatus.ERROR: "failed",
    ToolStatus.CANCELLED: "cancelled by the person",
    ToolStatus.INTERRUPTED: "lost, for the app ended",
}


def _task_ends(blocks: Sequence[Block]) -> Iterator[TextPart | ImagePart]:
    """How background tasks ended: told by the app, for no call of this request waits for it."""
    for block in blocks:
        if isinstance(block, ToolUse) and block.task:
            asked = escape_markers(f"{block.name} {block.raw_arguments[:_ASKED]}")
            end = _ENDS.get(block.status, "not run")
            head = f"{TASK_ENDED} {block.task}, {asked}: {end}.)"
            yield TextPart(f"{head}\n{result_text(block)}")
            yield from (ImagePart(one.digest, one.media_type) for one in block.images)


def _is_complete(call: ToolUse) -> bool:
    """A call that was cut off while it was written never existed for the model; a task is told
    otherwise.
    """
    if call.task:
        return False
    return call.arguments is not None or call.status is ToolStatus.ERROR


def _result(call: ToolUse, call_id: str) -> ResultPart:
    note = f"{_EDITED}\n" if call.edited else ""
    ok = call.status is ToolStatus.SUCCESS
    return ResultPart(call_id, call.name, note + result_text(call), ok, call.continue_)


def result_text(call: ToolUse) -> str:
    """What a model reads of a call that ended: its result, or why there is none."""
    ok = call.status is ToolStatus.SUCCESS
    said = call.output if ok else call.error
    if call.foreign and said and call.status in (ToolStatus.SUCCESS, ToolStatus.ERROR):
        said = mark_untrusted(said, call.name)
    return said if ok else said or _NO_RESULT.get(call.status, "The call has no result.")


def _unique(call_id: str, taken: set[str]) -> str:
    """Gateways reuse ids from turn to turn; within one request they must differ."""
    candidate, number = call_id, 2
    while candidate in taken:
        candidate, number = f"{call_id}_{number}", number + 1
    taken.add(candidate)
    return candidate
