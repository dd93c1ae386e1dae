"""Which package brings the program that a server is started with."""

from __future__ import annotations

from pathlib import PurePath

_PACKAGES = {
    "npx": "Node.js (nodejs.org)",
    "npm": "Node.js (nodejs.org)",
    "node": "Node.js (nodejs.org)",
    "uvx": "uv (docs.astral.sh/uv)",
    "uv": "uv (docs.astral.sh/uv)",
    "pipx": "pipx (pipx.pypa.io)",
    "python": "Python (python.org)",
    "python3": "Python (python.org)",
    "docker": "Docker (docs.docker.com)",
    "podman": "Podman (podman.io)",
    "bun": "Bun (bun.sh)",
    "bunx": "Bun (bun.sh)",
    "deno": "Deno (deno.com)",
    "dotnet": ".NET (dotnet.microsoft.com)",
    "go": "Go (go.dev)",
    "cargo": "Rust (rustup.rs)",
    "java": "Java (adoptium.net)",
    "jbang": "JBang (jbang.dev)",
    "git": "Git (git-scm.com)",
}


def program_of(command: str) -> str:
    """The program's name in `command`, a path or a name."""
    name = PurePath(command.replace("\\", "/")).name
    return name.removesuffix(".exe").removesuffix(".cmd")


def package_of(command: str) -> str:
    """The package that brings it, "" where that isn't known."""
    return _PACKAGES.get(program_of(command).casefold(), "")
