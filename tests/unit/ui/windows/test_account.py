"""The account of a message, and the report that is made from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from neodeskpet.core.blocks import (
    Block,
    Image,
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.errors import ToolDenied, ToolFault
from neodeskpet.core.i18n import Reason
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.turn.turn_trace import (
    ContextRemark,
    ExchangeTrace,
    OfferedTool,
    OutgoingRequest,
    RoundTrace,
    TurnTrace,
)
from neodeskpet.ui.windows.turn_report import (
    MAX_TEXT_CHARS,
    ReportLine,
    describe_turn,
    write_report,
)

KEY = "sk-abcdefghijklmnopqrstuvwxyz"


def message(*blocks: Block, state: MessageState = MessageState.DONE) -> Message:
    usage = Usage(1200, 34, 100, 5, cost=0.0123, currency="USD")
    return Message("m", Role.ASSISTANT, blocks, state, 1000.0, 1004.0, usage, 1, "big")


def whole(lines: Sequence[ReportLine]) -> Iterator[str]:
    """Return all their readable text."""
    for line in lines:
        yield f"{line.title} {line.note}"
        if line.read is not None:
            yield line.read()
        yield from whole(line.children)


def told(*blocks: Block, trace: TurnTrace | None = None) -> str:
    return "\n".join(whole(describe_turn(message(*blocks), trace)))


def traced(**fields: object) -> TurnTrace:
    tools = tuple(OfferedTool(f"a.{risk}", risk, "app") for risk in Risk)
    values: dict[str, object] = {"number": 0, "began": 1000.0, "ended": 1001.5, "tools": tools}
    return TurnTrace("m", (RoundTrace(**{**values, **fields}),))  # type: ignore[arg-type]


def test_the_summary_contains_the_cost() -> None:
    said = told(Text(0, 0, "Hello."))
    assert "Tokens: 1,200 in, 34 out" in said
    assert "Read from the cache: 100" in said
    assert "Used for thinking: 5" in said
    assert "Cost: $0.012" in said
    assert "Answered by: big" in said
    assert "(4.0 s)" in said


def test_every_kind_of_block_is_described() -> None:
    said = told(
        Thinking(0, 0, "Let me see.", started=1.0, ended=3.0),
        Text(1, 0, "No.", refusal=True),
        Image(2, 0, "digest", "image/png", "cat.png"),
        Notice(3, 0, "round_limit", {"count": "3"}),
    )
    assert "Thought 2.0 s" in said
    assert "Refused 3 characters" in said
    assert "Picture cat.png" in said
    assert "Notice The reply is not finished" in said


def test_a_call_says_whether_it_asked_and_why_not() -> None:
    ran = {"status": ToolStatus.SUCCESS, "started": 1.0, "ended": 1.2, "output": "ok"}
    for risk, words in (
        (Risk.READ, "No permission needed: the tool only reads."),
        (Risk.GESTURE, "No permission needed: the tool only moves the companion."),
        (Risk.APP_DATA, "the tool only changes the companion's own things"),
        (Risk.WRITE, "allowed beforehand"),
        (Risk.RUN, "allowed beforehand"),
    ):
        call = ToolUse(0, 0, "c", f"a.{risk}", "{}", {}, **ran)  # type: ignore[arg-type]
        assert words in told(call, trace=traced())
    asked = ToolUse(0, 0, "c", "a.own", asked=1.0, answered=4.0, status=ToolStatus.DENIED)
    assert "the answer came after 3.0 s" in told(asked, trace=traced())
    left = ToolUse(0, 0, "c", "a.own", asked=1.0, status=ToolStatus.CANCELLED)
    assert "It asked for permission and got no answer." in told(left, trace=traced())


def test_tools_have_their_titles_and_the_names_for_the_model_beside() -> None:
    titles = {"a.own": "Write a note"}.get
    call = ToolUse(0, 0, "c", "a.own", "{}", {}, status=ToolStatus.SUCCESS)
    lines = describe_turn(message(call), traced(), lambda name: titles(name, name))
    said = list(whole(lines))
    assert any(line.startswith("Tool: Write a note") for line in said)
    assert any("Name for the model: a.own" in line for line in said)
    assert any("• Write a note · a.own (own)" in line for line in said)
    assert not any("a.own" in line.title for line in lines for line in (line, *line.children))


def test_a_call_says_what_was_unusual_about_it() -> None:
    call = ToolUse(
        0,
        0,
        "c",
        "a.write",
        '{"a": 1}',
        {"a": 1},
        status=ToolStatus.DENIED,
        error="The user said no. Don't try again.",
        fault=ToolFault.of(ToolDenied()),
        leaked=True,
        repaired="json",
        edited=True,
        foreign=True,
    )
    said = told(call)
    assert "found in the text of the reply" in said
    assert "arguments were repaired: json" in said
    assert "user changed the arguments" in said
    assert "untrusted text" in said
    assert "Error code: tool_denied" in said
    assert "Text for the model" in said


def test_omissions_and_recalled_items_are_listed() -> None:
    remarks = (
        ContextRemark(Reason("{count} were left out.", {"count": "9"})),
        ContextRemark(Reason("Recalled:"), "cats"),
    )
    said = told(Text(0, 0, "Hi."), trace=traced(remarks=remarks, messages=4, shown=1000.5))
    assert "9 were left out." in said
    assert "Recalled:" in said
    assert "cats" in said
    assert "shown after 0.5 s" in said


def test_a_retried_round_has_no_blocks() -> None:
    first, second = (
        traced(stop="stop").rounds[0],
        traced(model="small", usage=Usage(1, 2)).rounds[0],
    )
    lines = describe_turn(message(Text(0, 0, "Hi.")), TurnTrace("m", (first, second)))
    assert "retried" in lines[1].note
    assert [part.title for part in lines[1].children] == ["Model input"]
    assert "small" in lines[2].note
    assert "Wrote" in [part.title for part in lines[2].children]


def test_bodies_are_shown_without_keys_and_unchanged_if_they_are_no_json() -> None:
    sending = OutgoingRequest(
        "big", "POST", "http://h/v1", {"X-Own": "[hidden]"}, lambda t: t.replace("pw", "•")
    )
    cut = ExchangeTrace(sending, 1.0, 2.0, 3.0, b'{"a": "pw', f"key {KEY}".encode(), 30)
    dropped = ExchangeTrace(sending, 4.0, dropped=True)
    said = told(Text(0, 0, "Hi."), trace=traced(exchanges=(cut, dropped)))
    assert '{"a": "•' in said
    assert KEY not in said
    assert "first byte after 1.0 s · 2.0 s in total" in said
    assert "no longer kept" in said
    assert "X-Own: [hidden]" in said


def test_a_report_contains_no_user_folders_and_texts_only_on_request() -> None:
    home = str(Path.home() / "secret" / "plan.txt")
    text = f"I read {home} and /home/anna/x and C:\\Users\\Bob\\y with {KEY} and ```"
    lines = describe_turn(message(Text(0, 0, text), Text(1, 0, "z" * (MAX_TEXT_CHARS * 2))), None)
    brief = write_report(lines, texts=False)
    assert "(left out)" in brief
    assert "I read" not in brief
    full = write_report(lines, texts=True)
    assert "I read ~/secret/plan.txt and ~/x and ~\\y" in full
    assert KEY not in full
    assert "````" in full, "the fence is longer than its content"
    assert f"[… {MAX_TEXT_CHARS} …]" in full
