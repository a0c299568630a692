package publish

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"
)

// Captions stores and deletes the captions of videos and sounds. Captions are
// WebVTT in a language, and a part of the link's bytes. They have a limit of
// their own and count towards no other.
type Captions struct {
	Store vitrine.Store
	Blobs vitrine.Blobs
	Now   func() time.Time

	// mu serializes Put and Delete, so that no link names a text that was
	// deleted. Across processes, store and remove repair such a name. It
	// remains only if a process is killed between its two steps while another
	// one works. Putting or deleting the text again corrects it.
	mu sync.Mutex
}

// Put sets a link's captions in a language. text is WebVTT or SubRip, which is
// converted to WebVTT. may, unless nil, must hold for the link. The text is
// durable before the link names it, so an interrupted Put leaves at most a text
// that no page shows.
//
// Errors: CodeInvalidRequest (language, text, kind of file, too many
// languages), CodeNotFound, as for another account's link.
func (s *Captions) Put(ctx context.Context, a *vitrine.Account, slug, lang string,
	text io.Reader, may links.Condition) (*vitrine.Link, error) {
	lang, err := vitrine.ParseLanguage(lang)
	if err != nil {
		return nil, err
	}
	vtt, err := readCaptions(text)
	if err != nil {
		return nil, err
	}
	part := vitrine.CaptionsPart(lang)
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.Link(ctx, a, slug)
	if err != nil {
		return nil, err
	}
	allowed := func(l *vitrine.Link) error {
		if may != nil {
			if err := may(l); err != nil {
				return err
			}
		}
		return mayHaveCaptions(l, part)
	}
	if err := allowed(l); err != nil {
		return nil, err
	}
	return s.store(ctx, l, part, vtt, allowed)
}

// maxCaptionLanguages is the most languages of a link's captions.
const maxCaptionLanguages = 20

// mayHaveCaptions returns an error if a link has no sound, no bytes, or as
// many captions as allowed.
func mayHaveCaptions(l *vitrine.Link, p vitrine.Part) error {
	refuse := func(message string) error { return vitrine.Errorf(vitrine.CodeInvalidRequest, "%s", message) }
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

// store stores a text and has the link name it. It repeats both if the text is
// gone afterwards: a Delete of another process may have removed it before the
// link named it.
func (s *Captions) store(ctx context.Context, l *vitrine.Link, part vitrine.Part, vtt []byte,
	allowed links.Condition) (*vitrine.Link, error) {
	for {
		err := s.Blobs.PutPart(ctx, l.Upload, part, bytes.NewReader(vtt))
		if errors.Is(err, vitrine.ErrNotFound) {
			return nil, vitrine.ErrNoOwnLink // deleted concurrently
		}
		if err != nil {
			return nil, vitrine.UnavailableAfter(vitrine.Unavailable(err)) // it may have replaced the text before
		}
		current, err := s.change(ctx, l, func(current *vitrine.Link) error {
			if err := allowed(current); err != nil {
				return err
			}
			current.Parts = current.Parts.With(part)
			return nil
		})
		if err != nil {
			return nil, vitrine.UnavailableAfter(err)
		}
		there, err := s.stored(ctx, l, part)
		if err != nil {
			return nil, vitrine.UnavailableAfter(err)
		}
		if there {
			return current, nil
		}
	}
}

// Delete deletes a link's captions in a language. It succeeds if there are
// none. The link stops naming them before they are deleted.
//
// Errors: CodeInvalidRequest, CodeNotFound, as for Put.
func (s *Captions) Delete(ctx context.Context, a *vitrine.Account, slug, lang string) error {
	lang, err := vitrine.ParseLanguage(lang)
	if err != nil {
		return err
	}
	part := vitrine.CaptionsPart(lang)
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.Link(ctx, a, slug)
	if err != nil {
		return err
	}
	if l.Upload == "" {
		return nil
	}
	if l.Parts.Has(part) {
		if _, err := s.change(ctx, l, unname(part)); err != nil {
			return err
		}
	}
	return vitrine.UnavailableAfter(s.remove(ctx, l, part))
}

// unname returns a change after which a link does not name a text.
func unname(p vitrine.Part) func(*vitrine.Link) error {
	return func(l *vitrine.Link) error { l.Parts = l.Parts.Without(p); return nil }
}

// remove deletes a text that its link does not name any more. A Put of another
// process that stored the text before may have named it since. Then remove
// removes that name too, as if the Put had come first. A Put that names the
// text later finds that it is gone.
func (s *Captions) remove(ctx context.Context, l *vitrine.Link, part vitrine.Part) error {
	if err := s.Blobs.DeletePart(ctx, l.Upload, part); err != nil {
		return vitrine.Unavailable(err)
	}
	var named bool
	err := s.Store.Read(ctx, func(tx vitrine.Tx) error {
		current, err := tx.Link(l.ID)
		named = err == nil && current.DeletedAt.IsZero() && current.Upload == l.Upload && current.Parts.Has(part)
		return vitrine.NotFoundIsNil(err)
	})
	if err != nil {
		return err
	}
	if !named {
		return nil
	}
	if there, err := s.stored(ctx, l, part); err != nil || there {
		return err // put again in the meantime
	}
	_, err = s.change(ctx, l, unname(part))
	return err
}

// stored reports whether a part is stored.
func (s *Captions) stored(ctx context.Context, l *vitrine.Link, part vitrine.Part) (bool, error) {
	b, err := s.Blobs.OpenPart(ctx, l.Upload, part)
	if errors.Is(err, vitrine.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, vitrine.Unavailable(err)
	}
	return true, b.Close()
}

// Link finds a link of the account, for its captions. It returns CodeNotFound
// for the slug of another account's link, as for an unknown one.
func (s *Captions) Link(ctx context.Context, a *vitrine.Account, slug string) (*vitrine.Link, error) {
	return links.OwnLink(ctx, s.Store, a, slug, s.Now())
}

// change changes a link in a transaction unless it was deleted or its file was
// replaced.
func (s *Captions) change(ctx context.Context, l *vitrine.Link,
	f func(*vitrine.Link) error) (current *vitrine.Link, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if current, err = tx.Link(l.ID); err != nil {
			return err
		}
		if !current.DeletedAt.IsZero() {
			return vitrine.ErrNoOwnLink
		}
		if current.Upload != l.Upload {
			return vitrine.Errorf(vitrine.CodeInvalidRequest,
				"The file of this link was replaced in the meantime. Send the captions again if they belong to the new file.")
		}
		if err := f(current); err != nil {
			return err
		}
		return tx.PutLink(current)
	})
	if err != nil {
		return nil, err
	}
	return current, nil
}

// readCaptions reads WebVTT or SubRip and returns WebVTT.
func readCaptions(r io.Reader) ([]byte, error) {
	refuse := func(message string) error { return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Message: message} }
	b, err := io.ReadAll(io.LimitReader(r, vitrine.MaxCaptions+1))
	switch {
	case err != nil:
		return nil, refuse("The captions could not be read to their end.")
	case len(b) > vitrine.MaxCaptions:
		return nil, refuse("The captions are larger than 1 MiB.")
	}
	vtt, err := ParseCaptions(b)
	if err != nil {
		return nil, refuse(strings.ToUpper(err.Error()[:1]) + err.Error()[1:] + ".")
	}
	return vtt, nil
}
