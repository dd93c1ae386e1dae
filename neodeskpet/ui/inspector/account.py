"""The account of a message: what happened in its turn, as a tree of lines that can be opened.

Made of the stored message, and of what was written down while it ran (`core/turn/trace.py`), which
is there for the newest messages of this session. Texts are read when they are opened: bodies are
long.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from neodeskpet.core.blocks import (
    Block,
    Document,
    Image,
    Message,
    MessageState,
    Notice,
    Text,
    Thinking,
    ToolUse,
    Usage,
)
from neodeskpet.core.json_text import BODY_DEPTH, read_json
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.turn.trace import ExchangeTrace, RetryTrace, RoundTrace, TurnTrace
from neodeskpet.core.wording import N_
from neodeskpet.language import say_code, titled, tr, tr_count
from neodeskpet.redaction import redact
from neodeskpet.ui.chat.items.wording import (
    arguments_text,
    count,
    duration,
    price,
    printable,
    raw_text,
    result_text,
    status_word,
)

_STATES = {
    MessageState.RUNNING: N_("It still runs."),
    MessageState.DONE: N_("It came to its end."),
    MessageState.LIMITED: N_("A limit paused it."),
    MessageState.CANCELLED: N_("It was stopped."),
    MessageState.FAILED: N_("It failed."),
    MessageState.INTERRUPTED: N_("The app ended in the middle of it."),
}
_FREE = {
    Risk.READ: N_("Not asked: it only looks."),
    Risk.BODY: N_("Not asked: it only moves the companion."),
    Risk.OWN: N_("Not asked: it changes the companion's own things alone."),
}
_BEFOREHAND = N_("Not asked: it was allowed beforehand (Settings › Tools).")


@dataclass(frozen=True, slots=True)
class Line:
    """`title` and beside it `note`; `read` gives the text of it, which may take its time (from any
    thread). `private`: that holds words of the conversation, and isn't for everybody.
    """

    title: str
    note: str = ""
    read: Callable[[], str] | None = None
    private: bool = False
    parts: tuple[Line, ...] = ()


Titles = Callable[[str], str]
"""The title of a tool, by its name."""


def account_of(message: Message, trace: TurnTrace | None, title: Titles = str) -> list[Line]:
    """The steps of a turn in their order. `trace` is None for a message of an earlier session."""
    rounds = trace.rounds if trace is not None else ()
    lines = [Line(tr("In all"), _cost(message.usage), partial(_whole, message, rounds))]
    last = {one.number: at for at, one in enumerate(rounds)}
    numbers = {block.round for block in message.blocks} - last.keys()
    lines += [_round(number, None, message, title) for number in sorted(numbers)]
    for at, one in enumerate(rounds):
        told = message if last[one.number] == at else None  # else it was tried anew
        lines.append(_round(one.number, one, told, title))
    return lines


# The whole


def _whole(message: Message, rounds: tuple[RoundTrace, ...]) -> str:
    said = [tr(_STATES[message.state])]
    said.append(tr("Begun: {time}", time=_when(message.created)))
    if message.ended is not None:
        took = duration(message.ended - message.created - message.paused)
        said.append(tr("Ended: {time} ({took})", time=_when(message.ended), took=took))
    if message.model:
        said.append(tr("Answered by: {model}", model=message.model))
    if message.usage is not None:
        said += _usage_lines(message.usage)
    if not rounds:
        said.append(
            tr(
                "Requests, responses and tries are kept for the newest messages, while the app "
                "runs. Of this one there is what is stored with it."
            )
        )
    return "\n".join(said)


def _usage_lines(usage: Usage) -> list[str]:
    lines = [
        tr(
            "Tokens: {input} in, {output} out",
            input=count(usage.input_tokens),
            output=count(usage.output_tokens),
        )
    ]
    if usage.cached_tokens:
        lines.append(tr("Of those read from the cache: {count}", count=count(usage.cached_tokens)))
    if usage.thinking_tokens:
        lines.append(tr("Of those for thinking: {count}", count=count(usage.thinking_tokens)))
    if usage.cost is not None:
        lines.append(tr("Cost: {price}", price=price(usage.cost, usage.currency)))
    return lines


def _cost(usage: Usage | None) -> str:
    if usage is None:
        return ""
    tokens = tr("{count} tokens", count=count(usage.input_tokens + usage.output_tokens))
    return tokens if usage.cost is None else f"{tokens} · {price(usage.cost, usage.currency)}"


def _when(at: float) -> str:
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M:%S")


# A round


def _round(
    number: int, trace: RoundTrace | None, message: Message | None, tool_title: Titles
) -> Line:
    title = tr("Round {number}", number=str(number + 1))
    blocks = message.blocks if message is not None else ()
    told = [_block(block, trace, tool_title) for block in blocks if block.round == number]
    if trace is None:
        return Line(title, parts=tuple(told))
    notes = [_answered(trace), duration(trace.ended - trace.began) if trace.ended else ""]
    notes.append(_cost(trace.usage))
    notes.append(tr("tried anew") if message is None else "")
    return Line(
        title,
        " · ".join(filter(None, notes)),
        partial(_round_text, trace),
        parts=(_context(trace, tool_title), *_network(trace), *told),
    )


def _answered(trace: RoundTrace) -> str:
    """The model, which is named anew only where it is another."""
    labels = [one.sending.label for one in trace.exchanges if one.fault is None]
    return printable(trace.model or (labels[-1] if labels else ""))


def _round_text(trace: RoundTrace) -> str:
    said = [tr("Begun: {time}", time=_when(trace.began))]
    if trace.shown is not None:
        after = duration(trace.shown - trace.began)
        said.append(tr("The first of the reply was shown after {time}.", time=after))
    if trace.ended is not None:
        said.append(tr("It took {time}.", time=duration(trace.ended - trace.began)))
    if trace.usage is not None:
        said += _usage_lines(trace.usage)
    if trace.stop:
        said.append(tr("Why the model stopped: {reason}", reason=printable(trace.stop)))
    return "\n".join(said)


def _context(trace: RoundTrace, title: Titles) -> Line:
    """What the model was given."""
    note = tr(
        "messages: {messages} · tools: {tools}",
        messages=count(trace.messages),
        tools=count(len(trace.tools)),
    )
    parts = [
        Line(
            tr(one.words.text, **one.words.params),
            read=partial(printable, one.text) if one.text else None,
            private=True,
        )
        for one in trace.remarks
    ]
    return Line(
        tr("What the model was given"), note, partial(_tools, trace, title), parts=tuple(parts)
    )


def _tools(trace: RoundTrace, title: Titles) -> str:
    said = [tr("Form of the calls: {dialect}", dialect=trace.dialect)]
    said.append(tr("Tools on offer:") if trace.tools else tr("No tools were on offer."))
    said += [f"• {_titled(one.name, title)} ({one.risk})" for one in trace.tools]
    return "\n".join(said)


def _titled(name: str, title: Titles) -> str:
    """The title of a tool, with the name that the model uses where that is another."""
    shown, name = printable(title(name) or name), printable(name)
    return shown if shown == name else f"{shown} · {name}"


def _network(trace: RoundTrace) -> Iterator[Line]:
    """Requests and new tries, as they came."""
    timed: list[tuple[float, Line]] = [(one.began, _exchange(one)) for one in trace.exchanges]
    timed += [(one.at, _retry(one)) for one in trace.retries]
    return (line for _, line in sorted(timed, key=lambda pair: pair[0]))


def _retry(tried: RetryTrace) -> Line:
    what, _ = say_code(tried.code, {})
    note = tr("after {time}", time=duration(tried.delay)) if tried.delay else tr("at once")
    return Line(tr("Tried again, or another model"), f"{note} · {what}")


def _exchange(one: ExchangeTrace) -> Line:
    title = tr("Request to {model}", model=printable(one.sending.label))
    notes = [_failure(one)]
    if one.first is not None:
        notes.append(tr("first byte after {time}", time=duration(one.first - one.began)))
    if one.ended is not None:
        notes.append(tr("{time} in all", time=duration(one.ended - one.began)))
    parts = (
        Line(
            tr("Sent"),
            _size(one, len(one.request)),
            partial(_request_text, one),
            private=True,
        ),
        Line(tr("Received"), _size(one, one.size), partial(_response_text, one), private=True),
    )
    return Line(title, " · ".join(filter(None, notes)), partial(_exchange_text, one), parts=parts)


def _size(one: ExchangeTrace, size: int) -> str:
    if one.dropped:
        return tr("no longer kept")
    return tr_count(N_("{count} byte"), N_("{count} bytes"), size)


def _failure(one: ExchangeTrace) -> str:
    fault = one.fault
    if fault is None:
        return ""
    return tr("failed (HTTP {status})", status=str(fault.status)) if fault.status else tr("failed")


def _exchange_text(one: ExchangeTrace) -> str:
    sending = one.sending
    said = [f"{sending.method} {printable(sending.url)}"]
    said += [f"{name}: {value}" for name, value in sending.headers.items()]
    if one.fault is not None:
        what, _ = say_code(one.fault.code, dict(one.fault.params))
        said += ["", what, _shown(one, one.fault.detail)]
    return "\n".join(said).rstrip()


def _request_text(one: ExchangeTrace) -> str:
    text = one.request.decode("utf-8", "replace")
    with suppress(ValueError):  # where it was cut it is shown as it is
        text = json.dumps(read_json(text, depth=BODY_DEPTH), ensure_ascii=False, indent=2)
    return _shown(one, text)


def _response_text(one: ExchangeTrace) -> str:
    return _shown(one, one.response.decode("utf-8", "replace"))


def _shown(one: ExchangeTrace, text: str) -> str:
    return printable(redact(one.sending.hide(text)))


# What the message says


def _block(block: Block, trace: RoundTrace | None, title: Titles) -> Line:
    match block:
        case ToolUse():
            return _call(block, trace, title)
        case Thinking(text=text, started=started, ended=ended):
            took = duration(ended - started) if started and ended else ""
            return Line(tr("Thought"), took, partial(_plain, text), private=True)
        case Document(name=name, text=text):
            note = tr_count(N_("{count} character"), N_("{count} characters"), len(text))
            return Line(printable(name), note, partial(_plain, text), private=True)
        case Text(text=text, refusal=refusal):
            kind = tr("Refused") if refusal else tr("Wrote")
            note = tr_count(N_("{count} character"), N_("{count} characters"), len(text))
            return Line(kind, note, partial(_plain, text), private=True)
        case Notice(code=code, params=params, detail=detail):
            what, hint = say_code(code, titled(params, title), detail)
            return Line(tr("Notice"), what, partial(_plain, f"{what}\n{hint}".strip()))
        case Image(name=name):
            return Line(tr("Picture"), printable(name), private=True)


def _call(call: ToolUse, trace: RoundTrace | None, tool_title: Titles) -> Line:
    took = ""
    if call.started is not None and call.ended is not None:
        took = duration(call.ended - call.started)
    name = printable(tool_title(call.name) or call.name)
    title = tr("Tool: {name}", name=name)
    note = " · ".join(filter(None, (status_word(call.status), took)))
    parts = [Line(tr("Arguments"), read=partial(_call_arguments, call), private=True)]
    if result := result_text(call, name):
        label = tr("Result") if call.output else tr("Why not")
        parts.append(Line(label, read=partial(_plain, result), private=True))
    if told := raw_text(call):
        parts.append(Line(tr("What the model was told"), read=partial(_plain, told), private=True))
    return Line(title, note, partial(_call_text, call, trace), parts=tuple(parts))


def _call_arguments(call: ToolUse) -> str:
    return redact(arguments_text(call))


def _call_text(call: ToolUse, trace: RoundTrace | None) -> str:
    said = [
        tr("State: {state}", state=status_word(call.status)),
        tr("Name for the model: {name}", name=printable(call.name)),
        _consent(call, trace),
    ]
    if call.leaked:
        said.append(tr("The call stood in the text of the reply and was read from there."))
    if call.repaired:
        said.append(tr("The arguments had to be put right: {what}", what=call.repaired))
    if call.edited:
        said.append(tr("The person changed the arguments before it ran."))
    if call.foreign:
        said.append(tr("Its result was written by others, and marked so for the model."))
    if call.fault is not None:
        said.append(tr("Code of the fault: {code}", code=call.fault.code))
    return "\n".join(filter(None, said))


def _consent(call: ToolUse, trace: RoundTrace | None) -> str:
    """Whether the person was asked, and why not."""
    if call.asked is not None:
        if call.answered is None:
            return tr("It asked, and had no answer.")
        after = duration(call.answered - call.asked)
        return tr("It asked; the answer came after {time}.", time=after)
    risks: Mapping[str, Risk] = {} if trace is None else {t.name: t.risk for t in trace.tools}
    risk = risks.get(call.name)
    if risk is None or call.started is None:
        return ""
    return tr(_FREE.get(risk, _BEFOREHAND))


def _plain(text: str) -> str:
    return printable(redact(text))
