"""What happened to the file with the notes and timers."""

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


class NotebookDamaged(StoreDamaged):
    code = "notebook_damaged"
    what = N_("The file with the notes and timers was damaged, so a new one was begun.")


class NotebookSalvaged(StoreSalvaged):
    code = "notebook_salvaged"
    what = N_(
        "The file with the notes and timers was damaged. {saved} of {known} entries could be saved."
    )


class NotebookDeleted(StoreDeleted):
    code = "notebook_deleted"
    what = N_("The file with the notes and timers was deleted while NeoDeskPet ran.")


class NotebookReplaced(StoreReplaced):
    code = "notebook_replaced"
    what = N_("The file with the notes and timers was replaced by another while NeoDeskPet ran.")


class NotebookOverwritten(StoreOverwritten):
    code = "notebook_overwritten"
    what = N_("The file with the notes and timers was replaced by something else.")


class OldFileDamaged(StoreError):
    """Params: `file`, its name now."""

    code = "old_file_damaged"
    what = N_(
        "A file with notes or timers of an earlier version was damaged. What could be read of it "
        "was taken over."
    )
    hint = N_("The damaged file is kept as {file}.")


FAULTS = Faults(
    NotebookDamaged,
    NotebookSalvaged,
    NotebookDeleted,
    NotebookReplaced,
    NotebookOverwritten,
)
