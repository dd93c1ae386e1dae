"""The settings page of the user's data: where it is stored, and how to delete it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, join_sentences, tr, tr_count
from neodeskpet.settings.secrets import SecretPlace
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.chat.notice_bars import OpenUrl
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_ports import DataPort
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import CONTROL_HEIGHT
from neodeskpet.ui.widgets.labels import ElidedLabel, PlainLabel

_TEXTS = {
    "folder": (N_("Data folder"), N_("Open folder"), N_("Path"), "uninstall", "卸载"),
    "log": (N_("Log"), N_("Open log"), N_("Path")),
    "remove": (N_("Uninstall"), "remove", "卸载", "删除"),
    "delete": (N_("Conversations"), N_("Delete all conversations…")),
}

_SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse
_STAYS = N_("It stays when NeoDeskPet is uninstalled; delete it if you want your data gone.")
_KEYS = {
    SecretPlace.KEYRING: N_("Keys are in the system's keyring."),
    SecretPlace.FILE: N_("Keys are in a file in this folder that only you can read."),
    SecretPlace.MEMORY: N_(
        "There is no keyring: keys that you enter are kept until NeoDeskPet ends."
    ),
    SecretPlace.ENVIRONMENT: N_("The key is in an environment variable."),
}

_LOGIN = N_("Switch “Start at login” off before.")


class DataPage(SettingsPage):
    """Shows paths with a button that opens each, a button that deletes all conversations, and how
    to uninstall the program.
    """

    def __init__(
        self,
        section: SectionInfo,
        port: SettingsPort,
        data: DataPort,
        theme: Theme,
        *,
        open_url: OpenUrl = QDesktopServices.openUrl,
    ) -> None:
        self._data = data
        self._open_url = open_url
        self._keys: SecretPlace | None = None
        self._work = TaskRunner("data", failed=self._fail, changed=self._show_work)
        super().__init__(section, port, theme)

    def build(self) -> None:
        self._path_rows = {
            "folder": self._path_row("folder", self._data.folder, self._data.folder),
            "log": self._path_row("log", self._data.log, self._data.log),
        }
        self.delete = QPushButton()
        self.sure = QPushButton()
        self.sure.setProperty("danger", True)
        self.keep = QPushButton()
        self._delete_row = SettingsRow(
            self.theme,
            self.delete,
            self.sure,
            self.keep,
            stack=search_text((self.section.title, *_TEXTS["delete"])),
        )
        self.add_row(self._delete_row)
        removal = self._data.removal
        self._command = PlainLabel(removal.command)
        self._command.setWordWrap(True)
        self._command.setMinimumHeight(CONTROL_HEIGHT)
        self._command.setTextInteractionFlags(_SELECTABLE)
        self._removal = SettingsRow(
            self.theme,
            *([self._command] if removal.command else []),
            stack=search_text((self.section.title, *_TEXTS["remove"])),
            wide=True,
        )
        self.add_row(self._removal)
        self.delete.clicked.connect(lambda: self._ask(True))
        self.keep.clicked.connect(lambda: self._ask(False))
        self.sure.clicked.connect(lambda: self._work.start_once("delete", self._delete_all))
        super().build()
        self._ask(False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Not while the page is being shown: that changes its layout, and Qt crashes.
        QTimer.singleShot(0, self, self._begin_finding_keys)

    def _begin_finding_keys(self) -> None:
        self._work.start_once("keys", self._find_keys)

    def retranslate(self) -> None:
        super().retranslate()
        for name, row in self._path_rows.items():
            row.set_texts(tr(_TEXTS[name][0]), self._about_folder() if name == "folder" else "")
            button = row.controls[1]
            if isinstance(button, QPushButton):
                button.setText(tr(_TEXTS[name][1]))
        removal = self._data.removal
        words = join_sentences(tr(removal.words, path=removal.path), tr(_LOGIN))
        self._removal.set_texts(tr(_TEXTS["remove"][0]), words)
        self._delete_row.title.setText(tr("Conversations"))
        self.delete.setText(tr("Delete all conversations…"))
        self.sure.setText(tr("Delete all"))
        self.keep.setText(tr("Keep them"))

    def _about_folder(self) -> str:
        """Return the note for the data folder; the place of the keys is added once it is known."""
        keys = tr(_KEYS[self._keys]) if self._keys is not None else ""
        return join_sentences(tr(_STAYS), keys)

    async def _find_keys(self) -> None:
        self._keys = await self._data.key_place()
        self.retranslate()

    def _path_row(self, name: str, shown: Path, opened: Path) -> SettingsRow:
        label = ElidedLabel(str(shown), mode=Qt.TextElideMode.ElideMiddle)
        label.setMinimumHeight(CONTROL_HEIGHT)
        label.setTextInteractionFlags(_SELECTABLE)
        button = QPushButton()
        button.clicked.connect(lambda: self._open(name, opened))
        row = SettingsRow(
            self.theme, label, button, stack=search_text((self.section.title, *_TEXTS[name]))
        )
        self.add_row(row)
        return row

    def _open(self, name: str, path: Path) -> None:
        row = self._path_rows[name]
        opened = path.exists() and self._open_url(QUrl.fromLocalFile(str(path)))
        row.set_error("" if opened else tr("The folder can't be opened: {path}", path=str(path)))

    def _ask(self, asking: bool) -> None:
        self.delete.setVisible(not asking)
        self.sure.setVisible(asking)
        self.keep.setVisible(asking)
        self._delete_row.set_error("")
        self._delete_row.set_note(
            tr("All conversations go, here and in the memory. They can't be brought back.")
            if asking
            else ""
        )
        if asking:
            self.keep.setFocus()

    async def _delete_all(self) -> None:
        count = await self._data.delete_conversations()
        self._ask(False)
        self._delete_row.set_note(
            tr_count(
                N_("{count} conversation was deleted."),
                N_("{count} conversations were deleted."),
                count,
            )
        )

    def _fail(self, error: KnownError) -> None:
        self._delete_row.set_error(format_error(error))

    def _show_work(self) -> None:
        self.sure.setEnabled(not self._work.busy())
