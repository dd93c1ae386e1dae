"""Builds everything that needs no window: settings, keys, store, tools, model, chat.

The windows (`app/`) and the terminal (`commands/chat.py`) stand on the same engine. Start order:
the data folder is closed to others, settings, the log, language, keys, store (what was running when
the app died is marked interrupted), the HTTP client (early: its first use of TLS is slow), tools,
chat.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.cues import Cues
from neodeskpet.conversation.model_choices import ModelChoices
from neodeskpet.conversation.ports import Approver
from neodeskpet.conversation.turn_setup import CONTEXT, TurnSetup
from neodeskpet.core.approval import ApprovalPolicy
from neodeskpet.core.dialects import DIALECTS, NATIVE, Dialect
from neodeskpet.core.errors import KnownError, ModelFileError, StoreError
from neodeskpet.core.model import Model
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.turn.guards import Limits
from neodeskpet.file_thread import FileThread
from neodeskpet.language import set_language
from neodeskpet.live2d.files.catalog import describe
from neodeskpet.live2d.stage import PaperStage
from neodeskpet.llm.builder import ModelBuilder, Waits, keys_from
from neodeskpet.llm.catalog.catalog import FILE_NAME as CATALOG_FILE
from neodeskpet.llm.catalog.catalog import Catalog, Endpoint, Purpose, asking, from_service, naming
from neodeskpet.llm.catalog.edit import change_endpoint
from neodeskpet.llm.catalog.effort import Effort
from neodeskpet.llm.catalog.file import CatalogFile
from neodeskpet.llm.chain.chain import FallbackModel
from neodeskpet.llm.chain.choice import talkers
from neodeskpet.llm.client import HttpClient
from neodeskpet.llm.connections import Connections
from neodeskpet.llm.local.address import FOLDER as MODELS_FOLDER
from neodeskpet.llm.local.address import names_file
from neodeskpet.llm.local.child import Tuning
from neodeskpet.llm.local.host import LocalHost
from neodeskpet.llm.offline import OfflineModel
from neodeskpet.llm.sight import Keep
from neodeskpet.memory.store import FILE_NAME as STORE_FILE
from neodeskpet.memory.store import SqliteStore
from neodeskpet.notes.notes import NoteStore
from neodeskpet.notes.store import SqliteNotes
from neodeskpet.paths import assets_dir
from neodeskpet.redaction import register
from neodeskpet.settings.logfile import close_log, open_log
from neodeskpet.settings.model import Settings
from neodeskpet.settings.private_home import close_to_others
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import Secrets, key_name
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import Key, SettingsStore
from neodeskpet.timers.book import Timer, TimerBook
from neodeskpet.timers.file import TimerFile
from neodeskpet.tools.builtin.calc import calc_tools
from neodeskpet.tools.builtin.live2d import Body, live2d_tools
from neodeskpet.tools.builtin.note import NoteUndo, note_tools
from neodeskpet.tools.builtin.time import time_tools
from neodeskpet.tools.builtin.timer import TimerUndo, timer_tools
from neodeskpet.tools.registry import Tool
from neodeskpet.tools.toolbox import OwnTools, Toolbox
from neodeskpet.tools.undo import Undo

_log = logging.getLogger(__name__)

_MOST_CONTEXT = 128_000  # tokens: sending more in every round costs more than it helps


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says for this run; None leaves it to the settings."""

    base_url: str | None = None
    model: str | None = None
    protocol: str | None = None
    mode: str | None = None
    thinking: Effort | None = None
    stream: bool | None = None

    def overrides(self) -> Mapping[Key, object]:
        named: dict[Key, object | None] = {
            ("service", "base_url"): self.base_url,
            ("service", "model"): self.model,
            ("service", "protocol"): self.protocol,
            ("mode", "mode"): self.mode,
        }
        return {key: value for key, value in named.items() if value is not None}


