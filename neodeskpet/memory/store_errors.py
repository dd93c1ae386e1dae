"""What happened to the file with the conversations."""

from __future__ import annotations

from neodeskpet.core.errors import StoreError
from neodeskpet.core.wording import N_
from neodeskpet.database.errors import (
    Faults,
    StoreDamaged,
    StoreDeleted,
    StoreOverwritten,
    StoreReplaced,
    StoreSalvaged,
)


class ConversationsDamaged(StoreDamaged):
    code = "conversations_damaged"
    what = N_("The file with the conversations was damaged, so a new one was begun.")


class ConversationsSalvaged(StoreSalvaged):
    code = "conversations_salvaged"
    what = N_(
        "The file with the conversations was damaged. {saved} of {known} messages could be saved."
    )


class ConversationsDeleted(StoreDeleted):
    code = "conversations_deleted"
    what = N_("The file with the conversations was deleted while NeoDeskPet ran.")


class ConversationsReplaced(StoreReplaced):
    code = "conversations_replaced"
    what = N_("The file with the conversations was replaced by another while NeoDeskPet ran.")


class ConversationsOverwritten(StoreOverwritten):
    code = "conversations_overwritten"
    what = N_("The file with the conversations was replaced by something else.")
    hint = N_("The conversations were written anew; the other file is kept as {file}.")


FAULTS = Faults(
    ConversationsDamaged,
    ConversationsSalvaged,
    ConversationsDeleted,
    ConversationsReplaced,
    ConversationsOverwritten,
)


class BlockLost(StoreError):
    """Stands in a message, in the place of what is lost."""

    code = "block_lost"
    what = N_("A part of this message was lost when the file with the conversations was damaged.")
    hint = ""
