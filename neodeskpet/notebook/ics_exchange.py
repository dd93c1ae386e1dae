"""Imports iCalendar files into the notebook, and exports its appointments and to-dos.

A file is untrusted: it is read in a child process with limits, its entries are marked as
untrusted, and they only ring. Files are written in a child process as well. Entries are identified
by UID: importing a file again adds nothing.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from pathlib import Path

from neodeskpet.core.data_labels import DataSource, SourceKind
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.language import language
from neodeskpet.notebook.appointments import MOST_APPOINTMENTS, AppointmentService
from neodeskpet.notebook.ics_entries import IcsContent, IcsProblem, read_content
from neodeskpet.notebook.todos import TodoStore
from neodeskpet.platform.child_process import FrameWorker
from neodeskpet.platform.private_files import write_private

_SECONDS = 30.0
_SOURCE = DataSource(SourceKind.FILE)
_SLOW = N_("Reading it took too long or too much memory.")
_UNREADABLE = N_("The file can't be read.")


class NotACalendar(KnownError):
    """A file is no calendar. Params: `file`, `reason`."""

    code = "not_a_calendar"
    what = N_("“{file}” can't be imported.")
    hint = ""


@dataclass(frozen=True, slots=True)
class IcsPreview:
    """What an import would add (`content`), and how many of the entries already exist."""

    name: str
    content: IcsContent
    known: int

    @property
    def new(self) -> int:
        return len(self.content.appointments) + len(self.content.todos)


@dataclass(frozen=True, slots=True)
class ImportedEntries:
    """The ids of the entries that an import added."""

    appointments: tuple[str, ...]
    todos: tuple[int, ...]


class IcsExchange:
    """Imports and exports. Coroutines raise StoreError."""

    def __init__(self, appointments: AppointmentService, todos: TodoStore) -> None:
        self._appointments = appointments
        self._todos = todos

    async def preview(self, path: Path) -> IcsPreview:
        """Read a file without adding its entries. Raises NotACalendar."""
        now = self._appointments.now()
        content = await asyncio.to_thread(self._read, path, now)
        series = await self._appointments.known_uids()
        todo_uids = await self._todos.known_uids()
        appointments = [
            one
            for one in content.appointments
            if one.uid not in series and one.series not in series
        ]
        todos = [one for one in content.todos if one.uid not in todo_uids]
        known = len(content.appointments) + len(content.todos) - len(appointments) - len(todos)
        room = max(0, MOST_APPOINTMENTS - len(await self._appointments.appointments()))
        full = Reason(N_("There is no room for more than {count} appointments."), _MOST)
        problems = [IcsProblem(one.title, full) for one in appointments[room:]]
        kept = replace(
            content,
            appointments=tuple(appointments[:room]),
            todos=tuple(todos),
            problems=(*content.problems, *problems),
        )
        return IcsPreview(path.name, kept, known)

    async def add(self, preview: IcsPreview) -> ImportedEntries:
        """Add the new entries of the preview."""
        made = await self._appointments.add_imported(preview.content.appointments, [_SOURCE])
        todos = await self._todos.add_imported(preview.content.todos, [_SOURCE])
        return ImportedEntries(tuple(one.id for one in made), tuple(todos))

    async def undo_import(self, added: ImportedEntries) -> None:
        """Delete the entries that an import added."""
        await self._appointments.cancel_all(added.appointments)
        await self._todos.delete_all(added.todos)

    async def export(self, path: Path) -> int:
        """Write appointments and to-dos with a due date; return how many. Raises OSError, also if
        the file can't be made.
        """
        from neodeskpet.notebook.ics_writer import write_request  # loaded at the first export

        appointments = {one.id: one for one in await self._appointments.appointments()}
        todos = {one.id: one for one in await self._todos.todos() if one.due is not None}
        ids = await self._appointments.known_uids()
        todo_ids = await self._todos.known_uids()
        request = write_request(
            {uid: appointments[one] for uid, one in ids.items() if one in appointments},
            {uid: todos[one] for uid, one in todo_ids.items() if one in todos},
            self._appointments.now(),
        )
        data = await asyncio.to_thread(_ask_child, "calendar writer", request)
        if data is None:
            raise OSError(f"No answer within {_SECONDS:.0f} s")
        await asyncio.to_thread(write_private, path, data)
        return len(appointments) + len(todos)

    def _read(self, path: Path, now: float) -> IcsContent:
        asked = {"path": str(path), "now": now, "language": language()}
        answer = _ask_child("calendar", json.dumps(asked).encode())
        if answer is None:
            raise NotACalendar(file=path.name, reason=_SLOW)
        reply = json.loads(answer)
        if "refused" in reply:
            raise NotACalendar(file=path.name, reason=reply["refused"], **reply["params"])
        if "failed" in reply:
            raise NotACalendar(reply["failed"], file=path.name, reason=_UNREADABLE)
        return read_content(answer)


def _ask_child(name: str, request: bytes) -> bytes | None:
    """Start the child `name`, and return its answer; None if it fails or takes too long."""
    child = FrameWorker(name, _SECONDS)
    try:
        return child.ask(request)
    finally:
        child.close()


_MOST = {"count": f"{MOST_APPOINTMENTS}"}
