package links

import (
	"context"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
)

// Edit is an owner's change of a link. A nil field leaves its value unchanged.
type Edit struct {
	Title *string
	// Slug is the new slug; the rules of custom slugs apply. The old slug leads
	// to the link for SlugRest and stays blocked for others as long.
	Slug     *string
	Download *bool // whether readers may download the file
	Disabled *bool // whether the owner disables the link
	// ExpiresAt is when the link is disabled; the zero time: never. A new time
	// gives an expired link the state that it had before.
	ExpiresAt *time.Time
	Labels    *vitrine.Labels // all of them
	AddLabel  string          // one more; "" for none
	DropLabel string          // one less; "" for none
	Access    *access.Change  // what readers need
	Bell      *vitrine.Bell

	Match Match
	// Fills, unless nil, must hold for the edited link, except if the edit only
	// disables the link, forbids downloads or changes ExpiresAt.
	Fills func(*vitrine.Link) error
	// LinkLife bounds ExpiresAt, counted from the link's creation; 0 means no
	// limit (vitrine.APIKey).
	LinkLife time.Duration
}

// Match lists tags. A change is made only if the link has one of them; nil
// means always. "*" matches any link.
type Match []string

// Check returns CodePreconditionFailed if the link has none of the tags.
func (m Match) Check(l *vitrine.Link) error {
	if m == nil || slices.Contains(m, "*") || slices.Contains(m, l.Tag()) {
		return nil
	}
	return vitrine.Errorf(vitrine.CodePreconditionFailed,
		"The link has changed since you read it. Compare it with what you have, then send the request with its new ETag.")
}

// parsed is an Edit with parsed texts.
type parsed struct {
	title string
	slug  vitrine.Slug
}

func (e *Edit) parse(a *vitrine.Account, now time.Time) (p parsed, err error) {
	if e.Slug != nil {
		if err := a.MayChooseSlug(); err != nil {
			return p, err
		}
	}
	if e.Title != nil {
		if p.title, err = vitrine.ParseTitle(*e.Title); err != nil {
			wrong := *err.(*vitrine.Error)
			wrong.Field = "title"
			return p, &wrong
		}
	}
	if e.Slug != nil {
		if p.slug, err = vitrine.ParseSlug(*e.Slug); err != nil {
			return p, err
		}
	}
	if e.ExpiresAt != nil && !e.ExpiresAt.IsZero() && !e.ExpiresAt.After(now) {
		return p, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "expiresAt",
			Message: "The link would have expired already. Choose a later time, or disable it."}
	}
	return p, nil
}

// Edit changes a link of an account, completely or not at all. It finds the
// link by its slug or an old one. Errors: CodeInvalidRequest, CodeProRequired,
// CodeInvalidSlug, CodeSlugTaken, CodeNotFound, CodeRateLimited;
// CodePreconditionFailed, with the current link.
func (s *Service) Edit(ctx context.Context, a *vitrine.Account, slug string, e Edit) (l *vitrine.Link, err error) {
	p, err := e.parse(a, s.Now())
	if err == nil {
		err = s.Gates.Prepare(ctx, e.Access, a.Email)
	}
	if err != nil {
		return nil, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now := s.Now()
		if l, err = ownLink(tx, a, slug, now); err != nil {
			return err
		}
		if err := e.Match.Check(l); err != nil {
			return err
		}
		before := *l
		if err := e.apply(tx, l, p, now); err != nil {
			return err
		}
		if e.Fills != nil && e.fills() {
			if err := e.Fills(l); err != nil {
				return err
			}
		}
		if *l != before {
			if err := tx.PutLink(l); err != nil {
				return err
			}
		}
		return e.decide(tx, l, now)
	})
	if err != nil && vitrine.CodeOf(err) != vitrine.CodePreconditionFailed {
		return nil, err
	}
	l.ApplyExpiry(s.Now())
	return l, err
}

// fills reports whether an edit shows readers something that they did not see.
func (e *Edit) fills() bool {
	return e.Title != nil || e.Slug != nil || e.Download != nil && *e.Download || e.Disabled != nil && !*e.Disabled ||
		e.Access != nil
}

// ownLink reads a link of an account by any of its slugs, in a transaction that
// may change it. If the link has expired, ownLink records that first.
func ownLink(tx vitrine.Tx, a *vitrine.Account, slug string, now time.Time) (*vitrine.Link, error) {
	l, err := OwnLinkByAnySlug(tx, a, slug, now)
	if err != nil {
		return nil, err
	}
	return l, l.Expire(tx, now)
}

