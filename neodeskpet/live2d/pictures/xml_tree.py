"""XML of strangers as a plain tree: no document types, no entities, nothing fetched, and no more
of it than a pack needs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from neodeskpet.language import tr

MOST_BYTES = 2_000_000
_MOST_NODES, _DEEPEST, _MOST_VALUES = 60_000, 40, 40


@dataclass(slots=True)
class XmlNode:
    """An element without its namespace's prefix; text between elements is left out."""

    tag: str
    values: dict[str, str]
    children: list[XmlNode] = field(default_factory=list)


def read_tree(data: bytes) -> XmlNode:
    """The root of a document. Raises ValueError."""
    if len(data) > MOST_BYTES:
        raise ValueError(tr("It is too large."))
    reading = _TreeBuilder()
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartElementHandler = reading.open
    parser.EndElementHandler = reading.close
    parser.StartDoctypeDeclHandler = reading.refuse
    parser.EntityDeclHandler = reading.refuse
    parser.ExternalEntityRefHandler = reading.refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, UnicodeError) as error:
        raise ValueError(tr("It isn't valid XML: {reason}", reason=str(error))) from None
    if reading.root is None:
        raise ValueError(tr("It isn't valid XML: {reason}", reason="empty"))
    return reading.root


class _TreeBuilder:
    def __init__(self) -> None:
        self.root: XmlNode | None = None
        self._open: list[XmlNode] = []
        self._count = 0

    def open(self, tag: str, values: dict[str, str]) -> None:
        self._count += 1
        if self._count > _MOST_NODES or len(values) > _MOST_VALUES:
            raise ValueError(tr("It is too large."))
        if len(self._open) >= _DEEPEST:
            raise ValueError(tr("It is nested too deeply."))
        node = XmlNode(tag.rpartition(":")[2], values)
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.root = node
        self._open.append(node)

    def close(self, tag: str) -> None:
        self._open.pop()

    def refuse(self, *_: object) -> int:
        raise ValueError(tr("It declares a document type, which no pack needs."))
