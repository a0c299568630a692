package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"
	"vitrine/internal/filetype/inspect"
	"vitrine/internal/filetype/text"
	"vitrine/report/part"

	"golang.org/x/sync/errgroup"
)

// Previews makes the parts of links.
type Previews struct {
	Store     vitrine.Store
	Blobs     vitrine.Blobs
	Previewer vitrine.Previewer
	Now       func() time.Time
	// Failed, unless nil, is called for each link whose parts could not be made
	// this time.
	Failed func(*vitrine.Link, error)
	Leases *fleet.Leases

	mu    sync.Mutex
	tries map[vitrine.LinkID]previewTry // of links that failed or that a process works on
}

// previewTry counts how often a link's parts could not be made, and stores when
// the next try may begin. busy is set during a try.
type previewTry struct {
	failures int
	next     time.Time
	busy     bool
}

const (
	// previewWait is how long after a link becomes live a page waits for its
	// parts. All but the slowest are ready by then.
	previewWait = 2 * time.Minute
	// concurrentPreviews is the number of links that are processed at the same
	// time. LibreOffice runs for only one of them. Each of the others uses a
	// core.
	concurrentPreviews = 3
	// After previewTries failures of the machine a link stays without parts.
	// previewPause is the time before the second try. It doubles with each, so
	// all tries take a quarter of an hour.
	previewTries = 6
	previewPause = 30 * time.Second
	// leasedPause is the time before a link that another process works on
	// is checked again.
	leasedPause = 10 * time.Second
)

// Makes reports whether this instance makes a part of files with an extension.
func (s *Previews) Makes(p vitrine.Part, ext string) bool { return s.Previewer.Makes(p, ext) }

// Expects reports whether a part of a link may still be made, so that a page
// may wait for it.
func (s *Previews) Expects(l *vitrine.Link, p vitrine.Part) bool {
	t, ok := filetype.ByExt(l.Name)
	return ok && l.HasBytes && l.Preview == vitrine.PreviewDue && s.Now().Sub(l.StateAt) < previewWait &&
		s.Previewer.Makes(p, t.Ext)
}

// Make makes the parts of live links that have none yet, the newest first,
// until there is nothing to do. The links' states are the queue, so the next
// call does again what was interrupted. A link that fails does not stop the
// others: Failed is called with it, and it is tried again later. Several
// processes share the links, each link under a lease. If a part is made twice,
// the second replaces the first.
func (s *Previews) Make(ctx context.Context) error {
	var g errgroup.Group
	for range concurrentPreviews {
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

// leased makes the parts of a link, unless another process does or did so. Its
// errors are those of the leases.
func (s *Previews) leased(ctx context.Context, l *vitrine.Link) error {
	var made error
	held, err := s.Leases.Hold(ctx, fmt.Sprintf("preview %d", l.ID), func(tx vitrine.Tx) (bool, error) {
		current, err := tx.Link(l.ID)
		return err == nil && current.Preview == vitrine.PreviewDue && current.HasBytes && current.DeletedAt.IsZero(),
			vitrine.NotFoundIsNil(err)
	}, func(ctx context.Context) error {
		made = s.make(ctx, l)
		return nil
	})
	if held && err == nil {
		s.recordTry(ctx, l, made)
		return nil
	}
	s.postponeLeased(l)
	if errors.Is(err, fleet.ErrLost) {
		return nil
	}
	return err
}

// postponeLeased leaves a link to another process for a while.
func (s *Previews) postponeLeased(l *vitrine.Link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tries[l.ID]
	t.busy, t.next = false, s.Now().Add(leasedPause)
	s.tries[l.ID] = t
}

// previewBatch is how many due links next examines.
const previewBatch = 200

// next takes a link whose parts are due, or returns nil if there is none to
// work on now.
func (s *Previews) next(ctx context.Context) (*vitrine.Link, error) {
	// The links that are due are read while mu is held, so that no try ends in
	// between: otherwise a link that was just done could be read as due and
	// then be found idle.
	s.mu.Lock()
	defer s.mu.Unlock()
	due, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) {
		return tx.Links(vitrine.LinkQuery{PreviewDue: true, Limit: previewBatch})
	})
	if err != nil {
		return nil, err
	}
	if len(due) < previewBatch { // due has all of them
		maps.DeleteFunc(s.tries, func(id vitrine.LinkID, t previewTry) bool {
			return !t.busy && !slices.ContainsFunc(due, func(l *vitrine.Link) bool { return l.ID == id })
		})
	}
	now := s.Now()
	for _, l := range due {
		if t := s.tries[l.ID]; !t.busy && !now.Before(t.next) {
			if s.tries == nil {
				s.tries = map[vitrine.LinkID]previewTry{}
			}
			t.busy = true
			s.tries[l.ID] = t
			return l, nil
		}
	}
	return nil, nil
}

// recordTry records how work on a link ended.
func (s *Previews) recordTry(ctx context.Context, l *vitrine.Link, err error) {
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
	if s.Failed != nil && !errors.Is(err, vitrine.ErrNotFound) {
		s.Failed(l, err)
	}
	if t.failures >= previewTries && s.finish(ctx, l, nil, "") == nil {
		s.mu.Lock()
		delete(s.tries, l.ID)
		s.mu.Unlock()
	}
}

