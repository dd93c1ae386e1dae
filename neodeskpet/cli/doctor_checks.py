"""Checks this computer for `neodeskpet doctor` (what the app needs to start, to store data and to
show itself) and prints the results: a table on the terminal, or one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import shutil
import sqlite3
import sys
import tempfile
import unicodedata
from collections.abc import AsyncGenerator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TextIO

from neodeskpet import __version__
from neodeskpet.core.errors import KnownError, LlmError, ModelFileError
from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_settings import MODE_NOTES, mode_name
from neodeskpet.figure.files.model_guard import PROBE_SECONDS, check_model
from neodeskpet.figure.files.model_reader import ModelDescription
from neodeskpet.figure.live2d.library import chosen_figure_path
from neodeskpet.language import count_messages, tr, tr_count, translate_error
from neodeskpet.llm.catalog.catalog_file import CatalogFile
from neodeskpet.llm.chain.model_selection import ModelChoice
from neodeskpet.llm.endpoint_test.endpoint_advice import (
    Advice,
    AdviceReason,
    StepOutcome,
    StepResult,
)
from neodeskpet.llm.endpoint_test.result_descriptions import (
    advice_text,
    step_result_text,
    step_title,
)
from neodeskpet.platform.redaction import redact
from neodeskpet.settings.secrets import ENVIRONMENT_KEY, SecretPlace, Secrets
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.settings_model import VoiceSettings
from neodeskpet.settings.store import SettingsStore
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE as STORE_FILE
from neodeskpet.sync.server_connection import ServerConnection
from neodeskpet.sync.sync_errors import SyncError
from neodeskpet.sync.sync_service import access_from_settings
from neodeskpet.voice.sound_devices import SoundDevices, list_sound_devices

_MIN_FREE_BYTES = 200_000_000  # bytes
_KEYRING_TIMEOUT = 10.0  # seconds; a keyring may ask the user


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check, with texts for the user."""

    id: str
    title: str
    outcome: StepOutcome
    text: str = ""
    detail: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)


async def run_checks(
    home: Path, settings: SettingsStore, services: CatalogFile
) -> AsyncGenerator[CheckResult, None]:
    """Yield each result as soon as it is available."""
    yield installed_versions()
    yield check_folder(home)
    yield check_settings("settings", tr("Settings"), settings.fault)
    yield check_services(services, settings)
    yield await asyncio.to_thread(check_database, home / STORE_FILE)
    yield await check_keys(home)
    if settings.settings.sharing.address:
        yield await asyncio.to_thread(check_sync, settings, Secrets(home / SECRETS_FILE))
    yield check_display()
    yield sound_result(await asyncio.to_thread(list_sound_devices), settings.settings.voice)
    for row in await check_companion(chosen_figure_path(settings.settings), home / "cache"):
        yield row


def installed_versions() -> CheckResult:
    """Return the versions of program, Python and libraries."""
    facts = {
        "neodeskpet": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "qt": _installed("PySide6-Essentials"),
        "live2d": _installed("live2d-py"),
    }
    text = f"NeoDeskPet {__version__}, Python {facts['python']}, Qt {facts['qt']}"
    return CheckResult(
        "version", tr("Version"), StepOutcome.GOOD, text, str(facts["system"]), facts
    )


def check_folder(home: Path) -> CheckResult:
    """Check that the data folder can be written and has free space."""
    title = tr("Data folder")
    try:
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(b"x")
        free = shutil.disk_usage(home).free
    except OSError as error:
        return CheckResult("folder", title, StepOutcome.FAILED, str(home), str(error))
    outcome = StepOutcome.FAULT if free < _MIN_FREE_BYTES else StepOutcome.GOOD
    said = tr("{count} GB free", count=f"{free / 1e9:.1f}")
    return CheckResult("folder", title, outcome, str(home), said, {"free": free})


