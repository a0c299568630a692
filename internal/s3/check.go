package s3

import (
	"context"
	"errors"
)

// errOverwrites says that a server cannot keep what Seal promises.
var errOverwrites = errors.New("the server of the bucket writes over an object though it was told not to (If-None-Match on CompleteMultipartUpload), so that a file could be swapped after it was checked: use another server, or a newer version of it")

// exclusive makes sure, once, that the server refuses to put an object in place of another where it is told so. Without that nothing is sealed.
func (b *Blobs) exclusive(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tried {
		return nil
	}
	key := b.probe()
	defer b.tidy(ctx, func(ctx context.Context) error { return b.remove(ctx, key) })
	write := func() error {
		a, err := b.assemble(ctx, key)
		if err == nil {
			err = a.add(ctx, []byte("x"))
		}
		if err == nil {
			err = a.complete(ctx, true)
		}
		return err
	}
	if err := write(); err != nil && !errors.Is(err, errReplaced) { // errReplaced: its answer was lost, and it was sent again
		return b.fault("try", key, err)
	}
	switch err := write(); {
	case err == nil:
		return b.fault("try", key, errOverwrites)
	case !errors.Is(err, errReplaced):
		return b.fault("try", key, err)
	}
	b.tried = true
	return nil
}
