package publish

import (
	"context"
	"time"

	"vitrine"
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
		links, bytes, err := tx.CountLinks(a.ID)
		if err != nil {
			return err
		}
		held, heldBytes, err := tx.Held(a.ID, now, "")
		if err != nil {
			return err
		}
		u.HeldLinks, u.HeldBytes, u.HeldUntil = held, heldBytes, time.Time{}
		if heldBytes > 0 {
			if u.HeldUntil, err = tx.HeldUntil(a.ID, now, "", vitrine.Bytes, heldBytes); err != nil {
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
		u.Links, u.Bytes, u.Uploads, u.NextUpload = links+held, bytes+heldBytes, n, time.Time{}
		if most := u.Limits.HourlyUploads; most > 0 && n >= most {
			u.NextUpload = oldest.Add(vitrine.RateWindow)
		}
		return err
	})
	return u, err
}
