package segment

import (
	"fmt"
	"math"

	"vitrine"
	"vitrine/report"
)

// FirstID returns the smallest ID of a day.
func FirstID(d report.Day) vitrine.ViewID {
	const days = math.MaxInt64>>21/(24*60*60*1000) - 1 // the range of IDs, before and after 1970
	switch {
	case d > days:
		return math.MaxInt64
	case d < -days:
		return math.MinInt64
	}
	return vitrine.ViewIDAt(d.StartMs(), 0)
}

// NextID returns the ID after id. After the last ID of the millisecond comes
// its first one.
func NextID(id vitrine.ViewID) vitrine.ViewID {
	if id+1 == vitrine.ViewIDAt(id.Ms()+1, 0) {
		return vitrine.ViewIDAt(id.Ms(), 0)
	}
	return id + 1
}

// ErrFull returns the error for a millisecond of a link without a free ID.
func ErrFull(link vitrine.LinkID, id vitrine.ViewID) error {
	return fmt.Errorf("link %d has no free ID left in the millisecond %s", link,
		id.Time().Format("2006-01-02T15:04:05.000Z"))
}

// OrNull returns the value to store for a blob that may be missing.
func OrNull(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}
