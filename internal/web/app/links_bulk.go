package app

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// The limits of a form about several links: a page of the list, and its size in
// bytes.
const (
	maxBulkLinks = 2 * linksBatch
	maxBulkForm  = 64 << 10
)

// newAlbum is the choice of an album that is yet to be created. No slug has
// this form.
const newAlbum = "+"

// bulkAction is an action on each of several links. It returns why a link was
// not changed, or an error.
type bulkAction struct {
	done [2]string // message for one link, and for several
	// is, unless nil, reports whether the action would change nothing, and has
	// the message for one link, and for several.
	is      func(l *vitrine.Link) bool
	already [2]string
	do      func(s *LinkPages, ctx context.Context, me *vitrine.Account, l *vitrine.Link, f url.Values) (why string,
		err error)
}

// bulkActions maps the names of buttons to actions.
var bulkActions = map[string]bulkAction{
	"disable": {done: [2]string{"link disabled", "links disabled"},
		is:      disabledByOwner,
		already: [2]string{"link was already disabled", "links were already disabled"},
		do: func(s *LinkPages, ctx context.Context, me *vitrine.Account, l *vitrine.Link,
			_ url.Values) (string, error) {
			if l.State != vitrine.StateLive {
				return "It is not live: " + ui.StateName(l.State) + ".", nil
			}
			_, err := s.Links.Disable(ctx, string(l.Slug), vitrine.Decision{By: vitrine.Owner(me.ID)})
			return "", err
		}},
	"enable": {done: [2]string{"link enabled", "links enabled"},
		is:      func(l *vitrine.Link) bool { return l.State == vitrine.StateLive },
		already: [2]string{"link was already enabled", "links were already enabled"},
		do: func(s *LinkPages, ctx context.Context, me *vitrine.Account, l *vitrine.Link,
			_ url.Values) (string, error) {
			if !disabledByOwner(l) {
				return "It is not a link that you disabled.", nil
			}
			_, err := s.Links.Undo(ctx, string(l.Slug), vitrine.Decision{By: vitrine.Owner(me.ID)})
			return "", err
		}},
	"delete": {done: [2]string{"link deleted", "links deleted"},
		do: func(s *LinkPages, ctx context.Context, me *vitrine.Account, l *vitrine.Link,
			_ url.Values) (string, error) {
			return "", s.Links.Delete(ctx, string(l.Slug), vitrine.Decision{By: vitrine.Owner(me.ID)})
		}},
	"label": {done: [2]string{"link labelled", "links labelled"},
		do: func(s *LinkPages, ctx context.Context, me *vitrine.Account, l *vitrine.Link,
			f url.Values) (string, error) {
			_, err := s.Links.Edit(ctx, me, string(l.Slug), links.Edit{AddLabel: f.Get("label")})
			return "", err
		}},
	"unlabel": {done: [2]string{"label removed from one link", "labels removed"},
		do: func(s *LinkPages, ctx context.Context, me *vitrine.Account, l *vitrine.Link,
			f url.Values) (string, error) {
			if !l.Labels.Has(f.Get("label")) {
				return "It does not have this label.", nil
			}
			_, err := s.Links.Edit(ctx, me, string(l.Slug), links.Edit{DropLabel: f.Get("label")})
			return "", err
		}},
	"album": {done: [2]string{"link added to the album", "links added to the album"},
		do: func(s *LinkPages, ctx context.Context, me *vitrine.Account, l *vitrine.Link,
			f url.Values) (string, error) {
			return "", s.Albums.Add(ctx, me, f.Get("album"), []string{string(l.Slug)})
		}},
}

func disabledByOwner(l *vitrine.Link) bool {
	return l.State == vitrine.StateDisabled && l.Reason == vitrine.ReasonOwner
}

// bulkOutcome is the result of a form about several links.
type bulkOutcome struct {
	Done    string // "" if nothing was done
	Already string // which links were so already; "" for none
	Failed  []bulkFailure
	Undo    []string // slugs of links that were disabled
	changed []string // slugs of those that the action changed
	picked  []string // slugs of those that stay selected
	Album   string   // address of the album that links were added to
	Trash   bool     // links were deleted
	Back    string   // address of the list
}

// Picked reports whether a link stays selected: the form did not change it.
func (o *bulkOutcome) Picked(slug vitrine.Slug) bool {
	return o != nil && slices.Contains(o.picked, string(slug))
}

// bulkFailure is a link that was not changed, and why.
type bulkFailure struct{ Name, Why string }

