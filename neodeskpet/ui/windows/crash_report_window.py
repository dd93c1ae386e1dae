"""The window after a crash, shown at the start: the report, and the choice of safe mode.

An ordinary window, not a modal dialog. After one crash it only informs; after two in a row the
start waits for the choice, because the cause may be in what the app is about to load.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QCloseEvent, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme, apply_window_theme, code_font, ui_font
from neodeskpet.ui.widgets.labels import PlainLabel

_WIDTH = 480
_HEIGHT = 420

OpenUrl = Callable[[QUrl], bool]


class CrashReportWindow(QWidget):
    """`report` is the file that is shown and copied. `asks`: offer safe mode. `chosen(safe)` is
    emitted with the answer, True for safe mode; closing the window means a normal start.
    """

    chosen = Signal(bool)

    def __init__(
        self,
        theme: Theme,
        report: Path,
        *,
        asks: bool,
        open_url: OpenUrl = QDesktopServices.openUrl,
    ) -> None:
        super().__init__()
        self.setObjectName("crash")
        self._report = report
        self._asks = asks
        self._answered = False
        self._open_url = open_url
        self.title = _text_label()
        self.text = _text_label()
        self.note = _text_label()
        self.report_text = QPlainTextEdit(readOnly=True)
        self.report_text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.report_text.hide()
        self.show_report = QPushButton()
        self.copy_button = QPushButton()
        self.folder_button = QPushButton()
        self.safe_mode_button = QPushButton()
        self.start_button = QPushButton()
        (self.safe_mode_button if asks else self.start_button).setProperty("primary", True)
        self.safe_mode_button.setVisible(asks)
        self.show_report.clicked.connect(self._toggle)
        self.copy_button.clicked.connect(self._copy)
        self.folder_button.clicked.connect(self._open_folder)
        self.safe_mode_button.clicked.connect(lambda: self._answer(True))
        self.start_button.clicked.connect(self.close)
        self._lay_out()
        self.set_theme(theme)
        self.retranslate()

    def set_theme(self, theme: Theme) -> None:
        apply_window_theme(self, theme, f"#crash {{ background: {theme.window}; }}")
        self.title.setFont(ui_font(theme, theme.heading_px, bold=True))
        self.report_text.setFont(code_font(theme))

    def retranslate(self) -> None:
        self.setWindowTitle("NeoDeskPet")
        if self._asks:
            title = tr("NeoDeskPet ended unexpectedly twice in a row")
            text = tr(
                "Safe mode starts without the figure, with an empty conversation and the "
                "offline helper. Settings and conversations are not changed."
            )
        else:
            title = tr("NeoDeskPet ended unexpectedly last time")
            text = tr(
                "Conversations are kept. The report shows where it happened; it contains "
                "no keys and is not sent anywhere."
            )
        self.title.setText(title)
        self.text.setText(text)
        self.show_report.setText(
            tr("Hide the report") if self.report_text.isVisible() else tr("Show the report")
        )
        self.report_text.setAccessibleName(tr("Report"))
        self.copy_button.setText(tr("Copy"))
        self.folder_button.setText(tr("Open the folder"))
        self.safe_mode_button.setText(tr("Start in safe mode"))
        self.start_button.setText(tr("Start normally") if self._asks else tr("Close"))

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self._answer(False)

    def _lay_out(self) -> None:
        about = QHBoxLayout()
        for button in (self.show_report, self.copy_button, self.folder_button):
            about.addWidget(button)
        about.addStretch(1)
        choice = QHBoxLayout()
        choice.addStretch(1)
        choice.addWidget(self.start_button)
        choice.addWidget(self.safe_mode_button)
        box = QVBoxLayout(self)
        box.setContentsMargins(20, 18, 20, 16)
        box.setSpacing(12)
        box.addWidget(self.title)
        box.addWidget(self.text)
        box.addLayout(about)
        box.addWidget(self.report_text, 1)
        box.addWidget(self.note)
        box.addLayout(choice)
        self.note.hide()
        self.setMinimumWidth(_WIDTH)

    def _answer(self, safe: bool) -> None:
        if not self._answered:
            self._answered = True
            self.chosen.emit(safe)

    def _read(self) -> str:
        try:
            return self._report.read_text("utf-8", "replace")
        except OSError as error:
            return tr("The report can't be read: {reason}", reason=str(error))

    def _toggle(self) -> None:
        shown = self.report_text.isHidden()
        if shown:
            self.report_text.setPlainText(self._read())
        self.report_text.setVisible(shown)
        self.retranslate()
        self.resize(self.width(), _HEIGHT if shown else self.minimumSizeHint().height())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._read())
        self._tell(tr("The report was copied."))

    def _open_folder(self) -> None:
        if not self._open_url(QUrl.fromLocalFile(str(self._report.parent))):
            folder = str(self._report.parent)
            self._tell(tr("The folder can't be opened: {path}", path=folder))

    def _tell(self, text: str) -> None:
        self.note.setText(text)
        self.note.show()


def _text_label() -> QLabel:
    label = PlainLabel()
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
