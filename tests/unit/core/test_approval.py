"""Which calls need a permission."""

from dataclasses import replace

import pytest

from neodeskpet.core.approval import DEFAULT_POLICY, ApprovalPolicy, ConsentAnswer, ToolRules
from neodeskpet.core.data_labels import DataSource, SourceKind, labels_of
from neodeskpet.core.grant_scope import Constraint, Grant, PathUnknown, ScopeKind
from neodeskpet.core.information_flow import ContextReading, reading_of_text
from neodeskpet.core.tool_settings import AskWhen, NewToolPolicy, ToolRule
from neodeskpet.core.toolspec import Disclosure, Risk, ToolSpec

SPECS = [ToolSpec(risk.value, "", risk=risk) for risk in Risk]
ALL = [Grant(risk.value) for risk in Risk]


def asking(policy: ApprovalPolicy) -> set[str]:
    return {spec.name for spec in SPECS if policy.asks(spec, {})}


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        (DEFAULT_POLICY, {"private", "write", "run"}),
        (ApprovalPolicy(ask_before_every_change=True), {"own", "private", "write", "run"}),
        (ApprovalPolicy(ALL), {"run"}),
        (ApprovalPolicy(ALL, ask_before_every_change=True), {"run"}),
        (ApprovalPolicy([Grant("other")]), {"private", "write", "run"}),
    ],
)
def test_permission_by_risk(policy: ApprovalPolicy, wanted: set[str]) -> None:
    assert asking(policy) == wanted


def test_a_rule_for_a_tool_overrides_its_risk_and_its_source() -> None:
    rules = ToolRules(
        tools={"read": ToolRule(asks=AskWhen.ALWAYS), "run": ToolRule(asks=AskWhen.NEVER)},
        sources={"app": ToolRule(asks=AskWhen.NEVER)},
    )
    assert asking(ApprovalPolicy(rules=rules)) == {"read"}
    assert asking(ApprovalPolicy([Grant("read")], rules=rules)) == {"read"}
    assert ApprovalPolicy(rules=rules).offers(SPECS[0], {}) == ()


def test_a_hidden_list_is_off_whatever_the_rules_say() -> None:
    rules = ToolRules(tools={"note.search": ToolRule(on=True)}, hidden_lists=("note",))
    search = ToolSpec("note.search", "")
    assert rules.hides(search) and not rules.on(search)
    assert rules.on(ToolSpec("notebook.search", ""))
    # The tools of a server may have the same names; they read other data.
    assert rules.on(replace(search, source="server"))


WRITE = ToolSpec("file.write", "", risk=Risk.WRITE, scope={"path": ScopeKind.FOLDER})
SHELL = ToolSpec("shell.run", "", risk=Risk.RUN, scope={"command": ScopeKind.UNBOUNDED})


def test_always_holds_for_the_tool_or_for_the_scope_of_the_call() -> None:
    within, whole = ApprovalPolicy().offers(WRITE, {"path": "/home/me/docs/a"})
    assert within == Grant("file.write", (Constraint("path", ScopeKind.FOLDER, "/home/me/docs"),))
    assert whole == Grant("file.write")
    assert ApprovalPolicy().offers(WRITE, {"path": "a"}) == (whole,)
    policy = ApprovalPolicy([within])
    assert not policy.asks(WRITE, {"path": "/home/me/docs/deep/b"})
    assert policy.asks(WRITE, {"path": "/home/me/b"})
    assert policy.asks(WRITE, {"path": "/home/me/docs/../b"})
    assert not ApprovalPolicy([whole]).asks(WRITE, {"path": "b"})


@pytest.mark.parametrize(
    "command", ["git log", "setsid sh", "make", "npx x", "git -c core.sshCommand=x fetch", "rm x"]
)
def test_a_tool_that_runs_programs_asks_despite_a_saved_grant(command: str) -> None:
    program = command.split()[0]
    saved = Grant("shell.run", (Constraint("command", ScopeKind.COMMAND, program),))
    policy = ApprovalPolicy([saved, Grant("shell.run")])
    assert policy.offers(SHELL, {"command": command}) == ()
    assert policy.asks(SHELL, {"command": command})
    assert policy.asks(SHELL, {"command": program})


