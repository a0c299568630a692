package s3

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/backend/disk"
	"vitrine/internal/test/vitrinetest"
)

// BenchmarkRead reads a file of 64 MiB, completely or in ranges of 64 KiB like
// the PDF viewer, each with its own Open: from a directory, from a bucket, and
// with a GET to the server. The file is always in the system's cache.
func BenchmarkRead(b *testing.B) {
	const size, span = 64 << 20, 64 << 10
	server := vitrinetest.S3(b)
	bucket, err := Open(ctx, server.Address(server.Bucket(b), ""), time.Now)
	if err != nil {
		b.Fatal(err)
	}
	dir, err := disk.New(b.TempDir(), "", nil, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	k, content := vitrine.NewUploadID(), random(size)
	for _, to := range []interface {
		Import(context.Context, vitrine.UploadID, int64, io.Reader) error
	}{bucket, dir} {
		if err := to.Import(ctx, k, size, bytes.NewReader(content)); err != nil {
			b.Fatal(err)
		}
	}
	blobs := func(from vitrine.Blobs) func(at, n int64) (int64, error) {
		return func(at, n int64) (int64, error) {
			blob, err := from.Open(ctx, k)
			if err != nil {
				return 0, err
			}
			defer blob.Close()
			if _, err := blob.Seek(at, io.SeekStart); err != nil {
				return 0, err
			}
			return io.CopyN(io.Discard, blob, n)
		}
	}
	bare := func(at, n int64) (int64, error) {
		address, err := bucket.SignGet(ctx, vitrine.GetGrant{Key: k, Type: octets, Disposition: "attachment",
			Expires: time.Now().Add(time.Minute)})
		if err != nil {
			return 0, err
		}
		r, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			return 0, err
		}
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", at, at+n-1))
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err
		}
		defer res.Body.Close()
		return io.Copy(io.Discard, res.Body)
	}
	for _, from := range []struct {
		name string
		read func(at, n int64) (int64, error)
	}{{"disk", blobs(dir)}, {"server", bare}, {"s3", blobs(bucket)}} {
		b.Run("whole/"+from.name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				if n, err := from.read(0, size); n != size || err != nil {
					b.Fatal(n, err)
				}
			}
		})
		b.Run("range/"+from.name, func(b *testing.B) {
			b.SetBytes(span)
			r := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				if n, err := from.read(r.Int64N(size/span)*span, span); n != span || err != nil {
					b.Fatal(n, err)
				}
			}
		})
	}
}
