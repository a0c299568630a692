package publish

import (
	"context"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
)

// Usage is how much of its limits an account uses. What unfinished uploads hold
// counts, as it does when limits are checked. All of it is counted from the
// rows, because stored counters can differ from them.
type Usage struct {
	Limits  vitrine.Limits
	Links   int64
	Sites   int64 // how many of the links are websites
	Bytes   int64
	Uploads int64 // begun in the last 60 minutes
	// HeldLinks and HeldBytes are the parts of Links and Bytes that unfinished
	// uploads hold. All of it is released by HeldUntil.
	HeldLinks, HeldBytes int64
	HeldUntil            time.Time
	// SpareBytes is what is stored besides Bytes, and purged when an upload
	// needs the room.
	SpareBytes int64
	// NextUpload is when the next upload may begin if the hourly limit is
	// reached; zero means now.
	NextUpload time.Time
}

// Usage returns what an account uses now.
func (s *Uploads) Usage(ctx context.Context, a *vitrine.Account) (u Usage, err error) {
	now := s.Now()
	u.Limits = s.Plans.LimitsOf(a)
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		has, err := links.UsageOf(tx, a.ID, now, "")
		if err != nil {
			return err
		}
		u.HeldLinks, u.HeldBytes, u.HeldUntil = has.HeldLinks, has.HeldBytes, time.Time{}
		if has.HeldBytes > 0 {
			if u.HeldUntil, err = tx.HeldUntil(a.ID, now, "", vitrine.Bytes, has.HeldBytes); err != nil {
				return err
			}
		}
		if u.SpareBytes, err = tx.CountSpare(a.ID, now); err != nil {
			return err
		}
		sites, err := tx.Sites(a.ID)
		if err != nil {
			return err
		}
		u.Sites = int64(len(sites))
		n, oldest, err := tx.CountUploads(a.ID, now.Add(-vitrine.RateWindow))
		u.Links, u.Bytes, u.Uploads, u.NextUpload = has.Links+has.HeldLinks, has.Bytes+has.HeldBytes, n, time.Time{}
		if most := u.Limits.HourlyUploads; most > 0 && n >= most {
			u.NextUpload = oldest.Add(vitrine.RateWindow)
		}
		return err
	})
	return u, err
}
