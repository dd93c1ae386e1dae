"""Describes what happened in a turn as a tree of lines, and writes it as a Markdown report without
keys and folder names.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from neodeskpet import __version__
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
from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import MOST_BODY_DEPTH, read_json
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.turn.turn_trace import ExchangeTrace, RetryTrace, RoundTrace, TurnTrace
from neodeskpet.language import tr, tr_count, translate_code, with_tool_title
from neodeskpet.platform.redaction import hide_home, redact
from neodeskpet.ui.formatting import (
    format_arguments,
    format_duration,
    format_number,
    format_price,
    format_result,
    model_error_text,
    printable,
    status_text,
)

_STATES = {
    MessageState.RUNNING: N_("Still running."),
    MessageState.DONE: N_("Finished."),
    MessageState.LIMITED: N_("Paused by a limit."),
    MessageState.CANCELLED: N_("You stopped the dialogue."),
    MessageState.FAILED: N_("Failed."),
    MessageState.INTERRUPTED: N_("The app ended during the turn."),
}
_NOT_ASKED = {
    Risk.READ: N_("No permission needed: the tool only reads."),
    Risk.GESTURE: N_("No permission needed: the tool only moves the companion."),
    Risk.APP_DATA: N_("No permission needed: the tool only changes the companion's own things."),
}
_ALLOWED_BEFORE = N_(
    "No permission needed: the call was allowed beforehand (Settings › Tools "
    "& permissions › Tools)."
)


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A line with `title` and `note`; `read` returns its text, which may take long (in any thread).
    `is_private`: the text contains parts of the conversation.
    """

    title: str
    note: str = ""
    read: Callable[[], str] | None = None
    is_private: bool = False
    children: tuple[ReportLine, ...] = ()


ToolTitle = Callable[[str], str]
"""Returns the title of a tool by its name."""


def describe_turn(
    message: Message, trace: TurnTrace | None, title: ToolTitle = str
) -> list[ReportLine]:
    """Return the steps of a turn in order. `trace` is None for a message of an earlier run."""
    rounds = trace.rounds if trace is not None else ()
    lines = [ReportLine(tr("Total"), _cost(message.usage), partial(_message_line, message, rounds))]
    last = {one.number: at for at, one in enumerate(rounds)}
    numbers = {block.round for block in message.blocks} - last.keys()
    lines += [_round_line(number, None, message, title) for number in sorted(numbers)]
    for at, one in enumerate(rounds):
        shown = message if last[one.number] == at else None  # otherwise the round was retried
        lines.append(_round_line(one.number, one, shown, title))
    return lines


# Summary


def _message_line(message: Message, rounds: tuple[RoundTrace, ...]) -> str:
    said = [tr(_STATES[message.state])]
    said.append(tr("Started: {time}", time=_time_text(message.created)))
    if message.ended is not None:
        took = format_duration(message.ended - message.created - message.paused)
        said.append(tr("Ended: {time} ({took})", time=_time_text(message.ended), took=took))
    if message.model:
        said.append(tr("Answered by: {model}", model=message.model))
    if message.usage is not None:
        said += _usage_lines(message.usage)
    if not rounds:
        said.append(
            tr(
                "Requests, responses and retries are only kept for the newest messages "
                "while the app runs. For this message there are only the stored details."
            )
        )
    return "\n".join(said)


def _usage_lines(usage: Usage) -> list[str]:
    lines = [
        tr(
            "Tokens: {input} in, {output} out",
            input=format_number(usage.input_tokens),
            output=format_number(usage.output_tokens),
        )
    ]
    if usage.cached_tokens:
        lines.append(tr("Read from the cache: {count}", count=format_number(usage.cached_tokens)))
    if usage.thinking_tokens:
        lines.append(tr("Used for thinking: {count}", count=format_number(usage.thinking_tokens)))
    if usage.cost is not None:
        lines.append(tr("Cost: {price}", price=format_price(usage.cost, usage.currency)))
    return lines


def _cost(usage: Usage | None) -> str:
    if usage is None:
        return ""
    tokens = tr("{count} tokens", count=format_number(usage.input_tokens + usage.output_tokens))
    return (
        tokens if usage.cost is None else f"{tokens} · {format_price(usage.cost, usage.currency)}"
    )


def _time_text(at: float) -> str:
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M:%S")


# Round


def _round_line(
    number: int, trace: RoundTrace | None, message: Message | None, tool_title: ToolTitle
) -> ReportLine:
    title = tr("Round {number}", number=str(number + 1))
    blocks = message.blocks if message is not None else ()
    lines = [_block_line(block, trace, tool_title) for block in blocks if block.round == number]
    if trace is None:
        return ReportLine(title, children=tuple(lines))
    notes = [_model_line(trace), format_duration(trace.ended - trace.began) if trace.ended else ""]
    notes.append(_cost(trace.usage))
    notes.append(tr("retried") if message is None else "")
    return ReportLine(
        title,
        " · ".join(filter(None, notes)),
        partial(_round_text, trace),
        children=(_context_line(trace, tool_title), *_network_line(trace), *lines),
    )


