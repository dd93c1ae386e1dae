"""Formats times, counts, sums, states and tool results as text for the screen."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QDate, QLocale

from neodeskpet.core.app_windows.window_calls import ACT_TOOL, call_title
from neodeskpet.core.attachments import Omission, Omitted
from neodeskpet.core.blocks import ToolStatus, ToolUse, Usage
from neodeskpet.core.costs import CostSum, MonthlyBudget
from neodeskpet.core.errors import (
    Action,
    ApprovalNotShown,
    ApprovalUnanswered,
    ApprovalUnavailable,
    DeniedBefore,
    InvalidArguments,
    ToolDenied,
)
from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_result import (
    ShownDiff,
    ShownImage,
    ShownList,
    ShownTable,
    ShownTerminal,
    ShownText,
)
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.core.wire import (
    DescriptionAnnounced,
    LoadingAnnounced,
    RetryAnnounced,
    WaitAnnounced,
)
from neodeskpet.documents.document import omission_words
from neodeskpet.language import (
    language,
    tr,
    tr_count,
    tr_reason,
    translate_code,
    translate_failure,
    translate_reasons,
)
from neodeskpet.ui.chat.items.item import Scene

if TYPE_CHECKING:
    from neodeskpet.core.schedule.due import Due
    from neodeskpet.notebook.timers import Repeat

_NAME = 32  # letters


def format_duration(seconds: float) -> str:
    """Format a duration: "12 ms", "0.8 s", "14 s", "2 min 5 s"."""
    seconds = max(0.0, seconds)
    if seconds < 0.1:
        return tr("{count} ms", count=str(round(seconds * 1000)))
    if seconds < 9.95:
        return tr("{count} s", count=f"{seconds:.1f}")
    whole = round(seconds)
    if whole < 60:
        return tr("{count} s", count=str(whole))
    return tr("{minutes} min {seconds} s", minutes=str(whole // 60), seconds=str(whole % 60))


def approval_wait_seconds(calls: Iterable[ToolUse]) -> float:
    """Return the seconds spent waiting for permission; overlapping questions count once."""
    total, until = 0.0, float("-inf")
    spans = [(c.asked, c.answered or c.ended) for c in calls if c.asked is not None]
    for asked, answered in sorted((a, b) for a, b in spans if a is not None and b is not None):
        total += max(0.0, answered - max(asked, until))
        until = max(until, answered)
    return total


def format_time(seconds: float, now: float) -> str:
    """Format a time: only the time for today, else with the day."""
    then = datetime.fromtimestamp(seconds)
    if then.date() == datetime.fromtimestamp(now).date():
        return f"{then:%H:%M}"
    return f"{format_day(seconds, now)} {then:%H:%M}"


def format_day(seconds: float, now: float) -> str:
    """Format a day: "today", "yesterday", "Tue, 3 Nov", "3 Nov 2025"."""
    then, today = datetime.fromtimestamp(seconds).date(), datetime.fromtimestamp(now).date()
    days = (today - then).days
    if days in (0, 1):
        return tr("Yesterday") if days else tr("Today")
    if then.year != today.year:
        return format_date(then)
    return QLocale(language()).toString(_qt_date(then), tr("ddd, d MMM"))


def format_date(day: date) -> str:
    """Format a day with its year: "3 Nov 2025"."""
    return QLocale(language()).toString(_qt_date(day), tr("d MMM yyyy"))


def _qt_date(day: date) -> QDate:
    return QDate(day.year, day.month, day.day)


def status_text(status: ToolStatus) -> str:
    """Return the text for the state of a card."""
    return {
        ToolStatus.WRITING: tr("writing"),
        ToolStatus.QUEUED: tr("queued"),
        ToolStatus.ASKING: tr("asks"),
        ToolStatus.RUNNING: tr("running"),
        ToolStatus.SUCCESS: tr("done"),
        ToolStatus.ERROR: tr("failed"),
        ToolStatus.CANCELLED: tr("cancelled"),
        ToolStatus.DENIED: tr("you said no"),
        ToolStatus.INTERRUPTED: tr("interrupted"),
    }[status]


_SAID_NO = (ToolDenied.code, DeniedBefore.code)
_UNANSWERED = (ApprovalUnanswered.code, ApprovalUnavailable.code, ApprovalNotShown.code)


def call_state_text(call: ToolUse) -> str:
    """Return the text for the state of a call: of a call that wasn't allowed, whether the user said
    no or didn't answer.
    """
    if call.status is ToolStatus.DENIED and call.fault is not None:
        if call.fault.code in _UNANSWERED:
            return tr("not answered")
        if call.fault.code not in _SAID_NO:
            return tr("not allowed")
    return status_text(call.status)


_DIFF_LINE = re.compile(r"^([+-])(?![+-]{2} )", re.MULTILINE)
_MOST_RESULT = 40
"""Maximum characters of a tool's output shown as its result."""


