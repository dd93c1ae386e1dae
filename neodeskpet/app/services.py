"""The groups of services of the engine, and the functions that open them."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from neodeskpet.app.app_list import AppDependencies, open_apps
from neodeskpet.app.turn_factory import TurnFactory, approval_policy, tool_rules
from neodeskpet.characters.character_assignments import CharacterAssignments
from neodeskpet.characters.character_library import FOLDER as CHARACTERS
from neodeskpet.characters.character_library import CharacterLibrary
from neodeskpet.characters.companion_store import CompanionStore
from neodeskpet.characters.persona_files import FOLDER as PERSONAS_FOLDER
from neodeskpet.characters.persona_files import (
    FigureName,
    PersonaStore,
    bundled_figure,
    imported_figure,
)
from neodeskpet.conversation.background_prompts import BackgroundPrompts
from neodeskpet.conversation.background_tasks import BackgroundTasks
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.conversation_choices import (
    KNOWLEDGE_OFF_KEY,
    ModelChoices,
    RecallChoices,
)
from neodeskpet.conversation.task_notices import TaskAnnouncer
from neodeskpet.conversation.titles_and_summaries import SummaryWriter
from neodeskpet.core.errors import KnownError, ModelFileError, NoticeContent, StoreError
from neodeskpet.core.model import Embedder
from neodeskpet.core.toolspec import APP_SOURCE
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.documents.web.page_reader import PageReader
from neodeskpet.documents.web.web_search import SearchService, WebSearch
from neodeskpet.figure.files.model_reader import describe_model, name_at
from neodeskpet.figure.live2d.library import chosen_figure_path
from neodeskpet.figure.stage import NullStage
from neodeskpet.llm.catalog.catalog_file import CatalogFile
from neodeskpet.llm.catalog.reported_models import ReportedModels
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.local.local_host import LocalHost
from neodeskpet.llm.local.model_file import LOCAL_MODELS_FOLDER as MODELS_FOLDER
from neodeskpet.llm.local.server_process import ModelTuning
from neodeskpet.llm.model_builder import HttpClients
from neodeskpet.mcp.mcp_host import McpHost
from neodeskpet.memory.knowledge.knowledge_indexer import KnowledgeIndexer
from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_FILE as KNOWLEDGE_FILE
from neodeskpet.memory.knowledge.knowledge_store import EmbedQuestion, KnowledgeStore
from neodeskpet.memory.knowledge.source_files import FileWatcher
from neodeskpet.memory.message_search import SEARCH_FILE as FIND_FILE
from neodeskpet.memory.message_search import MessageSearch
from neodeskpet.memory.recall.memory_indexer import (
    MemoryIndexer,
    MessageIndexer,
    SeenDays,
)
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE as MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.vectors.vector_indexer import VectorIndexer
from neodeskpet.notebook.appointment_tools import AppointmentUndo
from neodeskpet.notebook.appointments import AppointmentHandlers, AppointmentService
from neodeskpet.notebook.note_tools import NoteAddUndo, NoteEditUndo, NoteUndo, note_tools
from neodeskpet.notebook.notebook import FILE_NAME as NOTEBOOK_FILE
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.notes import NoteStore, SqliteNotes
from neodeskpet.notebook.timer_tools import TimerPauseUndo, TimerUndo, timer_tools
from neodeskpet.notebook.timers import SqliteTimers, Timer, TimerService
from neodeskpet.notebook.todo_tools import todo_undoers
from neodeskpet.notebook.todos import TodoStore
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.installation import assets_dir
from neodeskpet.platform.private_files import FileThread
from neodeskpet.platform.redaction import register_secret
from neodeskpet.platform.shutdown import CloserStack
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import Secrets, key_name, plain_host_check
from neodeskpet.settings.settings_model import Settings
from neodeskpet.settings.startup import OpenedSettings, close_log, restrict_access
from neodeskpet.settings.store import SettingsStore
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE as STORE_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.external_changes import WatchedDatabase, watch_other_processes
from neodeskpet.storage.image_resize import fit_picture
from neodeskpet.sync.character_replica import CharacterReplica
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.memory_replica import MemoryReplica
from neodeskpet.sync.notebook_replica import NotebookReplica
from neodeskpet.sync.shared_vectors import SharedVectors
from neodeskpet.sync.sync_service import SyncService, access_from_settings
from neodeskpet.toolkit.large_results import LargeResults, output_tools
from neodeskpet.toolkit.registry import Tool
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.toolkit.undo import Undoer, UndoService, WindowCallsUndo
from neodeskpet.tools.apps.app_windows import AppWindows
from neodeskpet.tools.builtin.applications import application_tools
from neodeskpet.tools.builtin.calculator import calc_tools
from neodeskpet.tools.builtin.clipboard import Clipboard, clipboard_tools, clipboard_undoers
from neodeskpet.tools.builtin.clock import time_tools
from neodeskpet.tools.builtin.computer import ShellOptions, computer_tools
from neodeskpet.tools.builtin.file_tools import file_tools
from neodeskpet.tools.builtin.live2d import FigureControls, live2d_tools
from neodeskpet.tools.builtin.memory import SEARCH as KNOWLEDGE_SEARCH
from neodeskpet.tools.builtin.screen import Screen, is_ocr_installed, screen_tools
from neodeskpet.tools.builtin.web import web_tools
from neodeskpet.tools.files.allowed_folders import AllowedFolders
from neodeskpet.tools.files.text_files import FileBackups
from neodeskpet.tools.user_tools.tool_loader import UserToolLoader

_log = logging.getLogger(__name__)

REPLACED_FILES_FOLDER = "kept files"
"""The folder for files that file tools have replaced."""
FaultListener = Callable[[KnownError], None] | None


@dataclass(frozen=True, slots=True)
class StorageServices:
    """The data folder: keys, conversations, personas and characters, and the sync with other
    computers. `startup` is reported to the user after the start.
    """

    home: Path
    file_thread: FileThread
    secrets: Secrets
    store: SqliteStore
    personas: PersonaStore
    characters: CharacterAssignments
    sync: SyncService
    startup: StartupReport


@dataclass(frozen=True, slots=True)
class StartupReport:
    """Errors while the services were opened, and the ids of the messages that were being written
    when the app ended.
    """

    faults: list[NoticeContent]
    interrupted_messages: Sequence[str]


@dataclass(frozen=True, slots=True)
class MemoryServices:
    """The memory of conversations and the knowledge from documents."""

    store: MemoryStore
    indexer: MemoryIndexer
    search: MessageSearch
    search_indexer: MessageIndexer
    recall_choices: RecallChoices
    knowledge: KnowledgeServices
    embeddings: Embeddings
    summaries: SummaryWriter


@dataclass(frozen=True, slots=True)
class KnowledgeServices:
    """The knowledge from documents, and the readers of documents."""

    store: KnowledgeStore
    indexer: KnowledgeIndexer
    choices: RecallChoices
    fetcher: Fetcher
    page_reader: PageReader


@dataclass(frozen=True, slots=True)
class ModelServices:
    """The language models: connections, catalogue, choices, and the factory of turns."""

    client: HttpClient
    connections: HttpClients
    local_host: LocalHost
    catalog_file: CatalogFile
    choices: ModelChoices
    reported: ReportedModels
    turn_factory: TurnFactory
    background_prompts: BackgroundPrompts


@dataclass(frozen=True, slots=True)
class ToolServices:
    """The tools and their sources, app windows, undo, and background tasks."""

    toolbox: Toolbox
    mcp_servers: McpHost
    user_tools: UserToolLoader
    apps: AppWindows
    undo: UndoService
    calls_undo: WindowCallsUndo
    tasks: BackgroundTasks
    task_announcer: TaskAnnouncer


@dataclass(frozen=True, slots=True)
class NotebookServices:
    """Notes, timers, to-dos and appointments, all in one file."""

    database: Notebook
    notes: NoteStore
    timers: TimerService
    todos: TodoStore
    appointments: AppointmentService

    def notify_changed(self) -> None:
        """Have all views read the file again: it may have changed."""
        for store in (self.notes, self.timers, self.todos, self.appointments):
            store.notify_changed()


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Creates vectors of messages and of documents. `model_name` returns the current model for
    vectors, "" for none.
    """

    messages: VectorIndexer
    documents: VectorIndexer
    model_name: Callable[[], str]

    def refresh(self) -> None:
        """Check again: another model may create the vectors now."""
        for one in (self.messages, self.documents):
            one.mark_changed(())


