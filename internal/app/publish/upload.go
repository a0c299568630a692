// Package publish turns an upload into a link: it creates and completes
// uploads, scans their bytes, makes previews, keeps captions, and removes what
// unfinished uploads leave behind.
package publish

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"
	"vitrine/report/part"

	"github.com/google/uuid"
)

// Outline returns the parts of a file of a type, as its page shows it, or "" if
// nothing but the depth of the scroll is measured. Its errors are those of
// reading the file.
type Outline func(t filetype.Type, file *io.SectionReader) (part.Outline, error)

// Uploads implements the three steps: Create, the PUT to storage, Complete.
type Uploads struct {
	Store   vitrine.Store
	Blobs   vitrine.Blobs
	Scanner vitrine.Scanner
	Plans   vitrine.Plans
	Now     func() time.Time
	Gates   *access.Gates // checks what readers of a new link need
	Outline Outline       // unless nil
	// Wake, unless nil, is called after a link was made: there may be something
	// to scan or to preview.
	Wake func()
	// Counted, unless nil, is called for each upload that has begun, and for
	// each that has ended with a link or was refused.
	Counted func(UploadStep)
	// Foreign, unless nil, is called once in CheckEvery with the reason if
	// nothing is swept: ownership.ErrOtherStorage.
	Foreign func(error)

	// Inspections is how many files are inspected at once; 0 means one for each
	// processor.
	Inspections int

	// Leases lets one process at a time append to an upload in a bucket.
	Leases *fleet.Leases

	checks    checks
	appending sync.Map // uploads to which this process appends
	// Used by Sweep only: when it last checked the owner of the storage, since
	// when this database has been the owner, and when it last searched for
	// bytes without an owner.
	ownerChecked, ownedSince, leftoversSwept time.Time
}

// UploadRequest is the body of step 1. A nil field was not sent.
type UploadRequest struct {
	Name, Type           string
	Size                 int64
	Slug, IdempotencyKey *string
	// Website is the slug of the account's website to which the file, a ZIP, is
	// deployed as a version, or "" if the file becomes a link.
	Website string
	// Replaces is the slug of the account's link whose file is replaced, or ""
	// if the file becomes a new link.
	Replaces string
	// Precondition, unless nil, must hold for the link whose file is replaced.
	Precondition links.Condition
}

// CreatedUpload is the answer of step 1: where to put the bytes, or the link
// that exists for the idempotency key. If the upload replaced the file of that
// link, Path is the upload's.
type CreatedUpload struct {
	Path      vitrine.UploadID
	SignedURL string
	Existing  *vitrine.Link
}

// Create checks a file before it is sent, reserves its part of the plan's
// limits, and signs its URL. A retry with the same idempotency key returns the
// same path with a new URL, or the existing link.
//
// Errors: the 400, 403 and 429 rows of the contract, in its order of checks; if
// it replaces a file, also those of a link that is unknown or has changed.
func (s *Uploads) Create(ctx context.Context, a *vitrine.Account, r UploadRequest) (CreatedUpload, error) {
	u, err := s.parse(a, r)
	if err != nil {
		return CreatedUpload{}, s.refused(err)
	}
	var b CreatedUpload
	var chosen []vitrine.SpareFile
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		chosen = nil
		if r.Website != "" {
			if err := deploysTo(tx, a, u, r.Website); err != nil {
				return err
			}
		}
		if r.Replaces != "" {
			if err := s.replaces(tx, a, u, r); err != nil {
				return err
			}
		}
		if b, err = s.begin(tx, *u); err != nil || b.Existing != nil {
			return err
		}
		chosen, err = s.makeRoom(tx, u.Account)
		return err
	})
	if err != nil || b.Existing != nil {
		return b, s.refused(err)
	}
	if b.Path == u.ID {
		s.count(UploadBegun)
	}
	// Without the room, the account would store more than its plan allows.
	if err = links.PurgeSpare(context.WithoutCancel(ctx), s.Store, s.Blobs, chosen...); err != nil {
		err = vitrine.Unavailable(err)
	} else {
		b.SignedURL, err = s.Blobs.SignPut(ctx, vitrine.PutGrant{Key: b.Path, Size: u.Size, Type: u.Type,
			Expires: s.Now().Add(vitrine.URLLife)})
	}
	if err != nil && b.Path == u.ID { // a new one, which nobody can continue
		_ = s.Cancel(context.WithoutCancel(ctx), a, string(b.Path))
	}
	return b, vitrine.UnavailableAfter(err)
}