def _model_line(trace: RoundTrace) -> str:
    """Return the model, or "" if it is the same as before."""
    labels = [one.sending.label for one in trace.exchanges if one.fault is None]
    return printable(trace.model or (labels[-1] if labels else ""))


def _round_text(trace: RoundTrace) -> str:
    said = [tr("Started: {time}", time=_time_text(trace.began))]
    if trace.shown is not None:
        after = format_duration(trace.shown - trace.began)
        said.append(tr("The first part of the reply was shown after {time}.", time=after))
    if trace.ended is not None:
        said.append(tr("It took {time}.", time=format_duration(trace.ended - trace.began)))
    if trace.usage is not None:
        said += _usage_lines(trace.usage)
    if trace.stop:
        said.append(tr("Why the model stopped: {reason}", reason=printable(trace.stop)))
    return "\n".join(said)


def _context_line(trace: RoundTrace, title: ToolTitle) -> ReportLine:
    """Return the line about the model's input."""
    note = tr(
        "messages: {messages} · tools: {tools}",
        messages=format_number(trace.messages),
        tools=format_number(len(trace.tools)),
    )
    parts = [
        ReportLine(
            tr(one.words.text, **one.words.params),
            read=partial(printable, one.text) if one.text else None,
            is_private=True,
        )
        for one in trace.remarks
    ]
    return ReportLine(
        tr("Model input"),
        note,
        partial(_tools_line, trace, title),
        children=tuple(parts),
    )


def _tools_line(trace: RoundTrace, title: ToolTitle) -> str:
    said = [tr("Format of tool calls: {dialect}", dialect=trace.dialect)]
    said.append(tr("Available tools:") if trace.tools else tr("No tools were available."))
    said += [f"• {_titled(one.name, title)} ({one.risk})" for one in trace.tools]
    return "\n".join(said)


def _titled(name: str, title: ToolTitle) -> str:
    """Return the title of a tool, with its name for the model if that is different."""
    shown, name = printable(title(name) or name), printable(name)
    return shown if shown == name else f"{shown} · {name}"


def _network_line(trace: RoundTrace) -> Iterator[ReportLine]:
    """Return the lines of requests and retries, in order."""
    timed: list[tuple[float, ReportLine]] = [
        (one.began, _exchange_line(one)) for one in trace.exchanges
    ]
    timed += [(one.at, _retry_line(one)) for one in trace.retries]
    return (line for _, line in sorted(timed, key=lambda pair: pair[0]))


def _retry_line(tried: RetryTrace) -> ReportLine:
    what, _ = translate_code(tried.code, {})
    note = tr("after {time}", time=format_duration(tried.delay)) if tried.delay else tr("at once")
    return ReportLine(tr("Retry, or another model"), f"{note} · {what}")


def _exchange_line(one: ExchangeTrace) -> ReportLine:
    title = tr("Request to {model}", model=printable(one.sending.label))
    notes = [_failure(one)]
    if one.first is not None:
        notes.append(tr("first byte after {time}", time=format_duration(one.first - one.began)))
    if one.ended is not None:
        notes.append(tr("{time} in total", time=format_duration(one.ended - one.began)))
    parts = (
        ReportLine(
            tr("Sent"),
            _size(one, len(one.request)),
            partial(_request_text, one),
            is_private=True,
        ),
        ReportLine(
            tr("Received"), _size(one, one.size), partial(_response_text, one), is_private=True
        ),
    )
    return ReportLine(
        title, " · ".join(filter(None, notes)), partial(_exchange_text, one), children=parts
    )


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
        what, _ = translate_code(one.fault.code, dict(one.fault.params))
        said += ["", what, _shown(one, one.fault.detail)]
    return "\n".join(said).rstrip()


def _request_text(one: ExchangeTrace) -> str:
    text = one.request.decode("utf-8", "replace")
    with suppress(ValueError):  # a truncated text is shown as it is
        text = json.dumps(read_json(text, depth=MOST_BODY_DEPTH), ensure_ascii=False, indent=2)
    return _shown(one, text)


def _response_text(one: ExchangeTrace) -> str:
    return _shown(one, one.response.decode("utf-8", "replace"))


def _shown(one: ExchangeTrace, text: str) -> str:
    return printable(redact(one.sending.hide(text)))


# Message


