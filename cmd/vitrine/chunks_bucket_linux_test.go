package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"vitrine/client"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// TestChunksOverBucket sends a large file in chunks to a server whose files are
// in a bucket. The link has its bytes, and the server never holds it in memory.
func TestChunksOverBucket(t *testing.T) {
	t.Parallel()
	const chunk = 8 << 20
	size := tier.Pick(24, 128) * chunk
	bucket := vitrinetest.SharedS3(t)
	k := &killed{t: t, data: t.TempDir(), files: bucket.Address(bucket.Bucket(t), "")}
	k.key = strings.TrimSpace(k.run("admin", "account", "create", "owner@example.org"))
	k.run("admin", "account", "plan", "owner@example.org", "lifetime")
	cmd, url, log := k.start()
	if url == "" {
		t.Fatal(log.drain())
	}
	c, err := client.New(url, k.key)
	if err != nil {
		t.Fatal(err)
	}
	before := peakMemory(t, cmd.Process.Pid)
	options := client.Options{Type: "text/plain"}
	b, err := c.BeginUpload(t.Context(), chunkedName, int64(size), options)
	if err != nil {
		t.Fatal(err)
	}
	want := sha256.New()
	for at := 0; at < size; {
		next := bytes.Repeat(fmt.Appendf(nil, "%15d\n", at), chunk/16)
		want.Write(next)
		if at, err = askChunks(http.MethodPatch, b.ResumableURL, at, next); err != nil {
			t.Fatal(err)
		}
	}
	received := peakMemory(t, cmd.Process.Pid)
	l, err := c.CompleteUpload(t.Context(), b.Path, chunkedName, options)
	if err != nil {
		t.Fatal(err)
	}
	got, n := sumOf(t, c, l.Slug)
	if n != int64(size) || !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		t.Errorf("the link has %d bytes, SHA-256 %x, want %d, %x", n, got.Sum(nil), size, want.Sum(nil))
	}
	all := peakMemory(t, cmd.Process.Pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	t.Logf("%d MiB in %d chunks: %d MiB of memory at most, %d before, %d when all had arrived; %v of processor time",
		size>>20, size/chunk, all>>20, before>>20, received>>20, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	if grown := all - before; grown > 96<<20 {
		t.Errorf("memory grew by %d bytes for a file of %d", grown, size)
	}
}

// sumOf returns the SHA-256 of a link's file, and its size.
func sumOf(t *testing.T, c *client.Client, slug string) (hash.Hash, int64) {
	t.Helper()
	res, err := c.OpenLinkFile(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return sum, n
}

// peakMemory returns the most memory that a process has had, in bytes.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(text), " kB"))
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("the peak is not known")
	return 0
}
