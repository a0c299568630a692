#!/bin/sh
# Fetches pdf.js from npm and copies what the PDF viewer needs into static/vendor/pdfjs/. Run it from anywhere; what it writes is
# committed. To move to another version, change the line below and run the browser tests.
set -eu

version=5.6.205

# The predefined CMaps of ISO 32000-1, table 118, and the maps to Unicode that go with them: text in Chinese, Japanese and Korean
# files that name an encoding instead of embedding it. The library's other CMaps are not valid in a PDF.
cmaps="
	GB-EUC-H GB-EUC-V GBpc-EUC-H GBpc-EUC-V GBK-EUC-H GBK-EUC-V GBKp-EUC-H GBKp-EUC-V GBK2K-H GBK2K-V
	UniGB-UCS2-H UniGB-UCS2-V UniGB-UTF16-H UniGB-UTF16-V Adobe-GB1-UCS2
	B5pc-H B5pc-V HKscs-B5-H HKscs-B5-V ETen-B5-H ETen-B5-V ETenms-B5-H ETenms-B5-V CNS-EUC-H CNS-EUC-V
	UniCNS-UCS2-H UniCNS-UCS2-V UniCNS-UTF16-H UniCNS-UTF16-V Adobe-CNS1-UCS2
	83pv-RKSJ-H 90ms-RKSJ-H 90ms-RKSJ-V 90msp-RKSJ-H 90msp-RKSJ-V 90pv-RKSJ-H Add-RKSJ-H Add-RKSJ-V EUC-H EUC-V
	Ext-RKSJ-H Ext-RKSJ-V H V UniJIS-UCS2-H UniJIS-UCS2-V UniJIS-UCS2-HW-H UniJIS-UCS2-HW-V UniJIS-UTF16-H
	UniJIS-UTF16-V Adobe-Japan1-UCS2
	KSC-EUC-H KSC-EUC-V KSCms-UHC-H KSCms-UHC-V KSCms-UHC-HW-H KSCms-UHC-HW-V KSCpc-EUC-H
	UniKS-UCS2-H UniKS-UCS2-V UniKS-UTF16-H UniKS-UTF16-V Adobe-Korea1-UCS2"

here=$(cd "$(dirname "$0")" && pwd)
to=$here/static/vendor/pdfjs
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

(cd "$temp" && npm pack --ignore-scripts --silent "pdfjs-dist@$version" >/dev/null && tar -xzf ./*.tgz)
from=$temp/package

rm -rf "$to"
mkdir -p "$to/wasm" "$to/fonts" "$to/cmaps"
# The legacy build runs in browsers some years old, for 35 KB more on the wire than the modern one.
cp "$from/legacy/build/pdf.min.mjs" "$from/legacy/build/pdf.worker.min.mjs" "$from/LICENSE" "$to/"
# JPEG 2000 has no decoder in the worker itself; JBIG2 and CCITT have a slow one. Scanned documents use all three.
cp "$from/wasm/openjpeg.wasm" "$from/wasm/jbig2.wasm" "$from"/wasm/LICENSE_*JPEG "$from"/wasm/LICENSE_*JBIG2 "$to/wasm/"
# Of the 14 standard fonts, the two that no system font stands in for, and Helvetica's likeness, which phones do not have.
cp "$from"/standard_fonts/FoxitSymbol.pfb "$from"/standard_fonts/FoxitDingbats.pfb "$from"/standard_fonts/LiberationSans-*.ttf \
	"$from"/standard_fonts/LICENSE_* "$to/fonts/"
cp "$from/cmaps/LICENSE" "$to/cmaps/"
for name in $cmaps; do cp "$from/cmaps/$name.bcmap" "$to/cmaps/"; done
find "$to" -type f -exec chmod 644 {} +

cat >"$to/VERSION" <<NOTE
pdfjs-dist $version, legacy build, https://github.com/mozilla/pdf.js, Apache-2.0 (LICENSE).
wasm/, fonts/, cmaps/ have licences of their own beside them. Copied unchanged by vendor.sh.
NOTE
