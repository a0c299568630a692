package main

import (
	"bytes"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"vitrine/internal/test/tier"
)

// chunks sends the first chunk of a file to both servers at once. One must be
// stored. Each server goes on where the other one was.
func (f *fleet) chunks(key string) {
	const chunk = 8 << 20
	letters := "abcdefghijklmnopqrst"
	b := f.post(f.servers[0], key, "/uploads", beginText("size", 2*chunk+100))
	_, path, _ := strings.Cut(b.ResumableURL, "/storage/")
	path = "/storage/" + path
	var next, stored atomic.Int64
	all := f.race(len(letters), func(s *fleetServer) (o outcome) {
		i := next.Add(1) - 1
		_, err := askChunks(http.MethodPatch, s.url+path, 0, bytes.Repeat([]byte{letters[i]}, chunk))
		switch {
		case err == nil:
			stored.Store(i)
			o.status = http.StatusNoContent
		case strings.Contains(err.Error(), "409 Conflict"):
			o.status = http.StatusConflict
		default:
			f.t.Error(err)
		}
		return o
	})
	if n := ofStatus(all, http.StatusNoContent, ""); n != 1 {
		f.t.Fatalf("%d chunks at one offset were stored, want 1", n)
	}
	at := chunk
	for i, more := range []int{chunk, 100} {
		s := f.servers[i]
		if n, err := askChunks(http.MethodHead, s.url+path, 0, nil); err != nil || n != at {
			f.t.Fatalf("%d bytes have arrived, %v, want %d", n, err, at)
		}
		n, err := askChunks(http.MethodPatch, s.url+path, at, bytes.Repeat([]byte("z"), more))
		if at += more; err != nil || n != at {
			f.t.Fatalf("%d bytes have arrived, %v, want %d", n, err, at)
		}
	}
	c := f.client(f.servers[1].url, key)
	made := f.post(f.servers[1], key, "/uploads/complete", map[string]any{"path": b.Path, "name": "a.txt",
		"type": "text/plain"})
	res, err := c.OpenLinkFile(f.t.Context(), filepath.Base(made.Slug))
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	want := append(bytes.Repeat([]byte{letters[stored.Load()]}, chunk), bytes.Repeat([]byte("z"), chunk+100)...)
	if got, err := io.ReadAll(res.Body); err != nil || !bytes.Equal(got, want) {
		f.t.Errorf("the link has %d other bytes, %v", len(got), err)
	}
}

// chunksKilled kills both servers at steps, again and again, while files arrive
// in chunks. Each goes on at a server that is there, and none may lose a byte
// that was acknowledged.
func (f *fleet) chunksKilled(key string) {
	const start, some = 30, 60 // steps of a start, and of some chunks after it
	var left atomic.Int64      // kills to come
	left.Store(tier.Pick[int64](2, 100))
	var done atomic.Bool // all kills
	var killers, senders sync.WaitGroup
	var mu sync.Mutex
	killedAt := map[string]int{}
	source := seeded(f.t)
	urls := []string{f.servers[0].url, f.servers[1].url} // a server is started again at its address
	for _, s := range f.servers {
		random := rand.New(rand.NewPCG(source.Uint64(), 0))
		killers.Go(func() {
			for left.Add(-1) >= 0 {
				f.kill(s)
				f.start(s, killSetting(start+random.IntN(some)))
				if steps := stepNames(s.log.drain()); len(steps) > 0 {
					mu.Lock()
					killedAt[kindOfStep(steps[len(steps)-1])]++
					mu.Unlock()
				}
			}
			f.kill(s)
			f.start(s)
			f.await(s)
		})
	}
	var files atomic.Int64
	// Most of them wait for leases of servers that were killed.
	for range tier.Pick(6, 40) {
		senders.Go(func() {
			for first := true; first || !done.Load(); first = false {
				file := newChunkFile(int(files.Add(1)), 4<<20)
				tries, err := 0, error(nil)
				f.within(10*hang, "a file that goes on after kills", func() bool {
					err = file.send(f.t, key, urls[tries%2])
					tries++
					return err == nil
				})
				if err != nil {
					f.t.Error(err)
				}
			}
		})
	}
	killers.Wait()
	done.Store(true)
	senders.Wait()
	f.run("admin", "audit", "--deep")
	f.t.Logf("%d files", files.Load())
	for _, kind := range slices.Sorted(maps.Keys(killedAt)) {
		f.t.Logf("%3d killed at: %s", killedAt[kind], kind)
	}
}
