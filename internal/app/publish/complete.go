package publish

import (
	"context"
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"
)

// CompleteRequest is the body of step 3. A nil field was not sent.
type CompleteRequest struct {
	Path, Name, Type               string
	LinkName, Slug, IdempotencyKey *string
	AllowDownload                  *bool
	Website                        string        // that of step 1
	Key                            vitrine.KeyID // of the request; 0 means a browser session
	Client                         string        // the program that sends it, as it names itself
	LinkLife                       time.Duration // how long the link may be public (vitrine.APIKey)
	Replaces                       string        // the link of step 1, by its slug
	Precondition                   links.Condition
	ExpiresAt                      *time.Time // when the link expires; nil or the zero time: never
	Access                         *access.Change
}

// Complete creates the link of an upload whose bytes are stored. It seals the
// bytes, checks that they are of the type that the name says, scans them, and
// checks the plan's limits, all or nothing. Every retry returns the same link,
// even if many run at once. If a check refuses the file, its bytes are deleted,
// and later retries return the same refusal.
//
// Errors: those of [Uploads.Create], and CodeUnavailable.
func (s *Uploads) Complete(ctx context.Context, a *vitrine.Account, r CompleteRequest) (*vitrine.Link, error) {
	if r.Slug != nil {
		if err := a.MayChooseSlug(); err != nil {
			return nil, err
		}
	}
	link, err := s.requestedLink(r)
	if err != nil {
		return nil, err
	}
	if err := r.onlyFile(); err != nil {
		return nil, err
	}
	u, l, err := s.find(ctx, a, r)
	if err != nil || l != nil {
		return l, err
	}
	if err := s.Gates.Prepare(ctx, r.Access, a.Email); err != nil {
		return nil, err
	}
	r.Access.Apply(&link.Access)
	return s.checkOnce(ctx, u.ID, func(c *check) (*vitrine.Link, error) {
		done := &completion{Uploads: s, check: c, upload: u, link: link, expected: r.Precondition}
		return done.run(context.WithoutCancel(ctx))
	})
}

// requestedLink returns the link that a request describes.
func (s *Uploads) requestedLink(r CompleteRequest) (l vitrine.Link, err error) {
	l = vitrine.Link{Title: r.Name, AllowDownload: r.AllowDownload == nil || *r.AllowDownload, Key: r.Key,
		Client: r.Client}
	if r.LinkName != nil {
		if l.Title, err = vitrine.ParseTitle(*r.LinkName); err != nil {
			return l, err
		}
	}
	l.ExpiresAt, err = r.expiry(s.Now())
	return l, err
}

// expiry returns when the link of a request expires, or the zero time if never.
func (r *CompleteRequest) expiry(now time.Time) (at time.Time, err error) {
	most := now.Add(r.LinkLife)
	if r.LinkLife > 0 {
		at = most
	}
	if r.ExpiresAt != nil {
		at = r.ExpiresAt.Truncate(time.Millisecond)
	}
	wrong := func(message string) error {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "expiresAt", Message: message}
	}
	switch {
	case r.LinkLife > 0 && (at.IsZero() || at.After(most)):
		return at, wrong("This API key limits how long links are public: one that is made now until " +
			most.UTC().Format(time.RFC3339) + " at most.")
	case !at.IsZero() && !at.After(now):
		return at, wrong("The link would have expired already. Choose a later time.")
	}
	return at, nil
}

// find reads the upload that r names, and its link if that exists already.
func (s *Uploads) find(ctx context.Context, a *vitrine.Account,
	r CompleteRequest) (u *vitrine.Upload, l *vitrine.Link, err error) {
	unknown := vitrine.ErrUploadUnknown
	id, ok := vitrine.ParseUploadID(r.Path)
	if !ok {
		return nil, nil, unknown
	}
	var slug vitrine.Slug
	if r.Slug != nil {
		if slug, err = vitrine.ParseSlug(*r.Slug); err != nil {
			return nil, nil, err
		}
	}
	var key string
	if r.IdempotencyKey != nil {
		if key, err = ParseIdempotencyKey(*r.IdempotencyKey); err != nil {
			return nil, nil, err
		}
	}
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		u, err = tx.Upload(id)
		if errors.Is(err, vitrine.ErrNotFound) || err == nil && u.Account != a.ID {
			return unknown
		}
		if err != nil {
			return err
		}
		if err := s.checkSame(tx, a, u, r, slug, key); err != nil {
			return err
		}
		switch u.State {
		case vitrine.UploadFailed:
			return u.FailureError()
		case vitrine.UploadDone:
			l, err = tx.Link(u.Link)
			if errors.Is(err, vitrine.ErrNotFound) || err == nil && !l.DeletedAt.IsZero() {
				return unknown
			}
			return err
		}
		if s.Now().Sub(u.CreatedAt) >= vitrine.UploadLife {
			return unknown
		}
		return nil
	})
	return u, l, err
}

// checkSame returns an error if step 3 differs from step 1.
func (s *Uploads) checkSame(tx vitrine.Tx, a *vitrine.Account, u *vitrine.Upload, r CompleteRequest, slug vitrine.Slug,
	key string) error {
	mismatch := func(field string) error {
		return &vitrine.Error{Code: vitrine.CodeIdempotencyMismatch, Field: field,
			Message: "The " + field + " differs from the one of step 1. Send the same one."}
	}
	switch {
	case u.Name != r.Name:
		return mismatch("name")
	case u.Type != r.Type:
		return mismatch("type")
	case u.Slug != slug:
		return mismatch("slug")
	case key != "" && u.IdempotencyKey != key:
		return mismatch("idempotencyKey")
	case (u.Site == 0) != (r.Website == ""):
		return mismatch("website")
	case (u.Replaces == 0) != (r.Replaces == ""):
		return mismatch("replace")
	case u.Site != 0:
		to := vitrine.Upload{}
		err := deploysTo(tx, a, &to, r.Website)
		if err == nil && to.Site != u.Site {
			err = mismatch("website")
		}
		return err
	case u.Replaces == 0:
		return nil
	}
	m, err := s.replaced(tx, a, r.Replaces)
	if err == nil && m.ID != u.Replaces {
		err = mismatch("replace")
	}
	return err
}
