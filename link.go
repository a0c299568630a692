package vitrine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"vitrine/internal/filetype"
	"vitrine/report"
	"vitrine/report/part"
)

// File is a stored file and what is known about it. A link has one, and so has
// each version of a link or website.
type File struct {
	Upload  UploadID // the upload that brought it, and the key of its bytes; "" if none: imported, purged
	Name    string
	Type    string // declared MIME type
	Kind    filetype.Kind
	Size    int64        // bytes
	SHA256  string       // lower-case hex
	Pages   int          // of a PDF; 0 if unknown
	Outline part.Outline // the parts of a file that is read like a web page, or of a PDF
	Files   int64        // number of files that a website serves
	// HasBytes reports whether bytes are stored and count. For a deleted link:
	// whether something may remain to be purged, its bytes if Upload is set.
	HasBytes bool
	// Scanned is the version of the signatures at the last scan, clean or not;
	// "" if there was none.
	Scanned string
	Parts   Parts        // stored beside its bytes
	Preview PreviewState // whether the parts made from the bytes exist
}

// Take moves another row's file here. The other one keeps what is known about
// it: name, type, kind, size and parts.
func (f *File) Take(from *File) {
	*f = *from
	*from = File{Name: f.Name, Type: f.Type, Kind: f.Kind, Size: f.Size, Pages: f.Pages, Outline: f.Outline,
		Files: f.Files}
}

// Link is a published file and its page, or a version: a file that is
// inspected, scanned and decided about like that of a link, but without a page
// of its own.
type Link struct {
	ID      LinkID
	Account AccountID
	Slug    Slug // "" once a deleted link's slug was released, and of versions
	Title   string
	Labels  Labels // for its owner
	Notes   string // on days of its report, as the package links writes them
	File

	Key           KeyID  // the key that created it; 0 if none or unknown
	Client        string // the program that made it, as it names itself; "": not known
	AllowDownload bool
	State         LinkState
	Reason        string // reason code: why it is in review or disabled
	Detail        string // finding, such as a signature or a member of an archive
	CreatedAt     time.Time
	StateAt       time.Time // when it entered its state
	ExpiresAt     time.Time // when it is disabled; zero if never
	DeletedAt     time.Time // zero if not deleted
	TrashUntil    time.Time // until when a deleted link can be restored; zero if it cannot

	// Site is the website that it is a version of, or 0. Only its website shows
	// it.
	Site SiteID
	// Of is the link that it is a version of, or 0. A link has the file of the
	// current version. Any other version has its own file, and its State
	// concerns only that. The row of the current version has no file.
	Of       LinkID
	Version  int    // of a link: number of the current version; of a version: its number
	Versions int    // of a link: highest number so far; 0 if never replaced
	Pending  LinkID // of a link: version that becomes current when it is live; 0 if none

	Told int64 // the highest number of views that an event told: 1, 10, 100 and so on

	Bell   Bell
	RungOn report.Day // the last day on which a mail said that it is viewed, in the owner's time zone

	Access Access // what readers need; of a version of a link: none
	// Through and Albums are set for a reader only. They are not stored.
	Through Through
	Albums  *Albums // the protected ones that the link is in: their passes open it too
}

// Bell is when its owner gets a mail that a person views a link.
type Bell string

const (
	BellFirst Bell = ""      // at the first view ever
	BellDaily Bell = "daily" // at the first view of each day, too
	BellOff   Bell = "off"   // never; no other mails about the link either
)

// OfLink and OfSite report whether it is a version of a link, or of a website.
func (l *Link) OfLink() bool { return l.Of != 0 }
func (l *Link) OfSite() bool { return l.Site != 0 }

// Standalone reports whether it is a link, with a page.
func (l *Link) Standalone() bool { return !l.OfLink() && !l.OfSite() }

// LinkState is the state of a link (contract, Link states).
type LinkState string

const (
	StateLive       LinkState = "live"
	StateReview     LinkState = "review"     // held until a person clears it
	StateProcessing LinkState = "processing" // a video being scanned
	StateDisabled   LinkState = "disabled"
)

// Hold makes a new link begin in review. Only the first reason is kept.
func (l *Link) Hold(reason, detail string) {
	if l.State != StateReview {
		l.State, l.Reason, l.Detail = StateReview, reason, detail
	}
}

// InitialActor returns the actor that gives a new link its first state.
func (l *Link) InitialActor() Actor {
	switch l.Reason {
	case "", ReasonKnownBytes:
		return Owner(l.Account)
	case ReasonScanUnavailable, ReasonScanSlow, ReasonScanLimit, ReasonSuspicious:
		return Actor{Kind: ActorScanner}
	}
	return Actor{Kind: ActorInspection}
}

