"""Changes values in a JSON text and keeps everything else: comments, order, white space.

The text may contain `//` and `/* */` comments and trailing commas.
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
"""Spaces and comments after a value on the same line."""
_INDENT = 2
_BLANKS = re.compile(r"[ \t]*")
_NEWLINE = re.compile(r"\r\n|\n|\r")


@dataclass(slots=True)
class _Node:
    """A value with its position. A member of an object begins with its name, at `name_at`; `comma`
    is the position of the comma after it, -1 for none. `parts` are the members or items.
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
    """Return `text` with the values of `wanted`. Members that are not in `wanted` are removed, new
    ones are added at the end. Raises ValueError if `text` isn't JSON.
    """
    root = _parsed(text)
    changes = _Changes(text, _unit(text, root))
    changes.change(root, wanted)
    return changes.result()


def laid_out(value: object) -> str:
    """Return a new indented text for `value`."""
    return _written(value, " " * _INDENT) + "\n"


# Reading


def _parsed(text: str) -> _Node:
    """Raises ValueError."""
    try:
        json.loads(plain_json(text))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    root = _Node(0)  # a list around the whole text
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
    """Return the indentation of one level, "" if the text is one line."""
    if not root.parts:
        return " " * _INDENT
    indent = _indent(text, root.parts[0].first)
    return "" if indent is None else indent or " " * _INDENT


def _indent(text: str, at: int) -> str | None:
    """Return the white space before `at` in its line; None if there is other text before it."""
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
        last = {part.name: part for part in node.parts}  # of duplicate names the last counts
        for name, part in last.items():
            if name in wanted:
                self.change(part, wanted[name])
        kept = [part for part in node.parts if part.name in wanted]
        new = [(f"{_written(name)}: ", one) for name, one in wanted.items() if name not in last]
        self._keep(node, kept, len(kept), new)

    def _change_items(self, node: _Node, wanted: Sequence[object]) -> None:
        """Keep equal items at the beginning and at the end; change those between one by one."""
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
        """Remove all parts of `node` except `kept`, and insert the new ones, each with the text
        before its value, before the kept part with this index.
        """
        stays = {id(part) for part in kept}
        gone = [part for part in node.parts if id(part) not in stays]
        ended = bool(node.parts) and node.parts[-1].comma >= 0  # a comma follows the last
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
        """Remove `part` with its comma, and with its lines if they contain nothing else. `at_end`:
        no other part follows.
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
        """Replace `part` by `new` and remove the other parts (there may be none)."""
        indent = _indent(self._text, part.first)
        self._edits.append((part.first, part.end, self._joined(new, indent)))
        if not only and not ended:
            self._remove_comma(part)

    def _insert_after(self, part: _Node, new: Sequence[tuple[str, object]], *, comma: bool) -> None:
        """Insert `new` after `part`. `comma`: add a comma after them."""
        text, at = self._text, part.end
        if part.comma >= 0:
            at = part.comma + 1
        else:
            self._edits.append((at, at, ","))
        indent = _indent(text, part.first)
        rest = _REST_OF_LINE.match(text, at)
        if indent is not None and rest is not None and _NEWLINE.match(text, rest.end()):
            at = rest.end()  # comments stay on the line of their value
        words = self._break(indent) + self._joined(new, indent) + ("," if comma else "")
        self._edits.append((at, at, words))

    def _insert_before(self, part: _Node, new: Sequence[tuple[str, object]]) -> None:
        indent = _indent(self._text, part.first)
        words = self._joined(new, indent) + "," + self._break(indent)
        self._edits.append((part.first, part.first, words))

    def _fill(self, node: _Node, new: Sequence[tuple[str, object]]) -> None:
        """Insert `new` into an empty object or list, after its comments."""
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
        """Return the separator between two parts; `indent` is the indentation of a line, None for
        one line.
        """
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
    """Return how many parts at the beginning equal the wanted values."""
    pairs = zip(parts, wanted, strict=False)
    return len(list(takewhile(bool, (_same(part.value, one) for part, one in pairs))))


def _same(one: object, other: object) -> bool:
    """Compare strictly: for Python True equals 1. Texts with lone surrogates are compared after
    their repair.
    """
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, str):
        return other in (one, repair_surrogates(one))
    return one == other or (one != one and other != other)