def test_only_a_positive_answer_allows() -> None:
    assert {one for one in ConsentAnswer if one.allows} == {
        ConsentAnswer.ONCE,
        ConsentAnswer.WITHIN,
        ConsentAnswer.ALWAYS,
    }
    for unknown in ("", "once", "always", "no", "Deny", "withn", None, True):
        assert ConsentAnswer.read(unknown) is ConsentAnswer.DENY
    for answer in ConsentAnswer:
        assert ConsentAnswer.read(answer) is answer
    assert ConsentAnswer.for_grant(Grant("a")) is ConsentAnswer.ALWAYS
    assert (
        ConsentAnswer.for_grant(Grant("a", (Constraint("b", ScopeKind.VALUE, "c"),)))
        is ConsentAnswer.WITHIN
    )


def test_a_switch_turns_off_a_tool_or_a_whole_source() -> None:
    own, foreign = ToolSpec("a", ""), ToolSpec("a", "", source="files", own_name="a")
    assert ToolRules().on(own)
    assert not ToolRules(tools={"a": ToolRule(on=False)}).on(own)
    assert ToolRules(tools={"a": ToolRule(on=False)}).on(foreign)
    rules = ToolRules(tools={"files/a": ToolRule()}, sources={"files": ToolRule(on=False)})
    assert rules.on(own)
    assert not rules.on(foreign)


def test_a_tool_that_appears_later_waits_for_the_user() -> None:
    late = ToolSpec("x.late", "", source="x", own_name="late")
    met = {"x": ("x/early",)}
    off = ToolRules(known_ids=met, new=NewToolPolicy.OFF)
    ask = ToolRules(known_ids=met, new=NewToolPolicy.ASK)
    same = ToolRules(known_ids=met, new=NewToolPolicy.SOURCE)
    assert (off.on(late), ask.on(late), same.on(late)) == (False, True, True)
    assert ApprovalPolicy(rules=ask).asks(late, {})
    given = Grant("x/late", form=late.form)
    assert not ApprovalPolicy([given], rules=ask).asks(late, {})
    assert not ApprovalPolicy(rules=same).asks(late, {})
    named = ToolRules({"x/late": ToolRule()}, known_ids=met, new=NewToolPolicy.OFF)
    assert named.on(late)
    for known in (
        ToolSpec("early", "", source="x"),
        ToolSpec("late", "", source="y"),
        ToolSpec("late", ""),
    ):
        assert not off.is_new(known)


def test_a_tool_that_its_source_redefines_is_another_tool() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    known = ToolSpec("send", "Sends.", schema, risk=Risk.WRITE, source="x", claims="{}")
    (given,) = ApprovalPolicy().offers(known, {})
    policy = ApprovalPolicy([given])
    assert not policy.asks(replace(known, name="x.send", own_name="send"), {})
    for other in (
        replace(known, description="Sends all files."),
        replace(known, parameters={**schema, "properties": {"b": {}}}),
        replace(known, claims='{"readOnlyHint":true}'),
        replace(known, risk=Risk.SENSITIVE_READ),
    ):
        assert policy.asks(other, {})
    assert ApprovalPolicy([Grant("x/send")]).asks(known, {})  # Stored before forms were stored.
    own = ToolSpec("file.write", "", risk=Risk.WRITE)
    assert not ApprovalPolicy([Grant("file.write")]).asks(replace(own, description="New."), {})


