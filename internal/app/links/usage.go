package links

import (
	"errors"
	"time"

	"vitrine"
)

// Usage is what an account uses of the limits of its plan: its links that are
// not deleted, and what its unfinished uploads hold.
type Usage struct{ Links, Bytes, HeldLinks, HeldBytes int64 }

// UsageOf returns what an account uses at a time. What the upload except holds
// is left out.
func UsageOf(tx vitrine.Tx, a vitrine.AccountID, now time.Time, except vitrine.UploadID) (u Usage, err error) {
	u.Links, u.Bytes, err = tx.CountLinks(a)
	held, bytes, failed := tx.Held(a, now, except)
	u.HeldLinks, u.HeldBytes = held, bytes
	return u, errors.Join(err, failed)
}

// Exceeded returns the error of a limit of the plan of an account.
func Exceeded(a *vitrine.Account, code vitrine.Code, limit, used int64, message string) *vitrine.Error {
	return &vitrine.Error{Code: code, Limit: &limit, Used: &used, Upgrade: !a.Plan.Pro(), Message: message}
}
