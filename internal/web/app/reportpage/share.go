package reportpage

import (
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/base/throttle"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// The owner's list of read-only addresses of a report, the form for a new one,
// and the new one itself, which is shown once.

// sharedRoot begins the addresses of shared reports.
const sharedRoot = "/r/"

// shareLives are the lifetimes of addresses.
var shareLives = app.AllLifetimes[1:]

// statsShares lists the addresses of a report.
type statsShares struct {
	Action string // address that creates one; they are revoked below it
	List   []sharedRow
	New    string // address that was just made
	Embed  string // HTML that shows its chart; "" with a password
	Wrong  httpx.FieldErrors
	Label  string // that was typed
	Life   string
	View   string // the query of the page, which an address may keep
	Keep   bool
}

// sharedRow is an address in the list.
type sharedRow struct {
	*vitrine.SharedReport
	Address string // "" if it cannot be made again
}

// Lives returns the choices of the form.
func (s *statsShares) Lives() []ui.Option { return shareLives.Options(s.Life) }

// shares returns the addresses of the report of a page.
func (s *Handler) shares(r *http.Request, me *vitrine.Account, l *vitrine.Link) (*statsShares, error) {
	list, err := s.Shared.List(r.Context(), me, l)
	if err != nil {
		return nil, err
	}
	shares := &statsShares{Action: reportRoot(l) + "/share"}
	for _, r := range list {
		row := sharedRow{SharedReport: r}
		if secret := s.Shared.Secret(r); secret != "" {
			row.Address = s.Server.PublicURL.String() + sharedRoot + secret
		}
		shares.List = append(shares.List, row)
	}
	return shares, nil
}

// reportRoot returns the address of a link's report, or of that of all links.
func reportRoot(l *vitrine.Link) string {
	if l == nil {
		return analyticsRoot
	}
	return app.LinkAddress(l) + analyticsRoot
}

// Share creates an address and shows it.
func (s *Handler) Share(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	l, err := s.linkOf(r, me)
	if err != nil {
		return err
	}
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	o := analytics.SharedOptions{Label: r.PostForm.Get("label"), Password: r.PostForm.Get("password")}
	life, view := r.PostForm.Get("life"), r.PostForm.Get("view")
	q, err := viewOf(view)
	if err != nil {
		return err
	}
	if r.PostForm.Get("keep") != "" {
		o.Keep = &q
	}
	var secret string
	if o.Life, err = shareLives.Parse("life", life); err == nil {
		secret, err = s.Shared.Create(r.Context(), me, l, o)
	}
	status, wrong := http.StatusOK, httpx.FieldErrors(nil)
	if err != nil {
		if wrong = httpx.FieldErrorsOf(err); wrong == nil {
			return err
		}
		_, status = s.Server.Known(w, r, err)
	}
	return s.show(w, r, me, status, q, func(p *reportPage) {
		if wrong != nil {
			p.Shares.Wrong, p.Shares.Label, p.Shares.Life, p.Shares.Keep = wrong, o.Label, life, o.Keep != nil
			return
		}
		p.Shares.New = s.Server.PublicURL.String() + sharedRoot + secret
		if o.Password == "" {
			p.Shares.Embed = `<iframe src="` + p.Shares.New +
				`/embed" title="Views" width="640" height="320" style="border:0" loading="lazy"></iframe>`
		}
	})
}

// viewOf parses the query of the page on which an address is made.
func viewOf(text string) (analytics.Query, error) {
	values, err := url.ParseQuery(text)
	if err != nil || text == "" {
		return inRange(report.DefaultRange), nil
	}
	return analytics.ParseQuery(values)
}

// Unshare revokes an address.
func (s *Handler) Unshare(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	l, err := s.linkOf(r, me)
	if err != nil {
		return err
	}
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err := s.Shared.Revoke(r.Context(), me, vitrine.SharedReportID(id)); err != nil {
		return err
	}
	return httpx.Redirect(w, r, app.Said(reportRoot(l), "share-revoked")+"#share")
}

// readShared finds the report at an address, for a browser that is let in; for
// others found is not let in.
func (s *Handler) readShared(r *http.Request) (found *analytics.Shared, in bool, err error) {
	found, err = s.Shared.Open(r.Context(), r.PathValue("token"))
	if err != nil {
		return nil, false, err
	}
	pass := ""
	if c, err := r.Cookie(passCookie); err == nil {
		pass = c.Value
	}
	return found, s.Shared.Admits(found, pass), nil
}

// passCookie contains the pass for a report with a password. Browsers send it
// only with the address of the report.
const passCookie = "vitrine-report"

// setPrivateHeaders keeps a page out of caches and indexes, and its address out
// of referrers.
func setPrivateHeaders(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Referrer-Policy", "no-referrer")
}

// sharedReports bounds how many pages of reports are made for strangers at
// once: filters read views, which takes time and memory. A network has one
// turn, so that none holds up the others. The page is sent after its turn,
// because a reader may be slow.
var sharedReports = throttle.NewTurnsEach[netip.Prefix](2, 1)

// inTurn answers a stranger with a page that shows a shared report.
func (s *Handler) inTurn(w http.ResponseWriter, r *http.Request, policy httpx.Surface, template string,
	make func() (page any, nonce string, err error)) error {
	network := throttle.Subscriber(s.Server.LimitedAddr(r))
	if err := httpx.TakeTurn(r, sharedReports, network); err != nil {
		return err
	}
	page, err := func() (*ui.Made, error) {
		defer sharedReports.Release(network)
		p, nonce, err := make()
		if err != nil {
			return nil, err
		}
		s.Server.SetPagePolicy(w, r, policy, nonce)
		return ui.Make(r, template, p)
	}()
	if err == nil {
		page.Send(w, r, http.StatusOK)
	}
	return err
}

// reportInTurn is inTurn for the page of a shared report.
func (s *Handler) reportInTurn(w http.ResponseWriter, r *http.Request, found *analytics.Shared, policy httpx.Surface,
	template string) error {
	return s.inTurn(w, r, policy, template, func() (any, string, error) {
		p, err := s.sharedPage(r, found)
		if err != nil {
			return nil, "", err
		}
		return p, p.Nonce, nil
	})
}

// sharedQuery returns what a reader of a shared report asks for.
func (s *Handler) sharedQuery(r *http.Request, found *analytics.Shared) (analytics.Query, error) {
	switch kept, err := found.Kept(); {
	case err != nil:
		return analytics.Query{}, err
	case kept != nil:
		return *kept, nil
	}
	rg, err := httpx.ReportRange(r)
	return inRange(rg), err
}

// sharedPlace returns the place of a shared report with a query.
func sharedPlace(r *http.Request, found *analytics.Shared, q analytics.Query) place {
	return place{sharedRoot + r.PathValue("token"), q, found.Query != ""}
}

// sharedPage returns the report of a shared address.
func (s *Handler) sharedPage(r *http.Request, found *analytics.Shared) (*reportPage, error) {
	of := subject{link: found.Link}
	q, err := s.sharedQuery(r, found)
	if err != nil {
		return nil, err
	}
	n, err := s.numbersOf(r.Context(), found.Owner, of, q)
	if err != nil {
		return nil, err
	}
	title := "Analytics of all links"
	if found.Link != nil {
		title = "Analytics of " + ui.Title(found.Link)
	}
	p := &reportPage{Page: app.Page{Page: s.Pages.NewChrome(title + " · Vitrine")}, Summary: n.summary(), Of: n.link,
		Account: n.account, Reader: true, Clock: found.Owner.TimeZone, CityFile: s.cityFile(nil)}
	if l := found.Link; l != nil {
		p.Link = s.statsLink(l, n)
	}
	where := sharedPlace(r, found, n.q)
	p.explain, p.mapped = where.at("/explain"), where.at("/map")
	p.By, p.Until = found.Owner.Email, found.ExpiresAt
	if found.Query != "" {
		p.Fixed = true
	}
	p.Tools, p.Ask = newStatsTools(where, p.Summary, false, s.Now()), newStatsForm(where, p.Summary, false, s.Now())
	p.fill(n, where, s.Now())
	if err := s.nameChips(r.Context(), found.Owner, nil, n.q.Filter, p.Ask.Chips); err != nil {
		return nil, err
	}
	if l := found.Link; l != nil {
		if _, err := s.Links.PublicByID(r.Context(), l.ID, s.Viewers.Reader(r)); err == nil {
			p.Pages.show(where.root, l)
			p.Parts.show(where.root, l)
		}
	}
	return p, nil
}

// ShowShared answers with the page of a shared report.
func (s *Handler) ShowShared(w http.ResponseWriter, r *http.Request) error {
	setPrivateHeaders(w)
	text := r.PathValue("token")
	if token := httpx.TrimTail(text); token != text || strings.HasSuffix(r.URL.Path, "/") {
		http.Redirect(w, r, sharedRoot+token, http.StatusPermanentRedirect)
		return nil
	}
	found, in, err := s.readShared(r)
	if err != nil {
		return err
	}
	if !in {
		return s.askPassword(w, r, http.StatusOK, nil)
	}
	return s.reportInTurn(w, r, found, httpx.SharedReport, "shared.html")
}

// passwordPage asks for the password of a report. It reveals nothing about it.
type passwordPage struct {
	ui.Page
	Heading string
	Email   string // of entry pages; none here
	Wrong   httpx.FieldErrors
}

func (s *Handler) askPassword(w http.ResponseWriter, r *http.Request, status int, wrong httpx.FieldErrors) error {
	p := &passwordPage{Page: s.Pages.NewChrome("Password · Vitrine"), Heading: "This report has a password",
		Wrong: wrong}
	s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, status, "shared_password.html", p)
}

