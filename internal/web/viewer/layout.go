package viewer

import (
	"net/http"
	"net/netip"
	"runtime"

	"vitrine/internal/base/throttle"
	"vitrine/internal/web/httpx"
)

// layouts bounds how many contents are laid out at once, as each takes much
// more memory than its bytes: some 17 MiB for 1 MiB of JSON. More than there
// are processors would not be faster. Networks take turns.
var layouts = throttle.NewTurns[netip.Prefix](runtime.GOMAXPROCS(0))

// LayOut calls f, which lays out content for a request, in its turn. Read the
// content before, so that no turn is spent on waiting for storage. LayOut
// returns the errors of [httpx.TakeTurn], and f is not called then.
func (s *Viewers) LayOut(r *http.Request, f func()) error {
	network := throttle.Subscriber(s.Server.LimitedAddr(r))
	if err := httpx.TakeTurn(r, layouts, network); err != nil {
		return err
	}
	defer layouts.Release(network)
	f()
	return nil
}
