"""The key of a service: masked except for its last four characters, and where it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLineEdit, QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, join_sentences, tr
from neodeskpet.settings.secrets import SecretPlace
from neodeskpet.ui.settings.settings_ports import KeyPort, KeyState
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import search_text
from neodeskpet.ui.task_runner import CoroutineFactory, TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import TextEntry

_DOTS = "•" * 12
_PASTED_LENGTH = 8
"""So many characters that appear at once in the empty field are pasted, not typed."""
_WORDS = (N_("Service"), N_("Key"), "API key", "secret", "token", "password", "密码")


@dataclass(frozen=True, slots=True)
class SecretLabels:
    """The texts for a secret. `note`: shown before it is entered. `shows_end`: its last characters
    are shown.
    """

    title: str
    hint: str
    note: str = ""
    shows_end: bool = False


API_KEY = SecretLabels(N_("Key"), N_("Paste the key here"), shows_end=True)
PASSWORD = SecretLabels(N_("Password"), N_("Enter the password here"))


_WIDTH = 340
"""The field with its two buttons, at the default text size."""


class KeyRow(SettingsRow):
    """Shows a stored key as dots, and takes a new one: pasted, by "Save", or when its field is
    left. A typed key is never shown and never read back. The stored key is asked for when the row
    is first visible, because a keyring may ask the user to unlock it. `changed()`: another key is
    stored now, or none. `edited()`: the user types one.
    """

    changed = Signal()
    edited = Signal()

    def __init__(self, port: KeyPort, theme: Theme, *, labels: SecretLabels = API_KEY) -> None:
        self._port = port
        self._labels = labels
        self._state: KeyState | None = None
        self._replacing = self._deleting = False
        self._length = 0
        self._work = TaskRunner("key", failed=self._fail, changed=self._show)
        self.entry = TextEntry()
        self.first = QPushButton()
        self.second = QPushButton()
        self.file = QPushButton()
        self.plain = QPushButton()
        super().__init__(
            theme,
            self.entry,
            self.first,
            self.second,
            stack=search_text(_WORDS),
            width=_WIDTH,
        )
        self.below.addWidget(self.file)
        self.below.addWidget(self.plain)
        self.entry.returnPressed.connect(self._keep)
        self.entry.focus_left.connect(self._leave)
        self.entry.textChanged.connect(lambda _: self._show())
        self.entry.textEdited.connect(self._on_edited)
        self.first.clicked.connect(self._press_first)
        self.second.clicked.connect(self._press_second)
        self.file.clicked.connect(lambda: self._carry_out(self._port.allow_file))
        self.plain.clicked.connect(self._allow_plain)
        self._fill()

    @property
    def has_key(self) -> bool | None:
        """Whether a key is stored; None while that isn't known."""
        return None if self._state is None else bool(self._state.tail)

    @property
    def is_typing(self) -> bool:
        """Whether the field has a key that isn't stored yet."""
        return not self.entry.isReadOnly() and bool(self.entry.value())

    def set_service(self, port: KeyPort) -> None:
        """Show the key of another service."""
        self._port = port
        self.refresh()

    def refresh(self) -> None:
        """Ask again for the stored key, because another service may have been chosen."""
        self._state = None
        self._replacing = self._deleting = False
        self.set_error("")
        self._fill()
        if self.isVisible():
            self._begin()

    def cancel(self) -> None:
        """Stop what runs: the row is deleted."""
        self._work.cancel_all()

    async def wait_until_saved(self) -> None:
        """Store a key that was typed, and wait until it is stored."""
        self._keep()
        await self._work.wait_until_idle()

    def retranslate(self) -> None:
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._state is None:
            # Later, not within the show event: a keyring may open a window of its own.
            QTimer.singleShot(0, self, self._begin)

    def _begin(self) -> None:
        if self._state is None:
            self._work.start("ask", self._ask)

    async def _ask(self) -> None:
        self._state = await self._port.key()
        self._fill()

    def _has_stored_key(self) -> bool:
        return self._state is not None and bool(self._state.tail) and not self._replacing

    def _fill(self) -> None:
        kept = self._has_stored_key()
        tail = self._state.tail if self._state else ""
        self.entry.setEchoMode(QLineEdit.EchoMode.Normal if kept else QLineEdit.EchoMode.Password)
        self.entry.setReadOnly(kept or self._state is None)
        self.entry.set_value(_DOTS + tail if kept else "")
        self._length = 0
        self._show()

    def _show(self) -> None:
        state, kept = self._state, self._has_stored_key()
        title, note = tr(self._labels.title), tr(self._labels.note)
        self.set_texts(
            title, join_sentences(note, self._place_text()) if note else self._place_text()
        )
        tail = state.tail if state else ""
        name = title
        if self._labels.shows_end:
            name = tr("Key, ends in {tail}", tail=tail) if kept else tr("New key")
        self.entry.setAccessibleName(name)
        self.entry.setPlaceholderText(tr(self._labels.hint) if state else "")
        if self._deleting:
            texts = (tr("Delete"), tr("Keep"))
        elif kept:
            texts = (tr("Replace"), tr("Delete…"))
        else:
            texts = (tr("Save"), tr("Cancel"))
        self.first.setText(texts[0])
        self.second.setText(texts[1])
        ours = state is not None and state.place is not SecretPlace.ENVIRONMENT
        self.second.setVisible(self._replacing or (kept and ours))
        idle = not self._work.busy("change")
        self.first.setEnabled(idle and (kept or bool(self.entry.value())))
        for button in (self.second, self.file, self.plain):
            button.setEnabled(idle)
        self.file.setText(tr("Keep keys in a file"))
        self.file.setVisible(state is not None and state.place is SecretPlace.MEMORY)
        exposed = state.exposed if state else ""
        self.plain.setText(tr("Send it unencrypted"))
        self.plain.setVisible(bool(exposed))
        if exposed:
            self.set_note(f"{_warning(exposed)}\n{self._place_text()}")

    def _place_text(self) -> str:
        state = self._state
        if state is None:
            return ""
        if self._deleting:
            return tr("Delete this key? The service will ask for one again.")
        if self._has_stored_key() or state.place is SecretPlace.ENVIRONMENT:
            return self._place(state)
        taken = tr("It is saved with “Save”, or when you leave the field.")
        return join_sentences(taken, self._place(state))

    def _place(self, state: KeyState) -> str:
        """Return where the key is stored, or would be."""
        match state.place:
            case SecretPlace.KEYRING:
                return tr("Kept in the system's keyring.")
            case SecretPlace.FILE:
                return tr(
                    "This computer has no keyring: kept in {where}, readable by you alone.",
                    where=state.where,
                )
            case SecretPlace.MEMORY:
                return tr("This computer has no keyring: kept in memory until NeoDeskPet ends.")
            case SecretPlace.ENVIRONMENT:
                return tr("Comes from the environment variable {where}.", where=state.where)

    def _allow_plain(self) -> None:
        try:
            self._port.allow_plain()
        except KnownError as error:
            self.set_error(format_error(error))
        else:
            self.refresh()

    def _on_edited(self, text: str) -> None:
        """A pasted key is complete: store it at once."""
        grown, self._length = len(text) - self._length, len(text)
        self.edited.emit()
        if grown == len(text) >= _PASTED_LENGTH:
            self._keep()

    def _press_first(self) -> None:
        if self._deleting:
            self._carry_out(self._port.delete_key)
        elif self._has_stored_key():
            self._replacing = True
            self._fill()
            self.entry.setFocus()
        else:
            self._keep()

    def _press_second(self) -> None:
        if self._replacing or self._deleting:
            self._replacing = self._deleting = False
            self._fill()
        else:
            self._deleting = True
            self._show()

    def _leave(self) -> None:
        """Store the typed key when the field loses focus, except to "Cancel"."""
        if not self.second.hasFocus():
            self._keep()

    def _keep(self) -> None:
        key = self.entry.value()
        if key and not self.entry.isReadOnly():
            self._carry_out(partial(self._port.store_key, key))

    def _carry_out(self, work: CoroutineFactory) -> None:
        """Start a change. The buttons are disabled until it is done, because a keyring may ask the
        user first.
        """
        self._work.start_once("change", partial(self._change, work))

    async def _change(self, work: CoroutineFactory) -> None:
        await work()
        self.changed.emit()
        self.refresh()

    def _fail(self, error: KnownError) -> None:
        self.set_error(format_error(error))


def _warning(host: str) -> str:
    return tr(
        "The way to {host} isn't encrypted (http): whoever is on it could read the key and use it, "
        "so it isn't sent. Use an https address if there is one.",
        host=host,
    )
