"""The model button in the header of the chat and its list: for one conversation, for all, or for
regenerating one reply.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from neodeskpet.app.engine import Engine
from neodeskpet.app.service_settings import CatalogAdapter
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.core.errors import KnownError
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog_editing import add_model, set_purpose
from neodeskpet.llm.catalog.model_catalog import Catalog
from neodeskpet.ui.chat.chat_header import ChatHeader
from neodeskpet.ui.formatting import model_title
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.widgets.model_picker import ModelRow


class ModelPickerController:
    """A `ChatListener`. `tell` reports failures."""

    def __init__(
        self,
        engine: Engine,
        catalogue: CatalogAdapter,
        header: ChatHeader,
        tell: Callable[[KnownError], None],
    ) -> None:
        self._engine = engine
        self._catalogue = catalogue
        self._header = header
        self._work = TaskRunner("model", failed=tell, changed=self.show)
        self._once = ""  # the id of the reply to regenerate
        header.models_requested.connect(self._open)
        header.picker.chosen.connect(self._choose)
        engine.chat.subscribe(self, ConversationChanged)

    def on_chat_event(self, event: ChatEvent) -> None:
        self.show()

    def show(self) -> None:
        """Show the model of the open conversation."""
        factory, here = self._engine.models.turn_factory, self._conversation()
        own = bool(factory.own_model(here))
        model = factory.model(conversation=here)
        self._header.set_service(model.label, factory.tool_mode(model), own=own)
        self._header.set_token_limit(factory.context_length(model))

    def _conversation(self) -> str:
        info = self._engine.chat.conversation
        return "" if info is None else info.id

    def pick_for_one_reply(self, message_id: str) -> None:
        """Open the list to regenerate one reply."""
        self._catalogue.refresh()
        self._once = message_id
        rows = [row for row in self._rows() if row.name]
        outside = self._engine.models.turn_factory.is_model_overridden()
        self._header.open_picker(rows, outside=outside, once=True)

    def choose(self, name: str) -> None:
        """Use this model in the open conversation."""
        self._once = ""
        self._choose(name, for_all=False)

    def rows(self) -> list[ModelRow]:
        """Return the models to choose from; none where the command line or the environment sets the
        model of this run.
        """
        return [] if self._engine.models.turn_factory.is_model_overridden() else self._rows()

    def _open(self) -> None:
        self._once = ""
        self._catalogue.refresh()
        outside = self._engine.models.turn_factory.is_model_overridden()
        self._header.open_picker(self._rows(), outside=outside)

    def _rows(self) -> list[ModelRow]:
        """The default, then the models chosen lately, then the others as in the settings."""
        factory = self._engine.models.turn_factory
        own, offered = factory.own_model(self._conversation()), factory.offered_models()
        default = tr("Default ({name})", name=model_title(factory.model().label))
        rows = [ModelRow("", default, is_current=not own)]
        lately = [name for name in self._engine.models.choices.recent if name in offered]
        others = (
            ModelRow(name, model_title(name), ", ".join(offered[name]), is_current=name == own)
            for name in dict.fromkeys([*lately, *offered])
        )
        return [*rows, *others]

    def _choose(self, name: str, for_all: bool) -> None:
        message, self._once = self._once, ""
        if message:
            self._work.start("retry", partial(self._engine.chat.regenerate, message, name))
        else:
            self._work.start("choose", partial(self._keep, name, for_all=for_all))

    async def _keep(self, name: str, *, for_all: bool) -> None:
        choices, here = self._engine.models.choices, self._conversation()
        if for_all and name:
            self._use_for_all(name)
            await choices.choose_for_all(here, name)
        else:
            await choices.choose(here, name)

    def _use_for_all(self, name: str) -> None:
        """Use this model for all conversations. Raises KnownError."""
        reported = next(
            (one for one in self._engine.models.turn_factory.reported_models() if one.name == name),
            None,
        )
        if reported is not None and not self._catalogue.kept:
            self._engine.settings.change("service", "model", name)
            return

        def change(catalog: Catalog) -> Catalog:
            if reported is not None:
                catalog = add_model(catalog, reported.endpoint.name, reported.entry.id)
            return set_purpose(catalog, "chat", name)

        self._catalogue.edit(change)
