// Package vitrine is the domain of Vitrine: a file becomes a public link,
// people view it, and its owner sees exactly how it was read. The package knows
// neither HTTP nor SQL.
//
// It defines the types of the domain, the rules that hold within a transaction
// ([Tx]), and the ports that backends implement. It has no goroutines, no clock
// and no files. The use cases are in packages below internal.
//
// # The life of a link
//
// An [Account] with an [APIKey] starts an upload (internal/publish). The server
// checks the file's name, type and size, and reserves a link, the bytes and a
// custom [Slug] for a quarter of an hour. It returns a signed URL, valid for
// ten minutes and once, for exactly these bytes (internal/signer, [Blobs]). The
// bytes go straight to storage. Completing the upload seals them, so that the
// checked bytes are the served bytes, inspects them
// (internal/filetype/inspect), has them scanned ([Scanner]) and creates the
// [Link], in one transaction. A video is scanned in the background. What a rule
// holds waits for a person (internal/moderation, internal/links). Each change
// of a link's state is a [Change] in its history ([Link.Transition]).
//
// Each load of the link's page is a view. The server stores it before the page
// ends (internal/ingest; one durable commit covers many views), with what the
// request reveals (internal/visitor). While the page is read, its tracker sends
// snapshots; each describes the whole view so far. A [Claim] is limited to what
// the server's clock allows before it counts ([Claim.Snapshot],
// [Engagement.Apply]). Past days are rolled up in the background
// ([ViewLog.RollUp]). Reports (internal/analytics) ask the [ViewLog] for the
// tally of a range of days and render it (package report).
//
// # People
//
// A sign-in (internal/auth) begins a [Session]. Sign-in links, invitations and
// password resets are [OneTimeToken]s. Tries are counted ([Attempt]), and a
// stranger's tries lock nobody out. Besides links, an account has albums
// ([Album], links under one address) and websites ([Site], whose versions are
// sealed ZIP files with the states of a link).
//
// # Glossary
//
//	link                  a published file and its public page
//	slug                  the part of a link's address after /p/
//	view                  one answered page load; "open" in tables
//	visit                 a viewer of a link on a day; in the API, a view
//	engagement            what the tracker measured for a view; report.Session
//	                      in code, "sessions" in the API
//	session               a signed-in browser
//	viewer                a distinct reader: a keyed hash
//	administrator         who runs an instance
//	website               a published static website; [Site] in code
//	rollup                stored tallies (sums for reports) of past days
//	segment               a packed row of views; "pack" in tables, file names
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
//	cmd/vitrine          the program: its commands, and tests that start it
//	docs                 guides, reference, specification, decisions
//	e2e                  the program and a browser, from an empty directory on
//	bench, tools         modules of their own: benchmarks; tools of the build
//
// Use cases, below internal:
//
//	access               who may have the bytes of a link
//	auth                 accounts, sign-in, sessions, API keys, one-time tokens
//	publish              uploads to links: inspection, scans, previews, captions
//	links                find, edit, decide, delete; public links in memory
//	spare                stored bytes that may be purged: replaced versions, ended uploads
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
//	lease, sharedclock   work and time shared by processes; outbox: mail sent later
//	ratelimit            how often something may be tried
//	logowner             whether a view log belongs to a store
//	storageowner         whether a directory or bucket belongs to a store
//
// Pure packages, below internal:
//
//	filetype             kinds, names and reasons; a package for each family
//	filetype/inspect     a file's bytes to facts, or a refusal
//	visitor, geo         a request to labels, bot reason and viewer; its city, by a file
//	charset              the encoding of a text, and its letters
//	tiff                 the pages of scans
//	markup               text, tables and code to what a page shows
//	password, webvtt     argon2id; captions
//	agent, secrets       tools for AI agents; what looks like a key in a text
//	remote, operator     commands over the API; commands in the data directory
//	serve                the server: configuration, wiring; doctor
//	command, terminal    arguments and flags; output of commands; credentials, manifest: files
//	spelling             the word that a misspelt one may mean
//	instance, datadir    an open instance; who serves from a directory, its room
//	hostname             hosts as the network needs them
//	durable              changes of files that survive a crash
//	limits               limits of plans, as written in flags
//	signer               signed URLs and tokens
//	turn, worker         turns for scarce work; named background loops
//
// Backends, below internal:
//
//	sqldb                SQLite and PostgreSQL: transactions, schemas, locks
//	sqlstore             Store on sqldb
//	viewdb               ViewLog on sqldb
//	disk, s3             Blobs in a directory, in a bucket
//	sink                 a copy of the views in ClickHouse
//	spool                Spool: views that the log cannot take yet, in files
//	clamav               Scanner: clamd
//	preview              Previewer: pictures, pages, cells, in its own process
//	mail                 Mailer: SMTP
//
// And what people and programs meet, below internal:
//
//	web                  HTTP: API, public pages, files, websites, dashboard
//	accept               connections within the limit of open files
//	vitrinetest          a suite for each port, fixtures and fault injection
//
// # Ports
//
// [Store], [ViewLog], [Blobs], [Scanner], [Previewer], [Spool] and [Mailer] are
// the ports. Their comments are contracts, and suites below
// internal/vitrinetest test every implementation against them. A use case
// declares the part of a port that it needs as an interface.
//
// The specification in docs/specification says what the program does. Comments
// cite it by page and heading: (contract, Link states).
package vitrine
