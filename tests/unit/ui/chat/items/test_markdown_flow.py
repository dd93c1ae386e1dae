"""Growing Markdown as items: completed ones are never made again."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.items.code_items import CodeItem
from neodeskpet.ui.chat.items.item import Item, RuleItem
from neodeskpet.ui.chat.items.markdown_flow import MarkdownFlow
from neodeskpet.ui.chat.items.text_items import MarkdownItem, TextItem
from neodeskpet.ui.chat.items.wide_items import MarkdownTableItem
from tests.unit.core.markdown.test_splitter import markdown
from tests.unit.ui.chat.doubles import open_view


def described(items: list[Item]) -> list[tuple[str, str]]:
    return [
        (type(item).__name__, item.source if isinstance(item, TextItem) else "") for item in items
    ]


def test_items_of_all_kinds(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    scene = view.scene
    flow = MarkdownFlow()
    flow.append("para\n\n---\n\n```py\nx\n```\n")
    flow.finish()
    flow.sync(scene)
    assert [type(item) for item in flow.items] == [MarkdownItem, RuleItem, CodeItem]
    assert flow.text == "para\n\n---\n\n```py\nx\n```\n"
    assert flow.length == len(flow.text)


def test_completed_items_stay_the_same_objects(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    scene = view.scene
    flow = MarkdownFlow()
    flow.append("one\n\ntwo")
    flow.sync(scene)
    before = list(flow.items)
    flow.append(" more\n\nthree")
    changed = flow.sync(scene)
    assert flow.items[:2] == before
    assert changed == [before[1]]
    assert flow.unchanged_count == 1


def test_without_a_change_nothing_is_reported(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    scene = view.scene
    flow = MarkdownFlow()
    flow.append("one\n")
    flow.sync(scene)
    flow.append("-")
    assert flow.sync(scene) == []


def test_long_code_is_one_block_in_parts(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    scene = view.scene
    flow = MarkdownFlow()
    code = "\n".join(f"line {n}" for n in range(200))
    flow.append(f"```\n{code}\n```")
    flow.finish()
    flow.sync(scene)
    blocks = {id(item.block) for item in flow.items if isinstance(item, CodeItem)}
    assert len(flow.items) == 3
    assert len(blocks) == 1
    first = flow.items[0]
    assert isinstance(first, CodeItem)
    assert first.block.text == code


def test_a_long_table_shares_its_columns(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    scene = view.scene
    flow = MarkdownFlow()
    flow.append("| a | b |\n|---|---|\n" + "| long text | x |\n" * 40)
    flow.finish()
    flow.sync(scene)
    for item in reversed(flow.items):
        item.measure(scene, 400)
    tables = [item for item in flow.items if isinstance(item, MarkdownTableItem)]
    assert len({id(item.shape) for item in tables}) == 1
    shape = tables[0].shape
    assert len(shape.widths) == 2
    assert tables[1].text_between(scene, 0, 1 << 20).strip().startswith("long text")


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)
@given(markdown, st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_streamed_and_complete_text_give_the_same_items(
    qtbot: QtBot, text: str, steps: list[int]
) -> None:
    view = open_view(qtbot)
    scene = view.scene
    text = text[:600]
    streamed, whole = MarkdownFlow(), MarkdownFlow()
    start, number = 0, 0
    while start < len(text):
        step = steps[number % len(steps)]
        streamed.append(text[start : start + step])
        streamed.sync(scene)
        start, number = start + step, number + 1
    whole.append(text)
    for flow in (streamed, whole):
        flow.finish()
        flow.sync(scene)
    assert described(streamed.items) == described(whole.items)
    for item in streamed.items:
        if isinstance(item, CodeItem):
            assert item in item.block.chunks
