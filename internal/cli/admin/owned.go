package admin

import (
	"time"

	"vitrine"
)

// ownedBatch bounds the links in memory.
const ownedBatch = 1000

// Later than any upload, and more than can exist.
const (
	maxMs   = 1 << 45
	maxOpen = 1 << 30
)

// ownedBlob is a blob that the store needs: that of a link that is not deleted
// or is in the trash, or of an upload that may still become one, whose bytes
// may be missing.
type ownedBlob struct {
	Key    vitrine.UploadID
	Size   int64
	SHA256 string // lower-case hex; "" of an upload
	Parts  vitrine.Parts
	Upload bool // belongs to an upload
}

// ownedBlobs calls f with each blob that the store needs, so that storage and
// store can be copied together and agree in the copy (Audit).
func ownedBlobs(tx vitrine.Tx, f func(ownedBlob) error) error {
	for _, trash := range []bool{false, true} {
		err := ownedByLinks(tx, vitrine.LinkQuery{Sort: vitrine.SortID, Trash: trash, Limit: ownedBatch}, f)
		if err != nil {
			return err
		}
	}
	// Open uploads expire within hours, so there are few.
	open, err := tx.StaleUploads(vitrine.UploadOpen, time.UnixMilli(maxMs), maxOpen)
	if err != nil {
		return err
	}
	for _, u := range open {
		if err := f(ownedBlob{Key: u.ID, Size: u.Size, Upload: true}); err != nil {
			return err
		}
	}
	return nil
}

// ownedByLinks calls f with the blob of each link that a query selects.
func ownedByLinks(tx vitrine.Tx, q vitrine.LinkQuery, f func(ownedBlob) error) error {
	for {
		links, err := tx.Links(q)
		if err != nil {
			return err
		}
		for _, l := range links {
			if !l.HasBytes || l.Upload == "" {
				continue
			}
			if err := f(ownedBlob{Key: l.Upload, Size: l.Size, SHA256: l.SHA256, Parts: l.Parts}); err != nil {
				return err
			}
		}
		if len(links) < q.Limit {
			return nil
		}
		q.After = links[len(links)-1].ID
	}
}
