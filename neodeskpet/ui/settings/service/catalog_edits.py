"""An edit of the catalogue, as the settings' widgets make it."""

from __future__ import annotations

from collections.abc import Callable

from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error
from neodeskpet.llm.catalog.catalog import Catalog
from neodeskpet.ui.settings.ports import CatalogPort


def edit_catalog(port: CatalogPort, change: Callable[[Catalog], Catalog]) -> str:
    """Put a change into force; what is wrong with it, "" when all is well."""
    try:
        port.edit(change)
    except KnownError as error:
        return format_error(error)
    return ""
