package fault

import (
	"context"
	"io"
	"time"

	"vitrine"
)

// Blobs wraps blobs. The result implements [vitrine.Receiver] if b does.
func (f *Injector) Blobs(b vitrine.Blobs) vitrine.Blobs {
	if r, ok := b.(vitrine.Receiver); ok {
		return receiver{blobs{b, f}, r}
	}
	return blobs{b, f}
}

// blobs does not embed the real blobs, so that the compiler requires each of
// their methods.
type blobs struct {
	real  vitrine.Blobs
	fault *Injector
}

func (b blobs) SignPut(ctx context.Context, g vitrine.PutGrant) (string, error) {
	return value(b.fault, func() (string, error) { return b.real.SignPut(ctx, g) })
}

func (b blobs) Stat(ctx context.Context, key vitrine.UploadID) (vitrine.BlobInfo, error) {
	return value(b.fault, func() (vitrine.BlobInfo, error) { return b.real.Stat(ctx, key) })
}

func (b blobs) Seal(ctx context.Context, key vitrine.UploadID) (vitrine.BlobInfo, error) {
	return value(b.fault, func() (vitrine.BlobInfo, error) { return b.real.Seal(ctx, key) })
}

func (b blobs) Open(ctx context.Context, key vitrine.UploadID) (vitrine.Blob, error) {
	if b.fault.strike() {
		return nil, failure()
	}
	blob, err := b.real.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	return openBlob{blob, b.fault}, nil
}

func (b blobs) Import(ctx context.Context, key vitrine.UploadID, size int64, body io.Reader) error {
	return b.fault.do(func() error { return b.real.Import(ctx, key, size, reader{body, b.fault}) })
}

func (b blobs) PutPart(ctx context.Context, key vitrine.UploadID, p vitrine.Part, body io.Reader) error {
	return b.fault.do(func() error { return b.real.PutPart(ctx, key, p, reader{body, b.fault}) })
}

func (b blobs) OpenPart(ctx context.Context, key vitrine.UploadID, p vitrine.Part) (vitrine.Blob, error) {
	return value(b.fault, func() (vitrine.Blob, error) { return b.real.OpenPart(ctx, key, p) })
}

func (b blobs) DeletePart(ctx context.Context, key vitrine.UploadID, p vitrine.Part) error {
	return b.fault.do(func() error { return b.real.DeletePart(ctx, key, p) })
}

func (b blobs) Delete(ctx context.Context, key vitrine.UploadID) error {
	return b.fault.do(func() error { return b.real.Delete(ctx, key) })
}

func (b blobs) Sweep(ctx context.Context, before time.Time, keep func(vitrine.UploadID) (bool, error)) error {
	return b.fault.do(func() error { return b.real.Sweep(ctx, before, keep) })
}

func (b blobs) Marker(ctx context.Context) (string, error) {
	return value(b.fault, func() (string, error) { return b.real.Marker(ctx) })
}

func (b blobs) PutMarker(ctx context.Context, mark string) error {
	return b.fault.do(func() error { return b.real.PutMarker(ctx, mark) })
}

func (b blobs) Each(ctx context.Context, f func(vitrine.UploadID, vitrine.BlobInfo) error) error {
	return b.fault.do(func() error { return b.real.Each(ctx, f) })
}

type receiver struct {
	blobs
	receiver vitrine.Receiver
}

func (r receiver) Receive(ctx context.Context, g vitrine.PutGrant, body io.Reader) (string, error) {
	return value(r.fault, func() (string, error) { return r.receiver.Receive(ctx, g, reader{body, r.fault}) })
}

type reader struct {
	r     io.Reader
	fault *Injector
}

func (r reader) Read(p []byte) (int, error) {
	if r.fault.strike() {
		return 0, ErrInjected
	}
	return r.r.Read(p)
}

type openBlob struct {
	vitrine.Blob
	fault *Injector
}

func (b openBlob) Read(p []byte) (int, error) {
	if b.fault.strike() {
		return 0, ErrInjected
	}
	return b.Blob.Read(p)
}

func (b openBlob) ReadAt(p []byte, off int64) (int, error) {
	if b.fault.strike() {
		return 0, ErrInjected
	}
	return b.Blob.ReadAt(p, off)
}

func (b openBlob) Seek(offset int64, whence int) (int64, error) {
	return value(b.fault, func() (int64, error) { return b.Blob.Seek(offset, whence) })
}
