"""Keys aren't in the file; variables are filled in when a server starts."""

import pytest

from neodeskpet.mcp.secret_placeholders import fill_in, hide_secrets, masked_config, slots_of
from neodeskpet.mcp.server_config import ServerConfig

KEY = "sk-abcdefghijklmnop"


def test_keys_are_removed_wherever_they_are() -> None:
    config = ServerConfig(
        "a",
        "node",
        ("--api-key", "one", f"--token={KEY}", "plain", KEY, "--verbose", "loud"),
        {"GITHUB_TOKEN": "ghp", "PORT": "80", "ODD": KEY, "EMPTY_KEY": "", "PATH_X": "${PATH}"},
    )
    hidden, kept = hide_secrets(config)
    assert kept == {
        "arg.2": "one",
        "arg.3": KEY,
        "arg.5": KEY,
        "env.GITHUB_TOKEN": "ghp",
        "env.ODD": KEY,
    }
    assert hidden.args == (
        "--api-key",
        "${keyring:arg.2}",
        "--token=${keyring:arg.3}",
        "plain",
        "${keyring:arg.5}",
        "--verbose",
        "loud",
    )
    assert hidden.env["PORT"] == "80"
    assert hidden.env["PATH_X"] == "${PATH}"
    assert set(slots_of(hidden)) == set(kept)
    assert fill_in(hidden, kept.__getitem__, {"PATH": "/bin"}).args == config.args
    assert hide_secrets(hidden) == (hidden, {})


@pytest.mark.parametrize(
    "url", ["https://a.b/mcp?api_key=12345678", "https://me:secretword@a.b/mcp"]
)
def test_an_address_with_a_key_is_kept_as_a_whole(url: str) -> None:
    hidden, kept = hide_secrets(
        ServerConfig("a", url=url, headers={"Authorization": "Bearer xyz", "X-Mode": "fast"})
    )
    assert hidden.url == "${keyring:url}"
    assert hidden.headers == {"Authorization": "${keyring:header.Authorization}", "X-Mode": "fast"}
    filled = fill_in(hidden, kept.__getitem__, {})
    assert filled.url == url
    assert filled.headers["Authorization"] == "Bearer xyz"


def test_variables_are_filled_in_once() -> None:
    words = ("${HOME}/data", "${env:USER}", "${GONE:-none}", "${GONE}", "${input:id}")
    config = ServerConfig("a", "x", words, cwd="${HOME}")
    filled = fill_in(config, lambda slot: "", {"HOME": "/h", "USER": "${HOME}"})
    assert filled.args == ("/h/data", "${HOME}", "none", "", "${input:id}")
    assert filled.cwd == "/h"


def test_a_new_key_in_the_same_place_does_not_replace_an_old_one() -> None:
    config = ServerConfig("a", "x", ("--token", "new", "--key", "${keyring:arg.2}"))
    hidden, kept = hide_secrets(config)
    assert kept == {"arg.2+": "new"}
    assert hidden.args == ("--token", "${keyring:arg.2+}", "--key", "${keyring:arg.2}")


def test_people_see_the_command_but_no_keys() -> None:
    config = ServerConfig("a\u202eb", "x", ("--k=${keyring:arg.1}", "a\nb"), {"T": "${keyring:T}"})
    seen = masked_config(config)
    assert seen.name == "a\\u202eb"
    assert seen.args == ("--k=••••", "a\nb")
    assert seen.env == {"T": "••••"}
