"""Values of enums that are stored (in databases, permissions and settings) never change: a changed
value would lose the user's answers "Always", or make a message unreadable.
"""

from __future__ import annotations

from enum import StrEnum

import pytest

from neodeskpet.core.attachments import Omission
from neodeskpet.core.blocks import MessageState, Role, ToolStatus
from neodeskpet.core.call_arguments import Repair
from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.errors import Action
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.tool_settings import AskWhen, NewToolPolicy
from neodeskpet.core.toolspec import Mode, Risk
from neodeskpet.core.wire import CueKind, StopReason

STORED = [
    (Risk, "read private body own write run"),
    (Mode, "sync async either"),
    (ScopeKind, "value folder host command"),
    (
        SourceKind,
        "page search file knowledge note memory todo calendar clipboard screen server program"
        " picture archive world_book sync earlier other",
    ),
    (StopReason, "end tools length filter malformed other"),
    (CueKind, "expression motion line"),
    (AskWhen, "risk always never"),
    (NewToolPolicy, "source ask off"),
    (Role, "user assistant"),
    (MessageState, "running done limited cancelled failed interrupted"),
    (ToolStatus, "writing queued asking running success error cancelled denied interrupted"),
    (Repair, "empty_first told_twice fenced encoded_twice raw_newlines"),
    (
        Omission,
        "after_limit pages_after_limit picture_pages broken_pages unmapped chapters embedded"
        " formulas",
    ),
    (
        Action,
        "switch_to_text send_without_tools switch_protocol retry continue open_settings ask_again",
    ),
]


@pytest.mark.parametrize(("kind", "values"), STORED, ids=[kind.__name__ for kind, _ in STORED])
def test_stored_values_can_still_be_read(kind: type[StrEnum], values: str) -> None:
    assert set(values.split()) <= {member.value for member in kind}


def test_the_former_names_of_risks_are_valid_in_tools_of_the_user() -> None:
    assert (Risk["OWN"], Risk["BODY"], Risk["PRIVATE"]) == (
        Risk.APP_DATA,
        Risk.GESTURE,
        Risk.SENSITIVE_READ,
    )
