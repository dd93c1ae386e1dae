"""The row of a model that can be downloaded: what it is, the progress, and a button that cancels or
continues the download.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tr
from neodeskpet.llm.local.model_download import DownloadableModel, DownloadProgress
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import CONTROL_HEIGHT
from neodeskpet.ui.widgets.labels import ElidedLabel

_STEPS = 1000


class ModelDownloadSource(Protocol):
    """The source of the downloads. Coroutines raise KnownError."""

    async def downloaded_bytes(self, offer: DownloadableModel) -> int: ...

    async def fetch(
        self, offer: DownloadableModel, report: Callable[[DownloadProgress], None]
    ) -> str: ...


class ModelDownloadRow(SettingsRow):
    """The row of a model. `take(path)` is called when the user chose the model and its file is
    complete.
    """

    def __init__(
        self,
        source: ModelDownloadSource,
        offer: DownloadableModel,
        theme: Theme,
        take: Callable[[str], None],
        *,
        stack: str,
    ) -> None:
        self.offer = offer
        self._source = source
        self._take = take
        self._kept = 0
        self._progress: DownloadProgress | None = None
        self._work = TaskRunner(f"download {offer.title}", failed=self._fail, changed=self._show)
        self.about = ElidedLabel()
        self.about.setMinimumHeight(CONTROL_HEIGHT)
        self._usable = False
        self.press = QPushButton()
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.hide()
        stack = f"{stack}\n{offer.title.casefold()}"
        super().__init__(theme, self.about, self.press, stack=stack)
        self.below.setAlignment(Qt.AlignmentFlag(0))
        self.below.addWidget(self.bar, 1)
        self.press.clicked.connect(self._pressed)

    @property
    def running(self) -> bool:
        return self._work.busy("fetch")

    def set_usable(self, usable: bool) -> None:
        """Set whether this computer can run models; until then the download is disabled."""
        self._usable = usable
        self._show()

    def refresh(self) -> None:
        """Find out how much of the file is on this computer."""
        if not self.running:
            self._work.replace("look", self._look)

    async def aclose(self) -> None:
        """Cancel a running download; the received part is kept."""
        await self._work.aclose()

    def retranslate(self) -> None:
        self.title.setText(self.offer.title)
        size = format_gigabytes(self.offer.size)
        self.about.set_text(tr("{size} GB · {licence}", size=size, licence=self.offer.licence))
        self._show()

    async def _look(self) -> None:
        self._kept = await self._source.downloaded_bytes(self.offer)

    def _pressed(self) -> None:
        if not self.running:
            self.set_error("")
            self._progress = DownloadProgress(self._kept, self.offer.size)
        self._work.toggle("fetch", self._fetch)

    async def _fetch(self) -> None:
        try:
            self._take(await self._source.fetch(self.offer, self._hear))
        finally:
            self._progress = None
            self._kept = await self._source.downloaded_bytes(self.offer)

    def _fail(self, error: KnownError) -> None:
        self.set_error(format_error(error))

    def _hear(self, progress: DownloadProgress) -> None:
        self._progress = progress
        self._show()

    def _show(self) -> None:
        whole = self._kept >= self.offer.size
        self.bar.setVisible(self._progress is not None)
        if self._progress is not None:
            self.bar.setValue(round(_STEPS * self._progress.done / self._progress.total))
        if self.running:
            self.press.setText(tr("Cancel"))
        elif whole:
            self.press.setText(tr("Choose"))
        else:
            self.press.setText(tr("Go on") if self._kept else tr("Download"))
        self.press.setEnabled(self._usable or self.running)
        self.press.setAccessibleName(f"{self.press.text()} {self.offer.title}")
        self.set_note(self._words())

    def _words(self) -> str:
        now = self._progress
        if now is None:
            if 0 < self._kept < self.offer.size:
                part = f"{100 * self._kept / self.offer.size:.0f}"
                return tr("{part} % are here already.", part=part)
            return tr("It is on this computer.") if self._kept else ""
        if now.checking:
            return tr("Looking at its checksum…")
        return tr(
            "{done} of {total} GB, {rate} MB a second",
            done=format_gigabytes(now.done),
            total=format_gigabytes(now.total),
            rate=f"{now.rate / 1e6:.1f}",
        )


def format_gigabytes(count: int) -> str:
    """Return bytes as gigabytes, with two decimals below 10 GB."""
    return f"{count / 1e9:.2f}" if count < 10e9 else f"{count / 1e9:.0f}"
