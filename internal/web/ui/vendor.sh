#!/bin/sh
# Fetches pdf.js from npm and copies what the PDF viewer needs into vendor/pdfjs/, and docx-preview with JSZip, which it reads
# archives by, into vendor/docx/, and the typeface of headings, into vendor/serif/. Run it from anywhere; what it writes is committed. To move to another version, change the lines below and run the browser tests.
#
# We use the core of pdf.js (parsing, drawing, text layer) with our own viewer of 1,700 lines (internal/web/viewer/pdf). Theirs,
# pdf_viewer.mjs (6.5), is 104 KB compressed beside the core and has neither text that flows on phones nor reading times by
# page. It would replace some 700 of our lines; the rest would be built around it.
set -eu

# renovate: datasource=npm depName=pdfjs-dist
version=6.5.438
# renovate: datasource=npm depName=@expo-google-fonts/arimo
arimo_version=0.4.3
# renovate: datasource=npm depName=docx-preview
docx_version=0.4.1
# renovate: datasource=npm depName=jszip
jszip_version=3.10.2
# renovate: datasource=npm depName=@fontsource/source-serif-4
serif_version=5.3.1

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

# The program has large files as browsers get them: compressed, under NAME.gz.
pack() { find "$to" -type f \( -name '*.mjs' -o -name '*.js' -o -name '*.ttf' -o -name '*.wasm' \) -exec gzip -9n {} +; }

here=$(cd "$(dirname "$0")" && pwd)
to=$here/vendor/pdfjs
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

