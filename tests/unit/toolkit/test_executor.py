"""A call from its name to its result text, and every way in which it can fail."""

import asyncio
import logging
import sys
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import Field

from neodeskpet.core.attachments import MOST_ATTACHMENTS, Picture
from neodeskpet.core.errors import (
    InvalidArguments,
    StoreError,
    ToolDenied,
    ToolFailed,
    ToolTimedOut,
    UnknownTool,
)
from neodeskpet.core.tool_result import (
    MOST_CELL,
    MOST_COLUMNS,
    MOST_ROWS,
    MOST_TEXT,
    ShownTable,
    ToolResult,
)
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.registry import Progress, Tool, tool
from neodeskpet.toolkit.toolbox import AppTools, Toolbox


def silent(fraction: float | None, text: str) -> None: ...


def make(function: Callable[..., object], name: str = "a.tool", **options: Any) -> Tool:
    function.__doc__ = "Do something."
    return tool(name, risk=Risk.READ, **options)(function)


def call(function: Callable[..., object], /, **arguments: object) -> str:
    return asyncio.run(
        Toolbox(AppTools([make(function)])).offer().run("a.tool", arguments, silent)
    ).text


def in_time(job: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(job, 20))


# Results


@dataclass
class Point:
    x: int
    on: date


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("plain “text”", "plain “text”"),
        ({"名": [1, 2.5, None]}, '{"名":[1,2.5,null]}'),
        (Point(1, date(2025, 1, 2)), '{"x":1,"on":"2025-01-02"}'),
        (None, "Done."),
        (True, "true"),
        ("a\ud800b", "a?b"),
    ],
)
def test_a_result_as_text(result: object, text: str) -> None:
    assert call(lambda: result) == text


def test_a_long_result_is_cut_with_a_note() -> None:
    text = call(lambda: "x" * (MOST_TEXT + 5))
    assert text.startswith("x" * MOST_TEXT + "\n[5 more characters were cut")


def full(function: Callable[..., object]) -> ToolResult:
    toolbox = Toolbox(AppTools([make(function)]))
    return asyncio.run(toolbox.offer().run("a.tool", {}, silent))


def test_a_value_is_data_too_and_a_text_is_not() -> None:
    assert full(lambda: {"名": (1, 2)}) == ToolResult('{"名":[1,2]}', {"名": [1, 2]})
    assert full(lambda: "words") == ToolResult("words")
    assert full(lambda: None) == ToolResult("Done.")


def test_a_result_within_the_limits_is_returned_completely() -> None:
    cat = Picture("d" * 64, b"cat", "image/png")
    table = ShownTable(("a",) * 50, (("x" * 9000,),) * 5000)
    made = ToolResult("y" * (MOST_TEXT + 5), Point(1, date(2025, 1, 2)), table, (cat,) * 30, False)
    got = full(lambda: made)
    assert got.text.endswith("[5 more characters were cut. Ask for less at once.]")
    assert got.data == {"x": 1, "on": "2025-01-02"}
    assert isinstance(got.shown, ShownTable)
    assert (len(got.shown.header), len(got.shown.rows), len(got.shown.rows[0][0])) == (
        MOST_COLUMNS,
        MOST_ROWS,
        MOST_CELL,
    )
    assert (len(got.images), got.continue_) == (MOST_ATTACHMENTS, False)


