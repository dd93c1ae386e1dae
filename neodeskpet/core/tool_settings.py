"""The user's choices for tools: how a model calls them, which tools may run, and when they ask."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from neodeskpet.core.i18n import N_

MODE_NAMES = {"native": N_("Native"), "text": N_("Text"), "auto": N_("Auto")}
"""The tool modes in the order of the interface."""

MODE_NOTES = {
    "native": N_("Uses the tool calls of the service. Stops with an error if it has none."),
    "text": N_("Writes tool calls as text. Works with every model."),
    "auto": N_("Starts with native; offers text mode if the service can't use tools."),
    "none": N_("Sends no tools to this service."),
}
SERVICE_MODE_NAMES = {
    "auto": MODE_NAMES["auto"],
    "native": MODE_NAMES["native"],
    "text": MODE_NAMES["text"],
    "none": N_("No tools"),
}
"""The modes of one service in the order of the interface."""


def mode_name(mode: str) -> str:
    """The English name, for `tr`; an unknown mode stays as it is."""
    return SERVICE_MODE_NAMES.get(mode, mode)


class AskWhen(StrEnum):
    """When a tool asks. RISK: its risk decides, until the user answers "always". ALWAYS: each call.
    NEVER: the user trusts it completely.
    """

    RISK = "risk"
    ALWAYS = "always"
    NEVER = "never"


class NewToolPolicy(StrEnum):
    """The rule for a tool that its source adds later: the rule of the SOURCE, or it asks (ASK), or
    it is OFF until the user decides.
    """

    SOURCE = "source"
    ASK = "ask"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class ToolRule:
    """The user's settings for a tool, or for all tools of a source. `forms` are the digests that
    foreign tools had at that time (`ToolSpec.form`): "never ask" doesn't apply to a tool that has
    changed since. `reads_only`: the user has marked this foreign tool as one that only reads; that,
    too, applies only to these forms. `refused`: the tool is off because the user answered one of
    its questions with "never".
    """

    on: bool = True
    asks: AskWhen = AskWhen.RISK
    forms: tuple[str, ...] = ()
    reads_only: bool = False
    refused: bool = False
