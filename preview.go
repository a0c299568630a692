package vitrine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine/internal/filetype"

	"golang.org/x/sync/errgroup"
)

// Part names something that is kept beside a blob and made of it, or added to it: what a page shows where a browser cannot show the
// file itself, and what stands for it elsewhere. A part is lower-case letters, digits and hyphens.
type Part string

const (
	PartPicture Part = "picture" // JPEG, PictureWidth × PictureHeight: what other sites show of a link
	PartImage   Part = "image"   // JPEG: an image that browsers cannot decode (HEIC, TIFF)
	PartPages   Part = "pages"   // PDF: an office document as it would be printed
	PartSheets  Part = "sheets"  // JSON, a Workbook: the cells of a spreadsheet
	PartEntries Part = "entries" // JSON, a Listing: what is in an archive
)

// Size of PartPicture, in pixels: what the large networks ask for.
const PictureWidth, PictureHeight = 1200, 630

// captionsPrefix begins the parts that are captions of a video or sound, followed by their language.
const captionsPrefix = "captions-"

// CaptionsPart is WebVTT in a language, which is a BCP 47 tag.
func CaptionsPart(language string) Part { return Part(captionsPrefix + strings.ToLower(language)) }

// Language is that of captions; "" for any other part.
func (p Part) Language() string {
	language, ok := strings.CutPrefix(string(p), captionsPrefix)
	if !ok {
		return ""
	}
	return language
}

// ParsePart accepts what can be the name of a part, so that it can be one of a file.
func ParsePart(s string) (Part, bool) {
	ok := s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
	return Part(s), ok
}

// Parts is the set of parts that a link has: their names, sorted, with a space between them.
type Parts string

// All lists the set.
func (s Parts) All() []Part {
	var all []Part
	for name := range strings.FieldsSeq(string(s)) {
		all = append(all, Part(name))
	}
	return all
}

// Has reports whether a part is in the set.
func (s Parts) Has(p Part) bool { return slices.Contains(s.All(), p) }

// With is the set and some parts more.
func (s Parts) With(more ...Part) Parts { return partsOf(append(s.All(), more...)) }

// Without is the set but for a part.
func (s Parts) Without(p Part) Parts {
	return partsOf(slices.DeleteFunc(s.All(), func(q Part) bool { return p == q }))
}

func partsOf(all []Part) Parts {
	slices.Sort(all)
	names := make([]string, 0, len(all))
	for _, p := range slices.Compact(all) {
		names = append(names, string(p))
	}
	return Parts(strings.Join(names, " "))
}

// PreviewState is how far the parts of a link are that are made of its file.
type PreviewState string

const (
	PreviewDue  PreviewState = ""     // they are made once the link is live
	PreviewDone PreviewState = "done" // what can be made is there, which may be nothing
)

// Previewer makes parts of files. What it makes is for show: a file that it cannot read is no error, but has fewer parts.
type Previewer interface {
	// Preview hands each part that it can make of a file to put, once, and returns an error of put, of reading the file, or of the machine
	// (no memory, no space): then the file may be tried again. It reads what strangers sent, so it must be bounded in time and memory
	// and may not reach out to anything that the file names (promises 12, 18).
	Preview(ctx context.Context, f PreviewFile, put func(Part, io.Reader) error) error

	// Makes reports whether a part may come of a file of an extension, on this machine: then a page may wait for it.
	Makes(p Part, ext string) bool
}

// PreviewFile is a file to make parts of.
type PreviewFile struct {
	Name string // with its extension
	Kind filetype.Kind
	Blob Blob
}

// NoPreviewer is the Previewer of an instance that makes no parts.
type NoPreviewer struct{}

func (NoPreviewer) Preview(context.Context, PreviewFile, func(Part, io.Reader) error) error {
	return nil
}

func (NoPreviewer) Makes(Part, string) bool { return false }