// maxFileBytes bounds a file regardless of the plan, so that sums of sizes do
// not overflow: a petabyte.
const maxFileBytes = 1 << 50

func (s *Uploads) parse(a *vitrine.Account, r UploadRequest) (*vitrine.Upload, error) {
	if r.Slug != nil {
		if err := a.MayChooseSlug(); err != nil {
			return nil, err
		}
	}
	switch {
	case r.Replaces != "" && r.Website != "":
		return nil, keepsSite("replace")
	case r.Replaces != "" && r.Slug != nil:
		return nil, keepsPage("slug")
	case r.Website != "" && r.Slug != nil:
		return nil, keepsSite("slug")
	}
	t, err := filetype.ByName(r.Name, r.Type)
	if err != nil {
		return nil, fileError(err)
	}
	if r.Website != "" && t.Ext != "zip" {
		return nil, &vitrine.Error{Code: vitrine.CodeUnsupportedType, Field: "name",
			Message: "A website is uploaded as a folder, or as one ZIP."}
	}
	if most := int64(filetype.MaxSiteBytes); r.Website != "" && r.Size > most {
		return nil, &vitrine.Error{Code: vitrine.CodeFileTooLarge, Field: "size", Limit: &most, Used: &r.Size,
			Message: "A website can have at most 4 GiB."}
	}
	if r.Size < 1 || r.Size > maxFileBytes {
		return nil, &vitrine.Error{Code: vitrine.CodeInvalidSize, Field: "size",
			Message: "The size must be the exact number of bytes of the file, at least 1."}
	}
	u := &vitrine.Upload{ID: vitrine.NewUploadID(), Account: a.ID, Name: r.Name, Type: r.Type, Size: r.Size,
		State: vitrine.UploadOpen}
	if r.Slug != nil {
		if u.Slug, err = vitrine.ParseSlug(*r.Slug); err != nil {
			return nil, err
		}
	}
	if r.IdempotencyKey != nil {
		if u.IdempotencyKey, err = ParseIdempotencyKey(*r.IdempotencyKey); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// begin finds the upload of u's idempotency key, or stores u.
func (s *Uploads) begin(tx vitrine.Tx, u vitrine.Upload) (CreatedUpload, error) {
	now := s.Now()
	if u.IdempotencyKey != "" {
		old, err := tx.UploadByKey(u.Account, u.IdempotencyKey)
		switch {
		case errors.Is(err, vitrine.ErrNotFound):
		case err != nil:
			return CreatedUpload{}, err
		case !s.keyCounts(tx, old, now):
			old.Replaced = true
			if err := tx.PutUpload(old); err != nil {
				return CreatedUpload{}, err
			}
		case old.Name != u.Name || old.Type != u.Type || old.Size != u.Size || old.Slug != u.Slug ||
			old.Site != u.Site || old.Replaces != u.Replaces:
			return CreatedUpload{}, &vitrine.Error{Code: vitrine.CodeIdempotencyMismatch, Field: "idempotencyKey",
				Message: "This idempotency key was used for another upload: name, type, size, slug, replace and website must be the same. Use a new key for a new file."}
		default:
			return s.resume(tx, old, now)
		}
	}
	if err := s.admit(tx, &u, now, true); err != nil {
		return CreatedUpload{}, err
	}
	u.CreatedAt, u.HoldUntil = now, now.Add(vitrine.UploadHold)
	return CreatedUpload{Path: u.ID}, tx.AddUpload(&u)
}

// MayPut returns an error if the account was suspended since the upload began,
// or the upload has ended. Errors: CodeBanned, CodeURLUsed.
func (s *Uploads) MayPut(ctx context.Context, id vitrine.UploadID) error {
	return s.Store.Read(ctx, func(tx vitrine.Tx) error {
		u, err := tx.Upload(id)
		if err != nil {
			return vitrine.NotFoundIsNil(err) // storage reports what is wrong
		}
		a, err := tx.Account(u.Account)
		switch {
		case err != nil:
			return err
		case a.Banned:
			return vitrine.ErrBanned
		case u.State != vitrine.UploadOpen:
			return vitrine.Errorf(vitrine.CodeURLUsed,
				"This upload has ended. Continue with step 3: the response says what became of the file.")
		}
		return nil
	})
}

// keyCounts reports whether an upload's idempotency key still counts: while its
// link exists, or for UploadLife while the upload can be completed. After a
// refusal the key may be used for a new upload.
func (s *Uploads) keyCounts(tx vitrine.LinkTx, u *vitrine.Upload, now time.Time) bool {
	if u.State == vitrine.UploadDone {
		l, err := tx.Link(u.Link)
		return err != nil && !errors.Is(err, vitrine.ErrNotFound) || err == nil && l.DeletedAt.IsZero()
	}
	return u.State == vitrine.UploadOpen && now.Sub(u.CreatedAt) < vitrine.UploadLife
}

// resume returns the answer to step 1 from the upload that began with the same
// idempotency key.
func (s *Uploads) resume(tx vitrine.Tx, u *vitrine.Upload, now time.Time) (CreatedUpload, error) {
	if u.State == vitrine.UploadDone {
		l, err := tx.Link(u.Link)
		made := CreatedUpload{Existing: l}
		if u.Replaces != 0 {
			made.Path = u.ID
		}
		return made, err
	}
	if !now.Before(u.HoldUntil) {
		if err := s.admit(tx, u, now, false); err != nil {
			return CreatedUpload{}, err
		}
	}
	u.HoldUntil = now.Add(vitrine.UploadHold)
	return CreatedUpload{Path: u.ID}, tx.PutUpload(u)
}

// admit returns an error unless u may hold its slug, a link slot and its bytes
// from now on. If fresh is set, it also checks whether u may begin at all. What
// u holds already is not counted twice.
func (s *Uploads) admit(tx vitrine.Tx, u *vitrine.Upload, now time.Time, fresh bool) error {
	a, err := tx.Account(u.Account)
	if err != nil {
		return err
	}
	if a.Banned {
		return vitrine.ErrBanned
	}
	if u.Slug != "" {
		if err := a.MayChooseSlug(); err != nil {
			return err
		}
		if err := links.SlugFree(tx, links.SlugRequest{Slug: u.Slug, Upload: u.ID}, now); err != nil {
			return err
		}
	}
	if u.Site != 0 {
		if _, err := openSite(tx, u); err != nil {
			return err
		}
	}
	if u.Replaces != 0 {
		if err := openReplaced(tx, u); err != nil {
			return err
		}
	}
	limits := s.Plans.LimitsOf(a)
	if err := checkLimits(tx, a, limits, u, now); err != nil {
		return err
	}
	n, oldest, err := tx.CountUploads(a.ID, now.Add(-vitrine.RateWindow))
	if err != nil {
		return err
	}
	if fresh {
		n++
	}
	if limits.HourlyUploads > 0 && n > limits.HourlyUploads {
		return &vitrine.Error{Code: vitrine.CodeRateLimited, Limit: &limits.HourlyUploads,
			RetryAfter: max(oldest.Add(vitrine.RateWindow).Sub(now), time.Second),
			Message:    "Too many uploads this hour. Wait and try again."}
	}
	return nil
}

// ParseIdempotencyKey accepts a UUID in its usual form of 36 characters and
// folds it.
func ParseIdempotencyKey(s string) (string, error) {
	id, err := uuid.Parse(s)
	if err != nil || len(s) != 36 {
		return "", &vitrine.Error{Code: vitrine.CodeInvalidIdempotencyKey, Field: "idempotencyKey",
			Message: "The idempotency key must be a UUID, such as 123e4567-e89b-12d3-a456-426614174000."}
	}
	return id.String(), nil
}

// fileError turns a refusal of the file's name, type or bytes into an Error.
func fileError(err error) error {
	var p *filetype.Problem
	if !errors.As(err, &p) {
		return err
	}
	e := &vitrine.Error{Code: vitrine.Code(p.Code), Reason: p.Reason, Message: p.Message}
	switch e.Code {
	case vitrine.CodeInvalidName, vitrine.CodeUnsupportedType:
		e.Field = "name"
	case vitrine.CodeTypeMismatch:
		e.Field = "type"
	}
	return e
}
