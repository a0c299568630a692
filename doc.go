// Package vitrine is the domain of Vitrine: a file becomes a public link, people open it, and its owner reads exactly how it was
// read. It knows no HTTP, no SQL and no clock of its own.
//
// # The life of a link
//
// An [Account] with an [APIKey] asks for a place ([Uploads.Create]): the file's name, type and size are checked, and a link slot,
// the bytes and a custom [Slug] are held for a quarter of an hour. The answer is a signed URL, good for ten minutes and for exactly
// these bytes once ([Signer], [Blobs]). The bytes go straight to storage. [Uploads.Complete] seals them, so that what is checked
// is what will be served, inspects them (package filetype), has them scanned ([Scanner]) and, in one transaction, makes the
// [Link]. A video is scanned in the background ([Scans]); what a rule holds waits for a person ([Moderation],
// [Links.Clear]). Each change of a link's state is a [Change] in its history.
//
// Whoever opens the link's page leaves an open: the server writes it before the page ends ([Views], one durable commit for
// many at a time), with what the request tells (package visitor). While the page is read, its tracker sends snapshots, each
// the sum of the open so far; a [Claim] is clamped to what the server's clock allows before it counts ([Claim.Snapshot],
// [Engagement.Apply]). Past days are put away in the background, with tallies of what happened on them ([ViewLog.RollUp]).
// [Analytics] asks the [ViewLog] for the tally of a window and renders it (package report).
//
// # People
//
// Whoever signs in on the website ([Sessions.SignInWithPassword]) has a [Session]; how somebody gets an account or a new password is a [OneTimeToken], a secret
// that works once. Tries are counted ([Attempt]) so that nobody's attempts keep another out. What the website has beside links are an [Album], which is
// links under one address, and a [Site], whose versions are sealed ZIP files and go through the states of a link.
//
// # The tree
//
//	report             the analytics engine: opens to a report; pure
//	internal/filetype  name, declared type and bytes to a kind, or a refusal; pure
//	internal/visitor   request to labels, bot reason and viewer; pure
//	internal/sqldb     Store and ViewLog on SQLite and PostgreSQL
//	internal/clickhouse ViewLog on ClickHouse
//	internal/s3        Blobs in a bucket
//	internal/spool     opens that the log cannot take, in files, until it can
//	internal/disk      Blobs in a directory
//	internal/clamav    Scanner: clamd
//	internal/mail      Mailer: SMTP
//	internal/web       HTTP: API, signed PUT, public pages, beacon, file bytes, static websites, and the site for members
//	internal/worker    named background loops
//	client             the API's Go client
//	cmd/vitrine        the program: wiring and verbs
//	e2e                the program and a browser, from an empty directory on
//	bench              a module of its own: every figure beside its reference
//
// Four ports stand between the services here and what keeps things: [Store], [Blobs], [ViewLog], [Scanner]. Their comments
// are contracts, and one conformance suite for each (internal/vitrinetest) holds every backend to them.
package vitrine
