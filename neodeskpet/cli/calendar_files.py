"""The calendar in `neodeskpet export FILE.ics` and `neodeskpet import FILE.ics`."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr, tr_count
from neodeskpet.notebook.appointments import AppointmentService
from neodeskpet.notebook.ics_exchange import IcsExchange, IcsPreview, NotACalendar
from neodeskpet.notebook.notebook import FILE_NAME, Notebook
from neodeskpet.notebook.todos import TodoStore

CALENDAR_SUFFIX = ".ics"
_MOST_LISTED = 20
"""Entries that can't be imported, that are named."""


async def export_calendar(home: Path, file: Path) -> int:
    """Write appointments and dated to-dos; the exit code. Raises StoreError and OSError."""
    async with _exchange(home) as exchange:
        await exchange.export(file)
    print(file)
    return 0


async def import_calendars(home: Path, files: Sequence[Path], *, only_list: bool) -> int:
    """Import these files, or only list what they would add; the exit code. Raises StoreError."""
    if not files:
        return 0
    code = 0
    async with _exchange(home) as exchange:
        for file in files:
            try:
                preview = await exchange.preview(file)
            except NotACalendar as error:
                print(format_error(error), file=sys.stderr)
                code = 1
                continue
            _print_preview(preview)
            if only_list:
                for entry in preview.content.appointments:
                    print(f"{entry.said}  {entry.title}")
                for todo in preview.content.todos:
                    print(f"{todo.due or '-'}  {todo.text}")
                continue
            added = await exchange.add(preview)
            count = len(added.appointments) + len(added.todos)
            print(_added_text(count, file.name))
    return code


def _added_text(count: int, name: str) -> str:
    one, many = N_("1 entry added from “{name}”."), N_("{count} entries added from “{name}”.")
    return tr_count(one, many, count, name=name)


@asynccontextmanager
async def _exchange(home: Path) -> AsyncIterator[IcsExchange]:
    notebook = await Notebook.open(home / FILE_NAME, required=True)
    try:
        yield IcsExchange(AppointmentService(notebook), TodoStore(notebook))
    finally:
        await notebook.aclose()


def _print_preview(preview: IcsPreview) -> None:
    said = tr(
        "{name}: {new} new, {known} already there, {over} over",
        name=preview.name,
        new=str(preview.new),
        known=str(preview.known),
        over=str(preview.content.over),
    )
    print(said)
    problems = preview.content.problems
    for one in problems[:_MOST_LISTED]:
        print(f"- {one.title}: {tr(one.reason.text, **one.reason.params)}", file=sys.stderr)
    if len(problems) > _MOST_LISTED:
        print(tr("and {count} more", count=str(len(problems) - _MOST_LISTED)), file=sys.stderr)
