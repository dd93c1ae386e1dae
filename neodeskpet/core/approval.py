"""Decides which tool calls ask the user first, from the tool and its arguments at the time of the
call.

A call of a tool that the turn doesn't know is never run, so it never asks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, assert_never

from neodeskpet.core.data_labels import FlowQuestion
from neodeskpet.core.grant_scope import (
    Constraint,
    Grant,
    PathUnknown,
    RealPath,
    ScopeKind,
    constraints_of,
    covers,
)
from neodeskpet.core.information_flow import ContextReading, flow_question
from neodeskpet.core.sensitive_paths import is_run_by_other_programs
from neodeskpet.core.tool_settings import AskWhen, NewToolPolicy, ToolRule
from neodeskpet.core.toolspec import Disclosure, Risk, ToolSpec


class Policy(Protocol):
    """Is asked for each call, so an answer that the user gives in the middle of a turn takes effect
    at once.
    """

    def asks(self, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        """Return whether this call of the tool `spec` must be approved because of its risk."""
        ...

    def flow(
        self, spec: ToolSpec, arguments: Mapping[str, object], reading: ContextReading, found: int
    ) -> FlowQuestion | None:
        """Return why this call must be approved because of what the model has read
        (`core/information_flow.py`), or None. `found` is the number of found addresses that the
        reply has used.
        """
        ...


class ConsentAnswer(Enum):
    """The user's answer to a permission question. ONCE: this call. WITHIN and ALWAYS: later calls
    too, within a scope or without one. NEVER: not this call, and the tool is turned off.
    """

    ONCE = "once"
    WITHIN = "within"
    ALWAYS = "always"
    DENY = "deny"
    NEVER = "never"

    @classmethod
    def read(cls, value: object) -> ConsentAnswer:
        """Return `value` as an answer. Anything else counts as DENY, because Qt signals don't check
        their arguments.
        """
        return value if isinstance(value, cls) else cls.DENY

    @classmethod
    def for_grant(cls, grant: Grant) -> ConsentAnswer:
        """Return the answer that gives `grant`."""
        return cls.WITHIN if grant.bounds else cls.ALWAYS

    @property
    def allows(self) -> bool:
        match self:
            case ConsentAnswer.ONCE | ConsentAnswer.WITHIN | ConsentAnswer.ALWAYS:
                return True
            case ConsentAnswer.DENY | ConsentAnswer.NEVER:
                return False
            case _:
                assert_never(self)


_DEFAULT_RULE = ToolRule()


@dataclass(frozen=True, slots=True)
class ToolRules:
    """`tools` maps tool ids to rules. `sources` maps names of sources to the rules of tools that
    have none of their own. `known_ids` maps a source to the tool ids that it had when it was first
    seen; its later tools are new. The app's own tools are never new. `hidden_lists` are the lists
    of the user that no model may see: families of the app's own tools ("todo" for `todo.add`).
    """

    tools: Mapping[str, ToolRule] = field(default_factory=dict)
    sources: Mapping[str, ToolRule] = field(default_factory=dict)
    known_ids: Mapping[str, Collection[str]] = field(default_factory=dict)
    new: NewToolPolicy = NewToolPolicy.ASK
    hidden_lists: Collection[str] = ()

    def on(self, spec: ToolSpec) -> bool:
        """Return whether the tool is offered to the model and may run."""
        if self.hides(spec):
            return False
        source = self.sources.get(spec.source, _DEFAULT_RULE)
        rule = self.tools.get(spec.id)
        if rule is not None:
            return source.on and rule.on
        return source.on and not (self.new is NewToolPolicy.OFF and self.is_new(spec))

    def hides(self, spec: ToolSpec) -> bool:
        """Return whether the tool reads or changes a list that no model may see."""
        return not spec.foreign and spec.family in self.hidden_lists

    def asks(self, spec: ToolSpec) -> AskWhen:
        return AskWhen.RISK if self.is_stale(spec) else self._rule(spec).asks

    def is_stale(self, spec: ToolSpec) -> bool:
        """Return whether a "never ask" rule no longer applies because the foreign tool
        has changed.
        """
        rule = self._rule(spec)
        trusted = not spec.foreign or spec.form in rule.forms
        if rule.asks is not AskWhen.NEVER or trusted:
            return False
        return not (self.new is NewToolPolicy.SOURCE and self.is_new(spec))

    def reads_only(self, spec: ToolSpec) -> bool:
        """Return whether the user has marked the foreign tool `spec`, in its present form, as one
        that only reads.
        """
        rule = self._rule(spec)
        return spec.foreign and rule.reads_only and spec.form in rule.forms

    def _rule(self, spec: ToolSpec) -> ToolRule:
        return self.tools.get(spec.id) or self.sources.get(spec.source, _DEFAULT_RULE)

    def is_new(self, spec: ToolSpec) -> bool:
        """Return whether the tool is new in its source and the user has set no rule for it."""
        met = self.known_ids.get(spec.source)
        known = met is None or spec.id in met or spec.id in self.tools
        return spec.foreign and not known


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """`grants` are the user's "always" answers. A grant without bounds never covers a tool that
    runs programs. No grant covers a foreign tool that has changed since, or a file that other
    programs run. `real_path` resolves a path as the tools do; without it paths are used as given.
    If a path can't be resolved (PathUnknown), the call asks. With `ask_before_every_change` changes
    of the app's own data ask too; gestures never do.
    """

    grants: Collection[Grant] = ()
    ask_before_every_change: bool = False
    rules: ToolRules = field(default_factory=ToolRules)
    real_path: RealPath | None = None

    def asks(self, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        if self._changes_run_file(spec, arguments):
            return True
        match self.rules.asks(spec):
            case AskWhen.ALWAYS:
                return True
            case AskWhen.NEVER:
                return False
            case AskWhen.RISK:
                return self._is_risky(spec) and not self._is_granted(spec, arguments)
            case unknown:
                assert_never(unknown)

    def flow(
        self, spec: ToolSpec, arguments: Mapping[str, object], reading: ContextReading, found: int
    ) -> FlowQuestion | None:
        """Return why the call asks because of what was read. Rules and grants apply here only if
        they were given for untrusted text. Foreign tools with the risk READ or GESTURE are the
        user's own tool files, which the user allowed in this form; tools of servers never have
        these risks, whatever they claim.
        """
        reads_only = self.rules.reads_only(spec) or spec.risk in (Risk.READ, Risk.GESTURE)
        question = flow_question(spec, arguments, reading, found=found, reads_only=reads_only)
        if question is None or self._is_granted(spec, arguments, untrusted=True):
            return None
        return question

    def flow_offers(self, spec: ToolSpec, arguments: Mapping[str, object]) -> tuple[Grant, ...]:
        """Return the grants that "always" can give for a call that asks because of what was read:
        for a tool that sends to an address its host, otherwise the tool.
        """
        if self.rules.asks(spec) is AskWhen.ALWAYS or spec.risk is Risk.RUN:
            return ()
        if not spec.can_always_allow:
            return ()
        if spec.foreign or spec.sends not in (Disclosure.ADDRESS, Disclosure.WHOLE_ADDRESS):
            return (Grant(spec.id, form=spec.form, untrusted=True),)
        hosts = {name: reach for name, reach in spec.scope.items() if reach is ScopeKind.HOST}
        bounds = constraints_of(hosts, arguments)
        return () if bounds is None else (Grant(spec.id, bounds, spec.form, untrusted=True),)

    def offers(self, spec: ToolSpec, arguments: Mapping[str, object]) -> tuple[Grant, ...]:
        """Return the grants that "always" can give for this call, the narrowest first."""
        if self.rules.asks(spec) is AskWhen.ALWAYS or self._changes_run_file(spec, arguments):
            return ()
        if not spec.can_always_allow:
            return ()
        bounds = self._bounds(spec, arguments)
        within = (Grant(spec.id, bounds, spec.form),) if bounds is not None else ()
        return within if spec.risk is Risk.RUN else (*within, Grant(spec.id, form=spec.form))

    def _changes_run_file(self, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        """Return whether the call changes, or may change, a file that other programs run. Allowing
        that would allow running programs, so no grant and no rule covers it.
        """
        if spec.risk in (Risk.READ, Risk.GESTURE, Risk.SENSITIVE_READ):
            return False
        named = (
            arguments.get(name) for name, reach in spec.scope.items() if reach is ScopeKind.FOLDER
        )
        paths = [path for path in named if isinstance(path, str)]
        try:
            found = [self.real_path(path) for path in paths] if self.real_path is not None else []
        except PathUnknown:
            return True
        return any(is_run_by_other_programs(path) for path in (*paths, *found) if path is not None)

    def _bounds(
        self, spec: ToolSpec, arguments: Mapping[str, object]
    ) -> tuple[Constraint, ...] | None:
        if self.real_path is None:
            return constraints_of(spec.scope, arguments)
        try:
            return constraints_of(spec.scope, arguments, self.real_path)
        except PathUnknown:
            return None

    def _is_risky(self, spec: ToolSpec) -> bool:
        if self.rules.new is NewToolPolicy.ASK and self.rules.is_new(spec):
            return True
        match spec.risk:
            case Risk.READ | Risk.GESTURE:
                return False
            case Risk.APP_DATA:
                return self.ask_before_every_change
            case _:
                return True  # it changes data or runs programs; also the default for a new risk

    def _is_granted(
        self, spec: ToolSpec, arguments: Mapping[str, object], *, untrusted: bool = False
    ) -> bool:
        named = [
            grant
            for grant in self.grants
            if grant.tool == spec.id and (grant.untrusted or not untrusted)
        ]
        given = [grant.bounds for grant in named if grant.form == spec.form]
        if not given:
            return False
        if () in given and spec.risk is not Risk.RUN:
            return True
        bounds = self._bounds(spec, arguments)
        return bounds is not None and any(covers(one, bounds) for one in given)


DEFAULT_POLICY: Policy = ApprovalPolicy()
"""The policy without any settings of the user."""
