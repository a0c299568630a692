package moderator

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/app/moderation"
	"vitrine/internal/filetype"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// caseVersion is another version of a link, and the address of its case.
type caseVersion struct {
	*vitrine.Link
	Address string
}

// casePage is the page on which a moderator decides about a link.
type casePage struct {
	moderatorPage
	Case    *moderation.Case
	Queue   string // the queue that it is seen from, "" for none
	Back    string // address of that queue
	Next    string // address of the case after it there
	Address string // where its decisions are sent, without the decision
	Badge   string
	Type    string // of the file, in words
	Facts   []string
	Public  string // address of the public page, while there is one
	Path    string // the address for display, whether or not the link is public
	Seen    int64  // the last change that the page shows
	Own     bool   // the link is the moderator's own
	May     bool   // the moderator may publish it
	Disable bool   // it can be disabled
	Past    string // earlier decisions about the account, in words
	Preview examination
	Problem string // why the decision was not carried out
	Note    string
	MaxNote int

	OfAddress string        // of the case of the link that this is a version of; ""
	Versions  []caseVersion // other versions of the link
}

// examination is how a case shows its file.
type examination struct {
	Frame   string // address of the frame; "" for none
	Sandbox string // of the frame
	Source  string // address of the frame with the text of a web page
	Copy    string // address of the bytes
	Message string // shown instead of a frame
	Note    string // what the moderator must know about what is shown
}

func (s *Handler) ShowCase(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	c, err := s.Moderation.Case(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	return s.writeCase(w, r, me, c, http.StatusOK, decisionForm{queue: parseQueue(r.URL.Query().Get("queue"))})
}

// decisionForm is a submitted decision, or a visit to a case.
type decisionForm struct {
	queue, note, problem string
}

func (s *Handler) writeCase(w http.ResponseWriter, r *http.Request, me *vitrine.Account, c *moderation.Case, status int,
	a decisionForm) error {
	common, _, err := s.newModeratorPage(r, me, c.Link.Title, "case")
	if err != nil {
		return err
	}
	l := c.Link
	t, _ := filetype.ByExt(l.Name)
	p := casePage{
		moderatorPage: common, Case: c, Queue: a.queue, Back: queueAddress(reasonOfQueue(a.queue)),
		Address: app.CaseAddress(l.Slug, ""), Badge: ui.Badge(l), Facts: ui.Facts(l, t),
		Own: l.Account == me.ID, May: app.MayPublish(me, l), Disable: links.MayDisable(l),
		Past: past(c.Account.History), Preview: s.examination(l, me),
		Problem: a.problem, Note: a.note, MaxNote: vitrine.MaxNote,
	}
	p.QueueName = a.queue
	if len(c.History) > 0 {
		p.Seen = int64(c.History[0].ID)
	}
	if l.Live() && !c.Account.Account.Banned {
		p.Public = s.Server.LinkURL(l.Slug)
	}
	p.Path = "/p/" + string(l.Slug)
	if l.OfSite() {
		site, err := s.Sites.OfVersion(r.Context(), l)
		if err != nil {
			return err
		}
		if p.Path = s.Server.SiteURL(site.Slug); p.Public != "" {
			p.Public = p.Path
		}
	}
	if of := c.Of; of != nil {
		p.Path, p.Public, p.OfAddress = "/p/"+string(of.Slug), "", app.CaseAddress(of.Slug, "")
		if of.Live() && !c.Account.Account.Banned {
			p.Public = s.Server.LinkURL(of.Slug)
		}
		if !l.HasBytes && of.Version == l.Version {
			p.Preview = examination{Message: "This is the current version of the link, whose case shows the file."}
		}
	}
	for _, v := range c.Versions {
		p.Versions = append(p.Versions, caseVersion{v, app.CaseAddress(v.Slug, "")})
	}
	if a.queue != "" {
		next, err := s.nextIn(r.Context(), a.queue, l)
		if err != nil {
			return err
		}
		if next != nil {
			p.Next = app.CaseAddress(next.Slug, a.queue)
		}
	}
	return s.writeModerator(w, r, status, "moderation_case.html", p.Nonce, &p)
}

// examination returns how a case shows its file.
func (s *Handler) examination(l *vitrine.Link, me *vitrine.Account) (e examination) {
	if !l.HasBytes {
		e.Message = "The file was deleted. Only its record is left."
		if l.Reason == vitrine.ReasonMalware {
			e.Message = "The file was deleted because malware was found in it. Only its record is left."
		}
		return e
	}
	e.Frame, e.Copy = s.Viewers.ExamineAddress(l, me, "examine"), s.Viewers.ExamineAddress(l, me, "copy")
	if l.OfSite() {
		e.Frame = s.Viewers.ExamineAddress(l, me, "site/") + "?found"
		e.Note = "A version of a website, opened at the page with the finding, or at its first page. You can follow its links. Scripts do not run, and nothing is loaded from other sites."
		return e
	}
	how := s.Viewers.Of(l).Examined
	if how.None {
		e.Frame, e.Message = "", "A browser cannot show this kind of file."
		return e
	}
	e.Sandbox = how.Sandbox
	if how.Source && viewer.HasSource(l) {
		e.Source = s.Viewers.ExamineAddress(l, me, "source")
	}
	if how.Note != nil {
		e.Note = how.Note(l)
	}
	return e
}

// past describes earlier decisions about an account and its links.
func past(history []moderation.Event) string {
	counts := map[vitrine.Action]int64{}
	for _, e := range history {
		if e.By.Kind != vitrine.ActorOwner {
			counts[e.Action]++
		}
	}
	text := ""
	for _, a := range []vitrine.Action{vitrine.ActionBan, vitrine.ActionReject, vitrine.ActionDisable,
		vitrine.ActionClear} {
		if n := counts[a]; n > 0 {
			if text != "" {
				text += ", "
			}
			text += strconv.FormatInt(n, 10) + " × " + ui.ActionName(a)
		}
	}
	return text
}

// nextIn returns the link after one in a queue. After the last one comes the
// first. It returns nil if there is no other.
func (s *Handler) nextIn(ctx context.Context, queue string, l *vitrine.Link) (*vitrine.Link, error) {
	reason := reasonOfQueue(queue)
	at := vitrine.ReviewCursor{}
	if l.State == vitrine.StateReview {
		at = vitrine.ReviewCursor{Since: l.StateAt, ID: l.ID}
	}
	for _, after := range []vitrine.ReviewCursor{at, {}} {
		list, _, err := s.Moderation.Queue(ctx, reason, after, 2)
		if err != nil {
			return nil, err
		}
		for _, waiting := range list {
			if waiting.Link.ID != l.ID {
				return waiting.Link, nil
			}
		}
	}
	return nil, nil
}

// publishes lists the decisions that may publish a link.
var publishes = map[string]bool{"clear": true, "undo": true}

// Decide carries out a decision about a link if the link has not changed since
// the page was shown. Then it redirects to the next case or back.
func (s *Handler) Decide(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxDecision); err != nil {
		return err
	}
	ctx, f, slug, action := r.Context(), r.PostForm, r.PathValue("slug"), r.PathValue("action")
	do, ok := s.linkDecisions()[action]
	if !ok {
		return errNoDecision
	}
	c, err := s.Moderation.Case(ctx, slug)
	if err != nil {
		return err
	}
	a := decisionForm{queue: parseQueue(f.Get("queue")), note: f.Get("note")}
	if len(c.History) > 0 && f.Get("seen") != strconv.FormatInt(int64(c.History[0].ID), 10) {
		return s.tooLate(w, r, me, c, a)
	}
	if publishes[action] && !app.MayPublish(me, c.Link) {
		a.problem = "This is your own link. Another moderator or the owner of this instance decides whether it becomes public."
		return s.writeCase(w, r, me, c, http.StatusForbidden, a)
	}
	before, err := s.newest(ctx)
	if err != nil {
		return err
	}
	next, err := s.nextIn(ctx, a.queue, c.Link)
	if err != nil {
		return err
	}
	d := vitrine.Decision{By: vitrine.Moderator(me), Note: a.note}
	if len(c.History) > 0 {
		d.Seen = c.History[0].ID
	}
	err = do(ctx, slug, d)
	var e *vitrine.Error
	if errors.As(err, &e) && e.Code == vitrine.CodeInvalidRequest {
		if c, err = s.Moderation.Case(ctx, slug); err != nil {
			return err
		}
		if e.Field == "" {
			return s.tooLate(w, r, me, c, a)
		}
		a.problem = e.Message
		return s.writeCase(w, r, me, c, http.StatusBadRequest, a)
	}
	if err != nil {
		return err
	}
	to, err := s.doneSince(ctx, before)
	switch {
	case err != nil:
		return err
	case a.queue == "" || action == "undo":
		return httpx.Redirect(w, r, app.CaseAddress(c.Link.Slug, a.queue, "done", to))
	case next == nil:
		return httpx.Redirect(w, r, queueAddress("", "done", to))
	default:
		return httpx.Redirect(w, r, app.CaseAddress(next.Slug, a.queue, "done", to))
	}
}

