package vitrinetest

import (
	"testing"
	"time"
)

// Polls until a thing is so, and fails the test when it is not in time.
func Polls(t *testing.T, within time.Duration, what string, is func() bool) {
	t.Helper()
	tick, end := time.NewTicker(10*time.Millisecond), time.Now().Add(within)
	defer tick.Stop()
	for !is() {
		if time.Now().After(end) {
			t.Errorf("not within %v: %s", within, what)
			return
		}
		<-tick.C
	}
}

// SeenWithin bounds how long a test waits for what comes soon on an idle
// machine.
const SeenWithin = time.Minute
