"""`neodeskpet model`: checks and lists Live2D models, draws a contact sheet, and imports language
model services from another program. Model files are checked and drawn in child processes, so a bad
file cannot crash this process. `import FILE` shows what it would add to `llm-config.json` and
writes it after a confirmation; keys go to the keyring (or the allowed key file).
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from neodeskpet.cli.agents_command import confirm_change
from neodeskpet.cli.terminal import add_data_dir, data_folder, parse_words
from neodeskpet.core.errors import KnownError, ModelFileError
from neodeskpet.figure.contact_sheet import draw_sheet
from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.figure.files.model_library import ModelLibrary
from neodeskpet.figure.files.model_reader import ModelDescription, describe_model
from neodeskpet.figure.live2d.library import bundled_figure_path
from neodeskpet.language import format_error, tr
from neodeskpet.llm.catalog.catalog_file import CatalogFile, CatalogInTheWay
from neodeskpet.llm.catalog.config_import import (
    ImportedServices,
    KnownServices,
    MergedCatalog,
    import_config,
    merge_imported,
)
from neodeskpet.llm.catalog.model_catalog import FILE_NAME as CATALOG_FILE
from neodeskpet.llm.catalog.model_catalog import Catalog, catalog_of_service
from neodeskpet.llm.catalog.yaml_config import read_yaml
from neodeskpet.mcp.server_config import read_lenient
from neodeskpet.platform.private_files import read_regular
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import SecretPlace, Secrets, key_name
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.settings.services.service_presets import PRESETS

_MAX_FILE_BYTES = 20_000_000
"""Most bytes of a configuration; a backup of Cherry Studio also contains the conversations."""
_MAX_LISTED_MODELS = 20
"""Most models of a service that the preview lists."""


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
    """Read and parse the file. Raises OSError and ValueError."""
    text = read_regular(path, _MAX_FILE_BYTES).decode("utf-8-sig")
    match path.suffix.casefold():
        case ".yaml" | ".yml":
            return read_yaml(text)
        case ".toml":
            return tomllib.loads(text)
        case _:
            return read_lenient(text)


def _reason(error: OSError | ValueError) -> str:
    """Return the reason without text of the file, which may contain a key."""
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
    """Return the service of the simple settings, which is used while there is no file."""
    service = SettingsStore(home / SETTINGS_FILE).settings.service
    return catalog_of_service(service.protocol, service.base_url, service.model)


# Keys


def _new_keys(
    found: ImportedServices, merged: MergedCatalog, secrets: Secrets
) -> dict[str, tuple[str, str]]:
    """Return keyring name and key for each endpoint that has no stored key yet."""
    new: dict[str, tuple[str, str]] = {}
    for name, key in found.keys.items():
        endpoint = merged.catalog.endpoint(merged.names.get(name, ""))
        if endpoint is None:
            continue
        kept = secrets.get(key_name(endpoint.base_url), environment=False)
        if kept and kept != key:
            print(tr("“{name}” already has another key, which is kept.", name=endpoint.name))
        elif not kept:
            new[endpoint.name] = (key_name(endpoint.base_url), key)
    return new


def _store_keys(keys: Mapping[str, tuple[str, str]], secrets: Secrets) -> None:
    for endpoint, (name, key) in keys.items():
        if secrets.where(name, environment=False) is SecretPlace.MEMORY:
            print(
                tr(
                    "The key of “{name}” was not kept: there is no keyring. Enter it in "
                    "Settings › Models › Services.",
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
            print(
                "    " + tr("Its key is read from the environment variable {name}.", name=variable)
            )


def _print_error(text: str) -> None:
    print(text, file=sys.stderr)


def run(argv: list[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    words = parse_words(_parser(), argv)
    if isinstance(words, int):
        return words
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    if words.word == "list":
        return _list(_model_library(words), json_lines=words.json)
    if words.word == "import":
        return run_import(words.file, data_folder(words.data_dir), yes=words.yes)
    if not words.path.exists():
        print(
            f"neodeskpet model: {tr('There is no {path}.', path=str(words.path))}", file=sys.stderr
        )
        return 2
    cache = data_folder(words.data_dir) / "cache"
    if words.word == "check":
        return _check(words.path, cache, json_lines=words.json)
    return _sheet(words.path, cache, words.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="neodeskpet model",
        description=tr("Check, list and show Live2D models; import language models."),
    )
    common = argparse.ArgumentParser(add_help=False)
    add_data_dir(common)
    path = argparse.ArgumentParser(add_help=False)
    path.add_argument("path", type=Path, metavar="PATH", help=tr("settings file or folder"))
    as_json = argparse.ArgumentParser(add_help=False)
    as_json.add_argument("--json", action="store_true", help=tr("print one JSON object"))
    words = parser.add_subparsers(dest="word", required=True)
    words.add_parser(
        "check", parents=[path, as_json, common], help=tr("check whether a model can be used")
    )
    words.add_parser("list", parents=[as_json, common], help=tr("list the models"))
    drawn = words.add_parser(
        "sheet", parents=[path, common], help=tr("draw all expressions and motions")
    )
    drawn.add_argument("--out", type=Path, required=True, metavar="PNG")
    imported = words.add_parser(
        "import",
        parents=[common],
        help=tr("import the language models of another program's configuration"),
    )
    imported.add_argument(
        "file", type=Path, metavar="FILE", help=tr("its configuration, as JSON or TOML")
    )
    imported.add_argument("--yes", action="store_true", help=tr("write without asking"))
    return parser


def _model_library(words: argparse.Namespace) -> ModelLibrary:
    return ModelLibrary(data_folder(words.data_dir) / "models", bundled_figure_path())


# Text output


def _check(path: Path, cache: Path, *, json_lines: bool) -> int:
    try:
        found = asyncio.run(check_model(path, cache))
    except ModelFileError as error:
        return _refused(error, json_lines=json_lines)
    record = {"ok": True, **_finding_record(found)}
    if json_lines:
        print(json.dumps(record, ensure_ascii=False))
        return 0
    print(tr("{name} can be used.", name=found.name))
    print(_summary(found))
    for left_out in found.dropped:
        print(tr("Left out: {file}. {reason}", file=left_out.file, reason=left_out.reason))
    return 0


def _refused(error: ModelFileError, *, json_lines: bool) -> int:
    if json_lines:
        record = {"ok": False, "file": error.params.get("file", ""), "reason": error.detail}
        print(json.dumps(record, ensure_ascii=False))
    else:
        print(format_error(error), file=sys.stderr)
    return 1


def _list(library: ModelLibrary, *, json_lines: bool) -> int:
    rows: list[dict[str, object]] = []
    for entry in library.entries():
        row: dict[str, object] = {"path": str(entry.path), "bundled": entry.bundled}
        try:
            found = describe_model(entry.path)
        except ModelFileError as error:
            row |= {"name": entry.path.name, "ok": False, "reason": format_error(error)}
        else:
            row |= {"ok": True, **_finding_record(found)}
        rows.append(row)
        if not json_lines:
            print(f"{row['name']}  {row['path']}")
            print("  " + (_summary(found) if row["ok"] else str(row["reason"])))
    if json_lines:
        print(json.dumps({"models": rows}, ensure_ascii=False))
    return 0


def _sheet(path: Path, cache: Path, out: Path) -> int:
    async def draw() -> None:
        found = await check_model(path, cache)
        await draw_sheet(found, out)

    if not out.resolve().parent.is_dir():
        folder = str(out.parent)
        print(f"neodeskpet model: {tr('There is no {path}.', path=folder)}", file=sys.stderr)
        return 2
    try:
        asyncio.run(draw())
    except ModelFileError as error:
        return _refused(error, json_lines=False)
    print(out)
    return 0


# Formatting


def _finding_record(found: ModelDescription) -> dict[str, object]:
    return {
        "name": found.name,
        "file": str(found.file),
        "version": found.version,
        "expressions": list(found.expressions),
        "motions": dict(found.motions),
        "hit_areas": [area.name for area in found.hit_areas],
        "dropped": [{"file": one.file, "reason": one.reason} for one in found.dropped],
    }


def _summary(found: ModelDescription) -> str:
    return tr(
        "Expressions: {expressions}. Motions: {motions}.",
        expressions=_names(found.expressions),
        motions=_names([f"{group or '“”'} ({count})" for group, count in found.motions.items()]),
    )


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) or tr("none")