def result_text(call: ToolUse) -> str:
    """Return the result of a successful call in a few words, for its closed card."""
    if call.brief is not None:
        return show_hidden_chars(tr_reason(call.brief))
    match call.shown:
        case ShownList(items=items):
            return tr_count("1 entry", "{count} entries", len(items))
        case ShownTable(rows=rows):
            return tr_count("1 row", "{count} rows", len(rows))
        case ShownDiff(text=text):
            signs = _DIFF_LINE.findall(text)
            return f"+{signs.count('+')} −{signs.count('-')}"
        case ShownImage() | ShownTerminal():
            return status_text(ToolStatus.SUCCESS)
        case ShownText(text=text):
            first = text.strip().partition("\n")[0]
        case None:
            first = call.output.strip().partition("\n")[0]
        case _:
            assert_never(call.shown)
    short = len(first) <= _MOST_RESULT and first[:1] not in ("", "{", "[", "<")
    return show_hidden_chars(first) if short else status_text(ToolStatus.SUCCESS)


def action_label(action: Action) -> str:
    return {
        Action.SWITCH_TO_TEXT: tr("Switch to text mode"),
        Action.SEND_WITHOUT_TOOLS: tr("Send without tools"),
        Action.SWITCH_PROTOCOL: tr("Switch the protocol"),
        Action.RETRY: tr("Retry"),
        Action.CONTINUE: tr("Continue"),
        Action.OPEN_SETTINGS: tr("Open settings"),
        Action.ASK_AGAIN: tr("Ask again with memory"),
    }[action]


def single_line(text: str, limit: int = 300) -> str:
    """Return the beginning of a text without line breaks."""
    return " ".join(text[: limit * 2].split())[:limit]


def main_argument(call: ToolUse, named: str) -> str:
    """Return the argument that a closed card shows: the one named `named`, else the first values;
    while arguments are being written, the text so far.
    """
    arguments = call.arguments
    if arguments is None:
        return show_hidden_chars(call.raw_arguments[-300:].replace("\n", " "))
    if call.name == ACT_TOOL and (names := call_title(call)):
        return _shown("  ".join(names))
    if named == "id" and call.brief is not None:
        return ""  # the result contains the name
    if named == "id" and call.question is not None:
        return _shown(call.question.title.params.get("name", ""))
    if named and named in arguments:
        return _shown(arguments[named])
    return "  ".join(_shown(value) for value in list(arguments.values())[:3] if value != "")


def format_main_argument(call: ToolUse, scene: Scene, language: str) -> str:
    """Return the main argument for the view. Names of expressions and motions are in `language`,
    the language of the message.
    """
    named = scene.main_argument(call.name)
    words = main_argument(call, named)
    return scene.expression_name(words, language) if scene.is_gesture(call.name) else words


def _shown(value: object) -> str:
    return show_hidden_chars(single_line(value if isinstance(value, str) else _beginning(value)))


