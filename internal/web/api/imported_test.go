package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/importer"
	"vitrine/internal/test/webtest"
)

// TestReplaceImported checks that the history of an imported link keeps its
// figures when its placeholder is replaced by the real file, of any kind, once
// and twice.
func TestReplaceImported(t *testing.T) {
	for kind, session := range map[string]string{
		"pdf":   `"pages":[{"page":1,"ms":900},{"page":2,"ms":800},{"page":3,"ms":800},{"page":4,"ms":800},{"page":5,"ms":99}]`,
		"video": `"playedPct":50,"reachedPct":50`,
		"html":  `"scrollPct":50`,
		"text":  `"scrollPct":50`,
	} {
		t.Run(kind, func(t *testing.T) {
			f := webtest.NewFixture(t)
			_, text, err := f.Server.Accounts.Create(t.Context(), "history@example.org", vitrine.PlanPro)
			f.Check(err)
			key := string(text)
			in := importer.Importer{Store: f.Server.Links.Store, Log: f.Log, Now: f.Server.Now}
			pages := ""
			if kind == "pdf" {
				pages = `,"pagesTotal":10`
			}
			_, err = in.Links(t.Context(), strings.NewReader(fmt.Sprintf(
				`{"slug":"moved-in","title":"Moved in","kind":%q,"createdAt":"2026-01-01T00:00:00Z","account":"history@example.org"%s}`,
				kind, pages)))
			f.Check(err)
			_, err = in.Views(t.Context(), strings.NewReader(f.History("moved-in", 1, 4,
				`"session":{"engagedMs":9000,"presentMs":9500,`+session+`}`)))
			f.Check(err)
			type figures struct{ completion, progress, content, mix, filtered, others any }
			read := func(query string) (r figures) {
				link := f.Call(key, "GET", "/links/moved-in/analytics?range=all"+query, nil).Want(200, "").JSON()
				all := f.Call(key, "GET", "/analytics?range=all", nil).Want(200, "").JSON()
				only := f.Call(key, "GET", "/analytics?range=all&filter=kind:is:"+kind, nil).Want(200, "").JSON()
				not := f.Call(key, "GET", "/analytics?range=all&filter=kind:is_not:"+kind, nil).Want(200, "").JSON()
				content := link["content"].(map[string]any)
				for _, added := range []string{"version", "sessions"} {
					delete(content, added)
				}
				recent := link["recent"].([]any)
				return figures{link["totals"].(map[string]any)["completionPct"],
					recent[len(recent)-1].(map[string]any)["progress"],
					fmt.Sprint(content), fmt.Sprint(all["mix"]), only["totals"].(map[string]any)["views"],
					not["totals"].(map[string]any)["views"]}
			}
			before := read("")
			if before.completion != 50.0 || before.filtered != 4.0 || before.others != 0.0 {
				t.Fatalf("before: %+v", before)
			}
			for i, body := range []string{webtest.Note, webtest.Note + "Again.\n"} {
				file := webtest.NoteFile.With(webtest.Fields{"replace": "moved-in", "size": len(body)})
				f.Published(key, file, body)
				if after := read("&version=1"); after != before {
					t.Errorf("after %d replacements:\n     %+v\nwant %+v", i+1, after, before)
				}
				f.Audit()
			}
			versions := f.Call(key, "GET", "/links/moved-in/versions", nil).Want(200, "").JSON()["versions"].([]any)
			for _, v := range versions {
				if v.(map[string]any)["version"] == 1.0 {
					t.Errorf("the placeholder is listed as a version: %v", v)
				}
			}
			f.Call(key, "DELETE", "/links/moved-in?permanent=true", nil).Want(http.StatusNoContent, "")
			f.Audit()
		})
	}
}

