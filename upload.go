package vitrine

import "time"

// UploadState is where an upload stands.
type UploadState string

const (
	UploadOpen   UploadState = "open"   // begun; holds a slot until HoldUntil
	UploadDone   UploadState = "done"   // its link exists
	UploadFailed UploadState = "failed" // a check refused it; its bytes are gone
)

// Upload is one passage through the three steps.
type Upload struct {
	ID             UploadID
	Account        AccountID
	IdempotencyKey string // lower-case UUID, or ""
	Replaced       bool   // a later upload has taken over the idempotency key
	Name           string
	Type           string
	Size           int64
	Slug           Slug   // custom, or ""
	Site           SiteID // the website that it is a deploy of; 0: none
	Replaces       LinkID // the link that it is to be a version of; 0: none. Without Site and Replaces it becomes a link
	State          UploadState
	CreatedAt      time.Time
	HoldUntil      time.Time // until then an open upload holds its slug, a link slot and its bytes of storage
	Link           LinkID    // once done
	Failure        *Error    // once failed: what every retry is told, without its cause
}

// FailureError is what a retry of a failed upload is told.
func (u *Upload) FailureError() error {
	if u.Failure == nil {
		return Errorf(CodeInternal, "The upload failed.")
	}
	return u.Failure
}

const (
	// URLLife is how long a signed upload URL is valid (contract, Signed PUT).
	// Package publish applies it, and package signer refuses a longer life.
	URLLife = 10 * time.Minute
	// UploadHold is how long an upload that was begun holds its custom slug, a
	// link slot and its bytes of storage. Package publish applies it.
	UploadHold = 15 * time.Minute
	// UploadLife is how long an upload can be completed after it was begun, and
	// how long its idempotency key counts. Package publish applies it.
	UploadLife = 24 * time.Hour
	// RateWindow is the time over which a plan's hourly limit counts uploads.
	// Package publish applies it.
	RateWindow = time.Hour
)

// UploadTx reads and writes uploads within a transaction.
type UploadTx interface {
	// AddUpload: IDs are unique; so is (account, idempotency key) among rows
	// with a key that are not Replaced.
	AddUpload(u *Upload) error
	Upload(id UploadID) (*Upload, error)
	// UploadByKey finds the account's upload with an idempotency key that is
	// not Replaced.
	UploadByKey(a AccountID, key string) (*Upload, error)
	PutUpload(u *Upload) error
	DeleteUpload(id UploadID) error
	// CountUploads counts uploads of the account created at or after a time, in
	// whatever state, and tells when the oldest of them was created (zero:
	// none).
	CountUploads(a AccountID, since time.Time) (n int64, oldest time.Time, err error)
	// Held counts the account's open uploads that still hold a slot at a time,
	// and their bytes, leaving out one. Those of versions hold bytes alone.
	Held(a AccountID, now time.Time, except UploadID) (n, bytes int64, err error)
	// HeldUntil returns when the uploads that Held counts have released n of
	// their slots, or of their bytes; zero if they hold less.
	HeldUntil(a AccountID, now time.Time, except UploadID, what Holding, n int64) (time.Time, error)
	// Lapsed sums the bytes of the account's open uploads whose hold has ended
	// at a time, and returns the one whose hold ended first; nil with 0.
	Lapsed(a AccountID, now time.Time) (bytes int64, oldest *Upload, err error)
	// SlugHolder finds the open upload that holds a custom slug at a time.
	SlugHolder(s Slug, now time.Time) (*Upload, error)
	// StaleUploads lists at most n uploads in a state that were created before
	// a time, oldest first.
	StaleUploads(s UploadState, before time.Time, n int) ([]*Upload, error)
}
