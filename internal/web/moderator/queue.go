package moderator

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/moderation"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

const (
	// queueRows and historyRows are the numbers of rows on a page.
	queueRows   = 50
	historyRows = 100
	// maxBulk bounds the links in one request.
	maxBulk = 500
	// maxDecision bounds the form of a decision, in bytes: a note of MaxNote
	// characters, each encoded in up to 12 bytes, and the links of a page.
	maxDecision = 64 << 10
)

// moderatorPage is the common data of the pages for moderators.
type moderatorPage struct {
	app.Page
	Name      string // of the page: queue, case, account, history
	Tabs      []ui.Tab
	Done      *decisionNotice // the last decision
	QueueName string          // the queue that what is undone leads back to; "" for none
}

// newModeratorPage starts a page. It also returns the counts of the queue.
func (s *Handler) newModeratorPage(r *http.Request, me *vitrine.Account,
	title, name string) (p moderatorPage, counts map[string]int64, err error) {
	if counts, err = s.Moderation.Counts(r.Context()); err != nil {
		return p, nil, err
	}
	p = moderatorPage{Page: s.Shell.Begin(r, me, title, "moderation"), Name: name}
	for _, n := range counts {
		p.Waiting += n
	}
	p.Tabs = []ui.Tab{{Name: "Queue", Address: httpx.ModerationRoot, Count: p.Waiting, Key: "q",
		Current: name == "queue"},
		{Name: "Decisions", Address: httpx.ModerationRoot + "/history", Current: name == "history"}}
	s.Shell.Warn(r.Context(), &p.Page)
	p.Done, err = s.doneIn(r, me)
	return p, counts, err
}

func (s *Handler) writeModerator(w http.ResponseWriter, r *http.Request, status int, name, nonce string,
	page any) error {
	s.Server.SetPagePolicy(w, r, httpx.ModeratorPage, nonce)
	return ui.Render(w, r, status, name, page)
}

// queuePage lists what waits for a decision.
type queuePage struct {
	moderatorPage
	Filters []filter
	Reason  string // the one that is filtered by; "": any
	Rows    []queueRow
	Total   int64  // that wait, by the filter
	Next    string // address of the page after
	First   string // address of the first page, on any other
	Late    int64  // links that one button clears, found clean since they were held
	Spared  int64  // links that a decision was not carried out on
	MaxNote int
}

type filter struct {
	Code    string
	Name    string
	Count   int64
	Address string
	Chosen  bool
}

type queueRow struct {
	moderation.ReviewItem
	Badge   string
	Address string
	Value   string // the row's value in the form
	Own     bool   // the moderator may not publish it
}

func (s *Handler) Queue(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	q := r.URL.Query()
	reason := q.Get("reason")
	after, err := parseReviewCursor(q.Get("after"))
	if err != nil {
		return err
	}
	common, counts, err := s.newModeratorPage(r, me, "Moderation", "queue")
	if err != nil {
		return err
	}
	p := queuePage{moderatorPage: common, Reason: reason, Filters: filters(counts, reason), Total: common.Waiting,
		MaxNote: vitrine.MaxNote}
	if reason != "" {
		p.Total = counts[reason]
	}
	if reason == vitrine.ReasonScanLate {
		p.Late = counts[reason]
	}
	p.QueueName = app.QueueName(reason)
	p.Spared, _ = strconv.ParseInt(q.Get("spared"), 10, 32)
	queue, next, err := s.Moderation.Queue(r.Context(), reason, after, queueRows)
	if err != nil {
		return err
	}
	for _, waiting := range queue {
		p.Rows = append(p.Rows, queueRow{waiting, ui.Badge(waiting.Link),
			app.CaseAddress(waiting.Link.Slug, app.QueueName(reason)), rowValue(waiting.Link),
			!app.MayPublish(me, waiting.Link)})
	}
	if next != (vitrine.ReviewCursor{}) {
		p.Next = queueAddress(reason, "after", formatReviewCursor(next))
	}
	if after != (vitrine.ReviewCursor{}) {
		p.First = queueAddress(reason)
	}
	return s.writeModerator(w, r, http.StatusOK, "moderation_queue.html", p.Nonce, &p)
}

