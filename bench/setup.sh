#!/usr/bin/env bash
# Installs what the benchmarks compare with and this machine misses: nginx and PostgreSQL from Debian, ClickHouse's engine as a library
# from npm, and a C compiler for DuckDB. What cannot be installed is skipped by name when it is its turn.
set -uo pipefail

chdb=26.5.3 # of @chdb/lib-linux-x64-gnu

dir=${VITRINE_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/vitrine-bench}
mkdir -p "$dir"
as_root=()
((EUID == 0)) || as_root=(sudo -n)

# Services are installed, not started: each benchmark starts its own, on the loopback address.
policy=/usr/sbin/policy-rc.d
install() {
  command -v apt-get >/dev/null || { echo "not installed: $*" >&2; return; }
  echo "installing $*"
  local ours=
  if [[ ! -e $policy ]]; then
    ours=1
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null && "${as_root[@]}" chmod +x "$policy"
  fi
  { "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } >/dev/null ||
    echo "could not install $*" >&2
  [[ -z $ours ]] || "${as_root[@]}" rm -f "$policy"
}

missing=()
command -v gcc >/dev/null || missing+=(build-essential)
command -v nginx >/dev/null || [[ -x /usr/sbin/nginx ]] || missing+=(nginx-light)
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
library=$dir/npm/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so
wants_chdb=
if [[ $(uname -sm) == "Linux x86_64" && -z ${VITRINE_BENCH_CHDB:-} && ! -e $library ]]; then
  wants_chdb=1
  command -v npm >/dev/null || missing+=(npm)
fi
((${#missing[@]} == 0)) || install "${missing[@]}"

if [[ -n $wants_chdb ]]; then
  echo "installing ClickHouse's engine (@chdb/lib-linux-x64-gnu $chdb, 0.5 GB)"
  npm install --prefix "$dir/npm" --ignore-scripts --no-audit --no-fund --silent "@chdb/lib-linux-x64-gnu@$chdb" ||
    echo "could not install ClickHouse's engine" >&2
fi
exit 0
