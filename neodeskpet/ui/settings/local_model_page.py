"""The settings page of the local model: its file, its state, its memory use, and models to
download.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr, translate_error
from neodeskpet.llm.local.local_errors import ExtraFailed
from neodeskpet.llm.local.local_host import ServerPhase, ServerStatus
from neodeskpet.llm.local.model_download import DownloadableModel, DownloadProgress
from neodeskpet.llm.local.model_file import ModelFile
from neodeskpet.platform.installation import extra_command
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind
from neodeskpet.ui.settings.local_model_download import ModelDownloadRow, format_gigabytes
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import TextEntry
from neodeskpet.ui.widgets.labels import ElidedLabel

SECTION = "local"
FILE = "file"
_POLL_MS = 2000
_WORDS = (N_("Model file"), N_("Local model"), "GGUF", "llama.cpp", "Qwen", "本地模型")


class LocalModelPort(Protocol):
    """The local model that the settings name. Coroutines raise KnownError."""

    @property
    def installed(self) -> bool:
        """Whether the extra that runs models is installed."""
        ...

    async def install(self) -> None:
        """Download the extra and make it usable in this run."""
        ...

    @property
    def used(self) -> bool:
        """Whether the companion uses the local model for the chat."""
        ...

    def condition(self) -> ServerStatus: ...

    async def memory(self) -> int | None:
        """Return the memory that the model uses now, in bytes."""
        ...

    async def read_file(self) -> ModelFile:
        """Return the properties of the chosen file."""
        ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def use(self) -> None:
        """Use the local model for the chat. Raises KnownError."""
        ...

    def downloadable_models(self) -> Sequence[DownloadableModel]: ...

    async def downloaded_bytes(self, offer: DownloadableModel) -> int:
        """Return how many bytes of the file are on this computer."""
        ...

    async def fetch(
        self, offer: DownloadableModel, report: Callable[[DownloadProgress], None]
    ) -> str:
        """Download the model; return the path of its file. If the task is cancelled, the received
        part is kept.
        """
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change of the state. Return a function that ends this."""
        ...


