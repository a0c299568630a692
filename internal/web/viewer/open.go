package viewer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine"
)

// Limits of waiting for storage that is not in this process, such as a bucket
// that hangs. A reader waits less than the server's own work does.
const (
	// answerTime is how long opening something may take, and also all that the
	// page of a link needs.
	answerTime = 3 * time.Second
	// stallTime is how long one read may take. A download then ends early.
	stallTime = 20 * time.Second
)

var errSlow = errors.New("storage did not answer in time")

// AnswerTime returns how long a reader waits for storage.
func (s *Viewers) AnswerTime() time.Duration { return cmp.Or(s.StorageTime, answerTime) }

// Open opens something in storage for a reader. It returns Unavailable if
// storage does not answer in time, and reads fail if they take too long. open
// gets the context that its blob may use.
func (s *Viewers) Open(ctx context.Context, open func(context.Context) (vitrine.Blob, error)) (vitrine.Blob, error) {
	if _, here := s.Blobs.(vitrine.Receiver); here {
		return open(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(s.AnswerTime(), func() { cancel(errSlow) })
	b, err := open(ctx)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errSlow):
		err = vitrine.Unavailable(fmt.Errorf("%w: %w", errSlow, err))
	case err == nil && !late.Stop():
		err = vitrine.Unavailable(errors.Join(errSlow, b.Close()))
	}
	late.Stop()
	if err != nil {
		cancel(nil)
		return nil, err
	}
	return &awaited{b, cancel}, nil
}

// Storage is storage that opens blobs for readers.
type Storage struct{ s *Viewers }

// Storage returns the storage for those who read many blobs.
func (s *Viewers) Storage() Storage { return Storage{s} }

// Open opens a blob as Viewers.Open does.
func (b Storage) Open(ctx context.Context, key vitrine.UploadID) (vitrine.Blob, error) {
	return b.s.Open(ctx, func(ctx context.Context) (vitrine.Blob, error) { return b.s.Blobs.Open(ctx, key) })
}

// awaited is a blob whose reads fail if they take too long.
type awaited struct {
	vitrine.Blob
	cancel context.CancelCauseFunc
}

func (a *awaited) wait() (answered func() bool) {
	return time.AfterFunc(stallTime, func() { a.cancel(errSlow) }).Stop
}

func (a *awaited) Read(p []byte) (int, error) {
	defer a.wait()()
	return a.Blob.Read(p)
}

func (a *awaited) ReadAt(p []byte, off int64) (int, error) {
	defer a.wait()()
	return a.Blob.ReadAt(p, off)
}

func (a *awaited) Close() error {
	defer a.cancel(nil)
	return a.Blob.Close()
}
