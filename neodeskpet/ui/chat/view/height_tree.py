"""A Fenwick tree of heights: finds the row at y and the start of a row in O(log n).

Pure: independent of Qt. Heights are integer pixels, zero or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class HeightTree:
    """A list of heights with fast prefix sums. Changing or appending one costs O(log n);
    `splice` costs O(log n) for each row from the change to the end.
    """

    def __init__(self, values: Iterable[int] = ()) -> None:
        self._values: list[int] = []
        self._tree: list[int] = [0]  # one-based
        self.total = 0
        """The sum of all heights."""
        self._load(list(values))

    def _load(self, values: list[int]) -> None:
        tree = [0, *values]
        size = len(tree)
        for i in range(1, size):
            parent = i + (i & -i)
            if parent < size:
                tree[parent] += tree[i]
        self._values, self._tree, self.total = values, tree, sum(values)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        return self._values[index]

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    def offset_of(self, index: int) -> int:
        """Return the sum of the first `index` heights: the start of row `index`."""
        total, tree = 0, self._tree
        while index > 0:
            total += tree[index]
            index &= index - 1
        return total

    def row_at(self, y: int) -> int:
        """Return the row at `y`: the first if y < 0, the last if y is past the end, and the row
        with a height if rows of height 0 start there too. Raises IndexError if empty.
        """
        if not self._values:
            raise IndexError("no rows")
        if y < 0:
            return 0
        size, last = len(self._values), self._values[-1]
        if last and y >= self.total - last:
            return size - 1  # the usual case while text grows at the end
        position, rest = 0, y
        step = 1 << size.bit_length()
        while step:
            following = position + step
            if following <= size and self._tree[following] <= rest:
                position = following
                rest -= self._tree[following]
            step >>= 1
        return min(position, size - 1)

    def set_height(self, index: int, height: int) -> None:
        """Set the height of row `index`."""
        change = height - self._values[index]
        if not change:
            return
        self._values[index] = height
        self.total += change
        node, size, tree = index + 1, len(self._tree), self._tree
        while node < size:
            tree[node] += change
            node += node & -node

    def append(self, height: int) -> None:
        self._values.append(height)
        self.total += height
        node = len(self._values)
        start = node - (node & -node)
        total, child = height, node - 1
        while child > start:
            total += self._tree[child]
            child &= child - 1
        self._tree.append(total)

    def truncate(self, length: int) -> None:
        """Remove all rows from `length` on."""
        self.total -= sum(self._values[length:])
        del self._values[length:]
        del self._tree[length + 1 :]

    def splice(self, start: int, values: Iterable[int]) -> None:
        """Replace all rows from `start` on by `values`."""
        self.truncate(start)
        for value in values:
            self.append(value)
