"""A model of a service: its name, what is known of it, its details, and the way out."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.llm.catalog.known_models import ThinkingForm, known_model
from neodeskpet.llm.chain.choice import ModelChoice
from neodeskpet.ui.settings.service.model_facts import ModelDetails
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.label import ElidedLabel


class ModelLine(QWidget):
    """A model that is used: its name, what is known of it, its details, and the way out."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._choice: ModelChoice | None = None
        self.facts: ModelDetails | None = None
        self.title = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.about = ElidedLabel()
        self.about.setProperty("muted", True)
        self.details = QPushButton()
        self.details.setCheckable(True)
        self.remove = QPushButton()
        for button in (self.details, self.remove):
            button.setProperty("quiet", True)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self.title)
        words.addWidget(self.about)
        line = QHBoxLayout()
        line.setSpacing(0)
        line.addLayout(words, 1)
        line.addWidget(self.details)
        line.addWidget(self.remove)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.addLayout(line)
        self.set_theme(theme)

    @property
    def model_name(self) -> str:
        return "" if self._choice is None else self._choice.entry.display_name

    def tab_order(self) -> list[QWidget]:
        """Where the Tab key stops, in their order."""
        inner = [] if self.facts is None else self.facts.tab_order()
        return [self.details, self.remove, *inner]

    def set_details(self, facts: ModelDetails | None) -> None:
        """Show the details under the line; None closes them."""
        if self.facts is not None:
            self._box.removeWidget(self.facts)
            self.facts.hide()
            self.facts.deleteLater()
        self.facts = facts
        self.details.setChecked(facts is not None)
        if facts is not None:
            self._box.addWidget(facts)
        self.retranslate()

    def show_model(self, choice: ModelChoice) -> None:
        self._choice = choice
        self.retranslate()

    def set_theme(self, theme: Theme) -> None:
        self.about.setFont(ui_font(theme, theme.small_px))
        if self.facts is not None:
            self.facts.set_theme(theme)

    def retranslate(self) -> None:
        choice = self._choice
        if choice is None:
            return
        entry = choice.entry
        named = f"{entry.name} ({entry.id})" if entry.name else entry.id
        self.title.set_text(named)
        self.about.set_text(abilities_text(choice))
        self.details.setText(tr("Close") if self.facts is not None else tr("Details"))
        self.details.setAccessibleName(tr("Details of {name}", name=entry.display_name))
        self.remove.setText(tr("Remove"))
        self.remove.setAccessibleName(tr("Remove {name}", name=entry.display_name))


def abilities_text(choice: ModelChoice) -> str:
    """`128,000 tokens · tools · pictures · thinking`, as it counts now."""
    able = (
        (choice.tools, tr("tools")),
        (choice.vision, tr("pictures")),
        (choice.thinking is not ThinkingForm.NONE, tr("thinking")),
        (known_model(choice.entry.id).embedding, tr("vectors")),
    )
    size = "" if choice.context is None else tr("{count} tokens", count=f"{choice.context:,}")
    words = [size, *(word for holds, word in able if holds)]
    return " · ".join(word for word in words if word) or tr("nothing is known of it")