_WRITER = json.JSONEncoder(ensure_ascii=False, default=str)
_VISIBLE_CHARS = 600
"""Characters of a value used for its line, which is computed for every paint."""


def _beginning(value: object, seen: int = _VISIBLE_CHARS) -> str:
    """Return the beginning of `value` as JSON, without serializing all of a large one."""
    text = ""
    for piece in _WRITER.iterencode(value):
        text += piece
        if len(text) > seen:
            break
    return text


def format_arguments(call: ToolUse, *, beginning: bool = False) -> str:
    """Return the arguments in readable form: on one line if they fit, else indented. Hidden
    characters are made visible. With `beginning`, only the beginning of large values.
    """
    arguments: Mapping[str, object] | None = call.arguments
    if arguments is None:
        return show_hidden_chars(call.raw_arguments)
    if len(_beginning(arguments, 64)) <= 64:
        return show_hidden_chars(json.dumps(arguments, ensure_ascii=False, default=str))
    some = _first_of(arguments) if beginning else arguments
    return show_hidden_chars(json.dumps(some, ensure_ascii=False, indent=2, default=str))


_FIRST = 5_000
"""Characters of a text above which only its beginning is shown."""
_FIRST_ENTRIES = 40
"""Entries of a list or an object above which only its beginning is shown."""


def _first_of(value: object) -> object:
    if isinstance(value, str):
        return value[:_FIRST]
    if isinstance(value, Mapping):
        return {key: _first_of(one) for key, one in islice(value.items(), _FIRST_ENTRIES)}
    return [_first_of(one) for one in value[:_FIRST_ENTRIES]] if isinstance(value, list) else value


def format_result(call: ToolUse, title: str = "") -> str:
    """Return the output, or the reason for its absence, without control characters. `title` is the
    display name of the tool.
    """
    return printable(raw_result(call, title))


def raw_result(call: ToolUse, title: str = "") -> str:
    """Return the output or the reason unprepared, with control characters."""
    done = call.status is ToolStatus.SUCCESS
    return call.output if done else translate_failure(call, title) or call.output


def short_error(call: ToolUse, title: str = "") -> str:
    """Return why there is no result, on one line; for invalid arguments what is wrong with them."""
    fault = call.fault
    if fault is not None and fault.code == InvalidArguments.code and fault.reasons:
        return single_line(translate_reasons(fault.reasons), 120)
    return single_line(printable(raw_result(call, title)[:_FIRST]), 120)


def model_error_text(call: ToolUse) -> str:
    """Return the error text for the model if it differs from the one for the user."""
    if call.status is ToolStatus.SUCCESS:
        return ""
    said = printable(call.error)
    return "" if said == format_result(call) else said


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]+")


def printable(text: str) -> str:
    """Return foreign text for display: without control characters, and with hidden characters made
    visible.
    """
    return show_hidden_chars(_CONTROL.sub("", text))


def format_number(number: int) -> str:
    return f"{number:,}"


def model_title(model: str) -> str:
    """Return a model's name, or the name of its file if a server of this computer reports its
    path. The vendor before a name ("qwen/qwen3") stays.
    """
    return re.split(r"[/\\]", model)[-1] if re.match(r"[/~]|[A-Za-z]:[/\\]", model) else model


def short_model_name(model: str) -> str:
    """Return a model's name without the path that some services add, shortened to fit
    into a line.
    """
    name = model.rpartition("/")[2] or model
    return name if len(name) <= _NAME else name[: _NAME - 1] + "…"


_CURRENCY_SIGNS = {"USD": "$", "CNY": "¥", "EUR": "€", "GBP": "£"}


