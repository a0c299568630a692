package vitrine

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"strings"
	"sync/atomic"
	"time"
)

// AccountID, LinkID, KeyID and their like are given by the Store, from 1 up,
// and never used twice.
type (
	AccountID      int64
	LinkID         int64
	KeyID          int64
	SessionID      int64
	SiteID         int64
	AlbumID        int64
	OneTimeTokenID int64
	AttemptID      int64
	LetterID       int64
	LoginID        int64
	SharedReportID int64
)

// ViewID names one view of a link: the millisecond of the view (UTC) in the
// upper 42 bits, a counter in the lower 21. IDs sort by time, and
// (link, ViewID) is unique.
type ViewID int64

const viewCounterBits = 21

// Time is when the view happened, to the millisecond.
func (id ViewID) Time() time.Time { return time.UnixMilli(int64(id) >> viewCounterBits).UTC() }

// Ms is Time in milliseconds since 1970.
func (id ViewID) Ms() int64 { return int64(id) >> viewCounterBits }

// ViewIDAt is the smallest ID of a millisecond; with n, the n-th.
func ViewIDAt(ms int64, n int) ViewID {
	return ViewID(ms<<viewCounterBits | int64(n)&(1<<viewCounterBits-1))
}

// ViewIDs makes ViewIDs. The counter starts at a random place and rolls over
// two million values, so a clock that is set back, or a second process, does
// not meet an ID again but by a chance that the log detects (ViewLog.Append).
type ViewIDs struct{ counter atomic.Uint32 }

// NewViewIDs starts a generator.
func NewViewIDs() *ViewIDs {
	g := new(ViewIDs)
	var b [4]byte
	rand.Read(b[:])
	g.counter.Store(binary.LittleEndian.Uint32(b[:]))
	return g
}

// Next makes an ID for a view at a time.
func (g *ViewIDs) Next(at time.Time) ViewID {
	return ViewIDAt(at.UnixMilli(), int(g.counter.Add(1)))
}

var Base32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// UploadID names one upload and, once it is complete, its bytes: 26 characters
// that cannot be guessed and are safe in a path of any file system or bucket.
type UploadID string

// NewUploadID makes one.
func NewUploadID() UploadID {
	var b [16]byte
	rand.Read(b[:])
	return UploadID(Base32.EncodeToString(b[:]))
}

// ParseUploadID accepts exactly what NewUploadID makes.
func ParseUploadID(s string) (UploadID, bool) {
	if len(s) != 26 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return "", false
	}
	return UploadID(s), true
}
