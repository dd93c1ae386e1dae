"""Any archive gives a valid tree, and always the same one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.conversation.import_chats.format_helpers import (
    add_call_result,
    call_rows,
    text_rows,
)
from neodeskpet.conversation.import_chats.thread_builder import (
    ArchiveNode,
    ThreadBuilder,
    hide_empty,
)
from neodeskpet.core.blocks import MessageNode as Place
from neodeskpet.storage.message_tree import MessageTree


def node(key: str, parent: str | None, *, user: bool = False, **more: Any) -> ArchiveNode:
    return ArchiveNode(key, parent, user=user, rows=text_rows(key), **more)


def weave(*nodes: ArchiveNode, current: str = "", joined: bool = True) -> tuple[list[Any], str]:
    return ThreadBuilder("c", hide_empty(nodes), joined=joined, at=5.0).build(current)


def texts(rows: list[Any]) -> list[str]:
    return ["+".join(block["text"] for block in row["blocks"]) for row in rows]


def shown(rows: list[Any]) -> list[str]:
    tree = MessageTree(Place(row["id"], row["parent"], row["chosen"]) for row in rows)
    named = {row["id"]: text for row, text in zip(rows, texts(rows), strict=True)}
    return [named[one] for one in tree.path()]


def test_consecutive_answers_are_one_message() -> None:
    rows, last = weave(
        node("q", "", user=True), node("a", "q"), node("b", "a"), node("q2", "b", user=True)
    )
    assert texts(rows) == ["q", "a+b", "q2"]
    assert last == rows[-1]["id"]
    assert texts(weave(node("a", ""), node("b", "a"), joined=False)[0]) == ["a", "b"]


def test_branches_are_versions_and_the_current_one_is_shown() -> None:
    nodes = [
        node("q", "", user=True, time=1.0),
        node("a", "q", time=2.0),
        node("b", "q", time=3.0),
        node("q2", "a", user=True, time=4.0),
    ]
    assert shown(weave(*nodes, current="q2")[0]) == ["q", "a", "q2"]
    assert shown(weave(*nodes, current="b")[0]) == ["q", "b"]
    assert shown(weave(*nodes, current="nowhere")[0]) == ["q", "a", "q2"]


def test_hidden_messages_are_skipped() -> None:
    hidden = ArchiveNode("h", "q", visible=False, rows=text_rows("h"))
    rows, _ = weave(node("q", "root", user=True), hidden, ArchiveNode("e", "h"), node("a", "e"))
    assert shown(rows) == ["q", "a"]
    assert shown(weave(node("q", "", user=True), node("a", "q"), hidden, current="h")[0])


def test_calls_are_paired_with_their_results() -> None:
    call, result = call_rows("web.run", {"q": "x"}), call_rows("web", {})
    add_call_result(result, "found")
    rows, _ = weave(
        node("q", "", user=True),
        ArchiveNode("call", "q", rows=[call]),
        ArchiveNode("tool", "call", rows=[result], answers="web"),
        node("a", "tool"),
    )
    ours = rows[1]["blocks"]
    assert [block["kind"] for block in ours] == ["tool_use", "text"]
    assert ours[0]["output"] == "found"
    assert [block["round"] for block in ours] == [0, 1]
    assert rows[1]["rounds"] == 2


def test_a_tool_output_without_a_call_becomes_a_call() -> None:
    result = call_rows("bio", {})
    add_call_result(result, "kept")
    rows, _ = weave(node("q", "", user=True), ArchiveNode("t", "q", rows=[result], answers="bio"))
    assert rows[1]["blocks"][0]["output"] == "kept"


def test_unknown_parents_and_cycles_lose_no_messages() -> None:
    rows, _ = weave(node("q", "ghost", user=True), node("a", "phantom"))
    assert shown(rows) == ["q", "a"]
    rows, _ = weave(node("a", "b", user=True), node("b", "a"), node("c", "b", user=True))
    assert sorted(texts(rows)) == ["a", "b", "c"]
    assert texts(weave(node("self", "self"))[0]) == ["self"]
    assert weave() == ([], "")


def test_a_missing_time_is_taken_from_the_previous_message() -> None:
    rows, _ = weave(node("q", "", user=True, time=7.0), node("a", "q"), node("x", None, user=True))
    assert [row["created"] for row in rows] == [7.0, 7.0, 7.0]


keys = st.sampled_from(["", "a", "b", "c", "d", "e", "f", "?"])
drawn = st.builds(
    ArchiveNode,
    keys.filter(lambda key: key not in ("", "?")),
    st.none() | keys,
    user=st.booleans(),
    time=st.none() | st.floats(1, 9),
    rows=st.sampled_from([[], text_rows("x"), [call_rows("t", {})]]),
    visible=st.booleans(),
)


@given(st.lists(drawn, max_size=8), keys, st.booleans())
def test_any_nodes_become_a_tree(nodes: list[ArchiveNode], current: str, joined: bool) -> None:
    copies = [
        ArchiveNode(n.key, n.parent, n.user, n.time, n.rows, n.model, n.visible) for n in nodes
    ]
    rows, last = weave(*nodes, current=current, joined=joined)
    assert (rows, last) == weave(*copies, current=current, joined=joined)
    ids = [row["id"] for row in rows]
    tree = MessageTree(Place(row["id"], row["parent"], row["chosen"]) for row in rows)
    assert [place.id for place in tree.nodes()] == ids
    chosen = [row["parent"] for row in rows if row["chosen"]]
    assert sorted(chosen) == sorted({row["parent"] for row in rows})
    if rows:
        assert last in tree.path()
    firsts = {one.key: one for one in reversed(copies)}
    wanted = sum(len(one.rows) for one in firsts.values() if one.visible)
    assert sum(len(row["blocks"]) for row in rows) == wanted
