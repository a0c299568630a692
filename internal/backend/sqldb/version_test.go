package sqldb

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func openVersioned(t testing.TB) *DB {
	t.Helper()
	d, err := Open(filepath.Join(t.TempDir(), "a.db"), StoreSchema, UsualWaits())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// TestVersionIsShared checks that callers that wait for the version share one
// read, which begins after they have asked, and that none of them waits longer
// than it wants to.
func TestVersionIsShared(t *testing.T) {
	const callers = 50
	d := openVersioned(t)
	before, err := d.ReadVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Watcher.Acquire(t.Context()) // nobody can read
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan int64, callers)
	for range callers {
		go func() {
			n, err := d.ReadVersion(t.Context())
			if err != nil {
				t.Error(err)
			}
			got <- n
		}()
	}
	// in counts the goroutines that wait below a function.
	in := func(name string) (n int) {
		b := make([]byte, 1<<20)
		for g := range strings.SplitSeq(string(b[:runtime.Stack(b, true)]), "\n\n") {
			if head, _, _ := strings.Cut(g, "\n"); strings.Contains(head, "[select") && strings.Contains(g, name) {
				n++
			}
		}
		return n
	}
	for in("(*DB).ReadVersion(") < callers {
		runtime.Gosched()
	}
	if n := in("(*pool).Acquire("); n != 1 {
		t.Errorf("%d of %d callers wait for the connection, want 1", n, callers)
	}
	if err := d.Writer.DB.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Writer.DB.ExecContext(t.Context(), "CREATE TABLE other (n)"); err != nil {
		t.Fatal(err)
	}
	d.Watcher.Release(c, true)
	for range callers {
		if n := <-got; n == before {
			t.Errorf("a caller has version %d from before the change", n)
		}
	}
}

// TestVersionGivenUp checks that callers do not get the error of the one that
// was to read for them and has given up.
func TestVersionGivenUp(t *testing.T) {
	d := openVersioned(t)
	c, err := d.Watcher.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, first := d.version.join() // as the one that is to read
	if !first {
		t.Fatal("another caller reads")
	}
	got := make(chan error, 1)
	go func() {
		_, err := d.ReadVersion(t.Context())
		got <- err
	}()
	d.version.begin()
	r.again = true
	close(r.done)
	d.Watcher.Release(c, true)
	select {
	case err := <-got:
		if err != nil {
			t.Errorf("ReadVersion: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the caller waits for ever")
	}
}

// BenchmarkReadVersion reads the version as 64 requests at a time do.
func BenchmarkReadVersion(b *testing.B) {
	d := openVersioned(b)
	b.SetParallelism(32)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := d.ReadVersion(b.Context()); err != nil {
				b.Error(err)
			}
		}
	})
}
