"""A conversation as JSON: all of it, for programs, and to be imported again.

`{"title", "messages": [...], "versions": [...]}`, a message a line. Every field of every message is
there; blocks carry their `kind`, pictures the `file` they are in, and `files` of a message tells
the same of all its pictures by their digests. Messages that aren't on the path that is shown stand
in `versions`. Each says its `number` (in the order they were said), the `parent` it follows, and
whether it is `chosen`. `memory/importing.py` reads all that.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from neodeskpet.conversation.takeout.form import ExportEntry, PictureData, message_pictures
from neodeskpet.conversation.takeout.target import PictureFolder, TargetFile
from neodeskpet.core.blocks import Block, Image, ToolUse
from neodeskpet.core.records import ConversationInfo


class JsonFormat:
    all_versions = True

    def __init__(self, path: Path) -> None:
        self._out = TargetFile(path)
        self._beside = PictureFolder(path)
        self._shown = True
        self._first = True

    def start(self, info: ConversationInfo) -> None:
        kept = {"folder": info.folder, "pinned": info.pinned, "archived": info.archived}
        told: dict[str, object] = {"title": info.title, "created": info.created}
        told |= {name: value for name, value in kept.items() if value}
        rows = "".join(f"{_to_json(name)}: {_to_json(value)},\n" for name, value in told.items())
        self._out.write("{\n" + rows + '"messages": [')

    def add(self, entry: ExportEntry, pictures: PictureData) -> None:
        if self._shown and not entry.visible:
            self._out.write('\n],\n"versions": [')
            self._shown, self._first = False, True
        self._out.write("\n" if self._first else ",\n")
        self._first = False
        self._out.write(_to_json(self._row(entry, pictures)))

    def finish(self) -> None:
        self._out.write("\n]\n}\n")
        self._out.finish()

    def abort(self) -> None:
        self._out.abort()

    def _row(self, entry: ExportEntry, pictures: PictureData) -> dict[str, object]:
        places = {
            image.digest: place
            for image in message_pictures(entry.message)
            if (place := self._beside.store(image, pictures))
        }
        row = asdict(entry.message)
        row["blocks"] = [_block(block, places) for block in entry.message.blocks]
        if places:
            row["files"] = places
        if entry.node is not None:
            node = entry.node
            row |= {"number": entry.number, "parent": node.parent, "chosen": node.chosen}
        return row


def _block(block: Block, places: dict[str, str]) -> dict[str, object]:
    row = {"kind": block.kind, **asdict(block)}
    if isinstance(block, ToolUse) and block.shown is not None:
        row["shown"] = {"kind": block.shown.kind, **asdict(block.shown)}
    if isinstance(block, Image) and block.digest in places:
        row["file"] = places[block.digest]
    return row


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
