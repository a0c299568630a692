package httpx

import (
	"sync"
	"time"
)

// refusedEvery is how often refused views are logged.
const refusedEvery = time.Minute

// refusals counts refused requests since the last log entry.
type refusals struct {
	mu    sync.Mutex
	told  time.Time
	since int64
}

// add counts a request. It returns the number to log, or 0 if the last log
// entry is less than a minute old.
func (r *refusals) add(now time.Time) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since++
	if ago := now.Sub(r.told); ago >= 0 && ago < refusedEvery {
		return 0
	}
	n := r.since
	r.told, r.since = now, 0
	return n
}
