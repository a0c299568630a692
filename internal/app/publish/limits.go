package publish

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
)

// checkLimits checks a plan's limits on links, file size and storage for an
// upload. What the upload itself holds is not counted. Errors:
// CodeFileTooLarge, CodeLinkLimit, CodeStorageLimit.
func checkLimits(tx vitrine.Tx, a *vitrine.Account, limits vitrine.Limits, u *vitrine.Upload, now time.Time) error {
	has, err := links.UsageOf(tx, a.ID, now, u.ID)
	if err != nil {
		return err
	}
	full := fullLimit{tx: tx, upload: u, now: now, zone: a.Zone()}
	switch used, usedBytes := has.Links+has.HeldLinks, has.Bytes+has.HeldBytes; {
	case limits.FileBytes > 0 && u.Size > limits.FileBytes:
		return links.Exceeded(a, vitrine.CodeFileTooLarge, limits.FileBytes, u.Size,
			"The file is larger than your account allows.")
	case u.Site == 0 && u.Replaces == 0 && limits.Links > 0 && used >= limits.Links: // a version takes none
		full.what, full.links, full.held, full.need = vitrine.Slots, has.Links, has.HeldLinks, used-limits.Links+1
		return full.explain(links.Exceeded(a, vitrine.CodeLinkLimit, limits.Links, used,
			"All links of your account are in use."))
	case limits.StorageBytes > 0 && u.Size > limits.StorageBytes-usedBytes:
		full.what, full.links, full.held, full.need = vitrine.Bytes, has.Links, has.HeldBytes,
			u.Size-(limits.StorageBytes-usedBytes)
		return full.explain(links.Exceeded(a, vitrine.CodeStorageLimit, limits.StorageBytes, usedBytes,
			"The file does not fit into the storage of your account."))
	}
	return nil
}

// makeRoom chooses what is purged so that an upload that was admitted fits into
// the plan together with all that is stored.
func (s *Uploads) makeRoom(tx vitrine.Tx, id vitrine.AccountID) ([]vitrine.SpareFile, error) {
	a, err := tx.Account(id)
	if err != nil {
		return nil, err
	}
	return links.MakeRoom(tx, id, s.Plans.LimitsOf(a).StorageBytes, s.Now())
}

// fullLimit is a limit that an upload does not fit into.
type fullLimit struct {
	tx     vitrine.Tx
	upload *vitrine.Upload
	now    time.Time
	zone   *time.Location // of the account
	what   vitrine.Holding
	links  int64 // how many the account has
	held   int64 // how much of what other unfinished uploads hold
	need   int64 // how much must be released
}

// explain adds to e how to make room: delete a link if there is one, wait until
// unfinished uploads release what they hold, or both.
func (f fullLimit) explain(e *vitrine.Error) error {
	if f.held == 0 {
		if f.links > 0 {
			e.Message += " Delete a link to make room."
		}
		return e
	}
	// If releasing all of it is not enough, until is when the last is released.
	until, err := f.tx.HeldUntil(f.upload.Account, f.now, f.upload.ID, f.what, min(f.need, f.held))
	if err != nil {
		return err
	}
	e.Held, e.HeldUntil = &f.held, until
	enough := f.need <= f.held
	if enough {
		e.RetryAfter = until.Sub(f.now)
	}
	e.Message += f.sentences(enough, until)
	return e
}

// sentences returns what other unfinished uploads hold, until when, and what to
// do.
func (f fullLimit) sentences(enough bool, until time.Time) string {
	// Rounded up to the next minute.
	at := until.Add(time.Minute - time.Millisecond).In(f.zone).Format("15:04 MST")
	held := strconv.FormatInt(f.held, 10) + " of them"
	if f.what == vitrine.Bytes {
		held = decimalSize(f.held) + " of it"
	}
	if !enough {
		text := fmt.Sprintf(" Unfinished uploads hold %s until %s.", held, at)
		if f.links > 0 {
			text += " Delete a link to make room."
		}
		return text
	}
	text := fmt.Sprintf(" Unfinished uploads hold %s and release enough by %s. Wait until then", held, at)
	if f.links > 0 {
		text += ", or delete a link to make room"
	}
	return text + "."
}

// decimalSize formats a number of bytes for people, such as 1.5 MB.
func decimalSize(n int64) string {
	for _, unit := range []struct {
		name  string
		bytes float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if float64(n) >= unit.bytes {
			return strconv.FormatFloat(math.Round(float64(n)/unit.bytes*10)/10, 'f', -1, 64) + " " + unit.name
		}
	}
	if n == 1 {
		return "1 byte"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}
