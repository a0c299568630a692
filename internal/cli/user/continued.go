package user

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/base/durable"
	"vitrine/internal/cli/terminal"

	"github.com/google/uuid"
)

// continuedFrom is the size from which an upload that was interrupted goes on
// when the same command runs again. The client sends such a file in chunks.
const continuedFrom = 8 << 20

// upload publishes a file. A large file that an earlier run has sent in part,
// before it was killed or the network failed, goes on where it was: the
// idempotency key of its upload is in a file until the upload has ended.
func upload(ctx context.Context, t *terminal.Terminal, api *client.Client, f client.File,
	o client.Options) (client.Link, error) {
	if f.Size <= continuedFrom {
		return api.Upload(ctx, f, o)
	}
	k, err := keepKey(t.Asked.Server, f, o)
	if err != nil { // the upload works all the same
		return api.Upload(ctx, f, o)
	}
	defer k.close()
	o.IdempotencyKey = k.text
	l, err := api.Upload(ctx, f, o)
	if goesOn := err != nil && ctx.Err() == nil && (client.Temporary(err) || client.Unreachable(err)); !goesOn {
		return l, errors.Join(err, k.remove())
	}
	return l, &terminal.AdvisedError{Err: err, Lines: []string{
		"Run the same command again within a day: the upload goes on where it was."}}
}

// keptKey is the idempotency key of an upload, in a file that is locked.
type keptKey struct {
	text string
	file durable.Locked
}

// keepKey finds the key of an upload of the same bytes with the same options,
// or makes one.
func keepKey(server string, f client.File, o client.Options) (*keptKey, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "vitrine", "uploads")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	removeOld(dir)
	sum := sha256.New()
	for _, field := range []string{server, f.Name, o.Type, o.Slug, o.Replace, o.Website} {
		fmt.Fprintf(sum, "%q ", field)
	}
	if _, err := io.Copy(sum, io.NewSectionReader(f.Content, 0, f.Size)); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, hex.EncodeToString(sum.Sum(nil))), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	// Another process may send the same file at this moment.
	locked, err := durable.Lock(file, durable.Hold{})
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, errors.Join(err, file.Close())
	}
	k := &keptKey{file: locked}
	b, err := io.ReadAll(io.LimitReader(file, 64))
	if id, parsed := uuid.Parse(string(b)); err == nil && parsed == nil {
		k.text = id.String()
		return k, nil
	}
	k.text = uuid.NewString()
	if _, err = file.WriteAt([]byte(k.text), 0); err == nil {
		err = file.Truncate(int64(len(k.text)))
	}
	if err != nil {
		return nil, errors.Join(err, k.remove(), file.Close())
	}
	return k, nil
}

// removeOld deletes the keys of uploads that cannot go on any more.
func removeOld(dir string) {
	all, _ := os.ReadDir(dir)
	for _, e := range all {
		if st, err := e.Info(); err == nil && time.Since(st.ModTime()) > vitrine.UploadLife {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// remove deletes the key, because its upload has ended.
func (k *keptKey) remove() error {
	if err := os.Remove(k.file.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("delete the key of the upload: %w", err)
	}
	return nil
}

func (k *keptKey) close() { _ = k.file.Close() }
