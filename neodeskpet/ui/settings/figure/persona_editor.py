"""The editor for the persona of the figure on the desktop: name, persona and greeting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton

from neodeskpet.characters.persona import (
    LONGEST_GREETING,
    LONGEST_NAME,
    LONGEST_TEXT,
    Persona,
    clean_name,
)
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.ui.settings.figure.delayed_save import DelayedSaver
from neodeskpet.ui.settings.figure.figure_ports import PersonaPort
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import search_text
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import TextArea, TextEntry

_LINES = 6
_WORDS = {
    "name": (N_("Name"), "name", "名字", "称呼"),
    "text": (N_("Persona"), "character", "card", "prompt", "SillyTavern", "人设", "角色卡"),
    "greeting": (N_("Greeting"), "first message", "问候", "开场白"),
}


class PersonaEditor(QObject):
    """Three rows for a page. The `port` stores the texts after a pause in the typing."""

    def __init__(self, port: PersonaPort, theme: Theme, title: str) -> None:
        super().__init__()
        self._port = port
        self._state = port.state()
        self._notes: DelayedSaver[Persona] = DelayedSaver(port.keep, self._fail)
        self._work = TaskRunner("persona", failed=self._fail)
        self.name = TextEntry()
        self.name.setMaxLength(LONGEST_NAME)
        self.text = TextArea(LONGEST_TEXT, _LINES)
        self.greeting = TextEntry()
        self.greeting.setMaxLength(LONGEST_GREETING)
        self.restore_default = QPushButton()
        self.restore_default.setProperty("quiet", True)
        stacks = {key: search_text((title, *words)) for key, words in _WORDS.items()}
        self._name_row = SettingsRow(theme, self.name, stack=stacks["name"])
        self._text_row = SettingsRow(theme, self.text, stack=stacks["text"], wide=True)
        self._greeting_row = SettingsRow(theme, self.greeting, stack=stacks["greeting"])
        self._text_row.below.addWidget(self.restore_default)
        self.name.typed.connect(lambda text: self._rename(text))
        self.text.typed.connect(lambda text: self._change(text=text))
        self.greeting.typed.connect(lambda text: self._change(greeting=text))
        self.restore_default.clicked.connect(
            lambda: self._work.start_once(
                "restore default", partial(self._restore_default, self._state.path)
            )
        )
        self._end = port.subscribe(self._show)
        self._show()

    @property
    def rows(self) -> Sequence[SettingsRow]:
        return (self._name_row, self._text_row, self._greeting_row)

    def refresh(self) -> None:
        """Show the current persona, because the file may have been changed by hand."""
        self._port.refresh()
        self._show()

    async def flush(self) -> None:
        """Save all pending changes now."""
        await self._notes.flush()

    async def aclose(self) -> None:
        self._end()
        self.text.flush()
        await self.flush()
        await self._work.aclose()

    def retranslate(self) -> None:
        self._name_row.set_texts(tr("Name"), tr("What it is called, in every window."))
        self._greeting_row.set_texts(
            tr("Greeting"), tr("Said when the companion appears. Empty: the app's own greeting.")
        )
        self._text_row.set_texts(tr("Persona"))
        for control, name in (
            (self.name, tr("Name")),
            (self.text, tr("Persona")),
            (self.greeting, tr("Greeting")),
        ):
            control.setAccessibleName(name)
        self.restore_default.setText(tr("Restore default"))
        self._show()

    def _show(self) -> None:
        """Show the current persona; a text that the user is writing stays."""
        before, self._state = self._state, self._port.state()
        persona = self._state.persona
        same = before.path == self._state.path
        for control, text in (
            (self.name, persona.name),
            (self.text, persona.text),
            (self.greeting, persona.greeting),
        ):
            (control.refresh if same else control.set_value)(text)
        self.greeting.setPlaceholderText(tr("Hi, I'm {name}!", name=persona.name))
        note = tr("The description that a model gets.")
        if self._state.own:
            kept = tr("It is kept as a character card in {file}.", file=self._state.file)
            note = f"{note} {kept}"
        self._text_row.set_note(note)
        self._text_row.set_error(self._state.problem)
        self.restore_default.setVisible(self._state.own)

    def _rename(self, text: str) -> None:
        name = clean_name(text)
        if name:
            self._change(name=name)
        else:
            self.name.set_value(self._state.persona.name)

    def _change(self, **values: str) -> None:
        """Show the change at once, so that the next change includes it; save it after a pause."""
        persona = replace(self._state.persona, **values)  # type: ignore[arg-type]
        self._state = replace(self._state, persona=persona)
        self._notes.save_later(self._state.path, persona)

    async def _restore_default(self, path: str) -> None:
        await self._notes.flush()
        await self._port.restore_default(path)

    def _fail(self, error: KnownError) -> None:
        self._text_row.set_error(format_error(error))
