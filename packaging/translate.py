"""Collects the texts that people see, updates the catalogues and compiles them.

`--check` changes nothing: it fails when a text has no translation, or a catalogue isn't current.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

_ROOT = Path(__file__).resolve().parent.parent
_LOCALES = _ROOT / "neodeskpet" / "language" / "locale"
_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)  # so that a rerun is identical
_SERIES = "0.1"  # of NeoDeskPet; not the exact version, so that a release changes no catalogue


def collect() -> Catalog:
    """Every text in `tr(...)` and `N_(...)`; no dates and lines, so that a rerun is identical."""
    catalog = Catalog(project="NeoDeskPet", charset="utf-8")
    for path in sorted((_ROOT / "neodeskpet").rglob("*.py")):
        for text in _texts(path.read_text("utf-8")):
            catalog.add(text, locations=[(path.relative_to(_ROOT).as_posix(), 0)])
    return catalog


def _texts(source: str) -> Iterator[str]:
    """Read as a tree: Babel's own extraction overlooks what stands inside an f-string."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Name(id="tr" | "N_"), args=[ast.Constant(value=str(text)), *_]
            ) if text:
                yield text


def render(source: Path, template: Catalog) -> tuple[Catalog, bytes, bytes]:
    """The updated catalogue, and its .po and .mo as bytes."""
    with source.open("rb") as file:
        catalog = read_po(file, locale=source.parent.parent.name)
    catalog.update(template, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    _head(catalog)
    text, compiled = io.BytesIO(), io.BytesIO()
    write_po(text, catalog, omit_header=False, sort_output=True, include_lineno=False, width=100)
    write_mo(compiled, catalog)
    return catalog, text.getvalue(), compiled.getvalue()


def _head(catalog: Catalog) -> None:
    """Header fields that don't change from run to run, instead of Babel's placeholders."""
    catalog.project, catalog.version = "NeoDeskPet", _SERIES
    catalog.last_translator = "NeoDeskPet"
    catalog.language_team = str(catalog.locale_identifier)
    catalog.msgid_bugs_address = ""
    catalog.creation_date = catalog.revision_date = _EPOCH


def faults(source: Path, template: Catalog) -> list[str]:
    """What is missing or out of date in one catalogue, a line each."""
    catalog, text, compiled = render(source, template)
    lines = [f"no translation: {m.id!r}" for m in catalog if m.id and not m.string]
    for message in catalog:
        if message.id and message.string:
            wanted = set(_fields(str(message.id)))
            if wanted != set(_fields(str(message.string))):
                lines.append(f"fields differ: {message.id!r}")
            lines += [
                f"{name!r} is called otherwise: {message.id!r}"
                for name in _renamed(message, catalog)
            ]
    if source.read_bytes() != text:
        lines.append(f"{source.name} is not current: run ./run translate")
    target = source.with_suffix(".mo")
    if not target.exists() or target.read_bytes() != compiled:
        lines.append(f"{target.name} is not current: run ./run translate")
    return lines


def _renamed(message: Message, catalog: Catalog) -> Iterator[str]:
    """What a text quotes by the name that it has in the interface, and the translation doesn't."""
    for name in re.findall("“([A-Z][^”]*)”", str(message.id)):
        named = catalog.get(name) or catalog.get(name.rstrip("…")) or catalog.get(name + "…")
        if named is not None and str(named.string).rstrip("…") not in str(message.string):
            yield name


def _fields(text: str) -> list[str]:
    return [part.split("}", 1)[0] for part in text.split("{")[1:] if "}" in part]


def main(arguments: list[str]) -> int:
    template = collect()
    sources = sorted(_LOCALES.glob("*/LC_MESSAGES/neodeskpet.po"))
    if "--check" in arguments:
        found = [line for source in sources for line in faults(source, template)]
        print("\n".join(found) or "The translations are complete.")
        return 1 if found else 0
    for source in sources:
        _, text, compiled = render(source, template)
        source.write_bytes(text)
        source.with_suffix(".mo").write_bytes(compiled)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
