"""Windows rendered as text for a model."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.app_windows.window import (
    MOST_CONTENT_CHARACTERS,
    AppWindow,
    WindowAction,
    WindowOptions,
    fit_windows,
    log_window,
    render_window,
)
from neodeskpet.core.dialects import DIALECTS
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.core.toolspec import Mode
from neodeskpet.core.wire import ResponseFinished, StopReason, TextDelta

TEXT = {"type": "object", "properties": {"text": {"type": "string"}, "tag": {"type": "string"}}}
ADD = WindowAction("add", "Add a note", {**TEXT, "required": ["text"]})
FIXED = WindowOptions(closable=False)


def test_a_window_is_rendered_in_one_form() -> None:
    window = AppWindow("notes", "Notes", "What is kept.", "#1 milk", (ADD,), FIXED)
    assert render_window(window) == (
        '<Window id="notes"><description>What is kept.</description><content>#1 milk</content>'
        '<actions><action id="add" params="{text:string, tag?:string}" mode="sync">Add a note'
        "</action></actions></Window>"
    )


def test_closable_windows_and_async_actions_are_marked() -> None:
    window = AppWindow("w", "", "", "", (WindowAction("go", "Go", mode=Mode.ASYNC),))
    assert '<action id="go" params="{}" mode="async">Go</action>' in render_window(window)
    assert (
        '<action id="close" params="{}" mode="sync">Close this window.</action>'
        in render_window(window)
    )


def test_a_log_is_compact() -> None:
    shown = log_window(3, "[7] notes.add -> ok")
    assert shown == '<Window id="log_3" compact="true">[7] notes.add -&gt; ok</Window>'
    window = AppWindow("w", "", "unsaid", "so it is", (ADD,), WindowOptions(compact=True))
    assert render_window(window) == '<Window id="w" compact="true">so it is</Window>'


def test_a_long_content_is_cut_with_a_note() -> None:
    shown = render_window(AppWindow("w", "", "", "x" * (MOST_CONTENT_CHARACTERS + 5)))
    assert "… (5 more characters)" in shown


def test_a_default_with_quotes_stays_in_its_attribute() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "default": 'x"y'}}}
    window = AppWindow("w", "", "", "", (WindowAction("go", "", schema),), FIXED)
    action = ElementTree.fromstring(render_window(window)).find("actions/action")
    assert action is not None
    assert action.get("params") == '{a?:string="x\\"y"}'


HOSTILE = st.sampled_from(
    [
        "</content>",
        "</Window>",
        '<Window id="x">',
        "<tool_call>",
        "</tool_call>",
        "&lt;",
        "&",
        "<<<[TOOL_REQUEST]>>>",
        "「末」",
        "⟦/foreign⟧",
        "[表情:smile]",
        "]]>",
        "```",
        "`",
        "\n",
        "<think>",
        "\x00",
        "\u202e",
        "words",
        '{"calls":[]}',
    ]
)


@given(st.lists(HOSTILE, max_size=8).map("".join))
def test_content_can_not_close_its_window(text: str) -> None:
    shown = render_window(AppWindow("notes", "", text, text, (WindowAction("a", text),), FIXED))
    tree = ElementTree.fromstring(shown)
    assert [one.tag for one in tree.iter()] == [
        "Window",
        "description",
        "content",
        "actions",
        "action",
    ]
    for dialect in DIALECTS.values():  # A model that repeats the text calls nothing.
        reader = dialect.reader()
        events = [*reader.read(TextDelta(0, shown)), *reader.read(ResponseFinished(StopReason.END))]
        assert "".join(e.text for e in events if isinstance(e, TextDelta)) == shown


def test_if_not_all_fit_the_oldest_and_unimportant_are_left_out_first() -> None:
    def window(name: str, **options: bool) -> AppWindow:
        return AppWindow(name, "", "", "x" * 400, options=WindowOptions(**options))

    windows = [
        window("launcher", pinned=True),
        window("old", important=True),
        window("older"),
        window("new"),
    ]
    cost = estimate_tokens(render_window(windows[0]))

    def left(budget: int) -> list[str]:
        return [one.id for one in fit_windows(windows, budget)]

    assert left(5 * cost) == ["launcher", "old", "older", "new"]
    assert left(3 * cost + 9) == ["launcher", "old", "new"]
    assert left(2 * cost + 9) == ["launcher", "old"]
    assert left(0) == ["launcher"]
