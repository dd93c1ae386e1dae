"""What the doctor found: a table on the terminal as it is found, or one JSON object at the end."""

from __future__ import annotations

import json
import sys
import unicodedata
from dataclasses import asdict
from typing import TextIO

from neodeskpet.commands.checkup import CheckResult
from neodeskpet.core.errors import KnownError, LlmError
from neodeskpet.core.modes import MODE_NOTES, mode_name
from neodeskpet.language import tr, translate_error
from neodeskpet.llm.chain.choice import ModelChoice
from neodeskpet.llm.trial.advice import Advice, AdviceReason
from neodeskpet.llm.trial.result import StepOutcome, StepResult
from neodeskpet.llm.trial.words import advice_text, step_result_text, step_title
from neodeskpet.redaction import redact

_GLYPHS = {
    StepOutcome.GOOD: "✓",
    StepOutcome.FAULT: "!",
    StepOutcome.FAILED: "✕",
    StepOutcome.ABSENT: "–",
}
_TITLE_WIDTH, _TEXT_WIDTH = 26, 34  # columns


class Report:
    """Tell it what is found, then `end()`. `failed` when something doesn't work. No key gets into
    it: servers echo them, people put them into addresses.
    """

    def __init__(self, *, as_json: bool, out: TextIO | None = None) -> None:
        self.failed = False
        self._as_json = as_json
        self._out = out or sys.stdout
        self._checks: list[dict[str, object]] = []
        self._endpoints: list[dict[str, object]] = []

    def print_heading(self, heading: str) -> None:
        self._line(f"\n{heading}" if self._checks or self._endpoints else heading)

    def add(self, row: CheckResult) -> None:
        self.failed = self.failed or row.outcome is StepOutcome.FAILED
        self._checks.append({**asdict(row), "facts": dict(row.facts)})
        self._row(row)

    def print_endpoint(self, choice: ModelChoice) -> None:
        endpoint = choice.endpoint
        model = choice.entry.id or "?"
        self.print_heading(f"{endpoint.name}: {model} ({endpoint.protocol}, {endpoint.base_url})")
        self._endpoints.append(
            {
                "name": endpoint.name,
                "protocol": endpoint.protocol,
                "base_url": endpoint.base_url,
                "model": choice.entry.id,
                "trials": [],
                "advice": None,
            }
        )

    def add_trial(self, trial: StepResult) -> None:
        text, detail = step_result_text(trial)
        row = CheckResult(trial.id, step_title(trial.id), trial.outcome, text, detail, trial.facts)
        trials = self._endpoints[-1]["trials"]
        assert isinstance(trials, list)
        measured = {"seconds": round(trial.seconds, 4), "count": round(trial.count, 2)}
        trials.append({**asdict(row), **measured, "error": _error(trial.error)})
        self._row(row)

    def print_advice(self, advice: Advice) -> None:
        self.failed = self.failed or advice.why is AdviceReason.NOTHING_WORKS
        self._endpoints[-1]["advice"] = {**asdict(advice), "reason": advice_text(advice)}
        said = advice_text(advice)
        if advice.mode:
            said = tr("Mode {mode}: {reason}", mode=tr(mode_name(advice.mode)), reason=said)
        self._line(f"  → {said}")
        if advice.mode:
            self._line(f"    {tr(MODE_NOTES[advice.mode])}")

    def print_applied(self, error: KnownError | None) -> None:
        """The advice was put into force, or couldn't be."""
        self.failed = self.failed or error is not None
        self._endpoints[-1]["taken"] = error is None
        self._line(
            f"  ✓ {tr('It is set.')}"
            if error is None
            else f"  ✕ {' '.join(translate_error(error))}"
        )

    def finish(self) -> int:
        """The exit code."""
        if self._as_json:
            found = {"ok": not self.failed, "checks": self._checks, "endpoints": self._endpoints}
            print(json.dumps(_redacted(found), ensure_ascii=False), file=self._out, flush=True)
        return 1 if self.failed else 0

    def _row(self, row: CheckResult) -> None:
        first = f"  {_GLYPHS[row.outcome]} {_pad(row.title, _TITLE_WIDTH)} "
        gap = "\n" if _width(row.text) > _TEXT_WIDTH else "  "
        lines = f"{_pad(row.text, _TEXT_WIDTH)}{gap}{row.detail}".rstrip().splitlines() or [""]
        self._line(first.rstrip() if not lines[0] else first + lines[0])
        for line in lines[1:]:
            self._line(" " * (_TITLE_WIDTH + 5) + line)

    def _line(self, line: str) -> None:
        if not self._as_json:
            print(redact(line), file=self._out, flush=True)


def _error(error: LlmError | None) -> dict[str, object] | None:
    if error is None:
        return None
    return {"type": error.code, "status": error.status, "message": str(error)}


def _redacted(value: object) -> object:
    match value:
        case str():
            return redact(value)
        case dict():
            return {name: _redacted(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_redacted(inner) for inner in value]
        case _:
            return value


def _pad(text: str, columns: int) -> str:
    """`text` filled up to that many columns; Chinese letters take two."""
    return text + " " * (columns - _width(text))


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
