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
	Site           SiteID // the website that it is a deploy of; 0: it is to become a link of its own
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
	URLLife = 10 * time.Minute
	// UploadLife is how long an upload that is never completed can still be, and how long its idempotency key counts.
	UploadLife = 24 * time.Hour
	// RateWindow is what the hourly limit of a plan counts over.
	RateWindow = time.Hour
)
