package reportpage

import (
	"net/http"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/collections"
	"vitrine/internal/web/api"
	"vitrine/internal/web/httpx"
)

// subject is what a report is about; the zero subject is all links of an
// account.
type subject struct {
	link    *vitrine.Link
	website *collections.SiteFacts
}

// subjectOf returns the link or website in the address of a page.
func (s *Handler) subjectOf(r *http.Request, me *vitrine.Account) (of subject, err error) {
	if slug := r.PathValue("website"); slug != "" && s.SiteStats != nil {
		of.website, err = s.Sites.BySlug(r.Context(), me, slug)
		return of, err
	}
	of.link, err = s.linkOf(r, me)
	return of, err
}

// linkOf returns the link in the address of a page, nil if there is none.
// Another account's link is treated as unknown.
func (s *Handler) linkOf(r *http.Request, me *vitrine.Account) (*vitrine.Link, error) {
	slug := r.PathValue("slug")
	if slug == "" {
		return nil, nil
	}
	return s.Links.Of(r.Context(), me, slug)
}

func (s *Handler) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	of, err := s.subjectOf(r, me)
	if err != nil {
		return err
	}
	n, err := s.asked(r, me, of)
	if wrong := wrongDates(err); wrong != nil && me.Plan.Pro() {
		return s.showWithoutDates(w, r, me, of, wrong)
	}
	if err != nil {
		return err
	}
	if q := r.URL.Query(); q.Has("format") || q.Has("card") {
		if q.Get("format") == "zip" {
			return writeCards(w, r, n)
		}
		return writeCard(w, r, n, q.Get("format"), q.Get("card"))
	}
	return s.write(w, r, me, http.StatusOK, of, n, nil)
}

// asked returns the report that a request asks for.
func (s *Handler) asked(r *http.Request, me *vitrine.Account, of subject) (*numbers, error) {
	q, err := s.queryOf(r, me, of)
	if err != nil {
		return nil, err
	}
	if r.URL.Query().Has("format") {
		q.Rows = fileBuckets
	}
	return s.numbersOf(r.Context(), me, of, q)
}

// wrongDates returns the fields of dates that are wrong.
func wrongDates(err error) httpx.FieldErrors {
	if vitrine.CodeOf(err) != vitrine.CodeBadRange {
		return nil
	}
	return httpx.FieldErrorsOf(err)
}

// showWithoutDates answers a request with wrong dates: with the report over the
// default range, and what is wrong beside the field.
func (s *Handler) showWithoutDates(w http.ResponseWriter, r *http.Request, me *vitrine.Account, of subject,
	wrong httpx.FieldErrors) error {
	values, err := httpx.Query(r)
	if err != nil {
		return err
	}
	plain := r.Clone(r.Context())
	plain.URL.RawQuery = withoutDates(values).Encode()
	n, err := s.asked(plain, me, of)
	if err != nil {
		return err
	}
	return s.write(w, plain, me, http.StatusBadRequest, of, n, func(p *reportPage) {
		p.Ask.Wrong, p.Ask.From, p.Ask.To = wrong, values.Get("from"), values.Get("to")
		if text := wrong["range"]; text != "" {
			wrong["from"] = text
		}
	})
}

// show answers with a report, after a change.
func (s *Handler) show(w http.ResponseWriter, r *http.Request, me *vitrine.Account, status int, q analytics.Query,
	change func(*reportPage)) error {
	of, err := s.subjectOf(r, me)
	if err != nil {
		return err
	}
	n, err := s.numbersOf(r.Context(), me, of, q)
	if err != nil {
		return err
	}
	return s.write(w, r, me, status, of, n, change)
}

func (s *Handler) write(w http.ResponseWriter, r *http.Request, me *vitrine.Account, status int, of subject, n *numbers,
	change func(*reportPage)) error {
	p, err := s.newStatsPage(r, me, of, n)
	if err != nil {
		return err
	}
	if of.website == nil && !n.sample {
		if p.Shares, err = s.shares(r, me, of.link); err != nil {
			return err
		}
		p.Shares.View = n.q.Values().Encode()
		if of.link != nil {
			p.Visits = p.visitsAt(n)
			p.Notes = newStatsNotes(of.link, n, s.Now())
		}
	}
	if change != nil {
		change(p)
	}
	return s.Shell.WriteApp(w, r, status, "stats.html", p.Nonce, p)
}

// Pulse returns the version of a report, so that a page knows whether its
// numbers have changed.
func (s *Handler) Pulse(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := api.NeedPro(me); err != nil {
		return err
	}
	of, err := s.subjectOf(r, me)
	if err != nil {
		return err
	}
	q, err := s.queryOf(r, me, of)
	if err != nil {
		return err
	}
	n, err := s.numbersOf(r.Context(), me, of, q)
	if err != nil {
		return err
	}
	version, err := n.version(s.Now())
	if err != nil {
		return err
	}
	tag := `"` + version + `"`
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "no-store")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return httpx.WriteJSON(w, map[string]string{"version": version})
}
