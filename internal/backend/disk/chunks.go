package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/base/durable"
)

const (
	chunksSuffix   = ".chunks"
	progressSuffix = ".progress"

	// recordEvery is how many bytes of one chunk are received between two
	// records of the progress, and so at most lost by a crash.
	recordEvery = 8 << 20
)

func (b *Blobs) chunks(k vitrine.UploadID) string {
	return filepath.Join(b.incoming, string(k)+chunksSuffix)
}
func (b *Blobs) progress(k vitrine.UploadID) string {
	return filepath.Join(b.incoming, string(k)+progressSuffix)
}

// cutChunks returns the key of a file of an upload in chunks.
func cutChunks(name string) (k vitrine.UploadID, ok bool) {
	id, ok := strings.CutSuffix(name, chunksSuffix)
	if !ok {
		id, ok = strings.CutSuffix(name, progressSuffix)
	}
	return vitrine.UploadID(id), ok && valid(vitrine.UploadID(id)) == nil
}

// Received returns how many bytes are recorded as durable.
func (b *Blobs) Received(_ context.Context, g vitrine.PutGrant) (int64, error) {
	if err := valid(g.Key); err != nil {
		return 0, err
	}
	p, err := readProgress(b.progress(g.Key), b.chunks(g.Key))
	if err != nil {
		return 0, vitrine.Unavailable(err)
	}
	// The state is read after the record, which ends when the bytes are stored.
	switch state, err := b.state(g.Key); {
	case err != nil:
		return 0, err
	case state == keyUsed:
		return 0, errUsed()
	case state == keyStored:
		return g.Size, nil
	}
	return p.offset, nil
}

// Append writes a chunk to incoming/KEY.chunks and records the progress in
// incoming/KEY.progress: how many bytes are durable, and the state of their
// SHA-256, so that nobody reads them again. Bytes behind the recorded ones
// count for nothing. When all bytes are there, they are stored like those of a
// PUT.
func (b *Blobs) Append(ctx context.Context, g vitrine.PutGrant, offset int64, body io.Reader,
	verify func() error) (int64, error) {
	if err := b.requireState(g.Key, keyFree); err != nil {
		return 0, err
	}
	f, err := lock(b.chunks(g.Key), os.O_CREATE|os.O_RDWR)
	if errors.Is(err, durable.ErrLocked) {
		return 0, vitrine.Errorf(vitrine.CodeUploadInProgress,
			"Another chunk of this upload is arriving. Wait for its end.")
	}
	if err != nil {
		return 0, vitrine.Unavailable(err)
	}
	t := &chunked{blobs: b, key: g.Key, size: g.Size, bytes: f, sum: sha256.New()}
	defer t.close()
	n, err := t.append(ctx, chunk{offset, body, verify})
	return n, unavailable(err)
}

// Unfinished calls f for every file of chunks.
func (b *Blobs) Unfinished(ctx context.Context, f func(vitrine.UploadID, int64, time.Time) error) error {
	return entries(ctx, b.incoming, func(name string, st fs.FileInfo) error {
		if k, ok := cutChunks(name); ok && strings.HasSuffix(name, chunksSuffix) {
			return f(k, st.Size(), st.ModTime())
		}
		return nil
	})
}

// removeChunks deletes the chunks of a key unless one is arriving.
func (b *Blobs) removeChunks(k vitrine.UploadID) error {
	return errors.Join(removePart(b.chunks(k)), removeUnless(b.progress(k), b.chunks(k)))
}

// removeUnless deletes a file unless another one exists.
func removeUnless(path, other string) error {
	if exists(other) {
		return nil
	}
	return remove(path)
}

// chunk is the arguments of Append.
type chunk struct {
	offset int64
	body   io.Reader
	verify func() error
}

// chunked is an upload in chunks during a chunk. It has the lock of its bytes.
type chunked struct {
	blobs *Blobs
	key   vitrine.UploadID
	size  int64

	bytes  durable.Locked
	record *os.File
	progress
	sum  hash.Hash // of the first at bytes
	at   int64     // bytes written, of which the first offset are recorded
	read bool      // the progress was read
}

