package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"
	"vitrine/internal/visitor"
	"vitrine/report"
	"vitrine/report/part"
)

type importedView struct {
	Slug      string           `json:"slug"`
	At        string           `json:"at"`
	Viewer    string           `json:"viewer"`
	Country   string           `json:"country"`
	City      string           `json:"city"`
	Referrer  string           `json:"referrer"`
	Source    string           `json:"source"`
	Device    string           `json:"device"`
	Browser   string           `json:"browser"`
	OS        string           `json:"os"`
	Version   int              `json:"version"`
	Recipient string           `json:"recipient"`
	Album     string           `json:"album"`
	Campaign  string           `json:"campaign"`
	Medium    string           `json:"medium"`
	Content   string           `json:"content"`
	Term      string           `json:"term"`
	Bot       bool             `json:"bot"`
	Product   string           `json:"product"`
	QR        bool             `json:"qr"`
	Returning bool             `json:"returning"`
	Session   *importedSession `json:"session"`
}

type importedSession struct {
	EngagedMs  *int64         `json:"engagedMs"`
	PresentMs  *int64         `json:"presentMs"`
	Screen     string         `json:"screen"`
	Downloaded bool           `json:"downloaded"`
	Pages      []importedPage `json:"pages"`
	Parts      []importedPart `json:"parts"`
	Clicks     []part.Click   `json:"clicks"`
	PlayedPct  *float64       `json:"playedPct"`
	ReachedPct *float64       `json:"reachedPct"`
	PlayedIn   [][2]float64   `json:"playedIn"`
	ScrollPct  *float64       `json:"scrollPct"`
}

type importedPage struct {
	Page  int     `json:"page"`
	Ms    int64   `json:"ms"`
	Bands []int64 `json:"bands"`
}

type importedPart struct {
	Part  int     `json:"part"`
	Ms    int64   `json:"ms"`
	Bands []int64 `json:"bands"`
}

// importTarget is a link to which views are imported.
type importTarget struct {
	account vitrine.AccountID
	link    vitrine.LinkID
	files   map[int]importedFile // by version; of a link that was replaced, all that are known
	created int64                // when the link was created, in Unix milliseconds
	to      map[string]int64     // the link's recipients, by their IDs as texts; nil: not read yet
	first   int64                // the earliest view in the file
	last    int64                // the latest one
	kept    report.Day           // the first day that has not expired
	number  uint32               // in staging.targets
}

// importedFile is the file that a view showed.
type importedFile struct {
	content report.ContentKind
	pages   int // of a PDF, or parts of another file; 0 if unknown
}

// file returns the file of a version of a link. A link that was never replaced
// has one file for all versions.
func (t *importTarget) file(version int) (importedFile, error) {
	if len(t.files) == 1 {
		for _, f := range t.files {
			return f, nil
		}
	}
	if f, ok := t.files[max(version, 1)]; ok {
		return f, nil
	}
	return importedFile{}, fmt.Errorf("version: the link has no version %d, so nothing is known of how its file was read",
		max(version, 1))
}

