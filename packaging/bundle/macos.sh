#!/bin/sh
# The disk image for macOS: macos.sh APP FILE.dmg. With CODESIGN_IDENTITY set the app is signed with it,
# else for this computer alone (ad hoc), and others have to allow it in the system's settings.
# Never run so far: docs/other-systems.md.
set -eu
app="$1"
image="$2"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
codesign --force --deep --options runtime --sign "${CODESIGN_IDENTITY:--}" "$app"
cp -R "$app" "$folder/"
ln -s /Applications "$folder/Applications"
rm -f "$image"
hdiutil create -volname NeoDeskPet -srcfolder "$folder" -ov -format ULMO "$image"
