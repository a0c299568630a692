package events

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/links"
)

// window is how many events of an account one request looks at, whatever it
// selects.
const window = 10_000

// Query selects events of an account, oldest first.
type Query struct {
	After int64 // an ID
	Kinds []vitrine.EventKind
	Link  string // slug; "" means all
	Limit int
}

// Item is an event, and the link or website that it is about.
type Item struct {
	*vitrine.Event
	Of   *vitrine.Link // nil if there is none
	Site *vitrine.Site // of a version of a website
	// Recipient is through whose address the visit came, once Fill was called.
	// It is nil of the plain address, and if it is gone.
	Recipient *vitrine.Recipient
}

// Name returns the ID of the event as a text.
func (i Item) Name() string { return strconv.FormatInt(i.ID, 10) }

// Page is some events. Next is where the next page begins, also if there are no
// more events yet. More reports whether there are.
type Page struct {
	Events []Item
	Next   int64
	More   bool
}

// CheckKind returns an error for a kind that does not exist, with the field
// that named it.
func CheckKind(kind vitrine.EventKind, field string) error {
	if KindOf(kind) != nil {
		return nil
	}
	var names []string
	for _, k := range Kinds {
		names = append(names, string(k.Name))
	}
	return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field,
		Message: fmt.Sprintf("There is no type of event %q. The types are %s.", kind, strings.Join(names, ", "))}
}

// List lists events. Errors: CodeInvalidRequest; CodeBadCursor, if q.After was
// not given yet; CodeNotFound.
func (s *Service) List(ctx context.Context, a *vitrine.Account, q Query) (p Page, err error) {
	for _, k := range q.Kinds {
		if err := CheckKind(k, "type"); err != nil {
			return p, err
		}
	}
	of := vitrine.EventQuery{Account: a.ID, After: q.After, Until: q.After + window, Kinds: q.Kinds, Limit: q.Limit + 1}
	if q.Link != "" {
		l, err := links.OwnLink(ctx, s.Store, a, q.Link, s.Now())
		if err != nil {
			return p, err
		}
		of.Link = l.ID
	}
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		last, err := tx.LastEvent(a.ID)
		if err != nil {
			return err
		}
		if q.After > last {
			return ErrCursor
		}
		found, err := tx.Events(of)
		if err != nil {
			return err
		}
		p = Page{Next: min(of.Until, last), More: last > of.Until}
		if len(found) > q.Limit {
			found = found[:q.Limit]
			p.Next, p.More = found[q.Limit-1].ID, true
		}
		p.Events, err = Items(tx, a, found)
		return err
	})
	if err == nil {
		err = s.Fill(ctx, p.Events)
	}
	return p, err
}

// LatestQuery selects the newest events of an account before an ID, or all of
// them (0).
type LatestQuery struct {
	Before int64
	Kinds  []vitrine.EventKind
	Link   string // slug; "" means all
	Limit  int
}

// Latest lists events, newest first, and returns where the next page begins, or
// 0 if there is none. A page may have fewer events than the limit, although
// there are more. Errors: CodeNotFound.
func (s *Service) Latest(ctx context.Context, a *vitrine.Account, q LatestQuery) (list []Item, next int64, err error) {
	of := vitrine.EventQuery{Account: a.ID, Kinds: q.Kinds, Limit: q.Limit + 1, Newest: true}
	if q.Link != "" {
		l, err := links.OwnLink(ctx, s.Store, a, q.Link, s.Now())
		if err != nil {
			return nil, 0, err
		}
		of.Link = l.ID
	}
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		next = 0
		if of.Until, err = tx.LastEvent(a.ID); err != nil {
			return err
		}
		if q.Before > 0 {
			of.Until = min(of.Until, q.Before-1)
		}
		of.After = max(of.Until-window, 0)
		found, err := tx.Events(of)
		if err != nil {
			return err
		}
		if len(found) > q.Limit {
			found = found[:q.Limit]
			next = found[q.Limit-1].ID
		} else if of.After > 0 {
			next, err = older(tx, a.ID, of.After)
		}
		if err == nil {
			list, err = Items(tx, a, found)
		}
		return err
	})
	if err == nil {
		err = s.Fill(ctx, list)
	}
	return list, next, err
}

// older returns where events up to an ID begin, or 0 if none is kept.
func older(tx vitrine.Tx, a vitrine.AccountID, until int64) (int64, error) {
	some, err := tx.Events(vitrine.EventQuery{Account: a, Until: until, Limit: 1, Newest: true})
	if err != nil || len(some) == 0 {
		return 0, err
	}
	return some[0].ID + 1, nil
}

