package httpx

import (
	"context"
	"errors"
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/base/throttle"
)

// turnWait is how long a request waits for a turn.
const turnWait = 30 * time.Second

var errNoTurn = errors.New("no turn was free for long")

// TakeTurn waits for a turn for a request. The caller calls Release after it,
// unless TakeTurn returns an error: CodeUnavailable after turnWait, or
// ErrClientGone.
func TakeTurn[K comparable](r *http.Request, turns *throttle.Turns[K], key K) error {
	ctx, cancel := context.WithTimeout(r.Context(), turnWait)
	defer cancel()
	switch err := turns.Take(ctx, key); {
	case err == nil:
		return nil
	case r.Context().Err() != nil:
		return ErrClientGone
	default:
		return vitrine.Unavailable(errNoTurn)
	}
}
