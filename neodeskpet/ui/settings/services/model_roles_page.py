"""The settings page that assigns a model or a chain of models to each purpose, and edits the
chains.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QShowEvent

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.llm.catalog.catalog_editing import (
    add_model,
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
from neodeskpet.ui.formatting import model_title
from neodeskpet.ui.settings.services.chain_list import ChainList
from neodeskpet.ui.settings.services.service_model_list import (
    rows_of_all_services,
    service_of_model,
)
from neodeskpet.ui.settings.settings_page import FoldButton, SettingsPage
from neodeskpet.ui.settings.settings_ports import CatalogPort, edit_catalog
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.model_picker import ModelField, ModelRow

SECTION = SectionInfo(
    "roles",
    N_("Which model for what"),
    N_("If a model can't answer, the next of its chain is used."),
    "layers",
    (),
)

_PURPOSES: dict[Purpose, tuple[str, str]] = {
    "chat": (N_("Conversation"), N_("Answers in the chat.")),
    "vision": (N_("Pictures"), N_("Describes pictures to models that can't see them.")),
    "errand": (N_("Background prompts"), N_("Scheduled tasks and texts for tools.")),
    "summary": (N_("Summaries"), N_("Sums up old messages, and notices facts about you.")),
    "title": (N_("Titles"), N_("Names a conversation after the first answer: one small request.")),
    "embedding": (
        N_("Embeddings"),
        N_(
            "Finds by meaning. Its service gets messages, documents and questions; a model on this "
            "computer sends nothing."
        ),
    ),
}
_TIERS: dict[Tier, tuple[str, str]] = {
    "simple": (N_("Simple"), N_("Quick and cheap, for small tasks.")),
    "medium": (N_("Medium"), N_("Between the two others.")),
    "complex": (N_("Complex"), N_("The best, for conversations.")),
}
_OFF = "(off)"
"""The choice for titles that names no conversations. No model has this name."""
_TITLES = ("service", "titles")
_SHOWN = 4  # models that are named under a purpose
_WORDS = (SECTION.title, N_("Models"), "tier", "chain", "fallback", "purpose")


class ModelRolesPage(SettingsPage):
    """A field for each purpose and a list for each chain. All but the chat model are folded. A
    choice is in force from the next request on. `installed`: whether this computer can make
    vectors.
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
        catalogue.subscribe(self.refresh)

    def build(self) -> None:
        self.empty = PlainLabel()
        self.add_notice(self.empty)
        self.purposes: dict[Purpose, ModelField] = {}
        self._purpose_rows: dict[Purpose, SettingsRow] = {}
        self.chains: dict[Tier, ChainList] = {}
        self._tier_rows: dict[Tier, SettingsRow] = {}
        self._add_purpose("chat")
        folded = [purpose for purpose in _PURPOSES if purpose != "chat"]
        titles = [*(_PURPOSES[one][0] for one in folded), N_("Chains")]
        self.fold = FoldButton(titles, self.theme)
        self.fold.toggled.connect(self._show_folded)
        self.box.addWidget(self.fold)
        self.fold.join_card(self.frame)
        for purpose in folded:
            self._add_purpose(purpose)
        for tier in TIERS:
            self._add_tier(tier)
        self._show_folded(False)

    def refresh(self) -> None:
        """Show the current values."""
        catalog = self._catalogue.catalog
        rows = rows_of_all_services(self._catalogue, leave_out=(OWN_EMBEDDER,))
        useful = bool(catalog.endpoints)
        for purpose in _PURPOSES:
            self._show_purpose(purpose, catalog)
            self._purpose_rows[purpose].set_relevant(useful)
        for tier in TIERS:
            self.chains[tier].show_chain(getattr(catalog.tiers, tier), rows)
            self._tier_rows[tier].set_relevant(useful)
        self._show_empty()

    def search(self, query: str) -> int:
        count = super().search(query)
        self._show_empty()
        return count

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for field in self.purposes.values():
            field.set_theme(theme)
        for chain in self.chains.values():
            chain.set_theme(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.empty.setText(tr("There is no model yet. Connect a service first."))
        for purpose, (title, _) in _PURPOSES.items():
            self._purpose_rows[purpose].title.setText(tr(title))
            self.purposes[purpose].set_name(tr(title))
        for tier, (title, note) in _TIERS.items():
            self._tier_rows[tier].set_texts(tr("Chain: {name}", name=tr(title)), tr(note))
            self.chains[tier].retranslate(tr(title))
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catalogue.refresh()

    def _show_folded(self, shown: bool) -> None:
        rows = (*self._purpose_rows.items(), *self._tier_rows.items())
        for name, row in rows:
            row.set_folded(name != "chat" and not shown)

    def _show_empty(self) -> None:
        some = bool(self._catalogue.catalog.endpoints)
        self.set_notice_visible(self.empty, not some)
        if self.fold is not None:
            self.fold.setVisible(some and not self._query)

    def _add_purpose(self, purpose: Purpose) -> None:
        field = ModelField(self.theme)
        field.chosen.connect(partial(self._choose, purpose))
        words = (N_("Name conversations"), "标题", "命名") if purpose == "title" else ()
        stack = search_text((*_WORDS, *_PURPOSES[purpose], purpose, *words))
        row = SettingsRow(self.theme, field, stack=stack)
        self.purposes[purpose] = field
        self._purpose_rows[purpose] = row
        self.add_row(row)

    def _add_tier(self, tier: Tier) -> None:
        chain = ChainList(self.theme)
        chain.added.connect(partial(self._edit_tier, tier, self._added))
        chain.removed.connect(partial(self._edit_tier, tier, remove_from_tier))
        chain.moved.connect(partial(self._edit_tier, tier, move_in_tier))
        stack = search_text((*_WORDS, N_("Chains"), *_TIERS[tier]))
        row = SettingsRow(self.theme, chain, stack=stack, wide=True)
        self.chains[tier] = chain
        self._tier_rows[tier] = row
        self.add_row(row)

    def _edit_tier(self, tier: Tier, change: Callable[..., Catalog], *words: object) -> None:
        wrong = edit_catalog(self._catalogue, lambda catalog: change(catalog, tier, *words))
        self._tier_rows[tier].set_error(wrong)

    def _titles(self) -> bool:
        return bool(self.port.value(*_TITLES))

    def _choose(self, purpose: Purpose, target: str) -> None:
        if purpose == "title" and not self._switch_titles(target != _OFF):
            return
        if target == _OFF:
            self.refresh()
            return
        wrong = edit_catalog(
            self._catalogue, lambda catalog: self._chosen(catalog, purpose, target)
        )
        self._purpose_rows[purpose].set_error(wrong)
        self.refresh()

    def _switch_titles(self, on: bool) -> bool:
        """Store whether conversations are named; return whether that was possible."""
        try:
            if self._titles() != on:
                self.port.change(*_TITLES, on)
        except KnownError as error:
            self._purpose_rows["title"].set_error(format_error(error))
            return False
        return True

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        if (section, name) == _TITLES:
            self.refresh()

    def _added(self, catalog: Catalog, tier: Tier, model: str) -> Catalog:
        return add_to_tier(self._with_model(catalog, model), tier, model)

    def _with_model(self, catalog: Catalog, name: str) -> Catalog:
        """Return the catalogue with this model, which is added if it isn't set up."""
        if name in {one.display_name for one in catalog.models}:
            return catalog
        return add_model(catalog, service_of_model(self._catalogue, name), name)

    def _chosen(self, catalog: Catalog, purpose: Purpose, target: str) -> Catalog:
        """Return the catalogue with `target` for `purpose`. A model that isn't set up is added."""
        if purpose == "embedding" and target == OWN_EMBEDDER:
            return use_local_model(catalog, purpose, ADDRESS, target, tr("This computer"))
        if target and target not in TIERS:
            catalog = self._with_model(catalog, target)
        return set_purpose(catalog, purpose, target)

    def _show_purpose(self, purpose: Purpose, catalog: Catalog) -> None:
        # Without a chain: vectors of models aren't comparable.
        is_embedding = purpose == "embedding"
        chosen = str(getattr(catalog.purposes, purpose))
        purposes = catalog.purposes.model_copy(update={purpose: ""})
        usual = model_choices(catalog.model_copy(update={"purposes": purposes}), purpose)
        if is_embedding:
            default = tr("None (keyword search only)")
        elif usual:
            default = tr("Default ({name})", name=model_title(usual[0].name))
        else:
            default = tr("Default (none can do this)")
        if purpose == "title" and not self._titles():
            chosen = _OFF
        rows = [ModelRow("", default, is_current=not chosen)]
        if purpose == "title":
            rows.append(ModelRow(_OFF, tr("Off"), is_current=chosen == _OFF))
        if is_embedding:
            local = tr("This computer: {model}", model=OWN_EMBEDDER)
            rows.append(ModelRow(OWN_EMBEDDER, local, is_current=chosen == OWN_EMBEDDER))
        else:
            chains = {tier: tr("Chain: {name}", name=tr(_TIERS[tier][0])) for tier in TIERS}
            rows += [ModelRow(tier, title, "", chosen == tier) for tier, title in chains.items()]
        for row in rows_of_all_services(self._catalogue, leave_out=(OWN_EMBEDDER,)):
            rows.append(ModelRow(row.name, row.title, row.source, row.name == chosen))
        field = self.purposes[purpose]
        field.set_rows(rows)
        field.set_value(chosen)
        self._purpose_rows[purpose].set_note(self._note(purpose, catalog, chosen))

    def _note(self, purpose: Purpose, catalog: Catalog, chosen: str) -> str:
        if purpose == "embedding":
            if chosen == OWN_EMBEDDER and not self._installed():
                return tr(
                    "The package for it isn't installed. Type: {command} – and start NeoDeskPet "
                    "again.",
                    command=extra_command("meaning"),
                )
            return tr(_PURPOSES[purpose][1])
        note = tr(_PURPOSES[purpose][1])
        used = list(dict.fromkeys(choice.name for choice in model_choices(catalog, purpose)))
        if chosen in TIERS and used:
            note += " " + tr("Used now: {models}", models=" → ".join(used[:_SHOWN]))
            note += " → …" if len(used) > _SHOWN else ""
        return note
