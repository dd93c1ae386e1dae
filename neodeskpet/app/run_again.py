"""Runs a finished tool call again, with arguments that the user may edit.

The call runs as a background task of the conversation: its result is shown in the card at once and
goes to the model with the next message. If the call needs a permission, the card shows the question
before the call runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from neodeskpet.app.engine import Engine
from neodeskpet.app.turn_factory import approval_policy
from neodeskpet.core.background_tasks import Task
from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.data_labels import DataSource, SourceKind, labels_of
from neodeskpet.core.errors import ToolError, ToolFault
from neodeskpet.core.toolspec import Risk, ToolOffer, ToolSpec
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.language import tr, translate_fault
from neodeskpet.language.approval_text import (
    answer_labels,
    question_fact,
    question_subject,
    question_title,
)
from neodeskpet.toolkit.executor import CallOrigin, acting_for
from neodeskpet.ui.chat.argument_form import ArgumentField, ArgumentForm, argument_fields
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.formatting import format_result
from neodeskpet.ui.task_runner import TaskRunner

_MOST_SHOWN = 2_000
"""The largest number of characters of a result that the form shows."""
_ORIGIN = CallOrigin(labels_of(DataSource(SourceKind.OTHER), untrusted=True), approved=True)
"""The model wrote the arguments, possibly from untrusted text: stored data is marked so."""


class RunAgainController:
    """Opens the forms in the cards of `view`. `work` runs the calls and reports known errors."""

    def __init__(self, engine: Engine, view: ChatView, work: TaskRunner) -> None:
        self._engine = engine
        self._view = view
        self._work = work
        view.run_again_requested.connect(self.open)
        view.set_repeatable(self.can_run)

    def can_run(self, call: ToolUse) -> bool:
        """Return whether the card of a finished call offers to run it again."""
        if call.task or call.arguments is None:
            return False
        spec = self._engine.tools.toolbox.spec(call.name)
        return spec is not None and spec.risk is not Risk.GESTURE

    def open(self, message_id: str, call: ToolUse) -> None:
        """Show the form with the arguments of `call` in its card."""
        offer = self._engine.tools.toolbox.offer()
        spec = next((one for one in offer.specs if one.name == call.name), None)
        if spec is None:
            return
        fields = argument_fields(spec.parameters, call.arguments or {})
        card = (message_id, call.index)
        form = self._show(card, fields=fields, words=(tr("Run"), tr("Back")))
        form.confirmed.connect(partial(self._take, card, form, offer, spec))
        form.take_focus()

    def _show(
        self,
        card: tuple[str, int],
        *,
        heading: str = "",
        fields: Sequence[ArgumentField] = (),
        words: tuple[str, str],
    ) -> ArgumentForm:
        self._view.card_forms.close(card)
        theme = self._view.item_style.theme
        form = ArgumentForm(fields, theme, None, heading=heading, words=words)
        form.cancelled.connect(partial(self._leave, card))
        self._view.card_forms.open(card, form)
        return form

    def _leave(self, card: tuple[str, int]) -> None:
        self._view.card_forms.close(card)

    def _take(
        self,
        card: tuple[str, int],
        form: ArgumentForm,
        offer: ToolOffer,
        spec: ToolSpec,
        values: object,
    ) -> None:
        if not isinstance(values, Mapping):
            return
        try:
            offer.check(spec.name, values)
        except ToolError as error:
            form.show_error(translate_fault(ToolFault.of(error)))
            return
        self._work.start("run again", partial(self._ask, card, offer, spec, values))

    async def _ask(
        self,
        card: tuple[str, int],
        offer: ToolOffer,
        spec: ToolSpec,
        values: Mapping[str, object],
    ) -> None:
        """Run the call at once, or after the user has allowed it."""
        run: Callable[[], None] = partial(
            self._work.start, "run again", partial(self._run, card, offer, spec, values)
        )
        if not approval_policy(self._engine.settings.settings).asks(spec, values):
            run()
            return
        preview = await offer.preview(spec.name, values)
        if preview.error is not None:
            self._show_end(card, translate_fault(ToolFault.of(preview.error)))
            return
        asking = ToolUse(card[1], 0, "", spec.name, arguments=values, question=preview.question)
        title = question_title(asking, tr(spec.title or spec.name))
        thing = question_subject(asking)[:_MOST_SHOWN]
        heading = "\n".join(filter(None, (title, thing, question_fact(asking))))
        question = self._show(card, heading=heading, words=answer_labels(asking))
        question.confirmed.connect(lambda _values: run())
        question.back.setFocus()

    async def _run(
        self,
        card: tuple[str, int],
        offer: ToolOffer,
        spec: ToolSpec,
        values: Mapping[str, object],
    ) -> None:
        info = self._engine.chat.conversation
        if info is None:
            return
        tasks = self._engine.tools.tasks
        ended: asyncio.Future[Task] = asyncio.get_running_loop().create_future()
        with acting_for(_ORIGIN):
            task = await tasks.start(
                info.id,
                spec.name,
                values,
                partial(offer.run, spec.name, values),
                foreign=spec.brings_foreign,
                labels=spec.labels | _ORIGIN.labels,
                wakes=False,
            )

        def look(changed: Task) -> None:
            if changed.id == task.id and not changed.running and not ended.done():
                ended.set_result(changed)

        unsubscribe = tasks.subscribe(look)
        try:
            known = tasks.task(task.id)
            if known is not None:
                look(known)
            done = await ended
        finally:
            unsubscribe()
        self._show_end(card, format_result(done.call) or tr("done"))

    def _show_end(self, card: tuple[str, int], text: str) -> None:
        heading = show_hidden_chars(text)[:_MOST_SHOWN]
        note = tr("The companion reads this with your next message.")
        form = self._show(card, heading=f"{heading}\n\n{note}", words=(tr("Close"), tr("Back")))
        form.back.hide()
        form.confirmed.connect(lambda _values: self._leave(card))
