package publish

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
)

// replaces sets the link that an upload becomes a version of.
func (s *Uploads) replaces(tx vitrine.Tx, a *vitrine.Account, u *vitrine.Upload, r UploadRequest) error {
	m, err := s.replaced(tx, a, r.Replaces)
	if err != nil {
		return err
	}
	u.Replaces = m.ID
	if r.Precondition != nil && u.IdempotencyKey != "" {
		// A retry gets the same answer as the first try.
		if _, err := tx.UploadByKey(u.Account, u.IdempotencyKey); err == nil {
			return nil
		}
	}
	if r.Precondition != nil {
		m.ApplyExpiry(s.Now())
		return r.Precondition(m)
	}
	return nil
}

// replaced finds the link whose file is to be replaced.
func (s *Uploads) replaced(tx vitrine.Tx, a *vitrine.Account, slug string) (*vitrine.Link, error) {
	m, err := links.OwnLinkByAnySlug(tx, a, slug, s.Now())
	if errors.Is(err, vitrine.ErrNoOwnLink) {
		err = errNotReplaced
	}
	return m, err
}

var errNotReplaced = &vitrine.Error{Code: vitrine.CodeNotFound, Field: "replace", Message: vitrine.ErrNoOwnLink.Message}

// onlyFile returns an error if a request that replaces a file or deploys a
// website would also change the page.
func (r CompleteRequest) onlyFile() error {
	keeps := keepsPage
	switch {
	case r.Website != "" && r.Replaces != "":
		return keepsSite("replace")
	case r.Website != "":
		keeps = keepsSite
	case r.Replaces == "":
		return nil
	}
	switch {
	case r.LinkName != nil:
		return keeps("linkName")
	case r.Slug != nil:
		return keeps("slug")
	case r.AllowDownload != nil:
		return keeps("allowDownload")
	case r.ExpiresAt != nil:
		return keeps("expiresAt")
	case r.Access != nil && r.Website != "":
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "access",
			Message: "A website cannot be protected: its files load each other from a host that gets no cookies. Publish a single file instead."}
	case r.Access != nil:
		return keeps("access")
	}
	return nil
}

func keepsPage(field string) error {
	return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field,
		Message: "A link keeps its title, address and settings when its file is replaced. Leave " + field +
			" out, and edit the link instead."}
}

// openReplaced returns an error if the file of the link that an upload names
// cannot be replaced.
func openReplaced(tx vitrine.Tx, u *vitrine.Upload) error {
	m, err := tx.Link(u.Replaces)
	if vitrine.NotFoundIsNil(err) != nil {
		return err
	}
	if err != nil || m.Account != u.Account || !m.DeletedAt.IsZero() {
		return errNotReplaced
	}
	return links.Replaceable(m)
}

// replace adds a checked file as a version to the link that its upload
// replaces, and ends the upload. The completion's link becomes that link. If
// the bytes are those of the current version, replace adds no version.
func (c *completion) replace(tx vitrine.Tx, u *vitrine.Upload, now time.Time) error {
	m, err := tx.Link(u.Replaces)
	if err == nil {
		err = m.Expire(tx, now)
	}
	if err != nil {
		return err
	}
	if c.expected != nil {
		if err := c.expected(m); err != nil {
			return err
		}
	}
	a, err := tx.Account(m.Account)
	if err != nil {
		return err
	}
	if c.unused = m.HasBytes && m.SHA256 == c.link.SHA256; !c.unused {
		if err := holdKnown(tx, &c.link); err != nil {
			return err
		}
		if err := links.AddVersion(tx, m, &c.link, c.Plans.LimitsOf(a).Versions, now); err != nil {
			return err
		}
	}
	c.link = *m
	return c.end(tx, u, now)
}