// Expired reports whether a live link is past its expiry, before Expire has
// recorded it.
func (l *Link) Expired(now time.Time) bool {
	return l.State == StateLive && !l.ExpiresAt.IsZero() && !now.Before(l.ExpiresAt)
}

// ApplyExpiry applies expiry to a link that was read: past its expiry it is
// disabled, even before Expire has recorded it.
func (l *Link) ApplyExpiry(now time.Time) {
	if l.Expired(now) {
		l.State, l.Reason, l.Detail, l.StateAt = StateDisabled, ReasonExpired, "", l.ExpiresAt
	}
}

// Expire records the expiry of a link that is past it.
func (l *Link) Expire(tx Tx, now time.Time) error {
	if !l.Expired(now) {
		return nil
	}
	return l.Transition(tx, now, Change{By: Actor{Kind: ActorExpiry}, Action: ActionExpire, To: StateDisabled,
		Reason: ReasonExpired})
}

// Tag returns a tag of what the owner sees of a link and its file. It changes
// with any of it.
func (l *Link) Tag() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %q %q %q %t %s %s %s %d %s %s %q", l.Upload, l.Slug, l.Title, l.Name,
		l.Type, l.AllowDownload, l.State, l.Reason, l.Detail, l.ExpiresAt.UnixMilli(), l.Access, l.Bell, l.Labels))
	return hex.EncodeToString(sum[:12])
}

// Live reports whether the public may see the link.
func (l *Link) Live() bool { return l.State == StateLive && l.DeletedAt.IsZero() }

// ErrNoLink is the error for a link that does not exist for who asks.
var ErrNoLink = Errorf(CodeNotFound, "There is no link with this address.")

// OldSlug is a slug that a link had before. Until a time, its address leads to
// the link and nobody else can take it.
type OldSlug struct {
	Slug  Slug
	Link  LinkID
	Until time.Time
}

// InTrash reports whether a deleted link can be restored. Kept reports whether
// its views and recipients exist: it is in the trash, or not deleted.
func (l *Link) InTrash() bool { return !l.TrashUntil.IsZero() }
func (l *Link) Kept() bool    { return l.DeletedAt.IsZero() || l.InTrash() }

// MayMove reports whether the owner may change the link's slug. It is false for
// a link in review and for one that others disabled.
func (l *Link) MayMove() bool {
	return l.State == StateLive || l.State == StateDisabled && (l.Reason == ReasonOwner || l.Reason == ReasonExpired)
}

// SearchWords returns the text by which a link is found: title, file name and
// slug, folded, one per line.
func (l *Link) SearchWords() string {
	return folded(l.Title) + "\n" + folded(l.Name) + "\n" + string(l.Slug)
}

// DeleteVersion deletes a version and its abuse reports. Its bytes are spare
// until a purge deletes them.
func (l *Link) DeleteVersion(tx Tx, now time.Time, by Actor) error {
	l.DeletedAt, l.HasBytes = now, true
	return errors.Join(l.Transition(tx, now, Change{By: by, Action: ActionDelete}), tx.DeleteAbuseReports(l.ID))
}

// SpareFile returns the bytes of a deleted link on the list of spare files.
func (l *Link) SpareFile() SpareFile {
	return SpareFile{Key: l.Upload, Size: l.Size, Link: l.ID, Since: l.DeletedAt}
}

