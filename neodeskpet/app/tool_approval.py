"""Handles the user's answers in tool cards: whether a call may run, and questions of an MCP server
during a call (elicitation).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from neodeskpet.app.approval_grants import ApprovalGrants
from neodeskpet.app.engine import Engine
from neodeskpet.conversation.ports import Decision
from neodeskpet.core.app_windows.window_calls import ACT_TOOL
from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.errors import KnownError, ToolError, ToolFault
from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.i18n import N_
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.language import tr, translate_error, translate_fault, translate_reasons
from neodeskpet.mcp.result_mapping import defaults, form_schema
from neodeskpet.mcp.server_connection import START_KEY
from neodeskpet.mcp.server_tools import tool_name
from neodeskpet.mcp.session_interface import (
    FormRequest,
    OpenUrlRequest,
    SamplingRequest,
    UserAnswer,
    UserQuestion,
)
from neodeskpet.settings.tool_permissions import refuse_tool
from neodeskpet.toolkit.schema_tool import SchemaTool, schema_tool
from neodeskpet.tools.apps.app_windows import ACT_SPEC
from neodeskpet.ui.chat.argument_form import ArgumentForm, argument_fields
from neodeskpet.ui.chat.view.chat_view import ChatView


class ApprovalController:
    """An `ApprovalInfo`. `show_error` reports that an answer can't be stored."""

    def __init__(self, engine: Engine, show_error: Callable[[KnownError], None]) -> None:
        self._engine = engine
        self._grants = ApprovalGrants(engine)
        self._show_error = show_error

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        spec = self._spec(call)
        if spec is None:
            return ()
        flows = call.flow is not None
        return self._grants.offers(spec, call.arguments or {}, flows=flows, question=call.question)

    def can_refuse(self, call: ToolUse) -> bool:
        # A call of an app's window is one of many actions of one tool.
        return call.name != ACT_TOOL and self._spec(call) is not None

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        spec = self._spec(call)
        return {} if spec is None else spec.parameters

    def _spec(self, call: ToolUse) -> ToolSpec | None:
        return ACT_SPEC if call.name == ACT_TOOL else self._engine.tools.toolbox.spec(call.name)

    def argument_error(self, message_id: str, index: int, arguments: Mapping[str, object]) -> str:
        question = self._engine.chat.approvals.get(message_id, index)
        if question is None:
            return ""
        try:
            question.check(arguments)
        except KnownError as error:
            reasons = error.reasons if isinstance(error, ToolError) else ()
            return translate_reasons(reasons) or translate_error(error)[0]
        return ""

    def answer(self, message_id: str, index: int, said: object, reason: str = "") -> None:
        """Answer a question. `said` comes through Qt's signals: any value but a `ConsentAnswer`
        denies.
        """
        approvals = self._engine.chat.approvals
        question = approvals.get(message_id, index)
        if question is None:
            return
        answer = ConsentAnswer.read(said)
        if answer is ConsentAnswer.NEVER and question.spec.name != ACT_TOOL:
            try:
                refuse_tool(self._engine.settings, question.spec.id)
            except KnownError as error:
                self._show_error(error)
        flows = question.flow is not None
        for grant in self._grants.offers(question.spec, question.arguments, flows=flows):
            if answer is ConsentAnswer.for_grant(grant):
                try:
                    # First, because the turn asks the policy again after the answer.
                    self._grants.remember(grant)
                except KnownError as error:
                    self._show_error(error)
        approvals.answer(message_id, index, Decision(answer.allows, reason))

    def edit(self, message_id: str, index: int, arguments: Mapping[str, object]) -> None:
        """Allow a call once, with these arguments."""
        decision = Decision(True, arguments=arguments)
        self._engine.chat.approvals.answer(message_id, index, decision)


_MAX_QUESTION = 2000
_ROLES = {
    "system": N_("Instructions"),
    "user": N_("Request"),
    "assistant": N_("Earlier answer"),
}
_UNSHOWN = "The request can't be shown to the user completely."
_MAX_SENT = 8000
"""The largest number of characters of a server's request that is sent to the model."""

OpenAddress = Callable[[QUrl], bool]


