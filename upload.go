package vitrine

import "time"

// UploadState is the state of an upload.
type UploadState string

const (
	UploadOpen   UploadState = "open"   // started; holds a slot until HoldUntil
	UploadDone   UploadState = "done"   // its link exists
	UploadFailed UploadState = "failed" // a check refused the file; its bytes are deleted
)

// Upload is one upload: create, PUT, complete.
type Upload struct {
	ID             UploadID
	Account        AccountID
	IdempotencyKey string // lower-case UUID, or ""
	Replaced       bool   // a later upload uses its idempotency key
	Name           string
	Type           string
	Size           int64
	Slug           Slug   // custom, or ""
	Site           SiteID // the website to deploy to; 0 if none
	Replaces       LinkID // the link that gets a new version; 0 if none
	State          UploadState
	CreatedAt      time.Time
	// HoldUntil is until when an open upload holds its slug, a link slot and
	// its bytes. Of an ended one: zero once it has no bytes of its own.
	HoldUntil time.Time
	Link      LinkID // if done
	Failure   *Error // if failed: the answer to every retry, without its cause
}

// FailureError returns the error for a retry of a failed upload.
func (u *Upload) FailureError() error {
	if u.Failure == nil {
		return Errorf(CodeInternal, "The upload failed.")
	}
	return u.Failure
}

// ErrUploadUnknown is returned for an upload that does not exist or has ended.
var ErrUploadUnknown = &Error{Code: CodeUploadNotFound, Field: "path",
	Message: "There is no upload with this path. Begin again with step 1."}

const (
	// URLLife is how long a signed upload URL is valid (contract, Signed PUT).
	// Package publish applies it, and package signer refuses a longer life.
	URLLife = 10 * time.Minute
	// UploadHold is how long an open upload holds its custom slug, a link slot
	// and its bytes of storage. Package publish applies it.
	UploadHold = 15 * time.Minute
	// UploadLife is how long after its start an upload can be completed, and
	// how long its idempotency key counts. Package publish applies it.
	UploadLife = 24 * time.Hour
	// RateWindow is the time over which a plan's hourly limit counts uploads.
	// Package publish applies it.
	RateWindow = time.Hour
)

// SpareFile is the stored bytes of a file that its account does not need: of an
// upload that ended or whose hold has ended, or of a deleted link or version.
// They are purged when their time has come or when an upload needs the room,
// the oldest first.
type SpareFile struct {
	Key   UploadID
	Size  int64
	Link  LinkID    // deleted link or version; 0 for an upload
	Since time.Time // when they became spare
}

// SpareTx reads the list of bytes that may be purged, within a transaction.
type SpareTx interface {
	// CountSpare sums the spare bytes of an account at a time. With CountLinks
	// and Held, they are all that is stored for it, but for parts.
	CountSpare(a AccountID, now time.Time) (bytes int64, err error)
	// Spare lists the spare files of an account at a time, oldest first.
	Spare(a AccountID, now time.Time) ([]SpareFile, error)
}

// UploadTx reads and writes uploads within a transaction.
type UploadTx interface {
	// AddUpload adds an upload. IDs are unique. So is (account, idempotency
	// key) among uploads that are not Replaced.
	AddUpload(u *Upload) error
	Upload(id UploadID) (*Upload, error)
	// UploadByKey finds the account's upload with an idempotency key that is
	// not Replaced.
	UploadByKey(a AccountID, key string) (*Upload, error)
	PutUpload(u *Upload) error
	DeleteUpload(id UploadID) error
	// CountUploads counts the account's uploads created at or after a time, in
	// any state, and returns the time of the oldest (zero: none).
	CountUploads(a AccountID, since time.Time) (n int64, oldest time.Time, err error)
	// Held counts the account's open uploads that hold a slot at a time, and
	// their bytes, except one. Uploads of versions hold only bytes.
	Held(a AccountID, now time.Time, except UploadID) (n, bytes int64, err error)
	// HeldUntil returns when the uploads that Held counts will have released n
	// slots or bytes, or zero if they hold fewer.
	HeldUntil(a AccountID, now time.Time, except UploadID, what Holding, n int64) (time.Time, error)
	// SlugHolder finds the open upload that holds a custom slug at a time.
	SlugHolder(s Slug, now time.Time) (*Upload, error)
	// StaleUploads lists at most n uploads in a state that were created before
	// a time, oldest first.
	StaleUploads(s UploadState, before time.Time, n int) ([]*Upload, error)
}
