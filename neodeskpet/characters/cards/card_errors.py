"""The reasons why a file is rejected as a card.

::

    SettingsError
     `-- CardRefused  [card_refused]  nothing was changed
"""

from __future__ import annotations

from neodeskpet.core.errors import SettingsError
from neodeskpet.core.i18n import N_, Reason

UNKNOWN = N_("It is neither a picture (PNG) with a card nor a card as JSON or CharX.")
NO_CARD = N_(
    "This picture contains no character card. Chat services often remove it: "
    "ask for the original file or for the card as JSON."
)
CUT_OFF = N_("The file is incomplete or damaged. Download it again.")
TOO_LARGE = N_("It is larger than {limit} MB. Remove pictures and books from it and try again.")
TOO_WIDE = N_(
    "Its picture is too large ({width} × {height} pixels). Save a smaller "
    "one, or import the card as JSON."
)
NOT_JSON = N_("The card in it is not valid JSON ({place}).")
TOO_DEEP = N_("The card in it is nested too deeply.")
NOT_OBJECT = N_("The card in it does not have the fields of a character card.")
NO_NAME = N_("The card has no name. Give it one in “name”.")
WRONG_TYPE = N_("“{place}” of the card has the wrong type and was left out.")
TOO_LONG = N_("“{place}” is longer than {limit} characters; only the beginning is used.")
MORE = N_("“{place}” has more than {limit} entries; only the first ones are used.")
WORLD_BOOK = N_(
    "This is a world book without a character. Open a character in the settings under “Characters” "
    "and import it there."
)
NO_BOOK = N_("It contains no world book.")
TOO_MANY = N_("“{place}” of the card has more than {limit} entries. Remove some.")
SLOW = N_("Reading it took too long or too much memory.")
LEADS_OUT = N_("The archive contains paths outside of it ({place}). Nothing was imported.")
LOCKED = N_("The archive is encrypted. Unpack it and import the card in it.")


class CardRefused(SettingsError):
    """A file was rejected as a card. `params["reason"]` is one of the texts above."""

    code = "card_refused"
    what = N_("{file} can't be imported as a character card.")
    hint = N_("Nothing was changed.")


class CardFault(ValueError):
    """An error in the content of a file, before its name is known."""

    def __init__(self, reason: str, **params: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.params = params

    @property
    def as_reason(self) -> Reason:
        return Reason(self.reason, self.params)

    def of(self, file: str) -> CardRefused:
        return CardRefused(file=file, reason=self.reason, **self.params)
