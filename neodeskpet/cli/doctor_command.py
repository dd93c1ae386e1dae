"""`neodeskpet doctor`: tests the model services, and without `--endpoint` this computer too."""

from __future__ import annotations

import argparse
import asyncio
import io
import sys
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from neodeskpet.app.services import open_local_model_host
from neodeskpet.cli.doctor_checks import Report, run_checks
from neodeskpet.cli.terminal import add_data_dir, data_folder
from neodeskpet.core.errors import KnownError, LlmError, SettingsError
from neodeskpet.language import set_language, tr
from neodeskpet.llm.catalog.catalog_editing import add_model, apply_measured
from neodeskpet.llm.catalog.catalog_file import CatalogFile
from neodeskpet.llm.catalog.known_models import known_model
from neodeskpet.llm.catalog.model_catalog import FILE_NAME as CATALOG_FILE
from neodeskpet.llm.catalog.model_catalog import Catalog, Endpoint, ModelEntry, catalog_of_service
from neodeskpet.llm.chain.model_selection import ModelChoice, complete_choice
from neodeskpet.llm.chain.tool_support import NONE, ToolCallModes
from neodeskpet.llm.endpoint_test.endpoint_advice import Advice, advise
from neodeskpet.llm.endpoint_test.endpoint_tester import (
    EndpointTest,
    StepOutcome,
    StepResult,
    list_models,
)
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.local.local_host import LocalHost
from neodeskpet.llm.local.model_file import file_of, is_model_file, model_name
from neodeskpet.llm.model_builder import HttpClients, keys_from
from neodeskpet.llm.model_pipeline import KeyOf
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.platform.redaction import register_secret
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import Secrets, key_name, plain_host_check
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore

_STALL_TIMEOUT = 30.0  # seconds without data
_STOPPED = 130


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="neodeskpet doctor",
        description=tr(
            "Test the model services; without --endpoint or --base-url, also the data"
            " folder, the database, the keyring, the companion's files and drawing. "
            "Each service gets about a dozen small requests."
        ),
        epilog=tr(
            "The key is read from NEODESKPET_API_KEY, the endpoint's own variable or "
            "the keyring. Exit code: 0, 1 if something doesn't work, 2 for wrong "
            "usage."
        ),
    )
    made.add_argument(
        "--endpoint", metavar="NAME", default=None, help=tr("test only this endpoint")
    )
    made.add_argument("--base-url", metavar="URL", default=None, help=tr("test only this address"))
    made.add_argument("--model", metavar="M", default=None)
    made.add_argument("--protocol", choices=sorted(PROTOCOLS), default=None)
    made.add_argument("--local", action="store_true", help=tr("check only this computer"))
    made.add_argument(
        "--take",
        action="store_true",
        help=tr("with --endpoint: set the proposed mode, and save the results in llm-config.json"),
    )
    made.add_argument("--json", action="store_true", help=tr("print one JSON object"))
    add_data_dir(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    made = parser()
    words = made.parse_args(argv)
    if words.base_url is not None and words.endpoint is not None:
        made.error("--endpoint and --base-url exclude each other")
    if words.base_url is not None and not words.base_url.strip():
        made.error("--base-url needs an address")
    if words.take and words.endpoint is None:
        made.error("--take needs --endpoint")
    if words.local and (words.endpoint or words.base_url):
        made.error("--local tests no service")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        return asyncio.run(_Doctor(words).run())
    except KeyboardInterrupt:
        return _STOPPED
    except _UnknownEndpoint as error:
        print(f"neodeskpet doctor: {error}", file=sys.stderr)
        return 2


def _test_endpoint(client: HttpClient, choice: ModelChoice, options: ModelOptions) -> EndpointTest:
    protocol = PROTOCOLS[choice.endpoint.protocol]
    return EndpointTest(client, protocol, options, thinking=choice.thinking, stall=_STALL_TIMEOUT)


class _UnknownEndpoint(Exception):
    """The command line names an unknown endpoint."""


class _Doctor:
    """One run of the checks."""

    def __init__(self, words: argparse.Namespace) -> None:
        self._words = words
        self._home = data_folder(words.data_dir)
        self._unsaved: list[SettingsError] = []
        self._settings = SettingsStore(self._home / SETTINGS_FILE, on_fault=self._unsaved.append)
        self._file = CatalogFile(self._home / CATALOG_FILE)
        self._report = Report(as_json=words.json)
        secrets = Secrets(self._home / SECRETS_FILE)
        self._key: KeyOf = keys_from(secrets.get_async, key_name, register_secret)
        set_language(self._settings.settings.appearance.language)

    async def run(self) -> int:
        """Run the checks and return the exit code. Raises _UnknownEndpoint."""
        words = self._words
        chosen = [] if words.local else self._choices()
        if not words.endpoint and not words.base_url:
            await self._check_computer()
        if chosen:
            await self._test(chosen)
        return self._report.finish()

    async def _check_computer(self) -> None:
        self._report.print_heading(tr("This computer"))
        async with aclosing(run_checks(self._home, self._settings, self._file)) as rows:
            async for row in rows:
                self._report.add(row)

    async def _test(self, chosen: Sequence[ModelChoice]) -> None:
        plain_to = plain_host_check(self._settings)
        client = HttpClient(plain_to=plain_to)
        connections = HttpClients(client, plain_to=plain_to)
        host = open_local_model_host(self._home, self._settings)
        try:
            for choice in chosen:
                await self._test_endpoint(connections(choice.endpoint.proxy), choice, host)
        finally:
            await host.aclose()
            await connections.aclose()
            await client.aclose()

    async def _test_endpoint(
        self, client: HttpClient, choice: ModelChoice, host: LocalHost
    ) -> None:
        if is_model_file(choice.endpoint.base_url):
            key, choice = "", self._named_by_file(choice, host)
        else:
            key = await self._key(choice.endpoint)
        if not choice.entry.id:
            choice = await self._first_listed(client, choice, key)
        self._report.print_endpoint(choice)
        trials: list[StepResult] = []
        try:
            async with (
                host.place(replace(choice.options(), key=key)) as options,
                aclosing(_test_endpoint(client, choice, options).run()) as ended,
            ):
                async for one in ended:
                    trials.append(one)
                    self._report.add_trial(one)
        except LlmError as error:  # a local model that can't be loaded
            trials.append(StepResult("models", StepOutcome.FAILED, error=error))
            self._report.add_trial(trials[-1])
        advice = advise(trials)
        self._report.print_advice(advice)
        if self._words.take and advice.mode:
            self._apply_advice(choice, advice)

    def _apply_advice(self, choice: ModelChoice, advice: Advice) -> None:
        """Apply the advice: the tool mode in the settings, the rest in the model's entry."""
        try:
            self._save_measurements(choice, advice)
            if advice.mode == NONE:
                ToolCallModes(self._settings).choose(choice.endpoint.base_url, NONE)
            else:
                self._settings.change("mode", "mode", advice.mode)
            if advice.dialect:
                self._settings.change("mode", "dialect", advice.dialect)
        except KnownError as error:
            self._report.print_applied(error)
        else:
            self._report.print_applied(self._unsaved[0] if self._unsaved else None)

    def _save_measurements(self, choice: ModelChoice, advice: Advice) -> None:
        """Save the measurements. The simple settings need a file only for facts that aren't known
        by the model's name.
        """
        known = choice.abilities.items() >= advice.measured.items()
        if self._is_service_overridden() or (self._file.catalog is None and known):
            return
        simple = self._simple_catalog()
        named = tuple(entry for entry in simple.models if entry.id)
        endpoint, entry = choice.endpoint.name, choice.entry

        def change(catalog: Catalog) -> Catalog:
            catalog = add_model(catalog, endpoint, entry.id)
            return apply_measured(catalog, endpoint, entry.display_name, advice.measured)

        self._file.edit(change, simple.model_copy(update={"models": named}))

    def _named_by_file(self, choice: ModelChoice, host: LocalHost) -> ModelChoice:
        file = file_of(choice.endpoint.base_url, host.folder)
        entry = ModelEntry(endpoint=choice.endpoint.name, id=model_name(file))
        return choice if choice.entry.id else complete_choice(choice.endpoint, entry)

    async def _first_listed(self, client: HttpClient, choice: ModelChoice, key: str) -> ModelChoice:
        """Choose a model if none is named: the first chat model that the endpoint lists."""
        options = replace(choice.options(), key=key)
        try:
            names = await list_models(client, PROTOCOLS[choice.endpoint.protocol], options)
        except LlmError:
            return choice  # the test reports the error
        talking = [name for name in names if not known_model(name).embedding]
        entry = ModelEntry(endpoint=choice.endpoint.name, id=(talking or [""])[0])
        return complete_choice(choice.endpoint, entry)

    # Which endpoints

    def _choices(self) -> list[ModelChoice]:
        """Return one model for each endpoint to test. Raises _UnknownEndpoint."""
        catalog, name = self._catalog(), self._words.endpoint
        if name is not None and catalog.endpoint(name) is None:
            known = ", ".join(endpoint.name for endpoint in catalog.endpoints) or "-"
            raise _UnknownEndpoint(
                tr("There is no endpoint “{name}”. Known: {known}", name=name, known=known)
            )
        return [
            self._choice_for(catalog, endpoint)
            for endpoint in catalog.endpoints
            if (endpoint.on if name is None else endpoint.name == name)
        ]

    def _catalog(self) -> Catalog:
        """Return the catalog of the command line, else of the file, else of the simple settings."""
        words = self._words
        if words.base_url is not None:
            protocol = words.protocol or "openai"
            return catalog_of_service(protocol, words.base_url, words.model or "")
        if self._is_service_overridden() or self._file.catalog is None:
            return self._simple_catalog()
        return self._file.catalog

    def _simple_catalog(self) -> Catalog:
        service = self._settings.settings.service
        return catalog_of_service(service.protocol, service.base_url, service.model)

    def _is_service_overridden(self) -> bool:
        """Return whether the environment sets the service."""
        return any(self._settings.overridden("service", name) for name in ("base_url", "protocol"))

    def _choice_for(self, catalog: Catalog, endpoint: Endpoint) -> ModelChoice:
        """Return the named model, else the endpoint's first chat model."""
        if self._words.protocol:
            endpoint = endpoint.model_copy(update={"protocol": self._words.protocol})
        entries = [entry for entry in catalog.models if entry.endpoint == endpoint.name]
        named = self._words.model
        if named is not None:
            fresh = ModelEntry(endpoint=endpoint.name, id=named)
            found = [entry for entry in entries if named in (entry.display_name, entry.id)]
            return complete_choice(endpoint, (found or [fresh])[0])
        talking = [entry for entry in entries if not known_model(entry.id).embedding]
        empty = ModelEntry(endpoint=endpoint.name, id="")
        return complete_choice(endpoint, (talking or entries or [empty])[0])