@dataclass(frozen=True, slots=True)
class MessageIndexes:
    """The memory and the search of messages, with the indexers that keep both up to date.
    `confirmed_moment` returns, for the time of the clock, the moment to use for deletions.
    """

    memory: MemoryStore
    memory_indexer: MemoryIndexer
    search: MessageSearch
    search_indexer: MessageIndexer
    confirmed_moment: Callable[[datetime], Awaitable[datetime | None]]


async def open_message_indexes(
    storage: OpenedStorage,
    exits: CloserStack,
    scope: Callable[[str], str],
    announce_expiry: Callable[[int, int], object],
) -> MessageIndexes:
    settings, store = storage.settings, storage.store
    memory = await MemoryStore.open(
        storage.home / MEMORY_FILE, on_fault=storage.on_fault, scope=scope
    )
    exits.add(memory.aclose)
    confirmed = SeenDays(store).confirmed_moment
    indexer = MemoryIndexer(
        memory,
        store,
        days=lambda: int(settings.settings.memory.keep or 0),
        confirmed=confirmed,
        announce_expiry=announce_expiry,
    )
    search = await MessageSearch.open(storage.home / FIND_FILE)
    exits.add(search.aclose)
    search_indexer = MessageIndexer(search, store, versions=True)
    search.subscribe_faults(lambda _fault: search_indexer.compare_all())
    return MessageIndexes(memory, indexer, search, search_indexer, confirmed)