// TestImportOfVersions checks that an imported session is judged by the file of
// its version: current, earlier and deleted.
func TestImportOfVersions(t *testing.T) {
	f := webtest.NewFixture(t)
	_, text, err := f.Server.Accounts.Create(t.Context(), "history@example.org", vitrine.PlanPro)
	f.Check(err)
	key := string(text)
	f.Published(key, webtest.NoteFile.With(webtest.Fields{"slug": "two-kinds"}), webtest.Note)
	table := "a,b\n1,2\n"
	for _, file := range []struct{ name, mime, body string }{{"page.html", "text/html",
		"<!doctype html><title>x</title><p>Hello"},
		{"report.pdf", "application/pdf", string(webtest.Samples["report.pdf"])}, {"table.csv", "text/csv", table}} {
		f.Published(key, webtest.Fields{"name": file.name, "type": file.mime, "size": len(file.body),
			"replace": "two-kinds"}, file.body)
	}
	in := importer.Importer{Store: f.Server.Links.Store, Log: f.Log, Now: f.Server.Now}
	kinds := map[int]string{}
	for _, v := range f.Call(key, "GET", "/links/two-kinds/versions", nil).Want(200, "").JSON()["versions"].([]any) {
		v := v.(map[string]any)
		kinds[int(v["version"].(float64))] = v["kind"].(string)
	}
	if len(kinds) < 2 {
		t.Fatal(kinds)
	}
	sessions := map[string]string{"scroll": `"scrollPct":50`, "media": `"playedPct":50`, "pages": `"pages":[{"page":1,"ms":5}]`}
	day := 1
	for version, kind := range kinds {
		for content, members := range sessions {
			day++
			_, err := in.Views(t.Context(), strings.NewReader(f.History("two-kinds", day, 1,
				fmt.Sprintf(`"version":%d,"session":{"engagedMs":9000,"presentMs":9500,%s}`, version, members))))
			fits := map[string]string{"text": "scroll", "html": "scroll", "audio": "media",
				"pdf": "pages"}[kind] == content
			if (err == nil) != fits {
				t.Errorf("version %d (%s) with %s: %v", version, kind, content, err)
			}
		}
	}
	_, err = in.Views(t.Context(), strings.NewReader(f.History("two-kinds", 30, 1,
		`"version":9,"session":{"engagedMs":9000,"presentMs":9500,"scrollPct":50}`)))
	if err == nil || !strings.Contains(err.Error(), "version 9") {
		t.Errorf("a session of an unknown version: %v", err)
	}
}

// TestImportUnmeasured checks that sessions that do not say how far they came
// are in no mean of that, and that everything shows their progress as unknown.
func TestImportUnmeasured(t *testing.T) {
	for kind, c := range map[string]struct{ known, mean string }{
		"pdf":   {`,"pages":[{"page":1,"ms":900},{"page":2,"ms":800}]`, "/content/pages/avgPagesSeen"},
		"audio": {`,"playedPct":50,"reachedPct":50`, "/content/media/avgPlayedPct"},
		"text":  {`,"scrollPct":50`, "/content/scroll/avgDepthPct"},
	} {
		t.Run(kind, func(t *testing.T) {
			f := webtest.NewFixture(t)
			key := f.Account(vitrine.PlanPro)
			in := importer.Importer{Store: f.Server.Links.Store, Log: f.Log, Now: f.Server.Now}
			line := fmt.Sprintf(`{"slug":"moved-in","title":"x","kind":%q,"createdAt":"2026-01-01T00:00:00Z","account":%q`,
				kind, f.Emails[key])
			if kind == "pdf" {
				line += `,"pagesTotal":4`
			}
			_, err := in.Links(t.Context(), strings.NewReader(line+"}"))
			f.Check(err)
			add := func(first, n int, progress string) {
				_, err := in.Views(t.Context(), strings.NewReader(f.History("moved-in", first, n,
					`"session":{"engagedMs":9000,"presentMs":9500`+progress+`}`)))
				f.Check(err)
			}
			totals := func() map[string]any {
				return f.Call(key, "GET", "/links/moved-in/analytics?range=all", nil).Want(200, "").JSON()["totals"].(map[string]any)
			}
			add(1, 3, "")
			webtest.Same(t, "completion of nothing", totals()["completionPct"], nil)
			webtest.Same(t, "sessions", totals()["sessions"], any(3.0))
			add(4, 2, c.known)
			webtest.Same(t, "completion", totals()["completionPct"], any(50.0))
			webtest.Same(t, "of the account", f.Call(key, "GET", "/analytics?range=all", nil).Want(200,
				"").JSON()["totals"].(map[string]any)["completionPct"], any(50.0))
			for figure, count := range map[string]any{"/totals/completionPct": 2.0, c.mean: 2.0, "/totals/sessions": 5.0} {
				x := f.Call(key, "GET", "/links/moved-in/analytics?range=all&explain="+figure, nil).Want(200, "").JSON()
				webtest.Same(t, "visits of "+figure, x["count"], count)
			}
			visits := f.Call(key, "GET", "/links/moved-in/visits?range=all", nil).Want(200, "").JSON()["visits"].([]any)
			file := string(f.Call(key, "GET", "/links/moved-in/visits?range=all&format=csv", nil).Want(200, "").Body)
			webtest.Same(t, "lines with unknown progress", strings.Count(file, ",unknown,false,false,,,,,,,\r\n"), 3)
			for i, v := range visits { // newest first
				v := v.(map[string]any)
				webtest.Same(t, "progress is unknown", v["progress"] == "unknown", i < 3)
				for _, name := range []string{"pages", "playedPct", "reachedPct", "depthPct"} {
					if _, there := v[name]; there && i < 3 {
						t.Errorf("an unmeasured visit has %s: %v", name, v)
					}
				}
			}
			f.Audit()
		})
	}
}

