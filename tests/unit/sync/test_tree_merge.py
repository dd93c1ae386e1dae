"""The tree that all records of a conversation make."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.blocks import MessageNode
from neodeskpet.sync.tree_merge import ExistingMessage, merge_tree


def nodes(
    times: dict[str, float], parents: dict[str, str], choices: dict[str, str] | None = None
) -> list[MessageNode]:
    stones = [ExistingMessage(one, at) for one, at in times.items()]
    return merge_tree(stones, parents, choices or {}, "talk")


def test_a_message_comes_after_its_parent_whatever_the_clocks_say() -> None:
    made = nodes({"a": 5, "b": 1, "c": 3}, {"b": "a", "c": "b"})
    assert made == [
        MessageNode("a", "", True),
        MessageNode("b", "a", True),
        MessageNode("c", "b", True),
    ]


def test_messages_after_a_deleted_one_move_up() -> None:
    parents = {"b": "a", "c": "gone", "gone": "older", "older": "a"}
    made = nodes({"a": 1, "b": 2, "c": 3}, parents)
    assert [(node.id, node.parent) for node in made] == [("a", ""), ("b", "a"), ("c", "a")]


def test_one_version_is_chosen_and_the_last_if_the_chosen_one_is_gone() -> None:
    times, parents = {"a": 1.0, "b": 2.0, "c": 3.0}, {"b": "a", "c": "a"}
    assert [n.id for n in nodes(times, parents, {"a": "b"}) if n.chosen] == ["a", "b"]
    assert [n.id for n in nodes(times, parents, {"a": "gone"}) if n.chosen] == ["a", "c"]
    times, parents = {"x": 1.0, "y": 2.0}, {}
    assert [n.id for n in nodes(times, parents, {"talk": "x"}) if n.chosen] == ["x"]


def test_cycles_lose_no_message() -> None:
    made = nodes({"a": 1, "b": 2, "c": 3}, {"a": "c", "b": "a", "c": "b"})
    assert {node.id for node in made} == {"a", "b", "c"}
    assert {node.parent for node in made} <= {"", "a", "b", "c"}
    assert nodes({"a": 1}, {"a": "a"}) == [MessageNode("a", "", True)]


names = st.sampled_from("abcdefgh")


@given(
    st.dictionaries(names, st.integers(0, 5).map(float), min_size=1),
    st.dictionaries(names, names | st.just("")),
    st.dictionaries(names | st.just("talk"), names),
    st.randoms(use_true_random=False),
)
def test_it_is_a_tree_and_the_same_in_any_order(
    times: dict[str, float],
    parents: dict[str, str],
    choices: dict[str, str],
    chance: random.Random,
) -> None:
    made = nodes(times, parents, choices)
    assert {node.id for node in made} == set(times)
    seen = {""}
    for node in made:
        assert node.parent in seen
        seen.add(node.id)
    for parent in {node.parent for node in made}:
        assert sum(node.chosen for node in made if node.parent == parent) == 1
    mixed = list(times.items())
    chance.shuffle(mixed)
    assert nodes(dict(mixed), parents, choices) == made
