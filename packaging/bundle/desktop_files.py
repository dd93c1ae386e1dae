"""What tells a desktop of Linux about NeoDeskPet: the entry in its menu, what software centres
show, kinds of files, and dpkg's record.
"""

from __future__ import annotations

ID = "io.github.neodeskpet.NeoDeskPet"
SYSTEM = (
    "libc6",
    "libstdc++6",
    "libgl1",
    "libegl1",
    "libglib2.0-0",
    "libdbus-1-3",
    "libfontconfig1",
    "libfreetype6",
    "libgssapi-krb5-2",
    "libexpat1",
    "libpng16-16",
    "zlib1g",
    "libzstd1",
    "libbrotli1",
    "libx11-6",
    "libx11-xcb1",
    "libxcb1",
    "fonts-noto-cjk",
    "libssl3",
    "ca-certificates",
)
"""Debian's packages that the bundle leaves to the system: the C library, the way to the graphics
card and the X server, the bus, fonts, and what is made safe by the system's updates: OpenSSL and
the list of authorities, without which no service can be reached over HTTPS."""
ELSEWHERE = """
What is bundled with it has terms of its own: they lie in /usr/lib/neodeskpet/licences, where
README.txt explains them. Qt and PySide6 are used under the GNU LGPL version 3 and may be replaced;
README.txt says how.
"""
"""What the package's `copyright` says beyond the program's own licence."""
WISHED = ("libgl1-mesa-dri", "libcups2", "gnome-keyring | kwalletmanager", "xdg-desktop-portal")
"""Those that it is poorer without: drawing without a graphics card, printers, keys, dialogs."""
SUFFIXES = {
    ".model3.json": "Live2D model",
    ".charx": "Character card",
}
"""Endings of files that are nobody else's, and what such a file is."""
KINDS = ("application/x-live2d-model+json", "application/x-character-card")
OPENS = (*KINDS, "application/zip", "image/png", "application/json")
"""What "Open with" offers NeoDeskPet for: figures and cards come as these too."""


def desktop_entry(command: str, icon: str) -> str:
    """The entry in the menu of the desktop."""
    return f"""[Desktop Entry]
Type=Application
Name=NeoDeskPet
GenericName=Desktop companion
GenericName[zh_CN]=桌面伙伴
Comment=A companion on the desktop, to talk with
Comment[zh_CN]=桌面上的伙伴，可以和它聊天
Exec={command} %F
Icon={icon}
Terminal=false
Categories=Utility;
Keywords=chat;assistant;Live2D;pet;
Keywords[zh_CN]=聊天;助手;桌宠;
MimeType={";".join(OPENS)};
StartupNotify=false
StartupWMClass=neodeskpet
Actions=chat;safe;

[Desktop Action chat]
Name=Open chat
Name[zh_CN]=打开聊天
Exec={command} --chat

[Desktop Action safe]
Name=Start in safe mode
Name[zh_CN]=以安全模式启动
Exec={command} --safe
"""


def kinds() -> str:
    """The kinds of files for the desktop (shared-mime-info)."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="{KINDS[0]}">
    <comment>Live2D model</comment>
    <comment xml:lang="zh_CN">Live2D 模型</comment>
    <sub-class-of type="application/json" />
    <glob pattern="*.model3.json" weight="60" />
  </mime-type>
  <mime-type type="{KINDS[1]}">
    <comment>Character card</comment>
    <comment xml:lang="zh_CN">角色卡</comment>
    <sub-class-of type="application/zip" />
    <glob pattern="*.charx" />
  </mime-type>
</mime-info>
"""


def metainfo(number: str, day: str) -> str:
    """What software centres show (AppStream). `day` of the release, YYYY-MM-DD."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>{ID}</id>
  <name>NeoDeskPet</name>
  <summary>A companion on the desktop, to talk with</summary>
  <summary xml:lang="zh_CN">桌面上的伙伴，可以和它聊天</summary>
  <metadata_license>MIT</metadata_license>
  <project_license>MIT AND LGPL-3.0-only</project_license>
  <developer id="io.github.neodeskpet"><name>NeoDeskPet</name></developer>
  <description>
    <p>A figure that lives on the desktop and answers by the language model of your choice: a
    service, a server on this computer, or none at all. It uses tools when you let it, keeps
    appointments and notes, and remembers what you told it.</p>
    <p xml:lang="zh_CN">住在桌面上的小伙伴，用你选择的语言模型回答：在线服务、
    本机服务器，或者都不用。经你允许它会使用工具、记下日程和笔记，并记得你说过的话。</p>
  </description>
  <launchable type="desktop-id">neodeskpet.desktop</launchable>
  <provides>
    <binary>neodeskpet</binary>
    <mediatype>{KINDS[0]}</mediatype>
    <mediatype>{KINDS[1]}</mediatype>
  </provides>
  <content_rating type="oars-1.1" />
  <releases><release version="{number}" date="{day}" /></releases>
</component>
"""


def control(number: str, kilobytes: int, architecture: str) -> str:
    """The package's record for dpkg."""
    return f"""Package: neodeskpet
Version: {number}
Architecture: {architecture}
Maintainer: NeoDeskPet <neodeskpet@localhost>
Installed-Size: {kilobytes}
Depends: {", ".join(SYSTEM)}
Recommends: {", ".join(WISHED)}
Section: utils
Priority: optional
Description: companion on the desktop, to talk with
 A figure that lives on the desktop and answers by the language model of your
 choice: a service, a server on this computer, or none at all.
 .
 The data folder (~/.local/share/NeoDeskPet) stays when the package is removed.
"""
