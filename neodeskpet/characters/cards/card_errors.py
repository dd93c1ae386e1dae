"""Why a file isn't taken as a card.

::

    SettingsError
     `-- CardRefused  [card_refused]  nothing was changed
"""

from __future__ import annotations

from neodeskpet.core.errors import SettingsError
from neodeskpet.core.i18n import N_, Reason

UNKNOWN = N_("It is neither a picture (PNG) with a card in it, nor a card as JSON or CharX.")
NO_CARD = N_(
    "There is no character card in this picture. Chat services often strip it: ask for "
    "the original file, or for the card as JSON."
)
CUT_OFF = N_("The file is cut off or damaged. Fetch it once more.")
TOO_LARGE = N_("It is larger than {limit} MB. Take pictures and books out of it, and try again.")
TOO_WIDE = N_(
    "Its picture has {width} × {height} points, which is more than is opened here. Save "
    "it smaller, or import the card as JSON."
)
NOT_JSON = N_("The card in it is no valid JSON ({place}).")
TOO_DEEP = N_("The card in it is nested too deeply.")
NOT_OBJECT = N_("The card in it is no object with the fields of a character card.")
NO_NAME = N_("The card has no name. Give it one in “name”.")
WRONG_TYPE = N_("“{place}” of the card is of the wrong kind and was left out.")
TOO_LONG = N_("“{place}” is longer than {limit} characters: only the beginning is used.")
MORE = N_("“{place}” has more than {limit} entries: only the first are used.")
WORLD_BOOK = N_(
    "This is a world book without a character. Open a character in the settings under “Characters” "
    "and import it there."
)
NO_BOOK = N_("There is no world book in it.")
TOO_MANY = N_("“{place}” of the card has more than {limit} entries. Take some out.")
SLOW = N_("Reading it took too long or too much memory.")
LEADS_OUT = N_("The archive holds paths that lead out of it ({place}). Nothing of it is taken.")
LOCKED = N_("The archive is encrypted. Unpack it yourself, and import the card in it.")


class CardRefused(SettingsError):
    """`params["reason"]` is one of the texts above."""

    code = "card_refused"
    what = N_("{file} isn't taken as a character card.")
    hint = N_("Nothing was changed.")


class CardFault(ValueError):
    """What is wrong with the content of a file, before its name is known."""

    def __init__(self, reason: str, **params: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.params = params

    @property
    def as_reason(self) -> Reason:
        return Reason(self.reason, self.params)

    def of(self, file: str) -> CardRefused:
        return CardRefused(file=file, reason=self.reason, **self.params)
