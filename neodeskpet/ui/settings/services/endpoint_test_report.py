"""The result of a test: a table that is filled while the test runs, and the proposal below it."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_settings import MODE_NOTES, mode_name
from neodeskpet.language import tr
from neodeskpet.ui.settings.settings_ports import (
    EndpointTestFinding,
    EndpointTestProposal,
    EndpointTestVerdict,
)
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import PlainLabel

_GLYPHS = {
    EndpointTestVerdict.RUNNING: "●",
    EndpointTestVerdict.GOOD: "✓",
    EndpointTestVerdict.FAULT: "!",
    EndpointTestVerdict.FAILED: "✕",
    EndpointTestVerdict.SKIPPED: "–",
}
_WORDS = {
    EndpointTestVerdict.RUNNING: N_("trying…"),
    EndpointTestVerdict.GOOD: N_("works"),
    EndpointTestVerdict.FAULT: N_("works with a fault"),
    EndpointTestVerdict.FAILED: N_("doesn't work"),
    EndpointTestVerdict.SKIPPED: N_("not tried"),
}


def verdict_glyph(verdict: EndpointTestVerdict, theme: Theme) -> tuple[str, str]:
    """Return the glyph of a result and its colour."""
    colours = {
        EndpointTestVerdict.RUNNING: theme.accent,
        EndpointTestVerdict.GOOD: theme.done,
        EndpointTestVerdict.FAULT: theme.asks,
        EndpointTestVerdict.FAILED: theme.failed,
        EndpointTestVerdict.SKIPPED: theme.muted,
    }
    return _GLYPHS[verdict], colours[verdict]


class EndpointTestReport(QFrame):
    """Hidden until there is something to show."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._findings: dict[str, EndpointTestFinding] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        for column, part in enumerate((5, 8, 7)):
            self._grid.setColumnStretch(column, part)
        self.set_theme(theme)
        self.hide()

    def clear(self) -> None:
        self._findings.clear()
        self._build()

    def add(self, finding: EndpointTestFinding) -> None:
        """Add a row, or replace the row with the same id."""
        self._findings[finding.id] = finding
        self._build()

    def findings(self) -> tuple[EndpointTestFinding, ...]:
        return tuple(self._findings.values())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setStyleSheet(
            f"EndpointTestReport {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-radius: {theme.card_radius}px; }}"
            "EndpointTestReport QLabel { padding: 7px 12px; }"
        )
        self._build()

    def retranslate(self) -> None:
        self._build()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            painter.setPen(QColor(self._theme.line))
            for row in range(1, len(self._findings)):
                item = self._grid.itemAtPosition(row, 0)
                top = item.geometry().top() if item else 0
                painter.drawLine(1, top, self.width() - 2, top)

    def _build(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            label = item.widget()
            if label is not None:
                label.hide()
                label.deleteLater()
        for number, finding in enumerate(self._findings.values()):
            for column, label in enumerate(self._labels(finding)):
                label.setWordWrap(True)
                self._grid.addWidget(label, number, column)
        self.setVisible(bool(self._findings))

    def _labels(self, finding: EndpointTestFinding) -> tuple[QLabel, QLabel, QLabel]:
        t = self._theme
        word = tr(_WORDS[finding.verdict])
        title, state, detail = (
            PlainLabel(tr(finding.title)),
            PlainLabel(f"{_GLYPHS[finding.verdict]} {finding.text or word}"),
            PlainLabel(finding.detail),
        )
        title.setProperty("muted", True)
        _, colour = verdict_glyph(finding.verdict, t)
        state.setStyleSheet(f"color: {colour};")
        state.setAccessibleName(f"{title.text()}: {word} {finding.text} {finding.detail}".strip())
        return title, state, detail


_ABILITIES = {
    "tools": N_("native tools"),
    "parallel": N_("several calls at once"),
    "vision": N_("pictures"),
    "thinking": N_("thinking"),
    "streaming": N_("streaming"),
}


def taken_text(proposal: EndpointTestProposal) -> str:
    """Return what changed when the proposal was applied."""
    said = tr("Mode {mode} is set.", mode=tr(mode_name(proposal.mode)))
    able = [f"{_mark(able)} {tr(_ABILITIES[name])}" for name, able in proposal.measured.items()]
    if not proposal.model or not able:
        return said
    noted = tr("Noted for {model}: {abilities}.", model=proposal.model, abilities=", ".join(able))
    return f"{said} {noted}"


def _mark(able: bool) -> str:
    return _GLYPHS[EndpointTestVerdict.GOOD if able else EndpointTestVerdict.FAILED]


class ProposalBar(QFrame):
    """The proposal of a test, and a button that applies it. `taken(EndpointTestProposal)`."""

    taken = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._proposal: EndpointTestProposal | None = None
        self._text = PlainLabel()
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.RichText)
        self.take = QPushButton()
        self.take.setProperty("primary", True)
        self.take.clicked.connect(self._take)
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 10, 12, 10)
        line.setSpacing(12)
        line.addWidget(self._text, 1)
        line.addWidget(self.take)
        self.set_theme(theme)
        self.show_proposal(None)

    @property
    def offers(self) -> bool:
        """Whether a proposal is shown."""
        return self._proposal is not None

    def show_proposal(self, proposal: EndpointTestProposal | None) -> None:
        self._proposal = proposal
        self.retranslate()
        self.setVisible(proposal is not None)

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"ProposalBar {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-left: 3px solid {theme.accent}; border-radius: {theme.control_radius}px; }}"
        )

    def retranslate(self) -> None:
        self.take.setText(tr("Use this"))
        if self._proposal is not None:
            said = tr("Proposal: {mode}. {reason}", mode="\x00", reason=self._proposal.reason)
            bold = f"<b>{escape(tr(mode_name(self._proposal.mode)))}</b>"
            lines = [escape(said).replace("\x00", bold)]
            # Else the model makes no calls.
            if self._proposal.mode != "text" or self._proposal.dialect:
                lines.append(escape(tr(MODE_NOTES.get(self._proposal.mode, ""))))
            self._text.setText("<br>".join(lines))
            self.take.setAccessibleName(tr("Use what the test proposes"))

    def _take(self) -> None:
        proposal = self._proposal
        self.show_proposal(None)
        self.taken.emit(proposal)
