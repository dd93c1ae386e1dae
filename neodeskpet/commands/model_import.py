"""`neodeskpet model import FILE`: take over model services from another program's configuration.

What would be added is shown first, and written to `llm-config.json` after a yes. Keys go to the
keyring (or the allowed key file), never to `llm-config.json`. Exit codes: 0 written or nothing
new, 1 not written.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from neodeskpet.commands.agents.command import confirm_change
from neodeskpet.core.errors import KnownError
from neodeskpet.files import read_regular
from neodeskpet.language import format_error, tr
from neodeskpet.llm.catalog.catalog import FILE_NAME as CATALOG_FILE
from neodeskpet.llm.catalog.catalog import Catalog, catalog_of_service
from neodeskpet.llm.catalog.file import CatalogFile, CatalogInTheWay
from neodeskpet.llm.catalog.foreign import (
    ImportedServices,
    KnownServices,
    MergedCatalog,
    import_config,
    merge_imported,
)
from neodeskpet.llm.catalog.yaml_text import read_yaml
from neodeskpet.mcp.config import read_lenient
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import SecretPlace, Secrets, key_name
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.settings.service.presets import PRESETS

_MAX_FILE_BYTES = 20_000_000
"""Bytes of a configuration; a backup of Cherry Studio also has the conversations."""
_MAX_LISTED_MODELS = 20
"""Models of a service that are named in the preview."""


def run_import(
    path: Path,
    home: Path,
    *,
    yes: bool,
    secrets: Secrets | None = None,
    agree: Callable[[Path], bool] = confirm_change,
) -> int:
    try:
        document = _read(path)
    except (OSError, ValueError) as error:
        _print_error(tr("{file} can't be read: {reason}", file=str(path), reason=_reason(error)))
        return 1
    found = import_config(document, _known_names())
    file = CatalogFile(home / CATALOG_FILE)
    if file.fault is not None:
        _print_error(format_error(CatalogInTheWay(file=str(file.path))))
        return 1
    before = file.catalog or _initial_service(home)
    merged = merge_imported(before, found)
    for note in (*found.notes, *merged.notes):
        print(note)
    if not found.endpoints:
        _print_error(tr("No model service was found in {file}.", file=str(path)))
        return 1
    secrets = secrets or Secrets(home / SECRETS_FILE, environ={})
    keys = _new_keys(found, merged, secrets)
    if merged.catalog == before and not keys:
        print(tr("Nothing new was found in {file}.", file=str(path)))
        return 0
    _preview(before, merged.catalog, keys)
    if not (yes or agree(file.path)):
        print(tr("Nothing was changed."))
        return 1
    try:
        if merged.catalog != before:
            file.save(merged.catalog)
        _store_keys(keys, secrets)
    except KnownError as error:
        _print_error(format_error(error))
        return 1
    print(tr("Written: {file}", file=str(file.path)))
    return 0


def _read(path: Path) -> object:
    """The parsed file. Raises OSError and ValueError."""
    text = read_regular(path, _MAX_FILE_BYTES).decode("utf-8-sig")
    match path.suffix.casefold():
        case ".yaml" | ".yml":
            return read_yaml(text)
        case ".toml":
            return tomllib.loads(text)
        case _:
            return read_lenient(text)


def _reason(error: OSError | ValueError) -> str:
    """Without the file's own words: they may be a key."""
    if isinstance(error, UnicodeDecodeError):
        return tr("it isn't UTF-8 text")
    return getattr(error, "strerror", None) or str(error)


def _known_names() -> KnownServices:
    found: dict[str, tuple[str, str]] = {}
    for preset in PRESETS:
        if preset.base_url:
            found.setdefault(preset.id, (preset.protocol, preset.base_url))
    return found | {
        "google": found["gemini"],
        "silicon": found["siliconflow"],
        "claude": found["anthropic"],
    }


def _initial_service(home: Path) -> Catalog:
    """The service of the simple settings, which counts while there is no file."""
    service = SettingsStore(home / SETTINGS_FILE).settings.service
    return catalog_of_service(service.protocol, service.base_url, service.model)


# Keys


def _new_keys(
    found: ImportedServices, merged: MergedCatalog, secrets: Secrets
) -> dict[str, tuple[str, str]]:
    """Name in the keyring and key, by the endpoint, where no key is kept yet."""
    new: dict[str, tuple[str, str]] = {}
    for name, key in found.keys.items():
        endpoint = merged.catalog.endpoint(merged.names.get(name, ""))
        if endpoint is None:
            continue
        kept = secrets.get(key_name(endpoint.base_url), environment=False)
        if kept and kept != key:
            print(tr("“{name}” has another key already, which stays.", name=endpoint.name))
        elif not kept:
            new[endpoint.name] = (key_name(endpoint.base_url), key)
    return new


def _store_keys(keys: Mapping[str, tuple[str, str]], secrets: Secrets) -> None:
    for endpoint, (name, key) in keys.items():
        if secrets.where(name, environment=False) is SecretPlace.MEMORY:
            print(
                tr(
                    "The key of “{name}” was not kept: there is no keyring. Enter it in "
                    "Settings › Service.",
                    name=endpoint,
                )
            )
            continue
        secrets.set(name, key)


# The preview


def _preview(before: Catalog, after: Catalog, keys: Mapping[str, tuple[str, str]]) -> None:
    print(tr("To be added:"))
    for endpoint in after.endpoints:
        fresh = endpoint not in before.endpoints
        models = [
            model.display_name
            for model in after.models
            if model.endpoint == endpoint.name and model not in before.models
        ]
        if not (fresh or models or endpoint.name in keys):
            continue
        print(f"  {endpoint.name}  {endpoint.protocol}  {endpoint.base_url}")
        if models:
            more = (
                f" (+{len(models) - _MAX_LISTED_MODELS})"
                if len(models) > _MAX_LISTED_MODELS
                else ""
            )
            names = ", ".join(models[:_MAX_LISTED_MODELS]) + more
            print("    " + tr("Models: {names}", names=names))
        if endpoint.name in keys:
            print("    " + tr("Its key goes to the keyring, not to llm-config.json."))
        elif fresh and endpoint.key_variable:
            variable = endpoint.key_variable
            print("    " + tr("Its key is read from the variable {name}.", name=variable))


def _print_error(text: str) -> None:
    print(text, file=sys.stderr)
