"""Creates the set-up of a turn or a background prompt from the current settings.

It contains the model with its fallbacks, the tools and their permissions, the context from memory
and windows, and the amount of the conversation that is sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from neodeskpet.app.run_options import RunOptions
from neodeskpet.characters.character_assignments import CharacterAssignments
from neodeskpet.characters.companion_store import CompanionStore
from neodeskpet.characters.persona import Persona
from neodeskpet.conversation.background_prompts import BackgroundPrompt
from neodeskpet.conversation.background_tasks import BackgroundTasks, BackgroundToolbox, start_in
from neodeskpet.conversation.character_context import CharacterContext
from neodeskpet.conversation.companion_dialogue import DialogueNeedsModel, NoTools
from neodeskpet.conversation.facts_context import FACTS_BUDGET as FACTS
from neodeskpet.conversation.facts_context import FACTS_SHARE as FACTS_SHARE
from neodeskpet.conversation.facts_context import FactsContext, FactStore
from neodeskpet.conversation.memory_context import (
    MEMORY_BUDGET,
    MEMORY_SHARE,
    RECALL_TIMEOUT,
    DocumentMemory,
    MemoryContext,
    RecallScope,
    RecallTimeouts,
)
from neodeskpet.conversation.ports import Knowledge, Memory
from neodeskpet.conversation.prompt import (
    APP_RULES,
    ContextSlot,
    ConversationSummary,
    UserAddresses,
    WindowsContext,
)
from neodeskpet.conversation.question_embedding import QuestionEmbedder
from neodeskpet.conversation.turn_setup import DEFAULT_CONTEXT, TurnSetup
from neodeskpet.conversation.user_profile_context import (
    PROFILE_BUDGET,
    PROFILE_SHARE,
    UserProfile,
    UserProfileContext,
)
from neodeskpet.core.approval import ApprovalPolicy, ToolRules
from neodeskpet.core.background_tasks import StartTask
from neodeskpet.core.blocks import Message
from neodeskpet.core.companion_dialogue import dialogue_instructions, messages_for_speaker
from neodeskpet.core.data_labels import FlowQuestion
from neodeskpet.core.dialects import DIALECTS, NATIVE, TOOL_REQUEST, TOOL_TAG, Dialect
from neodeskpet.core.errors import Action, KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.information_flow import ContextReading
from neodeskpet.core.model import Embedder, Model, ModelRequest
from neodeskpet.core.token_budget import TokenCorrection
from neodeskpet.core.tool_settings import NewToolPolicy
from neodeskpet.core.toolspec import Toolbox as TurnToolbox
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import AssistantTurn, ModelMessage, TextPart, UserTurn, join_turns
from neodeskpet.core.turn.turn import MOST_PARALLEL_CALLS
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.core.wire import TextDelta
from neodeskpet.language import language
from neodeskpet.llm.catalog.catalog_editing import change_endpoint
from neodeskpet.llm.catalog.catalog_file import CatalogFile
from neodeskpet.llm.catalog.model_catalog import (
    Catalog,
    Endpoint,
    Purpose,
    catalog_of_service,
    with_named_model,
    with_options,
)
from neodeskpet.llm.catalog.reported_models import with_reported_models
from neodeskpet.llm.chain.fallback_model import CostListener, FallbackModel, ignore_cost
from neodeskpet.llm.chain.model_selection import ModelChoice, chat_models
from neodeskpet.llm.chain.tool_support import AUTO, NONE, TEXT, ToolCallModes
from neodeskpet.llm.leaked_call_forms import FILE_NAME as FORMS_FILE
from neodeskpet.llm.leaked_call_forms import LeakedCallForms
from neodeskpet.llm.local.local_host import LocalHost
from neodeskpet.llm.local.model_file import is_model_file
from neodeskpet.llm.model_builder import HttpClients, ModelBuilder, keys_from
from neodeskpet.llm.model_pipeline import ReplyTimeouts
from neodeskpet.llm.offline import DemoModel, OfflineModel
from neodeskpet.llm.vision_fallback import StoreDescription
from neodeskpet.mcp.session_interface import SamplingRequest
from neodeskpet.platform.redaction import register_secret
from neodeskpet.settings.secrets import Secrets, key_name
from neodeskpet.settings.settings_model import Settings, ToolModeSettings
from neodeskpet.settings.store import SettingsStore
from neodeskpet.toolkit.toolbox import Toolbox
from neodeskpet.tools.apps.app_windows import AppWindows, LoggedToolbox, ToolboxWithWindows
from neodeskpet.tools.files.allowed_folders import AllowedFolders
from neodeskpet.tools.files.timely import TimelyPaths
from neodeskpet.tools.tool_search import SearchableToolbox

WINDOWS_SHARE = 0.15
"""The share of the conversation's tokens that open windows may use; further windows are left out,
the oldest first.
"""
SEARCH_TIMEOUT = 3.0
"""Seconds that a search waits for the vector of its query."""
_MAX_CONTEXT = 128_000  # tokens: sending more in every round costs more than it helps


_CHARS_PER_TOKEN = 4
"""Characters a token, an estimate: the text that a server gets from the model is cut after the
characters of its tokens.
"""


class SamplingNeedsModel(KnownError):
    code = "sampling_needs_model"
    what = N_("A server requested a text from a language model, but no model is set up.")
    hint = N_("Set one up in Settings › Models › Services.")
    actions = (Action.OPEN_SETTINGS,)


@dataclass(frozen=True, slots=True)
class TurnModels:
    """The parts that models are built from. `chosen` returns the model that was chosen for a
    conversation, "" for none; `reported_at` the models that the service at an address reported.
    `store_description` stores the description of a picture; `on_cost` gets the cost of each
    request.
    """

    catalog_file: CatalogFile
    secrets: Secrets
    connections: HttpClients
    local_host: LocalHost
    chosen: Callable[[str], str]
    reported_at: Callable[[str], Sequence[str]]
    store_description: StoreDescription
    on_cost: CostListener = ignore_cost


@dataclass(frozen=True, slots=True)
class TurnTools:
    """The tools of a turn, the app windows, and background tasks."""

    toolbox: Toolbox
    apps: AppWindows
    tasks: BackgroundTasks


@dataclass(frozen=True, slots=True)
class TurnMemory:
    """Memory and knowledge. `recall_allowed` and `knowledge_allowed` return whether a conversation
    may use them; `summary` returns the summary of old messages of a conversation.
    """

    messages: Memory
    recall_allowed: Callable[[str], bool]
    knowledge: Knowledge
    knowledge_allowed: Callable[[str], bool]
    facts: FactStore
    summary: Callable[[str], Awaitable[ConversationSummary | None]]


def _never(_base_url: str) -> bool:
    return False


class TurnFactory:
    """Creates the set-up of a turn from the settings at its start. `fixed_model` answers instead of
    the models of the catalogue.
    """

    def __init__(
        self,
        settings: SettingsStore,
        models: TurnModels,
        tools: TurnTools,
        memory: TurnMemory,
        characters: CharacterAssignments,
        options: RunOptions,
        fixed_model: Model | None = None,
    ) -> None:
        self._settings = settings
        self._modes = ToolCallModes(settings)
        self._models = models
        self._tools = tools
        self._memory = memory
        self._character_assignments = characters
        self._personas = characters.personas
        self._options = options
        within = options.recall_timeout
        self._recall_timeout = RECALL_TIMEOUT if within is None else within
        self._services = models.catalog_file
        self._forms = LeakedCallForms(self._services.path.with_name(FORMS_FILE))
        self._key = keys_from(self._read_key, key_name, register_secret)
        self._builder = ModelBuilder(
            models.connections,
            self._key,
            keep=models.store_description,
            host=models.local_host,
            bill=models.on_cost,
        )
        self._recorded_toolbox: TurnToolbox = LoggedToolbox(tools.toolbox, tools.apps.caller)
        self._model = fixed_model
        self._correction = TokenCorrection()
        self.question_embedding = QuestionEmbedder(self.embedder)
        self.search_embedding = QuestionEmbedder(self.embedder, timeout=SEARCH_TIMEOUT)

    def create_setup(self, conversation: str = "", named: str = "") -> TurnSetup:
        """Return the set-up of a turn in this conversation, "" for one without a model of its own.
        `named`: the model to use for this turn only, if it exists.
        """
        joins = self._companions is not None and self._companions.dialogue_of(conversation)
        if joins and self.has_model:
            return self.create_dialogue_setup(conversation, 0)
        mode = self._settings.settings.mode
        self._personas.refresh()
        model = self.model(conversation=conversation, named=named)
        context = self._context(model)
        bare = self.tool_mode(model) == NONE
        persona = self._persona(conversation)
        apps: AppWindows | None = self._tools.apps
        if not mode.apps or bare or isinstance(model, OfflineModel):
            apps = None
        dialect = self._dialect_of(model)
        return TurnSetup(
            model=model,
            toolbox=NoTools() if bare else self._toolbox_of(conversation),
            dialect=dialect,
            persona=f"{persona.prompt}\n\n{APP_RULES}",
            persona_from=persona.untrusted,
            character=self._character_context(conversation),
            limits=_limits(mode, dialect),
            policy=_CurrentPolicy(
                self._settings, self._tools.apps, flow=self._options.ask_for_untrusted_flow
            ),
            leaked_call_families=self._forms.families() if mode.read_leaks else (),
            answer_timeout=mode.answer_patience,
            context=context,
            summary=partial(self._memory.summary, conversation) if conversation else None,
            on_token_usage=partial(self._correction.learn, model.label),
            extra_slots=(
                self._profile_slot(context),
                *self._all_memory_places(conversation, context),
                *_windows_place(apps, context),
                ContextSlot(UserAddresses(self._user_addresses, self._recall_timeout), 0),
            ),
            select_tools=None
            if bare
            else partial(_select_tools, apps, self._task_starter(conversation)),
            wraps_user_text=not isinstance(model, OfflineModel | DemoModel),
        )

    async def _user_addresses(self) -> Sequence[str]:
        """Return the web addresses in the settings and in the knowledge base."""
        settings = self._settings.settings
        written = [settings.web.searxng, settings.service.base_url]
        known = await self._memory.knowledge.list_addresses()
        return [*filter(None, written), *known]

    @property
    def _companions(self) -> CompanionStore | None:
        return self._character_assignments.guests

    def _persona(self, conversation: str) -> Persona:
        return self._character_assignments.persona(conversation)

    def _character_context(self, conversation: str) -> CharacterContext | None:
        """Return the context of the character that speaks there; None for the figure's
        own persona.
        """
        found = self._character_assignments.character_of(conversation)
        return CharacterContext(found.card, found.untrusted) if found is not None else None

    def context_tokens(self, conversation: str) -> int:
        """Return the estimated number of tokens of this conversation that are sent."""
        return self._context(self.model(conversation=conversation))

    def _toolbox_of(self, conversation: str) -> TurnToolbox:
        """Return the toolbox whose background tasks belong to this conversation."""
        return BackgroundToolbox(self._recorded_toolbox, self._tools.tasks, conversation)

    def _task_starter(self, conversation: str) -> StartTask:
        """Return the function that runs asynchronous actions of windows."""
        return partial(start_in, self._tools.tasks, conversation)

    def _all_memory_places(self, conversation: str, context: int) -> tuple[ContextSlot, ...]:
        """Return the context slots that the memory adds to the requests of a turn."""
        return (
            *self._fact_places(conversation, context),
            *self._memory_places(conversation, context),
        )

    def _profile_slot(self, context: int) -> ContextSlot:
        """Return the context slot of what the user wrote about themselves."""
        settings = self._settings.settings
        profile = UserProfile(settings.you.name, settings.you.about, settings.pastimes.birthday)
        source = UserProfileContext(profile, chinese=language().startswith("zh"))
        return ContextSlot(source, min(PROFILE_BUDGET, context // PROFILE_SHARE))

    def _fact_places(self, conversation: str, context: int) -> tuple[ContextSlot, ...]:
        settings = self._settings.settings.memory
        wished = settings.recall and settings.facts
        if not wished or not self._memory.recall_allowed(conversation):
            return ()
        chinese = language().startswith("zh")
        source = FactsContext(
            self._memory.facts,
            timeout=self._recall_timeout,
            chinese=chinese,
            conversation=conversation,
        )
        return (ContextSlot(source, min(FACTS, context // FACTS_SHARE)),)

    def _memory_places(self, conversation: str, context: int) -> tuple[ContextSlot, ...]:
        settings = self._settings.settings.memory
        wanted = RecallScope(
            settings.recall and self._memory.recall_allowed(conversation),
            self.uses_knowledge(conversation),
            self._same_scope(conversation),
        )
        if not (wanted.messages or wanted.documents):
            return ()
        budget = min(MEMORY_BUDGET, context // MEMORY_SHARE)
        knowledge = self._memory.knowledge
        documents = DocumentMemory(knowledge, budget) if wanted.documents else None
        share = documents.share if documents is not None else 0
        holds = wanted.documents and knowledge.is_not_empty
        means = (wanted.messages or holds) and self.question_embedding.is_available
        source = MemoryContext(
            self._memory.messages,
            wanted,
            context=context,
            chinese=language().startswith("zh"),
            timeouts=RecallTimeouts(self._recall_timeout),
            asking=self.question_embedding if means else None,
            documents=documents,
        )
        return (ContextSlot(source, budget + share),)

    def uses_knowledge(self, conversation: str) -> bool:
        """Return whether this conversation may use the user's documents."""
        return self._settings.settings.memory.knowledge and self._memory.knowledge_allowed(
            conversation
        )

    def _same_scope(self, conversation: str) -> Callable[[str], bool] | None:
        """Return a function that tells whether memories of a conversation may be recalled in this
        one; None: memories of all conversations may be.
        """
        characters = self._character_assignments
        if not characters.has_separate_memory:
            return None
        scope, own = characters.scope, characters.scope(conversation)
        return lambda other: scope(other) == own

    def tool_mode(self, model: Model) -> str:
        """Return how the tools of this model's service are called (`ToolCallModes.mode_of`)."""
        if isinstance(model, FallbackModel):
            return self._modes.mode_of(model.choice.endpoint.base_url)
        return self._settings.settings.mode.mode

    def choose_tool_mode(self, service: str, mode: str) -> None:
        """Store how the tools of the service at this address are called."""
        self._modes.choose(service, mode, [one.base_url for one in self.catalog().endpoints])

    def _is_auto(self, base_url: str) -> bool:
        return self._modes.mode_of(base_url) == AUTO

    def _dialect_of(self, model: Model) -> Dialect:
        """Return the dialect of a model; the offline helper writes one text form only. The mode
        AUTO starts with native tools: only the user switches to text mode.
        """
        if self.tool_mode(model) != TEXT:
            return NATIVE
        if isinstance(model, OfflineModel):
            return TOOL_REQUEST
        return DIALECTS[self._settings.settings.mode.dialect]

    def model(self, purpose: Purpose = "chat", conversation: str = "", named: str = "") -> Model:
        """Return the model for `purpose`, of this conversation or of this name; the offline helper
        if there is no service.
        """
        if self._model is not None:
            return self._model
        own = self.own_model(conversation) if purpose == "chat" else ""
        own = named if named in self.offered_models() else own
        built = self._builder.build(
            self.catalog(),
            purpose,
            self._timeouts(),
            doubts=self._is_auto if purpose == "chat" else _never,
            named=own,
            others=self.reported_models() if own else (),
        )
        return built or self._offline(conversation)

    def _offline(self, conversation: str) -> OfflineModel:
        names = (self._personas.name_in("en"), self._personas.name_in("zh_CN"))
        cast = self._character_assignments
        if cast.character_of(conversation) or cast.companion_figure(conversation) is not None:
            names = (cast.name(conversation),) * 2
        return OfflineModel(known_tools=self._tools.toolbox.specs, names=names)

    def note_tool_test(self, choice: ModelChoice, *, ignored: bool) -> None:
        """Store whether a test found that this model ignores its tools."""
        self._builder.ignored.record_test(choice, ignored=ignored)

    def own_model(self, conversation: str) -> str:
        """Return the model that was chosen for this conversation alone if it can be used; else "".
        A model that the command line or the environment sets is used everywhere in this run.
        """
        name = self._models.chosen(conversation)
        return name if name in self.offered_models() and not self.is_model_overridden() else ""

    def offered_models(self) -> dict[str, tuple[str, ...]]:
        """Return the chat models by name, each with the services that offer it."""
        found: dict[str, tuple[str, ...]] = {}
        for choice in (*chat_models(self.catalog()), *self.reported_models()):
            found[choice.name] = (*found.get(choice.name, ()), choice.endpoint.name)
        return found

    def reported_models(self) -> tuple[ModelChoice, ...]:
        """Return the chat models that services reported and that are not configured."""
        asked = self._options
        catalog = with_reported_models(self._catalog(), self._models.reported_at)
        return chat_models(with_options(catalog, thinking=asked.thinking, stream=asked.stream))

    async def sample(self, server: str, question: SamplingRequest) -> Mapping[str, object]:
        """Return the text that an MCP server requests from the model, without tools and without any
        part of the conversation; the user has seen what is sent. Raises KnownError.
        """
        model = self.model("errand")
        if isinstance(model, OfflineModel):
            raise SamplingNeedsModel()
        messages: list[ModelMessage] = [
            AssistantTurn((TextPart(text),)) if role == "assistant" else UserTurn((TextPart(text),))
            for role, text in question.messages
        ]
        request = ModelRequest(question.system, join_turns(messages), tool_choice="none")
        said: list[str] = []
        async with aclosing(model.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    said.append(event.text)
                if sum(map(len, said)) > question.most * _CHARS_PER_TOKEN:
                    break
        return {"text": "".join(said), "model": model.label}

    @property
    def has_model(self) -> bool:
        """Whether a language model answers; otherwise the offline helper does."""
        return not isinstance(self.model(), OfflineModel)

    def create_dialogue_setup(self, conversation: str, number: int) -> TurnSetup:
        """Return the set-up of one companion in a dialogue. Raises DialogueNeedsModel."""
        model = self.model(conversation=conversation)
        if isinstance(model, OfflineModel):
            raise DialogueNeedsModel()
        guests = self._companions
        assert guests is not None, "a dialogue needs further companions"
        speakers = guests.dialogue_of(conversation)
        persona = guests.persona_of(speakers[number])
        names = [one.name for one in speakers]
        return TurnSetup(
            model=model,
            toolbox=NoTools(),
            dialect=self._dialect_of(model),
            persona=f"{persona.prompt}\n\n{dialogue_instructions(names, number)}",
            persona_from=persona.untrusted,
            limits=TurnLimits(rounds=1, calls=0),
            context=self._context(model),
            on_token_usage=partial(self._correction.learn, model.label),
            tool_choice="none",
            rewrite_history=partial(messages_for_speaker, names=names, speaker=number),
        )

    def create_background_setup(self, prompt: BackgroundPrompt) -> TurnSetup | None:
        """Return the set-up of this background prompt; None if the user switched it off or no model
        is available.
        """
        model = self._background_model(prompt.purpose)
        if model is None:
            return None
        mode = self._settings.settings.mode
        self._personas.refresh()
        return TurnSetup(
            model=model,
            toolbox=NoTools() if self.tool_mode(model) == NONE else self._recorded_toolbox,
            dialect=self._dialect_of(model),
            persona=prompt.system or f"{self._personas.current.prompt}\n\n{APP_RULES}",
            persona_from=() if prompt.system else self._personas.current.untrusted,
            limits=TurnLimits(rounds=prompt.rounds, calls=mode.max_calls),
            policy=_CurrentPolicy(
                self._settings, self._tools.apps, flow=self._options.ask_for_untrusted_flow
            ),
            leaked_call_families=self._forms.families() if mode.read_leaks else (),
            on_token_usage=partial(self._correction.learn, model.label),
            context=self._context(model),
            tool_choice="auto" if prompt.tools else "none",
        )

    def _background_model(self, purpose: Purpose) -> Model | None:
        titles = self._settings.settings.service.titles
        if self._model is not None:
            return self._model if purpose == "errand" else None
        if purpose == "title" and not titles:
            return None
        doubts = self._is_auto if purpose == "errand" else _never
        return self._builder.build(self.catalog(), purpose, self._timeouts(), doubts=doubts)

    def learns_facts(self, conversation: str) -> bool:
        """Return whether facts are extracted automatically from this conversation."""
        return self._settings.settings.memory.learn and self.keeps_facts(conversation)

    def keeps_facts(self, conversation: str) -> bool:
        """Return whether facts about the user from this conversation may be stored."""
        return self._settings.settings.memory.facts and self._memory.recall_allowed(conversation)

    def embedder(self) -> Embedder | None:
        """Return the model that creates vectors; None if the user has set no model for it. A
        service that is set for the chat may not read all texts for that reason alone.
        """
        catalog = self.catalog()
        if not catalog.purposes.embedding or not self._settings.settings.memory.meaning:
            return None
        return self._builder.build_embedder(catalog, self._timeouts())

    async def aclose(self) -> None:
        """Close the models and connections. Idempotent."""
        await self.question_embedding.aclose()
        await self.search_embedding.aclose()
        await self._builder.aclose()

    def _timeouts(self) -> ReplyTimeouts:
        service = self._settings.settings.service
        return ReplyTimeouts(service.stall_timeout, service.local_patience)

    def context_length(self, model: Model) -> int | None:
        """Return the largest number of tokens that `model` reads, if known."""
        if not isinstance(model, FallbackModel):
            return None
        if is_model_file(model.choice.endpoint.base_url):
            return self._settings.settings.local.context
        return model.choice.context

    def _context(self, model: Model) -> int:
        """Return the number of tokens of the conversation that are sent: half of the model's
        context length, if that is known. The context of a local model is set by the memory that it
        was given; there, tools and the reply need more than half.
        """
        return self._correction.estimated(model.label, self._sent(model))

    def _sent(self, model: Model) -> int:
        if not isinstance(model, FallbackModel):
            return DEFAULT_CONTEXT
        if is_model_file(model.choice.endpoint.base_url):
            return self._settings.settings.local.context * 2 // 5
        known = model.choice.context
        return DEFAULT_CONTEXT if known is None else min(known // 2, _MAX_CONTEXT)

    def catalog(self) -> Catalog:
        """Return the current `llm-config.json`; the simple settings if there is no file or the run
        sets its own service.
        """
        asked = self._options
        return with_options(self._catalog(), thinking=asked.thinking, stream=asked.stream)

    def _catalog(self) -> Catalog:
        self._services.refresh()
        written = self._services.catalog
        if written is None or self.is_service_overridden():
            return self.default_catalog()
        if self._settings.overridden("service", "model"):
            return with_named_model(written, self._settings.settings.service.model)
        return written

    def switch_protocol(self, protocol: str, address: str) -> None:
        """Use `protocol` for the endpoint at `address` from now on. Raises KnownError."""
        self._services.refresh()
        written = self._services.catalog
        if written is None or self.is_service_overridden():
            self._settings.change("service", "protocol", protocol)
            return
        named = [one.name for one in written.endpoints if one.base_url == address]

        def change(catalog: Catalog) -> Catalog:
            for name in named:
                catalog = change_endpoint(catalog, name, protocol=protocol)
            return catalog

        self._services.edit(change, written)

    def default_catalog(self) -> Catalog:
        """Return the catalogue made of the simple settings."""
        service = self._settings.settings.service
        return catalog_of_service(service.protocol, service.base_url, service.model)

    def is_service_overridden(self) -> bool:
        """Return whether the command line or the environment sets the service of this run."""
        return any(self._settings.overridden("service", n) for n in ("base_url", "protocol"))

    def is_model_overridden(self) -> bool:
        """Return whether the command line or the environment sets the model of this run, or there
        is nothing to choose.
        """
        if self._model is not None or self.is_service_overridden():
            return True
        return self._settings.overridden("service", "model")

    async def key(self, endpoint: Endpoint) -> str:
        """Return the key for requests to `endpoint`, "" for none."""
        return await self._key(endpoint)

    async def _read_key(self, name: str) -> str:
        """Read a key. The key of the environment is used for a single service only, never for
        several hosts.
        """
        return await self._models.secrets.get_async(
            name, environment=key_names(self.catalog()) == {name}
        )


_PATHS = TimelyPaths()


def approval_policy(settings: Settings) -> ApprovalPolicy:
    """Return the approval policy of the current settings."""
    mode = settings.mode
    return ApprovalPolicy(
        mode.always_allowed,
        mode.ask_before_every_change,
        tool_rules(settings),
        partial(_PATHS.tell, AllowedFolders(lambda: allowed_folders(settings)).real),
    )


def allowed_folders(settings: Settings) -> list[Path]:
    return [Path(one) for one in settings.files.folders]


def tool_rules(settings: Settings) -> ToolRules:
    mode = settings.mode
    new = NewToolPolicy(mode.new_tools)
    return ToolRules(mode.tool_rules, mode.source_rules, mode.met_tools, new, mode.hidden_lists)


class _CurrentPolicy:
    """A policy that reads the settings at each call. A call in windows asks if one of its actions
    asks.
    """

    def __init__(self, settings: SettingsStore, apps: AppWindows | None, *, flow: bool) -> None:
        self._settings = settings
        self._apps = apps
        self._flow = flow

    def asks(self, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        policy = approval_policy(self._settings.settings)
        return any(policy.asks(*one) for one in self._called_actions(spec, arguments))

    def flow(
        self, spec: ToolSpec, arguments: Mapping[str, object], reading: ContextReading, found: int
    ) -> FlowQuestion | None:
        if not self._flow or not reading.labels.untrusted:
            return None
        policy = approval_policy(self._settings.settings)
        meant = self._called_actions(spec, arguments)
        asked = (policy.flow(*one, reading, found) for one in meant)
        return next((one for one in asked if one is not None), None)

    def _called_actions(
        self, spec: ToolSpec, arguments: Mapping[str, object]
    ) -> Sequence[tuple[ToolSpec, Mapping[str, object]]]:
        if self._apps is None:
            return [(spec, arguments)]
        return self._apps.caller.called_actions(spec, arguments)


def _windows_place(apps: AppWindows | None, context: int) -> tuple[ContextSlot, ...]:
    """Return the context source of the windows, within their share of the conversation's tokens."""
    return (
        (ContextSlot(WindowsContext(apps.host), round(WINDOWS_SHARE * context)),)
        if apps is not None
        else ()
    )


def _limits(mode: ToolModeSettings, dialect: Dialect) -> TurnLimits:
    tags = dialect.name == TOOL_TAG.name
    return TurnLimits(
        mode.max_tag_rounds if tags else mode.max_rounds,
        mode.max_calls,
        parallel=MOST_PARALLEL_CALLS if mode.parallel_tools else 1,
    )


def _select_tools(
    apps: AppWindows | None,
    begin: StartTask | None,
    toolbox: TurnToolbox,
    messages: Sequence[Message],
    context: int,
) -> TurnToolbox:
    """Return the toolbox of one turn: a selection of many tools, and the windows."""
    found = SearchableToolbox(toolbox, messages, context)
    return ToolboxWithWindows(found, apps.host, apps.caller, begin) if apps is not None else found


def key_names(catalog: Catalog) -> set[str]:
    """Return the names of the keys that its services need; local models need none."""
    addresses = (endpoint.base_url for endpoint in catalog.endpoints)
    return {key_name(address) for address in addresses if not is_model_file(address)}
