"""Why a file can't be read, in words for the person instead of Python's words."""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping

from neodeskpet.core.json_text import TooDeep
from neodeskpet.core.wording import N_, Reason
from neodeskpet.files import NotRegular, TooLarge

_MEGABYTE = 1_000_000

_BY_NUMBER: Mapping[int, str] = {
    errno.ENOENT: N_("The file does not exist."),
    errno.ENOTDIR: N_("The file does not exist."),
    errno.EACCES: N_("You may not read this file."),
    errno.EPERM: N_("You may not read this file."),
    errno.EISDIR: N_("It is a folder, not a file."),
    errno.ENAMETOOLONG: N_("The name of the file is too long."),
    errno.ELOOP: N_("The symbolic link leads to itself."),
}


def read_error_reason(error: Exception) -> Reason:
    """One sentence. `error` was raised while a file was opened, read, decoded or parsed."""
    match error:
        case TooLarge():
            most = str(error.most // _MEGABYTE) if error.most >= _MEGABYTE else "1"
            return Reason(N_("It is larger than {count} MB."), {"count": most})
        case NotRegular():
            return Reason(N_("It is not a regular file."))
        case OSError():
            return Reason(_BY_NUMBER.get(error.errno or 0, N_("The file can't be read.")))
        case UnicodeDecodeError():
            line = str(error.object.count(b"\n", 0, error.start) + 1)
            return Reason(N_("Line {line} is not UTF-8 text."), {"line": line})
        case json.JSONDecodeError():
            return Reason(N_("Line {line} is not valid JSON."), {"line": str(error.lineno)})
        case TooDeep() | RecursionError():
            return Reason(N_("It is nested too deeply."))
    return Reason(N_("It is damaged, or it isn't what its name says."))
