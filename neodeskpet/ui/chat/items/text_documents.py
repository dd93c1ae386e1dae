"""Text documents of Markdown pieces: sanitized, styled, and limited in number.

A document never loads anything: no file, no `data:` picture, no address (`SafeDocument`).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QBrush,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLength,
    QTextListFormat,
    QTextOption,
    QTextTable,
    QTextTableFormat,
)

from neodeskpet.core.markdown.preparation import FOOTNOTE_SCHEME
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.rendering.code_spans import CodeSpans
from neodeskpet.ui.rendering.formula_document import OBJECT_CHAR, FormulaDocument, formula_width
from neodeskpet.ui.theme import CODE_FAMILIES, FALLBACK_FAMILIES, font_for_text

CAPACITY = 64
# Chinese and Japanese text can break between any two characters.
_WORD = re.compile("[^\\s\u2e80-\uffdc]+|[\u2e80-\uffdc]")
_MARKDOWN = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value
    | QTextDocument.MarkdownFeature.MarkdownNoHTML.value
)
_NO_BOX = QTextBlockFormat.MarkerType.NoMarker
_BULLETS = (
    QTextListFormat.Style.ListDisc,
    QTextListFormat.Style.ListCircle,
    QTextListFormat.Style.ListSquare,
)
_CELL_PADDING = 6
_BORDER = 1
_LIST_INDENT = 22
_HEADING_STEPS = {1: 3, 2: 1, 3: 0}
"""Pixels by which headings of a level are larger than the theme's heading size."""
QUOTE_INDENT = 14
TASK_BOX_SPACE = "\u2003\u2002"  # before the text of a numbered task


class SafeDocument(FormulaDocument):
    """A document of text written by a model: files and addresses in it are never read."""

    spans: CodeSpans | None = None  # colours of code, painted over the text
    # Blocks with a bullet, and their depth: the item paints it, since Qt's is too close.
    bullets: tuple[tuple[int, int], ...] = ()
    # Blocks of tasks, whether each is done, and whether it also has a number, after which the box
    # is drawn. Qt draws its own box only with some widget styles.
    task_boxes: tuple[tuple[int, bool, bool], ...] = ()
    # Blocks in nested quotes, and their depth (2 and more).
    quotes: tuple[tuple[int, int], ...] = ()
    fitted_width = 0  # the width a table was laid out for
    may_have_table = False  # anywhere in it
    last_line = 0.0  # top, in the item, of the line with the caret

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        return None


class DocumentOwner(Protocol):
    """The owner of a document, which can recreate it at any time."""

    def make_document(self, look: ItemStyle) -> SafeDocument: ...


class DocumentCache:
    """The documents in memory: at most `CAPACITY`, or as many as one screen needs. The owner of an
    evicted document keeps its source and its height.
    """

    def __init__(self, look: ItemStyle) -> None:
        self.style = look
        self.made = 0
        self._alive: OrderedDict[DocumentOwner, SafeDocument] = OrderedDict()
        self._needed = 0

    def __len__(self) -> int:
        return len(self._alive)

    def set_visible_count(self, visible: int) -> None:
        """Set how many documents may be on screen at once."""
        self._needed = visible

    def get(self, owner: DocumentOwner) -> SafeDocument:
        document = self._alive.get(owner)
        if document is not None:
            self._alive.move_to_end(owner)
            return document
        document = owner.make_document(self.style)
        self.made += 1
        self._alive[owner] = document
        while len(self._alive) > max(CAPACITY, 2 * self._needed):
            self._alive.popitem(last=False)
        return document

    def peek(self, owner: DocumentOwner) -> SafeDocument | None:
        return self._alive.get(owner)

    def drop(self, owner: DocumentOwner) -> None:
        self._alive.pop(owner, None)

    def clear(self, look: ItemStyle) -> None:
        """Drop all documents; new ones use `look`."""
        self.style = look
        self._alive.clear()


