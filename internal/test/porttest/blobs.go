// Package porttest has a suite for each port except the store and the view log:
// [vitrine.Blobs], [vitrine.Mailer], [vitrine.Previewer], [vitrine.Scanner] and
// [vitrine.Spool].
package porttest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
)

var ctx = context.Background()

// Blobs tests a vitrine.Blobs. open returns an empty one and closes it with the
// test. Error codes of a put are only tested for a vitrine.Receiver. Other
// storage receives bytes at its signed URLs.
func Blobs(t *testing.T, open func(t *testing.T) vitrine.Blobs) {
	for _, test := range []struct {
		name string
		run  func(blobTest)
	}{
		{"Life", blobTest.life},
		{"Absent", blobTest.absent},
		{"Sizes", blobTest.sizes},
		{"URLs", blobTest.urls},
		{"UsedUp", blobTest.usedUp},
		{"Again", blobTest.again},
		{"Swap", blobTest.swap},
		{"WrongSize", blobTest.wrongSize},
		{"Broken", blobTest.broken},
		{"UnderWay", blobTest.duringTransfer},
		{"Race", blobTest.race},
		{"SealRace", blobTest.sealRace},
		{"Chunks", onChunks(chunkedTest.chunks)},
		{"ChunksOfAnySize", onChunks(chunkedTest.chunksOfAnySize)},
		{"ChunksRefused", onChunks(chunkedTest.chunksRefused)},
		{"ChunksRace", onChunks(chunkedTest.chunksRace)},
		{"ChunksAndPut", onChunks(chunkedTest.chunksAndPut)},
		{"ChunksEnd", onChunks(chunkedTest.chunksEnd)},
		{"Reading", blobTest.reading},
		{"DeleteOpen", blobTest.deleteOpen},
		{"Sweep", blobTest.sweep},
		{"SweepFails", blobTest.sweepFails},
		{"Each", blobTest.each},
		{"Keys", blobTest.keys},
		{"Import", blobTest.imported},
		{"Parts", blobTest.parts},
		{"PartsRace", blobTest.partsRace},
		{"Mark", blobTest.mark},
		{"MarkRace", blobTest.markRace},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(blobTest{t, open(t)}) })
	}
}

type blobTest struct {
	*testing.T
	blobs vitrine.Blobs
}

// grant returns a grant for a text with a new key.
func grant(text string) vitrine.PutGrant {
	return vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: int64(len(text)), Type: "text/plain",
		Expires: time.Now().Add(time.Hour)}
}

// put sends a body like a client.
func (t blobTest) put(g vitrine.PutGrant, body io.Reader) error {
	t.Helper()
	if r, ok := t.blobs.(vitrine.Receiver); ok {
		etag, err := r.Receive(ctx, g, body)
		if err == nil && (len(etag) < 3 || etag[0] != '"' || etag[len(etag)-1] != '"') {
			t.Errorf("ETag = %s, want a quoted string", etag)
		}
		return err
	}
	url, err := t.blobs.SignPut(ctx, g)
	if err != nil {
		t.Fatalf("SignPut: %v", err)
	}
	req, err := http.NewRequest(http.MethodPut, url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = g.Size
	req.Header.Set("Content-Type", g.Type)
	res, err := patient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("PUT: %s, want 200", res.Status)
	}
	return nil
}

// patient returns the error of a transfer that broke off only after the server
// has ended it. A server may store the bytes it got, and would otherwise do so
// after the next transfer.
var patient = &http.Client{Transport: &http.Transport{
	DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return patientConn{c.(*net.TCPConn)}, nil
	}}}

type patientConn struct{ *net.TCPConn }

// Close waits until the server has closed its side too.
func (c patientConn) Close() error {
	if c.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, c.TCPConn)
	}
	return c.TCPConn.Close()
}

func (t blobTest) store(text string) vitrine.PutGrant {
	t.Helper()
	g := grant(text)
	if err := t.put(g, strings.NewReader(text)); err != nil {
		t.Fatalf("put: %v", err)
	}
	return g
}

func (t blobTest) seal(key vitrine.UploadID) vitrine.BlobInfo {
	t.Helper()
	info, err := t.blobs.Seal(ctx, key)
	if err != nil {
		t.Fatalf("Seal: %v", err)
	}
	return info
}

// refused checks that a put failed, with one of the codes if the storage
// returns codes.
func (t blobTest) refused(what string, err error, codes ...vitrine.Code) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: put succeeds, want an error", what)
		return
	}
	if _, ok := t.blobs.(vitrine.Receiver); ok && !slices.Contains(codes, vitrine.CodeOf(err)) {
		t.Errorf("%s: %v, want %v", what, err, codes)
	}
}

// holds checks the bytes and attributes of a sealed blob.
func (t blobTest) holds(key vitrine.UploadID, text string) {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	info, err := t.blobs.Stat(ctx, key)
	if err != nil || info.Size != int64(len(text)) || info.SHA256 != "" && info.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("Stat of %d bytes = %+v, %v", len(text), info, err)
	}
	if got := t.read(key); got != text {
		t.Errorf("stored %d bytes, read %d (%.20q…)", len(text), len(got), got)
	}
}

// read returns the bytes of a sealed key.
func (t blobTest) read(key vitrine.UploadID) string {
	t.Helper()
	b, err := t.blobs.Open(ctx, key)
	if err != nil {
		t.Errorf("Open = %v, want nil", err)
		return ""
	}
	defer b.Close()
	got, err := io.ReadAll(b)
	if err != nil || b.Size() != int64(len(got)) {
		t.Errorf("read %d bytes of %d, %v", len(got), b.Size(), err)
	}
	return string(got)
}

// gone checks that nothing is stored under a key.
func (t blobTest) gone(when string, key vitrine.UploadID) {
	t.Helper()
	_, err1 := t.blobs.Stat(ctx, key)
	_, err2 := t.blobs.Seal(ctx, key)
	b, err3 := t.blobs.Open(ctx, key)
	if err3 == nil {
		_ = b.Close()
	}
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("%s: Stat, Seal, Open = %v, %v, %v, want ErrNotFound", when, err1, err2, err3)
			return
		}
	}
}
