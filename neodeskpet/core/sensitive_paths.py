"""Files that contain secrets, and files that other programs run.

Only names are compared; the caller has resolved links. Names are compared without case and without
the dots and spaces that Windows drops at their end. Keep the lists up to date: a file that is
missing here can be read, or can be written under an "always".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SECRET_FOLDERS = """
    .ssh .gnupg .aws .azure .kube .docker .password-store keyrings keychains
    .mozilla .thunderbird .librewolf .waterfox .icedove .seamonkey
    google-chrome google-chrome-beta bravesoftware brave-browser microsoft-edge yandex-browser
    org.mozilla.firefox com.google.chrome org.chromium.chromium
    .electrum .bitcoin .ethereum .litecoin .dogecoin .monero .bitmonero .zcash .exodus
    .solana .sui .near-credentials
    bitwarden 1password .1password keepassxc .keepassx .lastpass .enpass
    maildir .mail .mutt .evolution .claws-mail .sylpheed .kmail2 local-mail
    .oci .terraform.d .minikube .helm .gsutil .ibmcloud .aliyun .tccli .doctl
    .putty .vnc .cert .pki .credentials .secrets
"""
_SECRET_FILES = """
    .netrc _netrc .git-credentials .npmrc .yarnrc .yarnrc.yml .pypirc .pgpass pgpass.conf .my.cnf
    .mylogin.cnf .boto .s3cfg .vault-token .htpasswd .dockercfg .env .envrc.private .fetchmailrc
    .msmtprc .authinfo .authinfo.gpg .smbcredentials .wgetrc .curlrc .rhosts .shosts
    rclone.conf credentials.tfrc.json .terraformrc terraform.rc terraform.tfvars kubeconfig
    id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
    .bash_history .zsh_history .zhistory .histfile .sh_history .ash_history .ksh_history .history
    .python_history .ipython_history .node_repl_history .psql_history .mysql_history
    .mariadb_history .sqlite_history .rediscli_history .mongosh_history .irb_history
    .pry_history .php_history .lesshst .viminfo fish_history consolehost_history.txt
    wallet.dat key3.db key4.db cert9.db logins.json signons.sqlite cookies.sqlite
    formhistory.sqlite places.sqlite ntuser.dat
"""
_SECRET_ENDINGS = """
    .kdbx .kdb .ppk .p12 .pfx .jks .keystore .agilekeychain .opvault .1pif .ovpn .rdp .mbox .pst
    .ost .wallet .keychain .keychain-db .tfstate .tfstate.backup
"""
_SECRET_PATHS = """
    .config/gh .config/hub .config/glab-cli .config/gcloud .config/rclone .config/op .config/doctl
    .config/chromium .config/vivaldi .config/opera .config/exodus etc/shadow etc/gshadow
    .config/heroku .config/netlify .config/vercel .config/fly .config/stripe .config/configstore
    .config/containers/auth.json .config/git/credentials .config/evolution .config/geary
    .config/github-copilot .config/hcloud .config/linode-cli .config/scw .config/sops
    .config/age .config/filezilla .config/remmina .config/transmission-daemon
    .config/nushell/history.txt .config/fish/fish_history .config/powershell
    .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml
    .m2/settings-security.xml .gradle/gradle.properties .composer/auth.json .nuget/nuget
    .local/share/evolution .local/share/geary .local/share/local-mail .local/share/kwalletd
    .local/share/fish .local/share/remmina .local/share/akonadi .local/share/containers
    .cache/mozilla .cache/evolution .subversion/auth .jupyter/jupyter_server_config.json
    .kaggle/kaggle.json .huggingface/token .cache/huggingface/token .claude/.credentials.json
    .codex/auth.json .gemini/oauth_creds.json .ipython/profile_default/history.sqlite
    .var/app/org.mozilla.thunderbird snap/firefox snap/chromium snap/thunderbird snap/bitwarden
    library/keychains library/mail library/messages library/cookies library/safari
    application support/firefox application support/google application support/addressbook
    appdata/roaming/mozilla appdata/roaming/thunderbird appdata/roaming/gnupg
    appdata/roaming/microsoft/credentials appdata/roaming/microsoft/protect
    appdata/local/microsoft/credentials appdata/local/microsoft/outlook
    appdata/local/google/chrome appdata/local/packages user data/default
"""
_PUBLIC = frozenset({".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"})

_RUN_FOLDERS = """
    .git .hg .svn .husky .githooks .github .gitlab .circleci .buildkite .vscode .idea .fleet .zed
    .devcontainer .cargo .config .emacs.d .vim .nvim .local .gnome .kde .kde4 .fluxbox .xmonad
    .oh-my-zsh .zsh .bash_it .bashrc.d .profile.d autostart systemd launchagents launchdaemons
    startup bin sbin site-packages dist-packages node_modules .claude .cursor .codex .gemini
    cron.d cron.daily cron.hourly cron.weekly cron.monthly init.d profile.d rules.d
    application support startupitems
