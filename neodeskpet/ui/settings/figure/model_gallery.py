"""The models to choose from, as tiles, and the import by a button or by dropping a folder
or zip.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QImage, QPixmap
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tr
from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind
from neodeskpet.ui.pet.gl_surface import opaque_bounds
from neodeskpet.ui.settings.figure.figure_ports import ModelChoice, ModelsPort
from neodeskpet.ui.settings.figure.model_tile import ModelTileButton, import_tile
from neodeskpet.ui.task_runner import CoroutineFactory, TaskRunner
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.choice_tile import FlowGrid
from neodeskpet.ui.widgets.controls import local_files
from neodeskpet.ui.widgets.labels import ErrorLabel, PlainLabel, set_tooltip

_KINDS = (
    "*.zip",
    "*.model3.json",
    "*.model.json",
    "model.json",
    "pet.json",
    "actions.xml",
    "*.png",
    "*.apng",
    "*.webp",
    "*.gif",
)
"""Name patterns of the files that can contain a figure."""


class ModelGallery(QWidget):
    """Signal: `chosen(path)`: the model on the desktop, whose details are shown. `before` runs
    before a model is imported, chosen or removed.
    """

    chosen = Signal(str)

    def __init__(
        self, port: ModelsPort, theme: Theme, folders: DialogFolders, before: CoroutineFactory
    ) -> None:
        super().__init__()
        self._folders = folders
        self._port = port
        self._before = before
        self._theme = theme
        self._current = ""
        self._removed = False
        self._tiles: dict[str, ModelTileButton] = {}
        self._models: dict[str, ModelChoice] = {}
        self._pictured: set[str] = set()
        self._looking = TaskRunner("list of models", failed=self._fail)
        self._job = TaskRunner("models", failed=self._fail, changed=self._look_at_job)
        self._dialog: QFileDialog | None = None
        self.flow = FlowGrid()
        self.bring = import_tile(theme)
        self.bring.clicked.connect(self._ask_for_files)
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.state = PlainLabel()
        self.state.setProperty("muted", True)
        self.state.setWordWrap(True)
        self.wrong = ErrorLabel()
        self.remove = QPushButton()
        self.sure = QPushButton()
        self.sure.setProperty("danger", True)
        self.keep = QPushButton()
        self.folder = QPushButton()
        self.stop = QPushButton()
        self._lay_out()
        self._connect()
        self.setAcceptDrops(True)
        self.retranslate()
        self._show_job("")

    async def aclose(self) -> None:
        """Cancel all tasks. Nothing is started or shown after that."""
        await self._job.aclose()
        await self._looking.aclose()

    def refresh(self, current: str) -> None:
        """List the models again; `current` is the one on the desktop."""
        self._current = current
        self._mark()
        self._looking.replace("list", self._list)

    def set_current(self, current: str) -> None:
        """Mark another model as the one on the desktop."""
        self._current = current
        if current in self._models:
            self._mark()
        else:
            self.refresh(current)

    def show_error(self, text: str) -> None:
        self.wrong.set_error(text)

    def import_model(self, source: Path) -> None:
        """Import a folder, zip or settings file, and choose the new model. Does nothing while
        another task of the gallery runs.
        """
        if not self._job.busy():
            self._start(partial(self._bring, source), tr("Checking {name}…", name=source.name))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for tile in (*self._tiles.values(), self.bring):
            tile.set_theme(theme)
        small = ui_font(theme, theme.small_px)
        self.state.setFont(small)
        self.wrong.setFont(small)

    def retranslate(self) -> None:
        self.bring.set_title(tr("Import…"))
        tip = tr(
            "A Live2D model, a Codex pet or a Shimeji pack (zip), or a picture; or drop it here."
        )
        set_tooltip(self.bring, tip)
        self.folder.setText(tr("Import a folder…"))
        self.remove.setText(tr("Remove…"))
        self.sure.setText(tr("Remove it"))
        self.keep.setText(tr("Keep it"))
        self.stop.setText(tr("Stop"))
        self._name_tiles()

    # Mouse and keyboard

    def _ask_for_files(self) -> None:
        self._open_dialog(QFileDialog.FileMode.ExistingFile)

    def _open_dialog(self, mode: QFileDialog.FileMode) -> None:
        start = str(self._folders.start_folder(FolderKind.FIGURES))
        dialog = QFileDialog(self, tr("Import a figure"), start)
        dialog.setFileMode(mode)
        if mode is QFileDialog.FileMode.Directory:
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        else:
            dialog.setNameFilter(f"{tr('Figures')} ({' '.join(_KINDS)})")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._take)
        dialog.open()
        self._dialog = dialog

    def _take(self, path: str) -> None:
        self._folders.remember(FolderKind.FIGURES, Path(path))
        self.import_model(Path(path))

    def _press(self, path: str) -> None:
        self._mark()
        if path != self._current and not self._job.busy():
            title = self._models[path].title
            self._start(partial(self._choose, path), tr("Checking {name}…", name=title))

    def _ask(self, asking: bool) -> None:
        removable = self._current in self._models and self._models[self._current].removable
        idle = not self._job.busy()
        self.remove.setVisible(removable and idle and not asking)
        self.folder.setVisible(idle and not asking)
        self.sure.setVisible(asking)
        self.keep.setVisible(asking)
        if asking:
            self.show_error("")
            title = self._models[self._current].title
            self.state.setText(tr("Delete {name} from this computer?", name=title))
            self.keep.setFocus()
        elif idle:
            self.state.setText("")
        self.state.setVisible(bool(self.state.text()))

    # Drag and drop

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()) and not self._job.busy():
            event.acceptProposedAction()
            self.bring.setDown(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.bring.setDown(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self.bring.setDown(False)
        paths = local_files(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.import_model(paths[0])

    # Tasks

    async def _list(self) -> None:
        self._show_tiles(await self._port.tiles())
        self.chosen.emit(self._current)
        for path in list(self._models):
            if path not in self._pictured and not self._models[path].problem:
                await self._picture(path)

    async def _picture(self, path: str) -> None:
        tile = self._tiles[path]
        try:
            file = await self._port.picture(path)
        except KnownError as error:
            tile.set_error(format_error(error))
            return
        if self._tiles.get(path) is tile:
            tile.set_picture(_without_margins(QImage(str(file))))
            self._pictured.add(path)

    async def _bring(self, source: Path) -> None:
        path = await self._port.add(source)
        await self._port.choose(path)
        self._current = path
        self._looking.replace("list", self._list)

    async def _choose(self, path: str) -> None:
        await self._port.choose(path)
        self._current = path
        self._mark()
        self.chosen.emit(path)

    async def _remove(self, path: str) -> None:
        await self._port.remove(path)
        if self._current == path:
            self._current = ""
        self._pictured.discard(path)
        self._removed = True
        self._looking.replace("list", self._list)

    def _start(self, work: CoroutineFactory, state: str) -> None:
        """Start an import, a choice or a removal, and show `state` while it runs."""
        self.show_error("")
        self._job.start("change", partial(self._change, work))
        self._show_job(state)

    async def _change(self, work: CoroutineFactory) -> None:
        await self._before()
        await work()

    def _fail(self, error: KnownError) -> None:
        self.show_error(format_error(error))

    def _look_at_job(self) -> None:
        if not self._job.busy():
            self._show_job("")

    def _show_job(self, state: str) -> None:
        self.busy.setVisible(bool(state))
        self.stop.setVisible(bool(state))
        self.state.setText(state)
        self.bring.setEnabled(not state)
        self._ask(False)

    # Display

    def _show_tiles(self, models: Sequence[ModelChoice]) -> None:
        self._models = {model.path: model for model in models}
        for path in [path for path in self._tiles if path not in self._models]:
            del self._tiles[path]
        for path in self._models:
            if path not in self._tiles:
                tile = ModelTileButton(self._theme, "")
                tile.clicked.connect(lambda _=False, pressed=path: self._press(pressed))
                self._tiles[path] = tile
        self.flow.set_widgets([*(self._tiles[path] for path in self._models), self.bring])
        self._name_tiles()
        self._mark()
        if self._removed:  # the pressed button is hidden and lost the focus
            self._removed = False
            self._tiles.get(self._current, self.bring).setFocus(Qt.FocusReason.OtherFocusReason)

    def _name_tiles(self) -> None:
        for path, model in self._models.items():
            self._tiles[path].set_title(model.title)
            self._tiles[path].set_error(model.problem)

    def _mark(self) -> None:
        for path, tile in self._tiles.items():
            tile.setChecked(path == self._current)
        self._ask(False)

    def _lay_out(self) -> None:
        self.flow.set_widgets([self.bring])
        line = QHBoxLayout()
        line.setSpacing(8)
        for button in (self.stop, self.folder, self.remove, self.sure, self.keep):
            line.addWidget(button)
        line.addStretch()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addWidget(self.flow)
        box.addWidget(self.busy)
        box.addWidget(self.state)
        box.addWidget(self.wrong)
        box.addLayout(line)

    def _connect(self) -> None:
        self.folder.clicked.connect(lambda: self._open_dialog(QFileDialog.FileMode.Directory))
        self.remove.clicked.connect(lambda: self._ask(True))
        self.keep.clicked.connect(lambda: self._ask(False))
        self.stop.clicked.connect(lambda: self._job.cancel_task("change"))
        self.sure.clicked.connect(
            lambda: self._start(partial(self._remove, self._current), tr("Removing…"))
        )


def _without_margins(image: QImage) -> QPixmap:
    """Return the picture without its transparent margins."""
    box = opaque_bounds(image) if not image.isNull() else None
    if box is not None:
        image = image.copy(int(box.left), int(box.top), int(box.width), int(box.height))
    return QPixmap.fromImage(image)
