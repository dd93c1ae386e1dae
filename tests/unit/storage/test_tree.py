"""Any operations on a tree: one path is shown, and only deleted messages are gone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from neodeskpet.core.blocks import Deletion, MessageNode
from neodeskpet.storage.message_tree import LooseMessage, MessageTree, repair_nodes


def grown(*pairs: str) -> MessageTree:
    """A tree from "parent>child" in the order of creation; "" is the root."""
    tree = MessageTree()
    for pair in pairs:
        parent, _, child = pair.partition(">")
        tree.add(child, parent)
    return tree


def edited() -> MessageTree:
    """A question that was answered, edited and answered again, with one more exchange each."""
    return grown(">q1", "q1>a1", "a1>r1", "r1>s1", ">q2", "q2>a2")


def test_the_last_message_is_shown_and_the_old_version_stays() -> None:
    tree = edited()
    assert tree.path() == ["q2", "a2"]
    assert tree.versions("q2") == ["q1", "q2"]
    assert tree.path("q1") == ["a1", "r1", "s1"]


def test_going_back_shows_the_last_shown_path_there() -> None:
    tree = edited()
    tree.add("a1b", "q1")
    tree.show_message("q1")
    assert tree.path() == ["q1", "a1b"]
    tree.show_message("a1")
    tree.show_message("q2")
    tree.show_message("q1")
    assert tree.path() == ["q1", "a1", "r1", "s1"]


def test_a_message_deep_in_another_version_can_be_shown() -> None:
    tree = edited()
    tree.show_message("r1")
    assert tree.path() == ["q1", "a1", "r1", "s1"]


def test_a_message_added_to_a_hidden_version_is_not_shown() -> None:
    tree = edited()
    tree.add("t1", "s1")
    assert tree.path() == ["q2", "a2"]


def test_deleting_one_message_keeps_the_following_ones() -> None:
    tree = edited()
    tree.show_message("q1")
    tree.delete_message("a1", below=False)
    assert tree.path() == ["q1", "r1", "s1"]


def test_deleting_a_version_with_its_descendants_shows_its_neighbour() -> None:
    tree = edited()
    tree.delete_message("q2", below=True)
    assert tree.path() == ["q1", "a1", "r1", "s1"]
    tree.delete_message("q1", below=True)
    assert tree.path() == [] and tree.nodes() == []


def test_deleting_a_hidden_version_changes_nothing_else() -> None:
    tree = edited()
    deletion = tree.delete_message("q1", below=False)
    assert tree.path() == ["q2", "a2"]
    assert tree.versions("q2") == ["a1", "q2"]
    tree.show_message("a1")
    tree.restore_messages(deletion)
    assert tree.path() == ["q1", "a1", "r1", "s1"], "the shown path stays"


def test_undo_after_further_messages() -> None:
    tree = edited()
    deletion = tree.delete_message("a2", below=True)
    tree.add("later", "q2")
    tree.restore_messages(deletion)
    assert tree.path() == ["q2", "a2"]
    assert tree.versions("a2") == ["a2", "later"]


def test_a_part_of_a_tree_is_a_tree() -> None:
    part = MessageTree(edited().nodes(), "q1")
    assert part.path() == ["a1", "r1", "s1"]
    assert "q1" not in part and "a2" not in part


def test_files_of_an_earlier_version_keep_regenerated_answers_as_versions() -> None:
    rows = [("q", True), ("a1", False), ("a2", True), ("q2", True), ("b1", False)]
    tree = repair_nodes(LooseMessage(one, None, chosen=True, shown=shown) for one, shown in rows)
    assert tree.path() == ["q", "a2", "q2", "b1"], "a stopped ↻ left no answer: the old one is back"
    assert tree.versions("a2") == ["a1", "a2"]


def test_messages_after_a_lost_one_follow_the_one_before() -> None:
    rows = [
        LooseMessage("a", "", chosen=True, shown=True),
        LooseMessage("c1", "lost", chosen=False, shown=False),
        LooseMessage("c2", "lost", chosen=True, shown=True),
        LooseMessage("d", "c2", chosen=True, shown=True),
    ]
    tree = repair_nodes(rows)
    assert tree.path() == ["a", "c2", "d"]
    assert tree.versions("c2") == ["c1", "c2"]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.none() | st.integers(-1, 12), st.booleans(), st.booleans()),
        max_size=12,
    )
)
def test_any_damaged_tree_is_repaired(rows: list[tuple[int | None, bool, bool]]) -> None:
    loose = [
        LooseMessage(str(n), None if p is None else ("" if p < 0 else str(p)), chosen, shown)
        for n, (p, chosen, shown) in enumerate(rows)
    ]
    tree = repair_nodes(loose)
    assert [node.id for node in tree.nodes()] == [row.id for row in loose]
    check(tree)


def check(tree: MessageTree) -> None:
    """Check that one of each set of versions is chosen, and that each message has an existing
    parent.
    """
    nodes = {node.id: node for node in tree.nodes()}
    chosen: dict[str, int] = {}
    for node in nodes.values():
        assert node.parent == "" or node.parent in nodes
        chosen[node.parent] = chosen.get(node.parent, 0) + node.chosen
    assert all(count == 1 for count in chosen.values())
    path = tree.path()
    assert bool(path) == bool(nodes)
    assert not path or path[-1] not in chosen, "it ends where nothing follows"
    for above, one in zip(["", *path], path, strict=False):
        assert nodes[one].parent == above and nodes[one].chosen
        assert one in tree.versions(one)
    assert MessageTree(tree.nodes()).path() == path, "it can be read again"


class Talk(RuleBasedStateMachine):
    """The actions of a user in a conversation, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.tree = MessageTree()
        self.alive: set[str] = set()
        self.count = 0
        self.deletion: Deletion | None = None
        self.before: list[MessageNode] | None = None

    def _pick(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.alive)))

    def _add(self, parent: str) -> None:
        self.count += 1
        name = f"{self.count:03}"
        self.tree.add(name, parent)
        self.alive.add(name)
        self.before = None

    @rule()
    def say_more(self) -> None:
        path = self.tree.path()
        self._add(path[-1] if path else "")
        assert self.tree.path() == [*path, f"{self.count:03}"]

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        path = self.tree.path()
        at = data.draw(st.integers(0, len(path) - 1))
        self._add(path[at - 1] if at else "")
        assert self.tree.path() == [*path[:at], f"{self.count:03}"]

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def show(self, data: st.DataObject) -> None:
        one = self._pick(data)
        self.tree.show_message(one)
        assert one in self.tree.path()
        self.before = None

    @precondition(lambda self: self.alive)
    @rule(data=st.data(), below=st.booleans())
    def delete(self, data: st.DataObject, below: bool) -> None:
        one = self._pick(data)
        self.before = self.tree.nodes()
        self.deletion = self.tree.delete_message(one, below=below)
        gone = {node.id for node in self.deletion.nodes}
        assert one in gone and (below or gone == {one})
        self.alive -= gone

    @precondition(lambda self: self.deletion)
    @rule()
    def undo(self) -> None:
        assert self.deletion is not None
        self.tree.restore_messages(self.deletion)
        self.alive |= {node.id for node in self.deletion.nodes}
        if self.before is not None:
            assert self.tree.nodes() == self.before
        self.deletion = None

    @invariant()
    def it_is_valid_and_nothing_is_lost(self) -> None:
        check(self.tree)
        assert {node.id for node in self.tree.nodes()} == self.alive


TestTalk = Talk.TestCase
TestTalk.settings = settings(max_examples=150, stateful_step_count=25, deadline=None)
