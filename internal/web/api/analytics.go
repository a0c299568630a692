package api

import (
	"net/http"
	"net/url"

	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
)

// LinkAnalytics answers with the report of a link, or explains a figure of it.
func (s *Handler) LinkAnalytics(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	values, err := selection(r, analytics.LinkParameters())
	if err != nil {
		return err
	}
	q, err := ExplainQuery(values)
	if err != nil {
		return err
	}
	if q.Figure != "" {
		e, err := s.Analytics.ExplainLink(r.Context(), c.Account, r.PathValue("slug"), q)
		return writeExplanation(w, e, err)
	}
	rep, err := s.Analytics.Link(r.Context(), c.Account, r.PathValue("slug"), q.Query)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, rep)
}

// AccountAnalytics is LinkAnalytics for all links of an account.
func (s *Handler) AccountAnalytics(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	values, err := selection(r, analytics.AccountParameters())
	if err != nil {
		return err
	}
	q, err := ExplainQuery(values)
	if err != nil {
		return err
	}
	if q.Figure != "" {
		e, err := s.Analytics.ExplainAccount(r.Context(), c.Account, q)
		return writeExplanation(w, e, err)
	}
	rep, err := s.Analytics.Account(r.Context(), c.Account, q.Query)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, rep)
}

// explainedVisits is the number of visits in an explanation.
const explainedVisits = 100

// ExplainQuery reads the parameters of a report and of the explanation of one
// of its figures, if there is one.
func ExplainQuery(values url.Values) (q analytics.ExplainQuery, err error) {
	for _, name := range []string{"explain", "cursor"} {
		if len(values[name]) > 1 {
			return q, invalid(name, "Send only one "+name+".")
		}
	}
	if q.Query, err = analytics.ParseQuery(values); err != nil {
		return q, err
	}
	q.N, q.Figure = explainedVisits, values.Get("explain")
	switch {
	case q.Figure == "" && values.Has("explain"):
		return q, invalid("explain", "explain must be a JSON pointer to a number of the report, such as /totals/views.")
	case q.Figure == "" && values.Get("cursor") != "":
		return q, invalid("cursor", "Send cursor together with explain.")
	}
	q.Cursor.Key, q.Cursor.Same, err = httpx.ParseExplainCursor(values.Get("cursor"))
	return q, err
}

func writeExplanation(w http.ResponseWriter, e *analytics.Explanation, err error) error {
	if err != nil {
		return err
	}
	body := struct {
		*analytics.Explanation
		NextCursor *string `json:"nextCursor"`
	}{Explanation: e}
	if e.Next.Key != 0 {
		body.NextCursor = new(httpx.FormatExplainCursor(e.Next.Key, e.Next.Same))
	}
	return httpx.WriteJSON(w, body)
}
