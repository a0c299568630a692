package fleet

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	own := time.Date(2026, 1, 31, 23, 59, 30, 0, time.UTC)
	off, known := time.Duration(0), true
	c := &Clock{Own: func() time.Time { return own },
		Theirs: func() (time.Time, bool) { return own.Add(off), known }}
	for _, step := range []struct {
		what  string
		off   time.Duration
		known bool
		want  time.Duration
	}{
		{"agree", 300 * time.Millisecond, true, 0},
		{"behind by a minute", time.Minute, true, time.Minute},
		{"the same but for a bit", time.Minute + 900*time.Millisecond, true, time.Minute},
		{"the database is away", time.Hour, false, time.Minute},
		{"ahead by a minute", -time.Minute, true, -time.Minute},
		{"set right", 0, true, 0},
		{"nearly too far", differ, true, differ},
		{"too far to know who is right", differ + time.Second, true, 0},
		{"and the other way", -differ - time.Second, true, 0},
	} {
		off, known = step.off, step.known
		if got := c.Now().Sub(own); got != step.want {
			t.Errorf("%s: %v, want %v", step.what, got, step.want)
		}
	}
}
