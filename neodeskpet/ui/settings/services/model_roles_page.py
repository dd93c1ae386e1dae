"""Who does what: which model or chain answers for which purpose, and the chains themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtGui import QShowEvent

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog_editing import (
    add_to_tier,
    move_in_tier,
    remove_from_tier,
    set_purpose,
    use_local_model,
)
from neodeskpet.llm.catalog.model_catalog import TIERS, Catalog, Purpose, Tier
from neodeskpet.llm.chain.model_selection import model_choices
from neodeskpet.llm.local.local_embedder import ADDRESS, is_embedding_installed
from neodeskpet.llm.local.local_embedder import LOCAL_EMBEDDING_MODEL as OWN_EMBEDDER
from neodeskpet.platform.installation import extra_command
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.settings.services.chain_list import ChainList
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_ports import CatalogPort, edit_catalog
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.controls import ComboBox
from neodeskpet.ui.widgets.labels import PlainLabel

SECTION = SectionInfo(
    "roles",
    N_("Roles"),
    N_("Which model does what. If one can't answer, the next of its chain is asked."),
    "layers",
    (),
)

# Only what something asks for: a purpose is shown from the day on which it acts.
_PURPOSES: dict[Purpose, tuple[str, str]] = {
    "chat": (N_("Conversation"), N_("What you talk with.")),
    "vision": (N_("Pictures"), N_("Describes pictures to models that don't see.")),
    "title": (N_("Titles"), N_("Names conversations.")),
    "embedding": (
        N_("Meaning"),
        N_(
            "Finds what was said, and your documents, by what they mean. Everything the memory and "
            "the knowledge base hold is sent to this model's service once, and each question; its "
            "name mostly has “embed” in it. One on this computer sends nothing anywhere."
        ),
    ),
}
_TIERS: dict[Tier, tuple[str, str]] = {
    "simple": (N_("Simple"), N_("Quick and cheap, for small things.")),
    "medium": (N_("Medium"), N_("In between.")),
    "complex": (N_("Complex"), N_("The best there is, for conversations.")),
}
_SHOWN = 4  # models named under a purpose
_WORDS = (SECTION.title, N_("Models"), "tier", "chain", "fallback", "purpose")


class ModelRolesPage(SettingsPage):
    """A combo for each purpose and a list for each tier; what is chosen holds from the next
    request on. `installed`: whether this computer can make vectors.
    """

    def __init__(
        self,
        port: SettingsPort,
        catalogue: CatalogPort,
        theme: Theme,
        installed: Callable[[], bool] = is_embedding_installed,
    ) -> None:
        self._catalogue = catalogue
        self._installed = installed
        super().__init__(SECTION, port, theme)
        self.reset.hide()
        catalogue.subscribe(self.refresh)

    def build(self) -> None:
        self.empty = PlainLabel()
        self.empty.setProperty("muted", True)
        self.empty.setWordWrap(True)
        self.box.addWidget(self.empty)
        self.purposes: dict[Purpose, ComboBox] = {}
        self._purpose_rows: dict[Purpose, SettingsRow] = {}
        for purpose in _PURPOSES:
            self._add_purpose(purpose)
        self._chains_title = PlainLabel()
        self.box.addSpacing(8)
        self.box.addWidget(self._chains_title)
        self.chains: dict[Tier, ChainList] = {}
        self._tier_rows: dict[Tier, SettingsRow] = {}
        for tier in TIERS:
            self._add_tier(tier)

    def refresh(self) -> None:
        """Show what counts now."""
        catalog = self._catalogue.catalog
        names = tuple(dict.fromkeys(entry.display_name for entry in catalog.models))
        useful = bool(names)
        for purpose in _PURPOSES:
            self._show_purpose(purpose, catalog, names)
            self._purpose_rows[purpose].set_relevant(useful)
        for tier in TIERS:
            self.chains[tier].show_chain(getattr(catalog.tiers, tier), names)
            self._tier_rows[tier].set_relevant(useful)
        self.empty.setVisible(not useful)

    def search(self, query: str) -> int:
        count = sum(row.search(query) for row in self.rows)
        self.about.setVisible(not query)
        self._chains_title.setVisible(not query and bool(self._catalogue.catalog.models))
        self.empty.setVisible(not query and not self._catalogue.catalog.models)
        return count

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._chains_title.setFont(ui_font(theme, bold=True))
        for combo in self.purposes.values():
            combo.set_theme(theme)
        for chain in self.chains.values():
            chain.set_theme(theme)

    def retranslate(self) -> None:
        self.heading.setText(tr(SECTION.title))
        self.about.setText(tr(SECTION.description))
        self._chains_title.setText(tr("Chains"))
        self.empty.setText(tr("There is no model yet. Connect a service first."))
        for purpose, (title, _) in _PURPOSES.items():
            self._purpose_rows[purpose].title.setText(tr(title))
            self.purposes[purpose].setAccessibleName(tr(title))
        for tier, (title, note) in _TIERS.items():
            self._tier_rows[tier].set_texts(tr(title), tr(note))
            self.chains[tier].retranslate(tr(title))
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catalogue.refresh()

    def _add_purpose(self, purpose: Purpose) -> None:
        combo = ComboBox(self.theme)
        combo.chosen.connect(partial(self._choose, purpose))
        stack = search_text((*_WORDS, *_PURPOSES[purpose], purpose))
        row = SettingsRow(self.theme, combo, stack=stack)
        self.purposes[purpose] = combo
        self._purpose_rows[purpose] = row
        self.add_row(row)

    def _add_tier(self, tier: Tier) -> None:
        chain = ChainList(self.theme)
        chain.added.connect(partial(self._edit_tier, tier, add_to_tier))
        chain.removed.connect(partial(self._edit_tier, tier, remove_from_tier))
        chain.moved.connect(partial(self._edit_tier, tier, move_in_tier))
        stack = search_text((*_WORDS, N_("Chains"), *_TIERS[tier]))
        row = SettingsRow(self.theme, chain, stack=stack)
        self.chains[tier] = chain
        self._tier_rows[tier] = row
        self.add_row(row)

    def _edit_tier(self, tier: Tier, change: Callable[..., Catalog], *words: object) -> None:
        wrong = edit_catalog(self._catalogue, lambda catalog: change(catalog, tier, *words))
        self._tier_rows[tier].set_error(wrong)

    def _choose(self, purpose: Purpose, target: str) -> None:
        wrong = edit_catalog(self._catalogue, lambda catalog: _given(catalog, purpose, target))
        self._purpose_rows[purpose].set_error(wrong)
        if wrong:
            self.refresh()

    def _show_purpose(self, purpose: Purpose, catalog: Catalog, names: Sequence[str]) -> None:
        combo = self.purposes[purpose]
        meaning = purpose == "embedding"  # vectors of two models can't be compared: no chain
        offered = [("", tr("None: words alone") if meaning else tr("Automatic"))]
        if not meaning:
            offered += [(tier, tr("Chain: {name}", name=tr(_TIERS[tier][0]))) for tier in TIERS]
        offered += [(name, name) for name in names if name != OWN_EMBEDDER]
        if meaning:
            offered.append((OWN_EMBEDDER, tr("This computer: {model}", model=OWN_EMBEDDER)))
        combo.set_options(offered)
        combo.set_value(getattr(catalog.purposes, purpose))
        asked = list(dict.fromkeys(choice.name for choice in model_choices(catalog, purpose)))
        note = tr(_PURPOSES[purpose][1])
        if asked and not meaning:
            note += " " + tr("Asked now: {models}", models=" → ".join(asked[:_SHOWN]))
            note += " → …" if len(asked) > _SHOWN else ""
        if meaning and combo.value() == OWN_EMBEDDER and not self._installed():
            note = tr(
                "The package for it isn't installed. Type: {command} – and start NeoDeskPet again.",
                command=extra_command("meaning"),
            )
        self._purpose_rows[purpose].set_note(note)


def _given(catalog: Catalog, purpose: Purpose, target: str) -> Catalog:
    if purpose == "embedding" and target == OWN_EMBEDDER:
        return use_local_model(catalog, purpose, ADDRESS, target, tr("This computer"))
    return set_purpose(catalog, purpose, target)
