"""How tools are announced, called and answered: as tools of the request (native) or as text.

A new dialect is one file with a `Dialect` and one line in `DIALECTS`.
"""

from neodeskpet.core.dialects.dialect import NATIVE, Dialect, ReplyReader
from neodeskpet.core.dialects.reply_filters import CueReader
from neodeskpet.core.dialects.tool_call import TOOL_CALL
from neodeskpet.core.dialects.tool_request import TOOL_REQUEST
from neodeskpet.core.dialects.tool_tag import TOOL_TAG

_ALL = (
    NATIVE,
    TOOL_REQUEST,
    TOOL_CALL,
    TOOL_TAG,
)

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in _ALL}

__all__ = ["DIALECTS", "NATIVE", "TOOL_REQUEST", "TOOL_TAG", "CueReader", "Dialect", "ReplyReader"]
