"""The card of one character: its portrait and name; when opened, an editor for all fields of its
character card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.characters.cards.card_errors import CardFault
from neodeskpet.characters.cards.character_card import (
    MOST_TEXT_CHARACTERS,
    MOST_VOICE_CHARACTERS,
    VOICE_FACTORS,
    Card,
    CharacterVoice,
    change_card,
)
from neodeskpet.characters.character_library import Character
from neodeskpet.characters.persona import LONGEST_NAME
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.ui.settings.characters_port import CharacterVoicesPort
from neodeskpet.ui.settings.folding_card import FoldingCard
from neodeskpet.ui.settings.lorebook_editor import LorebookEditor
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import (
    ComboBox,
    LabeledSlider,
    SegmentedControl,
    TextArea,
    TextEntry,
)
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.portrait import Portrait

_SIDE = 40
_ANY = "any"
_OTHER = "other"
_VOICE = "voice:"
_PARTED = "\n---\n"
_LARGE, _SMALL = 6, 3  # lines
_MOST_ODD = 8
"""The largest number of unusable parts that are listed."""
_TEXTS: dict[str, tuple[str, str]] = {
    "description": (N_("Description"), N_("Who it is. {{char}} and {{user}} stand for the names.")),
    "personality": (N_("Personality"), ""),
    "scenario": (N_("Scene"), N_("Where it plays.")),
    "greeting": (N_("Greeting"), N_("The first message of a new conversation.")),
    "alternates": (
        N_("Other greetings"),
        N_("Separated by a line of three dashes. In the chat the arrows step through them."),
    ),
    "examples": (N_("Examples"), N_("How it speaks; <START> begins each.")),
    "system": (N_("Instructions"), N_("Before everything else; {{original}} is the usual one.")),
    "after": (N_("Last instructions"), N_("Behind all that was said.")),
}
_FACTORS = {"speed": N_("Speed"), "pitch": N_("Pitch"), "volume": N_("Volume")}
"""Values of the voice that multiply those of the settings."""


class CharacterCard(FoldingCard):
    """Signals for the user's actions: `edited(character)`, `own_memory_changed(bool)`,
    `default_changed(bool)`: whether new conversations get the character, and
    `action_requested(name)` with "here", "new", "export", "remove", "book" (import one) or
    "sample" (of the voice).
    """

    edited = Signal(object)
    own_memory_changed = Signal(bool)
    default_changed = Signal(bool)
    action_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        self.body: CharacterEditor | None = None
        super().__init__(theme)
        self.portrait = Portrait(_SIDE)
        self.portrait.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.portrait.set_theme(theme)
        line = self.head.layout()
        assert isinstance(line, QHBoxLayout)
        line.insertWidget(1, self.portrait)

    def show_character(
        self, character: Character, *, here: bool, apart: bool, usual: bool = False
    ) -> None:
        card = character.card
        self.set_state_icon("✓" if here else "", "done")
        about = [tr("speaks in this conversation")] if here else []
        about += [tr("speaks in new conversations")] if usual else []
        about += [tr("a memory of its own")] if apart else []
        about += [tr("by {name}", name=card.creator)] if card.creator else []
        about += [" ".join(card.notes.split())[:200]] if card.notes.strip() else []
        self.head.title.set_text(card.name)
        self.head.about.set_text(" · ".join(about))
        self.head.about.setVisible(bool(about))
        self.head.setAccessibleName(", ".join((card.name, *about[:2])))
        if self.body is not None:
            self.body.show_character(character, here=here, apart=apart, usual=usual)

    def open(
        self,
        character: Character | None,
        *,
        here: bool = False,
        apart: bool = False,
        usual: bool = False,
    ) -> None:
        """Show the editor of `character`; None closes the card."""
        if self.body is not None:
            self.body.flush()
        self.body = None if character is None else CharacterEditor(character, self._theme)
        self.set_content(self.body)
        if self.body is not None and character is not None:
            self.body.edited.connect(self.edited)
            self.body.own_memory_changed.connect(self.own_memory_changed)
            self.body.default_changed.connect(self.default_changed)
            self.body.action_requested.connect(self.action_requested)
            self.body.show_character(character, here=here, apart=apart, usual=usual)

    def set_picture(self, picture: QPixmap) -> None:
        self.portrait.set_picture(picture)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        if self.body is not None:
            self.body.set_theme(theme)
        if hasattr(self, "portrait"):
            self.portrait.set_theme(theme)


class CharacterEditor(QWidget):
    """The content of an open card. A change is shown at once, so that the next change includes it,
    and reported by `edited`.
    """

    edited = Signal(object)
    own_memory_changed = Signal(bool)
    default_changed = Signal(bool)
    action_requested = Signal(str)

    def __init__(self, character: Character, theme: Theme) -> None:
        super().__init__()
        self._character = character
        self.name = TextEntry()
        self.name.setMaxLength(LONGEST_NAME)
        self.texts = {
            key: TextArea(
                MOST_TEXT_CHARACTERS, _LARGE if key in ("description", "examples") else _SMALL
            )
            for key in _TEXTS
        }
        self.book = LorebookEditor(theme)
        self.figure = ComboBox(theme)
        self.figure.set_options([(_ANY, "")])
        self.voice = CharacterVoiceField(theme)
        self.voice_factors = {
            "speed": LabeledSlider(*VOICE_FACTORS, 0.05, unit="%"),
            "pitch": LabeledSlider(0.7, 1.4, 0.05, unit="%"),
            "volume": LabeledSlider(*VOICE_FACTORS, 0.05, unit="%"),
        }
        self.memory = SegmentedControl([("shared", ""), ("own", "")])
        self.usual = SegmentedControl([("asked", ""), ("usual", "")])
        self.buttons = {key: QPushButton() for key in ("here", "new", "export", "remove")}
        self.buttons["new"].setProperty("primary", True)
        self.sure = QPushButton()
        self.sure.setProperty("danger", True)
        self.keep = QPushButton()
        self.name_row = SettingsRow(theme, self.name)
        self.text_rows = {
            key: SettingsRow(theme, field, wide=True) for key, field in self.texts.items()
        }
        self.odd = PlainLabel()
        self.odd.setWordWrap(True)
        self.odd.setProperty("muted", True)
        self.figure_row = SettingsRow(theme, self.figure)
        self.voice_row = SettingsRow(theme, self.voice, wide=True)
        self.factor_rows = {
            key: SettingsRow(theme, scale) for key, scale in self.voice_factors.items()
        }
        self.memory_row = SettingsRow(theme, self.memory)
        self.usual_row = SettingsRow(theme, self.usual)
        speech = (self.voice_row, *self.factor_rows.values())
        self._own_rows = (self.figure_row, *speech, self.memory_row, self.usual_row)
        self._rows = (self.name_row, *self.text_rows.values(), *self._own_rows)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.retranslate()
        self._ask(False)

    def show_character(
        self, character: Character, *, here: bool, apart: bool, usual: bool = False
    ) -> None:
        """Show the stored character; a text that the user is writing stays."""
        self._character = character
        self.name.refresh(character.card.name)
        for key, field in self.texts.items():
            field.refresh(_text_of(character.card, key))
        self.book.show_book(character.card.book)
        problems = character.card.problems[:_MOST_ODD]
        self.odd.setText("\n".join(tr(one.text, **one.params) for one in problems))
        self.odd.setVisible(bool(problems))
        self.figure.set_value(_figure_value(character.figure))
        self.voice.show_name(character.voice.name)
        for key, scale in self.voice_factors.items():
            scale.set_value(getattr(character.voice, key))
        self.memory.set_value("own" if apart else "shared")
        self.usual.set_value("usual" if usual else "asked")
        self.buttons["here"].setText(
            tr("Give this conversation back") if here else tr("Use in this conversation")
        )

    @property
    def voice_style(self) -> CharacterVoice:
        return self._character.voice

    def set_figures(self, figures: Sequence[tuple[str, str]]) -> None:
        """Set the figures to choose from."""
        choices = [(_ANY, tr("The current figure"))]
        choices += [(_figure_value(path), title) for path, title in figures]
        self.figure.set_options(choices)
        self.figure.set_value(_figure_value(self._character.figure))

    def flush(self) -> None:
        """Report changes that are not reported yet."""
        for field in self.texts.values():
            field.flush()
        self.book.flush()

    def retranslate(self) -> None:
        self.name_row.set_texts(tr("Name"))
        self.name.setAccessibleName(tr("Name"))
        for key, (title, note) in _TEXTS.items():
            self.text_rows[key].set_texts(tr(title), tr(note) if note else "")
            self.texts[key].setAccessibleName(tr(title))
        self.figure_row.set_texts(tr("Figure"), tr("The figure that is shown while it speaks."))
        self.figure.setAccessibleName(tr("Figure"))
        self.voice_row.set_texts(
            tr("Voice name"),
            tr("The voices of what is chosen in Settings › Voice & sounds."),
        )
        self.voice.retranslate()
        for key, title in _FACTORS.items():
            self.factor_rows[key].set_texts(tr(title), tr("100 % is the value of the settings."))
            self.voice_factors[key].set_name(tr(title))
        self.memory_row.set_texts(
            tr("Memory"),
            tr(
                "With one of its own it knows only what was said in its conversations, and nobody "
                "else does. It can be changed at any time, for what was said before too."
            ),
        )
        self.memory.set_options([("shared", tr("Shared")), ("own", tr("Its own"))])
        self.memory.set_name(tr("Memory"))
        self.usual_row.set_texts(
            tr("New conversations"), tr("One character at most has them; else it is the figure.")
        )
        self.usual.set_options([("asked", tr("Where it is chosen")), ("usual", tr("All new ones"))])
        self.usual.set_name(tr("New conversations"))
        words = {"new": tr("New conversation"), "export": tr("Export…"), "remove": tr("Remove…")}
        for key, text in words.items():
            self.buttons[key].setText(text)
        self.sure.setText(tr("Remove it"))
        self.keep.setText(tr("Keep it"))
        self.book.retranslate()

    def set_theme(self, theme: Theme) -> None:
        for row in self._rows:
            row.set_theme(theme)
            row.set_narrow(True)  # long texts need the whole width
        self.figure.set_theme(theme)
        self.voice.choice.set_theme(theme)
        self.book.set_theme(theme)

    def set_narrow(self, narrow: bool) -> None:
        """Place the buttons one below the other in a narrow window."""
        ways = QBoxLayout.Direction
        for line in self._lines:
            line.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)

    def _lay_out(self) -> None:
        self._lines: list[QBoxLayout] = []
        box = QVBoxLayout(self)
        box.setContentsMargins(14, 4, 14, 14)
        box.setSpacing(10)
        for pair in (("new", "here"), ("export", "remove")):
            line = QHBoxLayout()
            line.setSpacing(8)
            for key in pair:
                line.addWidget(self.buttons[key])
            if "remove" in pair:
                line.addWidget(self.sure)
                line.addWidget(self.keep)
            line.addStretch()
            box.addLayout(line)
            self._lines.append(line)
        box.addWidget(self.odd)
        for row in (self.name_row, *self._own_rows, *self.text_rows.values()):
            box.addWidget(row)
        box.addWidget(self.book)

    def _connect(self) -> None:
        self.name.typed.connect(lambda text: self._change(name=text))
        for key, field in self.texts.items():
            field.typed.connect(partial(self._write, key))
        self.book.changed.connect(lambda book: self._change(book=book))
        self.book.import_requested.connect(partial(self._press, "book"))
        self.figure.chosen.connect(self._choose_figure)
        self.voice.named.connect(partial(self._change_voice, "name"))
        self.voice.sample.clicked.connect(partial(self._press, "sample"))
        for key, scale in self.voice_factors.items():
            scale.moved.connect(partial(self._change_voice, key))
        self.memory.chosen.connect(lambda value: self.own_memory_changed.emit(value == "own"))
        self.usual.chosen.connect(lambda value: self.default_changed.emit(value == "usual"))
        for key in ("here", "new", "export"):
            self.buttons[key].clicked.connect(partial(self._press, key))
        self.buttons["remove"].clicked.connect(lambda: self._ask(True))
        self.keep.clicked.connect(lambda: self._ask(False))
        self.sure.clicked.connect(partial(self._press, "remove"))

    def _press(self, key: str, _checked: bool = False) -> None:
        self.flush()
        self.action_requested.emit(key)

    def _ask(self, asking: bool) -> None:
        self.buttons["remove"].setVisible(not asking)
        self.sure.setVisible(asking)
        self.keep.setVisible(asking)
        if asking:
            self.keep.setFocus()

    def _write(self, key: str, text: str) -> None:
        if key == "alternates":
            parts = tuple(one.strip() for one in f"\n{text}\n".split(_PARTED) if one.strip())
            self._change(alternates=parts)
        else:
            self._change(**{key: text})

    def _change(self, **values: object) -> None:
        try:
            card = change_card(self._character.card, **values)
        except CardFault as refusal:
            self.name_row.set_error(format_error(refusal.of(self._character.card.name)))
            return
        self.name_row.set_error("")
        self._tell(replace(self._character, card=card))

    def _choose_figure(self, value: str) -> None:
        figure = None if value == _ANY else value.removeprefix("figure:")
        self._tell(replace(self._character, figure=figure))

    def _change_voice(self, key: str, value: str | float) -> None:
        values: dict[str, Any] = {key: value}
        self._tell(replace(self._character, voice=replace(self._character.voice, **values)))

    def _tell(self, character: Character) -> None:
        self._character = character
        self.edited.emit(character)


class CharacterVoiceField(QWidget):
    """The voice of a character: a list of the offered ones, a field for a name that is not in it,
    and a button for a sample. A name that isn't offered, as from another program's card, stays.
    Signals: `named(name)`.
    """

    named = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.choice = ComboBox(theme)
        self.other = TextEntry()
        self.other.setMaxLength(MOST_VOICE_CHARACTERS)
        self.other.hide()
        self.sample = QPushButton()
        self._name = ""
        self._typing = False
        self._port: CharacterVoicesPort | None = None
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.choice, 1)
        line.addWidget(self.sample)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addLayout(line)
        box.addWidget(self.other)
        self.choice.chosen.connect(self._choose)
        self.other.typed.connect(lambda text: self._tell(text.strip()))
        self.setFocusProxy(self.choice)

    def set_offered(self, port: CharacterVoicesPort) -> None:
        self._port = port
        self._show()

    def show_name(self, name: str) -> None:
        self._name = name
        self._show()

    def show_playing(self, playing: bool) -> None:
        self.sample.setText(tr("Stop") if playing else tr("Play a sample"))

    def retranslate(self) -> None:
        self.choice.setAccessibleName(tr("Voice name"))
        self.other.setAccessibleName(tr("Another voice name"))
        self.show_playing(False)
        self._show()

    def _show(self) -> None:
        if self._port is None:
            return
        offered = self._port.offered_voices()
        name = self._port.find_voice(self._name)
        default = tr("Default ({name})", name=offered.default) if offered.default else tr("Default")
        options = [("", default), *((_VOICE + one, shown) for one, shown in offered.voices)]
        chosen = _VOICE + name if name else ""
        if name and chosen not in dict(options):
            options.append((chosen, tr("{name} (not in the list)", name=self._name)))
        if offered.others:
            options.append((_OTHER, tr("Another…")))
        self._typing = self._typing and offered.others
        self.choice.set_options(options)
        self.choice.set_value(_OTHER if self._typing else chosen)
        self.other.refresh(self._name)
        self.other.setVisible(self._typing)

    def _choose(self, value: str) -> None:
        self._typing = value == _OTHER
        if self._typing:
            self.other.show()
            self.other.setFocus()
        else:
            self._tell(value.removeprefix(_VOICE))

    def _tell(self, name: str) -> None:
        self._name = name
        self._show()
        self.named.emit(name)


def _text_of(card: Card, key: str) -> str:
    if key == "alternates":
        return _PARTED.join(one.strip() for one in card.alternates).strip()
    return str(getattr(card, key)).strip()


def _figure_value(figure: str | None) -> str:
    return _ANY if figure is None else f"figure:{figure}"
