"""Describes pictures for models that can't see: another model describes them, and the text is sent
instead of the picture.

Whether a model accepts pictures is known from the catalogue or from its name. If it is unknown and
another model can describe the picture, the description is sent, because some services ignore
pictures without an error. If no model can describe it, the picture itself is sent. If the service
then refuses it, the model counts as unable to see from then on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from neodeskpet.core.attachments import picture_text
from neodeskpet.core.errors import (
    EmptyReply,
    KnownError,
    LlmError,
    PictureNotDescribed,
    PictureNotUploaded,
    StreamBroken,
)
from neodeskpet.core.i18n import N_, fill
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.transcript import ImagePart, ModelMessage, TextPart, UserTurn, render_pictures
from neodeskpet.core.turn.turn_trace import Tracer
from neodeskpet.core.wire import (
    DescriptionAnnounced,
    DescriptionFailed,
    PictureDescribed,
    TextDelta,
    WireEvent,
)
from neodeskpet.language import language
from neodeskpet.llm.chain.model_selection import ModelChoice
from neodeskpet.llm.protocols.provider_errors import refuses_pictures

StoreDescription = Callable[[str, str], Awaitable[None]]
"""Stores the description of a picture under its digest. May raise KnownError."""

DESCRIPTION_SECONDS = 120.0
"""Time limit of a description, in seconds."""
_LONGEST = 2_000
_REASON = 200
_ASK = (
    "Describe this picture for somebody who can't see it but has to talk about it: what it shows, "
    "where things are, what stands out; all text in it word for word. At most 150 words, no "
    "introduction, no comment. Write in {language}."
)
_LANGUAGES = {"zh_CN": "Chinese (简体中文)"}

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class VisionFailures:
    """Failures of this run: `models` (endpoint, id) that refused a picture, and the reasons why
    `pictures` could not be described.
    """

    models: set[tuple[str, str]] = field(default_factory=set)
    pictures: dict[str, KnownError] = field(default_factory=dict)

    def contains(self, choice: ModelChoice) -> bool:
        return _name(choice) in self.models

    def add(self, choice: ModelChoice) -> None:
        self.models.add(_name(choice))


def _name(choice: ModelChoice) -> tuple[str, str]:
    return choice.endpoint.name, choice.entry.id


class PictureDescriber:
    """Describes the pictures of one turn. `model` accepts pictures, None if no model does; `keep`
    stores its descriptions. A failed picture isn't tried again in this turn, and in later turns
    only if the user sends it again.
    """

    def __init__(
        self, model: Model | None, keep: StoreDescription, blindness: VisionFailures
    ) -> None:
        self.blindness = blindness
        self._model = model
        self._keep = keep
        self._found: dict[str, str] = {}
        self._missed: dict[str, KnownError] = {}

    @property
    def can_describe(self) -> bool:
        return self._model is not None

    def undescribed(self, request: ModelRequest) -> list[ImagePart]:
        """Return the pictures of `request` that have no description yet, each once."""
        last = request.messages[-1] if request.messages else None
        fresh = {part.digest for part in _pictures([last])} if last is not None else set()
        wanted: dict[str, ImagePart] = {}
        for part in _pictures(request.messages):
            known = part.description or part.digest in self._found or part.digest in self._missed
            given_up = part.digest in self.blindness.pictures and part.digest not in fresh
            if not known and not given_up:
                wanted[part.digest] = part
        return list(wanted.values())

    async def describe(
        self,
        parts: Sequence[ImagePart],
        tracer: Tracer | None = None,
        account: str = "",
    ) -> list[PictureDescribed | DescriptionFailed]:
        """Describe these pictures; `account` is charged. Return the descriptions, and one failure
        for all pictures that could not be described.
        """
        reads: list[PictureDescribed | DescriptionFailed] = []
        results = await asyncio.gather(*(self._describe(part, tracer, account) for part in parts))
        for part, result in zip(parts, results, strict=True):
            if isinstance(result, str):
                self._found[part.digest] = result
                self.blindness.pictures.pop(part.digest, None)
                reads.append(PictureDescribed(part.digest, result))
            else:
                self._missed[part.digest] = self.blindness.pictures[part.digest] = result
        missed = [result for result in results if not isinstance(result, str)]
        if missed:
            reads.append(DescriptionFailed(_unseen(missed[0])))
        return reads

    async def _describe(
        self, part: ImagePart, tracer: Tracer | None, account: str
    ) -> str | KnownError:
        if self._model is None:
            return PictureNotDescribed(reason=N_("No model that sees pictures is set up."))
        try:
            async with asyncio.timeout(DESCRIPTION_SECONDS):
                text = await _ask(self._model, part, tracer, account)
        except TimeoutError:
            return StreamBroken(
                reason=N_("No data for {seconds} s."), seconds=f"{DESCRIPTION_SECONDS:g}"
            )
        except KnownError as error:
            _log.warning("A picture could not be described: %s", error)
            return error
        try:
            await self._keep(part.digest, text)
        except KnownError as error:
            _log.warning("A description could not be kept: %s", error)
        return text

    def render(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """Return the request with descriptions in place of the pictures."""
        return [
            render_pictures(one, self._mark) if isinstance(one, UserTurn) else one
            for one in messages
        ]

    def _mark(self, part: ImagePart) -> str:
        return picture_text(self._description(part), quoted=part.quoted)

    def _description(self, part: ImagePart) -> str:
        found = part.description or self._found.get(part.digest)
        if found:
            return found
        failed = self._missed.get(part.digest) or self.blindness.pictures.get(part.digest)
        reason = _why(failed) if failed is not None else "the picture is gone"
        return f"(could not be described: {reason})"


class VisionFallbackModel:
    """Sends pictures to `model` if it accepts them; otherwise, or if they can't be uploaded, their
    descriptions. One is created for each turn.
    """

    def __init__(self, model: Model, choice: ModelChoice, describer: PictureDescriber) -> None:
        self._model = model
        self._choice = choice
        self._describer = describer
        self._upload_failed = False

    @property
    def label(self) -> str:
        return self._model.label

    def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        if not _pictures(request.messages):
            return self._model.stream(request)
        return self._show(request)

    async def _show(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        if self._may_see():
            shown = False
            try:
                async with aclosing(self._model.stream(request)) as events:
                    async for event in events:
                        shown = True
                        yield event
                return
            except PictureNotUploaded as error:
                _log.warning("%s: %s", self._model.label, error)
                self._upload_failed = True
            except LlmError as error:
                if shown or not refuses_pictures(error):
                    raise
                _log.info("%s takes no pictures", self._model.label)
                self._describer.blindness.add(self._choice)
        unknown = self._describer.undescribed(request)
        if unknown:
            _log.info("%s can't see: %d pictures are described to it", self.label, len(unknown))
            yield DescriptionAnnounced(len(unknown))
            for read in await self._describer.describe(unknown, request.tracer, request.account):
                yield read
        described = replace(request, messages=self._describer.render(request.messages))
        async with aclosing(self._model.stream(described)) as events:
            async for event in events:
                yield event

    def _may_see(self) -> bool:
        if self._upload_failed or self._describer.blindness.contains(self._choice):
            return False
        return self._choice.vision or (
            self._choice.vision_unknown and not self._describer.can_describe
        )


def _pictures(messages: Sequence[ModelMessage]) -> list[ImagePart]:
    return [
        part
        for message in messages
        if isinstance(message, UserTurn)
        for part in message.parts
        if isinstance(part, ImagePart)
    ]


async def _ask(model: Model, part: ImagePart, tracer: Tracer | None, account: str) -> str:
    """Return what `model` sees in the picture, on one line. Raises KnownError."""
    wanted = _ASK.format(language=_LANGUAGES.get(language(), "English"))
    asked = UserTurn((replace(part, description=""), TextPart(wanted)))
    question = ModelRequest("", (asked,), tool_choice="none", tracer=tracer, account=account)
    async with aclosing(model.stream(question)) as events:
        pieces = [event.text async for event in events if isinstance(event, TextDelta)]
    text = " ".join("".join(pieces).split())[:_LONGEST]
    if not text:
        raise EmptyReply
    return text


def _why(error: KnownError) -> str:
    """The reason for the model, in English and on one line."""
    said = f"{fill(error.params.get('reason', error.what), error.params)} {error.detail}"
    return " ".join(said.split())[:_REASON]


def _unseen(error: KnownError) -> PictureNotDescribed:
    """Return the error as a failure to describe a picture, with its own text as the reason."""
    if isinstance(error, PictureNotDescribed):
        return error
    detail = " ".join(error.detail.split())[:_REASON]
    seen = PictureNotDescribed(detail)
    seen.params = {"reason": error.what, **error.params}
    return seen
