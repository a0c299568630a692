# What a developer types. "make run" needs only Go. "make test" installs what the tests need from Debian, Go and npm packages.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
GOBUILD  = go build -ldflags "-s -w -X main.version=$(VERSION)"

# All checks but one: ST1000 wants a comment on every package, test packages too.
STATICCHECK = bin/tools/staticcheck -checks all,-ST1000 -tags screens

# Without cgo everywhere, tests too: what is tested is what is shipped, and nothing is compiled twice.
export CGO_ENABLED = 0

# Without the paths of this machine, so that all clones on it share what is compiled.
export GOFLAGS := $(shell go env GOFLAGS) -trimpath

.PHONY: build release run check test test-all screens pictures bench compare bench-pages bench-site bench-costs bench-places bench-scan licences lint format test-js

build: ## one static binary: bin/vitrine
	$(GOBUILD) -o bin/vitrine ./cmd/vitrine

release: ## programs for Linux, macOS and Windows, Debian packages, a container image, the modules as CycloneDX, and checksums, in ./release; VERSION=v1.2.3; CHECK=1 to build one twice
	tools/release/release.sh $(VERSION) release

run: build ## serve on http://localhost:8080, with data in ./data
	./bin/vitrine serve

check: ## after an edit: format, lint, and tests of what the edit reaches, without servers and browsers
	tools/test.sh check

test: ## the gate: everything that decides whether the product works
	tools/test.sh test

test-all: ## every repetition too: each crash point, real clocks, all widths of all pages
	tools/test.sh all

screens: ## a picture of every page, light and dark, on a desk and on a phone, in ./screens; ONLY=home for some
	VITRINE_SCREENS=$(CURDIR)/screens VITRINE_SCREENS_ONLY='$(ONLY)' go test -tags screens ./internal/web -run '^TestScreens$$' -count 1 -timeout 20m

pictures: ## the pictures of the app in the documentation and in the README
	VITRINE_PICTURES=$(CURDIR)/internal/web/front/pictures VITRINE_README_PICTURES=$(CURDIR)/docs/images go test -tags screens ./internal/web -run '^Test(Doc|Readme)Pictures$$' -count 1 -timeout 5m

BENCH ?= .
bench: export CGO_ENABLED = 1 # DuckDB has no other way; the program is built without
bench: ## benchmarks beside their references, a table at the end: bench/README.md
	./bench/setup.sh
	cd bench && go vet ./... && go test ./... && go test -run '^$$' -bench '$(BENCH)' -timeout 6h .

compare: ## the cost of each kind of request beside an earlier program: BASE=COMMIT; fails if one costs a tenth more
	cd bench && go run ./cmd/compare $(BASE)

bench-pages: ## each kind of page in Chromium, by its own tracing; VITRINE_BENCH_READ=1 adds three minutes of reading
	go test ./internal/web -run '^$$' -bench 'Browser' -benchtime 3x -timeout 2h

bench-site: ## pages of the site beside the API's answers with the same numbers
	go test ./internal/web -run '^$$' -bench 'Site|SignIn' -benchtime 1s

bench-costs: ## one request of each route, in bench/costs.md
	VITRINE_COSTS=1 go test ./internal/web -run '^$$' -bench 'Costs' -benchtime 1x -exec 'env GODEBUG=gcstoptheworld=1'

bench-places: ## taking in views and making reports on SQLite and PostgreSQL in one run; files in a bucket beside files on the disk; one server beside two
	go test ./cmd/vitrine -run '^$$' -bench 'Places|Fleet' -timeout 2h
	go test ./internal/backend/s3 -run '^$$' -bench 'Read'

bench-scan: ## inspection and malware scan of files of 1 MB, 100 MB and 2 GB beside a plain read of the same file
	VITRINE_BENCH_LARGE=1 go test ./internal/filetype/inspect ./internal/backend/clamav -run '^$$' -bench 'Inspect|Scan' -benchtime 1x -timeout 2h

licences: ## the licences of what the program contains, in docs/reference/licences.md, and their texts in bin/licences.txt
	mkdir -p bin
	VITRINE_LICENCES=$(CURDIR)/bin/licences.txt go test ./internal/lint -run '^TestLicences$$' -count 1

lint: bin/tools/staticcheck tools/frontend/node_modules ## format and lint Go, scripts and styles
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }
	GOGC=400 go vet -tags screens ./... vitrine/client
	GOGC=400 $(STATICCHECK) ./... vitrine/client
	npm --prefix tools/frontend run --silent lint

format: tools/frontend/node_modules ## format everything
	gofmt -w .
	npm --prefix tools/frontend run --silent format

test-js: ## the scripts' tests, which need no browser
	node --test internal/web/ui/jstest/*.test.js

tools/frontend/node_modules: tools/frontend/package-lock.json
	npm --prefix tools/frontend ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

tools/api/node_modules: tools/api/package-lock.json ## lints the OpenAPI document and makes clients of it
	npm --prefix tools/api ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

bin/tools/staticcheck: tools/checks/go.mod ## the tools that check the code
	go -C tools/checks build -o ../../bin/tools/ tool
