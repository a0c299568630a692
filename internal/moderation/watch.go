package moderation

import (
	"context"
	"fmt"
	"time"
)

// Watch logs the number of links in the review queue when it grows.
type Watch struct {
	Service  *Service
	Warn     func(string)
	reported int64
}

// WatchEvery is the time between two checks.
const WatchEvery = time.Minute

// Check logs the number of links in the queue if it has grown since the last
// check.
func (w *Watch) Check(ctx context.Context) error {
	counts, err := w.Service.Counts(ctx)
	if err != nil {
		return err
	}
	waiting := int64(0)
	for _, n := range counts {
		waiting += n
	}
	if waiting > w.reported {
		what := "links wait"
		if waiting == 1 {
			what = "link waits"
		}
		w.Warn(fmt.Sprintf("%d %s for review: see /moderation, or vitrine link queue", waiting, what))
	}
	w.reported = waiting
	return nil
}
