"""The chat: its window and view, and the controllers that connect them to the engine."""

from __future__ import annotations

from collections.abc import Callable

from neodeskpet.app.chat_startup import ChatStartup
from neodeskpet.app.companion_manager import CompanionManager
from neodeskpet.app.desktop_context import DesktopContext
from neodeskpet.app.engine import Engine
from neodeskpet.app.mcp_servers import ServerPrompts
from neodeskpet.app.model_picker_controller import ModelPickerController
from neodeskpet.app.run_again import RunAgainController
from neodeskpet.app.service_settings import CatalogAdapter
from neodeskpet.app.theme_manager import DisplayNames
from neodeskpet.app.tool_approval import ApprovalController
from neodeskpet.conversation.fact_learning import FactLearner
from neodeskpet.conversation.titles_and_summaries import TitleWriter
from neodeskpet.core.toolspec import Risk
from neodeskpet.tools.apps.app_windows import ACT_SPEC
from neodeskpet.ui.bridge import Bridge
from neodeskpet.ui.chat.chat_presenter import ChatPresenter
from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.chat.composer.slash_menu import SlashMenu
from neodeskpet.ui.chat.context_meter import ContextMeterController
from neodeskpet.ui.chat.conversation_follower import ConversationSwitch, SummaryController
from neodeskpet.ui.chat.find.find_controller import FindController
from neodeskpet.ui.chat.view.chat_view import ChatView


class ChatParts:
    """Created by `DesktopApp`. `budget_line` returns the line about the budget that the context
    meter shows. `early` has the window if that is shown already.
    """

    def __init__(
        self,
        context: DesktopContext,
        companions: CompanionManager,
        approval: ApprovalController,
        names: DisplayNames,
        *,
        budget_line: Callable[[], str],
        early: ChatStartup | None = None,
    ) -> None:
        engine, theme = context.engine, context.theme_manager.theme
        show_error = context.notices.show_error
        self._engine = engine
        self._early = early
        self._companions = companions
        self.view = early.view if early is not None else ChatView(theme)
        _connect_view(self.view, engine, approval, names)
        self.run_again = RunAgainController(engine, self.view, context.work)
        self.bridge = Bridge([self.view, companions])
        self.window = early.window if early is not None else ChatWindow(self.view, theme)
        sidebar = self.window.sidebar
        sidebar.model.face_of = companions.conversation_face
        companions.faces.changed.connect(sidebar.list.viewport().update)
        sidebar.results.name_of = engine.storage.characters.name
        self.presenter = ChatPresenter(
            engine.chat,
            engine.storage.store,
            self.window,
            self.view,
            self.bridge,
            undo_call=engine.tools.undo.undo_call,
            name=lambda: engine.storage.personas.current.name,
        )
        if early is not None:
            self.presenter.keep_preview(early.conversation_id)
        self.find = FindController(
            engine.chat,
            engine.storage.store,
            engine.memory.search,
            self.window,
            self.view,
            enter=self.presenter.open_at,
            progress=lambda: engine.memory.search_indexer.progress,
            failed=show_error,
        )
        self.slash_menu = SlashMenu(
            self.window.composer,
            ServerPrompts(engine.tools.mcp_servers),
            theme,
            attach=self.presenter.attachment_controller.attach_pictures,
            failed=show_error,
        )
        self.catalogue = CatalogAdapter(engine)
        self.model_picker = ModelPickerController(
            engine, self.catalogue, self.window.header, show_error
        )
        self.memory_switch = ConversationSwitch(
            engine.chat, engine.memory.recall_choices, show_error
        )
        self.context_meter = ContextMeterController(
            engine.chat,
            engine.storage.store,
            engine.storage.store.spending,
            self.window.header,
            theme,
            budget_line,
        )
        summaries = SummaryController(
            engine.chat, engine.memory.summaries.summaries, engine.storage.store, self.view
        )
        titles = TitleWriter(engine.chat, engine.storage.store, engine.models.background_prompts)
        self.fact_learner = FactLearner(
            engine.chat,
            engine.storage.store,
            engine.memory.store.facts,
            engine.models.background_prompts,
            engine.models.turn_factory.learns_facts,
        )
        context.exits.add(
            self.bridge.discard,
            self.presenter.aclose,
            self.find.aclose,
            self.slash_menu.aclose,
            titles.stop,
            self.fact_learner.stop,
            self.context_meter.aclose,
            summaries.aclose,
        )

    def is_user_writing(self) -> bool:
        """Whether the user is writing, or talks with another companion."""
        return self.window.composer.has_content() or self._companions.active_companion is not None

    def send_early_texts(self) -> None:
        """Send what the user entered before the engine was open."""
        early, self._early = self._early, None
        if early is None or not early.sent_texts:
            return
        self.window.composer.set_queue(())
        for text in early.sent_texts:
            self.presenter.send(text, [])


def _connect_view(
    view: ChatView, engine: Engine, approval: ApprovalController, names: DisplayNames
) -> None:
    """Pass the tools to `view`: which can be undone, which are gestures."""
    specs = [*engine.tools.toolbox.all_specs(), ACT_SPEC]
    view.set_approval_info(approval)
    view.approval_given.connect(approval.answer)
    view.arguments_edited.connect(approval.edit)
    view.set_undoable(engine.tools.undo.can_undo)
    calls = engine.tools.tasks.running_calls
    view.set_detachable(lambda call: calls.can_detach(call.name, call.arguments or {}))
    view.detach_requested.connect(lambda call: calls.detach(call.name, call.arguments or {}))
    view.set_stoppable(lambda call: calls.can_stop(call.name, call.arguments or {}))
    view.stop_requested.connect(lambda call: calls.stop(call.name, call.arguments or {}))
    view.set_main_argument_names({spec.name: spec.main_argument for spec in specs})
    view.set_gestures(spec.name for spec in specs if spec.risk is Risk.GESTURE)
    changing = (Risk.APP_DATA, Risk.WRITE, Risk.RUN)
    view.set_changing_tools(spec.name for spec in specs if spec.risk in changing)
    view.set_expression_names(names.part)
    view.set_tool_titles(names.tool)