def format_price(cost: float, currency: str) -> str:
    """Format a small amount with two significant digits: "$0.0031", "¥1.20"."""
    sign = _CURRENCY_SIGNS.get(currency.upper(), f"{currency} ")
    if cost >= 0.1 or cost <= 0:
        return f"{sign}{cost:.2f}"
    return f"{sign}{cost:.{min(8, 1 - math.floor(math.log10(cost)))}f}"


def format_usage(rounds: int, usage: Usage | None, seconds: float | None) -> str:
    """Format usage: "2 rounds · 1,284 tokens · $0.0031 · 5.6 s"; unknown values are left out."""
    parts = []
    if rounds > 1:
        parts.append(tr("{count} rounds", count=format_number(rounds)))
    tokens = usage.input_tokens + usage.output_tokens if usage is not None else 0
    if tokens:
        parts.append(tr("{count} tokens", count=format_number(tokens)))
    if usage is not None and usage.cost is not None:
        parts.append(format_price(usage.cost, usage.currency))
    if seconds is not None:
        parts.append(format_duration(seconds))
    return " · ".join(parts)


def queued_text(text: str, attached: int) -> str:
    """Return a queued message on one line: "Look at this (2 attachments)"."""
    if not attached:
        return text
    counted = (
        tr("one attachment") if attached == 1 else tr("{count} attachments", count=str(attached))
    )
    return tr("{text} ({pictures})", text=text, pictures=counted) if text.strip() else counted


def activity_text(
    event: RetryAnnounced | DescriptionAnnounced | LoadingAnnounced | WaitAnnounced,
) -> str:
    """Return the text for an activity before a reply starts."""
    match event:
        case RetryAnnounced(attempt=attempt, delay=delay, code=code):
            return retry_text(attempt, delay, code)
        case DescriptionAnnounced(count=count):
            return looking_text(count)
        case LoadingAnnounced(model=model, ready=True):
            return tr("{model} reads the conversation…", model=model)
        case LoadingAnnounced(model=model):
            return tr("Loading the model {model}…", model=model)
        case WaitAnnounced(seconds=seconds):
            return tr("Waiting for the model: {time}", time=format_duration(seconds))


def looking_text(count: int) -> str:
    if count == 1:
        return tr("Looking at the picture…")
    return tr("Looking at {count} pictures…", count=str(count))


_STATUS = re.compile(r"\s*[(（]HTTP \{status\}[)）]")


def retry_text(attempt: int, delay: float, code: str) -> str:
    """Return the text for a retry: "Attempt 2 follows in 3 s: The service …"."""
    # A retry has the error's code without its number.
    what = _STATUS.sub("", translate_code(code, {})[0])
    seconds = f"{delay:.0f}" if delay >= 1 else f"{delay:.1f}"
    return tr(
        "Attempt {number} follows in {seconds} s: {reason}",
        number=str(attempt + 1),
        seconds=seconds,
        reason=what,
    )


def format_file_info(
    size: int, pages: int, pages_read: int, *, cut: bool, omitted: Sequence[Omitted] = ()
) -> str:
    """Format file information: "1.2 MB · pages 1–12 of 340"."""
    parts = [QLocale(language()).formattedDataSize(size, 1)]
    if cut and pages:
        read = {"read": str(pages_read), "count": str(pages)}
        parts.append(tr("only pages 1–{read} of {count}", **read))
    elif cut:
        parts.append(tr("only the beginning"))
    elif pages > 1:
        parts.append(tr("{count} pages", count=str(pages)))
    limits = (Omission.AFTER_LIMIT, Omission.PAGES_AFTER_LIMIT)
    parts.append(omission_words(one for one in omitted if one.what not in limits))
    return " · ".join(filter(None, parts))


def format_due_time(due: float, now: float) -> str:
    """Format the time of an alarm: "17:30", "tomorrow 09:00", "Fri, Nov 28 09:00"."""
    then, today = datetime.fromtimestamp(due), datetime.fromtimestamp(now).date()
    if then.date() == today:
        return f"{then:%H:%M}"
    if then.date() == today + timedelta(days=1):
        return tr("tomorrow {time}", time=f"{then:%H:%M}")
    return f"{format_day(due, now)} {then:%H:%M}"


