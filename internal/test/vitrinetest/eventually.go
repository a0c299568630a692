package vitrinetest

import (
	"testing"
	"time"
)

// WaitFor waits until a condition holds, and fails the test if it does not in
// time.
func WaitFor(t *testing.T, within time.Duration, what string, is func() bool) {
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

// SeenWithin bounds how long a test waits for an event that is quick on an idle
// machine.
const SeenWithin = time.Minute