type linkDecision func(context.Context, string, vitrine.Decision) error

func (s *Handler) linkDecisions() map[string]linkDecision {
	one := func(f func(context.Context, string, vitrine.Decision) (*vitrine.Link, error)) linkDecision {
		return func(ctx context.Context, slug string, d vitrine.Decision) error {
			_, err := f(ctx, slug, d)
			return err
		}
	}
	return map[string]linkDecision{
		"clear": one(s.Links.Clear), "reject": one(s.Links.Reject), "disable": one(s.Links.Disable),
		"undo": one(s.Links.Undo),
		"reject-same": func(ctx context.Context, slug string, d vitrine.Decision) error {
			_, err := s.Links.RejectSame(ctx, slug, d)
			return err
		},
	}
}

// tooLate answers a decision about a link that has changed: with the current
// case and the typed note.
func (s *Handler) tooLate(w http.ResponseWriter, r *http.Request, me *vitrine.Account, c *moderation.Case,
	a decisionForm) error {
	a.problem = "This link has changed since you opened its page."
	if len(c.History) > 0 {
		e := c.History[0]
		a.problem = ui.ActionName(e.Action) + " in the meantime by " + ui.LowerFirst(ui.Doer(e)) + "."
	}
	a.problem += " Your decision was not carried out; your note is kept below."
	if a.note == "" {
		a.problem = a.problem[:len(a.problem)-len("; your note is kept below.")] + "."
	}
	return s.writeCase(w, r, me, c, http.StatusConflict, a)
}