// view reads one line into o, all but its ID, and returns the link it is to.
// o.Session is good until the next call.
func (i *importing) view(ctx context.Context, b []byte, v *vitrine.ViewRecord) (*importTarget, error) {
	var in importedView
	if err := decodeLine(b, &in); err != nil {
		return nil, err
	}
	l, err := i.target(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	at, err := i.pastTime(in.At)
	if err != nil {
		return nil, fmt.Errorf("at: %w", err)
	}
	if report.DayOf(at.UnixMilli()) < l.kept {
		return nil, fmt.Errorf("views of this account start at %v: earlier days have expired, so their numbers cannot change",
			l.kept)
	}
	if in.Viewer == "" {
		return nil, errors.New("viewer is missing")
	}
	*v = vitrine.ViewRecord{Account: l.account, View: report.View{At: at.UnixMilli(), Link: int64(l.link),
		Viewer:  importedViewer(l.account, in.Viewer),
		Country: in.Country, City: in.City, Referrer: in.Referrer, Source: cmp.Or(in.Source, "Direct"),
		Device:  in.Device,
		Browser: in.Browser, OS: in.OS, Version: in.Version, Campaign: in.Campaign, Medium: in.Medium,
		Content: in.Content, Term: in.Term,
		Product: in.Product, QR: in.QR, Returning: in.Returning}}
	switch {
	case in.Version < 0 || in.Version > maxVersion:
		return nil, fmt.Errorf("version %d is not between 1 and %d", in.Version, maxVersion)
	case in.Product != "" && !in.Bot:
		return nil, errors.New("product requires bot")
	case in.Bot:
		v.Bot = report.BotImported
	}
	for _, label := range labelsOf(v) {
		if len(*label) > 255 || !printableASCII(*label) && filetype.HasControl(*label) {
			return nil, fmt.Errorf("%q is longer than 255 bytes or has control characters", *label)
		}
	}
	if in.Recipient != "" {
		if v.Recipient, err = i.recipient(ctx, l, in.Recipient); err != nil {
			return nil, err
		}
	}
	if in.Album != "" {
		if v.Album, err = i.album(ctx, l, in.Album); err != nil {
			return nil, err
		}
	}
	if in.Session == nil {
		return l, nil
	}
	v.Session = &i.session
	f, err := l.file(in.Version)
	if err != nil {
		return nil, err
	}
	return l, in.Session.read(f, v.Session)
}

// printableASCII spares most labels the look at each of their runes.
func printableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// maxVersion bounds the version of a file.
const maxVersion = 1 << 30

// maxImportMs bounds a time in an import: 34 years.
const maxImportMs = 1 << 40

var screenRanges = visitor.ScreenRanges()

// read checks the engagement in a line and writes it into s, whose memory for
// pages it reuses.
func (in *importedSession) read(l importedFile, s *report.Session) error {
	switch {
	case in.EngagedMs == nil || in.PresentMs == nil:
		return errors.New("session.engagedMs and session.presentMs are required")
	case *in.EngagedMs < 0 || *in.PresentMs < 0 || *in.EngagedMs > maxImportMs || *in.PresentMs > maxImportMs:
		return errors.New("session.engagedMs and session.presentMs are milliseconds, not negative")
	case in.Screen != "" && !slices.Contains(screenRanges, in.Screen):
		return notOneOf("session.screen", in.Screen, screenRanges)
	case len(in.Pages) > 0 && l.content != report.ContentPages:
		return errors.New("session.pages is for PDF links: leave it out, and for a document send session.scrollPct")
	case in.Parts != nil && in.ScrollPct == nil && l.content == report.ContentScroll:
		return errors.New("session.parts needs session.scrollPct beside it")
	case in.Parts != nil && (l.content != report.ContentScroll || l.pages == 0):
		return errors.New("session.parts is for links with sections or slides")
	case (in.PlayedPct != nil || in.ReachedPct != nil || in.PlayedIn != nil) && l.content != report.ContentMedia:
		return errors.New("session.playedPct, session.reachedPct and session.playedIn are for video and audio links")
	case len(in.Clicks) > 0 && l.content != report.ContentPages && l.content != report.ContentScroll:
		return errors.New("session.clicks is for links that are read or scrolled")
	case in.ScrollPct != nil && l.content != report.ContentScroll:
		return errors.New("session.scrollPct is for links that scroll: html, image, text and document")
	}
	*s = report.Session{EngagedMs: *in.EngagedMs, PresentMs: *in.PresentMs, Screen: in.Screen,
		Downloaded: in.Downloaded, Pages: s.Pages[:0], Outlined: in.Parts != nil, Unmeasured: !in.measures(l.content)}
	last := l.pages // part of the file
	if l.content == report.ContentPages {
		last = cmp.Or(last, vitrine.MaxPages)
	}
	if err := in.readPages(last, s); err != nil {
		return err
	}
	for _, m := range []struct {
		pct *float64
		to  *int64
	}{{in.PlayedPct, &s.Played}, {in.ReachedPct, &s.Reached}, {in.ScrollPct, &s.Depth}} {
		if m.pct == nil {
			continue
		}
		if !(*m.pct >= 0 && *m.pct <= 100) {
			return fmt.Errorf("session: %v is not a percentage of 0 to 100", *m.pct)
		}
		*m.to = int64(math.Round(*m.pct * (report.Whole / 100)))
	}
	s.Reached = max(s.Reached, s.Played)
	var err error
	if s.Clicks, err = part.CheckClicks(in.Clicks, last); err != nil {
		return fmt.Errorf("session.clicks: %w", err)
	}
	return in.readParts(s)
}

// measures reports whether the line says how far a file was read.
func (in *importedSession) measures(content report.ContentKind) bool {
	switch content {
	case report.ContentPages:
		return in.Pages != nil
	case report.ContentMedia:
		return in.PlayedPct != nil || in.ReachedPct != nil
	case report.ContentScroll:
		return in.ScrollPct != nil
	}
	return true // nothing of it is measured
}

// readPages reads the time on each page, or on each part of a file that is no
// PDF.
func (in *importedSession) readPages(last int, s *report.Session) error {
	name := "session.pages: page"
	for _, p := range in.Pages {
		if err := addPage(s, last, p.Page, p.Ms, p.Bands); err != nil {
			return fmt.Errorf("%s %d: %w", name, p.Page, err)
		}
	}
	for _, p := range in.Parts {
		name = "session.parts: part"
		if err := addPage(s, last, p.Part, p.Ms, p.Bands); err != nil {
			return fmt.Errorf("%s %d: %w", name, p.Part, err)
		}
	}
	slices.SortFunc(s.Pages, func(a, b report.PageTime) int { return cmp.Compare(a.Page, b.Page) })
	for i, p := range s.Pages {
		if i > 0 && p.Page == s.Pages[i-1].Page {
			return fmt.Errorf("%s %d occurs twice", name, p.Page)
		}
	}
	return nil
}

// addPage adds the time on a page or part of a file.
func addPage(s *report.Session, last, page int, ms int64, bands []int64) error {
	if page < 1 || page > last {
		return errors.New("it is not in the file")
	}
	if ms < 0 || ms > maxImportMs {
		return fmt.Errorf("%d is not a time in milliseconds", ms)
	}
	of, err := part.CheckBands(bands, ms)
	s.Pages = append(s.Pages, report.PageTime{Page: page, Ms: ms, Bands: of})
	return err
}

// readParts reads the ranges of a medium that were played, in percent.
func (in *importedSession) readParts(s *report.Session) error {
	for _, r := range in.PlayedIn {
		from, to := r[0], r[1]
		if !(0 <= from && from < to && to <= report.PartCount) {
			return fmt.Errorf("session.playedIn: %v is not a range within 0 to 100", r)
		}
		s.Parts.AddRange(int(math.Round(from)), int(math.Round(to)))
	}
	if s.Parts.Within(s.Played, s.Reached) != s.Parts {
		return errors.New("session.playedIn exceeds session.playedPct or session.reachedPct")
	}
	return nil
}

// target finds the link of a line, once a slug.
func (i *importing) target(ctx context.Context, slug string) (*importTarget, error) {
	key := strings.ToLower(slug) // as LinkBySlug does: a link is one target
	if t, ok := i.links[key]; ok {
		return t, nil
	}
	var t *importTarget
	err := i.retry(ctx, func() error {
		err := i.Store.Read(ctx, func(tx vitrine.Tx) error {
			l, err := links.LinkBySlug(tx, slug)
			if err != nil {
				return err
			}
			t = &importTarget{account: l.Account, link: l.ID, files: map[int]importedFile{},
				created: l.CreatedAt.UnixMilli(), first: math.MaxInt64}
			rows, err := links.VersionFiles(tx, l)
			for n, row := range rows {
				t.files[n] = importedFile{report.ContentOf(row.Kind), max(row.Pages, row.Outline.Len())}
			}
			return err
		})
		if err == nil {
			t.kept, err = i.Log.RetainedFrom(ctx, t.account)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	t.number = i.staged.target(t)
	i.links[key] = t
	return t, nil
}

// ids reads some IDs, and returns them by their texts.
func (i *importing) ids(ctx context.Context, read func(tx vitrine.Tx) ([]int64, error)) (map[string]int64, error) {
	of := map[string]int64{}
	return of, i.retry(ctx, func() error {
		list, err := vitrine.Read(ctx, i.Store, read)
		for _, id := range list {
			of[report.IDText(id)] = id
		}
		return err
	})
}

// recipient finds a recipient of a link by its ID.
func (i *importing) recipient(ctx context.Context, l *importTarget, text string) (_ int64, err error) {
	if l.to == nil {
		l.to, err = i.ids(ctx, func(tx vitrine.Tx) (ids []int64, err error) {
			list, err := tx.Recipients(vitrine.RecipientQuery{Link: l.link})
			for _, r := range list {
				ids = append(ids, int64(r.ID))
			}
			return ids, err
		})
		if err != nil {
			return 0, err // which ends the import
		}
	}
	if l.to[text] == 0 {
		return 0, fmt.Errorf("recipient: the link has no recipient %q", text)
	}
	return l.to[text], nil
}

// album finds an album of a link's account by its ID.
func (i *importing) album(ctx context.Context, l *importTarget, text string) (_ int64, err error) {
	known, ok := i.albums[l.account]
	if !ok {
		known, err = i.ids(ctx, func(tx vitrine.Tx) (ids []int64, err error) {
			list, err := tx.Albums(l.account)
			for _, a := range list {
				ids = append(ids, int64(a.ID))
			}
			return ids, err
		})
		if err != nil {
			return 0, err
		}
		i.albums[l.account] = known
	}
	if id := known[text]; id != 0 {
		return id, nil
	}
	return 0, fmt.Errorf("album: the account has no album %q", text)
}

// importedViewer returns the viewer for another system's opaque name: within an
// account, the same string is the same viewer in every import.
func importedViewer(a vitrine.AccountID, name string) uint64 {
	b := append(make([]byte, 0, 64), "imported "...)
	b = append(strconv.AppendInt(b, int64(a), 10), ' ')
	sum := sha256.Sum256(append(b, name...))
	return visitor.ViewerOf(sum[:])
}

// pastTime is importTime of a time that is not after today.
func (s *Importer) pastTime(text string) (time.Time, error) {
	at, err := importTime(text)
	if err == nil && report.DayOf(at.UnixMilli()) > report.DayOf(s.Now().UnixMilli()) {
		err = fmt.Errorf("%q is after today (UTC)", text)
	}
	return at, err
}

// firstYear is the earliest year of an import. Earlier dates are mistakes, such
// as a missing date or a number of seconds.
const firstYear = 1990

// importTime parses an RFC 3339 time that a ViewID can hold.
func importTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return t, fmt.Errorf("%q is not an RFC 3339 time such as 2026-05-04T12:00:00.000Z", s)
	}
	t = t.UTC()
	if y := t.Year(); y < firstYear {
		return t, fmt.Errorf("%q is before %d, the first year that can be imported", s, firstYear)
	} else if y > 2099 {
		return t, fmt.Errorf("%q is after 2099", s)
	}
	return t.Truncate(time.Millisecond), nil
}
