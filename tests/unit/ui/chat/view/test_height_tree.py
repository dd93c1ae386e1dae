"""The Fenwick tree, compared with a plain list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from neodeskpet.ui.chat.view.height_tree import HeightTree

heights = st.integers(0, 500)


class Tree(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.plain: list[int] = []
        self.tree = HeightTree()

    @rule(values=st.lists(heights, max_size=20))
    def load(self, values: list[int]) -> None:
        self.plain, self.tree = list(values), HeightTree(values)

    @rule(height=heights)
    def append(self, height: int) -> None:
        self.plain.append(height)
        self.tree.append(height)

    @precondition(lambda self: self.plain)
    @rule(data=st.data(), height=heights)
    def put(self, data: st.DataObject, height: int) -> None:
        index = data.draw(st.integers(0, len(self.plain) - 1))
        self.plain[index] = height
        self.tree.set_height(index, height)

    @rule(data=st.data(), values=st.lists(heights, max_size=5))
    def splice(self, data: st.DataObject, values: list[int]) -> None:
        start = data.draw(st.integers(0, len(self.plain)))
        self.plain[start:] = values
        self.tree.splice(start, values)

    @invariant()
    def equal(self) -> None:
        assert list(self.tree) == self.plain
        assert len(self.tree) == len(self.plain)
        assert self.tree.total == sum(self.plain)
        assert [self.tree.offset_of(i) for i in range(len(self.plain) + 1)] == [
            sum(self.plain[:i]) for i in range(len(self.plain) + 1)
        ]


TestTree = Tree.TestCase


@given(st.lists(st.integers(1, 100), min_size=1, max_size=60), st.integers(-10, 7000))
def test_the_row_at_a_place_covers_it(values: list[int], y: int) -> None:
    tree = HeightTree(values)
    row = tree.row_at(y)
    if y < 0:
        assert row == 0
    elif y >= sum(values):
        assert row == len(values) - 1
    else:
        assert tree.offset_of(row) <= y < tree.offset_of(row) + tree[row]


def test_rows_without_height_are_skipped() -> None:
    assert HeightTree([0, 10, 0, 10]).row_at(0) == 1
    assert HeightTree([0, 10, 0, 10]).row_at(10) == 3


def test_an_empty_tree_has_no_row() -> None:
    with pytest.raises(IndexError):
        HeightTree().row_at(0)
