package segment

import (
	"fmt"
	"math"

	"vitrine"
	"vitrine/report"
)

// FirstID is the smallest ID of a day.
func FirstID(d report.Day) vitrine.ViewID {
	const days = math.MaxInt64>>21/(24*60*60*1000) - 1 // that IDs can tell, either side of 1970
	switch {
	case d > days:
		return math.MaxInt64
	case d < -days:
		return math.MinInt64
	}
	return vitrine.ViewIDAt(d.StartMs(), 0)
}

// NextID is the ID after id, going round within its millisecond.
func NextID(id vitrine.ViewID) vitrine.ViewID {
	if id+1 == vitrine.ViewIDAt(id.Ms()+1, 0) {
		return vitrine.ViewIDAt(id.Ms(), 0)
	}
	return id + 1
}

// ErrFull says that a millisecond of a link has no ID left.
func ErrFull(link vitrine.LinkID, id vitrine.ViewID) error {
	return fmt.Errorf("link %d has no free ID left in the millisecond %s", link,
		id.Time().Format("2006-01-02T15:04:05.000Z"))
}

// OrNull is what a column gets of a blob that may be missing.
func OrNull(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}
