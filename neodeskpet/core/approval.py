"""What asks the person first: looked at when the call comes, by the tool it calls.

A call of a tool that the turn doesn't know is never run, so there is nothing to ask for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
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
from neodeskpet.core.toolspec import Disclosure, Risk, ToolSpec


class Policy(Protocol):
    """Answers each time anew: what the person says in the middle of a turn counts at once."""

    def asks(self, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        """Whether this call of the tool `spec` waits for the person because of its risk."""
        ...

    def flow(
        self, spec: ToolSpec, arguments: Mapping[str, object], reading: ContextReading, found: int
    ) -> FlowQuestion | None:
        """Why this call waits for the person because of what the model reads
        (`core/information_flow.py`). `found` is how many found addresses the reply has used.
        """
        ...


class ConsentAnswer(Enum):
    """What the person answers to a call that asks. ONCE: this call. WITHIN and ALWAYS: also later
    ones, with and without bounds.
    """

    ONCE = "once"
    WITHIN = "within"
    ALWAYS = "always"
    DENY = "deny"

    @classmethod
    def read(cls, value: object) -> ConsentAnswer:
        """Anything that is not an answer denies: Qt's signals don't check what they carry."""
        return value if isinstance(value, cls) else cls.DENY

    @classmethod
    def for_grant(cls, grant: Grant) -> ConsentAnswer:
        """The answer that gives `grant`."""
        return cls.WITHIN if grant.bounds else cls.ALWAYS

    @property
    def allows(self) -> bool:
        match self:
            case ConsentAnswer.ONCE | ConsentAnswer.WITHIN | ConsentAnswer.ALWAYS:
                return True
            case ConsentAnswer.DENY:
                return False
            case _:
                assert_never(self)


class AskWhen(StrEnum):
    """RISK: as its risk says, until "always" was answered. ALWAYS: each time. NEVER: the person
    trusts it whatever it does.
    """

    RISK = "risk"
    ALWAYS = "always"
    NEVER = "never"


class NewToolPolicy(StrEnum):
    """What holds for a tool that appears later: as its SOURCE, or it asks (ASK) or is OFF until the
    person says more.
    """

    SOURCE = "source"
    ASK = "ask"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class ToolRule:
    """What the person set for a tool, or for all tools of a source. `forms` are those that foreign
    tools had then (`ToolSpec.form`): that one never asks doesn't hold for what it becomes later.
    `reads_only`: the person says that this foreign tool only reads; it holds for these forms too.
    """

    on: bool = True
    asks: AskWhen = AskWhen.RISK
    forms: tuple[str, ...] = ()
    reads_only: bool = False


_DEFAULT_RULE = ToolRule()


@dataclass(frozen=True, slots=True)
class ToolRules:
    """`tools` are rules by the tool's id, `sources` by the source's name, which hold for tools
    without one. `met` are the ids that a source had when it was first met: what it has beyond
    those is new. The app's own tools are never new.
    """

    tools: Mapping[str, ToolRule] = field(default_factory=dict)
    sources: Mapping[str, ToolRule] = field(default_factory=dict)
    known_ids: Mapping[str, Collection[str]] = field(default_factory=dict)
    new: NewToolPolicy = NewToolPolicy.ASK

    def on(self, spec: ToolSpec) -> bool:
        """Whether it is offered, and run."""
        source = self.sources.get(spec.source, _DEFAULT_RULE)
        rule = self.tools.get(spec.id)
        if rule is not None:
            return source.on and rule.on
        return source.on and not (self.new is NewToolPolicy.OFF and self.is_new(spec))

    def asks(self, spec: ToolSpec) -> AskWhen:
        return AskWhen.RISK if self.is_stale(spec) else self._rule(spec).asks

    def is_stale(self, spec: ToolSpec) -> bool:
        """Whether it never asked, and is another tool than it was then."""
        rule = self._rule(spec)
        trusted = not spec.foreign or spec.form in rule.forms
        if rule.asks is not AskWhen.NEVER or trusted:
            return False
        return not (self.new is NewToolPolicy.SOURCE and self.is_new(spec))

    def reads_only(self, spec: ToolSpec) -> bool:
        """Whether the person says of the foreign tool `spec`, as it is now, that it only reads."""
        rule = self._rule(spec)
        return spec.foreign and rule.reads_only and spec.form in rule.forms

    def _rule(self, spec: ToolSpec) -> ToolRule:
        return self.tools.get(spec.id) or self.sources.get(spec.source, _DEFAULT_RULE)

    def is_new(self, spec: ToolSpec) -> bool:
        """Whether it appeared after its source, and the person has said nothing of it."""
        met = self.known_ids.get(spec.source)
        known = met is None or spec.id in met or spec.id in self.tools
        return spec.foreign and not known


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """`grants` are what the person answered "always" for; a grant without bounds never covers a
    tool that runs programs, none covers a foreign tool that is another than it was, and none covers
    a file that other programs run. `real` tells what a path is, as the tools that use it find it;
    None: as it stands. When it can't tell (PathUnknown), the call asks. `ask_before_every_change`
    makes the companion's own changes ask too, but never the moves of its body.
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
        """What a rule or a grant allows counts here only if it was given for untrusted text. A
        foreign tool whose risk is to look is one that the person allowed as it is (a file of their
        own): those of servers never are, whatever they claim.
        """
        reads_only = self.rules.reads_only(spec) or spec.risk in (Risk.READ, Risk.GESTURE)
        question = flow_question(spec, arguments, reading, found=found, reads_only=reads_only)
        if question is None or self._is_granted(spec, arguments, untrusted=True):
            return None
        return question

    def flow_offers(self, spec: ToolSpec, arguments: Mapping[str, object]) -> tuple[Grant, ...]:
        """What "always" could mean for a call that asks because of what was read: the tool, and of
        one that sends to an address that host.
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
        """What "always" could mean for this call, the narrowest first."""
        if self.rules.asks(spec) is AskWhen.ALWAYS or self._changes_run_file(spec, arguments):
            return ()
        if not spec.can_always_allow:
            return ()
        bounds = self._bounds(spec, arguments)
        within = (Grant(spec.id, bounds, spec.form),) if bounds is not None else ()
        return within if spec.risk is Risk.RUN else (*within, Grant(spec.id, form=spec.form))

    def _changes_run_file(self, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        """Whether it changes a file that other programs run, or may do so: to allow that is to
        allow programs, so no grant and no rule covers it.
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
                return True  # it changes things or runs programs; so with any risk added one day

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
"""What holds where nobody has said anything."""