def check_settings(row_id: str, title: str, fault: KnownError | None) -> CheckResult:
    """Return the result for a settings file; `fault` is what its reader reported."""
    if fault is None:
        return CheckResult(row_id, title, StepOutcome.GOOD, tr("readable"))
    return CheckResult(row_id, title, StepOutcome.FAULT, *translate_error(fault))


def check_services(file: CatalogFile, settings: SettingsStore) -> CheckResult:
    """Return where the model services are configured."""
    title = tr("Model services")
    if file.fault is not None:
        return check_settings("services", title, file.fault)
    if file.catalog is not None:
        text = tr_count(N_("{count} model"), N_("{count} models"), len(file.catalog.models))
        return CheckResult("services", title, StepOutcome.GOOD, text, str(file.path))
    service = settings.settings.service
    if service.protocol == "offline" or not service.base_url:
        return CheckResult(
            "services", title, StepOutcome.ABSENT, tr("none: the offline helper answers")
        )
    return CheckResult("services", title, StepOutcome.GOOD, tr("as in the settings"))


def check_database(path: Path) -> CheckResult:
    """Check that the conversations can be read; nothing is written."""
    title = tr("Conversations")
    if not path.exists():
        return CheckResult("database", title, StepOutcome.ABSENT, tr("none yet"))
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            (count,) = connection.execute("SELECT count(*) FROM messages").fetchone()
    except sqlite3.Error as error:
        return CheckResult("database", title, StepOutcome.FAILED, tr("can't be read"), str(error))
    if verdict != "ok":
        return CheckResult("database", title, StepOutcome.FAILED, tr("damaged"), str(verdict))
    size = path.stat().st_size
    text = count_messages(count)
    facts = {"messages": count, "bytes": size}
    return CheckResult("database", title, StepOutcome.GOOD, text, f"{size / 1e6:.1f} MB", facts)


async def check_keys(home: Path) -> CheckResult:
    """Return where keys are stored. No key is read."""
    title = tr("Keys")
    secrets = Secrets(home / SECRETS_FILE, environ={})
    try:
        place = await asyncio.wait_for(secrets.where_async(), _KEYRING_TIMEOUT)
    except TimeoutError:
        return CheckResult("keys", title, StepOutcome.FAULT, tr("the keyring doesn't answer"))
    detail = tr("{name} is set", name=ENVIRONMENT_KEY) if os.environ.get(ENVIRONMENT_KEY) else ""
    text = {
        SecretPlace.KEYRING: tr("in the system's keyring"),
        SecretPlace.FILE: tr("in {file}", file=str(secrets.file)),
    }.get(place, tr("there is no keyring: in memory only"))
    outcome = StepOutcome.FAULT if place is SecretPlace.MEMORY else StepOutcome.GOOD
    return CheckResult("keys", title, outcome, text, detail, {"place": place.value})


def check_sync(settings: SettingsStore, secrets: Secrets) -> CheckResult:
    """Check that the configured sync server can be used. May block on a keyring."""
    title, address = tr("Sync"), settings.settings.sharing.address
    try:
        with closing(
            ServerConnection(address, access_from_settings(settings, secrets, address))
        ) as server:
            text = tr("The server answers: PostgreSQL {version}.", version=server.version)
    except SyncError as fault:
        return CheckResult("sync", title, StepOutcome.FAILED, *translate_error(fault))
    return CheckResult("sync", title, StepOutcome.GOOD, text, address)


def check_display(
    environ: Mapping[str, str] | None = None, system: str = sys.platform
) -> CheckResult:
    """Check that there is a display for the companion."""
    title = tr("Display")
    variables = os.environ if environ is None else environ
    if not system.startswith("linux"):
        return CheckResult("display", title, StepOutcome.GOOD, system)
    x11, wayland = variables.get("DISPLAY", ""), variables.get("WAYLAND_DISPLAY", "")
    if x11:
        return CheckResult("display", title, StepOutcome.GOOD, f"X11 {x11}", wayland)
    if wayland:
        return CheckResult(
            "display", title, StepOutcome.FAILED, f"Wayland {wayland}", tr("without XWayland")
        )
    return CheckResult("display", title, StepOutcome.ABSENT, tr("none"))


