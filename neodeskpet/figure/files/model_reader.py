"""Finds figures and describes them from their files alone: no library, no GL, no Qt.

Names are those that the library will use. Required files (settings, moc, textures) must exist; an
optional file (motion, expression, physics, pose) that is missing or broken is left out and listed
in `dropped`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from neodeskpet.core.errors import ModelFileError
from neodeskpet.core.json_text import TooDeep, read_json
from neodeskpet.figure.animation_script import ParameterRange
from neodeskpet.figure.files import live2d_formats
from neodeskpet.figure.files.figure_settings import (
    FIGURE_SETTINGS_FILE,
    FigureSettings,
    apply_figure_settings,
    read_figure_settings,
)
from neodeskpet.figure.files.file_lookup import add_unlisted, check_bytes, find_file
from neodeskpet.figure.files.moc_file import read_parameters
from neodeskpet.figure.files.model_description import DroppedFile as DroppedFile
from neodeskpet.figure.files.model_description import HitArea as HitArea
from neodeskpet.figure.files.model_description import ModelDescription as ModelDescription
from neodeskpet.figure.files.model_description import PartNotes
from neodeskpet.figure.lipsync import VOWELS
from neodeskpet.figure.sprites.shimeji_pack import ACTIONS_FILE, SINGLE_PICTURE
from neodeskpet.figure.sprites.sprite_packs import (
    SHIPPED_FORMAT,
    describe_pack,
    is_pack,
    is_pack_file_name,
    root_of,
)
from neodeskpet.language import language, tr
from neodeskpet.platform.installation import assets_dir

SETTINGS_LIMIT = 2_000_000
JSON_LIMIT = 4_000_000
MOC_LIMIT = 64_000_000
TEXTURE_LIMIT = 100_000_000
MOST_MOTIONS = 1000
OPTIONAL_BYTES = 8_000_000
"""The limit of motions, expressions, physics and pose in total, each counted as often as it is
named.
"""
REQUIRED_BYTES = 400_000_000
"""The limit of the moc and the textures in total, each counted once."""
MOST_FOLDER_DEPTH = 4
_Kind = TypeVar("_Kind", bound=BaseModel)
_SPOKEN = frozenset(f"Param{vowel}" for vowel in VOWELS)
_MOUTH = {3: "ParamMouthOpenY", 2: "PARAM_MOUTH_OPEN_Y"}


def optional_files(description: ModelDescription) -> tuple[Path, ...]:
    """Return the motion, expression, physics and pose files that are used."""
    tree = json.loads(description.settings)
    return tuple(description.root / slot.file for slot in file_slots(tree) if slot.kind is not None)


def find_models(folder: Path) -> list[Path]:
    """Return the settings files of all models in `folder`, at most four levels down, sorted. A
    Shimeji pack is found by its actions file, or by its first picture if it has none.
    """
    found: list[Path] = []
    for base, folders, files in os.walk(folder):
        depth = len(Path(base).relative_to(folder).parts)
        folders[:] = [] if depth >= MOST_FOLDER_DEPTH else sorted(f for f in folders if f[0] != ".")
        found += [Path(base) / name for name in files if names_settings(name)]
    if any(file.name.lower() in ACTIONS_FILE for file in found):
        found = [file for file in found if file.name.lower() != SINGLE_PICTURE]
    return sorted(file for file in found if file.is_file())


def names_settings(name: str) -> bool:
    """Return whether a file of this name has a model's settings."""
    lowered = name.lower()
    live2d = lowered.endswith((".model3.json", ".model.json")) or lowered == "model.json"
    return live2d or is_pack_file_name(name)


def describe_model(path: Path) -> ModelDescription:
    """Describe the model at `path`: a settings file, or a folder that contains one model.

    Raises ModelFileError, whose detail names the file and the reason.
    """
    file = settings_file(path)
    if file.is_relative_to(assets_dir()):
        return _describe_ours(file, _state(file.parent), language())
    return _describe(file)


