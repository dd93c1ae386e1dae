"""Distances between items."""

from __future__ import annotations

from neodeskpet.core.markdown.pieces import Continuation, PieceKind
from neodeskpet.ui.chat.items.code_items import CodeItem
from neodeskpet.ui.chat.items.image_item import ImageItem
from neodeskpet.ui.chat.items.item import Item, LabelItem
from neodeskpet.ui.chat.items.message_footer import FooterItem, VersionsItem
from neodeskpet.ui.chat.items.text_items import MarkdownItem, TextItem
from neodeskpet.ui.chat.items.thinking_items import ThinkingHead, ThinkingTail
from neodeskpet.ui.chat.items.tool_card_items import CardHead, GroupHead
from neodeskpet.ui.theme import Theme


def set_gaps(items: list[Item], before: Item | None, theme: Theme) -> None:
    """Set the gap above each of `items`; `before` is the item above the first, if any."""
    for item in items:
        item.gap = 0 if before is None else gap_between(before, item, theme)
        before = item


def gap_between(before: Item, item: Item, theme: Theme) -> int:
    """Return the distance in pixels between two items of a message."""
    if isinstance(item, TextItem) and item.joint is not Continuation.NONE:
        return _gap_of_joined(before, item, theme)
    if isinstance(item, CardHead | GroupHead):
        return theme.card_gap if before.in_card else theme.inner_gap
    if item.in_card or isinstance(item, ThinkingTail):
        return 0
    if isinstance(before, ThinkingHead) and isinstance(item, MarkdownItem) and item.muted:
        return 0
    if isinstance(before, LabelItem):
        return 2
    if isinstance(item, FooterItem | VersionsItem):
        return 4
    return theme.card_gap if isinstance(before, ImageItem) else theme.inner_gap


def _gap_of_joined(before: Item, item: TextItem, theme: Theme) -> int:
    """Return the distance of parts of one text: none, or a small one between items of a list."""
    if isinstance(before, CodeItem) and not isinstance(item, CodeItem):
        return theme.card_gap
    return 4 if isinstance(item, MarkdownItem) and item.piece.kind is PieceKind.LIST else 0