// ErrCursor is returned for a cursor that is not one of the account.
var ErrCursor = &vitrine.Error{Code: vitrine.CodeBadCursor, Field: "cursor",
	Message: "The cursor is not one of this account. Begin without one, then use nextCursor from the answer."}

// Items adds what events of an account are about. Numbers of reports need a
// plan with analytics. Recipients, and the numbers of views that have ended,
// come with Fill.
func Items(tx vitrine.Tx, a *vitrine.Account, list []*vitrine.Event) ([]Item, error) {
	all := make([]Item, len(list))
	links := map[vitrine.LinkID]*vitrine.Link{}
	var ids []vitrine.LinkID
	for i, e := range list {
		all[i].Event = e
		if _, asked := links[e.Link]; !asked && e.Link != 0 {
			links[e.Link] = nil
			ids = append(ids, e.Link)
		}
		if k := KindOf(e.Kind); !a.Plan.Pro() && (k == nil || k.Numbers) {
			e.Data = json.RawMessage("{}")
		}
	}
	found, err := tx.LinksByID(ids)
	if err != nil {
		return nil, err
	}
	for _, l := range found {
		links[l.ID] = l
	}
	for i, e := range list {
		l := links[e.Link]
		if all[i].Of = l; l == nil || !l.OfSite() {
			continue
		}
		if all[i].Site, err = tx.Site(l.Site); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Fill adds what the report says now about views that have ended, and the
// recipients. A view that is gone, or does not count any more, leaves its event
// empty.
func (s *Service) Fill(ctx context.Context, list []Item) error {
	if err := s.fillViews(ctx, list); err != nil {
		return err
	}
	of := make([]vitrine.RecipientID, len(list))
	var ids []vitrine.RecipientID
	for i := range list {
		if of[i] = list[i].recipient(); of[i] != 0 && !slices.Contains(ids, of[i]) {
			ids = append(ids, of[i])
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Recipient, error) {
		return tx.RecipientsByID(ids)
	})
	for _, r := range found {
		for i := range list {
			if of[i] == r.ID && list[i].Link == r.Link {
				list[i].Recipient = r
			}
		}
	}
	return err
}

// recipient returns through whose address the visit came; 0 is the plain
// address.
func (i *Item) recipient() vitrine.RecipientID {
	if i.Kind == vitrine.EventRecipientOpened {
		return vitrine.RecipientID(i.Ref)
	}
	var n Numbers
	if json.Unmarshal(i.Data, &n) != nil || n.Visit == nil {
		return 0
	}
	return n.Visit.Through()
}

func (s *Service) fillViews(ctx context.Context, list []Item) error {
	links, asked := map[vitrine.LinkID]*vitrine.Link{}, map[vitrine.LinkID][]vitrine.ViewID{}
	for _, e := range list {
		if e.Data == nil && e.Of != nil && e.Of.DeletedAt.IsZero() {
			links[e.Link] = e.Of
			asked[e.Link] = append(asked[e.Link], vitrine.ViewID(e.Ref))
		}
	}
	data := map[int64]json.RawMessage{} // by view
	if len(asked) > 0 && s.Log != nil {
		views, counts, err := s.Log.ViewsOf(ctx, asked)
		if err != nil {
			return err
		}
		views = slices.DeleteFunc(views, func(v vitrine.ViewRecord) bool { return !byPerson(&v.View) })
		for len(views) > 0 {
			id, of := vitrine.LinkID(views[0].Link), 1
			for of < len(views) && views[of].Link == views[0].Link {
				of++
			}
			rows, err := s.Visits(ctx, links[id], counts[id], views[:of])
			if err != nil {
				return err
			}
			for i := range rows {
				data[views[i].ID], err = json.Marshal(Numbers{Views: counts[id].Views, Downloads: counts[id].Downloads,
					Visit: visitOf(&rows[i])})
				if err != nil {
					return err
				}
			}
			views = views[of:]
		}
	}
	for i, e := range list {
		if e.Data != nil {
			continue
		}
		if list[i].Data = data[e.Ref]; list[i].Data == nil {
			list[i].Data = json.RawMessage("{}")
		}
	}
	return nil
}

// Each calls f with all events of an account, oldest first.
func (s *Service) Each(ctx context.Context, a *vitrine.Account, f func(Item) error) error {
	for q := (Query{Limit: newsBatch}); ; {
		p, err := s.List(ctx, a, q)
		if err != nil {
			return err
		}
		for _, e := range p.Events {
			if err := f(e); err != nil {
				return err
			}
		}
		if !p.More {
			return nil
		}
		q.After = p.Next
	}
}