// Previews is the service that has the parts of links made.
type Previews struct {
	Store     Store
	Blobs     Blobs
	Previewer Previewer
	Now       func() time.Time
	// Failed, if set, is told of a link whose parts could not be made this time.
	Failed func(*Link, error)
	Leases *Leases

	mu    sync.Mutex
	tries map[LinkID]previewTry // of links that failed, or are being worked on, here or elsewhere
}

// previewTry is how often a link's parts could not be made, and when that may be tried again; busy while it is.
type previewTry struct {
	failures int
	next     time.Time
	busy     bool
}

const (
	// previewWait is how long a page waits for parts after its link has become live: longer than all but the slowest take.
	previewWait = 2 * time.Minute
	// previewsAtOnce bounds how many links are worked on at the same time. One may wait for LibreOffice, which runs once; each other
	// takes a core.
	previewsAtOnce = 3
	// previewTries is after how many failures of the machine a link stays without parts, and previewPause the time before the second
	// try, which doubles: a quarter of an hour in all.
	previewTries = 6
	previewPause = 30 * time.Second
	// previewElsewhere is how long a link that another process works on is not looked at again.
	previewElsewhere = 10 * time.Second
)

// Expects reports whether a part of a link is still to be made, or may be, so that a page may wait for it.
func (s *Previews) Expects(l *Link, p Part) bool {
	t, ok := filetype.ByExt(l.Name)
	return ok && l.HasBytes && l.Preview == PreviewDue && s.Now().Sub(l.StateAt) < previewWait && s.Previewer.Makes(p, t.Ext)
}

