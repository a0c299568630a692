package vitrine

import (
	"context"
	"errors"
	"io"
	"time"

	"vitrine/report"
)

// Blobs stores the bytes of files. The holder of a signed URL puts a blob once.
// It is then sealed and never changes again, so the checked bytes are the
// served bytes (promise 3).
//
// Every backend passes the suite porttest.Blobs.
type Blobs interface {
	// SignPut returns a URL that accepts exactly the bytes g describes, once.
	// Signing a key again returns another URL for the same key. Once the bytes
	// of a key are stored, its URLs accept only the same bytes, without storing
	// anything; after Delete they accept none. A URL that leads to a bucket may
	// accept bytes longer: the bytes at the time of Seal count, no later ones.
	SignPut(ctx context.Context, g PutGrant) (string, error)

	// Stat describes bytes that are stored completely, sealed or not. It
	// returns ErrNotFound before that and after Delete.
	Stat(ctx context.Context, key UploadID) (BlobInfo, error)

	// Seal makes the stored bytes of a key immutable and durable. Concurrent
	// calls, also during a put, all see the same bytes for ever. Sealing again
	// succeeds. Errors: ErrNotFound as for Stat.
	Seal(ctx context.Context, key UploadID) (BlobInfo, error)

	// Open opens a sealed blob, which the caller must close. It returns
	// ErrNotFound if there is none. Reads over a network end with ctx. If an
	// open blob is deleted, reads either still succeed or fail; they never
	// return other or fewer bytes.
	Open(ctx context.Context, key UploadID) (Blob, error)

	// Import stores and seals bytes that come without a signed URL, durably,
	// all or none. If a blob of this size exists, it succeeds without reading
	// body. Errors: ErrExists (a blob of another size exists).
	Import(ctx context.Context, key UploadID, size int64, body io.Reader) error

	// PutPart stores a part beside a sealed blob and replaces a part with the
	// same name. When it returns nil, the part is complete and durable. It
	// returns ErrNotFound if the blob does not exist (any more).
	PutPart(ctx context.Context, key UploadID, p Part, body io.Reader) error

	// OpenPart opens a part as Open opens a blob.
	OpenPart(ctx context.Context, key UploadID, p Part) (Blob, error)

	// DeletePart deletes a part. A missing part is not an error.
	DeletePart(ctx context.Context, key UploadID, p Part) error

	// Delete deletes the bytes and their parts. Missing bytes are not an error.
	// URLs of the key remain used.
	Delete(ctx context.Context, key UploadID) error

	// Sweep deletes what unfinished transfers and used URLs left before a time,
	// for keys for which keep returns false.
	Sweep(ctx context.Context, before time.Time, keep func(UploadID) (bool, error)) error

	// Marker returns the token that was last written beside the blobs, or "".
	// It records which database owns the storage. It is not a blob: it is
	// neither swept nor listed.
	Marker(ctx context.Context) (string, error)

	// PutMarker replaces the token by at most 100 letters and digits. When it
	// returns nil, the token is complete and durable; after an error it may be
	// either.
	PutMarker(ctx context.Context, mark string) error

	// Each calls f with each sealed blob, for the audit.
	Each(ctx context.Context, f func(UploadID, BlobInfo) error) error
}

// Blob is an open, sealed blob with cheap random access.
type Blob interface {
	io.ReadSeekCloser
	io.ReaderAt
	Size() int64
}

// BlobInfo describes stored bytes.
type BlobInfo struct {
	Size   int64
	SHA256 string // lower-case hex; "" where storage does not compute it
}

// PutGrant is what a signed URL permits: to store bytes of this size and
// Content-Type under this key, in a request that begins before Expires.
type PutGrant struct {
	Key     UploadID
	Size    int64
	Type    string
	Expires time.Time
}