def test_never_ask_ends_when_the_source_redefines_the_tool() -> None:
    known = ToolSpec("send", "Sends.", risk=Risk.WRITE, source="x")
    other = replace(known, description="Sends all files.")
    late = ToolSpec("late", "Deletes.", risk=Risk.WRITE, source="x")
    never = ToolRule(asks=AskWhen.NEVER, forms=(known.form,))
    for rules in (ToolRules({"x/send": never}), ToolRules(sources={"x": never})):
        policy = ApprovalPolicy(rules=rules)
        assert not policy.asks(known, {})
        assert not rules.is_stale(known)
        assert policy.asks(other, {})
        assert rules.is_stale(other)
    met = {"x": ["x/send"]}
    for new, asks in ((NewToolPolicy.ASK, True), (NewToolPolicy.SOURCE, False)):
        rules = ToolRules(sources={"x": never}, known_ids=met, new=new)
        assert ApprovalPolicy(rules=rules).asks(late, {}) is asks
        assert ApprovalPolicy(rules=rules).asks(other, {})
    before = ToolRules({"x/send": ToolRule(asks=AskWhen.NEVER)})  # Stored before forms were stored.
    assert before.is_stale(known)


def test_a_folder_is_compared_by_its_real_path() -> None:
    """/link is a link to /elsewhere/in."""

    def real(path: str) -> str | None:
        return None if path == "?" else path.replace("/home/me/link", "/elsewhere/in")

    policy = ApprovalPolicy(real_path=real)
    (within, _) = policy.offers(WRITE, {"path": "/home/me/a"})
    policy = replace(policy, grants=[within])
    assert not policy.asks(WRITE, {"path": "/home/me/deep/b"})
    assert policy.asks(WRITE, {"path": "/home/me/link/b"})
    assert policy.asks(WRITE, {"path": "?"})
    (through, _) = policy.offers(WRITE, {"path": "/home/me/link/b"})
    assert through.bounds == (Constraint("path", ScopeKind.FOLDER, "/elsewhere/in"),)


@pytest.mark.parametrize(
    "name", [".git/hooks/pre-commit", ".envrc", ".vscode/tasks.json", "Makefile", "package.json"]
)
def test_files_that_other_programs_run_are_never_allowed_in_advance(name: str) -> None:
    inside = Grant("file.write", (Constraint("path", ScopeKind.FOLDER, "/home/me/docs"),))
    rules = ToolRules(tools={WRITE.id: ToolRule(asks=AskWhen.NEVER)})
    for policy in (ApprovalPolicy([inside, Grant("file.write")]), ApprovalPolicy(rules=rules)):
        assert not policy.asks(WRITE, {"path": "/home/me/docs/a.txt"})
        given = {"path": f"/home/me/docs/{name}"}
        assert policy.asks(WRITE, given)
        assert policy.offers(WRITE, given) == ()


def test_a_link_to_a_file_that_other_programs_run_asks_too() -> None:
    policy = ApprovalPolicy(
        [Grant("file.write")], real_path={"/a/b": "/a/.bashrc", "/a/c": None}.get
    )
    assert policy.asks(WRITE, {"path": "/a/b"})
    assert not policy.asks(WRITE, {"path": "/a/c"})
    read = replace(WRITE, risk=Risk.READ)
    assert not policy.asks(read, {"path": "/a/b"})


# Calls that ask because of what the model read

PAGE = labels_of(DataSource(SourceKind.PAGE), untrusted=True)
READ = reading_of_text("A page.", PAGE)
FETCH = ToolSpec("web.fetch", "", sends=Disclosure.ADDRESS, scope={"url": ScopeKind.HOST})
MAIL = ToolSpec("mail.send", "", risk=Risk.WRITE, source="mcp.mail")
SENT = {"url": "http://a.example/?q=1"}


def test_never_and_always_without_untrusted_text_still_ask() -> None:
    never = ToolRules(tools={"web.fetch": ToolRule(asks=AskWhen.NEVER)})
    host = (Constraint("url", ScopeKind.HOST, "a.example"),)
    for policy in (
        ApprovalPolicy(rules=never),
        ApprovalPolicy([Grant("web.fetch")]),
        ApprovalPolicy([Grant("web.fetch", host)]),
    ):
        assert not policy.asks(FETCH, SENT)
        assert policy.flow(FETCH, SENT, READ, 0) is not None
        assert policy.flow(FETCH, SENT, ContextReading(), 0) is None


