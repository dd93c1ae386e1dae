"""The knowledge base: what was added, how far it is read and what can't be; searched, and removed.

Files, folders and addresses can be dropped on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

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
from neodeskpet.core.wording import N_
from neodeskpet.encodings import OFFERED
from neodeskpet.language import explain, tr
from neodeskpet.memory.knowledge.gaps import gap_lines
from neodeskpet.memory.knowledge.library import Hit, Source, SourceKind
from neodeskpet.ui.chat.items.wording import one_line, printable
from neodeskpet.ui.folders import Folders, Kind
from neodeskpet.ui.knowledge.port import KnowledgePort
from neodeskpet.ui.notebook.entries import Entry, EntryList
from neodeskpet.ui.palette.commands import Command, bind
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.label import PlainLabel, set_tip
from neodeskpet.ui.widgets.search_field import SearchField
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.frame import Frame, muted
from neodeskpet.ui.windows.place import bring_forward
from neodeskpet.ui.windows.presence import Presence
from neodeskpet.ui.work import Work
from neodeskpet.web.addresses import is_web

TITLE = N_("Knowledge base")
LEAST = (380, 440)
_TYPING_MS = 150
_PACE_MS = 200
"""A thousand files tell of themselves faster than anybody reads."""
_DETAILS = 96

COMMANDS = (Command("find", N_("Find"), keys=("Ctrl+F",), quiet=True),)


class KnowledgeWindow(QWidget):
    """`wanted(file id, passage id)`: the person wants to read there."""

    wanted = Signal(str, str)

    def __init__(self, theme: Theme, port: KnowledgePort, folders: Folders) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self._port = port
        self._folders = folders
        self._sources: dict[str, Source] = {}
        self._hits: dict[str, Hit] = {}
        self._work = Work("knowledge", failed=self._fail)
        self._frame = Frame(self, "knowledge", TITLE, LEAST)
        self.about = muted()
        self.search = SearchField(theme)
        self.list = EntryList(theme)
        self.empty = muted(centred=True)
        self.details = QPlainTextEdit()
        self.details.setReadOnly(True)
        self.details.setTabChangesFocus(True)
        self.details.setFixedHeight(_DETAILS)
        self.again, self.drop, self.encoding = QPushButton(), QPushButton(), QPushButton()
        self.encoding.setMenu(self._encodings())
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.state = PlainLabel()
        self.state.setProperty("muted", True)
        self.pause = QPushButton()
        self.files, self.folder, self.page = QPushButton(), QPushButton(), QPushButton()
        self.field = QLineEdit()
        self.field.setMaxLength(2000)
        for button in (self.again, self.drop, self.encoding, self.pause):
            button.setProperty("quiet", True)
        self.undo = UndoBar(theme)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._pace = QTimer(self, singleShot=True, interval=_PACE_MS)
        self._lay_out()
        Presence(self, read=self._refresh, back=self._back)
        self._connect()
        self.set_theme(theme)
        self.retranslate()
        self.resize(580, 620)

    def present(self) -> None:
        """Show the window in front."""
        bring_forward(self)
        self.search.setFocus()

    async def finish(self) -> None:
        """Before the window goes."""
        self._unobserve()
        self._typing.stop()
        self._pace.stop()
        await self._work.close()

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
                "What fits a question in these documents is sent along with it, and the answer "
                "names its source. They stay on this computer until then."
            )
        )
        self.search.set_words(tr("Search the documents"))
        self.list.setAccessibleName(tr(TITLE))
        self.details.setAccessibleName(tr("Details"))
        self.again.setText(tr("Read again"))
        set_tip(self.again, tr("Reads all of it anew, also what hasn't changed."))
        self.encoding.setText(tr("Decode as"))
        set_tip(self.encoding, tr("If its letters look wrong: reads it in another encoding."))
        self._guess.setText(tr("Find it out"))
        self.drop.setText(tr("Remove"))
        set_tip(self.drop, tr("Takes it out of the knowledge base. The files stay as they are."))
        self.files.setText(tr("Add files…"))
        self.folder.setText(tr("Add a folder…"))
        self.page.setText(tr("Add page"))
        self.field.setPlaceholderText(tr("Address of a web page"))
        self.field.setAccessibleName(tr("Address of a web page"))
        self.undo.retranslate()
        self._refresh()

    # Building

    def _lay_out(self) -> None:
        frame = self._frame
        frame.add(self.about)
        frame.add(self.search)
        frame.add(self.list, 1)
        frame.add(self.empty, 1)
        frame.add(self.details)
        frame.row(self.again, self.drop, self.encoding, None, spacing=6)
        frame.row(self.state, self.pause, wide=self.state, spacing=10)
        frame.add(self.bar)
        frame.row(self.files, self.folder, None, spacing=8)
        frame.row(self.field, self.page, wide=self.field, spacing=8)
        frame.add(self.undo)

    def _connect(self) -> None:
        self.search.textChanged.connect(lambda _text: self._typing.start())
        self._typing.timeout.connect(self._refresh)
        self._pace.timeout.connect(self._refresh)
        self.list.chosen.connect(self._choose)
        self.list.opened.connect(self._open)
        self.list.dropped.connect(self._drop)
        self.again.clicked.connect(self._read_again)
        self.drop.clicked.connect(lambda: self._drop(self.list.current_id()))
        self.pause.clicked.connect(self._toggle)
        self.files.clicked.connect(self.choose_files)
        self.folder.clicked.connect(self.choose_folder)
        self.page.clicked.connect(self._add_page)
        self.field.returnPressed.connect(self._add_page)
        self._unobserve = self._port.observe(self._hear)
        bind(COMMANDS, self, {"find": self.search.setFocus})

    def _back(self) -> bool:
        searched = bool(self.search.text())
        self.search.clear()
        return searched

    # What there is

    def _hear(self) -> None:
        if self.isVisible() and not self._pace.isActive():
            self._pace.start()

    def _refresh(self) -> None:
        self._show_progress()
        if self.isVisible():  # else it is read when it is shown
            self._work.replace("read", self._read)

    async def _read(self) -> None:
        asked = self.search.text().strip()
        if asked:
            self._show_hits(await self._port.search(asked))
        else:
            self._show_sources(await self._port.sources())
        await self._tell_chosen()

    def _show_hits(self, hits: Sequence[Hit]) -> None:
        self._hits = {one.passage.id: one for one in hits}
        self._sources = {}
        self._show_entries([_found(one) for one in hits], tr("The documents don't say that."))

    def _show_sources(self, sources: Sequence[Source]) -> None:
        self._hits = {}
        self._sources = {one.id: one for one in sources}
        nothing = tr(
            "Nothing is here yet. Drop files or folders on this window, or add them below: text, "
            "Markdown, PDF, Word, Excel, PowerPoint, OpenDocument, HTML, EPUB and code."
        )
        self._show_entries([_entry(one) for one in sources], nothing)

    def _show_entries(self, entries: Sequence[Entry], nothing: str) -> None:
        self.list.show_or_say(entries, self.empty)
        self.empty.setText(nothing)

    def _choose(self) -> None:
        self._work.replace("details", self._tell_chosen)

    async def _tell_chosen(self) -> None:
        """What is to be said of the row that is chosen."""
        chosen = self.list.current_id()
        source = self._sources.get(chosen)
        hit = self._hits.get(chosen)
        for button in (self.again, self.drop):
            button.setVisible(source is not None)
        if source is None:
            self.encoding.hide()
        text = hit.passage.text.strip() if hit is not None else ""
        if source is not None:
            refused = await self._port.refused(source.id)
            incomplete = await self._port.incomplete(source.id)
            encoding = await self._port.encoding_of(source.id)
            text = _details(source, gap_lines(source, refused, incomplete), encoding)
            self.encoding.setVisible(bool(encoding))
        self.details.setVisible(bool(text))
        if self.details.toPlainText() != text:
            self.details.setPlainText(text)

    def _show_progress(self) -> None:
        now = self._port.progress
        self.bar.setVisible(now.working)
        self.bar.setRange(0, max(now.total, 1))
        self.bar.setValue(now.done)
        self.pause.setVisible(now.working or now.paused)
        self.pause.setText(tr("Go on") if now.paused else tr("Pause"))
        numbers = {"done": str(now.done), "total": str(now.total)}
        if now.paused:
            self.state.setText(tr("Reading is paused."))
        elif now.working:
            name = one_line(printable(now.name), 40)
            self.state.setText(tr("Reading {done} of {total}: {name}", name=name, **numbers))
        else:
            self.state.setText("")
        self.state.setVisible(now.working or now.paused)

    # What the person does

    def _open(self, chosen: str) -> None:
        hit = self._hits.get(chosen)
        if hit is not None:
            self.wanted.emit(hit.file, hit.passage.id)

    def _read_again(self) -> None:
        source = self._sources.get(self.list.current_id())
        if source is not None:
            self._work.start_once("again", partial(self._port.refresh, source))

    def _encodings(self) -> QMenu:
        """The encodings in which a text can be read."""
        menu = QMenu(self)
        self._guess = menu.addAction("")
        self._guess.triggered.connect(lambda: self._decode(""))
        for name in OFFERED:
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

    async def _remove(self, source: Source) -> None:
        await self._port.remove(source.id)
        words = tr("Removed: {name}", name=one_line(printable(source.address), 60))
        self.undo.offer(words, lambda: self._add_again(source))

    def _add_again(self, source: Source) -> None:
        page = source.kind is SourceKind.PAGE
        self.add_addresses([source.address] if page else [])
        self.add_paths([] if page else [Path(source.address)])

    def _toggle(self) -> None:
        paused = not self._port.progress.paused
        self._work.start_once("pause", partial(self._port.pause, paused))

    def _add_page(self) -> None:
        address = self.field.text().strip()
        if address and "://" not in address:
            address = f"https://{address}"
        if not address:
            return
        if not is_web(address):
            self.undo.tell(tr("This is no address of a web page."))
            return
        self.field.clear()
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
        dialog = QFileDialog(self, title, str(self._folders.of(Kind.DOCUMENTS)))
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
            self._folders.keep(Kind.DOCUMENTS, paths[0])
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
        self.undo.tell(explain(error))


def _dropped(data: QMimeData) -> tuple[list[Path], list[str]]:
    """The files of this computer in it, and the addresses of pages."""
    urls = data.urls()
    paths = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    text = data.text().strip()
    addresses = [url.toString() for url in urls if is_web(url.toString())]
    return paths, addresses or ([text] if is_web(text) and not paths else [])


def _entry(one: Source) -> Entry:
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
    return Entry(
        one.id,
        one_line(printable(name or one.address)),
        one_line(printable(detail)),
        " · ".join(ends),
        "warning" if one.fault else sign,
        printable(one.address),
        loud=bool(one.fault or one.refused or one.incomplete),
    )


def _found(one: Hit) -> Entry:
    percent = tr("relevance: {count} %", count=str(round(one.relevance * 100)))
    said = one_line(printable(" ".join(one.passage.text.split())), 160)
    return Entry(one.passage.id, one_line(printable(one.label)), said, percent, "notebook")


def _details(source: Source, gaps: Sequence[str], encoding: str) -> str:
    lines = [source.address]
    lines += [tr(source.fault)] if source.fault else []
    lines += gaps
    if encoding and encoding != "utf-8":
        lines.append(tr("Read as {encoding}.", encoding=encoding))
    return "\n".join(printable(line) for line in lines)
