"""Times, counts, arguments and results in words."""

from dataclasses import replace
from datetime import datetime

import pytest

from neodeskpet.core.blocks import ToolStatus, ToolUse, Usage
from neodeskpet.core.errors import Action, RepeatedCall, ToolFault
from neodeskpet.core.i18n import Reason
from neodeskpet.core.wire import DescriptionAnnounced, LoadingAnnounced, WaitAnnounced
from neodeskpet.language import set_language
from neodeskpet.ui.formatting import (
    action_label,
    activity_text,
    approval_wait_seconds,
    format_arguments,
    format_day,
    format_duration,
    format_price,
    format_result,
    format_time,
    format_usage,
    main_argument,
    model_title,
    retry_text,
    short_model_name,
    single_line,
    status_text,
)
from tests.unit.ui.chat.doubles import call


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0124, "12 ms"),
        (0.8, "0.8 s"),
        (3.21, "3.2 s"),
        (14.4, "14 s"),
        (125, "2 min 5 s"),
        (-1, "0 ms"),
    ],
)
def test_durations(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words


def test_the_title_of_a_model_has_no_folders() -> None:
    assert model_title("/home/me/models/Qwen3-4B.gguf") == "Qwen3-4B.gguf"
    assert model_title("C:\\models\\Qwen3-4B.gguf") == "Qwen3-4B.gguf"
    assert model_title("qwen/qwen3-4b") == "qwen/qwen3-4b"
    assert model_title("") == ""


def test_every_state_and_action_has_its_own_word() -> None:
    assert len({status_text(status) for status in ToolStatus}) == len(ToolStatus)
    assert len({action_label(action) for action in Action}) == len(Action)


def test_the_footer_omits_unknown_values() -> None:
    assert format_usage(2, Usage(1000, 284), 5.6) == "2 rounds · 1,284 tokens · 5.6 s"
    assert format_usage(1, None, 5.6) == "5.6 s"
    paid = Usage(1000, 284, cost=0.00312, currency="USD")
    assert format_usage(1, paid, None) == "1,284 tokens · $0.0031"
    assert format_usage(1, Usage(), None) == ""


def test_a_models_name_fits_into_a_line() -> None:
    assert short_model_name("accounts/makers/models/small-1") == "small-1"
    assert short_model_name("llama3:8b") == "llama3:8b"
    assert short_model_name("/models/") == "/models/"
    assert short_model_name("m" * 40) == "m" * 31 + "…"


def test_the_main_argument() -> None:
    assert main_argument(call(0, arguments={"a": "x", "b": 2}), "b") == "2"
    assert main_argument(call(0, arguments={"a": "x\n y", "b": 2}), "") == "x y  2"
    assert main_argument(call(0, arguments={}), "") == ""


def test_arguments_while_they_stream() -> None:
    writing = replace(call(0), raw_arguments='{"a":\n"x', arguments=None)
    assert main_argument(writing, "a") == '{"a": "x'
    assert format_arguments(writing) == '{"a":\n"x'


def test_long_arguments_are_indented() -> None:
    assert format_arguments(call(0, arguments={"a": "伞"})) == '{"a": "伞"}'
    assert format_arguments(call(0, arguments={"a": "x" * 80})).startswith('{\n  "a"')


def test_results() -> None:
    assert format_result(call(0, output="a\x1b[1m\tb\r\n")) == "a[1m\tb\n"
    assert format_result(call(0, ToolStatus.ERROR)) == "No network."


def test_a_reason_has_the_readable_name_of_the_tool() -> None:
    repeated = RepeatedCall(tool="calc.evaluate", count="3")
    reason = Reason(repeated.what, repeated.params)
    cancelled = call(0, ToolStatus.CANCELLED, fault=ToolFault("call_not_run", {}, (reason,)))
    assert "Paused: Calculate was called 3 times" in format_result(cancelled, "Calculate")
    assert "Paused: calc.evaluate was called" in format_result(cancelled)


def test_one_line_of_a_text() -> None:
    assert single_line("a\n\n b" * 500, 6) == "a ba b"


def test_texts_of_retries() -> None:
    assert retry_text(1, 0.5, "rate_limited").startswith("Attempt 2 follows in 0.5 s: Rate lim")
    assert "{status}" not in retry_text(1, 0.5, "service_failed")


def test_the_state_before_the_first_text() -> None:
    assert activity_text(DescriptionAnnounced(2)) == "Looking at 2 pictures…"
    assert activity_text(WaitAnnounced(75.0)) == "Waiting for the model: 1 min 15 s"
    assert activity_text(LoadingAnnounced("tiny")) == "Loading the model tiny…"
    assert activity_text(LoadingAnnounced("tiny", ready=True)) == "tiny reads the conversation…"


def test_waiting_for_the_user_counts_once() -> None:
    def asked(start: float | None, end: float | None, ended: float | None = None) -> ToolUse:
        return ToolUse(0, 0, "c", "x", asked=start, answered=end, ended=ended)

    assert approval_wait_seconds([]) == 0
    assert approval_wait_seconds([asked(None, None, 9)]) == 0
    assert approval_wait_seconds([asked(1, 5), asked(20, 21)]) == 5
    assert approval_wait_seconds([asked(3, 10), asked(1, 5), asked(4, 6)]) == 9
    assert approval_wait_seconds([asked(1, None, 4)]) == 3
    assert approval_wait_seconds([asked(1, None)]) == 0


def test_the_time_of_a_message() -> None:
    now = datetime(2026, 11, 22, 0, 30).timestamp()
    hours = 3600.0
    assert format_time(now, now) == "00:30"
    assert format_day(now, now) == "Today"
    assert format_time(now - hours, now) == "Yesterday 23:30"
    assert format_day(now - 3 * 24 * hours, now) == "Thu, 19 Nov"
    assert format_day(now - 400 * 24 * hours, now) == "18 Oct 2025"
    try:
        set_language("zh_CN")
        assert format_day(now, now) == "今天"
        assert format_day(now - 3 * 24 * hours, now) == "11月19日 周四"
        assert format_day(now - 400 * 24 * hours, now) == "2025年10月18日"
    finally:
        set_language("en")


@pytest.mark.parametrize(
    ("cost", "currency", "words"),
    [
        (1.2, "CNY", "¥1.20"),
        (0.1, "USD", "$0.10"),
        (0.0312, "EUR", "€0.031"),
        (0.00000312, "GBP", "£0.0000031"),
        (0.0, "USD", "$0.00"),
        (2.5, "CHF", "CHF 2.50"),
    ],
)
def test_a_price_has_two_significant_digits(cost: float, currency: str, words: str) -> None:
    assert format_price(cost, currency) == words


def test_a_card_shows_the_beginning_of_a_large_argument_without_formatting_all_of_it() -> None:
    class Counted(list[int]):
        read = 0

        def __iter__(self):  # type: ignore[no-untyped-def]
            for value in super().__iter__():
                Counted.read += 1
                yield value

    large = call(0, arguments={"rows": Counted(range(100_000)), "text": "x" * 1_000_000})
    Counted.read = 0
    assert main_argument(large, "rows").startswith("[0, 1, 2, ")
    assert len(main_argument(large, "rows")) <= 300
    assert len(main_argument(large, "text")) <= 300
    assert Counted.read < 1_000
