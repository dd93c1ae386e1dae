from __future__ import annotations

import io
import json

from neodeskpet.cli.doctor_checks import CheckResult, Report
from neodeskpet.core.errors import Unauthorized
from neodeskpet.llm.catalog.model_catalog import catalog_of_service
from neodeskpet.llm.chain.model_selection import model_choices
from neodeskpet.llm.endpoint_test.endpoint_advice import (
    Advice,
    AdviceReason,
    StepOutcome,
    StepResult,
)

(CHOICE,) = model_choices(catalog_of_service("openai", "http://x/v1", "m"), "chat")


def fill(report: Report) -> None:
    report.print_heading("Here")
    report.add(CheckResult("a", "数据文件夹", StepOutcome.GOOD, "/data", "one\ntwo"))
    report.add(CheckResult("b", "Empty", StepOutcome.ABSENT))
    report.add(CheckResult("c", "Long", StepOutcome.FAULT, "x" * 35, "more"))
    report.print_endpoint(CHOICE)
    report.add_trial(StepResult("models", StepOutcome.FAILED, error=Unauthorized("no", status=401)))
    report.print_advice(Advice("", AdviceReason.NOTHING_WORKS))


def test_the_table_is_aligned_with_any_letters() -> None:
    out = io.StringIO()
    report = Report(as_json=False, out=out)
    fill(report)
    assert report.finish() == 1
    lines = out.getvalue().splitlines()
    assert lines[:4] == [
        "Here",
        "  ✓ 数据文件夹" + " " * 17 + "/data" + " " * 31 + "one",
        " " * 31 + "two",
        "  – Empty",
    ]
    assert lines[4:6] == ["  ! Long" + " " * 23 + "x" * 35, " " * 31 + "more"]
    assert lines[6:8] == ["", "service: m (openai, http://x/v1)"]
    assert lines[-1] == "  → This endpoint sends no reply."


def test_as_json_nothing_is_printed_before_the_end() -> None:
    out = io.StringIO()
    report = Report(as_json=True, out=out)
    fill(report)
    assert out.getvalue() == ""
    assert report.finish() == 1
    found = json.loads(out.getvalue())
    assert found["checks"][0]["title"] == "数据文件夹"
    (trial,) = found["endpoints"][0]["trials"]
    assert trial["error"] == {
        "type": "unauthorized",
        "status": 401,
        "message": "The service refused the key. no",
    }
    assert trial["text"] == "The service refused the key. no"


def test_a_finding_is_not_a_failure() -> None:
    report = Report(as_json=True, out=io.StringIO())
    report.add(CheckResult("a", "A", StepOutcome.FAULT))
    assert report.finish() == 0
    report.add(CheckResult("a", "A", StepOutcome.FAILED))
    assert report.finish() == 1