// EnterShared takes the password of a report.
func (s *Handler) EnterShared(w http.ResponseWriter, r *http.Request) error {
	setPrivateHeaders(w)
	found, in, err := s.readShared(r)
	if err != nil {
		return err
	}
	here := (&url.URL{Path: sharedRoot + r.PathValue("token")}).String()
	if in {
		return httpx.Redirect(w, r, here)
	}
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	pass, err := s.Shared.Enter(r.Context(), found, r.PostForm.Get("password"), s.Server.LimitedAddr(r))
	if err != nil {
		wrong := httpx.FieldErrorsOf(err)
		if wrong == nil {
			return err
		}
		e, status := s.Server.Known(w, r, err)
		if e.Code == vitrine.CodeRateLimited {
			httpx.RetryAfter(w, e)
			wrong[""] = httpx.AdviceOn(e)
		}
		return s.askPassword(w, r, status, wrong)
	}
	http.SetCookie(w, &http.Cookie{Name: passCookie, Value: pass, Path: here,
		MaxAge: int(analytics.SharedPassLife.Seconds()), HttpOnly: true, Secure: s.Server.Secure(),
		SameSite: http.SameSiteLaxMode})
	return httpx.Redirect(w, r, here)
}

// EmbedShared answers with only the chart of a shared report, for frames on any
// site. A report with a password has none, because frames have no cookies of
// their own.
func (s *Handler) EmbedShared(w http.ResponseWriter, r *http.Request) error {
	setPrivateHeaders(w)
	found, err := s.Shared.Open(r.Context(), r.PathValue("token"))
	if err != nil {
		return err
	}
	if found.Password != "" {
		return httpx.ErrNoPage
	}
	return s.reportInTurn(w, r, found, httpx.EmbeddedChart, "shared_embed.html")
}