def test_always_with_untrusted_text_holds_for_this_tool_and_host() -> None:
    (grant,) = ApprovalPolicy().flow_offers(FETCH, SENT)
    assert grant == Grant(
        "web.fetch", (Constraint("url", ScopeKind.HOST, "a.example"),), untrusted=True
    )
    policy = ApprovalPolicy([grant])
    assert policy.flow(FETCH, {"url": "http://a.example/other"}, READ, 0) is None
    assert policy.flow(FETCH, {"url": "http://b.example/"}, READ, 0) is not None
    (tool,) = ApprovalPolicy().flow_offers(MAIL, {})
    assert tool == Grant(MAIL.id, (), MAIL.form, untrusted=True)
    assert ApprovalPolicy([tool]).flow(MAIL, {"to": "x"}, READ, 0) is None
    assert not ApprovalPolicy([tool]).asks(MAIL, {"to": "x"})


def test_always_is_not_offered_for_programs_and_unknown_targets() -> None:
    assert ApprovalPolicy().flow_offers(SHELL, {"command": "ls"}) == ()
    assert ApprovalPolicy().flow_offers(FETCH, {"url": "mailto:a@b"}) == ()
    each = ToolRules(tools={"web.fetch": ToolRule(asks=AskWhen.ALWAYS)})
    assert ApprovalPolicy(rules=each).flow_offers(FETCH, SENT) == ()


def test_the_mark_of_the_user_that_a_tool_only_reads_holds_for_its_form() -> None:
    server = reading_of_text(
        "An answer.", labels_of(DataSource(SourceKind.SERVER, "mcp.mail"), untrusted=True)
    )
    marked = ToolRule(forms=(MAIL.form,), reads_only=True)
    policy = ApprovalPolicy(rules=ToolRules(tools={MAIL.id: marked}))
    assert policy.flow(MAIL, {"id": "1"}, server, 0) is None
    another = replace(MAIL, description="It sends.")
    assert policy.flow(another, {"id": "1"}, server, 0) is not None
    assert DEFAULT_POLICY.flow(MAIL, {"id": "1"}, server, 0) is not None
    assert DEFAULT_POLICY.flow(replace(MAIL, risk=Risk.READ), {"id": "1"}, server, 0) is None


def test_a_path_that_can_not_be_resolved_in_time_asks() -> None:
    def late(path: str) -> str | None:
        raise PathUnknown

    never = ToolRules(tools={WRITE.id: ToolRule(asks=AskWhen.NEVER)})
    arguments = {"path": "/mnt/gone/a"}
    for policy in (
        ApprovalPolicy([Grant("file.write")], real_path=late),
        ApprovalPolicy(rules=never),
    ):
        asks = replace(policy, real_path=late)
        assert asks.asks(WRITE, arguments) and asks.offers(WRITE, arguments) == ()
    reads = replace(WRITE, risk=Risk.SENSITIVE_READ)
    within = Grant("file.write", (Constraint("path", ScopeKind.FOLDER, "/mnt"),))
    assert ApprovalPolicy([within], real_path=late).asks(reads, arguments)
    assert not ApprovalPolicy([within]).asks(reads, arguments)


def test_always_is_not_offered_for_irreversible_calls_but_a_stored_one_holds() -> None:
    final = ToolSpec("memory.delete", "", risk=Risk.WRITE, can_always_allow=False)
    assert DEFAULT_POLICY.asks(final, {})
    assert ApprovalPolicy().offers(final, {}) == ()
    assert ApprovalPolicy().flow_offers(final, {}) == ()
    assert not ApprovalPolicy([Grant("memory.delete")]).asks(final, {})
