"""What tells macOS about NeoDeskPet."""

from __future__ import annotations

from desktop_files import SUFFIXES

OLDEST = "13.0"
"""Qt's wheels are built for this one and later."""
OTHERS = {
    "public.json": "Live2D model or character card",
    "public.png": "Picture or character card",
    "public.zip-archive": "Figure",
}
"""Kinds of files that "Open with" offers it for besides, as it does on Linux."""


def info_plist() -> dict[str, object]:
    """What the app's Info.plist says beyond what PyInstaller writes."""
    # macOS knows the last ending alone, and without its point.
    own = {suffix.removeprefix("."): title for suffix, title in SUFFIXES.items()}
    ours = [
        {"CFBundleTypeName": title, "CFBundleTypeExtensions": [ending]}
        for ending, title in own.items()
        if "." not in ending
    ]
    others = [
        {"CFBundleTypeName": title, "LSItemContentTypes": [kind]} for kind, title in OTHERS.items()
    ]
    return {
        "NSHighResolutionCapable": True,
        "LSMinimumSystemVersion": OLDEST,
        "CFBundleLocalizations": ["en", "zh_CN"],
        "CFBundleDocumentTypes": [
            {**one, "CFBundleTypeRole": "Viewer", "LSHandlerRank": "Alternate"}
            for one in (*ours, *others)
        ],
    }
