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
// An [Account] with an [APIKey] starts an upload (internal/app/publish). The
// server checks the file's name, type and size, and reserves a link, the bytes
// and a custom [Slug] for a quarter of an hour. It returns a signed URL, valid
// for ten minutes and once, for exactly these bytes (internal/base/signer,
// [Blobs]). The bytes go straight to storage. Completing the upload seals them,
// so that the checked bytes are the served bytes, inspects them
// (internal/filetype/inspect), has them scanned ([Scanner]) and, in one
// transaction, creates the [Link]. A video is scanned in the background. What a
// rule holds waits for a person (internal/app/moderation, internal/app/links).
// Each change of a link's state is a [Change] in its history
// ([Link.Transition]).
//
// Each load of the link's page is a view. The server stores it before the page
// ends (internal/app/ingest; one durable commit covers many views), with what
// the request reveals (internal/visitor). While the page is read, its tracker
// sends snapshots; each describes the whole view so far. A [Claim] is limited
// to what the server's clock allows before it counts ([Claim.Snapshot],
// [Engagement.Apply]). Whether a view counts is decided when it is opened, and
// when something changes that, in one place (report.Class); what a request
// shows is in internal/visitor.
// Past days are rolled up in the background ([ViewLog.RollUp]). Reports
// (internal/app/analytics) ask the [ViewLog] for the tally of a range of days
// and render it (package report).
//
// # People
//
// A sign-in (internal/app/auth) begins a [Session]. Sign-in links, invitations
// and password resets are [OneTimeToken]s. Tries are counted ([Attempt]), and a
// stranger's tries lock nobody out. Besides links, an account has albums
// ([Album], links under one address) and websites ([Site], whose versions are
// sealed ZIP files with the states of a link).
//
// # Glossary
//
//	link                  a published file and its public page
//	slug                  the part of a link's address after /p/
//	view                  one answered page load
//	visit                 a view, as lists show it to people
//	viewer day            a viewer of a link or account on a day, however many views
//	engagement            what the tracker measured for a view; report.Session
//	                      in code, "sessions" in the API
//	session               a signed-in browser
//	second factor         two-step sign-in: a code or passkey besides the password
//	viewer                a distinct reader: a keyed hash
//	administrator         who runs an instance
//	website               a published static website; [Site] in code
//	event                something that happened, for the owner of an account
//	rollup                stored tallies (sums for reports) of past days
//	segment               a packed row of views of past days
//	early event           a beacon or download whose view has not arrived yet
//	access                what a link asks of its readers: a password, a limit
//	gate                  the page that asks for it; it is no view
//	pass                  shows that a browser has passed a gate: a cookie
//	place                 of one reader, on a link that limits its readers
//	round                 of an access; passes end when it changes
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
//	client               the API's Go client, a module of its own
//	cmd/vitrine          the program
//	docs, deploy         documentation; containers, Kubernetes, systemd
//	e2e                  the program and a browser, from an empty directory on
//	bench, tools         modules of their own: benchmarks; tools of the build
//
// Below internal, a folder says what a package may import (internal/lint):
//
//	app                  use cases
//	backend              what implements the ports
//	filetype             a file's bytes to facts, or a refusal; pure
//	visitor              a request to labels, bot reason and viewer; its city
//	web                  HTTP: API, public pages, files, websites, the app
//	cli                  the command line: users, administrators, the server
//	base                 packages that do not depend on the product, or only on its types
//	lint                 tests of the rules for the whole repository
//	test                 a suite for each port, fixtures and fault injection
//
// Use cases, below internal/app:
//
//	access               who may have the bytes of a link
//	auth                 accounts, sign-in, sessions, API keys, passwords
//	publish              uploads to links: inspection, scans, previews, captions
//	links                find, edit, decide, delete; versions; links in memory
//	collections          albums and websites, and page loads of these
//	events               what happened, a row for each
//	webhooks             events to addresses that owners name
//	notify               mails about it, and who wants them
//	moderation           the queue, history, abuse reports
//	ingest               page views and beacons into the view log
//	analytics            reports and their read-only addresses; rolling up and
//	                     expiring past days; new rules for old views
//	importer, export     another system's history in; all of an account out
//	audit                whether store, files and view log agree
//	recipients           named addresses of links
//	fleet                background loops, and what processes share: their leases, time, mail to send
//	ownership            whether files and a view log belong to a store
//	services             makes those of a server on the same ports, with one clock
//
// Backends, below internal/backend:
//
//	sqldb                SQLite and PostgreSQL: transactions, schemas, locks
//	sqlstore             Store on sqldb
//	viewlog              ViewLog on sqldb
//	sink                 a copy of the views in ClickHouse, for SQL
//	disk, s3             Blobs in a directory, in a bucket
//	spool                Spool: views that the log cannot take yet, in files
//	clamav               Scanner: clamd
//	preview              Previewer: pictures, pages, cells, in its own process
//	mail                 Mailer: SMTP
//
// Below internal/base:
//
//	durable              changes of files that survive a crash
//	outbound             requests to addresses that users named, to public hosts only
//	notation             what people type: hosts, times, words for a shell, misspelt ones
//	signer               signed URLs and tokens
//	throttle             attempts, turns for scarce work, open connections
//
// # Ports
//
// [Store], [ViewLog], [Blobs], [Scanner], [Previewer], [Spool] and [Mailer] are
// the ports. Their comments are contracts, and suites below
// internal/test test every implementation against them. A use case
// declares the part of a port that it needs as an interface.
//
// The specification in docs/specification says what the program does. Comments
// cite it by page and heading: (contract, Link states).
package vitrine
