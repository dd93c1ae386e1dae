"""Tests an endpoint: which features work, and which mode to use. Every step sends a small real
request.
"""

from __future__ import annotations

import asyncio
import struct
import time
import zlib
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from neodeskpet.core.dialects import DIALECTS, NATIVE, Dialect
from neodeskpet.core.dialects.leaked import LeakReader
from neodeskpet.core.errors import (
    BadReply,
    InvalidAddress,
    LlmError,
    ReplyError,
    RequestRefused,
    StreamBroken,
)
from neodeskpet.core.i18n import N_
from neodeskpet.core.model import Embedder, Model, ModelRequest
from neodeskpet.core.toolspec import ToolNames, ToolSpec
from neodeskpet.core.transcript import (
    CallPart,
    ImagePart,
    ResultPart,
    TextPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.core.wire import ResponseFinished, StopReason, TextDelta, ToolCallStarted
from neodeskpet.llm.catalog.known_models import ThinkingForm, known_model, render_effort
from neodeskpet.llm.chain.model_wrappers import RetryingModel, RetryPolicy, SleepSeconds
from neodeskpet.llm.endpoint_test.endpoint_advice import TEXT_FORMS, wants_text
from neodeskpet.llm.endpoint_test.endpoint_advice import StepOutcome as StepOutcome
from neodeskpet.llm.endpoint_test.endpoint_advice import StepResult as StepResult
from neodeskpet.llm.endpoint_test.endpoint_advice import suggested_mode as suggested_mode
from neodeskpet.llm.endpoint_test.observed_reply import (
    CallNumbers,
    ObservedCall,
    ObservedReply,
    observed_protocol,
)
from neodeskpet.llm.http_client import STALL_SECONDS, HttpClient, HttpModel
from neodeskpet.llm.http_embedder import HttpEmbedder
from neodeskpet.llm.protocols.protocol import ModelOptions, ModelProtocol


def plain_png(red: int, green: int, blue: int, side: int = 64) -> bytes:
    """Return a square PNG of one colour (0..255 per channel), `side` pixels wide."""
    row = b"\0" + bytes((red, green, blue)) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(row * side, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(name + data))
    return struct.pack(">I", len(data)) + name + data + checksum


@dataclass(frozen=True, slots=True)
class StepTiming:
    """The clock, and the time limit of one request in seconds."""

    clock: Callable[[], float] = time.monotonic
    time_limit: float = 45.0


_WATCH = StepTiming()


_ECHO = ToolSpec(
    "probe.echo",
    "Repeats a word. Call it when asked to.",
    {
        "type": "object",
        "properties": {"word": {"type": "string", "description": "The word."}},
        "required": ["word"],
        "additionalProperties": False,
    },
)
_PING = ToolSpec("probe.ping", "Says that it is there. It takes no arguments.")
_NAMES = ToolNames((_ECHO.name, _PING.name))
_COUNT = "Count from one to ten in words."
_CALL_ONE = 'Call the tool probe_echo with the word "neo".'
_CALL_TWO = (
    'Call the tool probe_echo twice in this one reply: once with the word "one" and once with '
    'the word "two".'
)
_CALL_PING = "Call the tool probe_ping."
_CALL_IN_TEXT = 'Call the tool probe.echo with the word "neo".'
_THINK = "What is 17 times 23? Answer with the number alone."
_LOOK = "Which colour is this picture? Answer with the colour's name alone."
_RED = ("red", "crimson", "scarlet", "红", "紅", "rouge", "rojo")


async def list_models(
    client: HttpClient, protocol: ModelProtocol, options: ModelOptions
) -> list[str]:
    """Return the names of the models of the endpoint. Raises LlmError."""
    try:
        request = protocol.build_listing(options)
    except ValueError:
        raise InvalidAddress(
            reason=N_("{url} isn't a valid address."), url=options.base_url
        ) from None
    return protocol.read_listing(await client.fetch(request, key=options.key))


async def check_listing(
    client: HttpClient,
    protocol: ModelProtocol,
    options: ModelOptions,
    watch: StepTiming = _WATCH,
) -> StepResult:
    """Check whether the endpoint answers, and count its models. FAULT: it has no list (as with some
    gateways), or the model isn't in it; only a reply is decisive.
    """
    began = watch.clock()
    try:
        models = await list_models(client, protocol, options)
    except LlmError as error:
        lacking = error.status in (404, 405)
        return StepResult(
            "models", StepOutcome.FAULT if lacking else StepOutcome.FAILED, error=error
        )
    listed = not options.model or any(_same_model(name, options.model) for name in models)
    outcome = StepOutcome.GOOD if listed else StepOutcome.FAULT
    return StepResult(
        "models", outcome, watch.clock() - began, len(models), facts={"listed": listed}
    )


def _same_model(one: str, other: str) -> bool:
    """Return whether both names mean the same model: Gemini lists `models/x`, Ollama `x:latest`."""
    names = {
        name.casefold().removeprefix("models/").removesuffix(":latest") for name in (one, other)
    }
    return len(names) == 1


async def check_streaming(model: Model, watch: StepTiming = _WATCH) -> list[StepResult]:
    """Check whether text streams, how fast, and whether usage is reported (skipped if the reply was
    cut off before its end).
    """
    try:
        heard = await _ask(model, _asked(_COUNT), watch)
    except LlmError as error:
        return [StepResult("streaming", StepOutcome.FAILED, error=error)]
    usage = [] if heard.cut else [_usage(heard)]
    if heard.first is None:
        return [StepResult("streaming", StepOutcome.FAULT), *usage]
    spent = max(heard.ended - heard.first, 1e-6)
    rates: dict[str, object] = {"thought": heard.thought}
    if not heard.cut and heard.usage is not None and heard.pieces > 1:
        rates["tokens_per_second"] = round(heard.usage.output_tokens / spent, 1)
    outcome = StepOutcome.GOOD if heard.pieces > 1 else StepOutcome.FAULT
    first = heard.first - heard.began
    return [StepResult("streaming", outcome, first, heard.pieces / spent, facts=rates), *usage]


def _usage(heard: ObservedReply) -> StepResult:
    used = heard.usage
    if used is None:
        return StepResult("usage", StepOutcome.FAULT)
    facts = {
        "input": used.input_tokens,
        "output": used.output_tokens,
        "cached": used.cached_tokens,
        "thinking": used.thinking_tokens,
    }
    return StepResult("usage", StepOutcome.GOOD, facts=facts)


async def check_whole_reply(model: Model, watch: StepTiming = _WATCH) -> StepResult:
    """Check whether a reply without streaming works, for endpoints that fail to stream."""
    try:
        heard = await _ask(model, _asked(_COUNT), watch)
    except LlmError as error:
        return StepResult("whole", StepOutcome.FAILED, error=error)
    outcome = StepOutcome.GOOD if heard.text.strip() else StepOutcome.FAULT
    return StepResult("whole", outcome, heard.ended - heard.began)


async def check_tools(model: Model, watch: StepTiming = _WATCH) -> list[StepResult]:
    """Check whether the endpoint accepts tools and the model calls one with and one without
    arguments. FAULT: accepted but not called, called in the text, or called with broken arguments.
    """
    try:
        heard = await _ask(model, _asked(_CALL_ONE, tools=(_ECHO,)), watch)
    except LlmError as error:
        return [StepResult("tools", StepOutcome.FAILED, error=error)]
    single = _judge("tools", heard, clean=_echoes(heard) >= 1)
    if single.outcome is not StepOutcome.GOOD:
        leaks = single.outcome is StepOutcome.FAULT and not heard.calls and _leaks(heard)
        return [replace(single, facts={**single.facts, "leaked": True}) if leaks else single]
    try:
        heard = await _ask(model, _asked(_CALL_PING, tools=(_PING,)), watch)
    except LlmError as error:
        return [single, StepResult("empty_arguments", StepOutcome.FAILED, error=error)]
    pinged = [call for call in _called(heard, _PING) if call.parsed() is not None]
    return [single, _judge("empty_arguments", heard, clean=bool(pinged))]


async def check_parallel_calls(
    model: Model, numbers: CallNumbers | None = None, watch: StepTiming = _WATCH
) -> list[StepResult]:
    """Check whether one reply contains several complete tool calls, and, if `numbers` observed the
    stream, whether they are numbered correctly. FAULT: only one was called, or calls were mixed up.
    """
    try:
        heard = await _ask(model, _asked(_CALL_TWO, tools=(_ECHO,)), watch)
    except LlmError as error:
        return [StepResult("parallel", StepOutcome.FAILED, error=error)]
    trials = [_judge("parallel", heard, clean=_echoes(heard) >= 2)]
    if numbers is not None and heard.calls and (numbers.ids or numbers.missing):
        facts = {"missing": numbers.missing, "shared": numbers.shared}
        outcome = StepOutcome.FAULT if any(facts.values()) else StepOutcome.GOOD
        trials.append(StepResult("indexes", outcome, facts=facts))
    return trials


async def check_text_forms(model: Model, watch: StepTiming = _WATCH) -> StepResult:
    """Find the text form in which the model calls a tool: each is requested once, in the order of
    TEXT_FORMS, until one works. FAULT: none works. `facts` has the `form` that works, and how many
    were `tried`.
    """
    began, error = watch.clock(), None
    for tried, name in enumerate(TEXT_FORMS, 1):
        try:
            heard = await _ask(model, _asked_in(DIALECTS[name]), watch, DIALECTS[name])
        except LlmError as found:
            error = found
            continue
        if _echoes(heard):
            facts = {"form": name, "tried": tried}
            return StepResult("forms", StepOutcome.GOOD, watch.clock() - began, facts=facts)
        error = None
    if error is not None:
        return StepResult("forms", StepOutcome.FAILED, error=error)
    return StepResult("forms", StepOutcome.FAULT, facts={"tried": len(TEXT_FORMS)})


async def check_thinking(model: Model, watch: StepTiming = _WATCH) -> StepResult:
    """Check whether the model shows its thinking. ABSENT: it answers without."""
    try:
        heard = await _ask(model, _asked(_THINK), watch)
    except LlmError as error:
        return StepResult("thinking", StepOutcome.FAILED, error=error)
    outcome = StepOutcome.GOOD if heard.thought else StepOutcome.ABSENT
    return StepResult("thinking", outcome, heard.ended - heard.began, heard.signed)


async def check_signatures(model: Model, watch: StepTiming = _WATCH) -> StepResult:
    """Check whether a second round is accepted, with everything the service wants echoed. ABSENT:
    the model made no call, so there was no second round.
    """
    question = _asked(_CALL_ONE, tools=(_ECHO,))
    try:
        heard = await _ask(model, question, watch)
        turn = heard.turn(_NAMES)
        calls = [part for part in turn.parts if isinstance(part, CallPart)]
        if not calls:
            return StepResult("signatures", StepOutcome.ABSENT)
        results = [ResultPart(call.call_id, call.name, "neo", ok=True) for call in calls]
        history = (*question.messages, turn, ToolResults(tuple(results)))
        second = await _ask(model, replace(question, messages=history), watch)
    except LlmError as error:
        return StepResult("signatures", StepOutcome.FAILED, error=error)
    return StepResult("signatures", StepOutcome.GOOD, second.ended - heard.began, heard.signed)


async def check_vision(model: Model, watch: StepTiming = _WATCH) -> StepResult:
    """Check whether the model accepts pictures: it is asked for the colour of a red square. FAULT:
    it names no colour or a wrong one.
    """
    picture = ImagePart("probe", "image/png", plain_png(220, 20, 30))
    question = ModelRequest("", (UserTurn((TextPart(_LOOK), picture)),))
    try:
        heard = await _ask(model, question, watch)
    except LlmError as error:
        return StepResult("vision", StepOutcome.FAILED, error=error)
    words = heard.text.casefold()
    outcome = StepOutcome.GOOD if any(word in words for word in _RED) else StepOutcome.FAULT
    return StepResult(
        "vision", outcome, heard.ended - heard.began, facts={"said": words[:80].strip()}
    )


async def check_vectors(embedder: Embedder, watch: StepTiming = _WATCH) -> StepResult:
    """Check whether texts are turned into vectors, and measure their length."""
    began = watch.clock()
    try:
        async with asyncio.timeout(watch.time_limit):
            made = await embedder.embed(["neo", "Where is the umbrella?"])
    except LlmError as error:
        return StepResult("vectors", StepOutcome.FAILED, error=error)
    except TimeoutError:
        late = StreamBroken(reason=N_("No data for {seconds} s."), seconds=f"{watch.time_limit:g}")
        return StepResult("vectors", StepOutcome.FAILED, error=late)
    return StepResult("vectors", StepOutcome.GOOD, watch.clock() - began, len(made.rows[0]))


STEP_IDS = (
    "models",
    "vectors",
    "streaming",
    "whole",
    "tools",
    "parallel",
    "thinking",
    "signatures",
    "forms",
    "vision",
)
"""The steps in their order. `whole` is only tried if streaming fails, `forms` only if native tools
fail; an embedding model is only tested for vectors.
"""


class EndpointTest:
    """Tests one model on one endpoint, with at most thirteen small requests."""

    def __init__(
        self,
        client: HttpClient,
        protocol: ModelProtocol,
        options: ModelOptions,
        *,
        thinking: ThinkingForm | None = None,
        stall: float = STALL_SECONDS,
        watch: StepTiming = _WATCH,
        sleep: SleepSeconds = asyncio.sleep,
    ) -> None:
        """`options` holds the key. `thinking`: the parameter for thinking, if it isn't the one
        known by the model's name. A temporary fault is retried once, after a `sleep`.
        """
        self._client = client
        self._protocol = protocol
        self._options = options
        self._form = known_model(options.model).thinking if thinking is None else thinking
        self._stall = stall
        self._watch = watch
        self._sleep = sleep

    async def run(
        self, begun: Callable[[str], None] = lambda step: None
    ) -> AsyncGenerator[StepResult, None]:
        """Yield the result of each step. `begun` is called with the id of each step (one of
        STEP_IDS) before it starts.
        """
        begun("models")
        yield await check_listing(self._client, self._protocol, self._options, self._watch)
        if known_model(self._options.model).embedding:
            begun("vectors")
            yield await check_vectors(self._embedder(), self._watch)
            return
        begun("streaming")
        streaming = await check_streaming(self._model(self._options), self._watch)
        for trial in streaming:
            yield trial
        if streaming[0].outcome is StepOutcome.FAILED:
            if not _may_work_without_streaming(streaming[0].error):
                return
            begun("whole")
            self._options = replace(self._options, stream=False)
            whole = await check_whole_reply(self._model(self._options), self._watch)
            yield whole
            if whole.outcome is StepOutcome.FAILED:
                return
        async for trial in self._abilities(begun):
            yield trial

    async def _abilities(self, begun: Callable[[str], None]) -> AsyncGenerator[StepResult, None]:
        begun("tools")
        found = tools = await check_tools(self._model(self._options), self._watch)
        for trial in tools:
            yield trial
        works = tools[0].outcome is StepOutcome.GOOD
        if works:
            begun("parallel")
            numbers = CallNumbers()
            watching = self._model(self._options, observed_protocol(self._protocol, numbers))
            parallel = await check_parallel_calls(watching, numbers, self._watch)
            for trial in parallel:
                yield trial
            found = [*found, *parallel]
        begun("thinking")
        yield await check_thinking(self._model(self._thinking()), self._watch)
        if works:
            begun("signatures")
            second = await check_signatures(self._model(self._thinking()), self._watch)
            yield second
            found = [*found, second]
        if wants_text(found):
            begun("forms")
            yield await check_text_forms(self._model(self._options), self._watch)
        begun("vision")
        yield await check_vision(self._model(self._options), self._watch)

    def _model(self, options: ModelOptions, protocol: ModelProtocol | None = None) -> RetryingModel:
        protocol = protocol or self._protocol
        model = HttpModel(self._client, protocol, options, key=options.key, stall=self._stall)
        return RetryingModel(model, RetryPolicy(retries=1, sleep=self._sleep))

    def _embedder(self) -> HttpEmbedder:
        async def key() -> str:
            return self._options.key

        return HttpEmbedder(
            self._client,
            self._protocol,
            self._options,
            key=key,
            timeout=self._stall,
            retry=RetryPolicy(retries=1, sleep=self._sleep),
        )

    def _thinking(self) -> ModelOptions:
        """Return the options with a low thinking effort, if the model has a parameter for it."""
        options = self._options
        if options.thinking not in ("", "off"):
            return options
        name = self._protocol.name
        thinking, extra = render_effort(name, self._form, "low", options.max_tokens)
        return replace(options, thinking=thinking, extra={**options.extra, **extra})


def _may_work_without_streaming(error: LlmError | None) -> bool:
    """Return whether an endpoint that failed to stream may answer without streaming."""
    return isinstance(error, BadReply | StreamBroken | ReplyError | RequestRefused) or (
        error is not None and error.status in (405, 501)
    )


def _asked(words: str, tools: Sequence[ToolSpec] = ()) -> ModelRequest:
    return ModelRequest("", (UserTurn((TextPart(words),)),), tools=tools)


def _asked_in(dialect: Dialect) -> ModelRequest:
    """Return a request for a tool call in a text form, as in a chat."""
    words = UserTurn((TextPart(_CALL_IN_TEXT),))
    return ModelRequest(
        dialect.announce((_ECHO,)),
        dialect.render((words,)),
        dialect=dialect.name,
        stops=dialect.stops,
    )


async def _ask(
    model: Model, question: ModelRequest, watch: StepTiming, dialect: Dialect = NATIVE
) -> ObservedReply:
    """Return the reply so far when the time is over, read in `dialect`. A reply that takes too long
    is cut off, which is not counted as a fault. Raises LlmError.
    """
    heard, reader = ObservedReply(watch.clock()), dialect.reader((_ECHO,))
    try:
        async with asyncio.timeout(watch.time_limit), aclosing(model.stream(question)) as events:
            async for event in events:
                for read in reader.read(event):
                    heard.take(read, watch.clock())
    except TimeoutError:
        heard.cut = True
        if heard.first is None and not heard.calls:
            raise StreamBroken(
                reason=N_("No data for {seconds} s."), seconds=f"{watch.time_limit:g}"
            ) from None
    heard.ended = watch.clock()
    return heard


def _called(heard: ObservedReply, tool: ToolSpec) -> list[ObservedCall]:
    return [call for call in heard.calls.values() if _NAMES.own_name(call.name) == tool.name]


def _echoes(heard: ObservedReply) -> int:
    """Return the number of complete calls of the echo tool with its one argument."""
    parsed = [call.parsed() for call in _called(heard, _ECHO)]
    return sum(isinstance((one or {}).get("word"), str) for one in parsed)


def _leaks(heard: ObservedReply) -> bool:
    """Return whether the tool call is in the text."""
    reader = LeakReader(NATIVE.reader(), (_ECHO,))
    events = (TextDelta(0, heard.text), ResponseFinished(StopReason.END))
    read = [made for event in events for made in reader.read(event)]
    return any(isinstance(made, ToolCallStarted) for made in read)


def _judge(trial_id: str, heard: ObservedReply, *, clean: bool) -> StepResult:
    seconds, count = heard.ended - heard.began, len(heard.calls)
    if heard.cut and not clean:
        late = StreamBroken(reason=N_("Not finished after {seconds} s."), seconds=f"{seconds:.0f}")
        return StepResult(trial_id, StepOutcome.FAILED, seconds, count, late)
    broken = [call for call in heard.calls.values() if call.parsed() is None]
    facts: dict[str, object] = {"calls": count, "broken": len(broken)}
    if broken:
        facts["arguments"] = "".join(broken[0].arguments)[:200]
    outcome = StepOutcome.GOOD if clean and not broken else StepOutcome.FAULT
    return StepResult(trial_id, outcome, seconds, count, facts=facts)
