#!/usr/bin/env bash
# Sums up a test run: seconds per package, the slowest tests, and what the tier
# skipped and why. The argument is a directory of go test -json events, one file
# per stage.
set -euo pipefail
cd "$1"
heading() { printf '\n%s\n' "$1"; }
# A stage that failed to compile also leaves lines that are not JSON.
events() { for f in *.json; do jq -cR --arg stage "${f%.json}" 'fromjson? | . + {stage: $stage}' "$f"; done; }
events >all.events

heading "Seconds per package"
jq -r 'select(.Test == null and .Elapsed != null and .Elapsed > 0.05) | [.Elapsed, .Package, .stage] | @tsv' all.events |
  sort -rn | awk -F'\t' '{printf "%7.1f  %s (%s)\n", $1, $2, $3}'

heading "The 20 slowest tests"
jq -r 'select(.Test != null and .Elapsed != null and (.Test | contains("/") | not)) | [.Elapsed, .Package, .Test, .stage] | @tsv' all.events |
  sort -rn | awk -F'\t' 'NR <= 20 {printf "%7.1f  %s %s (%s)\n", $1, $2, $3, $4}'

heading "Skipped by this tier"
# The reason is the last line that the test logged. Tests with one reason share
# a line, and a test that is skipped part by part is named with its parts.
jq -r -s '
  (reduce .[] as $e ({}; if $e.Action == "output" and $e.Test != null and ($e.Output | test("^ +[a-z_0-9]+\\.go:"))
    then .[$e.stage + $e.Package + "/" + $e.Test] = $e.Output else . end)) as $said
  | [.[] | select(.Action == "skip" and .Test != null)
     | {Package, Test, reason: ($said[.stage + .Package + "/" + .Test] // "" | sub("^ +[a-z_0-9]+\\.go:[0-9]+: "; "") | rtrimstr("\n"))}]
  | unique | group_by([.Package, .reason])[]
  | "  \(.[0].Package): \(.[0].reason)\n    \(map(.Test) | join(" "))"' all.events | fold -s -w 160 |
  awk '{print} END {if (NR == 0) print "  nothing"}'

heading "Tests"
jq -r 'select(.Test != null and (.Test | contains("/") | not) and (.Action == "pass" or .Action == "fail" or .Action == "skip")) | .Action' all.events |
  sort | uniq -c | awk '{n[$2] = $1} END {printf "%d passed, %d failed, %d skipped\n", n["pass"], n["fail"], n["skip"]}'