class LocalModelPage(SettingsPage):
    """Shows the file, its state, the models to download, and the fields of the section."""

    def __init__(
        self,
        section: SectionInfo,
        port: SettingsPort,
        local: LocalModelPort,
        theme: Theme,
        folders: DialogFolders,
    ) -> None:
        self.local = local
        self._folders = folders
        self._facts: ModelFile | None = None
        self._memory: int | None = None
        self._dialog: QFileDialog | None = None
        self._work = TaskRunner("local model", failed=self._fail, changed=self._work_changed)
        super().__init__(section, port, theme)
        local.subscribe(self._show_state)  # never unsubscribed: the port ends with the windows
        self._watch = QTimer(self, interval=_POLL_MS)
        self._watch.timeout.connect(self._measure)

    def build(self) -> None:
        stack = search_text((self.section.title, *_WORDS))
        self.file = TextEntry()
        self.choose = QPushButton()
        self.file_row = self._row(SettingsRow(self.theme, self.file, self.choose, stack=stack))
        self.state = ElidedLabel()
        self.state.setProperty("muted", True)
        self.run = QPushButton()
        self.use = QPushButton()
        self.use.setProperty("primary", True)
        self.install = QPushButton()
        self.install.setProperty("primary", True)
        self.state_row = self._row(
            SettingsRow(self.theme, self.run, self.use, self.install, stack=stack)
        )
        self.state_row.below.setAlignment(Qt.AlignmentFlag(0))
        self.state_row.below.addWidget(self.state, 1)
        self.offers = [
            ModelDownloadRow(self.local, offer, self.theme, self._take, stack=stack)
            for offer in self.local.downloadable_models()
        ]
        for row in self.offers:
            self.add_row(row)
        super().build()
        self.file.typed.connect(self._take)
        self.choose.clicked.connect(self._choose)
        self.run.clicked.connect(self._start_or_stop)
        self.use.clicked.connect(self._use)
        self.install.clicked.connect(lambda: self._work.start_once("install", self._install))

    def retranslate(self) -> None:
        super().retranslate()
        self.file_row.title.setText(tr("Model file"))
        self.file.setAccessibleName(tr("Model file"))
        self.file.setPlaceholderText(tr("A GGUF file"))
        self.choose.setText(tr("Choose…"))
        self.choose.setAccessibleName(tr("Choose a model file"))
        self.state_row.title.setText(tr("State"))
        self.use.setText(tr("Chat with it"))
        for row in self.offers:
            row.retranslate()
        self._show_file()
        self._show_state()

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        if section == SECTION and name == FILE:
            self._look()
        if section in (SECTION, "service"):
            self._show_state()

    async def aclose(self) -> None:
        await super().aclose()
        self._watch.stop()
        await self._work.aclose()
        for row in self.offers:
            await row.aclose()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._watch.start()
        QTimer.singleShot(0, self, self._look)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._watch.stop()

    # The file

    def _path(self) -> str:
        return str(self.port.value(SECTION, FILE))

    def _take(self, path: str) -> None:
        try:
            self.port.change(SECTION, FILE, path)
        except KnownError as error:
            self.file_row.set_error(format_error(error))

    def _choose(self) -> None:
        start = self.file.value() or str(self._folders.start_folder(FolderKind.MODELS))
        dialog = QFileDialog(self, tr("Choose a model file"), start)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([tr("Models") + " (*.gguf)", tr("All files") + " (*)"])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(
            lambda path: self._folders.remember(FolderKind.MODELS, Path(path))
        )
        dialog.fileSelected.connect(self._take)
        dialog.open()
        self._dialog = dialog

    def _look(self) -> None:
        """Read the properties of the file; the result for an earlier file is ignored."""
        self._work.replace("look", self._ask)
        for row in self.offers:
            row.refresh()

    async def _ask(self) -> None:
        self._facts = None
        wrong = ""
        if self._path():
            try:
                self._facts = await self.local.read_file()
            except KnownError as error:
                wrong = " ".join((*translate_error(error), error.detail)).strip()
        self.file_row.set_error(wrong)
        self._show_file()
        self._show_state()

    def _show_file(self) -> None:
        self.file.set_value(self._path())
        facts = self._facts
        if facts is None:
            self.file_row.set_note("")
            return
        context = int(str(self.port.value(SECTION, "context")))
        text = tr(
            "{name}, {size} GB; takes about {memory} GB of memory.",
            name=facts.name or facts.architecture,
            size=format_gigabytes(facts.size),
            memory=format_gigabytes(facts.memory(context)),
        )
        if not facts.chats:
            text += " " + tr("It brings no form for conversations and may talk oddly.")
        self.file_row.set_note(text)

    # Its state

    def _work_changed(self) -> None:
        self.install.setEnabled(not self._work.busy("install"))
        self.install.setText(tr("Installing…") if self._work.busy("install") else tr("Install"))

    def _show_state(self) -> None:
        condition = self.local.condition()
        running = condition.phase is not ServerPhase.STOPPED
        self.state.set_text(self._state_words(condition))
        self.run.setText(tr("Stop") if running else tr("Start"))
        ready = bool(self._facts) and self.local.installed
        self.run.setEnabled(running or ready)
        for row in self.offers:
            row.set_usable(self.local.installed)
        used = self.local.used
        self.use.setVisible(not used and self.local.installed)
        self.install.setVisible(not self.local.installed)
        self._work_changed()
        self.install.setAccessibleName(tr("Install the package that runs models"))
        self.use.setEnabled(ready)
        self.state_row.set_note(
            tr("{name} uses it; it starts with the first question.", name=self.companion_name())
            if used
            else ""
        )
        self.state_row.set_error(self._error_text(condition))

    def _state_words(self, condition: ServerStatus) -> str:
        match condition.phase:
            case ServerPhase.STOPPED:
                return tr("Not running")
            case ServerPhase.LOADING:
                text = tr("Loading…")
            case ServerPhase.READY:
                text = tr("Ready")
        if self._memory:
            text += " · " + tr("{count} GB of memory", count=format_gigabytes(self._memory))
        return text

    def _error_text(self, condition: ServerStatus) -> str:
        if not self.local.installed:
            return tr(
                "The package that runs models isn't installed. Press Install, or run {command} in "
                "a terminal and restart NeoDeskPet.",
                command=extra_command("local"),
            )
        error = condition.error
        shown = error is not None and not self.file_row.error_label.text()
        return format_error(error) if error is not None and shown else ""

    def _measure(self) -> None:
        if self.local.condition().phase is not ServerPhase.STOPPED:
            self._work.start_once("weigh", self._weigh)
        elif self._memory:
            self._memory = None
            self._show_state()

    async def _weigh(self) -> None:
        self._memory = await self.local.memory()
        self._show_state()

    def _start_or_stop(self) -> None:
        running = self.local.condition().phase is not ServerPhase.STOPPED
        self._work.start("run", self.local.stop if running else self._started)

    async def _started(self) -> None:
        await self.local.start()
        await self._weigh()

    async def _install(self) -> None:
        await self.local.install()
        self._look()

    def _use(self) -> None:
        try:
            self.local.use()
        except KnownError as error:
            self.state_row.set_error(format_error(error))
        else:
            self._show_state()

    def _fail(self, error: KnownError) -> None:
        self._show_state()
        if isinstance(error, ExtraFailed) or (
            self.local.condition().phase is ServerPhase.STOPPED
            and not self.file_row.error_label.text()
        ):
            self.state_row.set_error(format_error(error))

    def _row(self, row: SettingsRow) -> SettingsRow:
        self.add_row(row)
        return row