@dataclass(frozen=True, slots=True)
class OpenedStorage:
    """The base services that all others are opened with."""

    home: Path
    settings: SettingsStore
    file_thread: FileThread
    secrets: Secrets
    store: SqliteStore
    on_fault: FaultListener


async def open_storage(
    home: Path, exits: CloserStack, opened: OpenedSettings, on_fault: FaultListener
) -> OpenedStorage:
    exits.add(close_log, partial(restrict_access, home))
    # In a thread: the disk may be slow, and the interface must not wait for it.
    exits.add(partial(asyncio.to_thread, opened.writer.close))
    exits.add(partial(asyncio.to_thread, opened.store.close))
    store = await SqliteStore.open(home / STORE_FILE, on_fault=on_fault)
    exits.add(store.aclose)
    secrets = Secrets(home / SECRETS_FILE)
    return OpenedStorage(home, opened.store, opened.writer, secrets, store, on_fault)


@dataclass(frozen=True, slots=True)
class ConversationChoices:
    """The user's choices for single conversations."""

    models: ModelChoices
    reported: ReportedModels
    recall: RecallChoices
    knowledge: RecallChoices


async def open_choices(store: SqliteStore) -> ConversationChoices:
    choices = ConversationChoices(
        ModelChoices(store),
        ReportedModels(store),
        RecallChoices(store),
        RecallChoices(store, KNOWLEDGE_OFF_KEY),
    )
    for chosen in (choices.models, choices.reported, choices.recall, choices.knowledge):
        await chosen.load()
    return choices


async def open_knowledge(
    storage: OpenedStorage,
    exits: CloserStack,
    fetcher: Fetcher,
    choices: RecallChoices,
    embed_question: EmbedQuestion,
) -> KnowledgeServices:
    store = await KnowledgeStore.open(
        storage.home / KNOWLEDGE_FILE, on_fault=storage.on_fault, embed_question=embed_question
    )
    exits.add(store.aclose)

    def limit() -> int:
        return storage.settings.settings.memory.knowledge_characters

    indexer = KnowledgeIndexer(store, fetcher, FileWatcher(), limit=limit)
    page_reader = PageReader(fetcher)
    exits.add(page_reader.aclose)
    return KnowledgeServices(store, indexer, choices, fetcher, page_reader)


