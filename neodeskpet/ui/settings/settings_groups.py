"""The seven groups of the settings, and the cards that each of them shows, from top to bottom; and
the page of a group that is opened by a button.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from neodeskpet.core.i18n import N_


@dataclass(frozen=True, slots=True)
class SettingsGroup:
    """One entry of the list at the left. `cards` are names of sections; `icon` is a file's name. A
    group with a `parent` is a page of that group: it isn't in the list.
    """

    name: str
    title: str
    description: str
    icon: str
    cards: tuple[str, ...]
    parent: str = ""


GROUPS = (
    SettingsGroup(
        "you",
        N_("You & {name}"),
        N_("Who you talk with, and how it behaves."),
        "companion",
        ("head", "you", "initiative", "pastimes", "guests"),
    ),
    SettingsGroup(
        "models",
        N_("Models"),
        N_("Who answers. {name} works without one, too."),
        "service",
        ("service", "roles", "local", "spending"),
    ),
    SettingsGroup(
        "tools",
        N_("Tools & permissions"),
        N_("What {name} can do, and what it asks you first."),
        "tools",
        ("mode", "servers", "workshop", "files", "web", "programs"),
    ),
    SettingsGroup(
        "memory",
        N_("Memory & knowledge"),
        N_("What {name} remembers, and which documents it uses."),
        "memory",
        ("memory",),
    ),
    SettingsGroup(
        "voice",
        N_("Voice & sounds"),
        N_("What you hear of {name}."),
        "voice",
        ("voice", "sounds"),
    ),
    SettingsGroup(
        "desktop",
        N_("Desktop"),
        N_("How {name} stands on the screen, and which keys call it."),
        "computer",
        ("figure", "ground", "keys"),
    ),
    SettingsGroup(
        "system",
        N_("System"),
        N_("Look, language, start, updates, and your data."),
        "settings",
        ("appearance", "start", "updates", "sharing", "data"),
    ),
)


EDIT_GROUP = SettingsGroup(
    "edit", N_("Edit {name}"), "", "companion", ("companion", "characters"), parent="you"
)
ALL_GROUPS = (GROUPS[0], EDIT_GROUP, *GROUPS[1:])


def groups_with(cards: Iterable[str]) -> list[SettingsGroup]:
    """Return the groups that have at least one of `cards`, in order. Raises KeyError for a card
    that belongs to no group.
    """
    missing = set(cards)
    found = [group for group in ALL_GROUPS if missing.intersection(group.cards)]
    missing.difference_update(*(group.cards for group in found))
    if missing:
        raise KeyError(*missing)
    return found