def deep(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("data", [object(), deep(80), deep(5000), ["x" * MOST_TEXT], float("nan")])
def test_data_that_is_too_large_too_deep_or_no_json_is_left_out(
    data: object, caplog: pytest.LogCaptureFixture
) -> None:
    assert full(lambda: ToolResult("said", data)) == ToolResult("said")
    assert "is left out" in caplog.text


def test_a_value_that_nests_too_deep_fails_only_its_call() -> None:
    with pytest.raises(ToolFailed):
        call(lambda: deep(5000))


def test_a_result_that_is_no_json_fails() -> None:
    with pytest.raises(ToolFailed, match=r"a\.tool: PydanticSerializationError"):
        call(lambda: object())


def test_arguments_are_coerced_for_the_function() -> None:
    def add(
        a: Annotated[int, Field(description="a")], b: Annotated[int, Field(description="b")] = 10
    ) -> int:
        return a + b

    assert call(add, a="3") == "13"
    with pytest.raises(InvalidArguments, match=r'a: must be an integer, got "x"'):
        call(add, a="x")


# Where it runs


def test_a_sync_tool_runs_in_a_thread_of_its_own() -> None:
    assert call(lambda: threading.current_thread().name) == "tool"


def test_an_async_tool_runs_on_the_loop() -> None:
    async def name() -> str:
        await asyncio.sleep(0)
        return threading.current_thread().name

    assert call(name) == threading.main_thread().name


def test_progress_is_passed_on_until_the_end() -> None:
    seen: list[tuple[float | None, str]] = []
    kept: list[Progress] = []

    def work(progress: Progress) -> None:
        kept.append(progress)
        progress(0.5, "half")
        progress(None, "soon")

    toolbox = Toolbox(AppTools([make(work)]))
    asyncio.run(
        toolbox.offer().run("a.tool", {}, lambda fraction, text: seen.append((fraction, text)))
    )
    kept[0](1.0, "too late")
    assert seen == [(0.5, "half"), (None, "soon")]


# Names


def toolbox_of(*names: str, **options: Any) -> Toolbox:
    return Toolbox(AppTools([make(lambda: "ok", name) for name in names]), **options)


@pytest.mark.parametrize("heard", ["live2d.motion", "live2d_motion", "`default_api:live2d.motion`"])
def test_a_name_in_any_form(heard: str) -> None:
    assert asyncio.run(toolbox_of("live2d.motion").offer().run(heard, {}, silent)).text == "ok"


def test_an_unknown_name_is_answered_with_similar_ones_and_the_list() -> None:
    toolbox = toolbox_of("live2d.motion", "live2d.expression", "time.now")
    with pytest.raises(UnknownTool) as failure:
        asyncio.run(toolbox.offer().run("live2d.motions", {}, silent))
    assert str(failure.value) == (
        "There is no tool named live2d.motions. Did you mean live2d.motion, live2d.expression? "
        "All tools: live2d.motion, live2d.expression, time.now. "
        "Call one of them, or answer without a tool."
    )


def test_a_long_list_is_not_repeated() -> None:
    toolbox = toolbox_of(*(f"tool.{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"))
    with pytest.raises(UnknownTool) as failure:
        asyncio.run(toolbox.offer().run("tools.zz", {}, silent))
    assert "All tools" not in str(failure.value)
    assert str(failure.value).count(", tool.") == 4


def test_tools_that_are_off_or_not_offered_are_neither_shown_nor_run() -> None:
    on = {"a"}
    hidden = make(lambda: "ok", "hidden", offered=lambda: False)
    tools = [make(lambda: "ok", "a"), make(lambda: "ok", "b"), hidden]
    toolbox = Toolbox(AppTools(tools), enabled=lambda spec: spec.name in {*on, "hidden"})
    assert [spec.name for spec in toolbox.specs()] == ["a"]
    for name in ("b", "hidden"):
        with pytest.raises(UnknownTool):
            asyncio.run(toolbox.offer().run(name, {}, silent))
    on.clear()
    with pytest.raises(UnknownTool, match="No tools are available now"):
        asyncio.run(toolbox.offer().run("a", {}, silent))


def test_two_tools_of_one_name_are_a_bug() -> None:
    with pytest.raises(ValueError, match="Two tools are named a"):
        toolbox_of("a", "a")


# Failures


def failing(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "reason", "on_loop"),
    [
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero.", False),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero.", True),
        (TimeoutError("the disk"), "TimeoutError: the disk.", False),
        (TimeoutError("the disk"), "TimeoutError: the disk.", True),
        (RuntimeError(), "RuntimeError.", False),
        (StopIteration(), "RuntimeError: StopIteration.", False),
        (SystemExit(3), "RuntimeError: SystemExit: 3.", False),
    ],
)
def test_an_exception_of_a_tool_is_its_failure(
    error: BaseException, reason: str, on_loop: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail_on_loop() -> None:
        raise error

    with caplog.at_level(logging.CRITICAL), pytest.raises(ToolFailed) as failure:
        call(fail_on_loop if on_loop else failing(error))
    assert reason in str(failure.value)
    assert "or tell the user" in str(failure.value)


def test_a_failure_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ToolFailed):
        call(failing(ValueError("odd")))
    (record,) = caplog.records
    assert record.getMessage() == "Tool a.tool failed"
    assert record.exc_info or record.exc_text  # The filter of an open log makes it text.


