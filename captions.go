package vitrine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine/internal/filetype"

	"golang.org/x/text/language"
)

// Bounds of captions.
const (
	// MaxCaptions is how large one text may be, in bytes.
	MaxCaptions = 1 << 20
	// maxCaptionLanguages is how many languages one link may have.
	maxCaptionLanguages = 20
	// maxLanguage bounds a language tag, in characters (RFC 5646, section 4.4.1).
	maxLanguage = 35
)

// ParseLanguage reads a BCP 47 tag of a known language and returns its canonical form. Error: CodeInvalidRequest.
func ParseLanguage(s string) (string, error) {
	bad := &Error{Code: CodeInvalidRequest, Field: "language", Message: "The language is not one that is known. Send a BCP 47 tag such as en, de or pt-BR."}
	if s == "" || len(s) > maxLanguage {
		return "", bad
	}
	tag, err := language.Parse(s)
	if base, _, _ := tag.Raw(); err != nil || base.String() == "und" {
		return "", bad
	}
	canonical := tag.String()
	if _, ok := ParsePart(string(CaptionsPart(canonical))); !ok || len(canonical) > maxLanguage {
		return "", bad
	}
	return canonical, nil
}

// Captions are the languages that the link has captions in, canonical and sorted.
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

// Captions is the service of the captions of videos and sounds: WebVTT in a language, which is a part of the link's bytes. They count
// towards no limit but their own.
type Captions struct {
	Store Store
	Blobs Blobs
	Now   func() time.Time

	// mu keeps a Put and a Delete of one text apart: between them the link could be left to name a text that is gone. Those of several
	// instances put that right after each other, see keep and drop; only one that ends between its two steps, while another is under
	// way, leaves such a name. Putting or deleting the text again takes it away.
	mu sync.Mutex
}

// Put gives a link captions in a language, in place of those that it has; text is WebVTT, or SubRip, which is made WebVTT. The text is
// durable before the link names it: what is interrupted leaves at most a text that no page shows.
//
// Errors: CodeInvalidRequest (language, text, kind of file, too many languages), CodeNotFound, as for another account's link.
func (s *Captions) Put(ctx context.Context, a *Account, slug, lang string, text io.Reader) (*Link, error) {
	lang, err := ParseLanguage(lang)
	if err != nil {
		return nil, err
	}
	vtt, err := readCaptions(text)
	if err != nil {
		return nil, err
	}
	part := CaptionsPart(lang)
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.Of(ctx, a, slug)
	if err != nil {
		return nil, err
	}
	if err := l.mayHaveCaptions(part); err != nil {
		return nil, err
	}
	return s.keep(ctx, l, part, vtt)
}

// keep stores a text and names it, until the text is still there afterwards: a Delete of another instance, which removed it before it
// was named, may have been done before it was.
func (s *Captions) keep(ctx context.Context, l *Link, part Part, vtt []byte) (*Link, error) {
	for {
		err := s.Blobs.PutPart(ctx, l.Upload, part, bytes.NewReader(vtt))
		if errors.Is(err, ErrNotFound) {
			return nil, errNoOwnLink // deleted meanwhile
		}
		if err != nil {
			return nil, Unavailable(err)
		}
		now, err := s.change(ctx, l, func(now *Link) error {
			if err := now.mayHaveCaptions(part); err != nil {
				return err
			}
			now.Parts = now.Parts.With(part)
			return nil
		})
		if err != nil {
			return nil, err
		}
		there, err := s.stored(ctx, l, part)
		if err != nil {
			return nil, err
		}
		if there {
			return now, nil
		}
	}
}

// Delete takes the captions in a language from a link; there being none is success. The link stops naming them before they are removed.
//
// Errors: CodeInvalidRequest, CodeNotFound, as for Put.
func (s *Captions) Delete(ctx context.Context, a *Account, slug, lang string) error {
	lang, err := ParseLanguage(lang)
	if err != nil {
		return err
	}
	part := CaptionsPart(lang)
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.Of(ctx, a, slug)
	if err != nil {
		return err
	}
	if l.Upload == "" {
		return nil
	}
	return s.drop(ctx, l, part)
}

