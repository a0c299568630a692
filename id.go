package vitrine

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"strings"
	"sync/atomic"
	"time"
)

// The Store assigns AccountID, LinkID, KeyID and similar IDs, from 1, and never
// assigns one twice.
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

// ViewID identifies a view of a link. The upper 42 bits are its time in
// milliseconds (UTC), the lower 21 a counter. IDs sort by time, and
// (link, ViewID) is unique.
type ViewID int64

const viewCounterBits = 21

// Time returns the time of the view, to the millisecond.
func (id ViewID) Time() time.Time { return time.UnixMilli(int64(id) >> viewCounterBits).UTC() }

// Ms returns Time in milliseconds since 1970.
func (id ViewID) Ms() int64 { return int64(id) >> viewCounterBits }

// ViewIDAt returns the n-th ID of a millisecond, counted from 0.
func ViewIDAt(ms int64, n int) ViewID {
	return ViewID(ms<<viewCounterBits | int64(n)&(1<<viewCounterBits-1))
}

// ViewIDs generates ViewIDs. The counter starts at a random value and has two
// million values, so a clock that is set back, or a second process, is unlikely
// to generate an ID twice. The log detects it (ViewLog.Append).
type ViewIDs struct{ counter atomic.Uint32 }

// NewViewIDs returns a generator.
func NewViewIDs() *ViewIDs {
	g := new(ViewIDs)
	var b [4]byte
	rand.Read(b[:])
	g.counter.Store(binary.LittleEndian.Uint32(b[:]))
	return g
}

// Next returns an ID for a view at a time.
func (g *ViewIDs) Next(at time.Time) ViewID {
	return ViewIDAt(at.UnixMilli(), int(g.counter.Add(1)))
}

var Base32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// UploadID identifies an upload and, once it is complete, its bytes. It has 26
// characters, cannot be guessed, and is safe as a path in any file system or
// bucket.
type UploadID string

// NewUploadID returns a new random ID.
func NewUploadID() UploadID {
	var b [16]byte
	rand.Read(b[:])
	return UploadID(Base32.EncodeToString(b[:]))
}

// ParseUploadID accepts exactly what NewUploadID returns.
func ParseUploadID(s string) (UploadID, bool) {
	if len(s) != 26 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return "", false
	}
	return UploadID(s), true
}
