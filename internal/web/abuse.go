package web

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/moderation"
)

// maxReport bounds the form of a report, in bytes: a note of MaxAbuseNote
// characters, each up to 12 bytes of the form's encoding.
const maxReport = 16 << 10

// siteReportRoot is where readers report websites: on the app's own host, for a
// website's host is its author's alone.
const siteReportRoot = "/report/website/"

// onSite finds the website that is reported, which must be published.
func (s *publicH) onSite(h func(http.ResponseWriter, *http.Request, vitrine.Slug) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "private, no-store")
		w.Header().Set("X-Robots-Tag", "noindex")
		slug, err := vitrine.ParseSlug(r.PathValue("slug"))
		if err != nil || s.Sites == nil {
			return errNoSite
		}
		if _, _, err := s.Sites.Public(r.Context(), slug); err != nil {
			return err
		}
		return h(w, r, slug)
	}
}

// reportPage is the form on which a reader says what is wrong with a link, and
// what they are told then.
type reportPage struct {
	chrome
	What      string // "file" or "website"
	Subject   string // title of the link, or address of the website
	Action    string // address that takes the form
	Reasons   []reportReason
	Note      string
	MaxNote   int
	Threshold int
	KeptDays  int
	Problem   string // what is wrong with the form
	Done      bool
}

type reportReason struct {
	Value         vitrine.AbuseReason
	Name, Meaning string
	Chosen        bool
}

var reasonTexts = map[vitrine.AbuseReason][2]string{
	vitrine.AbuseMalware:   {"Malware", "It harms the device of people who open it."},
	vitrine.AbusePhishing:  {"Phishing or fraud", "It pretends to be someone else to get passwords or money."},
	vitrine.AbuseCopyright: {"Copyright", "It is my work, or that of someone I act for, published without permission."},
	vitrine.AbuseIllegal:   {"Illegal content", "The law forbids showing it."},
	vitrine.AbusePrivate:   {"Private data", "It shows personal data without consent."},
	vitrine.AbuseOther:     {"Something else", "Say what it is, below."},
}

func (s *publicH) reportPage(l *vitrine.Link) *reportPage {
	return s.newReportPage("file", l.Title, "/p/"+string(l.Slug)+"/report")
}

func (s *publicH) siteReportPage(slug vitrine.Slug) *reportPage {
	return s.newReportPage("website", s.siteURL(slug), siteReportRoot+string(slug))
}

func (s *publicH) newReportPage(what, subject, action string) *reportPage {
	return &reportPage{chrome: s.newChrome("Report a " + what), What: what, Subject: subject, Action: action, MaxNote: moderation.MaxAbuseNote,
		Threshold: s.Abuse.Threshold, KeptDays: int(moderation.AbuseReportLife / (24 * time.Hour))}
}

func (s *publicH) siteReportForm(w http.ResponseWriter, r *http.Request, slug vitrine.Slug) error {
	return s.writeReport(w, r, http.StatusOK, s.siteReportPage(slug), "")
}

func (s *publicH) fileSiteReport(w http.ResponseWriter, r *http.Request, slug vitrine.Slug) error {
	return s.takeReport(w, r, s.siteReportPage(slug), func(by vitrine.ReporterID, reason vitrine.AbuseReason, note string) error {
		return s.Abuse.FileWebsite(r.Context(), slug, by, reason, note)
	})
}

// reportForm is no open: anyone who reports has seen the link's page, or does
// not want to.
func (s *publicH) reportForm(w http.ResponseWriter, r *http.Request, l *vitrine.Link, _ *vitrine.Account) error {
	return s.writeReport(w, r, http.StatusOK, s.reportPage(l), "")
}

func (s *publicH) fileReport(w http.ResponseWriter, r *http.Request, l *vitrine.Link, _ *vitrine.Account) error {
	return s.takeReport(w, r, s.reportPage(l), func(by vitrine.ReporterID, reason vitrine.AbuseReason, note string) error {
		return s.Abuse.File(r.Context(), l.ID, by, reason, note)
	})
}

// takeReport takes a report in. It answers with a page of its own, and not with
// a way back to what was reported, which may be held for review by now.
func (s *publicH) takeReport(w http.ResponseWriter, r *http.Request, p *reportPage, file func(vitrine.ReporterID, vitrine.AbuseReason, string) error) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxReport)
	err := r.ParseForm()
	if err != nil {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "The report could not be read: it is incomplete, or too long. Go back and shorten it.")
	}
	reason, note := vitrine.AbuseReason(r.PostForm.Get("reason")), r.PostForm.Get("note")
	by, err := s.Abuse.Reporter(r.Context(), s.clientAddr(r))
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

// writeReport answers with the form. It is the one page here whose form may be
// sent, to its own origin; it runs no script.
func (s *publicH) writeReport(w http.ResponseWriter, r *http.Request, status int, p *reportPage, chosen vitrine.AbuseReason) error {
	for _, value := range vitrine.AbuseReasons {
		text := reasonTexts[value]
		p.Reasons = append(p.Reasons, reportReason{value, text[0], text[1], value == chosen})
	}
	w.Header().Set("Content-Security-Policy", strings.Join([]string{
		"default-src 'none'",
		"style-src 'nonce-" + p.Nonce + "'",
		"img-src " + origin(s.ContentURL) + assetRoot,
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
	}, "; "))
	return render(w, r, status, reportTemplate, p)
}

// sameOrigin refuses what a page of another site has a browser send.
func (s *httpxH) sameOrigin(h handler) handler {
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(origin(s.PublicURL)); err != nil { // a proxy may have changed Host
		panic(err) // PublicURL has scheme and host
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		if protection.Check(r) != nil {
			return vitrine.Errorf(vitrine.CodeCrossOrigin, "This was sent from a page of another site. Open the link here and send it again.")
		}
		return h(w, r)
	}
}
