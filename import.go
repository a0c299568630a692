package vitrine

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"vitrine/internal/filetype"
	"vitrine/internal/visitor"
	"vitrine/report"

	"github.com/go-json-experiment/json"
)

// BotImported is the reason of an imported open that its file calls a bot's.
const BotImported = "imported"

const (
	importBatch   = 5000    // opens of one transaction: a server on the same log waits for no more than that
	importMaxLine = 1 << 20 // bytes
)

// Imports brings the history of another system in (import format).
type Imports struct {
	Store Store
	Log   ViewLog
	Now   func() time.Time
}

// ImportResult says what an import did.
type ImportResult struct {
	Lines   int64 // of the file
	Added   int64 // links or opens that this run added
	Already bool  // all of it was there before
}

type importedLink struct {
	line       int64
	Slug       string `json:"slug"`
	Title      string `json:"title"`
	Kind       string `json:"kind"`
	CreatedAt  string `json:"createdAt"`
	Account    string `json:"account"`
	PagesTotal int    `json:"pagesTotal"`
	SizeBytes  int64  `json:"sizeBytes"`
}

// Links adds links without bytes, one a line; all of them or, when a line is wrong, none. A link that is there already just as
// the line says is passed over.
func (s *Imports) Links(ctx context.Context, r io.Reader) (ImportResult, error) {
	var links []importedLink
	_, err := eachLine(r, func(line int64, b []byte) error {
		l := importedLink{line: line}
		if err := decodeLine(b, &l); err != nil {
			return err
		}
		links = append(links, l)
		return nil
	})
	if err != nil {
		return ImportResult{}, err
	}
	var res ImportResult
	err = s.Store.Update(ctx, func(tx Tx) error {
		res = ImportResult{Lines: int64(len(links))}
		for _, in := range links {
			added, err := addImported(tx, in, s.Now())
			if err != nil {
				return lineError(in.line, err)
			}
			if added {
				res.Added++
			}
		}
		return nil
	})
	res.Already = err == nil && res.Lines > 0 && res.Added == 0
	return res, err
}

func addImported(tx Tx, in importedLink, now time.Time) (bool, error) {
	slug, err := ParseSlug(in.Slug)
	if err != nil {
		return false, err
	}
	title, err := ParseTitle(in.Title)
	if err != nil {
		return false, err
	}
	kind := filetype.Kind(in.Kind)
	if !slices.Contains(filetype.Kinds(), kind) {
		return false, fmt.Errorf("kind %q is none of %v", in.Kind, filetype.Kinds())
	}
	at, err := importTime(in.CreatedAt)
	if err != nil {
		return false, fmt.Errorf("createdAt: %w", err)
	}
	if in.PagesTotal < 0 || in.PagesTotal > maxPages || in.SizeBytes < 0 {
		return false, fmt.Errorf("pagesTotal and sizeBytes are not negative, and pagesTotal is at most %d", maxPages)
	}
	a, err := accountByEmail(tx, in.Account)
	if err != nil {
		return false, err
	}
	l := &Link{Account: a.ID, Slug: slug, Title: title, Name: title, Kind: kind, Size: in.SizeBytes, Pages: in.PagesTotal,
		State: StateLive, CreatedAt: at, StateAt: at}
	old, err := tx.LinkBySlug(slug)
	if errors.Is(err, ErrNotFound) {
		if err := slugFree(tx, &Upload{Slug: slug}, now); err != nil {
			return false, err
		}
		return true, tx.AddLink(l)
	}
	switch {
	case err != nil:
		return false, err
	case old.Account == l.Account && old.Title == l.Title && old.Kind == l.Kind && old.CreatedAt.Equal(l.CreatedAt) && old.Upload == "":
		return false, nil
	}
	return false, fmt.Errorf("the slug %s is taken", slug)
}

// Opens adds opens, one a line, to links that exist. The file is read twice: first every line is checked, so that a bad one stops
// the import before anything is kept; then it is stored in batches, each with the file's progress. An import that was
// interrupted goes on where it stopped, and a second run of the same file adds nothing. What is no file is copied to
// a temporary one first.
func (s *Imports) Opens(ctx context.Context, r io.Reader) (ImportResult, error) {
	f, done, err := seekable(r)
	if err != nil {
		return ImportResult{}, err
	}
	defer done()
	in := importing{Imports: s, links: map[string]*importTarget{}}
	sum := sha256.New()
	var o NewOpen
	in.lines, err = eachLine(io.TeeReader(f, sum), func(_ int64, b []byte) error { return in.open(ctx, b, &o) })
	if err != nil {
		return ImportResult{}, err
	}
	in.file = [32]byte(sum.Sum(nil))
	if in.before, err = s.Log.Imported(ctx, in.file); err != nil {
		return ImportResult{}, err
	}
	res := ImportResult{Lines: in.lines, Already: in.lines > 0 && in.before >= in.lines}
	if in.before >= in.lines {
		return res, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return ImportResult{}, err
	}
	res.Added, err = in.store(ctx, f)
	return res, err
}

