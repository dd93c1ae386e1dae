"""The settings page of the folders whose files the companion may use: a line for each, and a button
that adds one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import search_text
from neodeskpet.ui.widgets.controls import CONTROL_HEIGHT
from neodeskpet.ui.widgets.labels import ElidedLabel

_TITLE = N_("Allowed folders")


def _holds_home(folder: str) -> bool:
    """Return whether this folder is the home folder or contains it."""
    whole, home = Path(folder).expanduser().resolve(), Path.home().resolve()
    return whole == home or whole in home.parents


class FilesPage(SettingsPage):
    """Shows and changes the setting `files.folders`."""

    def build(self) -> None:
        self.list = QWidget()
        self.lines = QVBoxLayout(self.list)
        self.lines.setContentsMargins(0, 0, 0, 0)
        self.add = QPushButton()
        self.add.clicked.connect(self._choose)
        stack = search_text((self.section.title, _TITLE, "files 文件"))
        self.row = SettingsRow(self.theme, self.list, stack=stack, wide=True)
        self.row.below.addWidget(self.add)
        self.add_row(self.row)
        self._dialog: QFileDialog | None = None
        super().build()

    def folders(self) -> tuple[str, ...]:
        value = self.port.value("files", "folders")
        return tuple(map(str, value)) if isinstance(value, tuple | list) else ()

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        if (section, name) == ("files", "folders"):
            self._show()

    def retranslate(self) -> None:
        super().retranslate()
        self.row.title.setText(tr(_TITLE))
        self.add.setText(tr("Add a folder…"))
        self._show()

    def _show(self) -> None:
        while (item := self.lines.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        name = self.companion_name()
        for folder in self.folders():
            self.lines.addWidget(self._line(folder))
        self.row.set_note(
            tr("{name} can list, read and search in these, and asks before a change.", name=name)
            if self.folders()
            else tr("No folder yet: {name} can't see any of your files.", name=name)
        )
        self.row.set_error("\n".join(self._warnings()))

    def _warnings(self) -> Iterator[str]:
        wide = [folder for folder in self.folders() if _holds_home(folder)]
        if wide:
            yield tr(
                "{folders} holds all of your home folder. Passwords, keys, mail and data of "
                "browsers are never read, but other programs keep private files there too: allow "
                "single folders instead.",
                folders=", ".join(wide),
            )
        gone = [folder for folder in self.folders() if not Path(folder).is_dir()]
        if gone:
            yield tr("Not there: {folders}", folders=", ".join(gone))

    def _line(self, folder: str) -> QWidget:
        line = QWidget()
        box = QHBoxLayout(line)
        box.setContentsMargins(0, 0, 0, 0)
        label = ElidedLabel(folder, mode=Qt.TextElideMode.ElideMiddle)
        label.setMinimumHeight(CONTROL_HEIGHT)
        remove = QPushButton(tr("Remove"))
        remove.setAccessibleName(tr("Remove {name}", name=folder))
        remove.clicked.connect(lambda: self._keep([one for one in self.folders() if one != folder]))
        box.addWidget(label, 1)
        box.addWidget(remove)
        return line

    def _choose(self) -> None:
        dialog = QFileDialog(self, tr("Add a folder…"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.add_folder)
        dialog.open()
        self._dialog = dialog

    def add_folder(self, folder: str) -> None:
        """Add a folder that the user chose."""
        self._keep([*dict.fromkeys([*self.folders(), folder])])

    def _keep(self, folders: list[str]) -> None:
        self.port.change("files", "folders", tuple(folders))
