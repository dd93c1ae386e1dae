"""What servers of tools ask the person in the middle of a call: in the card of that call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from neodeskpet.core.errors import KnownError, ToolFault
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.visible import visible
from neodeskpet.core.wording import N_
from neodeskpet.language import say_fault, tr
from neodeskpet.mcp.elicitation import defaults, form_schema
from neodeskpet.mcp.life import START
from neodeskpet.mcp.names import tool_name
from neodeskpet.mcp.session_port import (
    Answer,
    Form,
    Question,
    Sampling,
    Visit,
)
from neodeskpet.tools.schema_tool import SchemaTool, schema_tool
from neodeskpet.ui.chat.consent.fields import fields_of
from neodeskpet.ui.chat.consent.form import ArgumentForm
from neodeskpet.ui.chat.view.view import ChatView

_LONGEST = 2000
_ROLES = {
    "system": N_("Instructions"),
    "user": N_("Request"),
    "assistant": N_("Earlier answer"),
}
_UNSHOWN = "What would be sent can't be shown to the person as a whole."
_SENT = 8000
"""Characters of what a server wants sent to the model."""

Opener = Callable[[QUrl], bool]


class Inquiry:
    """`say` is the companion's bubble: the chat may be closed. Where no card of that call is in
    the open conversation, nobody is asked.
    """

    def __init__(
        self,
        view: ChatView,
        say: Callable[[str], None],
        *,
        open_url: Opener = QDesktopServices.openUrl,
    ) -> None:
        self._view = view
        self._say = say
        self._open_url = open_url

    async def ask(self, server: str, key: object, question: Question) -> Answer:
        """An `mcp.host.Ask`."""
        if key is START:  # the person pressed a button in the settings, and waits for it
            visited = isinstance(question, Visit) and self._visit(question.url)
            return Answer(visited or None)
        card = self._view.inquiries.running({tool_name(server, str(key))})
        form = self._form(server, question)
        if card is None or form is None:
            return Answer(why=_UNSHOWN if isinstance(question, Sampling) else "")
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def settle(given: Answer) -> None:
            if not answer.done():
                answer.set_result(given)

        form.confirmed.connect(lambda values: self._take(question, form, values, settle))
        form.left.connect(lambda: settle(Answer(False)))
        self._view.inquiries.open(card, form)
        self._say(tr("{name} asks you something in the chat.", name=visible(server)))
        try:
            return await answer
        finally:
            self._view.inquiries.close(card)

    def _form(self, server: str, question: Question) -> ArgumentForm | None:
        if isinstance(question, Sampling):
            return self._sampling(server, question)
        message = visible(question.message)[:_LONGEST]
        heading = tr("{name} asks: {question}", name=visible(server), question=message)
        if isinstance(question, Visit):
            if not _is_web(question.url):
                return None
            heading += f"\n{visible(question.url)[:_LONGEST]}"
            words = (tr("Open in the browser"), tr("No"))
            return ArgumentForm((), self._view.look.theme, None, heading=heading, words=words)
        schema = form_schema(question.schema)
        words = (tr("Answer"), tr("Don't answer"))
        fields = fields_of(schema, defaults(schema))
        return ArgumentForm(fields, self._view.look.theme, None, heading=heading, words=words)

    def _sampling(self, server: str, question: Sampling) -> ArgumentForm | None:
        """All that would be sent is shown; what is too long for that isn't sent."""
        sent = [
            tr("{name}: {text}", name=tr(_ROLES.get(role, role)), text=visible(text))
            for role, text in question.sent
        ]
        if sum(map(len, sent)) > _SENT:
            return None
        heading = tr(
            "{name} asks your language model for a text of at most {tokens} tokens. Only this is "
            "sent, nothing of your conversation:",
            name=visible(server),
            tokens=f"{question.most:,}",
        )
        left = tr("Texts left for this server in this hour: {count}", count=str(question.left))
        heading = "\n\n".join((heading, *sent, left))
        words = (tr("Send to the model"), tr("Deny"))
        return ArgumentForm((), self._view.look.theme, None, heading=heading, words=words)

    def _take(
        self,
        question: Question,
        form: ArgumentForm,
        values: object,
        settle: Callable[[Answer], None],
    ) -> None:
        if isinstance(question, Visit):
            settle(Answer(self._visit(question.url)))
        elif isinstance(question, Sampling):
            settle(Answer(True))
        elif isinstance(values, Mapping):
            fault = _fault(question, values)
            form.show_fault(fault)
            if not fault:
                settle(Answer(True, values))

    def _visit(self, address: str) -> bool:
        return _is_web(address) and self._open_url(QUrl(address))


def _is_web(address: str) -> bool:
    url = QUrl(address, QUrl.ParsingMode.StrictMode)
    return url.isValid() and url.scheme() in ("http", "https") and bool(url.host())


def _fault(question: Form, values: Mapping[str, object]) -> str:
    """Why the server would refuse these values; "" if it takes them."""
    with suppress(ValueError, TypeError):
        form: SchemaTool = schema_tool(ToolSpec("", "", form_schema(question.schema)), _nothing)
        try:
            form.prepare(dict(values), _quiet)
        except KnownError as error:
            return say_fault(ToolFault.of(error))
    return ""


def _nothing(values: dict[str, object], progress: object) -> None:
    """The values go elsewhere."""


def _quiet(fraction: float | None, text: str) -> None:
    """Nothing takes long."""