// importing is one file of opens on its way in.
type importing struct {
	*Imports
	file          [32]byte
	lines, before int64 // of the file; of it stored by an earlier run
	links         map[string]*importTarget
}

var errEnd = errors.New("end")

// store is the second reading: it stores the lines that no earlier run stored, none beyond those that were checked, and counts the
// opens in them.
func (in *importing) store(ctx context.Context, f io.Reader) (added int64, err error) {
	counter := int(binary.LittleEndian.Uint32(in.file[:]))
	batch := make([]NewOpen, 0, importBatch)
	flush := func(line int64) error {
		err := in.Log.Import(ctx, ImportReceipt{File: in.file, Lines: line, At: in.Now()}, batch)
		if err == nil {
			added += int64(len(batch))
		}
		batch = batch[:0]
		return err
	}
	_, err = eachLine(f, func(line int64, b []byte) error {
		switch {
		case line > in.lines:
			return errEnd
		case line <= in.before:
			return nil
		}
		batch = append(batch, NewOpen{})
		o := &batch[len(batch)-1]
		if err := in.open(ctx, b, o); err != nil {
			return err
		}
		o.ID = int64(ViewIDAt(o.At, counter+int(line)))
		if len(batch) < importBatch {
			return nil
		}
		return flush(line)
	})
	if err != nil && !errors.Is(err, errEnd) {
		return added, err
	}
	return added, flush(in.lines)
}

type importedOpen struct {
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
	Bot       bool             `json:"bot"`
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
	PlayedPct  *float64       `json:"playedPct"`
	ReachedPct *float64       `json:"reachedPct"`
	ScrollPct  *float64       `json:"scrollPct"`
}

type importedPage struct {
	Page int   `json:"page"`
	Ms   int64 `json:"ms"`
}

// importTarget is a link that opens are imported to.
type importTarget struct {
	account AccountID
	link    LinkID
	content report.ContentKind
	pages   int
}

// open reads one line into o; all but its ID.
func (i *importing) open(ctx context.Context, b []byte, o *NewOpen) error {
	var in importedOpen
	if err := decodeLine(b, &in); err != nil {
		return err
	}
	l, err := i.target(ctx, in.Slug)
	if err != nil {
		return err
	}
	at, err := importTime(in.At)
	if err != nil {
		return fmt.Errorf("at: %w", err)
	}
	if in.Viewer == "" {
		return errors.New("viewer is missing")
	}
	*o = NewOpen{Account: l.account, Open: report.Open{At: at.UnixMilli(), Link: int64(l.link), Viewer: importedViewer(l.account, in.Viewer),
		Country: in.Country, City: in.City, Referrer: in.Referrer, Source: cmp.Or(in.Source, "Direct"), Device: in.Device,
		Browser: in.Browser, OS: in.OS, QR: in.QR, Returning: in.Returning}}
	if in.Bot {
		o.Bot = BotImported
	}
	for _, label := range []string{in.Country, in.City, in.Referrer, in.Source, in.Device, in.Browser, in.OS} {
		if len(label) > 255 || hasControl(label) {
			return fmt.Errorf("%q is longer than 255 bytes or has control characters", label)
		}
	}
	if in.Session == nil {
		return nil
	}
	o.Session, err = in.Session.read(l)
	return err
}

// maxImportMs bounds a time in an import: 34 years.
const maxImportMs = 1 << 40