// Make makes the parts of live links that have none yet, the newest first, until there is nothing to do. What is interrupted is done
// again by the next call: the state is the queue. A link that fails keeps no other: it is told of, and tried again later. Several processes share
// the links, each under a lease; parts that are made twice all the same take each other's place.
func (s *Previews) Make(ctx context.Context) error {
	var g errgroup.Group
	for range previewsAtOnce {
		g.Go(func() error {
			for ctx.Err() == nil {
				l, err := s.next(ctx)
				if err != nil || l == nil {
					return err
				}
				if err := s.leased(ctx, l); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// leased makes the parts of a link, unless another process is at it or has been. An error is of the leases.
func (s *Previews) leased(ctx context.Context, l *Link) error {
	var made error
	held, err := s.Leases.Hold(ctx, fmt.Sprintf("preview %d", l.ID), func(tx Tx) (bool, error) {
		now, err := tx.Link(l.ID)
		return err == nil && now.Preview == PreviewDue && now.HasBytes && now.DeletedAt.IsZero(), notFoundIsNil(err)
	}, func(ctx context.Context) error {
		made = s.make(ctx, l)
		return nil
	})
	if held && err == nil {
		s.done(ctx, l, made)
		return nil
	}
	s.elsewhere(l)
	if errors.Is(err, ErrLeaseLost) {
		return nil
	}
	return err
}

// elsewhere leaves a link to another process for a while.
func (s *Previews) elsewhere(l *Link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tries[l.ID]
	t.busy, t.next = false, s.Now().Add(previewElsewhere)
	s.tries[l.ID] = t
}

// previewsLooked is among how many links that are due the next one is looked for.
const previewsLooked = 200

// next takes a link whose parts are due; nil when there is none to be worked on now.
func (s *Previews) next(ctx context.Context) (*Link, error) {
	// What is due is read when nobody can end being busy: a link is never both read as due and found idle because it has just been done.
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []*Link
	err := s.Store.Read(ctx, func(tx Tx) (err error) {
		due, err = tx.Links(LinkQuery{PreviewDue: true, Limit: previewsLooked})
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(due) < previewsLooked { // all there are
		maps.DeleteFunc(s.tries, func(id LinkID, t previewTry) bool {
			return !t.busy && !slices.ContainsFunc(due, func(l *Link) bool { return l.ID == id })
		})
	}
	now := s.Now()
	for _, l := range due {
		if t := s.tries[l.ID]; !t.busy && !now.Before(t.next) {
			if s.tries == nil {
				s.tries = map[LinkID]previewTry{}
			}
			t.busy = true
			s.tries[l.ID] = t
			return l, nil
		}
	}
	return nil, nil
}

// done notes how working on a link ended.
func (s *Previews) done(ctx context.Context, l *Link, err error) {
	s.mu.Lock()
	t := s.tries[l.ID]
	t.busy = false
	if err == nil || ctx.Err() != nil {
		delete(s.tries, l.ID)
	} else {
		t.next = s.Now().Add(previewPause << t.failures)
		t.failures++
		s.tries[l.ID] = t
	}
	s.mu.Unlock()
	if err == nil || ctx.Err() != nil {
		return
	}
	if s.Failed != nil && !errors.Is(err, ErrNotFound) {
		s.Failed(l, err)
	}
	if t.failures >= previewTries && s.finish(ctx, l, nil) == nil {
		s.mu.Lock()
		delete(s.tries, l.ID)
		s.mu.Unlock()
	}
}

// renewAtOnce bounds the rows of one transaction.
const renewAtOnce = 500

// Renew has the parts of one link made anew by the next Make, or with "" those of all, and tells of how many: after a program was installed
// that makes more of them. Until they are there a link keeps what it has.
func (s *Previews) Renew(ctx context.Context, slug string) (n int, err error) {
	if slug != "" {
		return 1, s.Store.Update(ctx, func(tx Tx) error {
			l, err := linkBySlug(tx, slug)
			if err != nil {
				return err
			}
			l.Preview = PreviewDue
			return tx.PutLink(l)
		})
	}
	for at := (LinkCursor{}); ; {
		var links []*Link
		err := s.Store.Update(ctx, func(tx Tx) (err error) {
			links, err = tx.Links(LinkQuery{Before: at, Limit: renewAtOnce})
			for _, l := range links {
				if l.Site != 0 {
					continue
				}
				l.Preview = PreviewDue
				err = errors.Join(err, tx.PutLink(l))
			}
			return err
		})
		n += len(links)
		if err != nil || len(links) < renewAtOnce {
			return n, err
		}
		last := links[len(links)-1]
		at = LinkCursor{CreatedAt: last.CreatedAt, ID: last.ID}
	}
}

func (s *Previews) make(ctx context.Context, l *Link) error {
	blob, err := s.Blobs.Open(ctx, l.Upload)
	if err != nil {
		return err // ErrNotFound of a link that is deleted meanwhile
	}
	defer blob.Close()
	var made []Part
	err = s.Previewer.Preview(ctx, PreviewFile{Name: l.Name, Kind: l.Kind, Blob: blob}, func(p Part, body io.Reader) error {
		err := s.Blobs.PutPart(ctx, l.Upload, p, body)
		if err == nil {
			made = append(made, p)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.finish(ctx, l, made)
}

// finish writes which parts a link has got.
func (s *Previews) finish(ctx context.Context, l *Link, made []Part) error {
	return s.Store.Update(ctx, func(tx Tx) error {
		now, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		now.Parts, now.Preview = now.Parts.With(made...), PreviewDone
		return tx.PutLink(now)
	})
}

// Listing is what is in an archive: PartEntries.
type Listing struct {
	Entries   []filetype.Entry `json:"entries"` // the first ones, in the archive's order
	Total     int              `json:"total"`
	Encrypted bool             `json:"encrypted,omitempty"`
}

// Workbook is the cells of a spreadsheet as they are shown, PartSheets.
type Workbook struct {
	Sheets []Sheet `json:"sheets"`
	Cut    bool    `json:"cut,omitempty"` // there are more sheets
}

// Sheet is one sheet of a workbook. Rows may differ in length.
type Sheet struct {
	Name string     `json:"name"`
	Rows [][]string `json:"rows"`
	Cut  bool       `json:"cut,omitempty"` // there are more rows or columns
}