(cd "$temp" && npm pack --ignore-scripts --silent "pdfjs-dist@$version" >/dev/null && tar -xzf ./*.tgz)
from=$temp/package

rm -rf "$to"
mkdir -p "$to/wasm" "$to/fonts" "$to/cmaps"
# The legacy build runs in browsers some years old, for 35 KB more on the wire than the modern one.
cp "$from/legacy/build/pdf.min.mjs" "$from/legacy/build/pdf.worker.min.mjs" "$from/LICENSE" "$to/"
# To count the pages and to find the last one, the worker reads every page's object: in a file of 200 pages with pictures between them that
# is 200 places, before anything is shown. Where a tree has as many pages as kids, a page's place among these is its number, and one read
# is enough. Each text must stand in the worker just once; where it does not any more, look whether the library has learnt it itself.
node - "$to/pdf.worker.min.mjs" <<'EDIT'
const fs = require("fs"), file = process.argv[2];
let text = fs.readFileSync(file, "utf8");
const edits = [
  // Catalog.getPageDict: e is the wanted page, l the first of the node's, c the node's Count, h its Kids; s and i are caches.
  ["for(let e=h.length-1;e>=0;e--){const n=h[e];t.push(n);", (loop) =>
    "if(c===h.length&&h[e-l]instanceof Ref){const t=h[e-l],n=await(o.get(t)||r.fetchAsync(t));" +
    'if(n instanceof Dict&&!n.has("Kids")){s.has(t)||s.put(t,1);i.has(t)||i.put(t,e);return[n,t]}}' + loop],
  // Catalog.getPageIndex: r is the page's reference, then those of the nodes above it; i and o are its parent, l the parent's Kids, a the sum.
  ["const f=[];let c=!1;for(const e of l){", (loop) =>
    'if(l.length===o.getRaw("Count")){const t=l.findIndex(e=>isRefsEqual(e,r));if(t>=0){a+=t;r=i;continue}}' + loop],
];
for (const [from, edit] of edits) {
  if (text.split(from).length !== 2) throw new Error("not just once in the worker: " + from);
  text = text.replace(from, edit);
}
fs.writeFileSync(file, text + "\n/* Changed for Vitrine: vendor.sh says how. */\n");
EDIT
# JPEG 2000 has no decoder in the worker itself; JBIG2 and CCITT have a slow one. Scanned documents use all three.
cp "$from/wasm/openjpeg.wasm" "$from/wasm/jbig2.wasm" "$from"/wasm/LICENSE_*JPEG "$from"/wasm/LICENSE_*JBIG2 "$to/wasm/"
# Of the 14 standard fonts, the two that no system font stands in for, and Helvetica's likeness, which phones do not have. Under the
# names that the library asks for there are the faces of Arimo: they have the same shapes and widths, and the library's own are under the
# GPL.
cp "$from"/standard_fonts/FoxitSymbol.pfb "$from"/standard_fonts/FoxitDingbats.pfb "$from"/standard_fonts/LICENSE_FOXIT "$to/fonts/"
(cd "$temp" && mkdir arimo && cd arimo && npm pack --ignore-scripts --silent "@expo-google-fonts/arimo@$arimo_version" >/dev/null && tar -xzf ./*.tgz)
arimo=$temp/arimo/package
cp "$arimo/400Regular/Arimo_400Regular.ttf" "$to/fonts/LiberationSans-Regular.ttf"
cp "$arimo/400Regular_Italic/Arimo_400Regular_Italic.ttf" "$to/fonts/LiberationSans-Italic.ttf"
cp "$arimo/700Bold/Arimo_700Bold.ttf" "$to/fonts/LiberationSans-Bold.ttf"
cp "$arimo/700Bold_Italic/Arimo_700Bold_Italic.ttf" "$to/fonts/LiberationSans-BoldItalic.ttf"
cp "$arimo/LICENSE_FONT" "$to/fonts/LICENSE_ARIMO"
cp "$from/cmaps/LICENSE" "$to/cmaps/"
for name in $cmaps; do cp "$from/cmaps/$name.bcmap" "$to/cmaps/"; done
find "$to" -type f -exec chmod 644 {} +
pack

cat >"$to/VERSION" <<NOTE
pdfjs-dist $version, legacy build, https://github.com/mozilla/pdf.js, Apache-2.0 (LICENSE).
wasm/, fonts/, cmaps/ have licences of their own beside them. Copied and compressed by vendor.sh, unchanged but for two functions of the worker
(Catalog.getPageDict and getPageIndex), which there read fewer objects of a flat tree of pages.
fonts/LiberationSans-*.ttf are Arimo from @expo-google-fonts/arimo $arimo_version, https://github.com/googlefonts/arimo, SIL Open Font
License 1.1 (LICENSE_ARIMO), under the names by which the library asks for them.
NOTE

to=$here/vendor/docx
rm -rf "$to"
mkdir -p "$to"
for name in "docx-preview@$docx_version" "jszip@$jszip_version"; do
	(cd "$temp" && rm -rf package ./*.tgz && npm pack --ignore-scripts --silent "$name" >/dev/null && tar -xzf ./*.tgz)
	case $name in
	docx-preview@*) cp "$from/dist/docx-preview.min.js" "$from/LICENSE" "$to/" ;;
	jszip@*)
		cp "$from/dist/jszip.min.js" "$to/"
		cp "$from/LICENSE.markdown" "$to/LICENSE_JSZIP"
		;;
	esac
done
find "$to" -type f -exec chmod 644 {} +
pack

cat >"$to/VERSION" <<NOTE
docx-preview $docx_version, https://github.com/VolodymyrBaydalka/docxjs, Apache-2.0 (LICENSE).
jszip $jszip_version, https://github.com/Stuk/jszip, used under the MIT licence (LICENSE_JSZIP); it holds pako, MIT.
Copied and compressed by vendor.sh, unchanged.
NOTE

to=$here/vendor/serif
rm -rf "$to"
mkdir -p "$to"
(cd "$temp" && rm -rf package ./*.tgz && npm pack --ignore-scripts --silent "@fontsource/source-serif-4@$serif_version" >/dev/null && tar -xzf ./*.tgz)
for part in latin latin-ext; do cp "$from/files/source-serif-4-$part-600-normal.woff2" "$to/$part.woff2"; done
cp "$from/LICENSE" "$to/"
find "$to" -type f -exec chmod 644 {} +

cat >"$to/VERSION" <<NOTE
Source Serif 4, weight 600, from @fontsource/source-serif-4 $serif_version, https://github.com/adobe-fonts/source-serif, SIL Open Font
License 1.1 (LICENSE). latin.woff2 and latin-ext.woff2 are its parts for Latin and for the rest of Latin, such as Latin Extended-A.
Copied by vendor.sh, unchanged.
NOTE