def _block_line(block: Block, trace: RoundTrace | None, title: ToolTitle) -> ReportLine:
    match block:
        case ToolUse():
            return _call_line(block, trace, title)
        case Thinking(text=text, started=started, ended=ended):
            took = format_duration(ended - started) if started and ended else ""
            return ReportLine(tr("Thought"), took, partial(_plain, text), is_private=True)
        case Document(name=name, text=text):
            note = tr_count(N_("{count} character"), N_("{count} characters"), len(text))
            return ReportLine(printable(name), note, partial(_plain, text), is_private=True)
        case Text(text=text, refusal=refusal):
            kind = tr("Refused") if refusal else tr("Wrote")
            note = tr_count(N_("{count} character"), N_("{count} characters"), len(text))
            return ReportLine(kind, note, partial(_plain, text), is_private=True)
        case Notice(code=code, params=params, detail=detail):
            what, hint = translate_code(code, with_tool_title(params, title), detail)
            return ReportLine(tr("Notice"), what, partial(_plain, f"{what}\n{hint}".strip()))
        case Image(name=name):
            return ReportLine(tr("Picture"), printable(name), is_private=True)


def _call_line(call: ToolUse, trace: RoundTrace | None, tool_title: ToolTitle) -> ReportLine:
    took = ""
    if call.started is not None and call.ended is not None:
        took = format_duration(call.ended - call.started)
    name = printable(tool_title(call.name) or call.name)
    title = tr("Tool: {name}", name=name)
    note = " · ".join(filter(None, (status_text(call.status), took)))
    parts = [ReportLine(tr("Arguments"), read=partial(_call_arguments, call), is_private=True)]
    if result := format_result(call, name):
        label = tr("Result") if call.output else tr("Reason")
        parts.append(ReportLine(label, read=partial(_plain, result), is_private=True))
    if error := model_error_text(call):
        parts.append(
            ReportLine(tr("Text for the model"), read=partial(_plain, error), is_private=True)
        )
    return ReportLine(title, note, partial(_call_text, call, trace), children=tuple(parts))


def _call_arguments(call: ToolUse) -> str:
    return redact(format_arguments(call))


def _call_text(call: ToolUse, trace: RoundTrace | None) -> str:
    said = [
        tr("State: {state}", state=status_text(call.status)),
        tr("Name for the model: {name}", name=printable(call.name)),
        _approval_text(call, trace),
    ]
    if call.leaked:
        said.append(tr("The call was found in the text of the reply."))
    if call.repaired:
        said.append(tr("The arguments were repaired: {what}", what=call.repaired))
    if call.edited:
        said.append(tr("The user changed the arguments before it ran."))
    if call.foreign:
        said.append(tr("The result is untrusted text and was marked as such for the model."))
    if call.fault is not None:
        said.append(tr("Error code: {code}", code=call.fault.code))
    return "\n".join(filter(None, said))


def _approval_text(call: ToolUse, trace: RoundTrace | None) -> str:
    """Return whether the user was asked for permission, and why not."""
    if call.asked is not None:
        if call.answered is None:
            return tr("It asked for permission and got no answer.")
        after = format_duration(call.answered - call.asked)
        return tr("It asked for permission; the answer came after {time}.", time=after)
    risks: Mapping[str, Risk] = {} if trace is None else {t.name: t.risk for t in trace.tools}
    risk = risks.get(call.name)
    if risk is None or call.started is None:
        return ""
    return tr(_NOT_ASKED.get(risk, _ALLOWED_BEFORE))


def _plain(text: str) -> str:
    return printable(redact(text))


MAX_TEXT_CHARS = 20_000
"""Maximum characters of one text in a report."""


def write_report(lines: Sequence[ReportLine], *, texts: bool) -> str:
    """Return all lines as a report; `texts`: with messages, requests and responses."""
    where = f"NeoDeskPet {__version__} · Python {platform.python_version()} · {platform.platform()}"
    parts = [f"# {tr('What happened in this turn')}", where]
    for line in lines:
        parts += _parts(line, 2, texts)
    return hide_home(redact("\n\n".join(parts))) + "\n"


def _parts(line: ReportLine, depth: int, texts: bool) -> Iterator[str]:
    note = f" — {line.note}" if line.note else ""
    yield f"{'#' * min(depth, 6)} {_one_line(line.title + note)}"
    if line.read is not None:
        if line.is_private and not texts:
            yield tr("(left out)")
        else:
            yield _fenced(_cut(line.read()))
    for part in line.children:
        yield from _parts(part, depth + 1, texts)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    if len(text) <= MAX_TEXT_CHARS:
        return text
    half = MAX_TEXT_CHARS // 2
    return f"{text[:half]}\n[… {len(text) - MAX_TEXT_CHARS} …]\n{text[-half:]}"


def _fenced(text: str) -> str:
    """Return `text` in a code fence longer than any fence in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"