func (in *importedSession) read(l *importTarget) (*report.Session, error) {
	switch {
	case in.EngagedMs == nil || in.PresentMs == nil:
		return nil, errors.New("session.engagedMs and session.presentMs are required")
	case *in.EngagedMs < 0 || *in.PresentMs < 0 || *in.EngagedMs > maxImportMs || *in.PresentMs > maxImportMs:
		return nil, errors.New("session.engagedMs and session.presentMs are milliseconds, not negative")
	case in.Screen != "" && !slices.Contains(visitor.ScreenRanges(), in.Screen):
		return nil, fmt.Errorf("session.screen %q is none of %v", in.Screen, visitor.ScreenRanges())
	case len(in.Pages) > 0 && l.content != report.ContentPages:
		return nil, errors.New("session.pages is for PDF links")
	case (in.PlayedPct != nil || in.ReachedPct != nil) && l.content != report.ContentMedia:
		return nil, errors.New("session.playedPct and session.reachedPct are for video and audio links")
	case in.ScrollPct != nil && l.content != report.ContentScroll:
		return nil, errors.New("session.scrollPct is for links that scroll: html, image, text and document")
	}
	s := &report.Session{EngagedMs: *in.EngagedMs, PresentMs: *in.PresentMs, Screen: in.Screen, Downloaded: in.Downloaded}
	for _, p := range in.Pages {
		if p.Page < 1 || p.Page > maxPages || l.pages > 0 && p.Page > l.pages || p.Ms < 0 || p.Ms > maxImportMs {
			return nil, fmt.Errorf("session.pages: page %d (%d ms) is not in the file", p.Page, p.Ms)
		}
		s.Pages = append(s.Pages, report.PageTime{Page: p.Page, Ms: p.Ms})
	}
	slices.SortFunc(s.Pages, func(a, b report.PageTime) int { return cmp.Compare(a.Page, b.Page) })
	for i := 1; i < len(s.Pages); i++ {
		if s.Pages[i].Page == s.Pages[i-1].Page {
			return nil, fmt.Errorf("session.pages: page %d stands twice", s.Pages[i].Page)
		}
	}
	for _, m := range []struct {
		pct *float64
		to  *int64
	}{{in.PlayedPct, &s.Played}, {in.ReachedPct, &s.Reached}, {in.ScrollPct, &s.Depth}} {
		if m.pct == nil {
			continue
		}
		if !(*m.pct >= 0 && *m.pct <= 100) {
			return nil, fmt.Errorf("session: %v is not a percentage of 0 to 100", *m.pct)
		}
		*m.to = int64(math.Round(*m.pct * (million / 100)))
	}
	s.Reached = max(s.Reached, s.Played)
	return s, nil
}

// target finds the link of a line, once a slug.
func (i *importing) target(ctx context.Context, slug string) (*importTarget, error) {
	if t, ok := i.links[slug]; ok {
		return t, nil
	}
	var t *importTarget
	err := i.Store.Read(ctx, func(tx Tx) error {
		l, err := linkBySlug(tx, slug)
		if err == nil {
			t = &importTarget{account: l.Account, link: l.ID, content: ContentKindOf(l.Kind), pages: l.Pages}
		}
		return err
	})
	if err == nil {
		i.links[slug] = t
	}
	return t, err
}

// importedViewer makes the viewer of another system's opaque name: the same string is the same viewer of an account, in every
// import.
func importedViewer(a AccountID, name string) uint64 {
	sum := sha256.Sum256(append(strconv.AppendInt([]byte("imported "), int64(a), 10), " "+name...))
	return binary.BigEndian.Uint64(sum[:])
}

// importTime reads RFC 3339 within what a ViewID can hold.
func importTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return t, fmt.Errorf("%q is not an RFC 3339 time such as 2026-05-04T12:00:00.000Z", s)
	}
	if t.Year() < 1970 || t.Year() > 2099 {
		return t, fmt.Errorf("%q is not between 1970 and 2099", s)
	}
	return t.UTC().Truncate(time.Millisecond), nil
}

func decodeLine(b []byte, v any) error {
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("not a JSON object of the import format: %w", err)
	}
	return nil
}

func lineError(line int64, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return &Error{Code: CodeInvalidRequest, Message: fmt.Sprintf("line %d: %s", line, e.Message), Err: err}
	}
	return &Error{Code: CodeInvalidRequest, Message: fmt.Sprintf("line %d: %s", line, err), Err: err}
}

// eachLine calls f with each line that is not blank and its number, from 1, and counts the lines.
func eachLine(r io.Reader, f func(line int64, b []byte) error) (int64, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 64<<10), importMaxLine)
	var n int64
	for sc.Scan() {
		n++
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		if err := f(n, sc.Bytes()); err != nil {
			return n, lineError(n, err)
		}
	}
	if err := sc.Err(); err != nil {
		return n, lineError(n+1, err)
	}
	return n, nil
}

// seekable is r if it is a file that can be read twice, else a temporary copy of it.
func seekable(r io.Reader) (f io.ReadSeeker, done func(), err error) {
	if s, ok := r.(io.ReadSeeker); ok {
		if _, err := s.Seek(0, io.SeekCurrent); err == nil {
			return s, func() {}, nil
		}
	}
	tmp, err := os.CreateTemp("", "vitrine-import-*")
	if err != nil {
		return nil, nil, err
	}
	done = func() { tmp.Close(); os.Remove(tmp.Name()) }
	if _, err := io.Copy(tmp, r); err == nil {
		_, err = tmp.Seek(0, io.SeekStart)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return tmp, done, nil
}
