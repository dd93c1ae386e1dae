"""`neodeskpet model`: check a Live2D model, list those there are, draw one's contact sheet; import
language models from the configuration of another program.

Nothing a model file holds can end this process: it is tried, and drawn, in another. Exit codes:
0 well, 1 the model is refused (file and reason are named), 2 wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from neodeskpet.commands.model_import import run_import
from neodeskpet.commands.terminal import add_data_dir, data_folder
from neodeskpet.core.errors import ModelFileError
from neodeskpet.language import format_error, tr
from neodeskpet.live2d.contact_sheet import draw_sheet
from neodeskpet.live2d.files.catalog import ModelDescription, describe_model
from neodeskpet.live2d.files.guard import check_model
from neodeskpet.live2d.files.shelf import ModelLibrary
from neodeskpet.live2d.library import bundled_figure_path


def run(argv: list[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    try:
        words = _parser().parse_args(argv)
    except SystemExit as ended:  # argparse has said what is wrong
        return int(ended.code or 0)
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
    words.add_parser("check", parents=[path, as_json, common], help=tr("can it be used?"))
    words.add_parser("list", parents=[as_json, common], help=tr("the models there are"))
    drawn = words.add_parser("sheet", parents=[path, common], help=tr("draw all it can do"))
    drawn.add_argument("--out", type=Path, required=True, metavar="PNG")
    imported = words.add_parser(
        "import",
        parents=[common],
        help=tr("take over the language models of another program's configuration"),
    )
    imported.add_argument(
        "file", type=Path, metavar="FILE", help=tr("its configuration, as JSON or TOML")
    )
    imported.add_argument("--yes", action="store_true", help=tr("write without a question"))
    return parser


def _model_library(words: argparse.Namespace) -> ModelLibrary:
    return ModelLibrary(data_folder(words.data_dir) / "models", bundled_figure_path())


# The words


def _check(path: Path, cache: Path, *, json_lines: bool) -> int:
    try:
        found = asyncio.run(check_model(path, cache))
    except ModelFileError as error:
        return _refused(error, json_lines=json_lines)
    told = {"ok": True, **_finding_record(found)}
    if json_lines:
        print(json.dumps(told, ensure_ascii=False))
        return 0
    print(tr("{name} can be used.", name=found.name))
    print(_summary(found))
    for left_out in found.dropped:
        print(tr("Left out: {file}. {reason}", file=left_out.file, reason=left_out.reason))
    return 0


def _refused(error: ModelFileError, *, json_lines: bool) -> int:
    if json_lines:
        told = {"ok": False, "file": error.params.get("file", ""), "reason": error.detail}
        print(json.dumps(told, ensure_ascii=False))
    else:
        print(format_error(error), file=sys.stderr)
    return 1


def _list(shelf: ModelLibrary, *, json_lines: bool) -> int:
    rows: list[dict[str, object]] = []
    for entry in shelf.entries():
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


# Wording


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