// open reads the progress. The previous holder of the lock may have stored or
// deleted the key.
func (t *chunked) open() (err error) {
	if err := t.blobs.requireState(t.key, keyFree); err != nil {
		return err
	}
	if t.progress, err = readProgress(t.blobs.progress(t.key), t.bytes.Name()); err != nil {
		return err
	}
	t.read = true
	if t.at = t.offset; t.at > 0 {
		return restore(t.sum, t.hash)
	}
	return nil
}

// close releases the lock. It deletes the files if they have nothing that is
// needed: no bytes, or those of a key that is stored or deleted.
func (t *chunked) close() {
	if state, err := t.blobs.state(t.key); err == nil && (state != keyFree || t.read && t.offset == 0) {
		_ = remove(t.blobs.chunks(t.key))
		_ = remove(t.blobs.progress(t.key))
	}
	if t.record != nil {
		t.record.Close()
	}
	t.bytes.Close()
}

// append implements Append. It returns how many bytes are recorded or stored.
func (t *chunked) append(ctx context.Context, c chunk) (int64, error) {
	if err := t.open(); err != nil {
		return 0, err
	}
	if c.offset != t.offset {
		return t.offset, vitrine.Errorf(vitrine.CodeOffsetMismatch,
			"The chunk begins at %d, but %d bytes were received. Ask for the offset (HEAD) and continue there.",
			c.offset, t.offset)
	}
	before := t.progress
	err := t.receive(ctx, c)
	if code := vitrine.CodeOf(err); err != nil && (c.verify != nil || code == vitrine.CodeTooManyBytes) {
		err = errors.Join(err, t.undo(before))
	}
	return t.offset, err
}

// receive writes a chunk. It records the progress while it arrives, unless the
// chunk must be verified first.
func (t *chunked) receive(ctx context.Context, c chunk) error {
	for {
		most := min(recordEvery, t.size-t.at)
		n, err := copyAt(ctx, t.bytes.File, t.at, t.sum, io.LimitReader(c.body, most), most)
		t.at += n
		brokeOff := vitrine.CodeOf(err) == vitrine.CodeSizeMismatch || err != nil && errors.Is(err, ctx.Err())
		switch {
		case err != nil && !brokeOff: // such as a full disk
			return errors.Join(err, t.bytes.Truncate(t.offset))
		case t.at == t.size && err == nil:
			return t.finish(c)
		case n == most && err == nil && c.verify != nil:
			continue
		case c.verify != nil && err == nil:
			err = c.verify()
		}
		if c.verify != nil && err != nil || t.at == t.size {
			return err
		}
		if failed := t.save(); failed != nil || n < most {
			return errors.Join(failed, err)
		}
	}
}

// finish stores the bytes, which are complete. Until then the last ones are not
// recorded: an upload is either incomplete or stored.
func (t *chunked) finish(c chunk) error {
	switch n, err := io.ReadFull(c.body, make([]byte, 1)); {
	case n > 0:
		return vitrine.Errorf(vitrine.CodeTooManyBytes, "The file is larger than the %d bytes announced in step 1.",
			t.size)
	case err != io.EOF: // the body is incomplete
		return errInterrupted(err, t.at)
	}
	if c.verify != nil {
		if err := c.verify(); err != nil {
			return err
		}
	}
	if err := durable.Sync(t.bytes.File); err != nil {
		return err
	}
	if err := t.blobs.storeFirst(t.bytes.File, t.key, hex.EncodeToString(t.sum.Sum(nil))); err != nil {
		return err
	}
	t.offset = t.size
	_ = removePart(t.blobs.part(t.key)) // of a PUT that broke off
	return nil
}

// save makes the bytes that were written durable, and records them.
func (t *chunked) save() (err error) {
	if t.at == t.offset {
		return nil
	}
	p := progress{offset: t.at}
	if p.hash, err = state(t.sum); err != nil {
		return err
	}
	if err := durable.Sync(t.bytes.File); err != nil {
		return err
	}
	return t.put(p)
}

// undo records an earlier progress again, if there is a later one, and deletes
// the bytes behind it.
func (t *chunked) undo(before progress) error {
	if t.offset != before.offset {
		if err := t.put(before); err != nil {
			return err
		}
	}
	return t.bytes.Truncate(before.offset)
}