"""
_RUN_FILES = """
    makefile gnumakefile bsdmakefile cmakelists.txt meson.build sconstruct wscript configure
    rakefile gemfile guardfile podfile fastfile brewfile procfile justfile .justfile vagrantfile
    jenkinsfile dockerfile containerfile tiltfile earthfile taskfile.yml taskfile.yaml
    docker-compose.yml docker-compose.yaml compose.yml compose.yaml
    package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml deno.json deno.jsonc
    bunfig.toml gulpfile.js gruntfile.js composer.json mix.exs project.clj build.sbt build.boot
    pom.xml build.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts
    gradlew mvnw gradle.properties cargo.toml build.rs build build.bazel workspace module.bazel
    .bazelrc go.work setup.py setup.cfg pyproject.toml tox.ini noxfile.py dodo.py tasks.py
    fabfile.py conftest.py manage.py sitecustomize.py usercustomize.py pytest.ini
    .pre-commit-config.yaml lefthook.yml .lefthook.yml .gitlab-ci.yml .travis.yml appveyor.yml
    azure-pipelines.yml bitbucket-pipelines.yml .drone.yml
    .envrc .tool-versions .mise.toml mise.toml flake.nix shell.nix default.nix
    .gitconfig .gitmodules .gitattributes .hgrc .mailrc .mailcap .procmailrc .forward .muttrc
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile
    .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .pam_environment
    .xinitrc .xsession .xsessionrc .xprofile .xserverrc .xresources .xbindkeysrc .dmrc
    profile.ps1 microsoft.powershell_profile.ps1 microsoft.vscode_profile.ps1
    .vimrc .gvimrc .exrc .nvimrc .nvim.lua .emacs .dir-locals.el .gdbinit .lldbinit .screenrc
    .tmux.conf .wezterm.lua .irbrc .pryrc .rprofile .renviron .ghci .sqliterc .psqlrc .pythonrc
    .pythonrc.py .pdbrc .perltidyrc .ackrc .curlrc .wgetrc crontab authorized_keys
    autoexec.bat autorun.inf
    agents.md claude.md gemini.md .cursorrules .mcp.json mcp.json
"""
_RUN_ENDINGS = """
    .desktop .service .timer .socket .mount .automount .path .target .slice .plist .rules
    .mk .mak .cmake .gemspec .bzl .nix .code-workspace .pth .csproj .vcxproj .sln .props .targets
    .bat .cmd .com .exe .scr .pif .msi .dll .so .dylib .ps1 .psm1 .psd1 .vbs .vbe .jse .wsf .wsh
    .hta .reg .lnk .url .inf .cpl .jar .app .command .workflow .scpt .appimage .run .deb .rpm
"""
_CONFIG_SCRIPT = re.compile(r".+\.config\.[cm]?[jt]s|\.[a-z]+rc\.[cm]?[jt]s")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _paths(text: str) -> tuple[tuple[str, ...], ...]:
    for spaced in ("application support", "user data"):
        text = text.replace(spaced, spaced.replace(" ", "\0"))
    return tuple(tuple(path.replace("\0", " ").split("/")) for path in text.split())


_SECRET_NAMES = _words(_SECRET_FOLDERS) | _words(_SECRET_FILES)
_SECRET_ENDS = tuple(_words(_SECRET_ENDINGS))
_SECRET_STEPS = _paths(_SECRET_PATHS)
_RUN_FOLDER_NAMES = frozenset(path[0] for path in _paths(_RUN_FOLDERS))
_RUN_FILE_NAMES = _words(_RUN_FILES)
_RUN_ENDS = tuple(_words(_RUN_ENDINGS))


def holds_secrets(path: str) -> bool:
    """Return whether `path` is, or is inside, a place where programs keep credentials, histories,
    browser profiles, wallets or mail.
    """
    steps = _steps(path)
    if any(step in _SECRET_NAMES or step.endswith(_SECRET_ENDS) for step in steps):
        return True
    if any(step.startswith(".env.") and step not in _PUBLIC for step in steps):
        return True
    return any(_follow_each_other(steps, path) for path in _SECRET_STEPS)


def is_run_by_other_programs(path: str) -> bool:
    """Return whether other programs run the file `path` or follow its settings automatically:
    hooks, shell profiles, autostart entries, build files, editor settings.
    """
    steps = _steps(path)
    if not steps:
        return False
    name = steps[-1]
    return (
        any(step in _RUN_FOLDER_NAMES for step in steps)
        or name in _RUN_FILE_NAMES
        or name.endswith(_RUN_ENDS)
        or _CONFIG_SCRIPT.fullmatch(name) is not None
    )


def _steps(path: str) -> list[str]:
    found = (step.casefold().rstrip(" .") or step for step in re.split(r"[\\/]", path))
    return [step for step in found if step]


def _follow_each_other(steps: Sequence[str], path: Sequence[str]) -> bool:
    count = len(path)
    return any(tuple(steps[at : at + count]) == path for at in range(len(steps) - count + 1))
