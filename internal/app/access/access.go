// Package access decides whether the bytes of a link may be handed out: to
// readers, to its owner, to a moderator. Every way to the bytes asks it, and so
// does everything that makes a link public (promise 5).
package access

import (
	"errors"
	"time"

	"vitrine"
)

// File is what is asked for: the file that a link shows, or a version of a
// website.
type File struct {
	Link      *vitrine.Link      // nil for a website without a version
	Account   *vitrine.Account   // of the link
	Recipient *vitrine.Recipient // through whose address it is asked for; nil: the plain address
	Website   bool               // the link is shown as a version of a website
}

// Asker is who asks. The zero Asker is a reader.
type Asker struct {
	Account *vitrine.Account // of a key or session; nil for a reader
	Key     *vitrine.APIKey  // of the request or its address; nil if none
	// ByAddress reports whether the address is all that the request has.
	// Anybody may have it, so it opens what readers may see, and no more.
	ByAddress bool
	// Examines reports whether the account asks as a moderator.
	Examines bool
	// Pass returns what a reader has of the link's gate; nil means nothing. It
	// is only called for a link with a gate.
	Pass func(*vitrine.Link) vitrine.Pass
	// Reports reports whether a reader only reports the link, which needs no
	// pass.
	Reports bool
}

// Check returns nil if the asker may have the file at a time. An error for a
// reader reveals no more than the public page does; a Gate says that a reader
// needs a pass. Errors for others:
// CodeNotFound, CodeUnauthorized, CodeBanned, CodeForbidden (Withheld).
func (f File) Check(by Asker, now time.Time) error {
	switch {
	case by.Examines:
		if by.Account == nil || !by.Account.Moderates() || !f.Link.Kept() || !f.Link.HasBytes {
			return vitrine.ErrNoLink
		}
		return nil
	case by.Account == nil:
		return f.read(by, now)
	}
	if err := f.owned(by, now); err != nil || !by.ByAddress {
		return err
	}
	return f.read(by, now)
}

// owned decides for the account of a key or session.
func (f File) owned(by Asker, now time.Time) error {
	l := f.Link
	switch {
	case by.Key != nil && (by.Key.Account != by.Account.ID || !by.Key.InForce(now)):
		return vitrine.Errorf(vitrine.CodeUnauthorized, "The API key has expired or was revoked.")
	case by.Account.Banned || !by.Account.ClosedAt.IsZero():
		return vitrine.ErrBanned
	case l.Account != by.Account.ID || !l.DeletedAt.IsZero():
		return vitrine.ErrNoOwnLink
	case !l.HasBytes:
		return vitrine.Errorf(vitrine.CodeNotFound, "This instance does not have the file of this link.")
	}
	return Withheld(l)
}

// Withheld returns CodeForbidden for a file that nobody but moderators gets: a
// moderator took it down, the scanner found something in it, or the same bytes
// were taken down before.
func Withheld(l *vitrine.Link) error {
	held := l.State == vitrine.StateReview || l.State == vitrine.StateDisabled
	switch l.Reason {
	case vitrine.ReasonModerator, vitrine.ReasonMalware, vitrine.ReasonSuspicious, vitrine.ReasonKnownBytes:
		if held {
			return vitrine.Errorf(vitrine.CodeForbidden, "This file is withheld: %s Only moderators can open it.",
				OwnerMeaning(l.Reason))
		}
	}
	return nil
}

// CheckPublish returns CodeForbidden if a link or version may not become public
// by a decision of an actor: the same bytes were taken down here, or are held
// as dangerous. Only a moderator may show them.
func CheckPublish(tx vitrine.LinkTx, l *vitrine.Link, by vitrine.Actor) error {
	if by.Kind == vitrine.ActorModerator || by.Kind == vitrine.ActorAdministrator || l.SHA256 == "" {
		return nil
	}
	refused, err := tx.BytesRefused(l.SHA256)
	if refused && err == nil {
		err = vitrine.Errorf(vitrine.CodeForbidden,
			"The same file was taken down on another link, so it cannot be shown. If you upload it again, a moderator checks it.")
	}
	return err
}

// read decides for readers.
func (f File) read(by Asker, now time.Time) error {
	if f.Website {
		return f.visited()
	}
	l := f.Link
	if !l.DeletedAt.IsZero() || !f.Account.ClosedAt.IsZero() || !l.Standalone() {
		return vitrine.ErrNoLink
	}
	seen := *l
	seen.ApplyExpiry(now)
	switch {
	case f.Account.Banned:
	case seen.State == vitrine.StateLive:
		if err := received(f.Recipient, now); err != nil {
			return err
		}
		return f.gate(by)
	case seen.State != vitrine.StateDisabled:
		return vitrine.Errorf(vitrine.CodeNotAvailable, "This link is not available yet. Try again later.")
	case seen.Reason == vitrine.ReasonExpired:
		return vitrine.Errorf(vitrine.CodeDisabled, "This link has expired.")
	}
	return vitrine.Errorf(vitrine.CodeDisabled, "This link has been disabled.")
}

// gate decides for readers of a live link.
func (f File) gate(by Asker) error {
	var pass vitrine.Pass
	switch {
	case !f.Link.Access.Gated() || by.Reports:
		return nil
	case by.Pass != nil:
		pass = by.Pass(f.Link)
	}
	opened := f.Link.OpenedBy(pass)
	if f.Link.Access.Admits(pass) || opened && f.Link.Access.Readers == 0 {
		return nil
	}
	return &Gate{f.Link, !f.Link.Access.Asks() || f.Link.Access.Fits(pass) || opened}
}

// CheckAlbum returns nil if a reader may see an album, and a Gate of its Door
// if that needs a pass.
func CheckAlbum(a *vitrine.Album, by Asker) error { return File{Link: a.Door()}.gate(by) }

// received decides for readers who come through the address of a recipient, or
// through the plain one (nil).
func received(r *vitrine.Recipient, now time.Time) error {
	switch {
	case r == nil:
	case !r.RevokedAt.IsZero():
		return vitrine.Errorf(vitrine.CodeDisabled, "This address is no longer valid.")
	case !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt):
		return vitrine.Errorf(vitrine.CodeDisabled, "This address has expired.")
	}
	return nil
}

// visited decides for visitors of a website.
func (f File) visited() error {
	l := f.Link
	switch {
	case !f.Account.ClosedAt.IsZero() || l != nil && !l.OfSite():
		return vitrine.ErrNoSite
	case f.Account.Banned, l != nil && l.State == vitrine.StateDisabled:
		return vitrine.Errorf(vitrine.CodeDisabled, "This website has been disabled.")
	case l == nil || l.State != vitrine.StateLive:
		return vitrine.Errorf(vitrine.CodeNotAvailable, "This website is not available yet. Try again later.")
	case !l.DeletedAt.IsZero() || !l.HasBytes:
		return vitrine.ErrNoSite
	}
	return nil
}

// Website finds the shown version of a website, and its account, for readers.
// Errors are those of Check, and CodeNotFound if there is no such website.
func Website(tx vitrine.Tx, slug vitrine.Slug, now time.Time) (*vitrine.Link, *vitrine.Account, error) {
	site, err := tx.SiteBySlug(slug)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && !site.DeletedAt.IsZero() {
		return nil, nil, vitrine.ErrNoSite
	}
	if err != nil {
		return nil, nil, err
	}
	a, err := tx.Account(site.Account)
	if err != nil {
		return nil, nil, err
	}
	version, err := site.Shown(tx)
	if err != nil {
		return nil, nil, err
	}
	return version, a, File{Link: version, Account: a, Website: true}.Check(Asker{}, now)
}
