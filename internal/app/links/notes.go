package links

import (
	"context"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/report"
)

// The bounds of notes: of a link, and of each in characters.
const MaxNotes, MaxNoteText = 100, 200

// ErrNoNote is returned for an unknown note of a link.
var ErrNoNote = vitrine.Errorf(vitrine.CodeNotFound, "This link has no such note.")

// zoneLead is how far the clocks of a time zone are from UTC at most. A note is
// about a day on the clocks of its owner.
const zoneLead = 14 * time.Hour

// parseNote checks a note that a user typed for a link.
func (s *Service) parseNote(l *vitrine.Link, n Note) (Note, error) {
	wrong := func(field, message string) (Note, error) {
		return n, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field, Message: message}
	}
	n.Text = filetype.OneLine(n.Text)
	_, unseen := vitrine.ParseTitle(n.Text)
	switch {
	case unseen != nil, utf8.RuneCountInString(n.Text) > MaxNoteText:
		return wrong("text", "A note has 1 to 200 characters, at least one of them visible. Shorten it, or say more.")
	case n.Day < report.DayOf(l.CreatedAt.Add(-zoneLead).UnixMilli()):
		return wrong("day", "The link was created after this day. Choose a later one.")
	case n.Day > report.DayOf(s.Now().Add(zoneLead).UnixMilli()):
		return wrong("day", "This day is in the future. Choose today or an earlier one.")
	}
	return n, nil
}

// Notes lists the notes of a link of an account by day. Errors: CodeNotFound.
func (s *Service) Notes(ctx context.Context, a *vitrine.Account, slug string) ([]Note, error) {
	l, err := OwnLink(ctx, s.Store, a, slug, s.Now())
	if err != nil {
		return nil, err
	}
	return NotesOf(l), nil
}

// AddNote adds a note to a link of an account and returns it with its number.
// Errors: CodeNotFound, CodeInvalidRequest, and those of the condition.
func (s *Service) AddNote(ctx context.Context, a *vitrine.Account, slug string, n Note,
	condition Condition) (Note, error) {
	err := s.changeNotes(ctx, a, slug, func(l *vitrine.Link) (err error) {
		if condition != nil {
			if err := condition(l); err != nil {
				return err
			}
		}
		if n, err = s.parseNote(l, n); err != nil {
			return err
		}
		if len(NotesOf(l)) >= MaxNotes {
			return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "text",
				Message: "A link has at most 100 notes. Delete one first."}
		}
		n.ID = addNote(l, n)
		return nil
	})
	return n, err
}

// EditNote replaces a note of a link of an account. Errors: CodeNotFound,
// CodeInvalidRequest.
func (s *Service) EditNote(ctx context.Context, a *vitrine.Account, slug string, n Note) error {
	return s.changeNotes(ctx, a, slug, func(l *vitrine.Link) error {
		n, err := s.parseNote(l, n)
		if err != nil {
			return err
		}
		return putNote(l, n)
	})
}

// DeleteNote deletes a note of a link of an account. Errors: CodeNotFound.
func (s *Service) DeleteNote(ctx context.Context, a *vitrine.Account, slug string, id int) error {
	return s.changeNotes(ctx, a, slug, func(l *vitrine.Link) error { return putNote(l, Note{ID: id}) })
}

func (s *Service) changeNotes(ctx context.Context, a *vitrine.Account, slug string,
	change func(*vitrine.Link) error) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		l, err := OwnLinkByAnySlug(tx, a, slug, s.Now())
		if err != nil {
			return err
		}
		if err := change(l); err != nil {
			return err
		}
		return tx.PutLink(l)
	})
}
