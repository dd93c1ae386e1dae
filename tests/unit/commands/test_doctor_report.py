from __future__ import annotations

import io
import json

from neodeskpet.commands.checkup import Row
from neodeskpet.commands.doctor_report import Report
from neodeskpet.core.errors import Unauthorized
from neodeskpet.llm.catalog.catalog import from_service
from neodeskpet.llm.chain.choice import choices
from neodeskpet.llm.trial.advice import Advice, Why
from neodeskpet.llm.trial.result import Outcome, Trial

(CHOICE,) = choices(from_service("openai", "http://x/v1", "m"), "chat")


def fill(report: Report) -> None:
    report.begin("Here")
    report.add(Row("a", "数据文件夹", Outcome.GOOD, "/data", "one\ntwo"))
    report.add(Row("b", "Empty", Outcome.ABSENT))
    report.add(Row("c", "Long", Outcome.FAULT, "x" * 35, "more"))
    report.begin_endpoint(CHOICE)
    report.add_trial(Trial("models", Outcome.FAILED, error=Unauthorized("no", status=401)))
    report.advise(Advice("", Why.NOTHING_WORKS))


def test_the_table_stands_in_columns_whatever_the_letters() -> None:
    out = io.StringIO()
    report = Report(as_json=False, out=out)
    fill(report)
    assert report.end() == 1
    lines = out.getvalue().splitlines()
    assert lines[:4] == [
        "Here",
        "  ✓ 数据文件夹" + " " * 17 + "/data" + " " * 31 + "one",
        " " * 31 + "two",
        "  – Empty",
    ]
    assert lines[4:6] == ["  ! Long" + " " * 23 + "x" * 35, " " * 31 + "more"]
    assert lines[6:8] == ["", "service: m (openai, http://x/v1)"]
    assert lines[-1] == "  → No reply comes from this endpoint."


def test_as_json_nothing_comes_before_the_end() -> None:
    out = io.StringIO()
    report = Report(as_json=True, out=out)
    fill(report)
    assert out.getvalue() == ""
    assert report.end() == 1
    found = json.loads(out.getvalue())
    assert found["checks"][0]["title"] == "数据文件夹"
    (trial,) = found["endpoints"][0]["trials"]
    assert trial["error"] == {
        "type": "unauthorized",
        "status": 401,
        "message": "The service refused the key. no",
    }
    assert trial["text"] == "The service refused the key. no"


def test_a_fault_is_not_a_failure() -> None:
    report = Report(as_json=True, out=io.StringIO())
    report.add(Row("a", "A", Outcome.FAULT))
    assert report.end() == 0
    report.add(Row("a", "A", Outcome.FAILED))
    assert report.end() == 1
