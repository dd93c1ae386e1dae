"""What happened to the file with the notes and timers."""

from __future__ import annotations

from neodeskpet.core.errors import StoreError
from neodeskpet.core.wording import N_
from neodeskpet.database.errors import create_faults


class OldFileDamaged(StoreError):
    """Params: `file`, its name now."""

    code = "old_file_damaged"
    what = N_(
        "A file with notes or timers of an earlier version was damaged. What could be read of it "
        "was taken over."
    )
    hint = N_("The damaged file is kept as {file}.")


FAULTS = create_faults(
    "notebook",
    damaged=N_("The file with the notes and timers was damaged, so a new one was begun."),
    salvaged=N_(
        "The file with the notes and timers was damaged. {saved} of {known} entries could be saved."
    ),
    deleted=N_("The file with the notes and timers was deleted while NeoDeskPet ran."),
    replaced=N_("The file with the notes and timers was replaced by another while NeoDeskPet ran."),
    overwritten=N_("The file with the notes and timers was replaced by something else."),
)
