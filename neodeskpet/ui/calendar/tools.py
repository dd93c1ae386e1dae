"""The tools that an appointment may use, to be ticked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme, checkbox_rules
from neodeskpet.ui.widgets.label import tooltip_text

_ROWS = 4
_NAME = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """`title` is English, for `tr`. `asks`: it is run only after a question, so not then."""

    name: str
    title: str
    needs_approval: bool = False


class ToolChecklist(QListWidget):
    """Those that are ticked stand first. A tool that is gone stays in the entry, and is told."""

    def __init__(self) -> None:
        super().__init__()
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemActivated.connect(_toggle)

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"QListWidget {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-radius: {theme.control_radius}px; }}" + checkbox_rules("QListWidget", theme)
        )

    def set_tools(self, choices: Sequence[ToolChoice], ticked: Sequence[str]) -> None:
        """Show all, with these ticked."""
        self.clear()
        gone = [ToolChoice(name, name) for name in ticked if name not in {c.name for c in choices}]
        shown = sorted((*choices, *gone), key=lambda one: (one.name not in ticked, one.name))
        for one in shown:
            words = tr(one.title) if one.title else one.name
            item = QListWidgetItem(
                words if not one.needs_approval else tr("{tool} · asks first", tool=words)
            )
            item.setData(_NAME, one.name)
            note = tr("It asks first, and nobody is there to answer then: it isn't run.")
            words = f"{one.name}\n{note}" if one.needs_approval else one.name
            item.setData(Qt.ItemDataRole.ToolTipRole, tooltip_text(words))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            on = one.name in ticked
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            self.addItem(item)
        row = max(self.sizeHintForRow(0), self.fontMetrics().height())
        self.setFixedHeight(row * _ROWS + 2 * self.frameWidth())

    def checked_tools(self) -> tuple[str, ...]:
        """The names of those that are ticked."""
        items = [self.item(row) for row in range(self.count())]
        on = [item for item in items if item.checkState() is Qt.CheckState.Checked]
        return tuple(str(item.data(_NAME)) for item in on)


def _toggle(item: QListWidgetItem) -> None:
    on = item.checkState() is Qt.CheckState.Checked
    item.setCheckState(Qt.CheckState.Unchecked if on else Qt.CheckState.Checked)
