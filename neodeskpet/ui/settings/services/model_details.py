"""One model of a service: its line in the list, and its properties, which can be changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog_editing import change_model
from neodeskpet.llm.catalog.known_models import Effort, ThinkingForm, known_model, thinking_budget
from neodeskpet.llm.catalog.model_catalog import ModelEntry
from neodeskpet.llm.chain.model_selection import ModelChoice, complete_choice
from neodeskpet.llm.chain.model_selection import ModelChoice as Settled
from neodeskpet.ui.settings.settings_ports import CatalogPort, edit_catalog
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.accessible import mark_as_fold
from neodeskpet.ui.widgets.controls import LONG_WIDTH, ComboBox, TextEntry
from neodeskpet.ui.widgets.labels import ElidedLabel

_ABILITIES = {
    "tools": (N_("Native tools"), ""),
    "parallel": (N_("Several calls at once"), N_("If not, one at a time is asked for.")),
    "vision": (N_("Sees pictures"), ""),
    "thinking": (N_("Can think"), ""),
    "streaming": (N_("Streams"), N_("If not, a reply comes whole.")),
}
_SIZES = {
    "context": (N_("Context"), N_("Tokens it reads at most.")),
    "max_output": (N_("Longest reply"), N_("Tokens it writes at most. Thinking counts.")),
}
_EFFORTS: dict[str, str] = {
    "": N_("As the service does"),
    "off": N_("Off"),
    "low": N_("Low"),
    "medium": N_("Medium"),
    "high": N_("High"),
}
_PRICE_WIDTH = 40
_PRICES = {
    "input": N_("Input"),
    "output": N_("Output"),
    "cached": N_("Cached"),
    "currency": N_("Currency"),
}


class ModelDetails(QWidget):
    """`rows` has the rows by the field's name. `renamed(before, after)` is emitted before the edit
    that changes the name.
    """

    renamed = Signal(str, str)

    def __init__(self, port: CatalogPort, endpoint: str, called: str, theme: Theme) -> None:
        super().__init__()
        self._port = port
        self._place = endpoint
        self._called = called
        self.name = TextEntry()
        self.name.typed.connect(self._rename)
        self.abilities = {name: ComboBox(theme) for name in _ABILITIES}
        self.sizes = {name: TextEntry() for name in _SIZES}
        self.effort = ComboBox(theme)
        self.prices = {name: TextEntry() for name in _PRICES}
        self.rows = {"name": SettingsRow(theme, self.name)}
        for name, choice in self.abilities.items():
            choice.chosen.connect(partial(self._say_able, name))
            self.rows[name] = SettingsRow(theme, choice)
        for name, entry in self.sizes.items():
            entry.typed.connect(partial(self._write_size, name))
            self.rows[name] = SettingsRow(theme, entry)
        self.effort.chosen.connect(lambda value: self._change("effort", effort=value or None))
        self.rows["effort"] = SettingsRow(theme, self.effort)
        for entry in self.prices.values():
            entry.setMinimumWidth(_PRICE_WIDTH)
            entry.typed.connect(lambda _: self._write_prices())
        self.rows["prices"] = SettingsRow(
            theme, _side_by_side(list(self.prices.values())), width=LONG_WIDTH
        )
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 4, 0, 12)
        box.setSpacing(8)
        for row in self.rows.values():
            box.addWidget(row)
        self.retranslate()

    def refresh(self) -> None:
        """Show the current values; an invalid value that the user is writing stays."""
        choice = self._choice()
        if choice is None:
            return
        entry = choice.entry
        self.name.set_value(entry.display_name)
        usual = complete_choice(choice.endpoint, ModelEntry(endpoint=self._place, id=entry.id))
        for name, combo in self.abilities.items():
            known = tr("yes") if usual.abilities[name] else tr("no")
            by_name = tr("As known by its name: {answer}", answer=known)
            combo.set_options([("", by_name), ("yes", tr("Yes")), ("no", tr("No"))])
            combo.set_value({None: "", True: "yes", False: "no"}[getattr(entry, name)])
        for name, size in self.sizes.items():
            known_size = getattr(usual, name)
            size.setPlaceholderText("" if known_size is None else str(known_size))
            if not self.rows[name].error_label.text():
                size.set_value(_text(getattr(entry, name)))
        self._show_effort(choice)
        prices = entry.prices
        if not self.rows["prices"].error_label.text():
            for name, price in self.prices.items():
                price.set_value("" if prices is None else _text(getattr(prices, name)))

    def tab_order(self) -> list[QWidget]:
        """Where the Tab key stops, in their order."""
        entries = (*self.sizes.values(), self.effort, *self.prices.values())
        return [self.name, *self.abilities.values(), *entries]

    def set_narrow(self, narrow: bool) -> None:
        for row in self.rows.values():
            row.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        for row in self.rows.values():
            row.set_theme(theme)
        for combo in (*self.abilities.values(), self.effort):
            combo.set_theme(theme)

    def retranslate(self) -> None:
        note = tr("Models of one name on several services stand in for one another.")
        self.rows["name"].set_texts(tr("Called"), note)
        self.name.setAccessibleName(tr("Called"))
        for name, (title, note) in (_ABILITIES | _SIZES).items():
            self.rows[name].set_texts(tr(title), tr(note))
            self.rows[name].controls[0].setAccessibleName(tr(title))
        self.rows["effort"].title.setText(tr("Thinking"))
        self.effort.setAccessibleName(tr("Thinking"))
        self.effort.set_options([(value, tr(text)) for value, text in _EFFORTS.items()])
        self.rows["prices"].set_texts(tr("Prices"), tr("For a million tokens."))
        for name, title in _PRICES.items():
            self.prices[name].setPlaceholderText(tr(title))
            self.prices[name].setAccessibleName(tr("Price: {part}", part=tr(title)))
        self.refresh()

    def _choice(self) -> Settled | None:
        catalog = self._port.catalog
        endpoint = catalog.endpoint(self._place)
        here = (one for one in catalog.models if one.endpoint == self._place)
        entry = next((one for one in here if one.display_name == self._called), None)
        return None if endpoint is None or entry is None else complete_choice(endpoint, entry)

    def _show_effort(self, choice: Settled) -> None:
        self.effort.set_value(choice.entry.effort or "")
        self.effort.setEnabled(choice.thinking not in (ThinkingForm.NONE, ThinkingForm.ALWAYS))
        self.rows["effort"].set_note(effort_text(choice))

    def _rename(self, text: str) -> None:
        choice = self._choice()
        if choice is None:
            return
        before, after = self._called, text or choice.entry.id
        name = "" if text == choice.entry.id else text
        self._called = after
        self.renamed.emit(before, after)
        if not self._change_as(before, "name", name=name):
            self._called = before
            self.renamed.emit(after, before)

    def _say_able(self, name: str, value: str) -> None:
        self._change(name, **{name: {"": None, "yes": True, "no": False}[value]})

    def _write_size(self, name: str, text: str) -> None:
        plain = text.replace(",", "").replace(" ", "")
        try:
            value = int(plain) if plain else None
        except ValueError:
            self.rows[name].set_error(tr("This must be a whole number."))
            return
        self._change(name, **{name: value})

    def _write_prices(self) -> None:
        written = {name: entry.value() for name, entry in self.prices.items()}
        if not any(written[name] for name in ("input", "output", "cached")):
            self._change("prices", prices=None)
            return
        try:
            prices: dict[str, object] = _numbers(written)
        except ValueError:
            self.rows["prices"].set_error(tr("Prices are numbers; input and output are needed."))
            return
        self._change("prices", prices=prices)

    def _change(self, row: str, **changes: object) -> bool:
        return self._change_as(self._called, row, **changes)

    def _change_as(self, called: str, row: str, **changes: object) -> bool:
        place = self._place
        wrong = edit_catalog(self._port, lambda now: change_model(now, place, called, **changes))
        self.rows[row].set_error(wrong)
        return not wrong


def effort_text(choice: Settled) -> str:
    """Return the effect of the thinking effort: the budget is always below the longest reply."""
    match choice.thinking:
        case ThinkingForm.NONE:
            return tr("It doesn't think, as far as is known.")
        case ThinkingForm.ALWAYS:
            return tr("It always thinks and can't be told how much.")
    effort: Effort | None = choice.entry.effort
    if effort is None or effort == "off":
        return ""
    budget = thinking_budget(effort, choice.max_output)
    if choice.max_output is None:
        return tr("About {budget} tokens, where a number is asked for.", budget=f"{budget:,}")
    return tr(
        "About {budget} tokens, at most half of the longest reply of {most}.",
        budget=f"{budget:,}",
        most=f"{choice.max_output:,}",
    )


def _side_by_side(entries: Sequence[TextEntry]) -> QWidget:
    """Put the fields side by side with equal widths."""
    made = QWidget()
    line = QHBoxLayout(made)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(8)
    for entry in entries:
        line.addWidget(entry, 1)
    return made


def _numbers(written: Mapping[str, str]) -> dict[str, object]:
    """Return the prices in the form of the catalogue. Raises ValueError."""
    found: dict[str, object] = {
        name: float(written[name].replace(",", ".")) for name in ("input", "output")
    }
    if written["cached"]:
        found["cached"] = float(written["cached"].replace(",", "."))
    if written["currency"]:
        found["currency"] = written["currency"]
    return found


def _text(value: object) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


class ModelLine(QWidget):
    """A model that is set up: its name, what is known about it, its details, and a button that
    removes it.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._choice: ModelChoice | None = None
        self.facts: ModelDetails | None = None
        self.title = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.about = ElidedLabel()
        self.about.setProperty("muted", True)
        self.details = QPushButton()
        self.details.setCheckable(True)
        mark_as_fold(self.details)
        self.remove = QPushButton()
        for button in (self.details, self.remove):
            button.setProperty("quiet", True)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self.title)
        words.addWidget(self.about)
        line = QHBoxLayout()
        line.setSpacing(0)
        line.addLayout(words, 1)
        line.addWidget(self.details)
        line.addWidget(self.remove)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.addLayout(line)
        self.set_theme(theme)

    @property
    def model_name(self) -> str:
        return "" if self._choice is None else self._choice.entry.display_name

    def tab_order(self) -> list[QWidget]:
        """Where the Tab key stops, in their order."""
        inner = [] if self.facts is None else self.facts.tab_order()
        return [self.details, self.remove, *inner]

    def set_details(self, facts: ModelDetails | None) -> None:
        """Show the details under the line; None closes them."""
        if self.facts is not None:
            self._box.removeWidget(self.facts)
            self.facts.hide()
            self.facts.deleteLater()
        self.facts = facts
        self.details.setChecked(facts is not None)
        if facts is not None:
            self._box.addWidget(facts)
        self.retranslate()

    def show_model(self, choice: ModelChoice) -> None:
        self._choice = choice
        self.retranslate()

    def set_theme(self, theme: Theme) -> None:
        self.about.setFont(ui_font(theme, theme.small_px))
        if self.facts is not None:
            self.facts.set_theme(theme)

    def retranslate(self) -> None:
        choice = self._choice
        if choice is None:
            return
        entry = choice.entry
        named = f"{entry.name} ({entry.id})" if entry.name else entry.id
        self.title.set_text(named)
        self.about.set_text(abilities_text(choice))
        self.details.setText(tr("Close") if self.facts is not None else tr("Details"))
        self.details.setAccessibleName(tr("Details of {name}", name=entry.display_name))
        self.remove.setText(tr("Remove"))
        self.remove.setAccessibleName(tr("Remove {name}", name=entry.display_name))


def abilities_text(choice: ModelChoice) -> str:
    """Return the current abilities, such as `128,000 tokens · tools · pictures · thinking`."""
    able = (
        (choice.tools, tr("tools")),
        (choice.vision, tr("pictures")),
        (choice.thinking is not ThinkingForm.NONE, tr("thinking")),
        (known_model(choice.entry.id).embedding, tr("vectors")),
    )
    size = "" if choice.context is None else tr("{count} tokens", count=f"{choice.context:,}")
    words = [size, *(word for holds, word in able if holds)]
    return " · ".join(word for word in words if word) or tr("nothing is known of it")
