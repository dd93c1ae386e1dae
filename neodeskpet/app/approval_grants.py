"""Decides what "always" can mean for a call that asks, and stores the answer. Used by the chat and
the terminal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from neodeskpet.app.engine import Engine
from neodeskpet.app.turn_factory import approval_policy
from neodeskpet.core.app_windows.window_calls import ACT_TOOL
from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.tool_result import ApprovalText
from neodeskpet.core.toolspec import ToolSpec


class ApprovalGrants:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def offers(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, object],
        *,
        flows: bool,
        question: ApprovalText | None = None,
    ) -> tuple[Grant, ...]:
        """Return the possible meanings of "always", the narrowest first; none for a call that can't
        be undone. `flows`: the call asks because of what was read.
        """
        if question is not None and question.undoable is False:
            return ()
        policy = approval_policy(self._engine.settings.settings)
        offers = policy.flow_offers if flows else policy.offers
        if spec.name != ACT_TOOL:
            return offers(spec, arguments)
        # "Always" applies to one action; several actions in one call are answered "once".
        meant = self._engine.tools.apps.caller.called_actions(spec, arguments)
        return offers(*meant[0]) if len(meant) == 1 else ()

    def remember(self, grant: Grant) -> None:
        """Store the answer "always". Raises KnownError if the settings can't be written."""
        settings = self._engine.settings
        allowed = settings.settings.mode.always_allowed
        if grant in allowed:
            return
        same = replace(grant, form="")
        # An older definition of the tool.
        kept = [one for one in allowed if replace(one, form="") != same]
        settings.change("mode", "always_allowed", (*kept, grant))