// TestLoadsThatShowNothing checks that a page that a browser loads as a
// picture, a script or data is an excluded view with that reason, and that
// loads that show it count, with and without the header.
func TestLoadsThatShowNothing(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	load := func(dest, source string) {
		req, err := http.NewRequest("GET", f.URL+"/p/"+slug+"?utm_source="+source, nil)
		f.Check(err)
		req.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")
		if dest != "none" {
			req.Header.Set("Sec-Fetch-Dest", dest)
		}
		(&webtest.Fixture{Site: f.Site}).Do(req).Want(http.StatusOK, "")
	}
	shown := []string{"none", "", "document", "iframe", "frame", "embed", "object", "Document", " iframe "}
	hidden := []string{"image", "script", "empty", "serviceworker", "style", "worker", "sharedworker", "audio", "video",
		"track", "font", "manifest", "report", "xslt", "audioworklet", "json", "made up"}
	for _, dest := range shown {
		load(dest, "shown")
	}
	for _, dest := range hidden {
		load(dest, "hidden")
	}
	r := f.Call(key, "GET", "/links/"+slug+"/analytics?include=excluded", nil).Want(200, "").JSON()
	totals := r["totals"].(map[string]any)
	if totals["views"] != float64(len(shown)) || totals["botsExcluded"] != float64(len(hidden)) {
		t.Errorf("totals = %v, want %d views and %d excluded", totals, len(shown), len(hidden))
	}
	req, err := http.NewRequest("GET", f.URL+"/p/"+slug+"/download", nil)
	f.Check(err)
	req.Header.Set("User-Agent", webtest.Desktop)
	req.Header.Set("Sec-Fetch-Dest", "empty") // a page's script saves the file
	res, err := http.DefaultClient.Do(req)
	f.Check(err)
	_, _ = io.Copy(io.Discard, res.Body)
	f.Check(res.Body.Close())
	again := f.Call(key, "GET", "/links/"+slug+"/analytics", nil).Want(200, "").JSON()
	if got := again["totals"].(map[string]any)["downloads"]; got != 1.0 {
		t.Errorf("downloads = %v, want 1", got)
	}
	if excluded := fmt.Sprint(r["excluded"]); !strings.Contains(excluded, "reason:not_shown") {
		t.Errorf("excluded = %s", excluded)
	}
	if sources := fmt.Sprint(r["breakdowns"].(map[string]any)["sources"]); strings.Contains(sources, "hidden") {
		t.Errorf("sources = %s", sources)
	}
}

// TestSpellingsOfLabels checks that the utm_ parameters of an address in
// several spellings are one row, and that a filter says how it is written.
func TestSpellingsOfLabels(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	for _, word := range []string{"Spring+Letter", "SPRING+LETTER", "spring+letter", "%20spring%20Letter"} {
		query := "utm_source=" + word + "&utm_medium=" + word + "&utm_campaign=" + word + "&utm_content=" + word + "&utm_term=" + word
		if status := f.OpenPage(slug + "?" + query); status != http.StatusOK {
			t.Fatal(status)
		}
	}
	cards := f.Call(key, "GET", "/links/"+slug+"/analytics?include=utm", nil).Want(200,
		"").JSON()["breakdowns"].(map[string]any)
	for card, dimension := range map[string]string{"sources": "source", "mediums": "medium", "campaigns": "campaign",
		"contents": "content", "terms": "term"} {
		if got := fmt.Sprint(cards[card]); got != "[map[count:4 key:spring letter pct:100]]" {
			t.Errorf("%s = %s", card, got)
		}
		path := "/links/" + slug + "/analytics?filter=" + dimension + ":is:"
		refused := f.Call(key, "GET", path+"Spring+Letter", nil).Want(http.StatusBadRequest, "invalid_request")
		if !strings.Contains(refused.Text("error"), `Write "spring letter".`) {
			t.Errorf("%s: %s", dimension, refused.Body)
		}
		f.Call(key, "GET", path+"spring+letter", nil).Want(200, "")
	}
}
