"""Changes values in a JSON text and leaves everything else as it is: comments, order, spaces.

The text may have `//` and `/* */` comments and commas at the end of objects and lists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from neodeskpet.core.json_text import has_no_lone_surrogates, plain_json, repair_surrogates

_TOKEN = re.compile(
    r"""(?P<noise>//[^\n]*|/\*.*?\*/)|"(?:[^"\\]|\\.)*+"|(?P<mark>[\[\]{},:])|[^\s\[\]{},:"/]+""",
    re.DOTALL,
)
_REST_OF_LINE = re.compile(r"(?:[ \t]|/\*[^\n]*?\*/)*(?://[^\n]*?(?=\r?\n))?")
"""Spaces and comments behind a value that stand in its line."""
_INDENT = 2
_BLANKS = re.compile(r"[ \t]*")
_NEWLINE = re.compile(r"\r\n|\n|\r")


@dataclass(slots=True)
class _Node:
    """A value and its place. A member begins with its name, at `name_at`; `comma` is the place of
    the comma behind it, -1 for none. `parts` are the members or items.
    """

    start: int
    end: int = -1
    value: object = None
    name_at: int = -1
    name: str = ""
    comma: int = -1
    parts: list[_Node] = field(default_factory=list)

    @property
    def first(self) -> int:
        return self.start if self.name_at < 0 else self.name_at


def edited(text: str, wanted: object) -> str:
    """`text` with the values of `wanted`. Members that `wanted` doesn't have are removed, new ones
    come last. Raises ValueError when `text` isn't JSON.
    """
    root = _parsed(text)
    changes = _Changes(text, _unit(text, root))
    changes.change(root, wanted)
    return changes.result()


def laid_out(value: object) -> str:
    """A new text for `value`, as people write such files."""
    return _written(value, " " * _INDENT) + "\n"


# Reading


def _parsed(text: str) -> _Node:
    """Raises ValueError."""
    try:
        json.loads(plain_json(text))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    root = _Node(0)  # a list around the whole
    open_nodes = [root]
    name: tuple[int, str] | None = None
    for token in _TOKEN.finditer(text):
        start, word, holder = token.start(), token[0], open_nodes[-1]
        in_object = text[holder.start] == "{" and holder is not root
        if token["noise"] or word == ":":
            continue
        if word == ",":
            holder.parts[-1].comma = start
        elif word in ("]", "}"):
            holder.end = token.end()
            holder.value = _value(holder, in_object)
            open_nodes.pop()
        elif in_object and name is None:
            name = (start, json.loads(word))
        else:
            node = _Node(start, token.end(), None, *(name or ()))
            name = None
            holder.parts.append(node)
            if token["mark"]:
                open_nodes.append(node)
            else:
                node.value = json.loads(word)
    return root.parts[0]


def _value(node: _Node, in_object: bool) -> object:
    if in_object:
        return {part.name: part.value for part in node.parts}
    return [part.value for part in node.parts]


def _unit(text: str, root: _Node) -> str:
    """By how much the text indents, "" for a text in one line."""
    if not root.parts:
        return " " * _INDENT
    indent = _indent(text, root.parts[0].first)
    return "" if indent is None else indent or " " * _INDENT