async def open_notebook(
    storage: OpenedStorage,
    exits: CloserStack,
    ring: Callable[[Timer], None] | None,
    handlers: AppointmentHandlers,
) -> NotebookServices:
    """Open the notebook. Due appointments are checked before the timers; a changed appointment
    causes a check.
    """
    notebook = await Notebook.open(storage.home / NOTEBOOK_FILE, on_fault=storage.on_fault)
    exits.add(notebook.aclose)
    appointments = AppointmentService(
        notebook, handlers=replace(handlers, wake=lambda: timers.check_due())
    )
    timers = TimerService(
        SqliteTimers(notebook), ring or _ignore_timer, before=appointments.run_due
    )
    return NotebookServices(
        notebook, SqliteNotes(notebook), timers, TodoStore(notebook), appointments
    )


def open_sync(
    storage: OpenedStorage,
    memory: MemoryStore,
    notebook: NotebookServices,
    characters: CharacterReplica,
) -> SyncService:
    """Open the sync between computers, if the user has set a server."""
    settings = storage.settings

    def notebook_changed() -> None:
        notebook.notify_changed()
        notebook.timers.check_due()

    sync = SyncService(
        (
            ConversationReplica(storage.store),
            MemoryReplica(memory.facts.file, memory.apply_remote_changes),
            NotebookReplica(notebook.database, notebook_changed),
            characters,
        ),
        lambda: settings.settings.sharing.address,
        lambda address: access_from_settings(settings, storage.secrets, address),
        name=socket.gethostname(),
        forget_deleted=storage.store.purge_deleted,
    )

    def on_setting(section: str, name: str, value: object) -> None:
        if section == "sharing" or name == "plain_hosts":
            sync.sync_now()

    settings.subscribe(on_setting)
    return sync


def open_character_replica(home: Path, characters: CharacterAssignments) -> CharacterReplica:
    """Open the part that sends changes of characters to other computers and applies theirs."""

    async def load() -> None:
        await asyncio.to_thread(characters.library.load)
        characters.library.notify()
        characters.personas.refresh()
        characters.notify()

    replica = CharacterReplica(
        home, name_at, on_remote_change=lambda: spawn_task(load(), name="characters")
    )
    characters.library.subscribe(replica.wake)
    characters.personas.subscribe(replica.wake)
    return replica


def open_shared_vectors(
    store: SqliteStore, memory: MemoryStore, sync: SyncService
) -> SharedVectors:
    """Open the vectors that the user's other computers created."""
    conversations = ConversationReplica(store)
    vectors = SharedVectors(sync.run_on_server, memory.vectors, conversations.written_by_others)
    sync.subscribe(
        lambda: vectors.set_connected(sync.state.has_synced and sync.state.fault is None)
    )
    return vectors


def open_embeddings(
    memory: MemoryStore,
    knowledge: KnowledgeServices,
    turn_factory: TurnFactory,
    settings: SettingsStore,
    recall_choices: RecallChoices,
    vectors: SharedVectors,
) -> Embeddings:
    """Open the services that create vectors, only of the texts that the user allows."""

    def message_embedder() -> Embedder | None:
        return turn_factory.embedder() if settings.settings.memory.recall else None

    def document_embedder() -> Embedder | None:
        return turn_factory.embedder() if settings.settings.memory.knowledge else None

    def model_name() -> str:
        found = message_embedder()
        return "" if found is None else found.model

    messages = VectorIndexer(
        memory.vectors, memory.texts(recall_choices.is_on), message_embedder, vectors
    )
    documents = VectorIndexer(knowledge.store.vectors, knowledge.store.texts, document_embedder)
    memory.changed.subscribe(messages.mark_changed)
    knowledge.store.changed.subscribe(documents.mark_changed)
    recall_choices.changed.subscribe(messages.check_all)
    return Embeddings(messages, documents, model_name)


async def warm_indexes(*books: MemoryStore | KnowledgeStore) -> None:
    """Read the data for the first question in advance. A failure has no other effect than a slower
    first question.
    """
    for store in books:
        with suppress(StoreError):
            await store.warm_up()


