"""The ZIP archive of a Word, PowerPoint or Excel file: XML parts that refer to each other."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from neodeskpet.documents.reader_types import ReaderRefusal, attribute, local_name, parse_xml


@dataclass(frozen=True, slots=True)
class Related:
    """A reference of a part: `kind` is the last word of the relationship's type."""

    id: str
    kind: str
    name: str


class Package:
    """An open archive. Raises KeyError for a missing part."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = {name.lower(): name for name in archive.namelist()}

    def main(self, otherwise: str) -> str:
        """Return the name of the document's main part."""
        named = (one.name for one in self.related("") if one.kind == "officeDocument")
        name = next(named, otherwise)
        if name not in self:
            raise ReaderRefusal("broken")
        return name

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._names

    def data(self, name: str) -> bytes:
        return self._archive.read(self._names[name.lower()])

    def xml(self, name: str) -> Any:
        return parse_xml(self.data(name))

    def related(self, part: str) -> list[Related]:
        """Return the references of `part` within the archive, "" for the archive itself."""
        folder, base = posixpath.split(part)
        name = posixpath.join(folder, "_rels", f"{base}.rels")
        if name not in self:
            return []
        found = []
        for one in self.xml(name):
            target = unquote(attribute(one, "Target"))
            if attribute(one, "TargetMode") == "External" or not target:
                continue
            whole = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
            kind = attribute(one, "Type").rpartition("/")[2]
            found.append(Related(attribute(one, "Id"), kind, posixpath.normpath(whole)))
        return found


def alternative(element: Any) -> Any:
    """Return the displayed branch of `mc:AlternateContent`: all branches have the same text."""
    branches = [one for one in element if len(one)]
    choice = (one for one in branches if local_name(one) == "Choice")
    return next(choice, branches[0] if branches else element)


def drawn_texts(root: Any) -> Iterator[str]:
    """Yield the texts of a chart or a diagram: its paragraphs and the labels of its values."""
    for element in root.iter():
        match local_name(element):
            case "p":
                text = "".join(one.text or "" for one in element.iter() if local_name(one) == "t")
            case "strCache" | "multiLvlStrCache":
                points = (one for one in element.iter() if local_name(one) == "v")
                text = " | ".join(one.text or "" for one in points)
            case "cat" | "xVal":
                points = (one for one in element.iter() if local_name(one) == "v")
                numbers = any(local_name(one) == "numCache" for one in element.iter())
                text = " | ".join(one.text or "" for one in points) if numbers else ""
            case _:
                continue
        if text.strip():
            yield text
