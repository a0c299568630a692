#!/usr/bin/env bash
# All checks and tests. Programs that tests start and this machine misses are installed from Debian first.
set -euo pipefail
cd "$(dirname "$0")"
PATH=$PATH:/usr/sbin # where Debian has clamd, for whoever is not root
for programs in /usr/lib/postgresql/*/bin; do PATH=$PATH:$programs; done # and PostgreSQL

# A program that tests need (gcc for the race detector), and the packages that bring it.
needs=(chromium:chromium gcc:build-essential ffmpeg:ffmpeg heif-convert:libheif-examples clamd:clamav-daemon postgres:postgresql pgbouncer:pgbouncer jq:jq curl:curl npm:npm
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
# What takes long to come comes side by side. The S3 server of the tests is compiled here, so that no test waits for that.
GOGC=400 go -C tools/s3server tool -n versitygw >/dev/null & # compiling alone may take the memory
s3server=$!
# ClickHouse's engine, as a library, for its tests; 0.5 GB, once (internal/vitrinetest/clickhouse.go names the version, too).
chdb=${XDG_CACHE_HOME:-$HOME/.cache}/vitrine/chdb-26.5.3
if [[ $(uname -sm) == "Linux x86_64" && ! -e $chdb/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so ]]; then
  npm install --prefix "$chdb" --ignore-scripts --no-audit --no-fund --silent "@chdb/lib-linux-x64-gnu@${chdb##*-}" ||
    echo "could not install ClickHouse's engine: tests that need it will skip, or fail where CI is set" >&2
fi
wait $s3server || echo "could not compile versitygw: tests that need it will skip, or fail where CI is set" >&2
GOGC=400 make --no-print-directory lint
export GOFLAGS=-vet=off # that was all of it

# ClickHouse's engine does one thing at a time, for as long as all else takes: its tests run behind the others, on what those leave of the processors.
behind=$(mktemp)
trap 'set +e; for job in $(jobs -p); do pkill -P $job; kill $job; done 2>/dev/null; rm -f "$behind"' EXIT
nice go test -timeout 28m ./internal/clickhouse >"$behind" 2>&1 &
clickhouse=$!
go test -p 3 -timeout 25m $(go list ./... | grep -vE '/(e2e|internal/web|internal/clickhouse)$') # three at once: much of what they do is wait for servers
go test -timeout 25m ./internal/web # nothing beside browsers, whose time is measured, but what is nice
go test -count 1 ./e2e # it builds the program itself, which a result that was kept does not know of

# The race detector makes everything some ten times slower: where goroutines of ours meet, and the whole program once. Nothing of it is measured: two go side by side.
export CGO_ENABLED=1
go test -race -run TestViewsUnderLoad . # by itself: behind many other tests the race detector of Go 1.26 crashes in it, in timers of a bubble
go test -race -skip 'TestViewsUnderLoad|Faults|TestPlace(Copy|OlderState|Foreign|Bare)|TestRestoredBehind|TestOutboxAgain' . ./client ./internal/clamav ./internal/disk ./internal/mail ./internal/spool ./internal/worker &
raced=$!
go test -race -short -run 'AtOnce|Beacon|Document|Signed|Transfer|Upload|Website' ./internal/web # where requests meet: much else there is passwords, which the detector makes slow
go test -race -run 'TestAtOnce|TestLive|TestMerge|TestFeed|TestOpenTogether|TestStore|TestExclusive|TestPostgres(Contention|Version)|TestViewLog/(Parallel|Erase|Cancelled)' ./internal/sqldb
go test -race -run 'TestInstances|TestReads|TestSwap' ./internal/s3
go test -race -run 'TestScript/(stats|shutdown)' ./cmd/vitrine
wait $raced

wait $clickhouse && passed=true || passed=false
cat "$behind"
$passed
