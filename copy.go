package vitrine

import (
	"errors"
	"time"
)

// CopyState says how far the copy of the views outside of the view log is.
type CopyState struct {
	Number int64 // of the copy; 0 means that there is none
	Whole  bool  // every stored view was copied once
	// Since is the time of the oldest change that is not copied, or zero if
	// there is none.
	Since time.Time
}

// ErrCopyEnded means that another copy was begun, or that the changes that
// waited for this one were dropped.
var ErrCopyEnded = errors.New("the copy of the views has ended")
