"""The person's panel of the clipboard: what is in it, which the companion sees only by asking."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from neodeskpet.apps.apps import AppWindows
from neodeskpet.core.wording import N_
from neodeskpet.language import tr, tr_count
from neodeskpet.tools.builtin.clipboard import ClipboardContent
from neodeskpet.ui.notebook.entries import ListEntry
from neodeskpet.ui.notebook.pane import ListPane
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.work import TaskRunner

_SHOWN = 2_000


class ClipboardPanelContent(QObject):
    """A `PanelContent`; `look` tells what is in the clipboard. It raises KnownError."""

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
        self._clip = ClipboardContent()
        try:
            self._clip = await self._look()
        finally:
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
