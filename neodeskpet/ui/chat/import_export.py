"""Exports one or all conversations as files, prints them, and imports conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, Qt
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QDialog, QFileDialog

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.export_chats.export_format import FILE_ENDINGS
from neodeskpet.conversation.export_chats.exporter import (
    ConversationSource,
    export_all,
    export_conversation,
    file_name,
)
from neodeskpet.conversation.import_chats.chat_importer import (
    ImportedMessages,
    ImportStore,
    interrupted_imports,
    is_foreign_archive,
    keep_interrupted_import,
    undo_import,
)
from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.language import count_conversations, count_messages, format_error, tr
from neodeskpet.storage.chat_export_reader import ImportedConversation, NotAnExport, read_export
from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.dialog_folders import FolderKind
from neodeskpet.ui.rendering.export_formats import ExportFormats
from neodeskpet.ui.rendering.print_job import output_file, serialize_job
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.windows.import_dialog import ImportDialog

_WORK = "export"
_SHORT = 50
"""Exports with fewer messages show no progress."""


class ImportExportStore(ConversationSource, ImportStore, Protocol):
    """What the controller needs from the store. Coroutines raise StoreError."""

    async def import_conversation(self, found: ImportedConversation) -> ConversationInfo: ...

    async def discard_conversations(self, ids: Sequence[str]) -> None: ...


class ImportExportController(QObject):
    """`troubled(what, hint)` receives problems for the user; `forms()` returns the export formats;
    `refresh()` reloads the list of conversations.
    """

    def __init__(
        self,
        chat: Chat,
        store: ImportExportStore,
        window: ChatWindow,
        work: TaskRunner,
        forms: Callable[[], ExportFormats],
        troubled: Callable[[str, str], object],
        refresh: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        super().__init__(window)
        self._import_dialog: ImportDialog | None = None
        self._chat = chat
        self._store = store
        self._window = window
        self._work = work
        self._forms = forms
        self._troubled = troubled
        self._refresh = refresh
        window.export_requested.connect(self._export)
        window.export_all_requested.connect(self._export_all)
        window.print_requested.connect(self._print)
        window.import_requested.connect(self._import)
        window.export_bar.stop_requested.connect(lambda: work.cancel_task(_WORK))
        bar = window.interrupted_bar
        bar.undo_requested.connect(partial(self._settle, self._undo_import))
        bar.keep_requested.connect(partial(self._settle, partial(keep_interrupted_import, store)))

    async def show_interrupted(self) -> None:
        """Show an import that was interrupted, also in an earlier run. Raises StoreError."""
        found = await interrupted_imports(self._store)
        self._window.interrupted_bar.show_import(found[0] if found else None)

    # Export

    def _export(self, kind: str) -> None:
        info = self._chat.conversation
        if info is None:
            return
        ending = FILE_ENDINGS[kind]
        name = file_name(info.title) or "conversation"
        dialog = self._dialog(tr("Export conversation"), f"{name}.{ending}")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ending)
        dialog.fileSelected.connect(
            lambda path: self._work.start(_WORK, partial(self._write, info, kind, Path(path)))
        )
        dialog.open()

    def _export_all(self, kind: str) -> None:
        dialog = self._dialog(tr("Export all conversations into a folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(
            lambda path: self._work.start(_WORK, partial(self._write_all, kind, Path(path)))
        )
        dialog.open()

    def _print(self) -> None:
        info = self._chat.conversation
        if info is None:
            return
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        dialog = QPrintDialog(printer, self._window)
        dialog.setWindowTitle(tr("Print the conversation"))
        dialog.setOption(QPrintDialog.PrintDialogOption.PrintPageRange)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        def take() -> None:
            job, name = serialize_job(printer), printer.printerName()
            self._work.start(_WORK, partial(self._write_on, info, job, name))

        dialog.accepted.connect(take)
        QDialog.open(dialog)  # open() of QPrintDialog requires a slot

    async def _write_on(self, info: ConversationInfo, job: str, name: str) -> None:
        """Print on this printer, or write the file that was chosen in its place."""
        file = output_file(job)

        async def write(forms: ExportFormats, report: Callable[[int], None]) -> Path | None:
            await export_conversation(
                self._store, info, Path(file), forms.printer_maker(job), report
            )
            return Path(file) if file else None

        await self._report_result(write, printer=name)

    async def _write(self, info: ConversationInfo, kind: str, path: Path) -> None:
        async def write(forms: ExportFormats, report: Callable[[int], None]) -> Path:
            await export_conversation(self._store, info, path, forms.maker_for(kind), report)
            return path

        await self._report_result(write)

    async def _write_all(self, kind: str, folder: Path) -> None:
        async def write(forms: ExportFormats, report: Callable[[int], None]) -> Path:
            return await export_all(self._store, folder, kind, forms.maker_for(kind), report)

        await self._report_result(write)

    async def _report_result(
        self,
        write: Callable[[ExportFormats, Callable[[int], None]], Coroutine[Any, Any, Path | None]],
        printer: str = "",
    ) -> None:
        saved, forms = self._window.export_bar, self._forms()
        count = 0

        def report(more: int) -> None:
            nonlocal count
            count += more
            if count > _SHORT:
                saved.show_progress(tr("Exporting: {count} messages", count=str(count)))

        try:
            path = await write(forms, report)
        except OSError as error:
            saved.hide()
            self._troubled(tr("The file could not be written."), str(error))
        except asyncio.CancelledError:
            saved.hide()
            raise
        else:
            if path is None:
                saved.show_printed(printer)
            else:
                self._window.folders.remember(FolderKind.DOCUMENTS, path)
                saved.show_saved(path)
        finally:
            await asyncio.shield(asyncio.to_thread(forms.close))

    # Import

    def _import(self) -> None:
        dialog = self._dialog(tr("Import conversations"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilter(tr("Conversations (*.json *.jsonl *.zip)"))
        dialog.filesSelected.connect(
            lambda paths: self._work.start("import", partial(self._read, paths))
        )
        dialog.open()

    async def _read(self, paths: Sequence[str]) -> None:
        before = self._chat.conversation
        made: list[str] = []
        for path in map(Path, paths):
            if await asyncio.to_thread(is_foreign_archive, path):
                self._look(path)
                continue
            try:
                found = await asyncio.to_thread(read_export, path)
            except NotAnExport as error:
                self._troubled(format_error(error), "")
                continue
            self._window.folders.remember(FolderKind.DOCUMENTS, path)
            made.append((await self._store.import_conversation(found)).id)
        if not made:
            return
        await self._chat.open(made[-1])
        back = partial(self._take_back, made, before)
        self._window.undo.show_undo(
            tr("Imported: {count}", count=str(len(made))),
            lambda: self._work.start("take back", back),
        )

    def _look(self, path: Path) -> None:
        """Show the contents of an archive of another program. One at a time."""
        if self._import_dialog is not None:
            self._import_dialog.reject()
        self._window.folders.remember(FolderKind.DOCUMENTS, path)
        dialog = self._import_dialog = ImportDialog(
            self._window.theme, self._store, path, self._undo_import, self._window
        )
        dialog.imported.connect(self._offer_undo)
        dialog.finished.connect(lambda: self._close_dialog(dialog))
        dialog.open()
        dialog.start()

    def _close_dialog(self, dialog: ImportDialog) -> None:
        if self._import_dialog is dialog:
            self._import_dialog = None

        async def end() -> None:
            await dialog.aclose()
            dialog.deleteLater()
            await self.show_interrupted()

        self._work.start("close an import dialog", end)

    def _offer_undo(self, taken: ImportedMessages) -> None:
        before = self._chat.conversation
        said = tr(
            "Imported {messages} in {conversations}",
            messages=count_messages(taken.count),
            conversations=count_conversations(len(taken.messages)),
        )
        back = partial(self._undo_import, taken, before)
        self._window.undo.show_undo(said, lambda: self._work.start("take back", back))
        self._work.start("list", self._refresh)

    async def _undo_import(
        self, taken: ImportedMessages, before: ConversationInfo | None = None
    ) -> None:
        present = self._chat.conversation
        if present is not None and present.id in taken.messages:
            self._chat.stop()
            await self._chat.wait_idle()
        await undo_import(self._store, taken)
        await self._refresh()
        if present is not None and present.id in taken.messages:
            known = {info.id for info in await self._store.conversations()}
            here = before.id if before is not None and before.id in known else None
            await self._chat.open(present.id if present.id in known else here)

    def _settle(
        self, do: Callable[[ImportedMessages], Coroutine[Any, Any, None]], taken: ImportedMessages
    ) -> None:
        """Run `do` for an interrupted import, unless another process continues it by now."""

        async def settle() -> None:
            try:
                for one in await interrupted_imports(self._store):
                    if one.id == taken.id:
                        await do(one)
            finally:
                await self.show_interrupted()

        self._work.start_once("interrupted import", settle)

    async def _take_back(self, made: Sequence[str], before: ConversationInfo | None) -> None:
        self._chat.stop()
        await self._chat.wait_idle()
        await self._store.discard_conversations(made)
        known = {info.id for info in await self._store.conversations()}
        await self._chat.open(before.id if before is not None and before.id in known else None)

    def _dialog(self, title: str, name: str = "") -> QFileDialog:
        place = self._window.folders.start_folder(FolderKind.DOCUMENTS) / name
        dialog = QFileDialog(self._window, title, str(place))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog
