package viewer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"runtime"
	"testing"
	"testing/synctest"

	"vitrine/internal/web/httpx"
	"vitrine/internal/web/viewer"
)

// TestTogether checks that no more contents are laid out at once than there are
// processors, that another network does not wait for all of one, and that
// nothing is laid out for a client that leaves while it waits.
func TestTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &viewer.Viewers{Server: new(httpx.Server)}
		layOut := func(ctx context.Context, network int, f func()) error {
			r := httptest.NewRequest("GET", "/p/a", nil).WithContext(ctx)
			r.RemoteAddr = fmt.Sprintf("198.51.%d.7:1234", network)
			return s.LayOut(r, f)
		}
		next, begun := make(chan struct{}), make(chan int, 100)
		for range 20 {
			go func() {
				if err := layOut(t.Context(), 1, func() { begun <- 1; <-next }); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		processors := runtime.GOMAXPROCS(0)
		if len(begun) != processors {
			t.Errorf("%d contents at once, want %d", len(begun), processors)
		}
		for range len(begun) {
			<-begun
		}
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			err := layOut(ctx, 3, func() { t.Error("laid out for a client that has left") })
			if !errors.Is(err, httpx.ErrClientGone) {
				t.Errorf("a client that leaves: %v, want ErrClientGone", err)
			}
		}()
		go func() {
			if err := layOut(t.Context(), 2, func() { begun <- 2 }); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		leave()
		synctest.Wait()
		next <- struct{}{} // one of the first network ends, then one more
		synctest.Wait()
		next <- struct{}{}
		synctest.Wait()
		if a, b := <-begun, <-begun; a != 2 && b != 2 {
			t.Errorf("networks %d and %d had the next turns, want network 2 among them", a, b)
		}
		close(next)
		synctest.Wait()
	})
}