def test_a_tools_own_tool_error_passes_unchanged() -> None:
    with pytest.raises(ToolDenied, match="not in this folder"):
        call(failing(ToolDenied("not in this folder")))


def test_another_known_error_is_a_failed_tool() -> None:
    with pytest.raises(ToolFailed, match=r"can't be saved\. disk full"):
        call(failing(StoreError("disk full")))


def test_a_tool_that_cancels_itself_has_failed() -> None:
    async def vanish() -> None:
        raise asyncio.CancelledError("gone")

    with pytest.raises(ToolFailed, match="CancelledError: gone"):
        call(vanish)


# Time limits and cancelling


def test_a_slow_tool_is_timed_out() -> None:
    release = threading.Event()

    async def wait() -> None:
        await asyncio.Event().wait()

    for slow in (release.wait, wait):
        function = slow if asyncio.iscoroutinefunction(slow) else lambda: release.wait(30)
        with pytest.raises(ToolTimedOut) as failure:
            toolbox = Toolbox(AppTools([make(function, timeout=0.01)]))
            asyncio.run(toolbox.offer().run("a.tool", {}, silent))
        assert "didn't finish within 0.01 s" in str(failure.value)
        assert "tell the user" in str(failure.value)
    release.set()


def test_cancelling_doesnt_wait_for_a_thread() -> None:
    release, started = threading.Event(), threading.Event()

    def stuck() -> None:
        started.set()
        release.wait(30)

    async def cancel() -> None:
        loop = asyncio.get_running_loop()
        job = loop.create_task(Toolbox(AppTools([make(stuck)])).offer().run("a.tool", {}, silent))
        await asyncio.to_thread(started.wait, 10)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        assert not release.is_set()
        release.set()
        thread = next((t for t in threading.enumerate() if t.name == "tool"), None)
        if thread is not None:
            await asyncio.to_thread(thread.join, 10)
        await asyncio.sleep(0)  # Its late result is ignored.

    in_time(cancel())


def test_cancelling_reaches_an_async_tool() -> None:
    events: list[str] = []

    async def cancel() -> None:
        running = asyncio.Event()

        async def wait() -> None:
            try:
                running.set()
                await asyncio.Event().wait()
            finally:
                events.append("stopped")

        loop = asyncio.get_running_loop()
        job = loop.create_task(Toolbox(AppTools([make(wait)])).offer().run("a.tool", {}, silent))
        await running.wait()
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job

    in_time(cancel())
    assert events == ["stopped"]


def test_a_thread_may_outlive_the_loop() -> None:
    release = threading.Event()
    with pytest.raises(ToolTimedOut):
        toolbox = Toolbox(AppTools([make(lambda: release.wait(30), timeout=0.01)]))
        asyncio.run(toolbox.offer().run("a.tool", {}, silent))
    failed: list[object] = []
    hook, threading.excepthook = threading.excepthook, failed.append
    try:
        release.set()
        for thread in threading.enumerate():
            if thread.name == "tool":
                thread.join(10)
    finally:
        threading.excepthook = hook
    assert not failed
    assert sys.is_finalizing() is False


def test_a_large_value_is_read_in_a_thread_and_a_small_one_at_once() -> None:
    seen: list[bool] = []

    class Watched(Tool):
        def read(self, arguments: Any) -> dict[str, object]:
            seen.append(threading.current_thread() is threading.main_thread())
            return super().read(arguments)

    def count(
        rows: Annotated[list[list[int]], Field(description="Rows.")],
        text: Annotated[str, Field(description="Letters.")] = "",
    ) -> int:
        return sum(map(len, rows)) + len(text)

    made = make(count)
    fields = {name: getattr(made, name) for name in Tool.__dataclass_fields__}
    offer = Toolbox(AppTools([Watched(**fields)])).offer()
    for rows, text, total in (
        ([[1, 2]], "word", "6"),
        ([[1] * 100] * 40, "", "4000"),
        ([[]], "w" * 60_000, "60000"),
    ):
        result = asyncio.run(offer.run("a.tool", {"rows": rows, "text": text}, silent))
        assert result.text == total
    assert seen == [True, False, False]
