"""What the person answers to a call that asks, from the card or at the pet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from neodeskpet.apps.toolbox import ACT_SPEC
from neodeskpet.conversation.ports import Decision
from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.errors import KnownError, ToolError
from neodeskpet.core.scope import Grant
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.windows.calls import ACT_TOOL
from neodeskpet.engine import Engine
from neodeskpet.language import translate_error, translate_reasons
from neodeskpet.minds import approval_policy


class ApprovalController:
    """A `ApprovalInfo`. `trouble` is told when an answer can't be remembered."""

    def __init__(self, engine: Engine, trouble: Callable[[KnownError], None]) -> None:
        self._engine = engine
        self._trouble = trouble

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        spec = self._spec(call)
        if spec is None:
            return ()
        return self._find_offer(spec, call.arguments or {}, flows=call.flow is not None)

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        spec = self._spec(call)
        return {} if spec is None else spec.parameters

    def _spec(self, call: ToolUse) -> ToolSpec | None:
        return ACT_SPEC if call.name == ACT_TOOL else self._engine.toolbox.spec(call.name)

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
        """`said` comes through Qt's signals: anything but a `ConsentAnswer` denies."""
        approvals = self._engine.chat.approvals
        question = approvals.get(message_id, index)
        if question is None:
            return
        answer = ConsentAnswer.read(said)
        flows = question.flow is not None
        for grant in self._find_offer(question.spec, question.arguments, flows=flows):
            if answer is ConsentAnswer.for_grant(grant):
                self._remember(grant)  # first: the turn asks the policy again after the answer
        approvals.answer(message_id, index, Decision(answer.allows, reason))

    def edit(self, message_id: str, index: int, arguments: Mapping[str, object]) -> None:
        """Allow it once, with these arguments."""
        decision = Decision(True, arguments=arguments)
        self._engine.chat.approvals.answer(message_id, index, decision)

    def _find_offer(
        self, spec: ToolSpec, arguments: Mapping[str, object], *, flows: bool
    ) -> tuple[Grant, ...]:
        """`flows`: the call asks because of what was read."""
        policy = approval_policy(self._engine.settings.settings)
        offers = policy.flow_offers if flows else policy.offers
        if spec.name != ACT_TOOL:
            return offers(spec, arguments)
        # "Always" is said of one action: several in one call are answered for once.
        meant = self._engine.apps.caller.called_actions(spec, arguments)
        return offers(*meant[0]) if len(meant) == 1 else ()

    def _remember(self, grant: Grant) -> None:
        settings = self._engine.settings
        allowed = settings.settings.mode.always_allowed
        if grant in allowed:
            return
        same = replace(grant, form="")
        kept = [one for one in allowed if replace(one, form="") != same]  # the tool was another
        try:
            settings.change("mode", "always_allowed", (*kept, grant))
        except KnownError as error:
            self._trouble(error)
