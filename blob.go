package vitrine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Blobs keeps the bytes of files. A blob is put once by anyone who holds a
// signed URL, sealed, and from then on never changes: what was checked is what
// will be served (promise 3).
//
// Every backend passes the suite blobstest.Run.
type Blobs interface {
	// SignPut makes a URL that accepts exactly what g says, once. Signing the
	// same key again makes a fresh URL for the same place; once the bytes of a
	// key are stored, every URL of it is used up: it accepts the same bytes
	// again, which stores nothing, and no others; after Delete, none. Where
	// URLs lead to a bucket, the bucket may go on accepting bytes: those that
	// are there when the key is sealed count, and none later.
	SignPut(ctx context.Context, g PutGrant) (string, error)

	// Stat tells about bytes that are wholly stored, sealed or not; ErrNotFound
	// before that and after Delete.
	Stat(ctx context.Context, key UploadID) (BlobInfo, error)

	// Seal makes the stored bytes of a key unchangeable and durable, also when
	// several seal it while others put: all find the same bytes for ever.
	// Sealing again is success. ErrNotFound as for Stat.
	Seal(ctx context.Context, key UploadID) (BlobInfo, error)

	// Open reads a sealed blob; ErrNotFound when there is none. The caller
	// closes it; reads end with ctx where they go over a network. A blob that
	// is open stays readable though it is deleted, or its reads fail: they
	// never bring other bytes or too few.
	Open(ctx context.Context, key UploadID) (Blob, error)

	// PutPart stores a part beside a sealed blob, in place of one of the same
	// name; whole and durable when nil. ErrNotFound when there is no such blob,
	// or not any more.
	PutPart(ctx context.Context, key UploadID, p Part, body io.Reader) error

	// OpenPart reads a part, as Open does a blob.
	OpenPart(ctx context.Context, key UploadID, p Part) (Blob, error)

	// DeletePart removes a part; absent is success.
	DeletePart(ctx context.Context, key UploadID, p Part) error

	// Delete removes the bytes and their parts; absent is success. URLs of the
	// key stay used up.
	Delete(ctx context.Context, key UploadID) error

	// Sweep removes what unfinished transfers and used URLs left behind before
	// a time, for keys that keep says no to.
	Sweep(ctx context.Context, before time.Time, keep func(UploadID) (bool, error)) error

	// Marker returns the token that was last written beside the blobs, "" if
	// none was. It says which database owns the storage. It is no blob: nothing
	// sweeps or lists it.
	Marker(ctx context.Context) (string, error)

	// PutMark puts a text of at most 100 letters and digits in place of the
	// mark; whole and durable when nil, and otherwise there or not.
	PutMarker(ctx context.Context, mark string) error

	// Each calls f with every sealed blob, for the audit.
	Each(ctx context.Context, f func(UploadID, BlobInfo) error) error
}

// Blob is an open, sealed blob. Reading at any place is cheap.
type Blob interface {
	io.ReadSeekCloser
	io.ReaderAt
	Size() int64
}

// OpenWhole opens the bytes of a link and checks that they are as many as the
// link's row says, so that a file that storage has cut is not served as if it
// were whole. It answers Unavailable when they are not, or when they are gone.
func OpenWhole(ctx context.Context, blobs Blobs, l *Link) (Blob, error) {
	b, err := blobs.Open(ctx, l.Upload)
	if err != nil {
		return nil, Unavailable(fmt.Errorf("link %s: open the stored file %s: %w", l.Slug, l.Upload, err))
	}
	if n := b.Size(); n != l.Size {
		err := fmt.Errorf("link %s: the stored file %s has %d bytes, want %d: restore it from a backup", l.Slug,
			l.Upload, n, l.Size)
		return nil, Unavailable(errors.Join(err, b.Close()))
	}
	return b, nil
}

// BlobInfo is what storage knows of bytes.
type BlobInfo struct {
	Size   int64
	SHA256 string // lower-case hex; "" where storage does not compute it
}

// PutGrant is what a signed URL permits: these many bytes of this Content-Type
// under this key, begun before Expires.
type PutGrant struct {
	Key     UploadID
	Size    int64
	Type    string
	Expires time.Time
}