def watch_databases(
    storage: OpenedStorage,
    indexes: MessageIndexes,
    knowledge: KnowledgeServices,
    notebook: NotebookServices,
    chat: Chat,
) -> Coroutine[object, object, None]:
    """Watch for changes by other processes, which are shown at once."""

    def conversations_changed() -> None:
        indexes.memory_indexer.compare_all()
        indexes.search_indexer.compare_all()
        spawn_task(chat.reload_external_changes(), name="changes of another process")

    def documents_changed() -> None:
        spawn_task(knowledge.store.notify_changed(), name="documents of another process")

    def memory_changed() -> None:
        indexes.memory.changed.notify([])

    watched = {
        STORE_FILE: WatchedDatabase(storage.store.changed_by_others, conversations_changed),
        MEMORY_FILE: WatchedDatabase(indexes.memory.changed_by_others, memory_changed),
        KNOWLEDGE_FILE: WatchedDatabase(knowledge.store.changed_by_others, documents_changed),
        NOTEBOOK_FILE: WatchedDatabase(
            notebook.database.changed_by_others, notebook.notify_changed
        ),
    }
    return watch_other_processes(storage.home, watched)


def open_connections(settings: SettingsStore) -> tuple[HttpClient, HttpClients]:
    plain_to = plain_host_check(settings)
    client = HttpClient(plain_to=plain_to)
    return client, HttpClients(client, plain_to=plain_to)


def open_local_model_host(home: Path, settings: SettingsStore) -> LocalHost:
    """Open the host of local models, which reads the settings at each start of a model."""

    def tuning() -> ModelTuning:
        local = settings.settings.local
        return ModelTuning(local.context, local.reply, local.threads)

    def idle() -> float:
        return settings.settings.local.idle_minutes * 60.0

    return LocalHost(home / MODELS_FOLDER, tuning=tuning, idle=idle)


def open_toolbox(
    tools: Sequence[Tool], outputs: LargeResults, settings: SettingsStore, knows: Callable[[], bool]
) -> Toolbox:
    """Open the toolbox with the tools that the current settings allow."""
    toolbox = Toolbox(
        AppTools([*tools, *output_tools(outputs)]),
        enabled=lambda spec: (
            tool_rules(settings.settings).on(spec)
            and (settings.settings.memory.facts or not spec.name.startswith("memory."))
            and (spec.name != KNOWLEDGE_SEARCH or (settings.settings.memory.knowledge and knows()))
        ),
        hidden=lambda spec: tool_rules(settings.settings).hides(spec),
        outputs=outputs,
    )
    toolbox.subscribe(lambda: register_sources(toolbox, settings))
    return toolbox


_NO_SHELL = ShellOptions()


def build_tools(
    body: FigureControls,
    timers: TimerService,
    notes: NoteStore,
    folders: AllowedFolders,
    kept: FileBackups,
    search: WebSearch,
    shell: ShellOptions = _NO_SHELL,
    pages: PageReader | None = None,
) -> list[Tool]:
    """Create the built-in tools."""
    return [
        *live2d_tools(body),
        *time_tools(),
        *timer_tools(timers),
        *note_tools(notes),
        *calc_tools(),
        *file_tools(folders, kept),
        *web_tools(pages or PageReader(), search),
        *computer_tools(shell),
        *application_tools(),
    ]


def window_tools(clipboard: Clipboard | None, screen: Screen | None) -> list[Tool]:
    """Return the tools that need a window; without one they fail with the reason."""
    return [
        *clipboard_tools(clipboard),
        *screen_tools(screen, fit_picture, reads=is_ocr_installed()),
    ]


async def open_app_windows(
    notebook: NotebookServices,
    figure: FigureControls,
    tools: Sequence[Tool],
    settings: SettingsStore,
) -> AppWindows:
    dependencies = AppDependencies(
        notebook.notes,
        notebook.timers,
        notebook.todos,
        notebook.appointments,
        figure,
        tools,
        enabled=lambda spec: tool_rules(settings.settings).on(spec),
        asks=lambda spec, given: approval_policy(settings.settings).asks(spec, given),
        hidden=lambda spec: tool_rules(settings.settings).hides(spec),
    )
    return await open_apps(notebook.database, dependencies)


