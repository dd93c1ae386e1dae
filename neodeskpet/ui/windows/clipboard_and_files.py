"""The contents of two app panels: the clipboard, and the folder that the companion has open."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QObject, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import language, tr, tr_count
from neodeskpet.tools.apps.app_windows import AppWindows
from neodeskpet.tools.apps.files_window import FolderEntry, list_folder
from neodeskpet.tools.apps.window_log import Actor
from neodeskpet.tools.builtin.clipboard import ClipboardContent
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.list_pane import ListPane

_SHOWN = 2_000


class ClipboardPanelContent(QObject):
    """A `PanelContent`; `look` returns the content of the clipboard. Raises KnownError."""

    def __init__(
        self,
        look: Callable[[], Awaitable[ClipboardContent]],
        theme: Theme,
        apps: AppWindows,
        work: TaskRunner,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._clip = ClipboardContent()
        self.pane = ListPane(theme, (), QWidget())
        self.pane.add.hide()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        clipboard = QGuiApplication.clipboard()
        clipboard.dataChanged.connect(observer)

        def end() -> None:
            clipboard.dataChanged.disconnect(observer)

        return end

    async def reload(self) -> None:
        """Keep the shown content until the new one is known: it may take a while, and a reload may
        be replaced by the next one.
        """
        try:
            self._clip = await self._look()
        except KnownError:
            self._clip = ClipboardContent()
            self._show()
            raise
        self._show()

    def retranslate(self) -> None:
        self._show()

    def _show(self) -> None:
        self.pane.set_texts(tr("Clipboard"), {})
        self.pane.show_entries(_clipboard_entries(self._clip), tr("The clipboard is empty."))
        self.pane.note.setText(tr("The companion sees this only when you allow it."))
        self.pane.note.show()


def _clipboard_entries(clip: ClipboardContent) -> list[ListEntry]:
    if clip.secret:
        return [ListEntry("secret", "••••••", tr("A password"))]
    if clip.picture is not None:
        return [ListEntry("picture", tr("A picture"), "")]
    if clip.files:
        return [ListEntry(one, one, tr("A file"), tooltip=one) for one in clip.files]
    if not clip.text:
        return []
    line = " ".join(clip.text[:_SHOWN].split())
    count = tr_count(N_("Text, {count} character"), N_("Text, {count} characters"), len(clip.text))
    return [ListEntry("text", line, count, tooltip=clip.text[:_SHOWN])]


APP_ID = "files"
OpenUrl = Callable[[QUrl], bool]


class FilesPanelContent(QObject):
    """A `PanelContent`. If the companion has the app open, both show the same folder.
    `open_settings` shows the settings in which folders are allowed.
    """

    def __init__(
        self,
        open_settings: Callable[[], None],
        theme: Theme,
        apps: AppWindows,
        work: TaskRunner,
        parent: QObject,
        open_url: OpenUrl = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(parent)
        self._apps = apps
        self._work = work
        self._open_url = open_url
        self._own = ""
        self._folder = ""
        self._listed: list[FolderEntry] = []
        self._changed: list[Callable[[], None]] = []
        actions = (("open", "open"), ("up", "chevron-up"), ("trash", "trash"))
        self.pane = ListPane(theme, actions, QWidget())
        self.pane.add.hide()
        self.pane.update_action_labels()
        self.pane.add_requested.connect(open_settings)
        self.pane.action_requested.connect(self._act)
        self.pane.list.opened.connect(partial(self._act, "open"))
        self.pane.list.delete_requested.connect(partial(self._act, "trash"))
        self.pane.list.chosen.connect(self._name_actions)

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self._changed.append(observer)
        return lambda: self._changed.remove(observer)

    async def reload(self) -> None:
        """Keep the shown entries until the new ones are known, so that one that is opened meanwhile
        is found.
        """
        folder = self._apps.host.open_targets.get(APP_ID, self._own)
        try:
            listed = await list_folder(self._apps.host.app(APP_ID), folder)
        except KnownError:
            self._folder, self._listed = folder, []
            self._show()
            raise
        self._folder, self._listed = folder, listed
        self._show()

    def retranslate(self) -> None:
        self._show()

    def _show(self) -> None:
        entries = [_file_entry(one) for one in self._listed]
        nowhere = tr("No folder is allowed yet: add one in Settings › Tools & permissions › Files.")
        self.pane.set_empty_button("" if self._folder else tr("Add a folder…"))
        self.pane.show_entries(entries, tr("It is empty.") if self._folder else nowhere)
        self.pane.note.setText(self._folder)
        self.pane.note.setVisible(bool(self._folder))
        self._name_actions()

    def _name_actions(self) -> None:
        words = {
            "open": tr("Open"),
            "up": tr("Parent folder"),
            "trash": tr("Move to the trash"),
        }
        self.pane.set_texts(tr("Files"), words)
        self.pane.actions_of["up"].setEnabled(bool(self._folder))
        self.pane.actions_of["trash"].setEnabled(bool(self._folder and self._listed))

    def _act(self, action: str, path: str) -> None:
        found = next((one for one in self._listed if one.path == path), None)
        if action == "up":
            self._work.replace("go", self._go_up)
        elif found is None:
            return
        elif action == "trash" and self._folder:
            act = partial(
                self._apps.caller.run_action, Actor.PERSON, APP_ID, "trash", {"path": path}
            )
            self._work.start("trash", act)
        elif found.folder:
            self._work.replace("go", partial(self._go, path))
        elif action == "open":
            self._open_url(QUrl.fromLocalFile(path))

    async def _go(self, path: str) -> None:
        self._own = path
        if APP_ID in self._apps.host.open_targets:
            await self._apps.host.open(APP_ID, path)
        for observer in list(self._changed):
            observer()

    async def _go_up(self) -> None:
        """Go to the parent folder; above an allowed folder is the list of allowed folders."""
        roots = {one.path for one in await list_folder(self._apps.host.app(APP_ID), "")}
        at_root = self._folder in roots
        await self._go("" if at_root else str(Path(self._folder).parent))


def _file_entry(one: FolderEntry) -> ListEntry:
    size = QLocale(language()).formattedDataSize(int(one.size), 1) if one.size else ""
    detail = " · ".join(filter(None, (size, one.changed)))
    sign = "folder" if one.folder else ""
    return ListEntry(one.path, one.name, detail, icon=sign, tooltip=one.path)
