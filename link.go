package vitrine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"vitrine/internal/filetype"
	"vitrine/report"
)

// Link is a published file.
type Link struct {
	ID      LinkID
	Account AccountID
	Upload  UploadID // the upload that made it, and the key of its bytes; "" for an imported link, which has none
	Slug    Slug     // "" once a deleted link's slug was released
	Title   string
	Name    string // the file's name
	Type    string // MIME type as declared
	Kind    filetype.Kind
	Size    int64  // bytes
	SHA256  string // lower-case hex
	Pages   int    // of a PDF; 0 unknown

	Key           KeyID  // that it was made with; 0: none, or it was not kept
	Client        string // the program that made it, as it names itself; "": not known
	AllowDownload bool
	State         LinkState
	Reason        string // why it is in review or disabled: a reason code
	Detail        string // what exactly was found, where something was: a signature, a member of an archive
	CreatedAt     time.Time
	StateAt       time.Time // since when it is in its state
	ExpiresAt     time.Time // from when on it is disabled; zero: it does not expire
	DeletedAt     time.Time // zero: not deleted
	// HasBytes says that bytes are stored, and count. Of a deleted link: that
	// something of it may still be there to be removed.
	HasBytes bool
	// Scanned are the signatures by which a scanner last spoke on the bytes,
	// clean or not; "" as long as none has.
	Scanned string

	// Site is the website that it is a version of; 0: it is a link of its own.
	// A version is shown by its website and by nothing else.
	Site  SiteID
	Files int64 // that a version serves

	// Of is the link that this row is a version of; 0: it is a link of its own.
	// A link's own row has the file of its current version. A version that is
	// not current has its file in a row of its own, whose State is that of the
	// file alone; the row of the current version has no file.
	Of       LinkID
	Version  int    // of a link: the number of its current version; of a version: its own
	Versions int    // of a link: the highest number that was given to one; 0: it was never replaced
	Pending  LinkID // of a link: the version that becomes current once it is live; 0: none

	Parts   Parts        // what is kept beside its bytes
	Preview PreviewState // whether those that are made of the bytes have been made
}

// LinkState is the state of a link (contract, Link states).
type LinkState string

const (
	StateLive       LinkState = "live"
	StateReview     LinkState = "review"     // held until a person clears it
	StateProcessing LinkState = "processing" // a video that is being scanned
	StateDisabled   LinkState = "disabled"
)

// Hold makes a link one that begins in review; the first reason stays.
func (l *Link) Hold(reason, detail string) {
	if l.State != StateReview {
		l.State, l.Reason, l.Detail = StateReview, reason, detail
	}
}

// Maker returns who put a new link into its first state.
func (l *Link) Maker() Actor {
	switch l.Reason {
	case "", ReasonKnownBytes:
		return Owner(l.Account)
	case ReasonScanUnavailable, ReasonScanSlow, ReasonScanLimit, ReasonSuspicious:
		return Actor{Kind: ActorScanner}
	}
	return Actor{Kind: ActorInspection}
}

// Expired reports whether a live link is past its expiry, though that is not
// written down yet.
func (l *Link) Expired(now time.Time) bool {
	return l.State == StateLive && !l.ExpiresAt.IsZero() && !now.Before(l.ExpiresAt)
}

// Settle makes a link that was read what it is at a time: one that has expired
// is disabled, also before Expire has written it down.
func (l *Link) Settle(now time.Time) {
	if l.Expired(now) {
		l.State, l.Reason, l.Detail, l.StateAt = StateDisabled, ReasonExpired, "", l.ExpiresAt
	}
}

// Expire writes down that a link has expired, if it has.
func (l *Link) Expire(tx Tx, now time.Time) error {
	if !l.Expired(now) {
		return nil
	}
	return l.Transition(tx, now, Change{By: Actor{Kind: ActorExpiry}, Action: ActionExpire, To: StateDisabled,
		Reason: ReasonExpired})
}

// Tag names what the owner is shown of a link and its file: it changes when any
// of that does.
func (l *Link) Tag() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %q %q %q %t %s %s %s %d", l.Upload, l.Slug, l.Title, l.Name, l.Type,
		l.AllowDownload, l.State, l.Reason, l.Detail, l.ExpiresAt.UnixMilli()))
	return hex.EncodeToString(sum[:12])
}

// Live reports whether the public may see the link.
func (l *Link) Live() bool { return l.State == StateLive && l.DeletedAt.IsZero() }

