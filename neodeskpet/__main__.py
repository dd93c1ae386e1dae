"""The entry point: `python -m neodeskpet` and the console script `neodeskpet`.

If the first argument names a command, that command runs, without a window and without Qt (except
`demo`). Otherwise the app starts. To add a command, write a module in `cli/` and add a line to
`cli/__init__.py`.
"""

from __future__ import annotations

import importlib
import sys

from neodeskpet.cli import COMMANDS
from neodeskpet.cli.terminal import open_standard_streams, run_guarded
from neodeskpet.language import set_language
from neodeskpet.platform.installation import add_extras_to_path

_START_COMMAND = "neodeskpet.cli.start_command"
_EXIT_TIMEOUT = 10.0


def main(argv: list[str] | None = None) -> int:
    """Run what `argv` (without the program's name) asks for; the exit code."""
    words = sys.argv[1:] if argv is None else argv
    open_standard_streams()
    add_extras_to_path()
    set_language("system")  # until the settings say more
    if words and words[0] in COMMANDS:
        module, rest = COMMANDS[words[0]], words[1:]
    else:
        module, rest = _START_COMMAND, words
    if module in (COMMANDS["child"], COMMANDS["mcp"]):  # they talk to programs, not to a person
        return _run(module, rest)
    code = run_guarded(lambda: _run(module, rest))
    if argv is None:
        from neodeskpet.platform.shutdown import exit_after

        exit_after(_EXIT_TIMEOUT, code)  # Python itself waits for all threads of pools
    return code


def _run(module: str, words: list[str]) -> int:
    code: int = importlib.import_module(module).run(words)
    return code


if __name__ == "__main__":
    sys.exit(main())
