package moderator

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/moderation"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// decisionNotice is what a moderator has just decided, for the next page. The
// address of that page only has a range of the history. The decisions are read
// from there, so that no address can make a page claim something.
type decisionNotice struct {
	Text    string // the last action
	Name    string // title of the one link, or address of the account, that it was done to; "" of several
	Address string // of their page
	Path    string // public address of the one link: others may have its title
	Undo    string // the range, for the form that takes it back; "" when that cannot be
}

// newest returns the last decision.
func (s *Handler) newest(ctx context.Context) (vitrine.ChangeID, error) {
	list, err := s.Moderation.History(ctx, 0, 1)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].ID, nil
}

// doneSince returns the range of the decisions after one, or "" if there are
// none.
func (s *Handler) doneSince(ctx context.Context, before vitrine.ChangeID) (string, error) {
	last, err := s.newest(ctx)
	if err != nil || last == before {
		return "", err
	}
	return strconv.FormatInt(int64(before), 10) + "-" + strconv.FormatInt(int64(last), 10), nil
}

// inRange returns a moderator's decisions in a range, newest first; none if the
// range is invalid.
func (s *Handler) inRange(ctx context.Context, me *vitrine.Account, text string) ([]moderation.Event, error) {
	a, b, _ := strings.Cut(text, "-")
	from, err1 := strconv.ParseInt(a, 10, 64)
	to, err2 := strconv.ParseInt(b, 10, 64)
	if err1 != nil || err2 != nil || from < 0 || to <= from || to == 1<<63-1 {
		return nil, nil
	}
	list, err := s.Moderation.History(ctx, vitrine.ChangeID(to+1), int(min(to-from, 2*maxBulk)))
	var mine []moderation.Event
	for _, e := range list {
		if int64(e.ID) > from && e.By == vitrine.Moderator(me) {
			mine = append(mine, e)
		}
	}
	return mine, err
}

// doneIn returns the decisions in the address of a page.
func (s *Handler) doneIn(r *http.Request, me *vitrine.Account) (*decisionNotice, error) {
	text := r.URL.Query().Get("done")
	if text == "" {
		return nil, nil
	}
	list, err := s.inRange(r.Context(), me, text)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	d := &decisionNotice{Text: ui.ActionName(list[0].Action)}
	for _, e := range list {
		if undoable[e.Action] {
			d.Undo = text
		}
		if ui.ActionName(e.Action) != d.Text {
			d.Text = "Decided on"
		}
	}
	if len(list) > 1 {
		d.Text += " " + ui.Counted(int64(len(list)), "link", "links")
		return d, nil
	}
	if e := list[0]; e.Link == 0 {
		d.Name, d.Address = e.Account, accountAddress(e.Change.Account)
	} else if l, err := s.Links.BySlug(r.Context(), string(e.Slug)); err == nil {
		d.Name, d.Address, d.Path = l.Title, app.CaseAddress(l.Slug, ""), "/p/"+string(l.Slug)
	}
	return d, nil
}

// undoable lists the decisions that the undo key reverts. Undoing is not among
// them: pressing the key twice would have no effect.
var undoable = map[vitrine.Action]bool{
	vitrine.ActionClear: true, vitrine.ActionReject: true, vitrine.ActionDisable: true, vitrine.ActionBan: true,
	vitrine.ActionUnban: true,
}

// UndoDecisions undoes what a moderator has just decided, except where
// something else was decided since.
func (s *Handler) UndoDecisions(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxDecision); err != nil {
		return err
	}
	ctx := r.Context()
	list, err := s.inRange(ctx, me, r.PostForm.Get("done"))
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "You have no decision to undo.")
	}
	before, err := s.newest(ctx)
	if err != nil {
		return err
	}
	spared := 0
	for _, e := range list {
		ok, err := s.undo(ctx, me, e)
		if err != nil {
			return err
		}
		if !ok {
			spared++
		}
	}
	to, err := s.doneSince(ctx, before)
	if err != nil {
		return err
	}
	queue := parseQueue(r.PostForm.Get("queue"))
	switch e := list[0]; {
	case len(list) > 1:
		more := ""
		if spared > 0 {
			more = strconv.Itoa(spared)
		}
		return httpx.Redirect(w, r, queueAddress(reasonOfQueue(queue), "done", to, "spared", more))
	case e.Link == 0:
		return httpx.Redirect(w, r, accountAddress(e.Change.Account, "done", to))
	case e.Slug == "":
		return httpx.Redirect(w, r, queueAddress(reasonOfQueue(queue)))
	default:
		return httpx.Redirect(w, r, app.CaseAddress(e.Slug, queue, "done", to))
	}
}

// undo undoes a decision and reports whether it could.
func (s *Handler) undo(ctx context.Context, me *vitrine.Account, e moderation.Event) (bool, error) {
	if !undoable[e.Action] {
		return false, nil
	}
	by := vitrine.Decision{By: vitrine.Moderator(me)}
	var err error
	if e.Link == 0 {
		_, err = s.Accounts.SetBanned(ctx, e.Account, e.Action == vitrine.ActionUnban, by)
		return err == nil, err
	}
	c, err := s.Moderation.Case(ctx, string(e.Slug))
	if vitrine.CodeOf(err) == vitrine.CodeNotFound {
		return false, nil // deleted since
	}
	if err != nil {
		return false, err
	}
	if len(c.History) == 0 || c.History[0].ID != e.ID || !app.MayPublish(me, c.Link) {
		return false, nil
	}
	by.Seen = e.ID
	if _, err = s.Links.Undo(ctx, string(e.Slug), by); vitrine.CodeOf(err) == vitrine.CodeInvalidRequest {
		return false, nil // someone was faster
	}
	return err == nil, err
}