// apply changes everything except the link's state.
func (e *Edit) apply(tx vitrine.Tx, l *vitrine.Link, p parsed, now time.Time) error {
	if e.Title != nil {
		l.Title = p.title
	}
	if e.Download != nil {
		l.AllowDownload = *e.Download
	}
	if e.Bell != nil {
		l.Bell = *e.Bell
	}
	if err := e.label(l); err != nil {
		return err
	}
	if round := l.Access.Round; e.Access != nil {
		e.Access.Apply(&l.Access)
		if l.Access.Round != round && round != "" {
			if err := tx.DeletePlaces(l.ID, round); err != nil {
				return err
			}
		}
	}
	if e.ExpiresAt != nil {
		most := l.CreatedAt.Add(e.LinkLife)
		if e.LinkLife > 0 && (e.ExpiresAt.IsZero() || e.ExpiresAt.After(most)) {
			return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "expiresAt",
				Message: "This API key limits how long links are public: this one until " +
					most.UTC().Format(time.RFC3339) + " at most."}
		}
		l.ExpiresAt = e.ExpiresAt.Truncate(time.Millisecond)
	}
	if e.Slug == nil || p.slug == l.Slug {
		return nil
	}
	owner, err := tx.Account(l.Account)
	if err != nil {
		return err
	}
	if err := owner.MayChooseSlug(); err != nil {
		return err
	}
	return changeSlug(tx, l, p.slug, now)
}

// label changes the labels of a link.
func (e *Edit) label(l *vitrine.Link) (err error) {
	if e.Labels != nil {
		l.Labels = *e.Labels
	}
	if e.AddLabel != "" {
		if l.Labels, err = ParseLabels(append(l.Labels.All(), e.AddLabel)); err != nil {
			return err
		}
	}
	if e.DropLabel != "" {
		l.Labels = withoutLabel(l.Labels, e.DropLabel)
	}
	return nil
}

// decide moves a link to the state that an edit asks for.
func (e *Edit) decide(tx vitrine.Tx, l *vitrine.Link, now time.Time) error {
	by := vitrine.Owner(l.Account)
	move := func(c vitrine.Change) error {
		if err := ownerMayChange(tx, l, now); err != nil {
			return err
		}
		if c.To == vitrine.StateLive {
			if err := access.CheckPublish(tx, l, by); err != nil {
				return err
			}
		}
		c.By = by
		return l.Transition(tx, now, c)
	}
	if e.ExpiresAt != nil && l.State == vitrine.StateDisabled && l.Reason == vitrine.ReasonExpired {
		// An expired link was live. Undoing the expiry does not change earlier
		// decisions.
		if err := move(vitrine.Change{Action: vitrine.ActionUndo, To: vitrine.StateLive}); err != nil {
			return err
		}
	}
	byOwner := l.State == vitrine.StateDisabled && l.Reason == vitrine.ReasonOwner
	switch {
	case e.Disabled == nil, *e.Disabled == byOwner, !*e.Disabled && l.State == vitrine.StateLive:
		return nil
	case *e.Disabled:
		c, err := disabling(l, by)
		if err != nil {
			return inField("disabled", err)
		}
		return move(c)
	}
	c, err := undoing(tx, l, by)
	if err != nil {
		return inField("disabled", err)
	}
	return move(c)
}

// inField sets the field of an error to a member of the request.
func inField(field string, err error) error {
	if e, ok := err.(*vitrine.Error); ok {
		about := *e
		about.Field = field
		return &about
	}
	return err
}

// SlugFree reports whether an account may take a slug now: for its link with
// the slug of, or for a new link (""). For a taken slug, the answer does not
// depend on who has it. Errors: CodeProRequired, CodeInvalidSlug,
// CodeSlugTaken, CodeNotFound.
func (s *Service) SlugFree(ctx context.Context, a *vitrine.Account, of, slug string) error {
	if err := a.MayChooseSlug(); err != nil {
		return err
	}
	to, err := vitrine.ParseSlug(slug)
	if err != nil {
		return err
	}
	return s.Store.Read(ctx, func(tx vitrine.Tx) error {
		u := SlugRequest{Slug: to}
		if of != "" {
			l, err := OwnLinkIn(tx, a, of)
			if err != nil || l.Slug == to {
				return err
			}
			u.Link = l.ID
		}
		return SlugFree(tx, u, s.Now())
	})
}
