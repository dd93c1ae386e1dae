#!/bin/sh
# Enters NeoDeskPet into the menu of your desktop, from the folder that it lies in now, with the
# kinds of files that it opens; with --remove it leaves the menu again. The folder of your data
# (~/.local/share/NeoDeskPet) is not touched: delete it yourself if you want your data gone.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
share="${XDG_DATA_HOME:-$HOME/.local/share}"
entry="$share/applications/neodeskpet.desktop"
kinds="$share/mime/packages/neodeskpet.xml"

tell_desktop() {
    if command -v update-desktop-database >/dev/null; then
        update-desktop-database -q "$share/applications" || true
    fi
    if command -v update-mime-database >/dev/null; then
        update-mime-database "$share/mime" || true
    fi
}

# What sed would read in a replacement.
for_sed() {
    sed -e 's/[&#\\]/\\&/g'
}

if [ "${1:-}" = --remove ]; then
    rm -f "$entry" "$kinds"
    [ ! -d "$share/mime" ] || tell_desktop
    exit 0
fi
mkdir -p "$share/applications" "$share/mime/packages"
# In a command of an entry these signs are quoted, and a per cent sign is written twice.
command="$(printf %s "$here" | sed -e 's/["`$\\]/\\\\&/g' -e 's/%/%%/g' | for_sed)"
icon="$(printf %s "$here" | for_sed)"
sed -e "s#@HERE@#$command#g" -e "s#@ICON@#$icon#g" "$here/neodeskpet.desktop" >"$entry"
cp "$here/neodeskpet.xml" "$kinds"
tell_desktop
echo "NeoDeskPet is in the menu now ($entry)."
