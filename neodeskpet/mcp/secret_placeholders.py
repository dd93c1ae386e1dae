"""Placeholders for values that aren't written in the file: keys and environment variables.

`${keyring:SLOT}` is a key in the keyring; `${NAME}`, `${env:NAME}` and `${NAME:-else}` are
environment variables, in the syntax that other programs use too. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.mcp.server_config import ServerConfig
from neodeskpet.platform.redaction import holds_secret

_SECRET_NAME = re.compile(
    r"key|token|secret|passw|passphrase|credential|authorization|cookie|bearer|(?<![a-z])pat(?![a-z])",
    re.IGNORECASE,
)
_HELD = re.compile(r"\$\{keyring:([^}]{1,200})\}")
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_ANY = re.compile(r"\$\{[^}]*\}")
_OPTION = re.compile(r"(--?[A-Za-z][\w-]*)=(.+)", re.DOTALL)

HiddenSecrets = dict[str, str]
"""Values for the keyring, by slot."""


class _SecretSlots:
    """Collects the keys taken out of a configuration; slots that it already names are not
    reused.
    """

    def __init__(self, taken: list[str]) -> None:
        self.values: HiddenSecrets = {}
        self._taken = taken

    def put(self, slot: str, value: str) -> str:
        while slot in self._taken:
            slot += "+"
        self.values[slot] = value
        return f"${{keyring:{slot}}}"


def hide_secrets(config: ServerConfig) -> tuple[ServerConfig, HiddenSecrets]:
    """Return `config` with placeholders for values that look like keys by name or form, and the
    keys. Values with a placeholder stay unchanged.
    """
    kept = _SecretSlots(slots_of(config))
    env = {name: _hide(f"env.{name}", name, value, kept) for name, value in config.env.items()}
    headers = {
        name: _hide(f"header.{name}", name, value, kept) for name, value in config.headers.items()
    }
    args = tuple(_hide_args(config.args, kept))
    url = config.url
    if url and not _ANY.search(url) and _url_has_secret(url):
        url = kept.put("url", url)
    return replace(config, env=env, headers=headers, args=args, url=url), kept.values


def _hide(slot: str, name: str, value: str, kept: _SecretSlots) -> str:
    if not value or _ANY.search(value):
        return value
    return kept.put(slot, value) if _SECRET_NAME.search(name) or holds_secret(value) else value


def _hide_args(args: tuple[str, ...], kept: _SecretSlots) -> Iterator[str]:
    """Yield the arguments with `--api-key VALUE`, `--api-key=VALUE` and all values that look like
    keys replaced.
    """
    before = ""
    for number, value in enumerate(args):
        slot = f"arg.{number + 1}"
        option = _OPTION.fullmatch(value)
        if option:
            yield f"{option[1]}={_hide(slot, option[1], option[2], kept)}"
        elif value.startswith("-"):
            yield value
        else:
            yield _hide(slot, before, value, kept)
        before = value if value.startswith("-") and not option else ""


def _url_has_secret(url: str) -> bool:
    return holds_secret(url) or "@" in urlsplit(url).netloc


def slots_of(config: ServerConfig) -> list[str]:
    """Return the slots of the keys that `config` needs."""
    return list(dict.fromkeys(slot for text in _texts(config) for slot in _HELD.findall(text)))


def _texts(config: ServerConfig) -> list[str]:
    return [*config.args, *config.env.values(), config.url, *config.headers.values(), config.cwd]


MASK = "••••"


def masked_config(config: ServerConfig) -> ServerConfig:
    """Return `config` for display: keys are masked, and invisible characters are made visible."""

    def show(text: str) -> str:
        return show_hidden_chars(_HELD.sub(MASK, text))

    return replace(
        config,
        name=show(config.name),
        command=show(config.command),
        args=tuple(map(show, config.args)),
        env={show(name): show(value) for name, value in config.env.items()},
        headers={show(name): show(value) for name, value in config.headers.items()},
        url=show(config.url),
        cwd=show(config.cwd),
    )


def fill_in(
    config: ServerConfig, secret: Callable[[str], str], variables: Mapping[str, str]
) -> ServerConfig:
    """Return `config` with every placeholder replaced. `secret(slot)` returns a key; a missing
    variable becomes "". Replaced values aren't expanded again.
    """

    def put(text: str) -> str:
        def one(match: re.Match[str]) -> str:
            held = _HELD.fullmatch(match[0])
            if held:
                return secret(held[1])
            named = _VARIABLE.fullmatch(match[0])
            return match[0] if named is None else variables.get(named[1]) or named[2] or ""

        return _ANY.sub(one, text)

    return replace(
        config,
        args=tuple(put(one) for one in config.args),
        env={name: put(value) for name, value in config.env.items()},
        headers={name: put(value) for name, value in config.headers.items()},
        url=put(config.url),
        cwd=put(config.cwd),
    )