// renewBatch bounds the rows of one transaction.
const renewBatch = 500

// Renew marks one link, or with "" all links, so that the next Make makes their
// parts again, and returns how many. It is for use after a program was
// installed that makes more parts. Until then a link keeps the parts that it
// has.
func (s *Previews) Renew(ctx context.Context, slug string) (n int, err error) {
	if slug != "" {
		return 1, s.Store.Update(ctx, func(tx vitrine.Tx) error {
			l, err := links.LinkBySlug(tx, slug)
			if err != nil {
				return err
			}
			l.Preview = vitrine.PreviewDue
			return tx.PutLink(l)
		})
	}
	for at := (vitrine.LinkCursor{}); ; {
		var links []*vitrine.Link
		err := s.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
			links, err = tx.Links(vitrine.LinkQuery{Before: at, Limit: renewBatch})
			for _, l := range links {
				if l.OfSite() {
					continue
				}
				l.Preview = vitrine.PreviewDue
				err = errors.Join(err, tx.PutLink(l))
			}
			return err
		})
		n += len(links)
		if err != nil || len(links) < renewBatch {
			return n, err
		}
		last := links[len(links)-1]
		at = vitrine.LinkCursor{CreatedAt: last.CreatedAt, ID: last.ID}
	}
}

func (s *Previews) make(ctx context.Context, l *vitrine.Link) error {
	blob, err := s.Blobs.Open(ctx, l.Upload)
	if err != nil {
		return err // ErrNotFound if the link was deleted concurrently
	}
	defer blob.Close()
	var made []vitrine.Part
	err = s.Previewer.Preview(ctx, vitrine.PreviewFile{Name: l.Name, Kind: l.Kind, Blob: blob},
		func(p vitrine.Part, body io.Reader) error {
			err := s.Blobs.PutPart(ctx, l.Upload, p, body)
			if err == nil {
				made = append(made, p)
			}
			return err
		})
	if err != nil {
		return err
	}
	outline, err := s.pagesOf(ctx, l, made)
	if err != nil {
		return err
	}
	return s.finish(ctx, l, made, outline)
}

// pagesOf returns the slides or pages of a document, if they were made: what
// its page shows, and those of a PDF, with their words. "" means that their
// number is not known.
func (s *Previews) pagesOf(ctx context.Context, l *vitrine.Link, made []vitrine.Part) (part.Outline, error) {
	words, err := s.wordsOf(ctx, l, made)
	switch {
	case err != nil:
		return "", err
	case l.Kind == filetype.PDF && len(words) > 0:
		return countedParts(part.Page, l.Pages, words), nil
	case !slices.Contains(made, vitrine.PartPages):
		return "", nil
	}
	pages, err := s.Blobs.OpenPart(ctx, l.Upload, vitrine.PartPages)
	if err != nil {
		return "", err
	}
	defer pages.Close()
	pdf, _ := filetype.ByExt("a.pdf")
	facts, err := inspect.Inspect(pages, pages.Size(), pdf)
	if vitrine.CodeOf(fileError(err)) == vitrine.CodeInternal {
		return "", err
	}
	kind := part.Page
	if t, _ := filetype.ByExt(l.Name); slices.Contains([]string{"ppt", "pptx", "odp"}, t.Ext) {
		kind = part.Slide
	}
	return countedParts(kind, facts.Pages, words), nil
}

// wordsOf counts the words of the first pages of a document whose text was
// made.
func (s *Previews) wordsOf(ctx context.Context, l *vitrine.Link, made []vitrine.Part) (words []int, err error) {
	if !slices.Contains(made, vitrine.PartText) {
		return nil, nil
	}
	stored, err := s.Blobs.OpenPart(ctx, l.Upload, vitrine.PartText)
	if err != nil {
		return nil, err
	}
	defer stored.Close()
	pages, err := text.ReadPages(stored)
	if err != nil || pages.Unit == "sheet" {
		return nil, err
	}
	for i := range pages.Sizes[:min(len(pages.Sizes), maxCounted)] {
		b, err := io.ReadAll(pages.Page(stored, i))
		if err != nil {
			return nil, err
		}
		words = append(words, text.Words(string(b)))
	}
	return words, nil
}

// finish writes which parts a link has. An outline that is not empty replaces
// that of the link.
func (s *Previews) finish(ctx context.Context, l *vitrine.Link, made []vitrine.Part, outline part.Outline) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		current, err := tx.Link(l.ID)
		if err != nil || current.Upload != l.Upload { // replaced: the new version gets its own parts
			return err
		}
		current.Parts, current.Preview = current.Parts.With(made...), vitrine.PreviewDone
		current.Outline = cmp.Or(outline, current.Outline)
		return tx.PutLink(current)
	})
}

// maxCounted is the number of pages whose words are counted: the first ones.
const maxCounted = 500

// countedParts returns the outline of n parts without labels, of which the
// first ones have so many words.
func countedParts(kind part.Kind, n int, words []int) part.Outline {
	parts := make([]part.Part, min(n, len(words)))
	for i := range parts {
		parts[i].Words = words[i]
	}
	_, lines, counted := strings.Cut(string(part.NewOutline(kind, parts)), "\n")
	if !counted {
		return part.Unnamed(kind, n)
	}
	return part.Unnamed(kind, n) + part.Outline("\n"+lines)
}
