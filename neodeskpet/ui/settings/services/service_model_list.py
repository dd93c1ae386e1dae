"""The models that a service reported, as rows of a list. They are requested when the list opens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, Signal

from neodeskpet.core.errors import KnownError, NotFound
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr, tr_count
from neodeskpet.llm.catalog.model_catalog import Catalog, ModelEntry
from neodeskpet.llm.chain.model_selection import complete_choice
from neodeskpet.ui.formatting import model_title
from neodeskpet.ui.settings.services.model_details import abilities_text
from neodeskpet.ui.settings.settings_ports import CatalogPort
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.widgets.model_picker import ModelRow


class ModelListMissing(KnownError):
    """The general advice of a 404 would lead to the page that shows it."""

    code = "model_list_missing"
    what = N_("This address offers no list of models.")
    hint = N_("Write the name of a model, or correct the address.")


class ServiceModelList(QObject):
    """The models of the service `name`. `changed()`: other models, or another note."""

    changed = Signal()

    def __init__(self, port: CatalogPort, name: str) -> None:
        super().__init__()
        self._port = port
        self._name = name
        self._note = ""
        self._work = TaskRunner("models of a service", failed=self._fail, changed=self.changed.emit)

    def set_service(self, name: str) -> None:
        """Use the service of this name, at its present address."""
        self._name = name
        self._note = ""

    def ask(self) -> None:
        """Request the models of the service, unless a request already runs."""
        self._work.start_once("ask", self.fetch)

    def cancel(self) -> None:
        self._work.cancel_all()

    async def fetch(self) -> Sequence[str]:
        """Ask the service for its models and return them. Raises KnownError."""
        try:
            found = await self._port.endpoint(self._name).models()
        except NotFound as error:
            raise ModelListMissing from error
        self._note = tr_count(N_("{count} model."), N_("{count} models."), len(found))
        return found

    @property
    def note(self) -> str:
        """The state of the list: requested, a failure, or the number of models."""
        return tr("Asking for the models…") if self._work.busy() else self._note

    def rows(self, current: str = "") -> list[ModelRow]:
        """Return the models that are set up, then the others, each with its abilities."""
        catalog = self._port.catalog
        used = [one.id for one in catalog.models if one.endpoint == self._name]
        names = dict.fromkeys((*used, *self._port.reported(self._name)))
        return [
            ModelRow(
                name,
                model_title(name),
                known_abilities(catalog, self._name, name),
                name == current,
            )
            for name in names
        ]

    def _fail(self, error: KnownError) -> None:
        self._note = format_error(error)
        self.changed.emit()


def known_abilities(catalog: Catalog, service: str, model: str) -> str:
    """Return the abilities of a model that follow from its name and its settings."""
    endpoint = catalog.endpoint(service)
    if endpoint is None:
        return ""
    entries = (one for one in catalog.models if one.endpoint == service and one.id == model)
    entry = next(entries, ModelEntry(endpoint=service, id=model))
    return abilities_text(complete_choice(endpoint, entry))


def rows_of_all_services(port: CatalogPort, leave_out: Iterable[str] = ()) -> list[ModelRow]:
    """Return the models that are set up, by the name that chains use, then all others that services
    reported.
    """
    catalog = port.catalog
    sources: dict[str, list[str]] = {}
    for entry in catalog.models:
        sources.setdefault(entry.display_name, []).append(entry.endpoint)
    ids = {entry.id for entry in catalog.models}
    for endpoint in catalog.endpoints:
        for model in port.reported(endpoint.name):
            if model not in ids:
                sources.setdefault(model, []).append(endpoint.name)
    without = set(leave_out)
    return [
        ModelRow(name, model_title(name), ", ".join(dict.fromkeys(places)))
        for name, places in sources.items()
        if name not in without
    ]


def service_of_model(port: CatalogPort, model: str) -> str:
    """Return the service to which a model that isn't set up belongs: the first that reported it,
    otherwise the first that is switched on; "" if there is none.
    """
    endpoints = port.catalog.endpoints
    reporting = (one.name for one in endpoints if model in port.reported(one.name))
    return next(reporting, next((one.name for one in endpoints if one.on), ""))
