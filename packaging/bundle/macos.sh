#!/bin/sh
# The disk image for macOS: macos.sh APP FILE.dmg. With CODESIGN_IDENTITY set the app is signed with it,
# else for this computer alone (ad hoc), and others have to allow it in the system's settings.
# Never run so far: docs/other-systems.md.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
app="$1"
image="$2"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
if [ -n "${CODESIGN_IDENTITY:-}" ]; then
    codesign --force --deep --options runtime --entitlements "$here/macos.entitlements" \
        --sign "$CODESIGN_IDENTITY" "$app"
else
    # Without a team the hardened runtime would refuse the app's own libraries.
    codesign --force --deep --sign - "$app"
fi
ditto "$app" "$folder/$(basename "$app")"
ln -s /Applications "$folder/Applications"
rm -f "$image"
hdiutil create -volname NeoDeskPet -srcfolder "$folder" -ov -format ULMO "$image"
