package httpx

import (
	"fmt"
	"sync"
	"time"
)

// seldomEvery is how often something that strangers cause is logged.
const seldomEvery = time.Minute

// LogSeldom logs what strangers can cause as often as they like: at once, and
// then at most once a minute, with the number of times since the line before.
// Lines of the same message and attributes are counted together.
func (s *Server) LogSeldom(message string, attributes ...any) {
	if n := s.seldom.add(message+fmt.Sprint(attributes...), s.Now()); n > 0 {
		s.Log.Info(message, append(attributes, "times", n)...)
	}
}

// tallies count what happened since the last log entry about it.
type tallies struct {
	mu  sync.Mutex
	all map[string]*tally
}

type tally struct {
	told  time.Time
	since int64
}

// add counts something. It returns the number to log, or 0 if the last log
// entry is less than a minute old.
func (t *tallies) add(what string, now time.Time) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.all[what]
	if of == nil {
		of = new(tally)
		if t.all == nil {
			t.all = map[string]*tally{}
		}
		t.all[what] = of
	}
	of.since++
	if ago := now.Sub(of.told); ago >= 0 && ago < seldomEvery {
		return 0
	}
	n := of.since
	of.told, of.since = now, 0
	return n
}