@dataclass(slots=True)
class Engine:
    """All that runs without a window."""

    home: Path
    writer: FileThread
    settings: SettingsStore
    secrets: Secrets
    store: SqliteStore
    client: HttpClient
    connections: Connections
    host: LocalHost
    chat: Chat
    timers: TimerBook
    undo: Undo
    toolbox: Toolbox
    minds: ModelChooser
    choices: ModelChoices
    services: CatalogFile
    interrupted: list[str]
    faults: list[KnownError] = field(default_factory=list)

    async def close(self) -> None:
        """Stop what runs without ending it: the next start offers to go on. Whatever fails on the
        way, the rest is closed too.
        """
        async with AsyncExitStack() as steps:
            steps.callback(close_log)
            steps.callback(close_to_others, self.home)
            steps.callback(self.writer.close)
            steps.callback(self.settings.close)
            steps.push_async_callback(self.store.close)
            steps.push_async_callback(self.client.close)
            steps.push_async_callback(self.connections.close)
            steps.push_async_callback(self.host.close)
            steps.callback(self.timers.stop)
            with suppress(StoreError):  # it was told when the writing failed
                await self.chat.close()


async def open_engine(
    home: Path,
    *,
    options: Options | None = None,
    body: Body | None = None,
    approver: Approver | None = None,
    ring: Callable[[Timer], None] | None = None,
    model: Model | None = None,
    on_fault: Callable[[KnownError], None] | None = None,
) -> Engine:
    """Build it in the data folder `home`. Without `body` the tools of the body have the chosen
    model's names and move nothing; without `ring` timers are only kept. `model` answers instead of
    the settings' service (the demo). Raises KnownError only when nothing could work.
    """
    close_to_others(home)
    options = options or Options()
    overrides = options.overrides()
    writer = FileThread(asyncio.get_running_loop().call_soon_threadsafe)
    file = home / SETTINGS_FILE
    settings = SettingsStore(file, overrides=overrides, on_fault=on_fault, writer=writer)
    open_log(home, detailed=settings.settings.data.detailed_log)
    set_language(settings.settings.appearance.language)
    faults: list[KnownError] = [settings.fault] if settings.fault else []
    secrets = Secrets(home / SECRETS_FILE)
    store = await SqliteStore.open(home / STORE_FILE, on_fault=on_fault)
    if store.fault is not None:
        faults.append(store.fault)
    interrupted = await store.interrupt_running()
    choices = ModelChoices(store)
    await choices.restore()

    def plain_keys() -> bool:
        return settings.settings.service.plain_keys

    client = HttpClient(plain_keys=plain_keys)
    timers = TimerBook(TimerFile(home / "timers.json", writer), ring or _keep_quiet)
    stage = body or paper_body(settings.settings)
    notes = SqliteNotes(home / "notes.db")
    undo = Undo({"note.delete": NoteUndo(notes), "timer.cancel": TimerUndo(timers)})
    tools = build_tools(stage, timers, notes)
    toolbox = Toolbox(OwnTools(tools))
    services = CatalogFile(home / CATALOG_FILE, on_fault=on_fault)
    if services.fault is not None:
        faults.append(services.fault)
    connections = Connections(client, plain_keys=plain_keys)
    keep = store.keep_description
    host = open_host(home, settings)
    minds = ModelChooser(
        *(settings, services, secrets, connections, toolbox, keep, model, host),
        options=options,
        chosen=choices.of,
    )
    chat = Chat(
        store,
        minds.brain,
        switch_to_text=lambda: settings.change("mode", "mode", "text"),
        switch_protocol=minds.switch_protocol,
        approver=approver,
    )
    chat.listen(Cues(stage))
    if ring is not None:
        timers.start()
    return Engine(
        home,
        writer,
        settings,
        secrets,
        store,
        client,
        connections,
        host,
        chat,
        timers,
        undo,
        toolbox,
        minds,
        choices,
        services,
        interrupted,
        faults,
    )


