"""The chat view as a screen reader sees it: messages, their buttons, the focus."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QAccessible, QAccessibleInterface

from neodeskpet.ui.chat.view.chat_view import ChatView


def name_of(face: QAccessibleInterface) -> str:
    return face.text(QAccessible.Text.Name)


def children(face: QAccessibleInterface) -> Iterator[QAccessibleInterface]:
    return (face.child(number) for number in range(face.childCount()))


def messages(view: ChatView) -> list[QAccessibleInterface]:
    """Return the loaded messages, in order."""
    return list(children(QAccessible.queryAccessibleInterface(view)))


def read(view: ChatView) -> list[str]:
    """Return the spoken text of each message: its whole text, without its author."""
    return [message.text(QAccessible.Text.Value) for message in messages(view)]


def parts(message: QAccessibleInterface) -> list[str]:
    """Return the names of everything that can be pressed in a message, in order."""
    return [name_of(part) for part in children(message)]


def focused(view: ChatView) -> str:
    """Return the name of the message or part with the keyboard focus; "" for none."""
    for message in messages(view):
        if message.state().focused:
            return name_of(message)
        for part in children(message):
            if part.state().focused:
                return name_of(part)
    return ""


def expanded(view: ChatView, name: str) -> bool:
    """Return whether the first part whose name begins like this is open."""
    found = (one for message in messages(view) for one in children(message))
    return bool(next(one for one in found if name_of(one).startswith(name)).state().expanded)
