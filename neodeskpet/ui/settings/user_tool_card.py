"""The card of one tool file: its state; when opened, the tools that it declares, its errors, and
its text.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.language import tr
from neodeskpet.tools.user_tools.tool_file import ToolFileState, ToolFileView
from neodeskpet.tools.user_tools.tool_file_protocol import DeclaredTool
from neodeskpet.ui.settings.folding_card import Colour, FoldingCard
from neodeskpet.ui.theme import Theme, code_font, scale_to_font, ui_font
from neodeskpet.ui.widgets.labels import ErrorLabel, PlainLabel

_STATES: dict[ToolFileState, tuple[str, str, Colour]] = {
    ToolFileState.NOT_ALLOWED: ("?", N_("waiting for approval"), "asks"),
    ToolFileState.CHANGED: ("?", N_("has changed, waiting for approval"), "asks"),
    ToolFileState.LOADING: ("…", N_("is starting"), "muted"),
    ToolFileState.READY: ("✓", N_("can be used"), "done"),
    ToolFileState.BROKEN: ("✕", N_("can't be used"), "failed"),
    ToolFileState.RESTORED: ("✕", N_("can't be read, so its last good copy is used"), "failed"),
}
_RISKS = {
    Risk.READ: N_("looks, never asks"),
    Risk.GESTURE: N_("moves the figure, never asks"),
    Risk.APP_DATA: N_("changes its own things"),
    Risk.WRITE: N_("changes things of yours, asks"),
    Risk.RUN: N_("runs programs, asks each time"),
}
_LINES = 4_000
"""The largest number of lines that are shown of a file."""


class UserToolCard(FoldingCard):
    """The card. `opened(bool)`, `allowed(digest)` and `revoke_requested()` report the user's
    actions.
    """

    allowed = Signal(str)
    revoke_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        self.body: UserToolDetails | None = None
        super().__init__(theme)

    def show_file(self, view: ToolFileView) -> None:
        sign, words, colour = _STATES[view.state]
        about = [tr(words)]
        if view.content.outline.about:
            about.append(show_hidden_chars(view.content.outline.about))
        name = show_hidden_chars(view.content.name)
        self.set_state_icon(sign, colour)
        self.head.title.set_text(name)
        self.head.about.set_text(" · ".join(about))
        self.head.setAccessibleName(f"{name}, {about[0]}")
        if self.body is not None:
            self.body.show_file(view)

    def open(self, view: ToolFileView | None) -> None:
        """Show the details of `view`; None closes the card."""
        self.body = None if view is None else UserToolDetails(view, self._theme)
        self.set_content(self.body)
        if self.body is not None:
            self.body.allowed.connect(self.allowed)
            self.body.revoke_requested.connect(self.revoke_requested)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        if self.body is not None:
            self.body.set_theme(theme)


class UserToolDetails(QWidget):
    """The content of an open card. `allowed` carries the digest of the content that is shown, so
    nothing else can be allowed.
    """

    allowed = Signal(str)
    revoke_requested = Signal()

    def __init__(self, view: ToolFileView, theme: Theme) -> None:
        super().__init__()
        self._view = view
        self.tools = PlainLabel()
        self.wrong = ErrorLabel()
        self.warning = PlainLabel()
        for label in (self.tools, self.wrong, self.warning):
            label.setWordWrap(True)
        self.source = QPlainTextEdit(readOnly=True)
        self.source.setTabChangesFocus(True)
        self.source.setUndoRedoEnabled(False)
        self.source.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.printed_title = PlainLabel()
        self.printed_title.setProperty("muted", True)
        self.printed = QPlainTextEdit(readOnly=True)
        self.printed.setTabChangesFocus(True)
        self.allow = QPushButton()
        self.allow.setProperty("primary", True)
        self.revoke = QPushButton()
        self._lay_out()
        self.allow.clicked.connect(lambda: self.allowed.emit(self._view.content.digest))
        self.revoke.clicked.connect(self.revoke_requested)
        self._shown = ""
        self.set_theme(theme)
        self.retranslate()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.allow)
        buttons.addWidget(self.revoke)
        buttons.addStretch()
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 6, 16, 14)
        box.setSpacing(10)
        for part in (self.tools, self.wrong, self.source, self.warning):
            box.addWidget(part)
        box.addLayout(buttons)
        box.addWidget(self.printed_title)
        box.addWidget(self.printed)

    def show_file(self, view: ToolFileView) -> None:
        self._view = view
        waits = view.state in (ToolFileState.NOT_ALLOWED, ToolFileState.CHANGED)
        self.tools.setText(_tools(view))
        self.tools.setVisible(bool(self.tools.text()))
        self.wrong.set_error(_wrong(view))
        self.warning.setVisible(waits)
        self.allow.setVisible(waits)
        self.revoke.setVisible(
            not waits and (view.content.outline.fault is None or bool(view.tools))
        )
        printed = "\n".join(map(show_hidden_chars, view.printed))
        for part in (self.printed_title, self.printed):
            part.setVisible(bool(printed))
        if printed != self.printed.toPlainText():
            self.printed.setPlainText(printed)
        if view.content.digest != self._shown:
            self._shown = view.content.digest
            lines = show_hidden_chars(view.content.source).splitlines()
            numbered = [f"{at:4}  {line}" for at, line in enumerate(lines[:_LINES], 1)]
            self.source.setPlainText("\n".join(numbered))
            self.source.setVisible(bool(lines))

    def retranslate(self) -> None:
        self.warning.setText(
            tr(
                "It runs with your rights: it can do whatever you can. Allow it only if you know "
                "what it does. When it changes it asks again."
            )
        )
        self.allow.setText(tr("Allow this file"))
        self.revoke.setText(tr("Take back"))
        self.source.setAccessibleName(tr("The text of the file"))
        self.printed_title.setText(tr("Output"))
        self.printed.setAccessibleName(tr("Output"))
        self.show_file(self._view)

    def set_theme(self, theme: Theme) -> None:
        small = ui_font(theme, theme.small_px)
        self.printed_title.setFont(small)
        for text in (self.source, self.printed):
            text.setFont(code_font(theme, theme.small_px))
        self.source.setFixedHeight(scale_to_font(220, theme))
        self.printed.setFixedHeight(scale_to_font(80, theme))


def _tools(view: ToolFileView) -> str:
    """Return the tools of the file; if it isn't loaded, the tools that it declares."""
    if view.tools:
        lines = [_line(one.name, one.risk, one.description) for one in view.tools]
    else:
        lines = [_declared(one) for one in view.content.outline.tools]
    if view.content.outline.imports:
        lines.append(tr("Uses: {packages}", packages=", ".join(view.content.outline.imports)))
    return "\n".join(lines)


def _declared(one: DeclaredTool) -> str:
    name = one.name or tr("a name that is made up as it runs (line {line})", line=str(one.line))
    return _line(name, Risk.__members__.get(one.risk), one.description)


def _line(name: str, risk: Risk | None, description: str) -> str:
    words = tr(_RISKS[risk]) if risk is not None else tr("what it changes can't be told beforehand")
    said = " ".join(description.split())
    return show_hidden_chars(f"• {name} ({words}){f': {said}' if said else ''}")


def _wrong(view: ToolFileView) -> str:
    if view.fault is None:
        return ""
    words = show_hidden_chars(tr(view.fault.words))
    if not view.fault.line:
        return words
    return tr("Line {line}: {words}", line=str(view.fault.line), words=words)