// filters returns the reasons in the queue, the most frequent first, after
// "any".
func filters(counts map[string]int64, chosen string) []filter {
	all := filter{Name: "All", Address: httpx.ModerationRoot, Chosen: chosen == ""}
	var list []filter
	for code, n := range counts {
		all.Count += n
		list = append(list, filter{code, ui.ReasonName(code), n, queueAddress(code), code == chosen})
	}
	if _, ok := counts[chosen]; !ok && vitrine.Meaning(chosen) != "" {
		list = append(list, filter{chosen, ui.ReasonName(chosen), 0, queueAddress(chosen), true})
	}
	slices.SortFunc(list, func(a, b filter) int {
		if a.Count != b.Count {
			return int(b.Count - a.Count)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return append([]filter{all}, list...)
}

// rowValue identifies a link and its state in a row. If it has been held for
// another reason since, it is not what the moderator chose.
func rowValue(l *vitrine.Link) string { return string(l.Slug) + " " + l.Reason }

// queueAddress returns the address of the queue for a reason, or "" for any.
// more are names and values for the query.
func queueAddress(reason string, more ...string) string {
	q := url.Values{}
	if reason != "" {
		q.Set("reason", reason)
	}
	return httpx.WithQuery(httpx.ModerationRoot, q, more...)
}

// parseQueue accepts a reason and app.AnyReason; anything else is no queue. So
// a case shows nothing of the request beside the secret addresses of its file.
func parseQueue(name string) string {
	if name == app.AnyReason || vitrine.Meaning(name) != "" {
		return name
	}
	return ""
}

func reasonOfQueue(name string) string {
	if name == app.AnyReason {
		return ""
	}
	return name
}

// DecideMany clears or rejects the chosen links, or clears all that were found
// clean since. It does not change links that have changed since they were
// shown.
func (s *Handler) DecideMany(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxDecision); err != nil {
		return err
	}
	ctx, f := r.Context(), r.PostForm
	by := vitrine.Decision{By: vitrine.Moderator(me), Note: f.Get("note")}
	before, err := s.newest(ctx)
	if err != nil {
		return err
	}
	rows := f["link"]
	if f.Get("do") == "clear-late" {
		if rows, err = s.late(ctx); err != nil {
			return err
		}
	}
	spared := 0
	for _, row := range rows[:min(len(rows), maxBulk)] {
		ok, err := s.decideRow(ctx, me, f.Get("do"), row, by)
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
	more := ""
	if spared > 0 {
		more = strconv.Itoa(spared)
	}
	return httpx.Redirect(w, r, queueAddress(f.Get("reason"), "done", to, "spared", more))
}

// late returns the rows of links that were found clean since they were held, up
// to maxBulk.
func (s *Handler) late(ctx context.Context) (rows []string, err error) {
	queue, _, err := s.Moderation.Queue(ctx, vitrine.ReasonScanLate, vitrine.ReviewCursor{}, maxBulk)
	for _, waiting := range queue {
		rows = append(rows, rowValue(waiting.Link))
	}
	return rows, err
}

// decideRow clears or rejects the link of a row. It reports whether the link
// was still as shown.
func (s *Handler) decideRow(ctx context.Context, me *vitrine.Account, do, row string,
	d vitrine.Decision) (bool, error) {
	slug, _, _ := strings.Cut(row, " ")
	history, err := s.Moderation.OfLink(ctx, slug)
	if vitrine.CodeOf(err) == vitrine.CodeNotFound {
		return false, nil
	}
	if err != nil || len(history) == 0 {
		return false, err
	}
	d.Seen = history[0].ID // read before the link is compared with its row
	l, err := s.Links.BySlug(ctx, slug)
	if vitrine.CodeOf(err) == vitrine.CodeNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	clear := do == "clear" || do == "clear-late"
	if l.State != vitrine.StateReview || rowValue(l) != row || clear && !app.MayPublish(me, l) {
		return false, nil
	}
	switch {
	case clear:
		_, err = s.Links.Clear(ctx, slug, d)
	case do == "reject":
		_, err = s.Links.Reject(ctx, slug, d)
	default:
		return false, errNoDecision
	}
	var e *vitrine.Error
	if errors.As(err, &e) && e.Code == vitrine.CodeInvalidRequest && e.Field == "" {
		return false, nil // someone was faster
	}
	return err == nil, err
}

var errNoDecision = vitrine.Errorf(vitrine.CodeInvalidRequest,
	"This decision does not exist. Go back and use one of the buttons.")

// slugLetters are the letters of slugs in any spelling.
const slugLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"

// Find leads to the case of an address or slug, or to the account of an e-mail
// address.
func (s *Handler) Find(w http.ResponseWriter, r *http.Request, _ *vitrine.Account) error {
	text := strings.TrimSpace(r.URL.Query().Get("for"))
	if strings.Contains(text, "@") {
		a, err := s.Accounts.ByEmail(r.Context(), text)
		if err != nil {
			return err
		}
		return httpx.Redirect(w, r, accountAddress(a.ID))
	}
	if i := strings.LastIndex(text, "/p/"); i >= 0 { // an address, or the end of one
		text = text[i+len("/p/"):]
		text = text[:len(text)-len(strings.TrimLeft(text, slugLetters))]
	}
	slug, err := vitrine.ParseSlug(text)
	if err != nil {
		return vitrine.Errorf(vitrine.CodeNotFound,
			"There is no link %q. Type the address of a link, its slug, or the e-mail address of an account.", text)
	}
	l, err := s.Links.BySlug(r.Context(), string(slug))
	if err != nil {
		return err
	}
	return httpx.Redirect(w, r, app.CaseAddress(l.Slug, ""))
}

// historyPage lists the decisions of people.
type historyPage struct {
	moderatorPage
	Events []moderation.Event
	Next   string // address of the page after
	First  bool   // it is the newest
}

func (s *Handler) History(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	text := r.URL.Query().Get("before")
	before, err := strconv.ParseInt("0"+text, 10, 64)
	if err != nil {
		return httpx.ErrPage("before")
	}
	common, _, err := s.newModeratorPage(r, me, "Decisions", "history")
	if err != nil {
		return err
	}
	p := historyPage{moderatorPage: common, First: text == ""}
	if p.Events, err = s.Moderation.History(r.Context(), vitrine.ChangeID(before), historyRows+1); err != nil {
		return err
	}
	if len(p.Events) > historyRows {
		p.Events = p.Events[:historyRows]
		p.Next = httpx.ModerationRoot + "/history?before=" + strconv.FormatInt(int64(p.Events[historyRows-1].ID), 10)
	}
	return s.writeModerator(w, r, http.StatusOK, "moderation_history.html", p.Nonce, &p)
}

// formatReviewCursor formats a position in the queue for an address.
func formatReviewCursor(c vitrine.ReviewCursor) string {
	return strconv.FormatInt(c.Since.UnixNano(), 36) + "." + strconv.FormatInt(int64(c.ID), 36)
}

func parseReviewCursor(text string) (c vitrine.ReviewCursor, err error) {
	if text == "" {
		return c, nil
	}
	at, rest, _ := strings.Cut(text, ".")
	ns, err1 := strconv.ParseInt(at, 36, 64)
	id, err2 := strconv.ParseInt(rest, 36, 64)
	if err1 != nil || err2 != nil {
		return c, httpx.ErrPage("after")
	}
	return vitrine.ReviewCursor{Since: time.Unix(0, ns).UTC(), ID: vitrine.LinkID(id)}, nil
}
