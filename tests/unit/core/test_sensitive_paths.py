"""Which files hold secrets, and which ones other programs run, by their names."""

import pytest

from neodeskpet.core.sensitive_paths import holds_secrets, is_run_by_other_programs

HOME = "/home/me"


@pytest.mark.parametrize(
    "path",
    [
        ".netrc",
        ".git-credentials",
        ".npmrc",
        ".pypirc",
        ".config/gh/hosts.yml",
        ".config/gcloud/credentials.db",
        ".azure/accessTokens.json",
        ".aws/credentials",
        ".kube/config",
        ".docker/config.json",
        ".config/rclone/rclone.conf",
        "backup/rclone.conf",
        "project/.env",
        "project/.env.production",
        "project/.ENV ",
        ".bash_history",
        ".local/share/fish/fish_history",
        ".mozilla/firefox/x/logins.json",
        ".config/google-chrome/Default/Cookies",
        ".config/chromium",
        "snap/firefox/common/x",
        "Library/Application Support/Firefox/Profiles",
        ".password-store/a.gpg",
        "Passwords.kdbx",
        ".electrum/wallets/default",
        "old/wallet.dat",
        ".thunderbird/x/ImapMail",
        "Mail/inbox.mbox",
        "keys/id_ed25519",
        "infra/terraform.tfstate",
    ],
)
def test_files_with_secrets(path: str) -> None:
    assert holds_secrets(f"{HOME}/{path}")
    assert holds_secrets(f"C:\\Users\\me\\{path.replace('/', chr(92))}")


@pytest.mark.parametrize(
    "path",
    [
        "Documents/report.txt",
        "project/.env.example",
        "project/main.py",
        "music/opera/tosca.txt",
        "notes/environment.md",
        "",
    ],
)
def test_other_files_hold_no_secrets(path: str) -> None:
    assert not holds_secrets(f"{HOME}/{path}")


@pytest.mark.parametrize(
    "path",
    [
        "repo/.git/hooks/pre-commit",
        "repo/.git",
        "repo/.envrc",
        "repo/.vscode/tasks.json",
        "repo/Makefile",
        "repo/package.json",
        "repo/vite.config.ts",
        "repo/.eslintrc.cjs",
        "repo/.github/workflows/ci.yml",
        "repo/pyproject.toml",
        ".bashrc",
        ".zshrc",
        ".profile",
        ".config/autostart/a.desktop",
        ".config/systemd/user/a.service",
        "Desktop/Photos.desktop",
        "units/backup.timer",
        "bin/tool",
        ".local/bin/tool",
        "Documents/PowerShell/profile.ps1",
        "Start Menu/Programs/Startup/a.txt",
        "Library/LaunchAgents/a.plist",
        "Desktop/Photos.LNK. ",
    ],
)
def test_files_that_other_programs_run(path: str) -> None:
    assert is_run_by_other_programs(f"{HOME}/{path}")


@pytest.mark.parametrize("path", ["/home/me/docs/report.md", "/home/me/repo/src/main.py", "", "/"])
def test_files_that_no_program_runs(path: str) -> None:
    assert not is_run_by_other_programs(path)