def new_document(font: QFont, *, tab: float = 0.0) -> SafeDocument:
    """Return an empty document in `font` that may wrap anywhere; `tab` is the width of a tab."""
    document = SafeDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setIndentWidth(_LIST_INDENT)
    document.setDefaultFont(font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    if tab:
        option.setTabStopDistance(tab)
    document.setDefaultTextOption(option)
    return document


def plain_document(text: str, font: QFont, line: int, *, tab: float = 0.0) -> SafeDocument:
    """Return a document of plain `text` with lines at least `line` px high."""
    document = new_document(font_for_text(text, font), tab=tab)
    document.setPlainText(text)
    _merge_block_format(document, line)
    return document


@contextmanager
def single_edit(document: SafeDocument) -> Iterator[None]:
    """Lay out all changes inside the block once, at the end (three to four times cheaper)."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    try:
        yield
    finally:
        cursor.endEditBlock()


def write_markdown(document: SafeDocument, source: str, look: ItemStyle, gap: int = 4) -> None:
    """Replace the content of the document by the styled `source`, with `gap` px between
    paragraphs.
    """
    font = font_for_text(source, look.font)
    if font.featureTags() != document.defaultFont().featureTags():
        document.setDefaultFont(font)
    with single_edit(document):
        document.setMarkdown(source, _MARKDOWN)
        _merge_block_format(document, look.theme.line_px)
        if "![" in source:
            _replace_images(document)
        document.fitted_width, document.last_line = 0, 0.0
        bullets: list[tuple[int, int]] = []
        boxes: list[tuple[int, bool, bool]] = []
        quotes: list[tuple[int, int]] = []
        block, first = document.begin(), True
        styled: _StyledFormats = {}
        while block.isValid():
            level = quote_level(block)
            _style_block(block, look, 0 if first else gap, level, styled)
            _hide_bullet(block, bullets, boxes)
            if level > 1:
                quotes.append((block.blockNumber(), level))
            first = False
            block = block.next()
        document.bullets, document.task_boxes = tuple(bullets), tuple(boxes)
        document.quotes = tuple(quotes)
        document.may_have_table = "|" in source
        # Keep the shaping of the layout for painting: for growing text it is half the cost of both.
        document.lastBlock().layout().setCacheEnabled(True)


def write_table(document: SafeDocument, source: str, look: ItemStyle) -> None:
    """Write a single table. Qt only knows its tables after the first edit has ended."""
    write_markdown(document, source, look, gap=0)
    with single_edit(document):
        table = table_of(document)
        if table is not None:
            _style_table(table, look)
        _flatten_empty_blocks(document)


def _merge_block_format(document: SafeDocument, line: int) -> None:
    form = QTextBlockFormat()
    form.setTopMargin(0)
    form.setBottomMargin(0)
    form.setLineHeight(line, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    cursor.mergeBlockFormat(form)


def quote_level(block: QTextBlock) -> int:
    """Return the depth of quotes around a block."""
    level = block.blockFormat().property(QTextFormat.Property.BlockQuoteLevel)
    return level if isinstance(level, int) else 0


def _hide_bullet(
    block: QTextBlock, bullets: list[tuple[int, int]], boxes: list[tuple[int, bool, bool]]
) -> None:
    """Hide Qt's bullet of this block, and note its bullet or task box."""
    text_list = block.textList()
    if text_list is None:
        return
    marker = block.blockFormat().marker()
    form = text_list.format()
    if form.style() in _BULLETS:
        form.setStyle(QTextListFormat.Style.ListStyleUndefined)
        text_list.setFormat(form)
    numbered = form.style() != QTextListFormat.Style.ListStyleUndefined
    if marker != _NO_BOX:
        done = marker == QTextBlockFormat.MarkerType.Checked
        boxes.append((block.blockNumber(), done, numbered))
        plain = QTextBlockFormat()
        plain.setMarker(_NO_BOX)
        cursor = QTextCursor(block)
        cursor.mergeBlockFormat(plain)
        if numbered:
            cursor.insertText(TASK_BOX_SPACE)
    elif not numbered:
        bullets.append((block.blockNumber(), form.indent()))


_StyledFormats = dict[tuple[int, int], QTextCharFormat | None]
"""The styled form of a format (its number in the document, level of the heading), computed once for
all text that has it.
"""


def _style_block(
    block: QTextBlock, look: ItemStyle, gap: int, quoted: int, styled: _StyledFormats
) -> None:
    have = block.blockFormat()
    if gap or quoted:
        form = QTextBlockFormat()
        form.setTopMargin(gap)
        if quoted:
            form.setLeftMargin(QUOTE_INDENT * (quoted - 1))
            form.setRightMargin(0)
        QTextCursor(block).mergeBlockFormat(form)
    level = have.headingLevel()
    # Collected first: changing a format invalidates the iterator.
    fragments = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        key = (fragment.charFormatIndex(), level)
        if key not in styled:
            styled[key] = _char_format(fragment.charFormat(), look, level)
        change = styled[key]
        if change is not None:
            fragments.append((fragment.position(), fragment.length(), change))
        iterator += 1
    cursor = QTextCursor(block)
    for position, length, change in fragments:
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(change)


def _char_format(have: QTextCharFormat, look: ItemStyle, level: int) -> QTextCharFormat | None:
    # A full format, not a change: merging can't remove a property.
    form = QTextCharFormat(have)
    changed = False
    if have.fontFixedPitch() or "monospace" in (have.fontFamilies() or ()):
        form.setFontFamilies([*CODE_FAMILIES, *FALLBACK_FAMILIES])
        form.setProperty(QTextFormat.Property.FontPixelSize, look.theme.code_px)
        form.clearProperty(QTextFormat.Property.FontPointSize)
        form.setBackground(QBrush(look.color("code")))
        changed = True
    if have.anchorHref().startswith(FOOTNOTE_SCHEME):
        form.setForeground(QBrush(look.color("accent")))
        form.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
        form.setFontUnderline(False)
        changed = True
    elif have.isAnchor():
        form.setForeground(QBrush(look.color("accent")))
        form.setFontUnderline(True)
        changed = True
    if level:
        form.clearProperty(QTextFormat.Property.FontSizeAdjustment)
        px = look.theme.heading_px + _HEADING_STEPS.get(level, -2)
        form.setProperty(QTextFormat.Property.FontPixelSize, px)
        form.setFontWeight(QFont.Weight.DemiBold)
        changed = True
    elif have.fontWeight() > QFont.Weight.Medium:
        form.setFontWeight(QFont.Weight.DemiBold)
        changed = True
    return form if changed else None


def _replace_images(document: SafeDocument) -> None:
    """Replace pictures by links with their alternative texts: nothing is loaded."""
    while not (found := document.find(OBJECT_CHAR)).isNull():
        form = found.charFormat().toImageFormat()
        alt = str(form.property(QTextFormat.Property.ImageAltText) or "") or form.name()
        link = QTextCharFormat()
        link.setAnchor(True)
        link.setAnchorHref(form.name())
        found.insertText(alt or "🖼", link)


@dataclass(frozen=True, slots=True)
class LinkSpan:
    """The characters of a link in a document, its text and its address."""

    start: int
    end: int
    text: str
    address: str


ALLOWED_SCHEMES = ("http://", "https://", "mailto:")


def is_allowed_link(address: str) -> bool:
    """Whether a link is to the web or a mail address; others could reach into this computer."""
    return address.lower().startswith(ALLOWED_SCHEMES)


def link_spans(document: SafeDocument) -> tuple[LinkSpan, ...]:
    """Return the links that may be opened. Differently styled parts of a link are one link."""
    found: list[LinkSpan] = []
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            address = fragment.charFormat().anchorHref()
            start, text = fragment.position(), fragment.text()
            last = found[-1] if found else None
            if last is not None and (last.end, last.address) == (start, address):
                found[-1] = replace(last, end=start + fragment.length(), text=last.text + text)
            elif is_allowed_link(address):
                found.append(LinkSpan(start, start + fragment.length(), text, address))
            iterator += 1
        block = block.next()
    return tuple(found)


def _style_table(table: QTextTable, look: ItemStyle) -> None:
    form = QTextTableFormat(table.format())
    form.setBorder(_BORDER)
    form.setBorderCollapse(True)
    form.setBorderBrush(QBrush(look.color("line")))
    form.setBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
    form.setCellPadding(_CELL_PADDING)
    form.setCellSpacing(0)
    form.setMargin(0)
    table.setFormat(form)
    for column in range(table.columns() if table.rows() > 1 else 0):
        # Qt aligns the rows, but not the header.
        below = table.cellAt(1, column).firstCursorPosition().blockFormat().alignment()
        head = QTextBlockFormat()
        head.setAlignment(below)
        table.cellAt(0, column).firstCursorPosition().mergeBlockFormat(head)


def _flatten_empty_blocks(document: SafeDocument) -> None:
    """Flatten the empty blocks that Qt keeps around a table."""
    flat = QTextBlockFormat()
    flat.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    tiny = QTextCharFormat()
    tiny.setProperty(QTextFormat.Property.FontPixelSize, 1)
    for block in (document.begin(), document.lastBlock()):
        cursor = QTextCursor(block)
        if not block.text() and cursor.currentTable() is None:
            cursor.mergeBlockFormat(flat)
            cursor.setBlockCharFormat(tiny)


def table_of(document: SafeDocument) -> QTextTable | None:
    return next((f for f in document.rootFrame().childFrames() if isinstance(f, QTextTable)), None)


def column_widths(document: SafeDocument) -> list[float]:
    """Return the widths of the table's columns, including padding and border; [] if there is no
    table.
    """
    table = table_of(document)
    if table is None:
        return []
    layout = document.documentLayout()
    return [
        layout.blockBoundingRect(table.cellAt(0, column).firstCursorPosition().block()).width()
        + 2 * _CELL_PADDING
        + _BORDER
        for column in range(table.columns())
    ]


def reset_columns(document: SafeDocument) -> None:
    """Remove the width constraints of the columns."""
    table = table_of(document)
    if table is not None:
        form = table.format()
        form.clearColumnWidthConstraints()
        table.setFormat(form)


def min_column_widths(document: SafeDocument, look: ItemStyle) -> list[float]:
    """Return the width of the longest word of each column."""
    table = table_of(document)
    if table is None:
        return []
    longest = [0.0] * table.columns()
    formulas = iter(document.formulas)
    for row in range(table.rows()):
        for column in range(table.columns()):
            text = table.cellAt(row, column).firstCursorPosition().block().text()
            for _ in range(text.count(OBJECT_CHAR)):
                longest[column] = max(longest[column], formula_width(next(formulas), look.font) + 4)
            for word in _WORD.findall(text):
                longest[column] = max(longest[column], look.bold_metrics.horizontalAdvance(word))
    return [wide + 2 * _CELL_PADDING + _BORDER for wide in longest]


def set_column_widths(document: SafeDocument, widths: list[float], *, drop_head: bool) -> None:
    """Set the widths of the columns, and remove a repeated header row."""
    table = table_of(document)
    if table is None:
        return
    if drop_head and table.rows() > 1:
        table.removeRows(0, 1)
    if len(widths) == table.columns():
        form = table.format()
        fixed = QTextLength.Type.FixedLength
        form.setColumnWidthConstraints([QTextLength(fixed, width) for width in widths])
        table.setFormat(form)
