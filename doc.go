// Package vitrine is the domain of Vitrine: a file becomes a public link,
// people view it, and its owner reads exactly how it was read. It knows no HTTP
// and no SQL.
//
// It has the types that everything else speaks of, the rules that hold for them
// within a transaction ([Tx]), and the ports that backends implement. It has no
// goroutine, no clock and no files. What users do is in the packages below
// internal, one for each group of use cases.
//
// # The life of a link
//
// An [Account] with an [APIKey] begins an upload (internal/publish): the file's
// name, type and size are checked, and a link, the bytes and a custom [Slug]
// are held for a quarter of an hour. The answer is a signed URL, valid for ten
// minutes and for exactly these bytes, once (internal/signer, [Blobs]). The bytes go
// straight to storage. Completing the upload seals them, so that what is
// checked is what will be served, inspects them (internal/filetype/inspect),
// has them scanned ([Scanner]) and makes the [Link], in one transaction. A
// video is scanned in the background. What a rule holds waits for a person
// (internal/moderation, internal/links). Each change of a link's state is a
// [Change] in its history ([Link.Transition]).
//
// Each load of the link's page is a view: the server writes it before the page
// ends (internal/ingest, one durable commit for many at a time), with what the
// request says (internal/visitor). While the page is read, its tracker sends
// snapshots, each the sum of the view so far. A [Claim] is limited to what the
// server's clock allows before it counts ([Claim.Snapshot],
// [Engagement.Apply]). Past days are rolled up in the background
// ([ViewLog.RollUp]). Reports (internal/analytics) ask the [ViewLog] for the
// tally of some days and render it (package report).
//
// # People
//
// Signing in (internal/auth) begins a [Session]. Sign-in links, invitations and
// resets are a [OneTimeToken]. Tries are counted ([Attempt]), so that a
// stranger's tries keep nobody out. Besides links an account has albums
// ([Album], links under one address) and websites ([Site], whose versions are
// sealed ZIP files with the states of a link).
//
// # Glossary
//
//	link                  a published file and its public page
//	slug                  the part of a link's address after /p/
//	view                  one load of a page that was answered; the tables and
//	                      --keep-opens call it "open"
//	engagement            what the tracker measured of a view; type report.Session,
//	                      "sessions" in the API
//	session               a signed-in browser
//	viewer                a distinct reader: a keyed hash
//	administrator         who runs an instance; moderator, owner, member: accounts
//	website               a published static website; [Site] in code
//	rollup                stored aggregates of past days
//	segment               a packed row of views; "pack" in older code
//	early event           a beacon or download whose view has not arrived yet
//	storage owner         which database owns a bucket or directory
//	attempt, rate limit   counted tries
//	one-time token        sign-in, invitation and reset links
//	reserve IDs           never reuse IDs that the view log has seen
//	delete                a link or another row
//	purge                 a file's bytes, after its link is deleted
//	expire                rows or views, by age
//	sweep                 leftovers of uploads and crashes
//	revoke                a key, session or invitation
//	disable, enable       a link; a decision is undone, a version restored
//
// # The tree
//
//	report               the analytics engine: views to a report; pure
//	client               the API's Go client
//	cmd/vitrine          the program: configuration, wiring, commands
//	docs                 how-to, reference, specification, decisions; guides to serve
//	e2e                  the program and a browser, from an empty directory on
//	bench, tools         modules of their own: benchmarks; tools of the build
//
// Use cases, below internal:
//
//	auth                 accounts, sign-in, sessions, API keys, one-time tokens
//	publish              uploads to links: inspection, scans, previews, captions
//	links                find, edit, decide, delete; public links in memory
//	versions             replace the file of a link; earlier files
//	collections          albums and websites
//	moderation           the queue, history, abuse reports
//	ingest               page views and beacons into the view log
//	ownviews, reclassify whether an owner's views count; new rules for old views
//	analytics            reports; rolling up and expiring past days
//	importer, export     another system's history in; all of an account out
//	audit                whether store, files and view log agree
//	sharedreport         read-only addresses of reports
//	sitestats            page loads of websites
//	lease, outbox        work shared by processes; mail that is sent later
//	logowner             whether a view log belongs to a store
//	storageowner         whether a directory or bucket belongs to a store
//
// Pure packages, below internal:
//
//	filetype             kinds, names and reasons; below it a package for each family
//	filetype/inspect     a file's bytes to facts, or a refusal
//	visitor, geo         a request to labels, bot reason and viewer; its city, by a file
//	markup               text, tables and code to what a page shows
//	password, webvtt     argon2id; captions
//	agent, secrets       tools for AI agents; what looks like a key in a text
//	fold                 a folder's page with what it uses to one HTML file
//	remote               commands that use an instance over its API
//	terminal             what commands print; credentials, manifest: their files
//	datadir              the data directory: who serves from it, and its room
//	limits               limits of plans as flags say them
//	signer               signed URLs and tokens
//	turn, worker         turns for scarce work; named background loops
//
// Backends, below internal:
//
//	sqldb                SQLite and PostgreSQL: connections, transactions, schemas
//	sqlstore             Store on sqldb
//	viewdb               ViewLog on sqldb
//	clickhouse           ViewLog on ClickHouse
//	disk, s3             Blobs in a directory, in a bucket
//	spool                Spool: views that the log cannot take yet, in files
//	clamav               Scanner: clamd
//	preview              Previewer: pictures, pages, cells, in its own process
//	mail                 Mailer: SMTP
//
// And what people and programs meet, below internal:
//
//	web                  HTTP: API, signed PUT, public pages, files, websites, app
//	accept               connections within the limit of open files
//	vitrinetest          a suite for each port, fixtures and fault injection
//
// # Ports
//
// [Store], [ViewLog], [Blobs], [Scanner], [Previewer], [Spool] and [Mailer] are
// what the use cases need of the outside. A use case names what it needs of a
// port in an interface of its own. Their comments are contracts.
// Suites below internal/vitrinetest hold every implementation to them.
//
// The specification in docs/specification says what all of it does. Comments
// cite it by page and heading: (contract, Link states).
package vitrine
