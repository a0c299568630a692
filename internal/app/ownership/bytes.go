package ownership

import "vitrine"

// OwnsBytes reports whether an upload may still need its bytes: it is open, or
// its link has them.
func OwnsBytes(tx vitrine.Tx, id vitrine.UploadID) (bool, error) {
	u, err := tx.Upload(id)
	if err != nil || u.State != vitrine.UploadDone {
		return err == nil && u.State == vitrine.UploadOpen, vitrine.NotFoundIsNil(err)
	}
	l, err := LinkByUpload(tx, u)
	return err == nil && l.HasBytes, vitrine.NotFoundIsNil(err)
}

// LinkByUpload finds the link or version with the file of a completed upload. A
// deleted version counts as long as its bytes exist.
func LinkByUpload(tx vitrine.LinkTx, u *vitrine.Upload) (*vitrine.Link, error) {
	l, err := tx.Link(u.Link)
	if err != nil || l.Upload == u.ID {
		return l, err
	}
	for _, q := range []vitrine.LinkQuery{{Of: l.ID}, {Of: l.ID, WithBytes: true}} {
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
	return nil, vitrine.ErrNotFound
}