// Own reports whether it is a link of its own, and no version of a website or
// of another link.
func (l *Link) Own() bool { return l.Site == 0 && l.Of == 0 }

// ContentKindOf tells how progress through a kind of file is measured
// (contract, createUpload).
func ContentKindOf(k filetype.Kind) report.ContentKind {
	switch k {
	case filetype.PDF:
		return report.ContentPages
	case filetype.Video, filetype.Audio:
		return report.ContentMedia
	case filetype.Archive:
		return report.ContentNone
	default:
		return report.ContentScroll
	}
}

// stateFor returns the state that the public sees: the links of a suspended
// account are disabled while it is suspended.
func (l *Link) stateFor(a *Account) LinkState {
	if a.Banned {
		return StateDisabled
	}
	return l.State
}

var ErrNoLink = Errorf(CodeNotFound, "There is no link with this address.")

// ShownBy is nil when the public may see the link of an account at a time, and
// otherwise what its public page says.
func (l *Link) ShownBy(a *Account, now time.Time) error {
	if !l.DeletedAt.IsZero() || !a.ClosedAt.IsZero() || !l.Own() {
		return ErrNoLink
	}
	if l.Expired(now) {
		l = &Link{State: StateDisabled, Reason: ReasonExpired}
	}
	switch l.stateFor(a) {
	case StateLive:
		return nil
	case StateDisabled:
		if !a.Banned && l.Reason == ReasonExpired {
			return Errorf(CodeDisabled, "This link has expired.")
		}
		return Errorf(CodeDisabled, "This link has been disabled.")
	}
	return Errorf(CodeNotAvailable, "This link is not available yet. Try again later.")
}

// OldSlug is a slug that was a link's before: its address leads to the link's
// own until a time, and is nobody else's.
type OldSlug struct {
	Slug  Slug
	Link  LinkID
	Until time.Time
}

// MayMove reports whether the owner of a link may give it another address: not
// of one that is being looked at, or that was taken down by others.
func (l *Link) MayMove() bool {
	return l.State == StateLive || l.State == StateDisabled && (l.Reason == ReasonOwner || l.Reason == ReasonExpired)
}

// Move takes a link to another address within a transaction that then stores
// it.
func (l *Link) Move(tx Tx, to Slug, now time.Time) error {
	if !l.MayMove() {
		return &Error{Code: CodeInvalidRequest, Field: "slug",
			Message: "This link keeps its address while it is being checked, held or taken down. Change it once the link is live."}
	}
	if err := SlugFree(tx, SlugRequest{Slug: to, Link: l.ID}, now); err != nil {
		return err
	}
	old, err := tx.OldSlugs(l.ID, now)
	if err != nil {
		return err
	}
	kept := 1
	for _, o := range old {
		if o.Slug != to {
			kept++
		}
	}
	if kept > maxOldSlugs {
		return &Error{Code: CodeInvalidRequest, Field: "slug", Message: "This link has had " +
			strconv.Itoa(maxOldSlugs) + " other addresses in the last 90 days, which all still lead to it. Go back to one of them, or wait until the oldest has lapsed."}
	}
	if err := NotFoundIsNil(tx.DeleteOldSlug(to)); err != nil { // its own, or one that has lapsed
		return err
	}
	if err := tx.PutOldSlug(&OldSlug{Slug: l.Slug, Link: l.ID, Until: now.Add(SlugRest)}); err != nil {
		return err
	}
	l.Slug = to
	return nil
}

// SearchWords is what a link is searched by: its title, the file's name and its
// slug, folded, each on a line.
func (l *Link) SearchWords() string {
	return folded(l.Title) + "\n" + folded(l.Name) + "\n" + string(l.Slug)
}

// SiteShownBy is nil when the public may see a version of an account; l nil:
// there is none.
func (l *Link) SiteShownBy(a *Account) error {
	switch {
	case !a.ClosedAt.IsZero():
		return ErrNoSite
	case a.Banned, l != nil && l.State == StateDisabled:
		return Errorf(CodeDisabled, "This website has been disabled.")
	case l == nil || l.State != StateLive:
		return Errorf(CodeNotAvailable, "This website is not available yet. Try again later.")
	case !l.DeletedAt.IsZero() || !l.HasBytes:
		return ErrNoSite
	}
	return nil
}

// DeleteVersion deletes a version within a transaction, with what was reported
// about it. Its bytes go with the next purge.
func (l *Link) DeleteVersion(tx Tx, now time.Time, by Actor) error {
	l.DeletedAt, l.HasBytes = now, true
	return errors.Join(l.Transition(tx, now, Change{By: by, Action: ActionDelete}), tx.DeleteAbuseReports(l.ID))
}

