"""Splits streamed Markdown into pieces that are drawn separately. Pure: no Qt.

Feeding costs O(delta). The pieces depend only on the text, never on the deltas: a line is
classified when it ends (or reaches MOST_PIECE_CHARACTERS), and unclassified text is only previewed.
The size of a piece is limited: paragraphs and quotes by MOST_PIECE_CHARACTERS, lists by
MOST_LIST_ITEMS, tables by MOST_TABLE_ROWS, code and formulas by MOST_CODE_LINES and
MOST_CODE_CHARACTERS. The rest becomes a further piece, whose `continuation` says how it continues
the previous one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from neodeskpet.core.markdown.formulas import begins_display, ends_display
from neodeskpet.core.markdown.pieces import (
    MOST_CODE_CHARACTERS,
    MOST_CODE_LINES,
    MOST_LIST_ITEMS,
    MOST_MARK_WEIGHT,
    MOST_PIECE_CHARACTERS,
    MOST_TABLE_CELLS,
    MOST_TABLE_COLUMNS,
    MOST_TABLE_ROWS,
    Continuation,
    Piece,
    PieceKind,
    cut_point,
    longest_part,
    mark_weight,
    without_table_head,
)
from neodeskpet.core.markdown.preparation import table_cells


@dataclass(slots=True)
class _Level:
    """One list around the current line: the positions of its markers and its text, and its next
    number.
    """

    marker: int
    content: int
    number: int | None


@dataclass(slots=True)
class _Fence:
    """The marks around code or a display formula."""

    mark: str
    indent: int
    kind: PieceKind = PieceKind.CODE


_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([^`]*)$")
_ITEM = re.compile(r"^(\s*)([-*+]|(\d{1,9})([.)]))(\s+|$)")
_HEADING = re.compile(r"^ {0,3}#{1,6}(\s|$)")
_RULE = re.compile(r"^ {0,3}([-*_])\s*(\1\s*){2,}$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-+)\s*$")
_QUOTE = re.compile(r"^ {0,3}>")
_NOTE = re.compile(r"^ {0,3}\[\^[^\[\]\s]{1,32}\]:(\s|$)")
_DELIMITER = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
# Text that could still become a marker, a fence, an underline or the second line of a table;
# without
# surrounding blanks: two such patterns side by side would be quadratic for a long line of blanks.
_UNDECIDED = re.compile(r"([-*+=#>|_:\s]+|\d{1,9}[.)]?|`{1,2}|~{1,2}|[`~]{3}.*|\${1,2}|\\\[?)?")


def _indent_of(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


class MarkdownSplitter:
    """Call `feed` with text as it arrives, and read `pieces` (classified lines only) or `shown`
    (with the preview).
    """

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._pending: list[str] = []
        self._held = self._held_marks = 0
        self._midline = False
        self._blank = False
        self._fence: _Fence | None = None
        self._levels: list[_Level] = []

    def feed(self, text: str) -> None:
        text = text.replace("\r", "")
        start = 0
        while (end := text.find("\n", start)) >= 0:
            self._extend(text[start:end])
            self._take(self._drain(), ends=True)
            start = end + 1
        self._extend(text[start:])

    def finish(self) -> None:
        """Classify the rest and close the last piece: the text is complete."""
        if self._held:
            self._take(self._drain(), ends=True)
        self._close()

    @property
    def fence(self) -> str:
        """The fence of the open code, "" for none."""
        fence = self._fence
        return fence.mark if fence is not None and fence.kind is PieceKind.CODE else ""

    @property
    def settled_count(self) -> int:
        """Number of leading pieces that will never change."""
        return len(self.pieces) - (self._open is not None)

    def shown(self, start: int = 0) -> list[Piece]:
        """Return the pieces from `start` on as they look now, including the unfinished line.
        `start` must not exceed `settled_count`. Unsettled pieces are copies.
        """
        settled = self.settled_count
        pending = "".join(self._pending)
        if not pending or self._is_undecided(pending):
            tail = [replace(p, lines=list(p.lines)) for p in self.pieces[settled:]]
            return self.pieces[start:settled] + without_table_head(tail)
        opened = self._open
        saved = (self._midline, self._blank, self._fence, [replace(v) for v in self._levels])
        kept = replace(opened, lines=list(opened.lines)) if opened is not None else None
        self._take(pending, ends=True)
        tail = self.pieces[settled:]
        del self.pieces[settled:]
        if kept is not None:
            self.pieces.append(kept)
        self._midline, self._blank, self._fence, self._levels = saved
        return self.pieces[start:settled] + without_table_head(tail)

    def _is_undecided(self, pending: str) -> bool:
        if self._midline:
            return False
        if self._fence is not None:
            stripped = pending.strip()
            if self._fence.kind is PieceKind.FORMULA:
                return stripped in ("$", "\\")
            return bool(stripped) and stripped == self._fence.mark[0] * len(stripped)
        return _UNDECIDED.fullmatch(pending.strip()) is not None

    # Lines

    @property
    def _open(self) -> Piece | None:
        return self.pieces[-1] if self.pieces and not self.pieces[-1].closed else None

    def _extend(self, text: str) -> None:
        marks = 0 if self._fence is not None else mark_weight(text)
        if (
            self._held + len(text) >= MOST_PIECE_CHARACTERS
            or self._held_marks + marks > MOST_MARK_WEIGHT
        ):
            line, start = self._drain() + text, 0
            while len(line) - start >= (
                most := self._longest_part(line[start : start + MOST_PIECE_CHARACTERS])
            ):
                cut = cut_point(line[start : start + most], most)
                self._take(line[start : start + cut], ends=False)
                start += cut
            text = line[start:]
            marks = 0 if self._fence is not None else mark_weight(text)
        if text:
            self._pending.append(text)
            self._held += len(text)
            self._held_marks += marks

    def _longest_part(self, line: str) -> int:
        return MOST_PIECE_CHARACTERS if self._fence is not None else longest_part(line)

    def _drain(self) -> str:
        line = "".join(self._pending)
        self._pending = []
        self._held = self._held_marks = 0
        return line

    def _take(self, text: str, *, ends: bool) -> None:
        if self._midline:
            self._continue(text)
        else:
            self._judge(text)
        self._midline = not ends

    def _continue(self, text: str) -> None:
        """Add more of a line that is longer than MOST_PIECE_CHARACTERS; it is never empty."""
        opened = self._open
        kind = self._fence.kind if self._fence is not None else PieceKind.PROSE
        language = opened.language if opened is not None and kind is PieceKind.CODE else ""
        indent = len(self._levels) if opened is None else opened.indent
        if opened is not None and opened.kind is PieceKind.LIST:
            indent = len(self._levels)
        self._begin(kind, text, joint=Continuation.INLINE, indent=indent, language=language)

    def _judge(self, line: str) -> None:
        if self._fence is not None and self._fence.kind is PieceKind.FORMULA:
            self._take_formula(line, self._fence)
        elif self._fence is not None:
            self._take_code(line, self._fence)
        elif not line.strip():
            self._blank = True
            if self._open is not None and self._open.kind is not PieceKind.LIST:
                self._close()
        elif line[0].isalpha() and not self._levels and self._is_prose():
            # The common case: a line that begins with a letter is plain text.
            self._grow(PieceKind.PROSE, line)
            self._blank = False
        else:
            self._take_block(line)
            self._blank = False

    def _is_prose(self) -> bool:
        opened = self._open
        return opened is None or opened.kind is PieceKind.PROSE

    def _take_block(self, line: str) -> None:
        fence = _FENCE.match(line)
        if fence is not None:
            self._open_fence(line, fence)
        elif mark := begins_display(line):
            self._open_formula(line, mark)
        elif self._is_rule(line):
            self._levels.clear()
            self._begin(PieceKind.RULE, line)
            self._close()
        elif self._is_item(line):
            self._take_item(line)
        elif self._levels and self._belongs_to_item(line):
            self._take_item_text(line)
        else:
            self._levels.clear()
            self._take_plain(line)

    def _take_plain(self, line: str) -> None:
        """Add a line outside lists and code."""
        opened = self._open
        if opened is not None and opened.kind is PieceKind.LIST:
            self._close()
            opened = None
        kind = opened.kind if opened is not None else None
        if _HEADING.match(line):
            self._begin(PieceKind.HEADING, line.strip())
            self._close()
        elif _NOTE.match(line):
            self._begin(PieceKind.FOOTNOTE, line.strip())
        elif kind is PieceKind.FOOTNOTE:
            self._grow(PieceKind.FOOTNOTE, line.strip())
        elif _QUOTE.match(line) or kind is PieceKind.QUOTE:
            self._grow(PieceKind.QUOTE, line)
        elif kind is PieceKind.TABLE and "|" in line:
            self._take_row(line)
        elif kind is PieceKind.PROSE and self._is_table(line):
            self._open_table(line)
        elif kind is PieceKind.PROSE and _UNDERLINE.match(line):
            self._grow(PieceKind.PROSE, line)
            self._close()
        else:
            self._grow(PieceKind.PROSE, line)

    # Pieces

    def _begin(
        self,
        kind: PieceKind,
        *lines: str,
        joint: Continuation = Continuation.NONE,
        indent: int = 0,
        language: str = "",
        head: tuple[str, ...] = (),
    ) -> Piece:
        self._close()
        piece = Piece(kind, continuation=joint, indent=indent, language=language, head=head)
        for line in lines:
            piece.add(line)
        self.pieces.append(piece)
        return piece

    def _close(self) -> None:
        if self._open is not None:
            self.pieces[-1].closed = True

    def _grow(self, kind: PieceKind, line: str, indent: int = 0) -> None:
        """Add a line to the open piece of this kind, or begin one."""
        opened = self._open
        if opened is None or opened.kind is not kind or opened.indent != indent:
            self._begin(kind, line, indent=indent)
        elif not opened.has_room(line):
            self._begin(kind, line, joint=Continuation.LINE, indent=indent)
        else:
            opened.add(line)

    # Code

    def _open_fence(self, line: str, match: re.Match[str]) -> None:
        indent = _indent_of(line)
        self._levels = [level for level in self._levels if level.marker < indent]
        self._fence = _Fence(match[2], indent)
        words = match[3].split()
        language = words[0].strip("{}.").lower() if words else ""
        self._begin(PieceKind.CODE, indent=len(self._levels), language=language)
        self._blank = False

    def _take_code(self, line: str, fence: _Fence) -> None:
        stripped = line.strip()
        opened = self._open
        if len(stripped) >= len(fence.mark) and stripped == fence.mark[0] * len(stripped):
            self._fence = None
            self._close()
            return
        leading = len(line) - len(line.lstrip(" "))
        code = line[min(fence.indent, leading) :]
        if opened is None or (
            opened.lines
            and (
                len(opened.lines) >= MOST_CODE_LINES
                or opened.size + len(code) > MOST_CODE_CHARACTERS
            )
        ):
            before = self.pieces[-1]
            self._begin(
                PieceKind.CODE,
                code,
                joint=Continuation.LINE,
                indent=before.indent,
                language=before.language,
            )
        else:
            opened.add(code)

    # Display formulas

    def _open_formula(self, line: str, mark: str) -> None:
        indent = _indent_of(line)
        self._levels = [level for level in self._levels if level.marker < indent]
        self._begin(PieceKind.FORMULA, line.strip(), indent=len(self._levels))
        if ends_display(mark, line, first=True):
            self._close()
        else:
            self._fence = _Fence(mark, indent, PieceKind.FORMULA)

    def _take_formula(self, line: str, fence: _Fence) -> None:
        """Add a line to a display formula. A formula has no blank line: the opening mark was text
        then.
        """
        if not line.strip():
            self._fence = None
            self._close()
            self._blank = True
            return
        leading = len(line) - len(line.lstrip(" "))
        line = line[min(fence.indent, leading) :]
        opened = self.pieces[-1]
        if opened.size + len(line) > MOST_CODE_CHARACTERS:
            opened = self._begin(
                PieceKind.FORMULA, line, joint=Continuation.LINE, indent=self.pieces[-1].indent
            )
        else:
            opened.add(line)
        if ends_display(fence.mark, line):
            self._fence = None
            self._close()

    # Rules and tables

    def _is_rule(self, line: str) -> bool:
        """Return whether it is a rule; `---` under a paragraph makes a heading instead."""
        if not _RULE.match(line):
            return False
        opened = self._open
        return not (
            opened is not None
            and opened.kind is PieceKind.PROSE
            and _UNDERLINE.match(line) is not None
        )

    def _is_table(self, line: str) -> bool:
        opened = self._open
        return (
            opened is not None
            and bool(opened.lines)
            and "|" in opened.lines[-1]
            and "|" in line
            and _DELIMITER.match(line) is not None
            and len(cells := table_cells(line)) == len(table_cells(opened.lines[-1]))
            and len(cells) <= MOST_TABLE_COLUMNS
        )

    def _open_table(self, line: str) -> None:
        opened = self.pieces[-1]
        head = opened.lines.pop()
        opened.size -= len(head) + 1
        opened.marks -= mark_weight(head)
        if not opened.lines:
            self.pieces.pop()
        self._begin(PieceKind.TABLE, head, line, joint=Continuation.NONE)

    def _take_row(self, line: str) -> None:
        opened = self.pieces[-1]
        cells = (opened.items + 1) * opened.lines[0].count("|")
        full = opened.items >= MOST_TABLE_ROWS or cells > MOST_TABLE_CELLS
        if opened.items and (full or not opened.has_room(line)):
            head = opened.head or tuple(opened.lines[:2])
            opened = self._begin(PieceKind.TABLE, *head, joint=Continuation.LINE, head=head)
        opened.add(line)
        opened.items += 1

    # Lists

    def _is_item(self, line: str) -> bool:
        match = _ITEM.match(line)
        if match is None:
            return False
        opened = self._open
        if opened is not None and opened.kind is PieceKind.PROSE and not self._levels:
            # A number inside a paragraph begins no list ("… in\n1984. It was …").
            return match[3] is None or match[3] == "1"
        return True

    def _take_item(self, line: str) -> None:
        match = _ITEM.match(line)
        assert match is not None
        marker = _indent_of(line)
        level, fresh = self._enter(marker, match)
        depth = len(self._levels) - 1
        opened = self._open
        fits = opened is not None and opened.kind is PieceKind.LIST and depth >= opened.indent
        if fits and opened is not None and self._has_room(opened, line):
            if self._blank:
                opened.add("")
            opened.add(self._dedent(line, opened.indent))
            opened.items += 1
            return
        text = line.strip()
        if level.number is not None:
            text = re.sub(r"^\d+", str(level.number), text)
        goes_on = not (fresh and depth == 0) and bool(self.pieces)
        joint = Continuation.LINE if goes_on else Continuation.NONE
        self._begin(PieceKind.LIST, text, joint=joint, indent=depth).items = 1

    def _has_room(self, opened: Piece, line: str) -> bool:
        return opened.items < MOST_LIST_ITEMS and opened.has_room(line)

    def _enter(self, marker: int, match: re.Match[str]) -> tuple[_Level, bool]:
        """Return the level of an item at this indent, and whether a new list begins with it."""
        while self._levels and marker < self._levels[-1].marker:
            self._levels.pop()
        number = int(match[3]) if match[3] else None
        content = marker + len(match[2]) + min(max(len(match[5]), 1), 4)
        if self._levels and marker < self._levels[-1].content:
            level = self._levels[-1]
            if (level.number is None) == (number is None):
                level.content = content
                if level.number is not None:
                    level.number += 1
                return level, False
            self._levels.pop()
        self._levels.append(_Level(marker, content, number))
        return self._levels[-1], True

    def _belongs_to_item(self, line: str) -> bool:
        indent = _indent_of(line)
        if not self._blank and self._open is not None and self._open.kind is PieceKind.LIST:
            starts = _HEADING.match(line) or _QUOTE.match(line)
            return indent > self._levels[0].marker or not starts
        return indent > self._levels[0].marker and indent >= 2

    def _take_item_text(self, line: str) -> None:
        """Add text of an item after its first line."""
        indent = _indent_of(line)
        opened = self._open
        if self._blank:
            while len(self._levels) > 1 and indent < self._levels[-1].content:
                self._levels.pop()
        depth = len(self._levels)
        if opened is not None and opened.kind is PieceKind.LIST and depth > opened.indent:
            if opened.has_room(line):
                if self._blank:
                    opened.add("")
                opened.add(self._dedent(line, opened.indent))
                return
            self._begin(PieceKind.PROSE, line.strip(), joint=Continuation.LINE, indent=depth)
            return
        self._grow(PieceKind.PROSE, line.strip(), indent=depth)

    def _dedent(self, line: str, depth: int) -> str:
        """Return `line` without the indent of the outer `depth` levels."""
        base = self._levels[depth].marker if depth < len(self._levels) else 0
        line = line.expandtabs(4)
        leading = len(line) - len(line.lstrip())
        return line[min(base, leading) :]


def open_fence(text: str) -> str:
    """Return the fence of the code in which `text` ends, "" for none."""
    splitter = MarkdownSplitter()
    splitter.feed(text)
    splitter.finish()
    return splitter.fence