// Receiver stores the body of a signed PUT whose grant is verified. Blobs whose
// URLs lead to this process implement it.
type Receiver interface {
	// Receive stores body and returns its ETag once the bytes are durable. If
	// the key has bytes already, it compares body with them, stores nothing,
	// and returns the same ETag if they are equal. After an error the key is
	// unchanged, and the transfer may be repeated. Errors: CodeURLUsed (other
	// bytes are or were stored), CodeUploadInProgress (another transfer of the
	// key is running), CodeSizeMismatch (too few or too many bytes),
	// CodeUnavailable (for example a full disk).
	Receive(ctx context.Context, g PutGrant, body io.Reader) (etag string, err error)
}

// Bucket is what Blobs whose URLs lead to a bucket implement, too.
type Bucket interface {
	// SignGet returns a URL that answers GET, also of ranges, with a sealed
	// blob. It does not check whether the blob exists.
	SignGet(ctx context.Context, g GetGrant) (string, error)
	// Origin returns the origin of the URLs: scheme, host and port.
	Origin() string
	// SweepRepeated deletes what signed URLs that were used again have stored.
	// It counts for nobody, so call it often.
	SweepRepeated(ctx context.Context) error
}

// GetGrant is what a signed GET URL permits: to read a blob, with this
// Content-Type and Content-Disposition, in a request that begins before
// Expires.
type GetGrant struct {
	Key               UploadID
	Type, Disposition string
	Expires           time.Time
}

// Scanner searches the bytes that will be served for malware.
//
// Every implementation passes the suite porttest.Scanner.
type Scanner interface {
	// Scan reads size bytes from r and returns a verdict. An error never means
	// clean: the link is held for a person (promise 6). ErrScanLimit, followed
	// by a colon and the name of the limit, is in the chain if the same bytes
	// would fail again. Scan returns soon after ctx ends. Several scans may run
	// at once. A scanner that checks nothing need not read r.
	Scan(ctx context.Context, r io.Reader, size int64) (Verdict, error)

	// Signatures returns a text that changes when the scanner's signatures
	// change, so that clean files must be scanned again. Later scans use these
	// signatures or newer ones. It is "" for a scanner that checks nothing. It
	// is called before every scan, so it answers within seconds even when the
	// scanner is busy.
	Signatures(ctx context.Context) (string, error)

	// Name returns the name for the log and the administrator.
	Name() string
}

// Verdict is a scanner's result for a file. The zero Verdict is not clean.
type Verdict struct {
	Result    ScanResult
	Signature string // finding, unless clean
}

// ScanResult is the result of a scan.
type ScanResult string

const (
	ScanClean      ScanResult = "clean"
	ScanSuspicious ScanResult = "suspicious" // a heuristic matched: a person must decide
	ScanMalware    ScanResult = "malware"
)

// ErrScanLimit means that a file exceeds the limits of the scanner: too large,
// too deeply nested, or too slow to read.
var ErrScanLimit = errors.New("beyond the scanner's limits")

// Spool stores batches that the log does not accept, on the disk of this
// machine. Package ingest uses it: several goroutines append while one replays.
//
// Every implementation passes the suite porttest.Spool.
type Spool interface {
	// Append adds a batch. It returns nil once the batch is durable; after an
	// error nothing of it is stored.
	Append(b Batch) error
	// Replay calls f with the batches that exist at the time of the call,
	// oldest first, and deletes what f has accepted: all except what it
	// returns. Successive batches may be merged: all views, then snapshots,
	// then downloads, each in order. Replay ends with the first error of f or
	// its own, or when ctx ends. The rest is replayed next time, perhaps after
	// batches appended since. After a crash, or if the rest cannot be written,
	// accepted entries may be replayed again.
	Replay(ctx context.Context, f func(Batch) (left Batch, err error)) error
	// Empty reports whether there is nothing to replay.
	Empty() bool
	// CheckSpace returns an error unless there is room for more.
	CheckSpace() error
}

