"""The person's panel of the files: the folder that the companion looks at, if it looks at one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from neodeskpet.apps.apps import Apps
from neodeskpet.apps.files import Listed, look_into
from neodeskpet.apps.record import Actor
from neodeskpet.language import language, tr
from neodeskpet.ui.notebook.entries import Entry
from neodeskpet.ui.notebook.pane import Pane
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.work import Work

APP = "files"
Opener = Callable[[QUrl], bool]


class FilesBody(QObject):
    """A `PanelBody`. Where the app is open for the companion, both look at one folder."""

    def __init__(
        self,
        theme: Theme,
        apps: Apps,
        work: Work,
        parent: QObject,
        open_url: Opener = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(parent)
        self._apps = apps
        self._work = work
        self._open_url = open_url
        self._own = ""
        self._folder = ""
        self._listed: list[Listed] = []
        self._changed: list[Callable[[], None]] = []
        actions = (("open", "open"), ("up", "chevron-up"), ("trash", "trash"))
        self.pane = Pane(theme, actions, QWidget())
        self.pane.add.hide()
        self.pane.name_actions()
        self.pane.acted.connect(self._act)
        self.pane.list.opened.connect(partial(self._act, "open"))
        self.pane.list.dropped.connect(partial(self._act, "trash"))
        self.pane.list.chosen.connect(self._name_actions)

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self._changed.append(observer)
        return lambda: self._changed.remove(observer)

    async def read(self) -> None:
        self._folder = self._apps.host.opened.get(APP, self._own)
        self._listed = []
        try:
            self._listed = await look_into(self._apps.host.app(APP), self._folder)
        finally:
            self._show()

    def retranslate(self) -> None:
        self._show()

    def _show(self) -> None:
        entries = [_entry(one) for one in self._listed]
        nowhere = tr("No folder is allowed yet: add one in Settings › Files.")
        self.pane.show_entries(entries, tr("It is empty.") if self._folder else nowhere)
        self.pane.note.setText(self._folder)
        self.pane.note.setVisible(bool(self._folder))
        self._name_actions()

    def _name_actions(self) -> None:
        words = {
            "open": tr("Open"),
            "up": tr("Folder above"),
            "trash": tr("Put into the trash"),
        }
        self.pane.set_words(tr("Files"), words)
        self.pane.actions_of["up"].setEnabled(bool(self._folder))
        self.pane.actions_of["trash"].setEnabled(bool(self._folder and self._listed))

    def _act(self, action: str, path: str) -> None:
        found = next((one for one in self._listed if one.path == path), None)
        if action == "up":
            self._work.replace("go", self._go_up)
        elif found is None:
            return
        elif action == "trash" and self._folder:
            act = partial(self._apps.caller.do, Actor.PERSON, APP, "trash", {"path": path})
            self._work.start("trash", act)
        elif found.folder:
            self._work.replace("go", partial(self._go, path))
        elif action == "open":
            self._open_url(QUrl.fromLocalFile(path))

    async def _go(self, path: str) -> None:
        self._own = path
        if APP in self._apps.host.opened:
            await self._apps.host.open(APP, path)
        for told in list(self._changed):
            told()

    async def _go_up(self) -> None:
        """Above an allowed folder there are the allowed folders."""
        roots = {one.path for one in await look_into(self._apps.host.app(APP), "")}
        at_root = self._folder in roots
        await self._go("" if at_root else str(Path(self._folder).parent))


def _entry(one: Listed) -> Entry:
    size = QLocale(language()).formattedDataSize(int(one.size), 1) if one.size else ""
    detail = " · ".join(filter(None, (size, one.changed)))
    sign = "folder" if one.folder else ""
    return Entry(one.path, one.name, detail, sign=sign, whole=one.path)
