package public_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/base/throttle"
	"vitrine/internal/filetype"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// heldUp is a request whose work stops in the middle, until its client leaves.
type heldUp struct{ begun chan struct{} }

type heldUpKey struct{}

// with returns a context for which slowLog and slowBlobs are held up.
func (h heldUp) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, heldUpKey{}, h)
}

func (h heldUp) stop(ctx context.Context) error {
	h.begun <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

// slowLog holds up the report for a request that is held up.
type slowLog struct{ analytics.Log }

func (s slowLog) Tally(ctx context.Context, q vitrine.TallyQuery) (*report.Tally, bool, error) {
	if h, held := ctx.Value(heldUpKey{}).(heldUp); held {
		return nil, false, h.stop(ctx)
	}
	return s.Log.Tally(ctx, q)
}

// slowBlobs hold up what is read for a request that is held up.
type slowBlobs struct{ vitrine.Blobs }

func (s slowBlobs) Open(ctx context.Context, key vitrine.UploadID) (vitrine.Blob, error) {
	b, err := s.Blobs.Open(ctx, key)
	if h, held := ctx.Value(heldUpKey{}).(heldUp); held && err == nil {
		return slowBlob{b, ctx, h}, nil
	}
	return b, err
}

type slowBlob struct {
	vitrine.Blob
	ctx context.Context
	h   heldUp
}

func (b slowBlob) ReadAt([]byte, int64) (int, error) { return 0, b.h.stop(b.ctx) }

// tgz returns an archive with one file of random bytes, which do not pack.
func tgz(t testing.TB, name string, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	content := make([]byte, size)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(content)
	for i := range content {
		content[i] = 'a' + content[i]%26
	}
	err1 := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(size)})
	_, err2 := w.Write(content)
	if err1 != nil || err2 != nil || w.Close() != nil || z.Close() != nil {
		t.Fatal(err1, err2)
	}
	return b.Bytes()
}

// newTurnSite returns a site with a link that was read, and the addresses of
// requests that wait for a turn: of its shared report, and of a text in an
// archive that has some bytes.
func newTurnSite(t *testing.T, size int) (s *webtest.Site, shared, entry string) {
	t.Helper()
	s = webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	s.ReadBy(l, 40)
	secret, err := (&analytics.Sharing{Store: s.Server.Links.Store, Signer: s.Server.Signer, Now: s.Server.Now}).
		Create(t.Context(), s.Account, l, analytics.SharedOptions{})
	s.Check(err)
	kit := s.Publish("kit.tgz", tgz(t, "kit/a.txt", size))
	webtest.Previewer(t, s)
	s.Check(s.Server.Previews.Make(t.Context()))
	page := s.Status(s.Get("/p/"+string(kit.Slug)), http.StatusOK).Text
	return s, "/r/" + secret, s.Attr(page, `href="[^"]*(/c/[^"]+/entry/0)`) + "/download"
}

// TestTurns holds up many requests of one network in the middle of their work.
// Those of other networks are answered. When the clients leave, their network
// is, too.
func TestTurns(t *testing.T) {
	s, shared, entry := newTurnSite(t, 64<<10)
	s.Server.Blobs, s.Server.Analytics.Log = slowBlobs{s.Server.Blobs}, slowLog{s.Server.Analytics.Log}
	for name, address := range map[string]string{"a shared report": shared + "?range=90d&filter=device:is:Desktop",
		"its chart": shared + "/embed?range=90d", "an archive": entry} {
		t.Run(name, func(t *testing.T) {
			status := func(ctx context.Context, network int) int {
				w := httptest.NewRecorder()
				s.Handler.ServeHTTP(w, s.From(ctx, network, address))
				return w.Code
			}
			if got := status(t.Context(), 1); got != http.StatusOK {
				t.Fatalf("status %d, want 200", got)
			}
			ctx, leave := context.WithCancel(t.Context())
			h := heldUp{make(chan struct{}, 9)}
			var gone sync.WaitGroup
			defer gone.Wait()
			defer leave()
			for range 6 {
				gone.Go(func() { status(h.with(ctx), 1) })
			}
			<-h.begun
			vitrinetest.WaitFor(t, vitrinetest.SeenWithin, "requests that wait", func() bool {
				return waiting()+1+len(h.begun) == 6
			})
			soon, stop := context.WithTimeout(t.Context(), vitrinetest.SeenWithin)
			defer stop()
			for network := 2; network < 6; network++ {
				if got := status(soon, network); got != http.StatusOK {
					t.Errorf("another network: status %d, want 200", got)
				}
			}
			leave()
			gone.Wait()
			if got := status(t.Context(), 1); got != http.StatusOK {
				t.Errorf("when the clients have left: status %d, want 200", got)
			}
		})
	}
}

// waiting returns how many goroutines wait for a turn, by their stacks.
func waiting() int {
	name, _, _ := strings.Cut(reflect.TypeFor[throttle.Turns[string]]().Name(), "[")
	b := make([]byte, 1<<22)
	return strings.Count(string(b[:runtime.Stack(b, true)]), "throttle.(*"+name+"[...]).Take(")
}

// stuck is a client that reads nothing.
type stuck struct {
	webtest.Nothing
	begun chan<- int
	ctx   context.Context
}

func (s *stuck) Write(p []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	s.begun <- len(p)
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

// TestMemoryOfTurns sends many requests at once from as many networks, whose
// clients read nothing, and measures what is in use then.
func TestMemoryOfTurns(t *testing.T) {
	const clients = 60
	s, shared, entry := newTurnSite(t, filetype.MaxMember)
	for name, c := range map[string]struct {
		address string
		each    uint64 // bytes
	}{
		"a shared report": {shared + "?range=90d&filter=device:is:Desktop", 384 << 10},
		"an archive":      {entry, 192 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			inUse := func() uint64 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				return m.HeapAlloc
			}
			first := &webtest.Nothing{Kept: http.Header{}} // makes what is made once
			if s.Handler.ServeHTTP(first, s.From(t.Context(), 250, c.address)); first.Status != http.StatusOK {
				t.Fatalf("status %d, want 200", first.Status)
			}
			before := inUse()
			ctx, leave := context.WithCancel(t.Context())
			begun := make(chan int, clients*4)
			var gone sync.WaitGroup
			for i := range clients {
				gone.Go(func() {
					w := &stuck{webtest.Nothing{Kept: http.Header{}}, begun, ctx}
					if s.Handler.ServeHTTP(w, s.From(ctx, i, c.address)); w.Status != http.StatusOK {
						t.Errorf("status %d, want 200", w.Status)
					}
				})
			}
			for range clients {
				<-begun
			}
			now := inUse() // less than before if others gave memory back
			if used := (max(now, before) - before) / clients; used > c.each {
				t.Errorf("%d KiB in use for each of %d clients, want at most %d KiB", used>>10, clients, c.each>>10)
			} else {
				t.Logf("%d KiB in use for each client", used>>10)
			}
			leave()
			gone.Wait()
		})
	}
}
