package api_test

import (
	"fmt"
	"net/url"
	"testing"

	"vitrine/client"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestExplainedFigures checks that explain answers with all visits of a figure,
// page by page, for a link and an account, also by the client, and that what is
// no figure or cursor is refused with its field.
func TestExplainedFigures(t *testing.T) {
	o := webtest.NewReportSite(t)
	c, err := client.New(o.URL, o.Key)
	o.Check(err)
	slug := string(o.Links[report.ContentPages].Slug)
	for path, ask := range map[string]func(q client.ReportQuery, figure, cursor string) (*client.Explanation, error){
		"/links/" + slug + "/analytics": func(q client.ReportQuery, figure, cursor string) (*client.Explanation, error) {
			return c.ExplainLink(t.Context(), slug, q, figure, cursor)
		},
		"/analytics": func(q client.ReportQuery, figure, cursor string) (*client.Explanation, error) {
			return c.Explain(t.Context(), q, figure, cursor)
		},
	} {
		for _, figure := range []string{"/totals/views", "/totals/uniques", "/totals/rangeDownloads", "/totals/botsExcluded",
			"/totals/medianEngagedMs", "/deltas/views/pct", "/totals/downloads", "/insights/0"} {
			query := path + "?range=all&explain=" + url.QueryEscape(figure)
			seen, cursor := 0, ""
			for {
				e, err := ask(client.ReportQuery{Range: "all"}, figure, cursor)
				o.Check(err)
				sameJSON(t, query, e, o.Ask(query+"&cursor="+cursor).Body)
				seen += len(e.Visits)
				if e.NextCursor == nil {
					webtest.Same(t, "visits of "+query, fmt.Sprint(seen), fmt.Sprint(e.Count))
					break
				}
				cursor = *e.NextCursor
			}
		}
		for query, field := range map[string]string{"explain=": "explain", "explain=/totals": "explain",
			"explain=/totals/views&explain=/totals/views": "explain", "cursor=x": "cursor",
			"explain=/totals/views&cursor=x": "cursor", "explain=/totals/views&cursor=MQ&cursor=MQ": "cursor"} {
			o.Refuses(path+"?"+query, "invalid_request", field, "")
		}
	}
}
