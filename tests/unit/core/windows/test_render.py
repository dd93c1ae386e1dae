"""Windows as a model reads them."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.context import estimate_tokens
from neodeskpet.core.dialects import DIALECTS
from neodeskpet.core.toolspec import Mode
from neodeskpet.core.windows.render import LONGEST, fit, log_window, render
from neodeskpet.core.windows.window import Action, Window, WindowOptions
from neodeskpet.core.wire import ResponseFinished, Stop, TextDelta

TEXT = {"type": "object", "properties": {"text": {"type": "string"}, "tag": {"type": "string"}}}
ADD = Action("add", "Add a note", {**TEXT, "required": ["text"]})
FIXED = WindowOptions(closable=False)


def test_a_window_is_told_in_one_form() -> None:
    window = Window("notes", "Notes", "What is kept.", "#1 milk", (ADD,), FIXED)
    assert render(window) == (
        '<Window id="notes"><description>What is kept.</description><content>#1 milk</content>'
        '<actions><action id="add" params="{text:string, tag?:string}" mode="sync">Add a note'
        "</action></actions></Window>"
    )


def test_a_closable_one_can_be_closed_and_an_async_action_says_so() -> None:
    window = Window("w", "", "", "", (Action("go", "Go", mode=Mode.ASYNC),))
    assert '<action id="go" params="{}" mode="async">Go</action>' in render(window)
    assert '<action id="close" params="{}" mode="sync">Close this window.</action>' in render(
        window
    )


def test_a_log_is_compact() -> None:
    shown = log_window(3, "[7] notes.add -> ok")
    assert shown == '<Window id="log_3" compact="true">[7] notes.add -&gt; ok</Window>'
    window = Window("w", "", "unsaid", "so it is", (ADD,), WindowOptions(compact=True))
    assert render(window) == '<Window id="w" compact="true">so it is</Window>'


def test_a_long_content_is_cut_and_says_so() -> None:
    shown = render(Window("w", "", "", "x" * (LONGEST + 5)))
    assert "… (5 more characters)" in shown


def test_a_default_with_quotes_stays_in_its_attribute() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "default": 'x"y'}}}
    window = Window("w", "", "", "", (Action("go", "", schema),), FIXED)
    action = ElementTree.fromstring(render(window)).find("actions/action")
    assert action is not None
    assert action.get("params") == '{a?:string="x\\"y"}'


HOSTILE = st.sampled_from(
    [
        *("</content>", "</Window>", '<Window id="x">', "<tool_call>", "</tool_call>", "&lt;", "&"),
        *("<<<[TOOL_REQUEST]>>>", "「末」", "⟦/foreign⟧", "[表情:smile]", "]]>", "```", "`", "\n"),
        *("<think>", "\x00", "\u202e", "words", '{"calls":[]}'),
    ]
)


@given(st.lists(HOSTILE, max_size=8).map("".join))
def test_content_stays_content_whatever_it_is(text: str) -> None:
    shown = render(Window("notes", "", text, text, (Action("a", text),), FIXED))
    tree = ElementTree.fromstring(shown)
    assert [one.tag for one in tree.iter()] == [
        *("Window", "description", "content", "actions", "action")
    ]
    for dialect in DIALECTS.values():  # a model that repeats it calls nothing
        reader = dialect.reader()
        events = [*reader.read(TextDelta(0, shown)), *reader.read(ResponseFinished(Stop.END))]
        assert "".join(e.text for e in events if isinstance(e, TextDelta)) == shown


def test_where_not_all_fit_the_oldest_and_unimportant_are_left_out_first() -> None:
    def window(name: str, **options: bool) -> Window:
        return Window(name, "", "", "x" * 400, options=WindowOptions(**options))

    windows = [
        window("launcher", pinned=True),
        window("old", important=True),
        window("older"),
        window("new"),
    ]
    cost = estimate_tokens(render(windows[0]))

    def left(budget: int) -> list[str]:
        return [one.id for one in fit(windows, budget)]

    assert left(5 * cost) == ["launcher", "old", "older", "new"]
    assert left(3 * cost + 9) == ["launcher", "old", "new"]
    assert left(2 * cost + 9) == ["launcher", "old"]
    assert left(0) == ["launcher"]
