"""Shimeji packs: `conf/actions.xml` names pictures of `img/`, each with a point on the ground and a
time. The XML is untrusted: no document types, no entities, nothing fetched. Behaviours
(`behaviors.xml`) are not read: the app has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.sprites.pack_content import (
    MOST_FILES,
    AnimationStrip,
    PackContent,
    SpriteCut,
    check_pack_content,
    frame_seconds,
    picture_in,
)
from neodeskpet.language import tr

MOST_BYTES = 2_000_000
_MOST_NODES, _DEEPEST, _MOST_VALUES = 60_000, 40, 40


@dataclass(slots=True)
class XmlNode:
    """An element without the prefix of its namespace; text between elements is left out."""

    tag: str
    values: dict[str, str]
    children: list[XmlNode] = field(default_factory=list)


def read_tree(data: bytes) -> XmlNode:
    """Return the root of a document. Raises ValueError."""
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
        raise ValueError(tr("It is not valid XML: {reason}", reason=str(error))) from None
    if reading.root is None:
        raise ValueError(tr("It is not valid XML: {reason}", reason="empty"))
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
        raise ValueError(tr("It declares a document type, which is not allowed."))


ACTIONS_FILE = frozenset({"actions.xml", "動作.xml"})
SINGLE_PICTURE = "shime1.png"
TICK_SECONDS = 0.04
_ACTION, _ANIMATION, _POSE = ("Action", "動作"), ("Animation", "アニメーション"), ("Pose", "ポーズ")
_NAME, _IMAGE = ("Name", "名前"), ("Image", "画像")
_DURATION, _ANCHOR = ("Duration", "長さ"), ("ImageAnchor", "基準座標")
_USUAL: dict[str, tuple[tuple[int, int], ...]] = {
    "Stand": ((1, 250),),
    "Walk": ((1, 6), (2, 6), (1, 6), (3, 6)),
    "Sit": ((11, 250),),
    "SitAndLookUp": ((26, 250),),
    "SitAndDangleLegs": ((31, 5), (32, 15), (31, 5), (33, 15)),
    "Sprawl": ((21, 250),),
    "Jumping": ((22, 250),),
    "Falling": ((4, 250),),
    "Bouncing": ((18, 4), (19, 4)),
    "Tripping": ((19, 8), (18, 4), (20, 14)),
    "Pinched": ((1, 5),),
    "Resisting": ((5, 5), (6, 5)),
}
"""Numbers of pictures and their ticks, for packs without actions."""
_PLACES = 40


def pack_root(file: Path) -> Path:
    """Return the folder of the whole pack, by its actions file (or its first picture)."""
    folder = file.parent
    return folder.parent if folder.name.lower() == "conf" else folder


def read_pack(file: Path) -> PackContent:
    """Read the pack of an `actions.xml`, or of a `shime1.png` alone. Raises ModelFileError."""
    root = pack_root(file)
    reading = _Reading(root)
    if file.name.lower() == SINGLE_PICTURE:
        strips = dict(reading.usual())
    else:
        try:
            tree = read_tree(file.read_bytes())
            strips = dict(reading.actions(tree))
        except (OSError, ValueError) as error:
            raise ModelFileError(str(error), file=file.name) from None
    if not strips and reading.left_out:
        name, reason = reading.left_out[0]
        raise ModelFileError(reason, file=name)
    name = root.name if reading.folder == root else reading.folder.name
    if name.lower() in ("img", "shimeji", "conf"):
        name = root.name
    recipe = PackContent(
        name,
        "shimeji",
        tuple(reading.files),
        strips,
        towards="left",
        left_out=tuple(reading.left_out),
    )
    return check_pack_content(recipe, file.name)


class _Reading:
    """The files that the actions of one pack use, in the order of their first use."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = _pictures_of(root)
        self.files: list[Path] = []
        self.left_out: list[tuple[str, str]] = []
        self._known: dict[str, int | None] = {}

    def usual(self) -> Iterator[tuple[str, AnimationStrip]]:
        for name, poses in _USUAL.items():
            cuts = [
                (SpriteCut(number), ticks * TICK_SECONDS)
                for picture, ticks in poses
                if (number := self._number(f"shime{picture}.png")) is not None
            ]
            if cuts:
                yield name, AnimationStrip(tuple(cuts))

    def actions(self, tree: XmlNode) -> Iterator[tuple[str, AnimationStrip]]:
        """Yield every action that shows pictures; of several animations (with conditions that only
        the original program evaluates) the last, which is the default.
        """
        for action in _all(tree, _ACTION):
            name = _value(action, _NAME).strip()[:80]
            animations = [one for one in action.children if one.tag in _ANIMATION]
            if not name or not animations:
                continue
            plain = [one for one in animations if not _value(one, ("Condition", "条件"))]
            cuts = tuple(self._cuts((plain or animations)[-1]))
            if cuts:
                yield name, AnimationStrip(cuts)

    def _cuts(self, animation: XmlNode) -> Iterator[tuple[SpriteCut, float]]:
        for pose in animation.children:
            if pose.tag not in _POSE:
                continue
            image = _value(pose, _IMAGE)
            try:
                seconds = frame_seconds(float(_value(pose, _DURATION) or 1) * TICK_SECONDS)
            except ValueError:
                self.left_out.append((image, tr("A frame has no valid duration.")))
                continue
            number = self._number(image)
            if number is not None:
                yield SpriteCut(number, anchor=_point(_value(pose, _ANCHOR))), seconds

    def _number(self, image: str) -> int | None:
        if image not in self._known:
            self._known[image] = None
            if len(self.files) < MOST_FILES and len(self._known) < 4 * MOST_FILES:
                try:
                    self.files.append(self._find(image))
                    self._known[image] = len(self.files) - 1
                except ValueError as error:
                    self.left_out.append((image[:80], str(error)))
        return self._known[image]

    def _find(self, image: str) -> Path:
        inside = self.folder.relative_to(self.root) / image.replace("\\", "/").lstrip("/")
        return picture_in(self.root, inside.as_posix())


def _pictures_of(root: Path) -> Path:
    """Return the folder of the pack's pictures: `img`, a folder in it, or the folder of the actions
    file.
    """
    try:
        image = next(one for one in sorted(root.iterdir()) if one.name.lower() == "img")
        inner = sorted(one for one in image.iterdir() if one.is_dir())[:_PLACES]
        names = {place: _names_in(place) for place in (image, *inner)}
    except (OSError, StopIteration):
        return root
    places = [image, *(one for one in inner if one.name.lower() != "unused")]
    pictured = any(name.endswith(".png") for name in names[image])
    return next(
        (one for one in places if SINGLE_PICTURE in names[one]),
        places[0] if pictured or len(places) < 2 else places[1],
    )


def _names_in(folder: Path) -> frozenset[str]:
    """Return the names of files as Windows compares them. Raises OSError."""
    return frozenset(one.name.lower() for one in folder.iterdir() if one.is_file())


def _all(node: XmlNode, tags: tuple[str, ...]) -> Iterator[XmlNode]:
    for child in node.children:
        if child.tag in tags:
            yield child
        yield from _all(child, tags)


def _value(node: XmlNode, names: tuple[str, ...]) -> str:
    return next((node.values[name] for name in names if name in node.values), "")


def _point(text: str) -> tuple[int, int] | None:
    found = re.fullmatch(r"\s*(-?\d{1,5})\s*,\s*(-?\d{1,5})\s*", text)
    return (int(found[1]), int(found[2])) if found else None