// Bulk applies an action to several links and shows the list with the results.
// A failure does not stop the others.
func (s *LinkPages) Bulk(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxBulkForm); err != nil {
		return err
	}
	action := r.PostForm.Get("action")
	deed, ok := bulkActions[action]
	slugs := r.PostForm["link"]
	switch {
	case !ok:
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"The form does not say what to do with the links. Go back and try again.")
	case len(slugs) > maxBulkLinks:
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "At most %d links can be changed at once.", maxBulkLinks)
	}
	back, err := url.Parse(backToLinks(r.PostForm.Get("back"), linksRoot))
	if err != nil {
		return err
	}
	noAlbum := action == "album" && r.PostForm.Get("album") == ""
	noLabel := strings.HasSuffix(action, "label") && strings.TrimSpace(r.PostForm.Get("label")) == ""
	if len(slugs) == 0 || noAlbum || noLabel {
		why := "Select the links first."
		switch {
		case len(slugs) > 0 && noAlbum:
			why = "Choose an album first."
		case len(slugs) > 0:
			why = "Type a label first."
		}
		return s.writeList(w, r, me, back.Query(), &bulkOutcome{Failed: []bulkFailure{{Why: why}}, picked: slugs})
	}
	created := action == "album" && r.PostForm.Get("album") == newAlbum
	if created {
		if err := s.createAlbum(r, me, len(slugs)); err != nil {
			e, _ := s.Server.Known(w, r, err)
			return s.writeList(w, r, me, back.Query(),
				&bulkOutcome{Failed: []bulkFailure{{Why: httpx.AdviceOn(e)}}, picked: slugs})
		}
	}
	out := s.bulkAll(w, r, me, deed, slugs)
	out.Back = back.String()
	switch album := r.PostForm.Get("album"); {
	case created && len(out.changed) == 0: // none is left without links
		if err := s.Albums.Delete(r.Context(), me, album); err != nil {
			return err
		}
	case action == "album" && len(out.changed) > 0:
		out.Album = "/albums/" + url.PathEscape(album)
	}
	if action == "disable" {
		out.Undo = out.changed
	}
	out.Trash = action == "delete" && len(out.changed) > 0
	return s.writeList(w, r, me, back.Query(), out)
}

// bulkAll applies an action to each link.
func (s *LinkPages) bulkAll(w http.ResponseWriter, r *http.Request, me *vitrine.Account, deed bulkAction,
	slugs []string) *bulkOutcome {
	out := &bulkOutcome{}
	var already int64
	for _, slug := range slugs {
		name, why, changed := s.bulkOne(w, r, me, deed, slug)
		switch {
		case why != "":
			out.Failed, out.picked = append(out.Failed, bulkFailure{name, why}), append(out.picked, slug)
			continue
		case !changed:
			already++
			continue
		}
		out.changed = append(out.changed, slug)
	}
	if already > 0 {
		out.Already = ui.Counted(already, deed.already[0], deed.already[1])
	}
	if done := int64(len(out.changed)); done > 0 {
		out.Done = ui.Counted(done, deed.done[0], deed.done[1])
	}
	return out
}

// createAlbum creates the album of a form that adds n links to a new one.
func (s *LinkPages) createAlbum(r *http.Request, me *vitrine.Account, n int) error {
	day := s.Now().In(me.Zone()).Format("2 January 2006")
	album, err := s.Albums.Create(r.Context(), me, ui.Counted(int64(n), "link", "links")+", "+day, "")
	if err == nil {
		r.PostForm.Set("album", string(album.Slug))
	}
	return err
}

// bulkOne does it with one link. It returns why it failed, for people, and
// whether there was anything to change.
func (s *LinkPages) bulkOne(w http.ResponseWriter, r *http.Request, me *vitrine.Account, deed bulkAction,
	slug string) (name, why string, changed bool) {
	o, err := s.Links.Own(r.Context(), me, slug)
	if err == nil {
		name = ui.Title(o.Link)
		if deed.is != nil && deed.is(o.Link) {
			return name, "", false
		}
		why, err = deed.do(s, r.Context(), me, o.Link, r.PostForm)
	}
	if err == nil {
		return name, why, true
	}
	e, _ := s.Server.Known(w, r, err)
	if e.Code == vitrine.CodeNotFound {
		return slug, e.Message, false
	}
	return cmp.Or(name, slug), httpx.AdviceOn(e), false
}