def list_undoers(
    notebook: NotebookServices, files: Mapping[str, Undoer], clipboard: Clipboard | None
) -> dict[str, Undoer]:
    """Return the functions that undo tool calls, by tool id."""
    return {
        "note.add": NoteAddUndo(notebook.notes),
        "note.delete": NoteUndo(notebook.notes),
        "note.edit": NoteEditUndo(notebook.notes),
        "timer.set": TimerUndo(notebook.timers, made=True),
        "timer.cancel": TimerUndo(notebook.timers),
        "timer.pause": TimerPauseUndo(notebook.timers),
        "timer.resume": TimerPauseUndo(notebook.timers, resumed=True),
        **files,
        **clipboard_undoers(clipboard),
        **todo_undoers(notebook.todos),
        "schedule.add": AppointmentUndo(notebook.appointments, made=True),
        "schedule.update": AppointmentUndo(notebook.appointments),
        "schedule.cancel": AppointmentUndo(notebook.appointments),
    }


def open_personas(
    home: Path,
    settings: SettingsStore,
    writer: FileThread,
    on_fault: Callable[[KnownError], None] | None,
) -> PersonaStore:
    """Open the personas; the chosen figure decides which one is used."""
    figure = figure_at(home, settings.settings.companion.model)
    personas = PersonaStore(home / PERSONAS_FOLDER, figure, writer=writer, on_fault=on_fault)

    def settled(section: str, name: str, value: object) -> None:
        if (section, name) == ("companion", "model"):
            personas.set_figure(figure_at(home, str(value)))

    settings.subscribe(settled)
    return personas


async def open_character_assignments(
    home: Path, store: SqliteStore, personas: PersonaStore
) -> CharacterAssignments:
    """Open the characters and their assignments to conversations."""
    library = CharacterLibrary(home / CHARACTERS, partial(figure_named, home))
    await asyncio.to_thread(library.load)
    guests = CompanionStore(store, personas, partial(figure_at, home))
    await guests.restore()
    cast = CharacterAssignments(store, personas, library, guests)
    await cast.restore()
    return cast


RECOLOURED_NEO = "Neo in own colours"
"""The name of copies of the bundled figure in the user's colours; they are still Neo."""


def figure_at(home: Path, chosen: str) -> FigureName:
    """Return the figure that the settings call `chosen`; "" for the bundled one."""
    if not chosen:
        return bundled_figure(assets_dir())
    path = Path(chosen).expanduser()
    if name_at(path) == RECOLOURED_NEO:
        return bundled_figure(assets_dir())
    place = path.relative_to(home) if path.is_relative_to(home) else path
    return imported_figure(name_at(path), place.as_posix())


def figure_named(home: Path, name: str) -> str | None:
    """Return the path of the figure of this name, None if there is none. Slow: call it in
    a thread.
    """
    from neodeskpet.figure.files.model_library import ModelLibrary
    from neodeskpet.figure.live2d.library import bundled_figure_path

    library = ModelLibrary(home / "models", bundled_figure_path())
    found = (one.path for one in library.entries() if not one.bundled)
    return next((str(path) for path in found if name_at(path) == name), None)


def null_figure(settings: Settings) -> NullStage:
    """Return a body without a window, with the names of the chosen model."""
    try:
        return NullStage(describe_model(chosen_figure_path(settings)))
    except ModelFileError as error:
        _log.warning("%s", error)
        return NullStage()


def register_sources(toolbox: Toolbox, settings: SettingsStore) -> None:
    """Store the tools of each external source when it is first seen; tools that it adds later count
    as new.
    """
    met = settings.settings.mode.met_tools
    found = {
        source.name: tuple(spec.id for spec in source.specs)
        for source in toolbox.sources()
        if source.specs and source.name != APP_SOURCE and source.name not in met
    }
    if found:
        settings.change("mode", "met_tools", {**met, **found})


def search_service_of(settings: Settings) -> SearchService:
    return SearchService(settings.web.search, settings.web.searxng)


def search_key(secrets: Secrets) -> Callable[[str], Awaitable[str]]:
    """Return the function that reads the key of a search endpoint; the key is redacted in logs like
    all others.
    """

    async def read(endpoint: str) -> str:
        key = await secrets.get_async(key_name(endpoint), environment=False)
        if key:
            register_secret(key)
        return key

    return read


def _ignore_timer(timer: Timer) -> None:
    """Ignore a due timer: a short command doesn't ring; the app does when it runs."""
