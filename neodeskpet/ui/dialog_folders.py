"""Where a file dialog starts: the person's own folders, and then where they went last time."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Signal


class FolderKind(StrEnum):
    """What is looked for, or written."""

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
    """`chosen(kind, folder)` tells what is to be kept for the next start."""

    chosen = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._kept: dict[FolderKind, Path] = {}

    def restore(self, kind: FolderKind, folder: str) -> None:
        """What was kept. What the person chose since then stays."""
        self._kept.setdefault(kind, Path(folder))

    def start_folder(self, kind: FolderKind) -> Path:
        """The folder to begin in; it exists."""
        standard = QStandardPaths.writableLocation(_STANDARD[kind])
        for folder in (self._kept.get(kind), Path(standard) if standard else None):
            if folder is not None and folder.is_dir():
                return folder
        return Path.home()

    def remember(self, kind: FolderKind, file: Path) -> None:
        """The person chose this file."""
        if self._kept.get(kind) != file.parent:
            self._kept[kind] = file.parent
            self.chosen.emit(kind.value, str(file.parent))
