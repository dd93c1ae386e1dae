"""What servers of tools ask the person in the middle of a call: in the card of that call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from neodeskpet.core.errors import KnownError, ToolFault
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.visible import show_hidden_chars
from neodeskpet.core.wording import N_
from neodeskpet.language import tr, translate_fault
from neodeskpet.mcp.elicitation import defaults, form_schema
from neodeskpet.mcp.life import START_KEY
from neodeskpet.mcp.names import tool_name
from neodeskpet.mcp.session_port import (
    FormRequest,
    OpenUrlRequest,
    SamplingRequest,
    UserAnswer,
    UserQuestion,
)
from neodeskpet.tools.schema_tool import SchemaTool, schema_tool
from neodeskpet.ui.chat.consent.fields import argument_fields
from neodeskpet.ui.chat.consent.form import ArgumentForm
from neodeskpet.ui.chat.view.view import ChatView

_MAX_QUESTION = 2000
_ROLES = {
    "system": N_("Instructions"),
    "user": N_("Request"),
    "assistant": N_("Earlier answer"),
}
_UNSHOWN = "What would be sent can't be shown to the person as a whole."
_MAX_SENT = 8000
"""Characters of what a server wants sent to the model."""

OpenAddress = Callable[[QUrl], bool]


class ElicitationCard:
    """`say` is the companion's bubble: the chat may be closed. Where no card of that call is in
    the open conversation, nobody is asked.
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
        """An `mcp.host.Ask`."""
        if key is START_KEY:  # the person pressed a button in the settings, and waits for it
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
        self._say(tr("{name} asks you something in the chat.", name=show_hidden_chars(server)))
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
        """All that would be sent is shown; what is too long for that isn't sent."""
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
        left = tr("Texts left for this server in this hour: {count}", count=str(question.left))
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
    """Why the server would refuse these values; "" if it takes them."""
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
    """The values go elsewhere."""


def _ignore_progress(fraction: float | None, text: str) -> None:
    """Nothing takes long."""