def due_words(due: Due, now: float) -> str:
    """Format when a to-do is due: "Today 17:00", "Tomorrow", "Fri, Dec 4"."""
    clock = f" {due.clock:%H:%M}" if due.clock else ""
    if due.day == datetime.fromtimestamp(now).date() + timedelta(days=1):
        return tr("Tomorrow") + clock
    return format_day(datetime.combine(due.day, time()).timestamp(), now) + clock


def countdown_words(text: str, due: Due | None, now: float) -> str:
    """Return "27 days until the exam" for a to-do that counts down to its day, "" for another one
    and for one whose day is over.
    """
    from neodeskpet.core.schedule.due import countdown_goal

    goal = countdown_goal(text)
    today = datetime.fromtimestamp(now).date()
    if goal is None or due is None or due.day < today:
        return ""
    days, name = (due.day - today).days, goal or text
    if days == 0:
        return tr("{goal}: today", goal=name)
    return tr_count(
        N_("{count} day until {goal}"), N_("{count} days until {goal}"), days, goal=name
    )


def format_remaining(seconds: float) -> str:
    """Format the remaining time in two units: "in 2 d 3 h", "in 5 min 20 s"; "now" when
    it is over.
    """
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes_left = divmod(minutes, 60)
    days, hours_left = divmod(hours, 24)
    if days:
        return tr("in {days} d {hours} h", days=str(days), hours=str(hours_left))
    if hours:
        return tr("in {hours} h {minutes} min", hours=str(hours), minutes=str(minutes_left))
    if minutes:
        return tr("in {minutes} min {seconds} s", minutes=str(minutes), seconds=str(rest))
    return tr("in {seconds} s", seconds=str(rest)) if rest else tr("now")


def format_countdown(seconds: float, *, short: bool = False) -> str:
    """Format the time that a timer has left: "4:02", "48:10", "1:15:31". `short`, for the small
    rings: from ten minutes on "48m", "3h", "2d".
    """
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes_left = divmod(minutes, 60)
    if short and hours >= 24:
        return tr("{count}d", count=str(hours // 24))
    if short and hours:
        return tr("{count}h", count=str(hours))
    if short and minutes >= 10:
        return tr("{count}m", count=str(minutes))
    return f"{hours}:{minutes_left:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def format_repeat(repeat: Repeat) -> str:
    return {
        "ONCE": tr("Once"),
        "DAILY": tr("Every day"),
        "WEEKDAYS": tr("Monday to Friday"),
        "WEEKLY": tr("Every week"),
    }[repeat.name]


UNKNOWN_COST = "—"


def format_costs(total: CostSum) -> str:
    """Format costs: "$0.31 + ¥1.20"; "≥ $0.31" if some prices are unknown; "—" if all are."""
    if not total.priced:
        return UNKNOWN_COST
    known = " + ".join(
        format_price(cost, currency) for currency, cost in sorted(total.costs.items())
    )
    return f"≥ {known}" if total.priced < total.requests else known


def format_sum(total: CostSum) -> str:
    """Format a sum: "8 requests · 12,400 tokens · 41 s · $0.31"."""
    said = (
        tr("one request")
        if total.requests == 1
        else tr("{count} requests", count=format_number(total.requests))
    )
    tokens = tr("{count} tokens", count=format_number(total.tokens))
    return " · ".join((said, tokens, format_duration(total.seconds), format_costs(total)))


def format_budget(budget: MonthlyBudget, cost: float) -> str:
    """Return the used part of a monthly budget."""
    return tr(
        "{percent} % of the monthly budget of {budget} used ({cost})",
        budget=format_price(budget.amount, budget.currency),
        percent=str(budget.share(cost)),
        cost=format_price(cost, budget.currency),
    )