@lru_cache(maxsize=8)
def _describe_ours(file: Path, state: object, spoken: str) -> ModelDescription:
    """Describe a figure of the app; the result is cached because several callers need its names."""
    return _describe(file)


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return a value that changes when a file changes."""
    paths = [Path(base, name) for base, _, names in os.walk(folder) for name in names]
    found = ((str(path), path.lstat()) for path in sorted(paths))
    return tuple((path, stat.st_size, stat.st_mtime_ns) for path, stat in found)


def _describe(file: Path) -> ModelDescription:
    if is_pack(file):
        return describe_pack(file)
    root = file.parent
    tree = _read_json(file, file.name)
    if not isinstance(tree, dict):
        raise file_error(file.name, tr("It does not contain the settings of a model."))
    kind = live2d_formats.Model3 if "FileReferences" in tree else live2d_formats.Model2
    try:
        checked = live2d_formats.plain_tree(kind.model_validate(tree))
    except ValidationError as error:
        raise file_error(file.name, _first_error(error)) from None
    add_unlisted(checked, root, {slot.file for slot in file_slots(checked)})
    _check_counts(file, checked)
    dropped, moved = _drop_broken(checked, file)
    found = (
        _describe_3(file, checked) if kind is live2d_formats.Model3 else _describe_2(file, checked)
    )
    found = replace(
        found,
        drives=_drives(checked, moved),
        parameters=_parameters(found, _swayed(tree, root)),
        notes=PartNotes(parameters=_parameter_names(tree, root)),
    )
    if sum(one.stat().st_size for one in {found.moc, *found.textures}) > REQUIRED_BYTES:
        limit = str(REQUIRED_BYTES // 1_000_000)
        raise file_error(
            file.name, tr("Its files are larger than {limit} MB in total.", limit=limit)
        )
    try:
        side = read_figure_settings(root)
    except ValueError as error:
        side = FigureSettings()
        dropped.append(DroppedFile(FIGURE_SETTINGS_FILE, str(error)))
    return apply_figure_settings(replace(found, dropped=tuple(dropped)), side)


def file_error(file: str, detail: str) -> ModelFileError:
    """Return the error for `file`; `detail` is shown to the user after it."""
    return ModelFileError(detail, file=file)


def settings_file(path: Path) -> Path:
    """Return the settings file of the figure at `path`: itself, or the topmost one in a folder.
    Raises ModelFileError.
    """
    try:
        path = path.expanduser().resolve()
        if path.is_file():
            return path
        if (path / SHIPPED_FORMAT).is_file():
            return path / SHIPPED_FORMAT
        found = find_models(path) if path.is_dir() else []
    except (OSError, RuntimeError, ValueError) as error:
        raise file_error(str(path), str(error)) from None
    if not found:
        raise file_error(
            path.name or str(path),
            tr("No figure was found: no .model3.json, model.json, pet.json or actions.xml."),
        )
    return min(found, key=lambda file: (len(file.parts), not file.name.endswith("3.json")))


def _check_counts(file: Path, tree: dict[str, Any]) -> None:
    references = tree.get("FileReferences")
    motions = tree["motions"] if references is None else references["Motions"]
    if sum(len(entries) for entries in motions.values()) > MOST_MOTIONS:
        count = str(MOST_MOTIONS)
        raise file_error(file.name, tr("It names more than {count} motions.", count=count))


def _describe_3(file: Path, tree: dict[str, Any]) -> ModelDescription:
    references = tree["FileReferences"]
    groups = {group["Name"]: group["Ids"] for group in tree["Groups"]}
    return ModelDescription(
        name=_model_name(file),
        file=file,
        root=file.parent,
        version=3,
        settings=json.dumps(tree, indent=4, ensure_ascii=False),
        moc=_required(file.parent, references["Moc"], MOC_LIMIT),
        textures=_textures(file.parent, references["Textures"]),
        expressions=tuple(dict.fromkeys(e["Name"] for e in references["Expressions"])),
        motions=MappingProxyType({g: len(m) for g, m in references["Motions"].items() if m}),
        hit_areas=tuple(HitArea(a["Name"], a["Id"]) for a in tree["HitAreas"]),
        mouth=tuple(groups.get("LipSync") or (_MOUTH[3],)),
    )


def _describe_2(file: Path, tree: dict[str, Any]) -> ModelDescription:
    return ModelDescription(
        name=_model_name(file),
        file=file,
        root=file.parent,
        version=2,
        settings=json.dumps(tree, indent=4, ensure_ascii=False),
        moc=_required(file.parent, tree["model"], MOC_LIMIT),
        textures=_textures(file.parent, tree["textures"]),
        expressions=tuple(dict.fromkeys(e["name"] for e in tree["expressions"])),
        motions=MappingProxyType({g: len(m) for g, m in tree["motions"].items() if m}),
        hit_areas=tuple(HitArea(a["name"], a["id"]) for a in tree["hit_areas"]),
        mouth=(_MOUTH[2],),
    )


def _parameters(found: ModelDescription, swayed: frozenset[str]) -> Mapping[str, ParameterRange]:
    if found.version != 3:
        return {}
    try:
        known = read_parameters(found.moc.read_bytes())
    except (OSError, ValueError):  # the guard reports the reason
        return {}
    return MappingProxyType({name: span for name, span in known.items() if name not in swayed})


def _swayed(tree: Any, root: Path) -> frozenset[str]:
    """Return the parameters that move by themselves: those of physics and of the lips' vowels."""
    try:
        file = checked_file(root, str(tree["FileReferences"]["Physics"]), JSON_LIMIT)
        found = _parsed(live2d_formats.Physics3, _decode(file.read_bytes()))
    except (LookupError, TypeError, OSError, ValueError):
        return _SPOKEN
    outputs = {out.Destination.Id for one in found.PhysicsSettings for out in one.Output}
    return _SPOKEN | outputs


