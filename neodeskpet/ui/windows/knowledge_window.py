"""The window of the knowledge base: its sources, their progress and errors, search, and removal.
Files, folders and addresses can be dropped on the window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.documents.web.addresses import is_web
from neodeskpet.language import format_error, tr
from neodeskpet.memory.knowledge.knowledge_types import (
    DocumentText,
    IndexingProgress,
    KnowledgeHit,
    KnowledgeSource,
    KnownFile,
    SourceKind,
    missing_content_lines,
)
from neodeskpet.platform.text_encoding import OFFERED_ENCODINGS
from neodeskpet.ui.commands import Command, bind_shortcuts
from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind
from neodeskpet.ui.formatting import printable, single_line
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import local_files
from neodeskpet.ui.widgets.entry_list import EntryList, ListEntry
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip
from neodeskpet.ui.widgets.search_field import SearchField
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.side_window import RefreshOnShow, SideWindowLayout, muted_label
from neodeskpet.ui.windows.window_geometry import bring_to_front


class KnowledgePort(Protocol):
    """The knowledge base. Coroutines raise KnownError."""

    @property
    def progress(self) -> IndexingProgress: ...

    async def sources(self) -> list[KnowledgeSource]: ...

    async def unreadable_files(self, source: str) -> list[KnownFile]:
        """Return the files of a source that can't be read, with the reasons."""
        ...

    async def incomplete_files(self, source: str) -> list[KnownFile]:
        """Return the files of a source that were read incompletely."""
        ...

    async def encoding_of(self, source: str) -> str:
        """Return the encoding of a file that was added by itself; "" if it isn't text."""
        ...

    async def set_encoding(self, source: str, encoding: str) -> None:
        """Decode the file in another encoding, "" to detect it."""
        ...

    async def search(self, text: str) -> list[KnowledgeHit]: ...

    async def document_text(self, file: str) -> DocumentText | None:
        """Return the text of a document; None if it no longer exists."""
        ...

    async def add_path(self, path: Path) -> str: ...

    async def add_page(self, address: str) -> str: ...

    async def remove(self, source: str) -> bool: ...

    async def refresh(self, source: KnowledgeSource) -> None:
        """Read a source again, even if it hasn't changed."""
        ...

    async def pause(self, paused: bool) -> None: ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` when sources, files or the progress change; return a function that
        unsubscribes.
        """
        ...


TITLE = N_("Knowledge base")
MIN_SIZE = (380, 440)
_TYPING_MS = 150
_PACE_MS = 200
"""Minimum time between updates of the display; a thousand files report progress faster."""
_DETAILS = 96

COMMANDS = (Command("find", N_("Find"), keys=("Ctrl+F",), hidden_in_palette=True),)


class KnowledgeWindow(QWidget):
    """`document_requested(file id, passage id)`: the user wants to read this passage."""

    document_requested = Signal(str, str)

    def __init__(self, theme: Theme, port: KnowledgePort, folders: DialogFolders) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self._port = port
        self._folders = folders
        self._sources: dict[str, KnowledgeSource] = {}
        self._hits: dict[str, KnowledgeHit] = {}
        self._work = TaskRunner("knowledge", failed=self._fail)
        self._frame = SideWindowLayout(self, "knowledge", TITLE, MIN_SIZE)
        self.about = muted_label()
        self.search = SearchField(theme)
        self.list = EntryList(theme)
        self.empty = muted_label(centred=True)
        self.details = QPlainTextEdit()
        self.details.setReadOnly(True)
        self.details.setTabChangesFocus(True)
        self.details.setFixedHeight(_DETAILS)
        self.refresh_button, self.remove_button, self.encoding = (
            QPushButton(),
            QPushButton(),
            QPushButton(),
        )
        self.encoding.setMenu(self._encodings())
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.status_label = PlainLabel()
        self.status_label.setProperty("muted", True)
        self.pause = QPushButton()
        self.add_files_button, self.add_folder_button, self.add_page_button = (
            QPushButton(),
            QPushButton(),
            QPushButton(),
        )
        self.address_field = QLineEdit()
        self.address_field.setMaxLength(2000)
        for button in (self.refresh_button, self.remove_button, self.encoding, self.pause):
            button.setProperty("quiet", True)
        self.undo = UndoBar(theme)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._pace = QTimer(self, singleShot=True, interval=_PACE_MS)
        self._lay_out()
        RefreshOnShow(self, read=self._refresh, back=self._back)
        self._connect()
        self.set_theme(theme)
        self.retranslate()
        self.resize(580, 620)

    def present(self) -> None:
        """Show the window in front."""
        bring_to_front(self)
        self.search.setFocus()

    async def aclose(self) -> None:
        """Stop the window's tasks, timers and subscription."""
        self._unobserve()
        self._typing.stop()
        self._pace.stop()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(
            theme,
            f"QProgressBar {{ background: {theme.line}; border: none; border-radius: 3px; }}"
            f"QProgressBar::chunk {{ background: {theme.accent}; border-radius: 3px; }}",
        )
        for part in (self.search, self.list, self.undo):
            part.set_theme(theme)

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.about.setText(
            tr(
                "Passages that match a question are sent with it, and the reply names "
                "their source. Until then the documents stay on this computer."
            )
        )
        self.search.set_placeholder(tr("Search the documents"))
        self.list.setAccessibleName(tr(TITLE))
        self.details.setAccessibleName(tr("Details"))
        self.refresh_button.setText(tr("Read again"))
        set_tooltip(self.refresh_button, tr("Reads everything again, including unchanged files."))
        self.encoding.setText(tr("Decode as"))
        set_tooltip(
            self.encoding, tr("Reads the file in another encoding, if its characters look wrong.")
        )
        self._guess.setText(tr("Detect automatically"))
        self.remove_button.setText(tr("Remove"))
        set_tooltip(
            self.remove_button,
            tr("Removes it from the knowledge base. The files are not changed."),
        )
        self.add_files_button.setText(tr("Add files…"))
        self.add_folder_button.setText(tr("Add a folder…"))
        self.add_page_button.setText(tr("Add page"))
        self.address_field.setPlaceholderText(tr("Address of a web page"))
        self.address_field.setAccessibleName(tr("Address of a web page"))
        self.undo.retranslate()
        self._refresh()

    # Layout

    def _lay_out(self) -> None:
        frame = self._frame
        frame.add(self.about)
        frame.add(self.search)
        frame.add(self.list, 1)
        frame.add(self.empty, 1)
        frame.add(self.details)
        frame.row(self.refresh_button, self.remove_button, self.encoding, None, spacing=6)
        frame.row(self.status_label, self.pause, wide=self.status_label, spacing=10)
        frame.add(self.bar)
        frame.row(self.add_files_button, self.add_folder_button, None, spacing=8)
        frame.row(self.address_field, self.add_page_button, wide=self.address_field, spacing=8)
        frame.add(self.undo)

    def _connect(self) -> None:
        self.search.textChanged.connect(lambda _text: self._typing.start())
        self._typing.timeout.connect(self._refresh)
        self._pace.timeout.connect(self._refresh)
        self.list.chosen.connect(self._choose)
        self.list.opened.connect(self._open)
        self.list.delete_requested.connect(self._drop)
        self.refresh_button.clicked.connect(self._read_again)
        self.remove_button.clicked.connect(lambda: self._drop(self.list.current_id()))
        self.pause.clicked.connect(self._toggle)
        self.add_files_button.clicked.connect(self.choose_files)
        self.add_folder_button.clicked.connect(self.choose_folder)
        self.add_page_button.clicked.connect(self._add_page)
        self.address_field.returnPressed.connect(self._add_page)
        self._unobserve = self._port.subscribe(self._hear)
        bind_shortcuts(COMMANDS, self, {"find": self.search.setFocus})

    def _back(self) -> bool:
        searched = bool(self.search.text())
        self.search.clear()
        return searched

    # Content

    def _hear(self) -> None:
        if self.isVisible() and not self._pace.isActive():
            self._pace.start()

    def _refresh(self) -> None:
        self._show_progress()
        if self.isVisible():  # otherwise it is loaded when it is shown
            self._work.replace("read", self._read)

    async def _read(self) -> None:
        asked = self.search.text().strip()
        if asked:
            self._show_hits(await self._port.search(asked))
        else:
            self._show_sources(await self._port.sources())
        await self._tell_chosen()

    def _show_hits(self, hits: Sequence[KnowledgeHit]) -> None:
        self._hits = {one.passage.id: one for one in hits}
        self._sources = {}
        self._show_entries(
            [_result_entry(one) for one in hits], tr("No passage of the documents matches.")
        )

    def _show_sources(self, sources: Sequence[KnowledgeSource]) -> None:
        self._hits = {}
        self._sources = {one.id: one for one in sources}
        nothing = tr(
            "There are no documents yet. Drop files or folders on this window, or add"
            " them below: text, Markdown, PDF, Word, Excel, PowerPoint, OpenDocument,"
            " HTML, EPUB and code."
        )
        self._show_entries([_entry(one) for one in sources], nothing)

    def _show_entries(self, entries: Sequence[ListEntry], nothing: str) -> None:
        self.list.show_entries_or_text(entries, self.empty)
        self.empty.setText(nothing)

    def _choose(self) -> None:
        self._work.replace("details", self._tell_chosen)

    async def _tell_chosen(self) -> None:
        """Show information about the selected row."""
        chosen = self.list.current_id()
        source = self._sources.get(chosen)
        hit = self._hits.get(chosen)
        for button in (self.refresh_button, self.remove_button):
            button.setVisible(source is not None)
        if source is None:
            self.encoding.hide()
        text = hit.passage.text.strip() if hit is not None else ""
        if source is not None:
            refused = await self._port.unreadable_files(source.id)
            incomplete = await self._port.incomplete_files(source.id)
            encoding = await self._port.encoding_of(source.id)
            text = _details(source, missing_content_lines(source, refused, incomplete), encoding)
            self.encoding.setVisible(bool(encoding))
        self.details.setVisible(bool(text))
        if self.details.toPlainText() != text:
            self.details.setPlainText(text)

    def _show_progress(self) -> None:
        now = self._port.progress
        self.bar.setVisible(now.working)
        self.bar.setRange(0, max(now.total, 1))
        self.bar.setValue(now.indexed)
        self.pause.setVisible(now.working or now.paused)
        self.pause.setText(tr("Go on") if now.paused else tr("Pause"))
        numbers = {"done": str(now.indexed), "total": str(now.total)}
        if now.paused:
            self.status_label.setText(tr("Reading is paused."))
        elif now.working:
            name = single_line(printable(now.name), 40)
            self.status_label.setText(tr("Reading {done} of {total}: {name}", name=name, **numbers))
        else:
            self.status_label.setText("")
        self.status_label.setVisible(now.working or now.paused)

    # Actions of the user

    def _open(self, chosen: str) -> None:
        hit = self._hits.get(chosen)
        if hit is not None:
            self.document_requested.emit(hit.file, hit.passage.id)

    def _read_again(self) -> None:
        source = self._sources.get(self.list.current_id())
        if source is not None:
            self._work.start_once("again", partial(self._port.refresh, source))

    def _encodings(self) -> QMenu:
        """Return the menu of encodings."""
        menu = QMenu(self)
        self._guess = menu.addAction("")
        self._guess.triggered.connect(lambda: self._decode(""))
        for name in OFFERED_ENCODINGS:
            menu.addAction(name).triggered.connect(partial(self._decode, name))
        return menu

    def _decode(self, encoding: str, _checked: bool = False) -> None:
        source = self._sources.get(self.list.current_id())
        if source is not None:
            self._work.start_once("encoding", partial(self._port.set_encoding, source.id, encoding))

    def _drop(self, chosen: str) -> None:
        source = self._sources.get(chosen)
        if source is not None:
            self._work.start(f"drop {chosen}", partial(self._remove, source))

    async def _remove(self, source: KnowledgeSource) -> None:
        await self._port.remove(source.id)
        words = tr("Removed: {name}", name=single_line(printable(source.address), 60))
        self.undo.show_undo(words, lambda: self._add_again(source))

    def _add_again(self, source: KnowledgeSource) -> None:
        page = source.kind is SourceKind.PAGE
        self.add_addresses([source.address] if page else [])
        self.add_paths([] if page else [Path(source.address)])

    def _toggle(self) -> None:
        paused = not self._port.progress.paused
        self._work.start_once("pause", partial(self._port.pause, paused))

    def _add_page(self) -> None:
        address = self.address_field.text().strip()
        if address and "://" not in address:
            address = f"https://{address}"
        if not address:
            return
        if not is_web(address):
            self.undo.show_text(tr("This isn't the address of a web page."))
            return
        self.address_field.clear()
        self.add_addresses([address])

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Add files and folders."""
        for path in paths:
            self._work.start("add", partial(self._port.add_path, path))

    def add_addresses(self, addresses: Sequence[str]) -> None:
        for address in addresses:
            self._work.start("add", partial(self._port.add_page, address))

    def choose_files(self) -> QFileDialog:
        return self._choose_with(QFileDialog.FileMode.ExistingFiles, tr("Add files"))

    def choose_folder(self) -> QFileDialog:
        return self._choose_with(QFileDialog.FileMode.Directory, tr("Add a folder"))

    def _choose_with(self, mode: QFileDialog.FileMode, title: str) -> QFileDialog:
        dialog = QFileDialog(self, title, str(self._folders.start_folder(FolderKind.DOCUMENTS)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(mode)
        if mode is QFileDialog.FileMode.Directory:
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.filesSelected.connect(self._take)
        dialog.open()
        return dialog

    def _take(self, names: Sequence[str]) -> None:
        paths = [Path(name) for name in names]
        if paths:
            self._folders.remember(FolderKind.DOCUMENTS, paths[0])
        self.add_paths(paths)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(_dropped(event.mimeData())):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths, addresses = _dropped(event.mimeData())
        event.acceptProposedAction()
        self.add_paths(paths)
        self.add_addresses(addresses)

    def _fail(self, error: KnownError) -> None:
        self.undo.show_text(format_error(error))


def _dropped(data: QMimeData) -> tuple[list[Path], list[str]]:
    """Return the local files and the web addresses of a drop."""
    paths = local_files(data)
    text = data.text().strip()
    addresses = [url.toString() for url in data.urls() if is_web(url.toString())]
    return paths, addresses or ([text] if is_web(text) and not paths else [])


def _entry(one: KnowledgeSource) -> ListEntry:
    name = one.title or (one.address if one.kind is SourceKind.PAGE else Path(one.address).name)
    numbers = {"files": str(one.files), "passages": str(one.passages)}
    detail = tr("Files: {files} · passages: {passages}", **numbers)
    if one.kind is not SourceKind.FOLDER:
        detail = tr("Passages: {passages}", **numbers)
    if one.fault:
        detail = tr(one.fault)
    ends = [tr("{count} can't be read", count=str(one.refused))] if one.refused else []
    if one.incomplete:
        ends.append(tr("{count} incomplete", count=str(one.incomplete)))
    sign = {SourceKind.FOLDER: "folder", SourceKind.PAGE: "link", SourceKind.FILE: "notebook"}[
        one.kind
    ]
    return ListEntry(
        one.id,
        single_line(printable(name or one.address)),
        single_line(printable(detail)),
        " · ".join(ends),
        "warning" if one.fault else sign,
        printable(one.address),
        needs_attention=bool(one.fault or one.refused or one.incomplete),
    )


def _result_entry(one: KnowledgeHit) -> ListEntry:
    said = single_line(printable(" ".join(one.passage.text.split())), 160)
    return ListEntry(one.passage.id, single_line(printable(one.label)), said, icon="notebook")


def _details(source: KnowledgeSource, gaps: Sequence[str], encoding: str) -> str:
    lines = [source.address]
    lines += [tr(source.fault)] if source.fault else []
    lines += gaps
    if encoding and encoding != "utf-8":
        lines.append(tr("Read as {encoding}.", encoding=encoding))
    return "\n".join(printable(line) for line in lines)