// disableSite disables the website of a pending version that was live and is
// now disabled. The version becomes the current one, so that no older version
// reappears. Undoing only the approval leaves the website in its previous
// state.
func (l *Link) disableSite(tx SiteTx, c Change) error {
	if !l.OfSite() || c.From != StateLive || c.To == StateLive || c.Action == ActionUndo || c.Action == ActionDelete {
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
	// AddLink sets l.ID, and Version to 1 if it is 0. Slugs are unique over all
	// links whose row has one, including deleted links. The versions of a link
	// are unique.
	AddLink(l *Link) error
	Link(id LinkID) (*Link, error)
	// LinksByID returns those of the links that exist, in any order.
	LinksByID(ids []LinkID) ([]*Link, error)
	// Version finds the row of a link's version by its number, including
	// deleted ones. A link that was never replaced has none.
	Version(of LinkID, n int) (*Link, error)
	// LinkBySlug finds a link in any state, including deleted ones.
	LinkBySlug(s Slug) (*Link, error)
	PutLink(l *Link) error
	// Links lists the links that q selects and that are not deleted, newest
	// first (by creation, then ID).
	Links(q LinkQuery) ([]*Link, error)
	// LinksBySHA256 lists at most n (0: all) links with the same bytes, newest
	// first, including deleted ones.
	LinksBySHA256(sum string, n int) ([]*Link, error)
	// BytesRefused reports whether a link with these bytes, deleted or not, is
	// disabled as malware or by a moderator, or is in review as malware or
	// because of abuse reports.
	BytesRefused(sum string) (bool, error)
	// ScanDue lists, in order of their IDs, at most n links in a state that
	// have bytes, an ID above after, and a last scan with other signatures.
	ScanDue(state LinkState, signatures string, after LinkID, n int) ([]*Link, error)
	// LinkIDs returns the IDs of all Links in any order. It ignores Sort,
	// Before, Offset and Limit.
	LinkIDs(q LinkQuery) ([]LinkID, error)
	// LinkFacts lists what an account's report needs of each link that is
	// [Link.Kept], in any order, without rows of versions. LinkFactsOf lists
	// those of the given links.
	LinkFacts(a AccountID) ([]LinkFacts, error)
	LinkFactsOf(ids []LinkID) ([]LinkFacts, error)
	// LinkTotals counts an account's links that are not deleted, and returns
	// when the oldest of those that LinkFacts lists was created; zero: none.
	LinkTotals(a AccountID) (n int64, oldest time.Time, err error)
	// CountLinks counts an account's links that are not deleted, and their
	// bytes. A website or link counts once, however many versions it has; the
	// bytes include its versions.
	CountLinks(a AccountID) (n, bytes int64, err error)
	// Labels lists what LinksByKey counts, once each: the sets of labels of an
	// account's links that have any.
	Labels(a AccountID) ([]Labels, error)
	// LinksExpired lists at most n live links that are past their expiry, the
	// longest expired first.
	LinksExpired(now time.Time, n int) ([]*Link, error)
	// LinksByKey counts the links of an account that are not deleted, by the
	// key that created them.
	LinksByKey(a AccountID) (map[KeyID]int64, error)
	// ReleaseSlugs removes the slugs from links, websites and albums deleted
	// before a time, so that they can be used again. It returns the number of
	// rows.
	ReleaseSlugs(deletedBefore time.Time) (int64, error)
}

// OldSlugTx reads and writes slugs that links had within a transaction.
type OldSlugTx interface {
	// PutOldSlug stores a former slug of a link. It replaces a row with the
	// same slug. The link must exist.
	PutOldSlug(o *OldSlug) error
	// OldSlug finds a former slug that still leads to its link at now: its
	// Until is later.
	OldSlug(s Slug, now time.Time) (*OldSlug, error)
	// OldSlugs lists the former slugs that still lead to a link (0: to any) at
	// now, the one with the latest Until first.
	OldSlugs(l LinkID, now time.Time) ([]*OldSlug, error)
	DeleteOldSlug(s Slug) error
	// ExpireOldSlugs deletes the slugs whose Until is not after now, and
	// returns their number.
	ExpireOldSlugs(now time.Time) (int64, error)
}

// ErrNoOwnLink is returned for a link that the account does not have.
var ErrNoOwnLink = Errorf(CodeNotFound, "Link not found.")

// slugTries bounds the search for a free slug among 31^10.
const slugTries = 8

func addLink(tx Tx, l *Link) error {
	if l.Slug != "" {
		return tx.AddLink(l)
	}
	return AddNamed("", func(slug Slug) error {
		if _, err := tx.OldSlug(slug, l.CreatedAt); err == nil {
			return ErrExists
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		l.Slug = slug
		return tx.AddLink(l)
	})
}

// ErrSlugTaken is returned for a slug that is in use.
var ErrSlugTaken = &Error{Code: CodeSlugTaken, Field: "slug", Message: "This address is taken. Choose another."}

// AddNamed calls add with the chosen slug or, if it is "", with generated ones
// until one is free.
func AddNamed(chosen Slug, add func(Slug) error) error {
	if chosen != "" {
		err := add(chosen)
		if errors.Is(err, ErrExists) {
			return ErrSlugTaken
		}
		return err
	}
	for range slugTries {
		slug := NewSlug()
		if reservedSlugs[string(slug)] {
			continue
		}
		if err := add(slug); !errors.Is(err, ErrExists) {
			return err
		}
	}
	return errors.New("no free slug found")
}

// Captions returns the languages of the link's captions, canonical and sorted.
func (l *Link) Captions() []string {
	var languages []string
	for _, p := range l.Parts.All() {
		if tag, err := ParseLanguage(p.Language()); err == nil {
			languages = append(languages, tag)
		}
	}
	slices.Sort(languages)
	return languages
}
