package public

import (
	"errors"
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/moderation"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// maxReport bounds the form of a report, in bytes: a note of
// moderation.MaxAbuseNote characters, each encoded in up to 12 bytes.
const maxReport = 16 << 10

// OnSite finds the website that is reported, which must be published.
func (s *Handler) OnSite(h func(http.ResponseWriter, *http.Request, vitrine.Slug) error) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "private, no-store")
		w.Header().Set("X-Robots-Tag", "noindex")
		slug, err := vitrine.ParseSlug(r.PathValue("slug"))
		if err != nil || s.Sites == nil {
			return vitrine.ErrNoSite
		}
		if _, _, err := s.Sites.Public(r.Context(), slug); err != nil {
			return err
		}
		return h(w, r, slug)
	}
}

// reportPage is the form for reporting a link, and its confirmation.
type reportPage struct {
	ui.Page
	What      string // "file" or "website"
	Subject   string // title of the link, or address of the website
	Action    string // address that takes the form
	Back      string // address of the link or website
	Reasons   []reportReason
	Note      string
	MaxNote   int
	Threshold int
	KeptDays  int
	Problem   string // error in the form
	Done      bool
}

type reportReason struct {
	Value         vitrine.AbuseReason
	Name, Meaning string
	Chosen        bool
}

func (s *Handler) reportPage(l *vitrine.Link) *reportPage {
	p := s.newReportPage("file", l.Title, "/p/"+string(l.Slug)+"/report")
	p.Back = l.Path()
	return p
}

func (s *Handler) siteReportPage(slug vitrine.Slug) *reportPage {
	p := s.newReportPage("website", s.Server.SiteURL(slug), httpx.SiteReportRoot+string(slug))
	p.Back = p.Subject
	return p
}

func (s *Handler) newReportPage(what, subject, action string) *reportPage {
	return &reportPage{Page: s.Pages.NewChrome("Report a " + what), What: what, Subject: subject, Action: action,
		MaxNote:   moderation.MaxAbuseNote,
		Threshold: s.Abuse.Threshold, KeptDays: int(moderation.AbuseReportLife / (24 * time.Hour))}
}

func (s *Handler) SiteReportForm(w http.ResponseWriter, r *http.Request, slug vitrine.Slug) error {
	return s.writeReport(w, r, http.StatusOK, s.siteReportPage(slug), "")
}

func (s *Handler) FileSiteReport(w http.ResponseWriter, r *http.Request, slug vitrine.Slug) error {
	return s.takeReport(w, r, s.siteReportPage(slug),
		func(by vitrine.ReporterID, reason vitrine.AbuseReason, note string) error {
			return s.Abuse.ReportWebsite(r.Context(), slug, by, reason, note)
		})
}

// OnReported finds the link of a request to report it. Who has no pass for it
// learns nothing about it.
func (s *Handler) OnReported(h LinkHandler) httpx.HandlerFunc {
	return s.onLink(h, func(w http.ResponseWriter, r *http.Request, g *access.Gate) error {
		return h(w, r, &vitrine.Link{ID: g.Link.ID, Slug: g.Link.Slug, Through: g.Link.Through,
			Title: s.Server.AddressOf(g.Link)}, nil)
	})
}

// ReportForm serves the form for reporting a link. It records no view: the
// reporter has seen the page or does not want to.
func (s *Handler) ReportForm(w http.ResponseWriter, r *http.Request, l *vitrine.Link, _ *vitrine.Account) error {
	return s.writeReport(w, r, http.StatusOK, s.reportPage(l), "")
}

func (s *Handler) FileReport(w http.ResponseWriter, r *http.Request, l *vitrine.Link, _ *vitrine.Account) error {
	return s.takeReport(w, r, s.reportPage(l), func(by vitrine.ReporterID, reason vitrine.AbuseReason,
		note string) error {
		return s.Abuse.Report(r.Context(), l.ID, by, reason, note)
	})
}

// takeReport stores a report. It answers with a page of its own, without a way
// back to the link, which may be in review now.
func (s *Handler) takeReport(w http.ResponseWriter, r *http.Request, p *reportPage,
	file func(vitrine.ReporterID, vitrine.AbuseReason, string) error) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxReport)
	err := r.ParseForm()
	if err != nil {
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"The report could not be read: it is incomplete, or too long. Go back and shorten it.")
	}
	reason, note := vitrine.AbuseReason(r.PostForm.Get("reason")), r.PostForm.Get("note")
	by, err := s.Abuse.Reporter(r.Context(), s.Server.LimitedAddr(r))
	if err != nil {
		return err
	}
	err = file(by, reason, note)
	var e *vitrine.Error
	if errors.As(err, &e) && e.Code == vitrine.CodeInvalidRequest {
		p.Problem, p.Note = e.Message, note
		return s.writeReport(w, r, http.StatusBadRequest, p, reason)
	}
	if err != nil {
		return err
	}
	p.Done, p.Title = true, "Thank you"
	return s.writeReport(w, r, http.StatusOK, p, "")
}

// writeReport answers with the form. It is the only public page with a form,
// which goes to its own origin; it runs no script.
func (s *Handler) writeReport(w http.ResponseWriter, r *http.Request, status int, p *reportPage,
	chosen vitrine.AbuseReason) error {
	for _, value := range moderation.AbuseReasons {
		text := ui.ReasonTexts[value]
		p.Reasons = append(p.Reasons, reportReason{value, text[0], text[1], value == chosen})
	}
	s.Server.SetPagePolicy(w, r, httpx.ReportForm, p.Nonce)
	return ui.Render(w, r, status, "report.html", p)
}
