package vitrine

import "time"

// OwnedBlob is what the store knows of bytes that belong to something: to a link that is not deleted, or to an upload that may still become
// one, whose bytes need not be there.
type OwnedBlob struct {
	Key    UploadID
	Size   int64
	SHA256 string // lower-case hex; "" of an upload
	Parts  Parts
	Upload bool // of an upload
}

// ownedAtOnce bounds how many links are in memory.
const ownedAtOnce = 1000

// OwnedBlobs calls f with everything in storage that belongs to something, so that storage and store can be copied to another place and
// are of one mind there (Audit).
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

// Later than any upload, and more than there can be.
const (
	maxMs   = 1 << 45
	maxOpen = 1 << 30
)
