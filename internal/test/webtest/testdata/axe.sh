#!/bin/sh
# Fetches axe-core from npm and copies what the accessibility test runs in pages into testdata/axe/. Run it from anywhere; what it writes
# is committed. It is part of no program that is built. To move to another version, change the line below and run TestBrowserFilePages and TestBrowserSitePages.
set -eu

# renovate: datasource=npm depName=axe-core
version=4.14.1

here=$(cd "$(dirname "$0")" && pwd)
to=$here/axe
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

(cd "$temp" && npm pack --ignore-scripts --silent "axe-core@$version" >/dev/null && tar -xzf ./*.tgz)

rm -rf "$to"
mkdir -p "$to"
cp "$temp/package/axe.min.js" "$temp/package/LICENSE" "$temp/package/LICENSE-3RD-PARTY.txt" "$to/"
find "$to" -type f -exec chmod 644 {} +

cat >"$to/VERSION" <<NOTE
axe-core $version, https://github.com/dequelabs/axe-core, MPL-2.0 (LICENSE); what it holds of others: LICENSE-3RD-PARTY.txt.
Copied unchanged by axe.sh.
NOTE
