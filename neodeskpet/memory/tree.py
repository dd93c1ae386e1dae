"""The versions of a conversation: a tree of messages, of which one path is shown.

Whatever decides which messages are shown is decided here. Of the messages that follow the same one
exactly one is chosen, and the shown path goes from one chosen message to the next: so every version
can be reached, and nothing leaves the tree but by `delete`. Pure: no database, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from neodeskpet.core.records import Deletion, MessageNode


class MessageTree:
    """All that hangs below `top` ("": a whole conversation). Messages that follow the same one
    are its versions, in the order they were said.
    """

    def __init__(self, nodes: Iterable[MessageNode] = (), top: str = "") -> None:
        """`nodes` in the order they were said. Those that don't hang below `top` are left out."""
        self._top = top
        self._nodes: dict[str, MessageNode] = {}
        self._below: dict[str, list[str]] = {top: []}
        self._order: dict[str, int] = {}
        for node in nodes:
            if node.parent in self._below:
                self._put(node)

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._nodes

    def nodes(self) -> list[MessageNode]:
        """All of them, in the order they were said."""
        return sorted(self._nodes.values(), key=lambda node: self._order[node.id])

    def path(self, after: str | None = None) -> list[str]:
        """What is shown below `after` (None: below the top), in order."""
        found: list[str] = []
        at = self._chosen(self._top if after is None else after)
        while at is not None:
            found.append(at)
            at = self._chosen(at)
        return found

    def parent(self, message_id: str) -> str:
        """What this message follows."""
        return self._nodes[message_id].parent

    def path_to(self, message_id: str) -> list[str]:
        """All that leads from the top to this message, and it itself."""
        found: list[str] = []
        while message_id != self._top:
            found.append(message_id)
            message_id = self.parent(message_id)
        return found[::-1]

    def versions(self, message_id: str) -> list[str]:
        """All that stand in the place of this message, itself included."""
        return list(self._below[self._nodes[message_id].parent])

    def add(self, message_id: str, parent: str) -> None:
        """A new message after `parent` (the top, or one of the tree). It is shown if that is."""
        self._put(MessageNode(message_id, parent))
        self._choose(message_id)

    def show_message(self, message_id: str) -> None:
        """Choose this message, and all that lead to it; below it what was last shown there."""
        for one in self.path_to(message_id):
            self._choose(one)

    def delete_message(self, message_id: str, *, below: bool) -> Deletion:
        """Take out a message: with all `below` it, or alone, and what follows it moves up."""
        node = self._nodes[message_id]
        moved = [] if below else list(self._below[message_id])
        shown = self._chosen(message_id) if moved else None
        gone = self._subtree(message_id) if below else [message_id]
        deletion = Deletion([self._nodes[one] for one in gone], moved, shown or "")
        beside = self._below[node.parent]
        place = beside.index(message_id)
        beside.remove(message_id)
        for one in gone:
            del self._nodes[one], self._below[one]
        self._move(moved, node.parent)
        if node.chosen and beside:
            self._choose(shown or beside[max(0, place - 1)])
        elif shown is not None:
            self._unchoose(shown)
        return deletion

    def restore_messages(self, deletion: Deletion) -> None:
        """Put back what the last `delete` took out. What was said since then stays."""
        first = deletion.nodes[0]
        now = self._chosen(first.parent)
        shown = now if now in deletion.moved else deletion.shown
        for node in deletion.nodes:
            self._put(node)
        self._move(deletion.moved, first.id)
        if shown:
            self._choose(shown)
        if first.chosen or shown == now:
            self._choose(first.id)

    def _put(self, node: MessageNode) -> None:
        self._order.setdefault(node.id, len(self._order))
        self._nodes[node.id] = node
        self._below.setdefault(node.id, [])
        self._insert(node.id, node.parent)

    def _insert(self, message_id: str, parent: str) -> None:
        self._below[parent].append(message_id)
        self._below[parent].sort(key=self._order.__getitem__)

    def _move(self, ids: Sequence[str], parent: str) -> None:
        for one in ids:
            before = self._nodes[one].parent
            if one in self._below.get(before, ()):
                self._below[before].remove(one)
            self._nodes[one] = replace(self._nodes[one], parent=parent)
            self._insert(one, parent)

    def _chosen(self, parent: str) -> str | None:
        return next((one for one in self._below[parent] if self._nodes[one].chosen), None)

    def _choose(self, message_id: str) -> None:
        for one in self._below[self._nodes[message_id].parent]:
            self._nodes[one] = replace(self._nodes[one], chosen=one == message_id)

    def _unchoose(self, message_id: str) -> None:
        self._nodes[message_id] = replace(self._nodes[message_id], chosen=False)

    def _subtree(self, message_id: str) -> list[str]:
        """It and all that hangs below, each after what it follows."""
        found = [message_id]
        for one in found:
            found += self._below[one]
        return found


@dataclass(frozen=True, slots=True)
class LooseMessage:
    """A message as an earlier version, or a torn file, left it: what it follows may be unknown.
    `shown`: it was among those that were shown.
    """

    id: str
    parent: str | None
    chosen: bool
    shown: bool


def repair_nodes(rows: Iterable[LooseMessage]) -> MessageTree:
    """A valid tree of `rows`, which are in the order they were said. What follows nothing that is
    known follows what was shown before it; where several are chosen the last one is.
    """
    nodes: dict[str, MessageNode] = {}
    chosen: dict[str, str] = {}
    shown_last = ""
    for row in rows:
        known = row.parent is not None and (row.parent == "" or row.parent in nodes)
        parent = row.parent if known and row.parent is not None else shown_last
        nodes[row.id] = MessageNode(row.id, parent, chosen=False)
        if row.chosen or parent not in chosen:
            chosen[parent] = row.id
        if row.shown:
            shown_last = row.id
    return MessageTree(
        replace(node, chosen=chosen[node.parent] == node.id) for node in nodes.values()
    )
