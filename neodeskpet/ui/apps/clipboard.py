"""The person's panel of the clipboard: what is in it, which the companion sees only by asking."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from neodeskpet.apps.apps import Apps
from neodeskpet.core.wording import N_
from neodeskpet.language import tr, tr_count
from neodeskpet.tools.builtin.clipboard import Clip
from neodeskpet.ui.notebook.entries import Entry
from neodeskpet.ui.notebook.pane import Pane
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.work import Work

_SHOWN = 2_000


class ClipboardBody(QObject):
    """A `PanelBody`; `look` tells what is in the clipboard. It raises KnownError."""

    def __init__(
        self,
        look: Callable[[], Awaitable[Clip]],
        theme: Theme,
        apps: Apps,
        work: Work,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._clip = Clip()
        self.pane = Pane(theme, (), QWidget())
        self.pane.add.hide()

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        clipboard = QGuiApplication.clipboard()
        clipboard.dataChanged.connect(observer)

        def end() -> None:
            clipboard.dataChanged.disconnect(observer)

        return end

    async def read(self) -> None:
        self._clip = Clip()
        try:
            self._clip = await self._look()
        finally:
            self._show()

    def retranslate(self) -> None:
        self._show()

    def _show(self) -> None:
        self.pane.set_words(tr("Clipboard"), {})
        self.pane.show_entries(_entries(self._clip), tr("The clipboard is empty."))
        self.pane.note.setText(tr("The companion sees this only when you allow it."))
        self.pane.note.show()


def _entries(clip: Clip) -> list[Entry]:
    if clip.secret:
        return [Entry("secret", "••••••", tr("A password"))]
    if clip.picture is not None:
        return [Entry("picture", tr("A picture"), "")]
    if clip.files:
        return [Entry(one, one, tr("A file"), whole=one) for one in clip.files]
    if not clip.text:
        return []
    line = " ".join(clip.text[:_SHOWN].split())
    count = tr_count(N_("Text, {count} character"), N_("Text, {count} characters"), len(clip.text))
    return [Entry("text", line, count, whole=clip.text[:_SHOWN])]