// ErrNotSpooled is in the chain if views can be written neither to the log nor
// to the spool. All views are refused until one of them has room.
var ErrNotSpooled = errors.New("write the spool")

// Mailer passes messages to a mail server.
//
// Send tries once and takes at most half a minute, even if ctx ends. It returns
// nil when the server has accepted the message. Errors do not name the
// recipient. ErrMailRefused is permanent; after any other error a later try may
// succeed.
//
// Every implementation passes the suite porttest.Mailer.
type Mailer interface {
	Send(ctx context.Context, m Message) error
}

// ErrMailRefused is returned if the mail server will never accept the message.
var ErrMailRefused = errors.New("refused for good")

// Message is a message: plain text, and perhaps the same as HTML.
type Message struct {
	ID      string // unique, so that a duplicate can be recognized
	To      string // one address
	Subject string // one line
	Text    string // lines of at most 72 characters, except addresses
	HTML    string // "" if it is plain text only
	Stop    string // address that ends such messages by one POST (RFC 8058); "" if none
}

// Letter is a message to be sent. The transaction that causes it stores it, and
// it is deleted once it is sent or given up. A secret in it is valid until
// ExpiresAt at most, and so is the letter.
type Letter struct {
	ID LetterID
	Message
	CreatedAt time.Time
	ExpiresAt time.Time // when it becomes useless; zero if never
	Tries     int       // started tries
	NextAt    time.Time // time of the next try; the sender moves it to claim the letter
}

// LetterTx reads and writes letters within a transaction.
type LetterTx interface {
	// AddLetter sets l.ID.
	AddLetter(l *Letter) error
	Letter(id LetterID) (*Letter, error)
	PutLetter(l *Letter) error
	DeleteLetter(id LetterID) error
	// LettersDue lists at most n letters that are due at a time, the longest
	// due first.
	LettersDue(now time.Time, n int) ([]*Letter, error)
}

// Attempt is one counted try at something that is rate limited, such as a
// password or a message.
type Attempt struct {
	ID  AttemptID
	Key AttemptKey // identifies what is limited
	At  time.Time
}

// AttemptKey identifies what attempts count against. It is a keyed hash, so it
// does not reveal a person.
type AttemptKey [16]byte

// DeviceLife is how long a browser is recognized after a sign-in.
const DeviceLife = 365 * 24 * time.Hour

// AttemptTx reads and writes attempts within a transaction.
type AttemptTx interface {
	// AddAttempt stores an attempt and sets its ID.
	AddAttempt(g *Attempt) error
	// CountAttempts counts the attempts of a key from since to until, both
	// included, and returns the time of the oldest (zero: none).
	CountAttempts(k AttemptKey, since, until time.Time) (n int64, oldest time.Time, err error)
	DeleteAttempt(id AttemptID) error
	// DeleteAttempts deletes all attempts of a key.
	DeleteAttempts(k AttemptKey) error
	// ExpireAttempts deletes attempts from before a time.
	ExpireAttempts(before time.Time) (int64, error)
}

// ExcessTx counts views above the limits of a network, which are not in the
// view log, by hour (UTC).
type ExcessTx interface {
	AddExcess(of Scope, hour time.Time, n int64) error
	// Excess counts those of hours that begin within a window.
	Excess(of Scope, w report.Window) (int64, error)
	DeleteExcess(l LinkID) error
}

// Lease records that a process does a piece of work, so that others do not do
// it at the same time.
type Lease struct {
	Name   string    // of the work
	Holder string    // the process
	Until  time.Time // by the holder's clock, later with each renewal; never compared with another clock
}

// LeaseTx reads and writes leases within a transaction.
type LeaseTx interface {
	// Lease reads a lease, even an old one. PutLease writes one and replaces a
	// lease of the same name.
	Lease(name string) (*Lease, error)
	PutLease(l *Lease) error
	DeleteLease(name string) error
	// ExpireLeases deletes leases that ended before a time.
	ExpireLeases(before time.Time) (int64, error)
}