// Receiver takes the body of a signed PUT whose grant was verified. It is
// implemented by Blobs whose URLs lead to this process.
type Receiver interface {
	// Receive stores body and returns its ETag once the bytes are durable. If
	// the bytes of the key are stored already, it compares body with them as it
	// arrives, stores nothing, and returns the same ETag if they are equal.
	// Errors: CodeURLUsed (other bytes are stored, or were),
	// CodeUploadInProgress (another transfer stores bytes of the key),
	// CodeSizeMismatch (too few or too many bytes), CodeUnavailable (disk full,
	// say). After any error the key is as before, and a transfer may be tried
	// again.
	Receive(ctx context.Context, g PutGrant, body io.Reader) (etag string, err error)
}

// GetSigner is implemented by Blobs that anyone who holds a URL can read a blob
// from without this process.
type GetSigner interface {
	// SignGet makes a URL that answers GET, of ranges too, with a sealed blob.
	// Whether it is there is not looked at.
	SignGet(ctx context.Context, g GetGrant) (string, error)
}

// GetGrant is what a signed URL to read from answers: these bytes under this
// Content-Type and Content-Disposition, to requests begun before Expires.
type GetGrant struct {
	Key               UploadID
	Type, Disposition string
	Expires           time.Time
}

// OwnedBlob is what the store knows of bytes that belong to something: to a
// link that is not deleted, or to an upload that may still become one, whose
// bytes need not be there.
type OwnedBlob struct {
	Key    UploadID
	Size   int64
	SHA256 string // lower-case hex; "" of an upload
	Parts  Parts
	Upload bool // of an upload
}

// OwnedBlobs calls f with everything in storage that belongs to something, so
// that storage and store can be copied to another place and are of one mind
// there (Audit).
func OwnedBlobs(tx Tx, f func(OwnedBlob) error) error {
	for q := (LinkQuery{Sort: SortID, Limit: ownedAtOnce}); ; {
		links, err := tx.Links(q)
		if err != nil {
			return err
		}
		for _, l := range links {
			if !l.HasBytes || l.Upload == "" {
				continue
			}
			if err := f(OwnedBlob{Key: l.Upload, Size: l.Size, SHA256: l.SHA256, Parts: l.Parts}); err != nil {
				return err
			}
		}
		if len(links) < ownedAtOnce {
			break
		}
		q.After = links[len(links)-1].ID
	}
	// Those that are open go within hours: they are few.
	open, err := tx.StaleUploads(UploadOpen, time.UnixMilli(maxMs), maxOpen)
	if err != nil {
		return err
	}
	for _, u := range open {
		if err := f(OwnedBlob{Key: u.ID, Size: u.Size, Upload: true}); err != nil {
			return err
		}
	}
	return nil
}

// OwnsBytes reports whether an upload may still need its bytes: it is open, or
// its link has them.
func OwnsBytes(tx Tx, id UploadID) (bool, error) {
	u, err := tx.Upload(id)
	if err != nil || u.State != UploadDone {
		return err == nil && u.State == UploadOpen, NotFoundIsNil(err)
	}
	l, err := MadeOf(tx, u)
	return err == nil && l.HasBytes, NotFoundIsNil(err)
}

// MadeOf finds the link, or the version of one, that has the file of an upload
// that is done: a deleted version, too, as long as its bytes are there.
func MadeOf(tx LinkTx, u *Upload) (*Link, error) {
	l, err := tx.Link(u.Link)
	if err != nil || l.Upload == u.ID {
		return l, err
	}
	for _, q := range []LinkQuery{{Of: l.ID}, {Of: l.ID, WithBytes: true}} {
		versions, err := tx.Links(q)
		if err != nil {
			return nil, err
		}
		for _, v := range versions {
			if v.Upload == u.ID {
				return v, nil
			}
		}
	}
	return nil, ErrNotFound
}

// ownedAtOnce bounds how many links are in memory.
const ownedAtOnce = 1000

// Later than any upload, and more than there can be.
const (
	maxMs   = 1 << 45
	maxOpen = 1 << 30
)
