package notation

import (
	"fmt"

	"github.com/dustin/go-humanize"
)

// Count returns a number as people write it: 1,234.
func Count(n int64) string { return humanize.Comma(n) }

// Lasting returns a time in milliseconds for people: 41 s, 3 min 05 s.
func Lasting(ms int64) string {
	s := (ms + 500) / 1000
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%s h %02d min", Count(s/3600), s%3600/60)
}
