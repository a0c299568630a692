package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/export"
	"vitrine/internal/web/httpx"
	"vitrine/report"
)

// visitParameters are the parameters of a list of visits.
var visitParameters = []string{"range", "from", "to", "granularity", "timezone", "filter", "engaged", "limit", "cursor",
	"format"}

// Visits lists visits of a link: a page of them as JSON, or all as CSV or
// NDJSON.
func (s *Handler) Visits(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	values, err := selection(r, visitParameters)
	if err != nil {
		return err
	}
	q, err := VisitQuery(values)
	if err != nil {
		return err
	}
	slug := r.PathValue("slug")
	switch format := values.Get("format"); format {
	case "", "json":
	case "csv", "ndjson":
		return s.SendVisits(w, r, c.Account, slug, q, format)
	default:
		return invalid("format", `format must be "json", "csv" or "ndjson".`)
	}
	v, err := s.Analytics.Visits(r.Context(), c.Account, slug, q)
	if err != nil {
		return err
	}
	body := struct {
		Visits     []report.VisitRow `json:"visits"`
		NextCursor *string           `json:"nextCursor"`
	}{Visits: v.Rows}
	if v.Next != 0 {
		next := httpx.FormatVisitCursor(v.Next)
		body.NextCursor = &next
	}
	return httpx.WriteJSON(w, body)
}

// VisitQuery reads the parameters of an address that lists visits.
func VisitQuery(values url.Values) (q analytics.VisitQuery, err error) {
	for _, name := range []string{"engaged", "cursor", "format"} {
		if len(values[name]) > 1 {
			return q, invalid(name, "Send only one "+name+".")
		}
	}
	if q.Query, err = analytics.ParseQuery(values); err != nil {
		return q, err
	}
	q.N = listLimit(values.Get("limit"))
	switch values.Get("engaged") {
	case "", "false":
		q.All = true
	case "true":
	default:
		return q, invalid("engaged", `engaged must be "true" or "false".`)
	}
	q.Before, err = httpx.ParseVisitCursor(values.Get("cursor"))
	return q, err
}

func invalid(field, message string) error {
	return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field, Message: message}
}

// Visit answers with one visit of a link and the visits of the same viewer.
func (s *Handler) Visit(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	v, err := s.Analytics.Visit(r.Context(), c.Account, r.PathValue("slug"), r.PathValue("visit"))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, v)
}

// SendVisits streams all visits that a query selects. An error after the first
// one breaks the connection.
func (s *Handler) SendVisits(w http.ResponseWriter, r *http.Request, a *vitrine.Account, slug string,
	q analytics.VisitQuery, format string) error {
	write, begun := visitWriter(w, format), false
	begin := func() {
		if begun {
			return
		}
		begun = true
		h := w.Header()
		h.Set("Content-Type", map[string]string{"csv": "text/csv; charset=utf-8",
			"ndjson": "application/x-ndjson"}[format])
		h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="visits.%s"`, format))
	}
	err := s.Analytics.EachVisit(r.Context(), a, slug, q, func(v *report.VisitRow) error {
		begin()
		return write(v)
	})
	if err != nil && begun {
		s.Log.Info("list of visits broke off", "error", err)
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		return err
	}
	begin()
	return write(nil)
}

// visitWriter returns a function that writes visits in a format; nil flushes
// the rest.
func visitWriter(w io.Writer, format string) func(*report.VisitRow) error {
	if format == "ndjson" {
		encode := json.NewEncoder(w)
		return func(v *report.VisitRow) error {
			if v == nil {
				return nil
			}
			return encode.Encode(v)
		}
	}
	rows := export.NewCSV(w)
	_ = rows.Write(visitColumns)
	return func(v *report.VisitRow) error {
		if v == nil {
			return rows.Flush()
		}
		return rows.Write(visitCells(v))
	}
}

// visitColumns are the columns of visits as CSV.
var visitColumns = slices.Concat([]string{"id", "at", "viewer"}, labelColumns(),
	[]string{"version", "recipient", "album", "qr", "returning", "excluded", "product", "engaged", "engaged_ms",
		"present_ms", "progress",
		"atypical", "downloaded", "pages", "parts", "bands", "clicks", "played_pct", "reached_pct", "depth_pct"})

func labelColumns() (names []string) {
	for _, d := range report.Labels() {
		names = append(names, string(d.Dimension))
	}
	return names
}

func visitCells(v *report.VisitRow) []string {
	var pages, parts, bands, clicks []string
	quarters := func(part int, ms []int64) {
		if ms != nil {
			bands = append(bands, fmt.Sprintf("%d:%d:%d:%d:%d", part, ms[0], ms[1], ms[2], ms[3]))
		}
	}
	for _, p := range v.Pages {
		pages = append(pages, fmt.Sprintf("%d:%d", p.Page, p.Ms))
		quarters(p.Page, p.Bands)
	}
	for _, p := range v.Parts {
		parts = append(parts, fmt.Sprintf("%d:%d", p.Part, p.Ms))
		quarters(p.Part, p.Bands)
	}
	for _, c := range v.Clicks {
		clicks = append(clicks, fmt.Sprintf("%d:%d:%s", c.Part, c.Count, c.Target))
	}
	share := func(p *report.Tenths) string {
		if p == nil {
			return ""
		}
		b, _ := json.Marshal(p)
		return string(b)
	}
	cells := []string{v.ID, v.At.Format(httpx.TimeFormat), v.Viewer}
	for _, d := range report.Labels() {
		cells = append(cells, *d.Visit(v))
	}
	return append(cells, strconv.Itoa(v.Version), v.Recipient, v.Album, strconv.FormatBool(v.QR),
		strconv.FormatBool(v.Returning),
		v.Excluded, v.Product, strconv.FormatBool(v.Engaged), strconv.FormatInt(v.EngagedMs, 10),
		strconv.FormatInt(v.PresentMs, 10), v.Progress, strconv.FormatBool(v.Atypical),
		strconv.FormatBool(v.Downloaded), strings.Join(pages, " "), strings.Join(parts, " "),
		strings.Join(bands, " "), strings.Join(clicks, " "),
		share(v.Played), share(v.Reached), share(v.Depth))
}