def _indent(text: str, at: int) -> str | None:
    """The spaces before `at` in its line; None when something else stands there."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    before = text[start:at]
    return before if start and not before.strip() else None


def _line_indent(text: str, at: int) -> str:
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    return "".join(takewhile(str.isspace, text[start:at]))


# Writing


class _Changes:
    def __init__(self, text: str, unit: str) -> None:
        self._text = text
        self._unit = unit
        newline = _NEWLINE.search(text)
        self._newline = newline[0] if newline else "\n"
        self._edits: list[tuple[int, int, str]] = []

    def result(self) -> str:
        out, at = [], 0
        for start, end, words in sorted(self._edits, key=lambda edit: edit[:2]):
            out += [self._text[at:start], words]
            at = end
        return "".join([*out, self._text[at:]])

    def change(self, node: _Node, wanted: object) -> None:
        if _same(node.value, wanted):
            return
        if isinstance(node.value, dict) and isinstance(wanted, Mapping):
            self._change_members(node, wanted)
        elif isinstance(node.value, list) and isinstance(wanted, list | tuple):
            self._change_items(node, wanted)
        else:
            indent = _line_indent(self._text, node.first)
            self._edits.append((node.start, node.end, self._written(wanted, indent)))

    def _change_members(self, node: _Node, wanted: Mapping[str, object]) -> None:
        last = {part.name: part for part in node.parts}  # a name may stand twice; the last counts
        for name, part in last.items():
            if name in wanted:
                self.change(part, wanted[name])
        kept = [part for part in node.parts if part.name in wanted]
        new = [(f"{_written(name)}: ", one) for name, one in wanted.items() if name not in last]
        self._keep(node, kept, len(kept), new)

    def _change_items(self, node: _Node, wanted: Sequence[object]) -> None:
        """Items that are the same at the beginning and at the end stay; those between are changed
        one by one.
        """
        parts, spare = node.parts, min(len(node.parts), len(wanted))
        begin = _count_same(parts, wanted)
        end = min(_count_same(parts[::-1], wanted[::-1]), spare - begin)
        for part, one in zip(parts[begin:], wanted[begin : spare - end], strict=False):
            self.change(part, one)
        kept = [*parts[: spare - end], *parts[len(parts) - end :]]
        new = [("", one) for one in wanted[spare - end : len(wanted) - end]]
        self._keep(node, kept, spare - end, new)

    def _keep(
        self, node: _Node, kept: Sequence[_Node], number: int, new: Sequence[tuple[str, object]]
    ) -> None:
        """Remove all parts of `node` but `kept`, and put new ones, each with what stands before its
        value, before the kept one of this number.
        """
        stays = {id(part) for part in kept}
        gone = [part for part in node.parts if id(part) not in stays]
        ended = bool(node.parts) and node.parts[-1].comma >= 0  # by a comma
        if not kept and gone and new:
            self._substitute(gone.pop(0), new, only=not gone, ended=ended)
            new = ()
        ends = kept[-1].end if kept else node.start
        for part in gone:
            self._remove(part, at_end=part.start > ends)
        if kept and not ended and not (new and number == len(kept)):
            self._remove_comma(kept[-1])
        if new and number:
            more = number < len(kept)
            self._insert_after(kept[number - 1], new, comma=more or ended)
        elif new and kept:
            self._insert_before(kept[0], new)
        elif new:
            self._fill(node, new)

    def _remove_comma(self, part: _Node) -> None:
        if part.comma >= 0:
            self._edits.append((part.comma, part.comma + 1, ""))

    def _remove(self, part: _Node, *, at_end: bool) -> None:
        """With its comma, and with its lines when nothing else stands in them. `at_end`: no other
        part follows.
        """
        text = self._text
        first, last = part.first, part.end
        if part.comma >= 0 and not text[last : part.comma].strip():
            last = part.comma + 1
        else:
            self._remove_comma(part)
        behind = _BLANKS.match(text, last)
        end = behind.end() if behind else last
        indent, newline = _indent(text, first), _NEWLINE.match(text, end)
        if indent is not None and newline:
            self._edits.append((first - len(indent), newline.end(), ""))
        elif at_end:
            self._edits.append((len(text[:first].rstrip(" \t")), last, ""))
        else:
            self._edits.append((first, end, ""))

    def _substitute(
        self, part: _Node, new: Sequence[tuple[str, object]], *, only: bool, ended: bool
    ) -> None:
        """Put `new` in the place of `part`; the others (it may be the only one) are removed."""
        indent = _indent(self._text, part.first)
        self._edits.append((part.first, part.end, self._joined(new, indent)))
        if not only and not ended:
            self._remove_comma(part)

    def _insert_after(self, part: _Node, new: Sequence[tuple[str, object]], *, comma: bool) -> None:
        """`comma`: there is to be one behind them."""
        text, at = self._text, part.end
        if part.comma >= 0:
            at = part.comma + 1
        else:
            self._edits.append((at, at, ","))
        indent = _indent(text, part.first)
        rest = _REST_OF_LINE.match(text, at)
        if indent is not None and rest is not None and _NEWLINE.match(text, rest.end()):
            at = rest.end()  # comments stay in the line of their value
        words = self._break(indent) + self._joined(new, indent) + ("," if comma else "")
        self._edits.append((at, at, words))

    def _insert_before(self, part: _Node, new: Sequence[tuple[str, object]]) -> None:
        indent = _indent(self._text, part.first)
        words = self._joined(new, indent) + "," + self._break(indent)
        self._edits.append((part.first, part.first, words))

    def _fill(self, node: _Node, new: Sequence[tuple[str, object]]) -> None:
        """Put `new` into an empty object or list, behind its comments."""
        end = node.end - 1
        inside = self._text[node.start + 1 : end]
        at = node.start + 1 + len(inside.rstrip())
        if self._unit or _NEWLINE.search(inside):
            outer = _line_indent(self._text, node.start)
            inner = outer + (self._unit or " " * _INDENT)
            words = self._break(inner) + self._joined(new, inner) + self._break(outer)
        else:
            words = self._joined(new, None)
        self._edits.append((at, end, words))

    def _break(self, indent: str | None) -> str:
        """What stands between two parts; `indent` is that of a line, None for one line."""
        return " " if indent is None else self._newline + indent

    def _joined(self, new: Sequence[tuple[str, object]], indent: str | None) -> str:
        words = (name + self._written(value, indent) for name, value in new)
        return f",{self._break(indent)}".join(words)

    def _written(self, value: object, indent: str | None) -> str:
        if not self._unit or indent is None:
            return _written(value)
        lines = _written(value, self._unit).split("\n")
        return (self._newline + indent).join(lines)


def _written(value: object, indent: str | None = None) -> str:
    words = json.dumps(value, ensure_ascii=False, indent=indent)
    return words if has_no_lone_surrogates(words) else json.dumps(value, indent=indent)


def _count_same(parts: Sequence[_Node], wanted: Sequence[object]) -> int:
    """How many parts at the beginning have the wanted values."""
    pairs = zip(parts, wanted, strict=False)
    return len(list(takewhile(bool, (_same(part.value, one) for part, one in pairs))))


def _same(one: object, other: object) -> bool:
    """Python takes True for 1; a text with half a pair is read as a sound one."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, str):
        return other in (one, repair_surrogates(one))
    return one == other or (one != one and other != other)
