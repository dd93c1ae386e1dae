"""How the files of a language are called."""

from __future__ import annotations


def file_extension(language: str) -> str:
    """The usual ending of a file, with its dot; `.txt` for a language that nobody knows."""
    from pygments.lexers import get_all_lexers  # 0.6 MiB, for whoever keeps code as a file

    for _, aliases, patterns, _ in get_all_lexers(plugins=False):
        if language.lower() in aliases:
            plain = (one.removeprefix("*") for one in patterns if one.startswith("*."))
            return next((one for one in plain if one[1:].isalnum()), ".txt")
    return ".txt"
