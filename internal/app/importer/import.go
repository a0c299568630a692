// Package importer reads the history of another system, links and views, in the
// format of docs/specification/import.md.
package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"
	"vitrine/report"
	"vitrine/report/part"

	"github.com/go-json-experiment/json"
)

const importMaxLine = 1 << 20 // bytes

// Log is what this package uses of [vitrine.ViewLog].
type Log interface {
	Import(ctx context.Context, receipt vitrine.ImportReceipt, views []vitrine.ViewRecord) error
	Imported(ctx context.Context, file [32]byte) (lines int64, err error)
	Views(ctx context.Context, l vitrine.LinkID, from, to report.Day, f func(*report.View) error) error
	RetainedFrom(ctx context.Context, a vitrine.AccountID) (from report.Day, err error)
}

// Importer brings the history of another system in (import format).
type Importer struct {
	Store vitrine.Store
	Log   Log
	Now   func() time.Time
	// Retry, unless nil, makes each call to Store and Log. It may repeat a call
	// whose error has CodeUnavailable: repeating one that succeeded changes
	// nothing.
	Retry func(ctx context.Context, call func() error) error

	runViews, batchViews int // tests: smaller than usual
}

// Result is the result of an import.
type Result struct {
	Lines   int64 // of the file
	Added   int64 // links or views that this run added
	Already bool  // all of it was there before
	Known   int64 // views that this run left out, because the log has them
	Dated   int64 // links that are now created at their first view, which was earlier
}

func (s *Importer) retry(ctx context.Context, call func() error) error {
	if s.Retry == nil {
		return call()
	}
	return s.Retry(ctx, call)
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

	Sections []string `json:"sections"`
}

// Links adds links without bytes, one per line. If a line is wrong, it adds
// none and returns an [InvalidLinesError]. It skips a link that exists exactly
// as in the line.
func (s *Importer) Links(ctx context.Context, r io.Reader) (Result, error) {
	var links []importedLink
	var wrong invalidLines
	_, err := eachLine(r, func(line int64, b []byte) error {
		l := importedLink{line: line}
		if err := decodeLine(b, &l); err != nil {
			return wrong.add(line, err)
		}
		links = append(links, l)
		return nil
	})
	if err := wrong.result(err); err != nil {
		return Result{}, err
	}
	res := Result{Lines: int64(len(links))}
	err = s.retry(ctx, func() error {
		var added int64
		err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
			added = 0
			var wrong invalidLines
			for _, in := range links {
				is, err := s.add(tx, in)
				if err != nil {
					err = wrong.add(in.line, err)
				}
				if err != nil {
					return wrong.result(err)
				}
				if is {
					added++
				}
			}
			return wrong.result(nil)
		})
		res.Added = max(res.Added, added) // an attempt may have succeeded although its answer was lost
		return err
	})
	res.Already = err == nil && res.Lines > 0 && res.Added == 0
	return res, err
}

// outline returns the parts of the file.
func (in *importedLink) outline() (part.Outline, error) {
	if len(in.Sections) == 0 {
		return "", nil
	}
	if report.ContentOf(filetype.Kind(in.Kind)) != report.ContentScroll || len(in.Sections) > part.MaxSections {
		return "", fmt.Errorf("sections are for links that scroll: html, image, text and document, and at most %d",
			part.MaxSections)
	}
	parts := make([]part.Part, len(in.Sections))
	for i, label := range in.Sections {
		parts[i].Label = label
	}
	return part.NewOutline(part.Section, parts), nil
}

func (s *Importer) add(tx vitrine.Tx, in importedLink) (bool, error) {
	if in.Slug == "" {
		return false, errors.New("slug is missing")
	}
	slug, err := vitrine.ParseSlug(in.Slug)
	if err != nil {
		return false, err
	}
	title, err := vitrine.ParseTitle(in.Title)
	if err != nil {
		return false, err
	}
	kind := filetype.Kind(in.Kind)
	if !slices.Contains(filetype.Kinds(), kind) {
		return false, notOneOf("kind", in.Kind, filetype.Kinds())
	}
	at, err := s.pastTime(in.CreatedAt)
	if err != nil {
		return false, fmt.Errorf("createdAt: %w", err)
	}
	if in.PagesTotal < 0 || in.PagesTotal > vitrine.MaxPages || in.SizeBytes < 0 {
		return false, fmt.Errorf("pagesTotal and sizeBytes must not be negative, and pagesTotal must be at most %d",
			vitrine.MaxPages)
	}
	outline, err := in.outline()
	if err != nil {
		return false, err
	}
	a, err := vitrine.AccountByEmail(tx, in.Account)
	if err != nil {
		return false, err
	}
	l := &vitrine.Link{Account: a.ID, Slug: slug, Title: title,
		File:  vitrine.File{Name: title, Kind: kind, Size: in.SizeBytes, Pages: in.PagesTotal, Outline: outline},
		State: vitrine.StateLive, CreatedAt: at, StateAt: at}
	old, err := tx.LinkBySlug(slug)
	if errors.Is(err, vitrine.ErrNotFound) {
		if err := links.SlugFree(tx, links.SlugRequest{Slug: slug}, s.Now()); err != nil {
			return false, err
		}
		return true, l.Add(tx, vitrine.Administrator)
	}
	switch {
	case err != nil:
		return false, err
	case old.Account == l.Account && old.Title == l.Title && old.Kind == l.Kind &&
		!old.CreatedAt.After(l.CreatedAt) && old.Upload == "": // earlier views may have dated it back
		return false, nil
	}
	return false, fmt.Errorf("the slug %s is taken", slug)
}

func decodeLine(b []byte, v any) error {
	err := json.Unmarshal(b, v, json.RejectUnknownMembers(true))
	var at *json.SemanticError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &at):
		return errors.New("it is not valid JSON, or is cut off")
	}
	name := strings.TrimPrefix(strings.ReplaceAll(string(at.JSONPointer), "/", "."), ".")
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return fmt.Errorf("%q is not a member of the import format", name)
	case name == "":
		return errors.New("it is not a JSON object")
	}
	return fmt.Errorf("%q has a value of the wrong type", name)
}

// notOneOf returns the error for a member whose value is not one of some.
func notOneOf[T any](member, value string, allowed []T) error {
	list := strings.Trim(fmt.Sprint(allowed), "[]")
	return fmt.Errorf("%s: %q is not one of %s", member, value, strings.ReplaceAll(list, " ", ", "))
}

// lineError names the line that an error is about.
func lineError(line int64, err error) *vitrine.Error {
	message := err.Error()
	var e *vitrine.Error
	if errors.As(err, &e) {
		message, err = strings.ToLower(e.Message[:1])+e.Message[1:], e.Err // it follows a colon
	}
	return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Message: fmt.Sprintf("line %d: %s", line, message),
		Err: err}
}

// eachLine calls f with each non-blank line and its number, from 1, and counts
// the lines. f must not keep b.
func eachLine(r io.Reader, f func(line int64, b []byte) error) (int64, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 64<<10), importMaxLine)
	var n int64
	for sc.Scan() {
		n++
		b := sc.Bytes()
		if n == 1 {
			b = bytes.TrimPrefix(b, []byte("\ufeff")) // a byte order mark
		}
		if len(bytes.TrimSpace(b)) == 0 {
			continue
		}
		if err := f(n, b); err != nil {
			return n, err
		}
	}
	err := sc.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("longer than %d bytes", importMaxLine)
	}
	if err != nil {
		return n, lineError(n+1, err)
	}
	return n, nil
}
