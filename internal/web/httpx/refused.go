package httpx

import (
	"sync"
	"time"
)

// refusedEvery is how often the log tells of views that cannot be written.
const refusedEvery = time.Minute

// refusals counts requests that were refused since the log told of them.
type refusals struct {
	mu    sync.Mutex
	told  time.Time
	since int64
}

// add counts one. It returns how many there are to tell of, or 0 if the log
// told of others less than a minute ago.
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
