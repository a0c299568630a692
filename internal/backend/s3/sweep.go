package s3

import (
	"context"
	"strings"
	"time"

	"vitrine"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
)

// Sweep deletes incoming bytes and blobs with their parts if they are older
// than before (by the server's clock) and keep does not know their keys. For
// any key, it also deletes incoming bytes of sealed blobs, parts without a
// blob, and unfinished uploads.
func (b *Blobs) Sweep(ctx context.Context, before time.Time, keep func(vitrine.UploadID) (bool, error)) error {
	due := func(k vitrine.UploadID, do func() error) error {
		known, err := keep(k)
		if err != nil || known {
			return err
		}
		return do()
	}
	sealed := b.known(b.path)
	err := b.list(ctx, b.prefix+incomingDir, func(e entry) error {
		if !e.at.Before(before) {
			return nil
		}
		if strings.HasPrefix(e.name(), probePrefix) {
			return b.remove(ctx, e.key)
		}
		k, isUsed, ok := incomingKey(e)
		if !ok {
			return nil
		}
		if !isUsed {
			if is, err := sealed(ctx, k); err != nil {
				return err
			} else if is {
				return b.remove(ctx, e.key)
			}
		}
		return due(k, func() error { return b.remove(ctx, e.key) })
	})
	if err != nil {
		return err
	}
	if err := b.sweepBlobs(ctx, before, due); err != nil {
		return err
	}
	return b.sweepUnfinished(ctx, before, keep)
}

// incomingKey returns the key of an object in incoming, and whether it records
// that the key is used.
func incomingKey(e entry) (k vitrine.UploadID, isUsed, ok bool) {
	id, isUsed := strings.CutSuffix(e.name(), usedSuffix)
	if !isUsed {
		id, _, _ = strings.Cut(id, sizeMark)
	}
	k, ok = vitrine.ParseUploadID(id)
	return k, isUsed, ok
}

// SweepRepeated deletes the incoming bytes, of any age, of keys that are sealed
// or deleted. Nothing reads them: a signed URL was used again, or beside
// chunks. They count for nobody, so call it often.
func (b *Blobs) SweepRepeated(ctx context.Context) error {
	sealed, deleted := b.known(b.path), b.known(b.used)
	ended := func(k vitrine.UploadID) (bool, error) {
		yes, err := sealed(ctx, k)
		if err == nil && !yes {
			yes, err = deleted(ctx, k)
		}
		return yes, err
	}
	err := b.list(ctx, b.prefix+incomingDir, func(e entry) error {
		k, isUsed, ok := incomingKey(e)
		if !ok || isUsed {
			return nil
		}
		if yes, err := ended(k); err != nil || !yes {
			return err
		}
		return b.remove(ctx, e.key)
	})
	if err != nil {
		return err
	}
	return b.unfinished(ctx, b.prefix+incomingDir, func(a *assembly, _ time.Time) error {
		k, _, ok := incomingKey(entry{key: a.key})
		if !ok {
			return nil
		}
		if yes, err := ended(k); err != nil || !yes {
			return err
		}
		return a.abort(ctx)
	})
}

// known returns a function that reports whether a key has an object. It asks
// once for a key whose objects follow each other in a listing.
func (b *Blobs) known(object func(vitrine.UploadID) string) func(context.Context, vitrine.UploadID) (bool, error) {
	var last vitrine.UploadID
	there := false
	return func(ctx context.Context, k vitrine.UploadID) (bool, error) {
		if k == last {
			return there, nil
		}
		is, err := b.exists(ctx, object(k))
		if err == nil {
			last, there = k, is
		}
		return is, err
	}
}

func (b *Blobs) sweepBlobs(ctx context.Context, before time.Time,
	due func(vitrine.UploadID, func() error) error) error {
	seen := "" // the last blob; its parts follow it in the sorted list
	return b.list(ctx, b.prefix+blobsDir, func(e entry) error {
		blob, _, isPart := strings.Cut(e.key, partMark)
		k, ok := vitrine.ParseUploadID(blob[strings.LastIndexByte(blob, '/')+1:])
		if !ok || b.path(k) != blob {
			return nil
		}
		if !isPart {
			seen = blob
		}
		switch {
		case !e.at.Before(before), isPart && blob == seen:
			return nil
		case !isPart:
			return due(k, func() error { return b.Delete(ctx, k) })
		}
		if there, err := b.exists(ctx, blob); err != nil || there {
			return err
		}
		return b.remove(ctx, e.key)
	})
}

// sweepUnfinished aborts uploads that started before a time, except those in
// chunks that may go on.
func (b *Blobs) sweepUnfinished(ctx context.Context, before time.Time,
	keep func(vitrine.UploadID) (bool, error)) error {
	for _, dir := range []string{incomingDir, blobsDir} {
		err := b.unfinished(ctx, b.prefix+dir, func(a *assembly, begun time.Time) error {
			if !begun.Before(before) {
				return nil
			}
			if k, _, ok := incomingKey(entry{key: a.key}); ok && dir == incomingDir {
				known, err := keep(k)
				if err == nil && known {
					known, err = b.exists(ctx, b.path(k))
					known = !known // the upload is not stored in another way
				}
				if err != nil || known {
					return err
				}
			}
			return a.abort(ctx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unfinished calls f for each unfinished upload with a key prefix and its start
// time.
func (b *Blobs) unfinished(ctx context.Context, prefix string, f func(*assembly, time.Time) error) error {
	pages := sdk.NewListMultipartUploadsPaginator(b.api,
		&sdk.ListMultipartUploadsInput{Bucket: &b.bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return b.fault("list unfinished uploads of", prefix, err)
		}
		for _, u := range page.Uploads {
			if err := f(&assembly{b: b, key: aws.ToString(u.Key), id: aws.ToString(u.UploadId)},
				aws.ToTime(u.Initiated)); err != nil {
				return err
			}
		}
	}
	return nil
}
