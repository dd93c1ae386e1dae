"""A service in the list: its state, name and address, a switch, and its editor when it is
opened.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.llm.catalog.model_catalog import Endpoint
from neodeskpet.ui.settings.folding_card import Colour, FoldingCard
from neodeskpet.ui.settings.settings_ports import EndpointTestVerdict
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import Switch
from neodeskpet.ui.widgets.labels import set_tooltip

PROTOCOL_NAMES = {
    "openai": N_("OpenAI-compatible"),
    "anthropic": "Anthropic",
    "gemini": "Google Gemini",
    "openai-responses": "OpenAI Responses",
}
_STATES: dict[EndpointTestVerdict | None, tuple[str, str, Colour]] = {
    EndpointTestVerdict.GOOD: ("✓", N_("works"), "done"),
    EndpointTestVerdict.FAULT: ("!", N_("works with limits"), "asks"),
    EndpointTestVerdict.FAILED: ("✕", N_("doesn't work"), "failed"),
    None: ("", N_("not tested"), "muted"),
}


class ServiceCard(FoldingCard):
    """Signals: `opened(bool)`, `switched(bool)`, `moved(int)`."""

    switched = Signal(bool)
    moved = Signal(int)

    def __init__(self, theme: Theme) -> None:
        self.switch = Switch(theme)
        self.form: QWidget | None = None
        super().__init__(theme, self.switch)
        self.head.moved.connect(self.moved)
        self.switch.clicked.connect(self.switched)

    def show_endpoint(
        self, endpoint: Endpoint, models: int, verdict: EndpointTestVerdict | None
    ) -> None:
        """Show the state of the service in the header."""
        protocol = tr(PROTOCOL_NAMES.get(endpoint.protocol, endpoint.protocol))
        glyph, word, colour = _STATES[verdict]
        count = tr("one model") if models == 1 else tr("{count} models", count=str(models))
        state_word = tr(word) if endpoint.on else tr("off")
        self.head.title.set_text(endpoint.name)
        self.head.about.set_text(" · ".join((protocol, count, state_word, endpoint.base_url)))
        sign = glyph if endpoint.on else "–"
        self.set_state_icon(sign, colour)
        self.head.sign.setVisible(bool(sign))  # an empty circle would look like a choice
        set_tooltip(self.head.sign, state_word)
        name = ", ".join((endpoint.name, protocol, endpoint.base_url, count, state_word))
        self.head.setAccessibleName(name)
        set_tooltip(self.head, endpoint.base_url)
        self.head.setAccessibleDescription(tr("Opens its form. Alt and the arrow keys move it."))
        self.switch.setChecked(endpoint.on)
        self.switch.setAccessibleName(tr("Use {name}", name=endpoint.name))

    def set_form(self, form: QWidget | None) -> None:
        """Show `form` under the header; None closes the card."""
        self.form = form
        self.set_content(form)
