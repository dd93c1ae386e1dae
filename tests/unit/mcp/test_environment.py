"""A server gets a complete environment, and none of our keys."""

from pathlib import Path

from neodeskpet.mcp.server_environment import server_environment, variables_for

HOME = Path("/home/neo")


def made(environ: dict[str, str], own: dict[str, str] | None = None) -> dict[str, str]:
    folders = {HOME / ".local/bin", Path("/usr/local/bin")}
    return server_environment(environ, own or {}, home=HOME, is_folder=folders.__contains__)


def test_it_contains_what_programs_need_and_nothing_of_ours() -> None:
    environ = {
        "PATH": "/usr/bin:/usr/local/bin",
        "LANG": "zh_CN.UTF-8",
        "https_proxy": "http://proxy:3128",
        "HTTP_PROXY": "http://me:secret@proxy:3128",
        "all_proxy": "me:secret@proxy:1080",
        "XDG_RUNTIME_DIR": "/run/user/1",
        "SSH_AUTH_SOCK": "/run/agent",
        "DATABASE_URL": "postgres://me:secret@x/y",
        "GITHUB_PAT": "ghp",
        "STRIPE_SK": "sk",
        "NEODESKPET_API_KEY": "sk-ours",
        "NEODESKPET_HOME": "/x",
        "OPENAI_API_KEY": "sk-theirs",
    }
    assert made(environ) == {
        "PATH": "/usr/bin:/usr/local/bin:/home/neo/.local/bin",
        "LANG": "zh_CN.UTF-8",
        "https_proxy": "http://proxy:3128",
        "HTTP_PROXY": "http://proxy:3128",
        "all_proxy": "proxy:1080",
        "XDG_RUNTIME_DIR": "/run/user/1",
    }
    named = server_environment(environ, {}, more=["ssh_auth_sock"], home=HOME)
    assert named["SSH_AUTH_SOCK"] == "/run/agent"


def test_the_settings_have_priority() -> None:
    got = made({"PATH": "/bin", "LANG": "C"}, {"PATH": "/mine", "MY_TOKEN": "t"})
    assert got == {"PATH": "/mine", "LANG": "C", "MY_TOKEN": "t"}


def test_a_bundle_restores_the_variables_that_it_replaced() -> None:
    environ = {"LD_LIBRARY_PATH": "/bundle", "LD_LIBRARY_PATH_ORIG": "/lib", "_MEIPASS2": "/tmp/x"}
    got = made(environ)
    assert got["LD_LIBRARY_PATH"] == "/lib"
    assert "_MEIPASS2" not in got
    assert got["LANG"] == "C.UTF-8"


def test_the_settings_may_name_any_variable_but_ours() -> None:
    assert variables_for({"A_TOKEN": "t", "NEODESKPET_API_KEY": "k"}) == {"A_TOKEN": "t"}