class ElicitationCard:
    """Shows questions of MCP servers. `say` shows a text in the companion's bubble, since the chat
    may be closed. If the open conversation has no card of that call, the question is not shown.
    """

    def __init__(
        self,
        view: ChatView,
        say: Callable[[str], None],
        *,
        open_url: OpenAddress = QDesktopServices.openUrl,
    ) -> None:
        self._view = view
        self._say = say
        self._open_url = open_url

    async def ask(self, server: str, key: object, question: UserQuestion) -> UserAnswer:
        """An `mcp.mcp_host.Ask`."""
        if key is START_KEY:  # the user pressed a button in the settings and waits for the result
            visited = isinstance(question, OpenUrlRequest) and self._visit(question.url)
            return UserAnswer(visited or None)
        card = self._view.card_forms.running_card({tool_name(server, str(key))})
        form = self._form(server, question)
        if card is None or form is None:
            return UserAnswer(why=_UNSHOWN if isinstance(question, SamplingRequest) else "")
        answer: asyncio.Future[UserAnswer] = asyncio.get_running_loop().create_future()

        def settle(given: UserAnswer) -> None:
            if not answer.done():
                answer.set_result(given)

        form.confirmed.connect(lambda values: self._take(question, form, values, settle))
        form.cancelled.connect(lambda: settle(UserAnswer(False)))
        self._view.card_forms.open(card, form)
        self._say(tr("{name} has a question for you in the chat.", name=show_hidden_chars(server)))
        try:
            return await answer
        finally:
            self._view.card_forms.close(card)

    def _form(self, server: str, question: UserQuestion) -> ArgumentForm | None:
        if isinstance(question, SamplingRequest):
            return self._sampling(server, question)
        message = show_hidden_chars(question.message)[:_MAX_QUESTION]
        heading = tr("{name} asks: {question}", name=show_hidden_chars(server), question=message)
        if isinstance(question, OpenUrlRequest):
            if not _is_web(question.url):
                return None
            heading += f"\n{show_hidden_chars(question.url)[:_MAX_QUESTION]}"
            words = (tr("Open in the browser"), tr("No"))
            return ArgumentForm((), self._view.item_style.theme, None, heading=heading, words=words)
        schema = form_schema(question.schema)
        words = (tr("Answer"), tr("Don't answer"))
        fields = argument_fields(schema, defaults(schema))
        return ArgumentForm(fields, self._view.item_style.theme, None, heading=heading, words=words)

    def _sampling(self, server: str, question: SamplingRequest) -> ArgumentForm | None:
        """Return a form that shows all text that would be sent; None if it is too long to show."""
        sent = [
            tr("{name}: {text}", name=tr(_ROLES.get(role, role)), text=show_hidden_chars(text))
            for role, text in question.sent
        ]
        if sum(map(len, sent)) > _MAX_SENT:
            return None
        heading = tr(
            "{name} asks your language model for a text of at most {tokens} tokens. Only this is "
            "sent, nothing of your conversation:",
            name=show_hidden_chars(server),
            tokens=f"{question.most:,}",
        )
        left = tr("Requests left for this server this hour: {count}", count=str(question.left))
        heading = "\n\n".join((heading, *sent, left))
        words = (tr("Send to the model"), tr("Deny"))
        return ArgumentForm((), self._view.item_style.theme, None, heading=heading, words=words)

    def _take(
        self,
        question: UserQuestion,
        form: ArgumentForm,
        values: object,
        settle: Callable[[UserAnswer], None],
    ) -> None:
        if isinstance(question, OpenUrlRequest):
            settle(UserAnswer(self._visit(question.url)))
        elif isinstance(question, SamplingRequest):
            settle(UserAnswer(True))
        elif isinstance(values, Mapping):
            fault = _value_fault(question, values)
            form.show_error(fault)
            if not fault:
                settle(UserAnswer(True, values))

    def _visit(self, address: str) -> bool:
        return _is_web(address) and self._open_url(QUrl(address))


def _is_web(address: str) -> bool:
    url = QUrl(address, QUrl.ParsingMode.StrictMode)
    return url.isValid() and url.scheme() in ("http", "https") and bool(url.host())


def _value_fault(question: FormRequest, values: Mapping[str, object]) -> str:
    """Return why the server would reject these values; "" if they are valid."""
    with suppress(ValueError, TypeError):
        form: SchemaTool = schema_tool(
            ToolSpec("", "", form_schema(question.schema)), _ignore_values
        )
        try:
            form.prepare(dict(values), _ignore_progress)
        except KnownError as error:
            return translate_fault(ToolFault.of(error))
    return ""


def _ignore_values(values: dict[str, object], progress: object) -> None:
    """Ignore the values; they are handled elsewhere."""


def _ignore_progress(fraction: float | None, text: str) -> None:
    """Ignore the progress; no step takes long."""
