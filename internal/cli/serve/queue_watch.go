package serve

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/app/moderation"
)

// queueWatch logs the number of links in the review queue when it grows.
type queueWatch struct {
	service  *moderation.Service
	warn     func(string)
	reported int64
}

// queueEvery is the time between two checks.
const queueEvery = time.Minute

// check logs the number of links in the queue if it has grown since the last
// check.
func (w *queueWatch) check(ctx context.Context) error {
	counts, err := w.service.Counts(ctx)
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
		w.warn(fmt.Sprintf("%d %s for review: see /moderation", waiting, what))
	}
	w.reported = waiting
	return nil
}
