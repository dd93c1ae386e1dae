"""How tools travel, in words for the person; files and `--json` keep the plain names."""

from __future__ import annotations

from neodeskpet.core.wording import N_

MODE_NAMES = {"native": N_("Native"), "text": N_("Text"), "auto": N_("Auto")}
"""In the order in which they are offered."""

MODE_NOTES = {
    "native": N_("Tools travel in the service's own form. Stops and says so if it can't."),
    "text": N_("Tools travel in the text. Works with every model."),
    "auto": N_("Begins native; offers text mode if the service can't use tools."),
}


def mode_name(mode: str) -> str:
    """The English name, for `tr`; an unknown mode stays as it is."""
    return MODE_NAMES.get(mode, mode)