def sound_result(devices: SoundDevices, chosen: VoiceSettings) -> CheckResult:
    """Return the connected microphones and speakers. None is opened."""
    title = tr("Sound")
    if not devices.backend:
        advice = tr("Connect a speaker or microphone, and start the computer's sound service.")
        return CheckResult("sound", title, StepOutcome.ABSENT, tr("no sound system"), advice)
    text = tr(
        "Speakers: {outputs}. Microphones: {inputs}.",
        outputs=", ".join(devices.outputs) or "–",
        inputs=", ".join(devices.inputs) or "–",
    )
    whole = devices.outputs and devices.inputs
    outcome = StepOutcome.GOOD if whole else StepOutcome.ABSENT
    detail = devices.backend
    if missing := _missing_device(devices, chosen):
        outcome = StepOutcome.FAULT
        detail = tr(
            "{device} is chosen, but not connected. Connect it, or choose another in Settings › "
            "Voice & sounds.",
            device=missing,
        )
    elif not devices.outputs:
        detail = tr("Connect a speaker to hear the companion.")
    elif not devices.inputs:
        detail = tr("Connect a microphone to speak to the companion.")
    facts = {"outputs": devices.outputs, "inputs": devices.inputs}
    return CheckResult("sound", title, outcome, text, detail, facts)


def _missing_device(devices: SoundDevices, chosen: VoiceSettings) -> str:
    """Return the chosen device that is not connected, "" for none."""
    wanted = ((chosen.output_device, devices.outputs), (chosen.input_device, devices.inputs))
    return next((name for name, connected in wanted if name and name not in connected), "")


async def check_companion(path: Path, cache: Path) -> list[CheckResult]:
    """Check the figure with all checks of the app, and whether it can be drawn."""
    title = tr("Companion")
    try:
        found = await check_model(path, cache, timeout=PROBE_SECONDS)
    except ModelFileError as error:
        return [CheckResult("companion", title, StepOutcome.FAILED, *translate_error(error))]
    text = tr(
        "{name}: {expressions} expressions, {motions} motions",
        name=found.name,
        expressions=str(len(found.expressions)),
        motions=str(sum(found.motions.values())),
    )
    dropped = [f"{one.file}: {one.reason}" for one in found.dropped]
    outcome = StepOutcome.FAULT if dropped else StepOutcome.GOOD
    return [
        CheckResult("companion", title, outcome, text, "; ".join(dropped)),
        _drawing_result(found),
    ]


def _drawing_result(found: ModelDescription) -> CheckResult:
    """Return whether the trial drew the figure; this needs an OpenGL context without a window."""
    title = tr("Drawing (OpenGL)")
    if found.reach is not None:
        return CheckResult("gl", title, StepOutcome.GOOD, tr("the figure could be drawn"))
    return CheckResult("gl", title, StepOutcome.ABSENT, tr("can't be tested without a window here"))


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:  # a bundle may lack metadata
        return "?"


_GLYPHS = {
    StepOutcome.GOOD: "✓",
    StepOutcome.FAULT: "!",
    StepOutcome.FAILED: "✕",
    StepOutcome.ABSENT: "–",
}
_TITLE_WIDTH, _TEXT_WIDTH = 26, 34  # columns


class Report:
    """Prints results; call `finish` at the end. `failed` is set if something doesn't work. Keys are
    redacted: servers echo them, and users put them into addresses.
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
        """Print whether the advice was applied."""
        self.failed = self.failed or error is not None
        self._endpoints[-1]["taken"] = error is None
        self._line(
            f"  ✓ {tr('Applied.')}" if error is None else f"  ✕ {' '.join(translate_error(error))}"
        )

    def finish(self) -> int:
        """Print the JSON report, if requested, and return the exit code."""
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
    """Pad `text` to a number of columns; Chinese characters take two."""
    return text + " " * (columns - _width(text))


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