def build_tools(body: Body, timers: TimerBook, notes: NoteStore) -> list[Tool]:
    """The tools that come with the app; a further family is one line."""
    return [
        *live2d_tools(body),
        *time_tools(),
        *timer_tools(timers),
        *note_tools(notes),
        *calc_tools(),
    ]


def open_host(home: Path, settings: SettingsStore) -> LocalHost:
    """What runs models on this computer, as the settings say at each start."""

    def tuning() -> Tuning:
        local = settings.settings.local
        return Tuning(local.context, local.reply, local.threads)

    def idle() -> float:
        return settings.settings.local.idle_minutes * 60.0

    return LocalHost(home / MODELS_FOLDER, tuning=tuning, idle=idle)


def model_path(settings: Settings) -> Path:
    """The chosen Live2D model, or the one that comes with the app."""
    chosen = settings.companion.model
    return Path(chosen).expanduser() if chosen else assets_dir() / "companion" / "neo"


def paper_body(settings: Settings) -> PaperStage:
    """A body without a window, with the names of the chosen model."""
    try:
        return PaperStage(describe(model_path(settings)))
    except ModelFileError as error:
        _log.warning("%s", error)
        return PaperStage()


class ModelChooser:
    """Makes the brain of a turn from the settings as they are at its start. `chosen` is the model
    of a conversation of its own, "" for none.
    """

    def __init__(
        self,
        settings: SettingsStore,
        services: CatalogFile,
        secrets: Secrets,
        connections: Connections,
        toolbox: Toolbox,
        keep: Keep,
        model: Model | None = None,
        host: LocalHost | None = None,
        options: Options | None = None,
        chosen: Callable[[str], str] = lambda conversation: "",
    ) -> None:
        self._options = options or Options()
        self._chosen = chosen
        self._settings = settings
        self._services = services
        self._secrets = secrets
        self._key = keys_from(self._read_key, key_name, register)
        self._builder = ModelBuilder(connections, self._key, keep=keep, host=host)
        self._toolbox = toolbox
        self._model = model

    def brain(self, conversation: str = "") -> TurnSetup:
        """What answers in the conversation of this id, "" for one without a model of its own."""
        mode = self._settings.settings.mode
        model = self.model(conversation=conversation)
        return TurnSetup(
            model=model,
            toolbox=self._toolbox,
            dialect=self.dialect(),
            limits=Limits(rounds=mode.max_rounds, calls=mode.max_calls),
            policy=_LivePolicy(self._settings),
            parallel=mode.parallel_tools,
            leaks=mode.read_leaks,
            context=self._context(model),
        )

    def dialect(self) -> Dialect:
        """`auto` begins natively; the switch to text is only ever the person's."""
        mode = self._settings.settings.mode
        return DIALECTS[mode.dialect] if mode.mode == "text" else NATIVE

    def model(self, purpose: Purpose = "chat", conversation: str = "") -> Model:
        """What answers for `purpose`, in this conversation; the offline helper where there is no
        service.
        """
        if self._model is not None:
            return self._model
        finds_out = purpose == "chat" and self._settings.settings.mode.mode == "auto"
        own = self.own_model(conversation) if purpose == "chat" else ""
        built = self._builder.build(
            self.catalog(), purpose, self._waits(), finds_out=finds_out, named=own
        )
        return built or OfflineModel(known_tools=self._toolbox.specs)

    def own_model(self, conversation: str) -> str:
        """The model that was chosen for this conversation alone, if it can be asked; else "". A
        model that is named from outside answers everywhere in this run.
        """
        name = self._chosen(conversation)
        return name if name in self.offered() and not self.model_named_outside() else ""

    def offered(self) -> dict[str, tuple[str, ...]]:
        """The models to talk with, by name, each with the services it is on."""
        found: dict[str, tuple[str, ...]] = {}
        for choice in talkers(self.catalog()):
            found[choice.name] = (*found.get(choice.name, ()), choice.endpoint.name)
        return found

    def title_model(self) -> Model | None:
        """What names conversations; None when the person doesn't want it, or nothing could."""
        service = self._settings.settings.service
        if self._model is not None or not service.titles:
            return None
        return self._builder.build(self.catalog(), "title", self._waits())

    def _waits(self) -> Waits:
        service = self._settings.settings.service
        return Waits(service.stall_timeout, service.local_patience)

    def reads(self, model: Model) -> int | None:
        """How many tokens `model` reads at most, if that is known."""
        if not isinstance(model, FallbackModel):
            return None
        if names_file(model.choice.endpoint.base_url):
            return self._settings.settings.local.context
        return model.choice.context

    def _context(self, model: Model) -> int:
        """Tokens of the conversation that are sent: half of what the model reads, if that is
        known. A model of this computer reads no more than its memory was made for; tools and the
        reply need more than half of that.
        """
        if not isinstance(model, FallbackModel):
            return CONTEXT
        if names_file(model.choice.endpoint.base_url):
            return self._settings.settings.local.context * 2 // 5
        known = model.choice.context
        return CONTEXT if known is None else min(known // 2, _MOST_CONTEXT)

    def catalog(self) -> Catalog:
        """`llm-config.json` as it is now. Without it, and for a run that names its own service,
        the simple settings.
        """
        asked = self._options
        return asking(self._catalog(), thinking=asked.thinking, stream=asked.stream)

    def _catalog(self) -> Catalog:
        self._services.refresh()
        written = self._services.catalog
        if written is None or self.named_outside():
            return self.implied()
        if self._settings.overridden("service", "model"):
            return naming(written, self._settings.settings.service.model)
        return written

    def switch_protocol(self, protocol: str, address: str) -> None:
        """The endpoint at `address` is asked in `protocol` from now on. Raises KnownError."""
        self._services.refresh()
        written = self._services.catalog
        if written is None or self.named_outside():
            self._settings.change("service", "protocol", protocol)
            return
        named = [one.name for one in written.endpoints if one.base_url == address]

        def change(catalog: Catalog) -> Catalog:
            for name in named:
                catalog = change_endpoint(catalog, name, protocol=protocol)
            return catalog

        self._services.edit(change, written)

    def implied(self) -> Catalog:
        """The catalogue that the simple settings amount to."""
        service = self._settings.settings.service
        return from_service(service.protocol, service.base_url, service.model)

    def named_outside(self) -> bool:
        """Whether the command line or the environment names the service of this run."""
        return any(self._settings.overridden("service", n) for n in ("base_url", "protocol"))

    def model_named_outside(self) -> bool:
        """Whether the model of this run is named from outside, or there is no choice at all."""
        if self._model is not None or self.named_outside():
            return True
        return self._settings.overridden("service", "model")

    async def key(self, endpoint: Endpoint) -> str:
        """The key that requests to `endpoint` go with, "" for none."""
        return await self._key(endpoint)

    async def _read_key(self, name: str) -> str:
        """The environment's key goes to the one service there is, never to several hosts."""
        return await self._secrets.get_async(name, environment=key_names(self.catalog()) == {name})


class _LivePolicy:
    """The settings as they are when a call comes."""

    def __init__(self, settings: SettingsStore) -> None:
        self._settings = settings

    def asks(self, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        mode = self._settings.settings.mode
        policy = ApprovalPolicy(frozenset(mode.always_allowed), mode.ask_before_every_change)
        return policy.asks(spec, arguments)


def key_names(catalog: Catalog) -> set[str]:
    """The names of the keys its services need; models of this computer need none."""
    addresses = (endpoint.base_url for endpoint in catalog.endpoints)
    return {key_name(address) for address in addresses if not names_file(address)}


def _keep_quiet(timer: Timer) -> None:
    """Nobody is there to hear it: the app rings when it runs."""