// drop stops naming a text and removes it. A Put of another instance that had stored it before may have named it since: if so, the name
// goes, too, which is as if the Put had come first. One that names it later sees itself that the text is gone.
func (s *Captions) drop(ctx context.Context, l *Link, part Part) error {
	unname := func(now *Link) error { now.Parts = now.Parts.Without(part); return nil }
	if l.Parts.Has(part) {
		if _, err := s.change(ctx, l, unname); err != nil {
			return err
		}
	}
	if err := s.Blobs.DeletePart(ctx, l.Upload, part); err != nil {
		return Unavailable(err)
	}
	var named bool
	err := s.Store.Read(ctx, func(tx Tx) error {
		now, err := tx.Link(l.ID)
		named = err == nil && now.DeletedAt.IsZero() && now.Parts.Has(part)
		return notFoundIsNil(err)
	})
	if err != nil {
		return err
	}
	if !named {
		return nil
	}
	if there, err := s.stored(ctx, l, part); err != nil || there {
		return err // put again since
	}
	_, err = s.change(ctx, l, unname)
	return err
}

// stored reports whether a part is there.
func (s *Captions) stored(ctx context.Context, l *Link, part Part) (bool, error) {
	b, err := s.Blobs.OpenPart(ctx, l.Upload, part)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, Unavailable(err)
	}
	return true, b.Close()
}

// Of finds a link of the account, to tell its captions; a foreign slug answers as an unknown one does: CodeNotFound.
func (s *Captions) Of(ctx context.Context, a *Account, slug string) (*Link, error) {
	return ownLink(ctx, s.Store, a, slug, s.Now())
}

// change changes a link that is still there.
func (s *Captions) change(ctx context.Context, l *Link, f func(*Link) error) (now *Link, err error) {
	err = s.Store.Update(ctx, func(tx Tx) error {
		if now, err = tx.Link(l.ID); err != nil {
			return err
		}
		if !now.DeletedAt.IsZero() {
			return errNoOwnLink
		}
		if err := f(now); err != nil {
			return err
		}
		return tx.PutLink(now)
	})
	if err != nil {
		return nil, err
	}
	return now, nil
}

// mayHaveCaptions refuses captions for what has no sound or no bytes, and more of them than a link may have.
func (l *Link) mayHaveCaptions(p Part) error {
	refuse := func(message string) error { return Errorf(CodeInvalidRequest, "%s", message) }
	switch {
	case l.Kind != filetype.Video && l.Kind != filetype.Audio:
		return refuse("Only videos and sounds have captions.")
	case !l.HasBytes:
		return refuse("The file of this link is not kept here, so it cannot have captions.")
	case !l.Parts.Has(p) && len(l.Captions()) >= maxCaptionLanguages:
		return refuse("A link has captions in at most 20 languages. Delete one first.")
	}
	return nil
}

var errNoOwnLink = Errorf(CodeNotFound, "There is no link with that slug on this account.")

// ownLink looks up a link of an account, by a slug that it had before, too; a foreign slug answers as an unknown one does.
func ownLink(ctx context.Context, store Store, a *Account, slug string, now time.Time) (l *Link, err error) {
	err = store.Read(ctx, func(tx Tx) error {
		l, err = linkByAnySlug(tx, slug, now)
		return err
	})
	switch {
	case CodeOf(err) == CodeNotFound, err == nil && (l.Account != a.ID || l.Site != 0):
		return nil, errNoOwnLink
	case err != nil:
		return nil, err
	}
	return l, nil
}

// readCaptions reads a text in one of its two forms and returns it as WebVTT.
func readCaptions(r io.Reader) ([]byte, error) {
	refuse := func(message string) error { return &Error{Code: CodeInvalidRequest, Message: message} }
	b, err := io.ReadAll(io.LimitReader(r, MaxCaptions+1))
	switch {
	case err != nil:
		return nil, refuse("The captions could not be read to their end.")
	case len(b) > MaxCaptions:
		return nil, refuse("The captions are larger than 1 MiB.")
	}
	vtt, err := ParseCaptions(b)
	if err != nil {
		return nil, refuse(strings.ToUpper(err.Error()[:1]) + err.Error()[1:] + ".")
	}
	return vtt, nil
}
