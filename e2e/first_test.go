package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestFirstNumbers goes from an empty directory to the first numbers using only
// the browser: set-up, a file, its link, a reader, the report page, a key, and
// the API.
func TestFirstNumbers(t *testing.T) {
	owner := newPerson(t)
	in := start(t)
	owner.do(chromedp.Navigate(in.url + "/"))
	owner.shows("vitrine admin setup") // the page says how to find the address

	owner.do(chromedp.Navigate(in.setUp), chromedp.SetValue(`input[name=email]`, "owner@example.org"),
		chromedp.SetValue(`input[name=password]`, "a case of glass and oak"), chromedp.Submit(`input[name=password]`))
	owner.until(`location.pathname === "/dashboard"`)
	owner.shows("No links yet")
	owner.until(`document.readyState === "complete"`)

	file := filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(file, []byte("# Notes\n\n"+strings.Repeat("A line of the notes.\n\n", 200)),
		0o600); err != nil {
		t.Fatal(err)
	}
	owner.do(chromedp.SetUploadFiles("#files", []string{file}, chromedp.ByQuery))
	owner.until(`document.querySelector(".file .file-address a")?.href.includes("/p/")`)
	link := owner.value(`document.querySelector(".file .file-address a").href`)
	slug := link[strings.LastIndex(link, "/")+1:]

	// The owner watches the report before the first view.
	owner.do(chromedp.Navigate(in.url + "/links/" + slug + "/analytics"))
	owner.shows("No views yet")

	someone := newPerson(t)
	someone.do(chromedp.Navigate(link))
	someone.shows("Notes")
	someone.do(chromedp.Evaluate(`scrollTo(0, document.documentElement.scrollHeight); window.since = performance.now()`,
		nil))
	someone.until(`performance.now() - window.since > 3000`)
	someone.do(chromedp.Navigate("about:blank"))

	owner.until(`document.querySelector("[data-card=views] .value, #card-views .value")?.textContent.trim() === "1"`)

	owner.do(chromedp.Navigate(in.url+"/keys"), chromedp.SetValue(`input[name=name]`, "first numbers"),
		chromedp.Submit(`input[name=name]`))
	owner.until(`/vtr_[0-9A-Za-z]{38}/.test(document.body.innerText + [...document.querySelectorAll("input")].map((i) => i.value).join(" "))`)
	key := owner.value(`(document.body.innerText + [...document.querySelectorAll("input")].map((i) => i.value).join(" ")).match(/vtr_[0-9A-Za-z]{38}/)[0]`)
	status, body := in.get("/api/v1/links/"+slug+"/analytics?range=7d", "Bearer "+key)
	if status != http.StatusOK {
		t.Fatalf("report of the API: status %d: %s", status, body)
	}
	var report struct {
		Totals struct {
			Views, Uniques, Sessions int64
			TotalEngagedMs           int64
		}
		Recent []struct{ Progress string }
	}
	if err := json.Unmarshal([]byte(body), &report); err != nil {
		t.Fatal(err)
	}
	if r := report.Totals; r.Views != 1 || r.Uniques != 1 || r.Sessions != 1 || r.TotalEngagedMs < 2000 {
		t.Errorf("totals = %+v", r)
	}
	if len(report.Recent) != 1 || report.Recent[0].Progress != "100% scrolled" {
		t.Errorf("recent = %+v, want one view, scrolled completely", report.Recent)
	}

	if out := in.vitrine("admin", "audit"); strings.Contains(out, "fault:") {
		t.Errorf("audit = %s", out)
	}
}
