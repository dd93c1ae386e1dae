"""What happened to the file with the conversations."""

from __future__ import annotations

from neodeskpet.core.errors import StoreError
from neodeskpet.core.wording import N_
from neodeskpet.database.errors import create_faults

CONVERSATION_FAULTS = create_faults(
    "conversations",
    damaged=N_("The file with the conversations was damaged, so a new one was begun."),
    salvaged=N_(
        "The file with the conversations was damaged. {saved} of {known} messages could be saved."
    ),
    deleted=N_("The file with the conversations was deleted while NeoDeskPet ran."),
    replaced=N_("The file with the conversations was replaced by another while NeoDeskPet ran."),
    overwritten=N_("The file with the conversations was replaced by something else."),
    rewritten=N_("The conversations were written anew; the other file is kept as {file}."),
)


class BlockLost(StoreError):
    """Stands in a message, in the place of what is lost."""

    code = "block_lost"
    what = N_("A part of this message was lost when the file with the conversations was damaged.")
    hint = ""