// LeaveSite takes a deleted version off its website. No other version takes its
// place.
func (l *Link) LeaveSite(tx SiteTx) error {
	if l.Site == 0 {
		return nil
	}
	site, err := tx.Site(l.Site)
	if err != nil {
		return err
	}
	if site.Current == l.ID {
		site.Current = 0
	}
	if site.Pending == l.ID {
		site.Pending = 0
		if l.State == StateLive {
			site.Current = 0
		}
	}
	return tx.PutSite(site)
}

// disableSite disables the website of a version that is disabled before the
// website showed it: the version becomes the current one, so that no older
// version comes back. Undoing the approval itself leaves the website as it was
// before.
func (l *Link) disableSite(tx SiteTx, c Change) error {
	if l.Site == 0 || c.From != StateLive || c.To == StateLive || c.Action == ActionUndo || c.Action == ActionDelete {
		return nil
	}
	site, err := tx.Site(l.Site)
	if err != nil || site.Pending != l.ID {
		return err
	}
	site.Current, site.Pending = l.ID, 0
	return tx.PutSite(site)
}

// LinkTx reads and writes links within a transaction.
type LinkTx interface {
	// AddLink gives l.ID, and the version 1 to a link without one. Slugs are
	// unique over all links, deleted ones too as long as their row keeps the
	// slug; so are the versions of a link.
	AddLink(l *Link) error
	Link(id LinkID) (*Link, error)
	// Version finds the row of a version of a link by its number, deleted or
	// not. A link that was never replaced has none.
	Version(of LinkID, n int) (*Link, error)
	// LinkBySlug finds a link whatever its state, deleted ones too.
	LinkBySlug(s Slug) (*Link, error)
	PutLink(l *Link) error
	// Links lists links that are not deleted, newest first (by creation, then
	// ID), as q asks.
	Links(q LinkQuery) ([]*Link, error)
	// LinksBySHA256 lists at most n (0: all) links with the same bytes, newest
	// first, deleted ones too.
	LinksBySHA256(sum string, n int) ([]*Link, error)
	// BytesRefused reports whether a link with these bytes, deleted or not, is
	// disabled as malware or by a moderator, or in review as malware or by
	// abuse reports.
	BytesRefused(sum string) (bool, error)
	// ScanDue lists at most n links with bytes in a state, with IDs greater
	// than after, in order, whose last scan was by other signatures.
	ScanDue(state LinkState, signatures string, after LinkID, n int) ([]*Link, error)
	// LinkIDs returns only the IDs of Links, all of them and in no order: Sort,
	// Before, Offset and Limit are ignored.
	LinkIDs(q LinkQuery) ([]LinkID, error)
	// LinkFacts lists what an account's report needs of each link that is not
	// deleted, in any order; versions are left out.
	LinkFacts(a AccountID) ([]LinkFacts, error)
	// CountLinks counts an account's links that are not deleted, and their
	// bytes. A website or a link counts once, however many versions it has; the
	// bytes include those of its versions.
	CountLinks(a AccountID) (n, bytes int64, err error)
	// LinksExpired lists at most n live links that have expired at a time, the
	// longest expired first.
	LinksExpired(now time.Time, n int) ([]*Link, error)
	// LinksByKey counts the links of an account that are not deleted, for each
	// key that they were made with.
	LinksByKey(a AccountID) (map[KeyID]int64, error)
	// ReleaseSlugs takes the slug from the rows of links, websites and albums
	// deleted before a time, so that the slug can be used again, and returns
	// the number of rows.
	ReleaseSlugs(deletedBefore time.Time) (int64, error)
}

// OldSlugTx reads and writes slugs that links had within a transaction.
type OldSlugTx interface {
	// PutOldSlug stores a slug that a link had, and replaces what was stored
	// for the same slug. The link must exist.
	PutOldSlug(o *OldSlug) error
	// OldSlug finds a slug that a link had and that still leads to the link at
	// now: its Until is later.
	OldSlug(s Slug, now time.Time) (*OldSlug, error)
	// OldSlugs lists the slugs that still lead to a link (0: to any) at now,
	// the one with the latest Until first.
	OldSlugs(l LinkID, now time.Time) ([]*OldSlug, error)
	DeleteOldSlug(s Slug) error
	// ExpireOldSlugs deletes the slugs whose Until is not after now, and
	// returns their number.
	ExpireOldSlugs(now time.Time) (int64, error)
}