def _parameter_names(tree: Any, root: Path) -> Mapping[str, str]:
    """Return the display names of the parameters, if the model has some."""
    try:
        file = checked_file(root, str(tree["FileReferences"]["DisplayInfo"]), JSON_LIMIT)
        shown = _parsed(live2d_formats.Display3, _decode(file.read_bytes()))
    except (LookupError, TypeError, OSError, ValueError):
        return {}
    return MappingProxyType({one.Id: one.Name for one in shown.Parameters})


def name_at(path: Path) -> str:
    """Return the name of the figure at `path` (a folder or a settings file) without reading it."""
    try:
        if path.is_dir():
            found = min(f for f in path.iterdir() if names_settings(f.name))
            return path.name if is_pack_file_name(found.name) else _model_name(found)
    except (OSError, ValueError):  # unreadable, or the model is in a subfolder
        return path.name
    return _model_name(path)


def _model_name(file: Path) -> str:
    if is_pack_file_name(file.name):
        return root_of(file).name
    stem = file.name.split(".")[0]
    return file.parent.name if stem.lower() in ("model", "index") else stem


def _textures(root: Path, names: list[str]) -> tuple[Path, ...]:
    return tuple(_required(root, name, TEXTURE_LIMIT) for name in names)


def _required(root: Path, name: str, limit: int) -> Path:
    try:
        return checked_file(root, name, limit)
    except ValueError as error:
        raise file_error(name, str(error)) from None


def checked_file(root: Path, name: str, limit: int) -> Path:
    """Return the file `name` of the model in `root`. Raises ValueError if it is missing, outside
    the folder, empty or larger than `limit` bytes.
    """
    path, size = find_file(root, name)
    check_bytes(size, limit)
    return path


# Optional files


@dataclass(frozen=True, slots=True)
class FileSlot:
    """A place in a settings tree that names a file. `kind` cleans an optional file's content (text
    to text, ValueError if broken); None for a required file.
    """

    holder: Any
    key: str | int
    folder: str
    kind: Callable[[str], str] | None = None

    @property
    def file(self) -> str:
        return str(self.holder[self.key])


_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}]')


_AT_ONCE = 5000


def _spread_out(tree: object) -> str:
    """Write JSON with a space around every number and bracket: the library misreads numbers next to
    one. `json.dumps` with an indent takes ten times as long for the megabytes of a long motion;
    without one it blocks all other threads, so long lists are written in parts.
    """
    return "".join(
        _STRING_OR_BRACKET.sub(
            lambda found: found[0] if found[0].startswith('"') else f"\n{found[0]}\n", part
        )
        for part in _parts_of(tree)
    ).strip()


