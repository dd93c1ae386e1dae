"""Timers and reminders as an app."""

from __future__ import annotations

from datetime import datetime

from neodeskpet.apps.app import App, AppContent
from neodeskpet.core.labels import SourceKind, add_sources
from neodeskpet.core.windows.window import WindowOptions
from neodeskpet.core.wording import N_
from neodeskpet.timers.book import Timer, TimerService
from neodeskpet.timers.repeat import Repeat
from neodeskpet.tools.builtin.timer import timer_tools

_SHOWN = 30


def timers_app(book: TimerService) -> App:
    """`target` is words that each label shown holds."""
    tools = {one.name: one for one in timer_tools(book)}

    async def content(target: str) -> AppContent:
        words = target.casefold().split()
        timers = [
            timer
            for timer in await book.timers()
            if all(word in timer.label.casefold() for word in words)
        ]
        lines = [_line(timer) for timer in timers[:_SHOWN]]
        more = len(timers) - _SHOWN
        if more > 0:
            lines.append(f"({more} more)")
        sources = (source for timer in timers[:_SHOWN] for source in timer.untrusted)
        return AppContent("\n".join(lines or ["(none)"]), add_sources((), sources))

    return App(
        "timers",
        N_("Timers"),
        "Timers and reminders that ring on the person's desktop, the next first.",
        content,
        {"set": tools["timer.set"], "cancel": tools["timer.cancel"]},
        WindowOptions(appended=True),
        reads=SourceKind.CALENDAR,
        replaces=frozenset({"timer.list"}),
    )


def _line(timer: Timer) -> str:
    """The moment, and not how long it still is: what stays the same is sent for nothing."""
    due = datetime.fromtimestamp(timer.due).astimezone()
    again = "" if timer.repeat is Repeat.ONCE else f" ({timer.repeat.value})"
    return f"{timer.id}: {due:%Y-%m-%d %H:%M:%S} {timer.label}{again}".rstrip()
