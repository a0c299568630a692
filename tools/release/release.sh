#!/usr/bin/env bash
# release.sh VERSION DIR builds the files of a release: a static program for
# each platform, a list of the modules in it (CycloneDX), the texts of their
# licences, a Debian package and a container image (OCI) of the Linux programs,
# and checksums. Two runs on one commit make the same files. PLATFORMS names
# fewer platforms. With CHECK=1 the first platform is built again, from a
# copy of the source in another directory and with an empty build cache, and
# must come out the same.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$1 out=$2
mkdir -p "$out"
[[ -z $(ls -A "$out") ]] || {
  echo "$out is not empty" >&2
  exit 1
}
export CGO_ENABLED=0
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} # the time of what is in packages
go -C tools/release build -o ../../bin/tools/ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod ./pack
platforms=(${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64})
for platform in "${platforms[@]}"; do
  os=${platform%/*} arch=${platform#*/} suffix=
  [[ $os != windows ]] || suffix=.exe
  echo "$platform"
  GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.version=$version" \
    -o "$out/vitrine_${version}_${os}_$arch$suffix" ./cmd/vitrine
done
sbom="$out/vitrine_$version.cdx.json"
program=("$out"/vitrine_"$version"_*) # of each platform the modules are the same
bin/tools/cyclonedx-gomod bin -json -noserial -version "$version" -output "$sbom" "${program[0]}" >/dev/null
# The time of the run says nothing, and would make each run different.
sed -i '/^ *"timestamp":/d' "$sbom"
VITRINE_LICENCES=$(realpath "$out")/vitrine_${version}_licences.txt go test ./internal/lint -run '^TestLicences$' -count 1 >/dev/null
bin/tools/pack "$version" "$out"
(cd "$out" && sha256sum vitrine_* >SHA256SUMS)

if [[ -n ${CHECK:-} ]]; then
  again=$(mktemp -d)
  trap 'rm -rf "$again"' EXIT
  mkdir "$again/source"
  git ls-files -z | xargs -0 cp --parents -t "$again/source"
  echo "${platforms[0]}, again"
  CHECK='' PLATFORMS=${platforms[0]} GOCACHE=$again/cache "$again/source/tools/release/release.sh" "$version" "$again/release" >/dev/null
  for file in "$again/release"/vitrine_*; do
    cmp "$file" "$out/${file##*/}"
  done
  echo "the same"
fi