def _parts_of(tree: object) -> Iterator[str]:
    if isinstance(tree, dict):
        yield "{"
        for number, (key, value) in enumerate(tree.items()):
            yield f"{',' if number else ''}{json.dumps(key, ensure_ascii=False)}: "
            yield from _parts_of(value)
        yield "}"
    elif isinstance(tree, list) and (not tree or isinstance(tree[0], dict | list)):
        yield "["
        for number, value in enumerate(tree):
            yield "," if number else ""
            yield from _parts_of(value)
        yield "]"
    elif isinstance(tree, list):
        yield "["
        for start in range(0, len(tree), _AT_ONCE):
            yield ",\n" if start else ""
            some = json.dumps(
                tree[start : start + _AT_ONCE], ensure_ascii=False, separators=(",\n", ": ")
            )
            yield some[1:-1]
        yield "]"
    else:
        yield json.dumps(tree, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Cleaner:
    """Cleans files of one schema."""

    schema: type[BaseModel]

    def __call__(self, text: str) -> str:
        return _spread_out(live2d_formats.plain_tree(_parsed(self.schema, text)))

    def moves(self, text: str) -> frozenset[str]:
        """Return the parameters that a motion moves. Raises ValueError as cleaning does; cleaning
        takes three times as long, and each start checks all files.
        """
        found = _parsed(self.schema, text)
        return found.moves if isinstance(found, live2d_formats.Motion3) else frozenset()


def file_slots(tree: dict[str, Any]) -> Iterator[FileSlot]:
    """Yield every place of a checked settings tree that names a file."""
    if "FileReferences" in tree:
        references = tree["FileReferences"]
        yield from _common_slots(references, "Moc", "Textures")
        kinds = (("Physics", live2d_formats.Physics3), ("Pose", live2d_formats.Pose3))
        yield from (FileSlot(references, k, "", _Cleaner(s)) for k, s in kinds if k in references)
        expression = _Cleaner(live2d_formats.Expression3)
        yield from (
            FileSlot(e, "File", "expressions", expression) for e in references["Expressions"]
        )
        motion = _Cleaner(live2d_formats.Motion3)
        for group in references["Motions"].values():
            yield from (FileSlot(m, "File", "motions", motion) for m in group)
        return
    yield from _common_slots(tree, "model", "textures")
    old = (("physics", live2d_formats.Physics2), ("pose", live2d_formats.Pose2))
    yield from (FileSlot(tree, k, "", _Cleaner(s)) for k, s in old if k in tree)
    expression = _Cleaner(live2d_formats.Expression2)
    yield from (FileSlot(e, "file", "expressions", expression) for e in tree["expressions"])
    for group in tree["motions"].values():
        yield from (FileSlot(m, "file", "motions", live2d_formats.clean_mtn) for m in group)


def _common_slots(tree: dict[str, Any], moc: str, textures: str) -> Iterator[FileSlot]:
    yield FileSlot(tree, moc, "")
    yield from (FileSlot(tree[textures], i, "textures") for i in range(len(tree[textures])))


def read_optional(file: Path, clean: Callable[[str], str]) -> str:
    """Return the cleaned content of an optional file; `clean` is its slot's `kind`. Raises
    ValueError with the reason, and OSError.
    """
    return clean(_decode(file.read_bytes()))


def _drop_broken(
    tree: dict[str, Any], settings: Path
) -> tuple[list[DroppedFile], dict[int, frozenset[str]]]:
    """Remove unusable optional files from `tree`. Return also what the remaining motions move, by
    the `id` of their entry.
    """
    dropped: list[DroppedFile] = []
    broken: list[FileSlot] = []
    moved: dict[int, frozenset[str]] = {}
    looks = _FileChecks(settings)
    _check_sizes(tree, settings)
    for slot in file_slots(tree):
        if slot.kind is None:
            continue
        try:
            moves = looks.look(slot, slot.kind)
        except (ValueError, OSError) as error:
            dropped.append(DroppedFile(slot.file, str(error)))
            broken.append(slot)
        else:
            if slot.folder == "motions":
                moved[id(slot.holder)] = moves
    remove_files(tree, broken)
    return dropped, moved


def _check_sizes(tree: dict[str, Any], settings: Path) -> None:
    """Check the total size of the optional files before any is read: reading a large file takes
    time from the interface, too. Raises ModelFileError.
    """
    total = 0
    for slot in file_slots(tree):
        if slot.kind is not None:
            with suppress(ValueError, OSError):  # the file is left out
                total += checked_file(settings.parent, slot.file, JSON_LIMIT).stat().st_size
        if total > OPTIONAL_BYTES:
            limit = str(OPTIONAL_BYTES // 1_000_000)
            raise file_error(
                settings.name,
                tr("Its motions and expressions are larger than {limit} MB in total.", limit=limit),
            )


def _moves(path: Path, clean: Callable[[str], str], *, motion: bool) -> frozenset[str]:
    if isinstance(clean, _Cleaner):
        return clean.moves(_decode(path.read_bytes()))
    content = read_optional(path, clean)
    return live2d_formats.moved_by(content) if motion else frozenset()


class _FileChecks:
    """Checks optional files, each only once, even if it is named several times."""

    def __init__(self, settings: Path) -> None:
        self._settings = settings
        self._known: dict[tuple[Path, Callable[[str], str]], frozenset[str] | str] = {}

    def look(self, slot: FileSlot, clean: Callable[[str], str]) -> frozenset[str]:
        """Check a file; return the parameters that a motion moves. Raises ValueError with the
        reason if the file can't be used, and OSError.
        """
        path = checked_file(self._settings.parent, slot.file, JSON_LIMIT)
        known = self._known.get((path, clean))
        if known is None:
            try:
                known = _moves(path, clean, motion=slot.folder == "motions")
            except ValueError as error:
                known = str(error)
            self._known[path, clean] = known
        if isinstance(known, str):
            raise ValueError(known)
        return known


def _drives(
    tree: dict[str, Any], moved: dict[int, frozenset[str]]
) -> Mapping[tuple[str, int], frozenset[str]]:
    references = tree.get("FileReferences")
    groups = tree["motions"] if references is None else references["Motions"]
    return MappingProxyType(
        {
            (group, index): moved.get(id(entry), frozenset())
            for group, entries in groups.items()
            for index, entry in enumerate(entries)
        }
    )


def remove_files(tree: dict[str, Any], broken: Sequence[FileSlot]) -> None:
    """Remove optional files from a settings tree."""
    references = tree.get("FileReferences", tree)
    gone = {id(slot.holder) for slot in broken if slot.holder is not references}
    for slot in broken:
        if slot.holder is references:
            del references[slot.key]
    expressions = references["Expressions" if references is not tree else "expressions"]
    motions = references["Motions" if references is not tree else "motions"]
    for entries in (expressions, *motions.values()):
        entries[:] = [entry for entry in entries if id(entry) not in gone]
    for group in [name for name, entries in motions.items() if not entries]:
        del motions[group]


# JSON


def parse_json(text: str) -> Any:
    """Parse strict JSON. Raises ValueError with a short reason."""
    try:
        return read_json(text, strict=True)
    except TooDeep:
        raise ValueError(tr("It is nested too deeply.")) from None
    except ValueError as error:
        raise ValueError(tr("It is not valid JSON: {reason}", reason=str(error))) from None


def _parsed(schema: type[_Kind], text: str) -> _Kind:
    """Parse a file's text with `schema`. Raises ValueError with the reason.

    Pydantic parses it instead of `json`: for some megabytes of numbers that blocks other threads
    for a fifth of the time, and values outside the schema are never created.
    """
    try:
        return schema.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] != "json_invalid":
            raise ValueError(_first_error(error)) from None
        reason = str(first["ctx"]["error"])
        if reason.startswith("recursion limit"):
            raise ValueError(tr("It is nested too deeply.")) from None
        raise ValueError(tr("It is not valid JSON: {reason}", reason=reason)) from None


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(tr("It is not text.")) from None


def _read_json(path: Path, shown: str) -> Any:
    try:
        if path.stat().st_size > SETTINGS_LIMIT:
            raise ValueError(tr("It is too large."))
        return parse_json(_decode(path.read_bytes()))
    except (OSError, ValueError) as error:
        raise file_error(shown, str(error)) from None


def _first_error(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])
