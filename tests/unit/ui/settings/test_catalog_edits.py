from __future__ import annotations

from pathlib import Path

from neodeskpet.llm.catalog.catalog_editing import remove_endpoint
from neodeskpet.ui.settings.settings_ports import edit_catalog
from tests.unit.ui.settings.doubles import Services, two_services


def test_it_says_only_what_is_wrong(tmp_path: Path) -> None:
    services = Services(tmp_path, two_services())
    assert edit_catalog(services, lambda catalog: remove_endpoint(catalog, "two")) == ""
    assert [one.name for one in services.catalog.endpoints] == ["one"]
    assert "no endpoint “two”" in edit_catalog(
        services, lambda catalog: remove_endpoint(catalog, "two")
    )
