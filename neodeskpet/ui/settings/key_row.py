"""The key of a service: masked, its last four letters at most, and where it is kept."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtWidgets import QLineEdit, QPushButton

from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.errors import KnownError
from neodeskpet.language import say, tr
from neodeskpet.ui.settings.controls import Entry
from neodeskpet.ui.settings.fields import haystack
from neodeskpet.ui.settings.ports import KeyPlace, KeyState, ServicePort
from neodeskpet.ui.settings.row import Row
from neodeskpet.ui.theme import Theme

_DOTS = "•" * 12
_WORDS = ("Service", "Key", "API key", "Secret", "Token", "Password")


class KeyRow(Row):
    """Shows a kept key as dots; takes a new one. What is typed is never shown and never read
    back.
    """

    def __init__(self, port: ServicePort, theme: Theme) -> None:
        self._port = port
        self._state = KeyState()
        self._replacing = self._deleting = False
        self.entry = Entry()
        self.first = QPushButton()
        self.second = QPushButton()
        super().__init__(theme, self.entry, self.first, self.second, stack=haystack(_WORDS))
        self.entry.returnPressed.connect(self._keep)
        self.entry.textChanged.connect(lambda _: self._show())
        self.first.clicked.connect(self._press_first)
        self.second.clicked.connect(self._press_second)
        self.refresh()

    def refresh(self) -> None:
        """Ask anew what is kept: another service may have been chosen."""
        self._state = self._port.key()
        self._replacing = self._deleting = False
        self.set_wrong("")
        self._fill()

    def retranslate(self) -> None:
        self._show()

    def _fill(self) -> None:
        kept = bool(self._state.tail) and not self._replacing
        self.entry.setEchoMode(QLineEdit.EchoMode.Normal if kept else QLineEdit.EchoMode.Password)
        self.entry.setReadOnly(kept)
        self.entry.set_value(_DOTS + self._state.tail if kept else "")
        self._show()

    def _show(self) -> None:
        kept = bool(self._state.tail) and not self._replacing
        self.set_texts(tr("Key"), self._where())
        name = tr("Key, ends in {tail}", tail=self._state.tail) if kept else tr("New key")
        self.entry.setAccessibleName(name)
        self.entry.setPlaceholderText(tr("Paste the key here"))
        if self._deleting:
            texts = (tr("Delete"), tr("Keep"))
        elif kept:
            texts = (tr("Replace"), tr("Delete…"))
        else:
            texts = (tr("Save"), tr("Cancel"))
        self.first.setText(texts[0])
        self.second.setText(texts[1])
        fixed = self._state.place is KeyPlace.ENVIRONMENT
        self.first.setVisible(not fixed)
        self.second.setVisible(not fixed and (kept or self._deleting or self._replacing))
        self.first.setEnabled(kept or bool(self.entry.value()))

    def _where(self) -> str:
        state = self._state
        if self._deleting:
            return tr("Delete this key? The service will ask for one again.")
        match state.place:
            case KeyPlace.KEYRING:
                return tr("Kept in the system's keyring.")
            case KeyPlace.FILE:
                return tr(
                    "This computer has no keyring: kept in {where}, readable by you alone.",
                    where=state.where,
                )
            case KeyPlace.MEMORY:
                return tr("Kept in memory only, until NeoDeskPet ends.")
            case KeyPlace.ENVIRONMENT:
                return tr("Comes from the environment variable {where}.", where=state.where)

    def _press_first(self) -> None:
        if self._deleting:
            spawn(self._carry_out(self._port.delete_key()), name="delete the key")
        elif self._state.tail and not self._replacing:
            self._replacing = True
            self._fill()
            self.entry.setFocus()
        else:
            self._keep()

    def _press_second(self) -> None:
        if self._deleting or self._replacing:
            self.refresh()
            return
        self._deleting = True
        self._show()

    def _keep(self) -> None:
        key = self.entry.value()
        if key and not self.entry.isReadOnly():
            spawn(self._carry_out(self._port.store_key(key)), name="keep the key")

    async def _carry_out(self, work: Coroutine[Any, Any, None]) -> None:
        """Until it is done (a keyring may ask the person first) nothing else can be pressed."""
        for button in (self.first, self.second):
            button.setEnabled(False)
        try:
            await work
        except KnownError as error:
            self.set_wrong(" ".join(say(error)))
            self._show()
        else:
            self.refresh()
        finally:
            self.second.setEnabled(True)
