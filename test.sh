#!/usr/bin/env bash
# All checks and tests. Programs that tests start and this machine misses are installed from Debian first.
set -euo pipefail
cd "$(dirname "$0")"
PATH=$PATH:/usr/sbin # where Debian has clamd, for whoever is not root
for programs in /usr/lib/postgresql/*/bin; do PATH=$PATH:$programs; done # and PostgreSQL

# A program that tests need (gcc for the race detector), and the packages that bring it.
needs=(chromium:chromium gcc:build-essential ffmpeg:ffmpeg heif-convert:libheif-examples clamd:clamav-daemon postgres:postgresql jq:jq curl:curl
       "soffice:libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui")

missing=()
for need in "${needs[@]}"; do
  command -v "${need%%:*}" >/dev/null || missing+=(${need##*:})
done
if ((${#missing[@]})) && command -v apt-get >/dev/null; then
  as_root=()
  ((EUID == 0)) || as_root=(sudo -n)
  echo "installing ${missing[*]}"
  if ! { "${as_root[@]}" apt-get update -qq &&
         "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >/dev/null; then
    echo "could not install ${missing[*]}: tests that need them will skip, or fail where CI is set" >&2
  fi
fi

export CGO_ENABLED=0
go mod download
go -C tools/s3server tool -n versitygw >/dev/null # compiles it, so that no test waits for that
make --no-print-directory lint
go test -timeout 25m $(go list ./... | grep -v /e2e)
go test -count 1 ./e2e # it builds the program itself, which a result that was kept does not know of

# The race detector makes everything some ten times slower: where goroutines of ours meet, and the whole program once.
export CGO_ENABLED=1
go test -race -skip TestViewsUnderLoad . ./client ./internal/clamav ./internal/disk ./internal/mail ./internal/s3 ./internal/spool ./internal/worker
go test -race -run TestViewsUnderLoad . # by itself: behind many other tests the race detector of Go 1.26 crashes in it, in timers of a bubble
go test -race -short ./internal/web # without a browser, which is what waits there
go test -race -run 'TestAtOnce|TestLive|TestMerge|TestFeed|TestOpenTogether|TestStore|TestViewLog/(Parallel|Erase|Cancelled)' ./internal/sqldb
go test -race -run 'TestScript/(stats|shutdown)' ./cmd/vitrine
