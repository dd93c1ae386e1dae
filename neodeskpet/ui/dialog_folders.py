"""The start folder of file dialogs: the user's own folders, and then the last chosen one."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Signal


class FolderKind(StrEnum):
    """The kind of files of a dialog."""

    DOCUMENTS = "documents"
    PICTURES = "pictures"
    FIGURES = "figures"
    MODELS = "models"


_STANDARD = {
    FolderKind.DOCUMENTS: QStandardPaths.StandardLocation.DocumentsLocation,
    FolderKind.PICTURES: QStandardPaths.StandardLocation.PicturesLocation,
    FolderKind.FIGURES: QStandardPaths.StandardLocation.DownloadLocation,
    FolderKind.MODELS: QStandardPaths.StandardLocation.DownloadLocation,
}


class DialogFolders(QObject):
    """Emits `chosen(kind, folder)` when a folder must be stored for the next start."""

    chosen = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._kept: dict[FolderKind, Path] = {}

    def restore(self, kind: FolderKind, folder: str) -> None:
        """Restore a stored folder, unless the user has chosen one since."""
        self._kept.setdefault(kind, Path(folder))

    def start_folder(self, kind: FolderKind) -> Path:
        """Return the start folder; it exists."""
        standard = QStandardPaths.writableLocation(_STANDARD[kind])
        for folder in (self._kept.get(kind), Path(standard) if standard else None):
            if folder is not None and folder.is_dir():
                return folder
        return Path.home()

    def remember(self, kind: FolderKind, file: Path) -> None:
        """Remember the folder of a file that the user chose."""
        if self._kept.get(kind) != file.parent:
            self._kept[kind] = file.parent
            self.chosen.emit(kind.value, str(file.parent))
