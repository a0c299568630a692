package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/client"
	"vitrine/internal/test/vitrinetest"

	"github.com/google/uuid"
)

// TestKillChunks kills the server with SIGKILL at steps between receiving a
// chunk and answering. Afterwards no byte that was acknowledged may be missing,
// the upload goes on, and the audit must find no fault (promises 1, 2, 3).
func TestKillChunks(t *testing.T) {
	t.Parallel()
	t.Run("SQLite and a directory", func(t *testing.T) {
		t.Parallel()
		killChunks(&killed{t: t, data: t.TempDir()}, 4000, 12)
	})
	t.Run("PostgreSQL and a bucket", func(t *testing.T) {
		t.Parallel()
		bucket := vitrinetest.SharedS3(t)
		killChunks(&killed{t: t, data: t.TempDir(), database: vitrinetest.PostgresDatabase(t),
			files: bucket.Address(bucket.Bucket(t), "")}, 8<<20, 3)
	})
}

// killChunks kills the server at some steps of an upload in chunks of a size.
func killChunks(k *killed, chunk, some int) {
	t := k.t
	k.key = strings.TrimSpace(k.run("admin", "account", "create", "owner@example.org"))
	k.run("admin", "account", "plan", "owner@example.org", "lifetime", "--limit", "uploads=0")
	begun, done := k.stepsOfChunks(chunk)
	killedAt := map[string]int{}
	points := killPoints(seeded(t), done-begun, some)
	for i, step := range points {
		cmd, url, log := k.start(killSetting(begun + step))
		f := newChunkFile(i, chunk)
		for url != "" && f.send(t, k.key, url) == nil { // other steps may have come first
			f = newChunkFile(len(points)+i, chunk)
		}
		text := log.drain()
		_ = cmd.Wait()
		steps := stepNames(text)
		killedAt[kindOfStep(steps[len(steps)-1])]++
		if _, out, err := k.verb("admin", "audit", "--deep"); err != nil {
			t.Fatalf("audit: %v: %s\nafter %s", err, out, text)
		}
		url, kill := k.serve()
		if err := f.send(t, k.key, url); err != nil {
			t.Fatalf("the upload does not go on: %v, after %s", err, text)
		}
		kill()
		if _, out, err := k.verb("admin", "audit", "--deep"); err != nil {
			t.Fatalf("audit: %v: %s\nafter %s", err, out, text)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(killedAt)) {
		t.Logf("%3d at: %s", killedAt[kind], kind)
	}
}

// stepsOfChunks returns the number of steps of a server's start, and the number
// of steps after an upload in chunks.
func (k *killed) stepsOfChunks(chunk int) (begun, done int) {
	k.t.Helper()
	cmd, url, log := k.start(killSetting(0))
	if url == "" {
		k.t.Fatal(log.drain())
	}
	begun = len(stepNames(log.sofar()))
	if err := newChunkFile(1000, chunk).send(k.t, k.key, url); err != nil {
		k.t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	done = len(stepNames(log.drain()))
	return begun, done
}

// chunkFile is a file that is sent in chunks, and how much of it a server has
// acknowledged.
type chunkFile struct {
	text         []byte
	chunk        int
	options      client.Options
	acknowledged int
}

const chunkedName = "a.txt"

// newChunkFile returns a text of about two and a half chunks of a size.
func newChunkFile(n, chunk int) *chunkFile {
	line := fmt.Appendf(nil, "This is text %d.\n", n)
	return &chunkFile{text: bytes.Repeat(line, chunk*5/2/len(line)), chunk: chunk,
		options: client.Options{Type: "text/plain", IdempotencyKey: uuid.NewString()}}
}

// send goes on with the upload of an account, at one server, until its link
// exists and has its bytes, or until an error.
func (f *chunkFile) send(t testing.TB, key, url string) error {
	c, err := client.New(url, key, client.WithAttempts(1))
	if err != nil {
		return err
	}
	b, err := c.BeginUpload(t.Context(), chunkedName, int64(len(f.text)), f.options)
	if err != nil {
		return err
	}
	if b.Existing != nil { // the answer to step 3 was lost
		return f.check(t, c, b.Existing.Slug)
	}
	_, path, _ := strings.Cut(b.ResumableURL, "/storage/")
	if err := f.sendChunks(t, url+"/storage/"+path); err != nil {
		return err
	}
	l, err := c.CompleteUpload(t.Context(), b.Path, chunkedName, f.options)
	if err != nil {
		return err
	}
	return f.check(t, c, l.Slug)
}

// sendChunks sends what has not arrived. All that was acknowledged must have.
func (f *chunkFile) sendChunks(t testing.TB, address string) error {
	at, err := askChunks(http.MethodHead, address, 0, nil)
	if err != nil {
		return err
	}
	if at < f.acknowledged {
		t.Errorf("%d bytes have arrived, but %d were acknowledged", at, f.acknowledged)
	}
	for at < len(f.text) {
		next := f.text[at:min(at+f.chunk, len(f.text))]
		// A server that was killed may have the lease for half a minute.
		tick := time.NewTicker(time.Second)
		for {
			n, err := askChunks(http.MethodPatch, address, at, next)
			if err == nil {
				at = n
				break
			}
			if !strings.Contains(err.Error(), "upload_in_progress") {
				tick.Stop()
				return err
			}
			<-tick.C
		}
		tick.Stop()
		f.acknowledged = at
	}
	return nil
}

// check checks that a link has the bytes of the file.
func (f *chunkFile) check(t testing.TB, c *client.Client, slug string) error {
	res, err := c.OpenLinkFile(t.Context(), slug)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err == nil && !bytes.Equal(got, f.text) {
		at := 0
		for at < min(len(got), len(f.text)) && got[at] == f.text[at] {
			at++
		}
		t.Errorf("%s: the link has %d bytes, want %d; from %d on it has %.40q, want %.40q", res.Status, len(got),
			len(f.text), at, got[at:], f.text[at:])
	}
	return err
}

var expecting = &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Hour}}

// askChunks sends a chunk, or asks how much has arrived. It returns the offset
// of the answer.
func askChunks(method, address string, at int, chunk []byte) (offset int, err error) {
	req, err := http.NewRequest(method, address, bytes.NewReader(chunk))
	if err != nil {
		return 0, err
	}
	req.Header = http.Header{"Tus-Resumable": {"1.0.0"}, "Upload-Offset": {strconv.Itoa(at)},
		"Content-Type": {"application/offset+octet-stream"}}
	if len(chunk) > 1<<20 {
		req.Header.Set("Expect", "100-continue") // a refused chunk is not sent
	}
	res, err := expecting.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	if offset, err = strconv.Atoi(res.Header.Get("Upload-Offset")); err != nil {
		return 0, fmt.Errorf("%s: %s: %s", method, res.Status, text)
	}
	return offset, nil
}
