"""Builds our message tree from an imported conversation. Pure.

The result is always a valid tree: a message whose parent is unknown, or which is its own ancestor,
follows the message before it in the file. Message ids are derived from those of the archive, so
that a later import recognises them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid5

from neodeskpet.conversation.import_chats.format_helpers import BlockRow
from neodeskpet.core.blocks import MessageState, Role, Text, ToolUse

_MAX_DEPTH_TO_ROOT = 1_000
"""The largest number of consecutive hidden messages."""
_MAX_TITLE = 60
"""Characters of a title made from the text."""
_ID_NAMESPACE = UUID("6d0f4c5e-0b7a-5f27-9d0e-3f6f7c1b52aa")


@dataclass(slots=True)
class ArchiveNode:
    """A message of the archive, or a tool result. `parent` is a key, "" at the beginning, None if
    unknown. `visible` is false for hidden messages: their children follow their parent instead.
    `answers`: it is a tool result and belongs to the last call before it.
    """

    key: str
    parent: str | None
    user: bool = False
    time: float | None = None
    rows: list[BlockRow] = field(default_factory=list)
    model: str = ""
    visible: bool = True
    answers: str = ""


@dataclass(slots=True)
class ImportedThread:
    """A conversation: `rows` are its messages in the form that `storage/chat_export_reader.py`
    reads. `key` is its id in the archive. Times are unix seconds.
    """

    id: str
    title: str
    created: float
    updated: float
    rows: list[BlockRow]
    folder: str = ""
    pinned: bool = False
    archived: bool = False
    current: str = ""
    """The last message that was shown."""


def derive_id(source: str, key: str) -> str:
    return str(uuid5(_ID_NAMESPACE, f"{source}:{key}"))


@dataclass(slots=True)
class _MessageGroup:
    """Nodes that form one message: a reply with the results of its tools."""

    id: str
    parent: str
    node: ArchiveNode
    rows: list[BlockRow]
    at: float
    ended: float
    round: int = 0
    model: str = ""


class ThreadBuilder:
    """`joined`: consecutive replies form one message, like the rounds of a model."""

    def __init__(
        self, conversation: str, nodes: Sequence[ArchiveNode], *, joined: bool, at: float
    ) -> None:
        self._conversation = conversation
        # The first node with a key is used.
        self._nodes = {node.key: node for node in reversed(nodes)}
        self._joined = joined
        self._at = at
        self._order = {key: place for place, key in enumerate(dict.fromkeys(n.key for n in nodes))}
        self._group_of: dict[str, str] = {}
        self._groups: dict[str, _MessageGroup] = {}

    def build(self, current: str) -> tuple[list[BlockRow], str]:
        """Return the messages, each after its parent, and the id of the one that was shown last."""
        parents = self._parents()
        below: dict[str, list[str]] = {"": []}
        for key, parent in parents.items():
            below.setdefault(parent, []).append(key)
        waiting = [(self._time_of(key, ""), self._order[key], key, "") for key in below[""]]
        heapq.heapify(waiting)
        while waiting:
            at, _, key, parent = heapq.heappop(waiting)
            self._put(self._nodes[key], parent, at, alone=len(below.get(parent, ())) == 1)
            for child in below.get(key, ()):
                heapq.heappush(
                    waiting, (self._time_of(child, key, at), self._order[child], child, key)
                )
        last = self._shown_last(current)
        return self._rows(last), last

    def _parents(self) -> dict[str, str]:
        """Map each shown node to its parent among the shown nodes."""
        found: dict[str, str] = {}
        before = ""
        for key in self._order:
            if self._nodes[key].visible:
                found[key] = self._ancestor(key, before)
                before = key
        return _without_cycles(found)

    def _ancestor(self, key: str, before: str) -> str:
        seen = {key}
        parent = self._nodes[key].parent
        while parent:
            node = self._nodes.get(parent)
            if node is None or parent in seen or len(seen) > _MAX_DEPTH_TO_ROOT:
                return before
            if node.visible:
                return parent
            seen.add(parent)
            parent = node.parent
        return before if parent is None and self._nodes[key].parent is None else ""

    def _time_of(self, key: str, parent: str, otherwise: float | None = None) -> float:
        at = self._nodes[key].time
        return at if at is not None else self._at if otherwise is None else otherwise

    def _put(self, node: ArchiveNode, parent: str, at: float, *, alone: bool) -> None:
        above = self._groups.get(self._group_of.get(parent, ""))
        joins = self._joined and alone and above is not None and not above.node.user
        if joins and above is not None and not node.user:
            group = above
        else:
            own = str(uuid5(_ID_NAMESPACE, f"{self._conversation}:{node.key}"))
            group = _MessageGroup(own, above.id if above is not None else "", node, [], at, at)
            self._groups[own] = group
        self._group_of[node.key] = group.id
        group.ended = max(group.ended, at)
        group.model = node.model or group.model
        _add_node(group, node)

    def _shown_last(self, current: str) -> str:
        """Return the message with this node or the nearest ancestor of it; otherwise the
        last one.
        """
        seen: set[str] = set()
        while current and current not in self._group_of and current not in seen:
            seen.add(current)
            node = self._nodes.get(current)
            current = (node.parent or "") if node is not None else ""
        return self._group_of.get(current) or (next(reversed(self._groups)) if self._groups else "")

    def _rows(self, last: str) -> list[BlockRow]:
        """Return all rows. The shown versions lead to `last`; elsewhere the last version
        is shown.
        """
        chosen = {group.parent: group.id for group in self._groups.values()}
        at = last
        while at:
            chosen[self._groups[at].parent] = at
            at = self._groups[at].parent
        groups = enumerate(self._groups.values())
        return [
            _message_row(group, number, chosen[group.parent] == group.id)
            for number, group in groups
        ]


def _without_cycles(parents: dict[str, str]) -> dict[str, str]:
    """Make nodes that are their own ancestors start the conversation."""
    sure = {""}
    for key in parents:
        way: dict[str, None] = {}
        at = key
        while at not in sure and at not in way:
            way[at] = None
            at = parents.get(at, "")
        if at in way:
            parents[at] = ""
        sure.update(way)
    return parents


def _add_node(group: _MessageGroup, node: ArchiveNode) -> None:
    if node.answers:
        _add_result(group, node)
        return
    for row in node.rows:
        group.rows.append(row | {"round": group.round})
        if row["kind"] == ToolUse.kind and row.get("output"):
            group.round += 1


def _add_result(group: _MessageGroup, node: ArchiveNode) -> None:
    """Add a tool result to its call (a row without an output); a result without a call becomes a
    call of its own.
    """
    calls = [row for row in group.rows if row["kind"] == ToolUse.kind]
    same = [call for call in calls if _is_same_tool(call["name"], node.answers)] or calls[-1:]
    first = node.rows[0]
    if not same:
        group.rows.append(first | {"round": group.round})
    else:
        for field_name in ("output", "error"):
            more = first.get(field_name, "")
            before = same[-1].get(field_name, "")
            if more:
                same[-1][field_name] = f"{before}\n\n{more}" if before else more
                same[-1]["status"] = first["status"]
    group.rows += [row | {"round": group.round} for row in node.rows[1:]]
    group.round += 1


def _is_same_tool(name: str, tool: str) -> bool:
    return name.partition(".")[0] == tool.partition(".")[0]


def _message_row(group: _MessageGroup, number: int, chosen: bool) -> BlockRow:
    return {
        "id": group.id,
        "number": number,
        "parent": group.parent,
        "chosen": chosen,
        "role": (Role.USER if group.node.user else Role.ASSISTANT).value,
        "state": MessageState.DONE.value,
        "created": group.at,
        "ended": group.ended,
        "rounds": 0 if group.node.user else group.round + 1,
        "model": group.model[:100],
        "blocks": group.rows,
    }


def hide_empty(nodes: Iterable[ArchiveNode]) -> list[ArchiveNode]:
    """Keep empty nodes as parents but hide them."""
    found = list(nodes)
    for node in found:
        node.visible = node.visible and bool(node.rows)
    return found


def title_from_nodes(nodes: Iterable[ArchiveNode]) -> str:
    """Return a title from the first user message."""
    for node in nodes:
        texts = (str(row["text"]) for row in node.rows if row["kind"] == Text.kind)
        words = " ".join(next(texts, "").split()) if node.user and node.visible else ""
        if words:
            return words if len(words) <= _MAX_TITLE else words[:_MAX_TITLE].rstrip() + "…"
    return ""


def build_thread(
    source: tuple[str, str],
    key: str,
    nodes: Sequence[ArchiveNode],
    *,
    title: str,
    begun: float | None,
    otherwise: float,
    current: str = "",
    joined: bool = True,
    pinned: bool = False,
    archived: bool = False,
) -> ImportedThread:
    """Build the conversation with id `key`. `source`: the prefix of its ids, and its folder;
    `begun`: its start, if known; `otherwise`: the time to use if it has none.
    """
    at = begun or min(
        (n.time for n in nodes if n.time is not None and n.visible), default=otherwise
    )
    own = derive_id(source[0], key or f"{title}:{begun}:{nodes[0].key if nodes else ''}")
    rows, last = ThreadBuilder(own, nodes, joined=joined, at=at).build(current)
    return ImportedThread(
        own,
        title[:200],
        at,
        max((row["ended"] for row in rows), default=at),
        rows,
        source[1][:200],
        pinned,
        archived,
        last,
    )
