package app_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// rowsOf returns the rows of the table of addresses as text, and the addresses.
func rowsOf(page webtest.Reply) (rows, addresses []string) {
	_, table, _ := strings.Cut(page.Text, `visits addresses">`)
	table, _, _ = strings.Cut(table, "</table>")
	for _, row := range strings.Split(table, "<tr>")[1:] {
		if m := regexp.MustCompile(`data-text="([^"]*)"`).FindStringSubmatch(row); m != nil {
			addresses = append(addresses, m[1])
		}
		text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(row, " ")
		rows = append(rows, strings.Join(strings.Fields(text), " "))
	}
	if len(rows) > 0 {
		rows = rows[1:] // the headings
	}
	return rows, addresses
}

// TestRecipientsOnShare follows an owner who adds addresses by names and a
// table, and sees which were opened.
func TestRecipientsOnShare(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie, l := d.SignIn(d.Member), d.Publish("notes.txt", webtest.Samples["notes.txt"])
	here := webtest.LinkPath(l)
	share := func(query string) ([]string, []string) {
		t.Helper()
		return rowsOf(d.Status(d.Get(here+"/share"+query, cookie), 200))
	}
	if rows, _ := share(""); rows != nil {
		t.Errorf("a new link has the rows %q", rows)
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	d.Check(w.WriteField("names", "Zoë, Berlin\r\n\r\n <b>Bob</b> "))
	file, err := w.CreateFormFile("file", "names.csv")
	d.Check(err)
	_, err = file.Write([]byte("\xef\xbb\xbfName;Mail\r\n\"=HYPERLINK(1)\";x\r\n"))
	d.Check(err)
	d.Check(w.Close())
	r := d.Do("POST", here+"/recipients", b.String(), "Content-Type: "+w.FormDataContentType(), "Origin: "+d.URL,
		"Sec-Fetch-Site: same-origin", cookie)
	d.Follow(d.Status(r, 303), cookie)
	_, addresses := share("")
	if len(addresses) != 3 {
		t.Fatalf("addresses = %q", addresses)
	}
	d.Status(d.Get(addresses[1], webtest.ReaderChrome), 200)
	d.Status(d.Get(addresses[2], "User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"), 200)
	check := func(query string, want ...string) {
		t.Helper()
		rows, _ := share(query)
		got := regexp.MustCompile(`\d+ \w+ 20\d\d, \d\d:\d\d UTC`).ReplaceAllString(strings.Join(rows, "\n"), "T")
		webtest.Same(t, "addresses "+query, got, strings.Join(want, "\n"))
	}
	zoe, bob, link := "Zoë, Berlin Not opened Copy Edit", "&lt;b&gt;Bob&lt;/b&gt; T T – Copy Edit",
		"=HYPERLINK(1) Not opened Copy Edit"
	check("", zoe, bob, link)
	check("?sort=name", bob, link, zoe)
	check("?sort=last", bob, zoe, link)
	check("?show=unopened", zoe, link)
	check("?show=revoked")
	check("?show=x&sort=x&page=9999999999999999999", zoe, bob, link)
	csv := d.Status(d.Get(here+"/recipients.csv", cookie), 200)
	webtest.Same(t, "CSV", csv.Text, "label,address\r\n\"Zoë, Berlin\","+addresses[0]+"\r\n<b>Bob</b>,"+addresses[1]+
		"\r\n'=HYPERLINK(1),"+addresses[2]+"\r\n")

	page := d.Status(d.Get(here+"/share", cookie), 200).Text
	visits := d.Attr(page, `href="([^"]*/visits[^"]*)"><bdi>&lt;b`)
	if list := d.Status(d.Get(visits, cookie), 200).Text; !strings.Contains(list,
		`<bdi class="to">&lt;b&gt;Bob&lt;/b&gt;</bdi>`) || strings.Contains(list, "Berlin") {
		t.Error("the visits through an address do not name it, or name others")
	}
	edit := d.Attr(page, `href="([^"]*)" aria-label="Edit: &lt;b`)
	id := d.Attr(d.Status(d.Get(edit, cookie), 200).Text, `name="id" value="(\d+)"`)
	d.Status(d.Post(here+"/recipient", url.Values{"id": {id}, "label": {"Robert"}, "download": {"no"}}, cookie), 303)
	d.Status(d.Get(addresses[1]+"/download"), 404)
	d.Status(d.Post(here+"/recipient", url.Values{"id": {id}, "do": {"revoke"}}, cookie), 303)
	d.Status(d.Get(addresses[1]), 410)
	check("", zoe, link)
	check("?show=revoked", "Robert Revoked T T –")
}

// TestRecipientFormsRefused checks that what is wrong in the forms is said
// beside the field, and that strangers reach none.
func TestRecipientFormsRefused(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie, l := d.SignIn(d.Member), d.Publish("notes.txt", webtest.Samples["notes.txt"])
	here := webtest.LinkPath(l)
	day := d.Server.Now().Add(-72 * time.Hour).Format(time.DateOnly)
	for name, c := range map[string]struct {
		form url.Values
		says string
	}{
		"none":    {url.Values{"names": {" \n "}}, "Write at least one name"},
		"long":    {url.Values{"names": {"ok\n" + strings.Repeat("x", 201)}}, "Name 2: A label has 1 to 200 characters"},
		"501":     {url.Values{"names": {strings.Repeat("x\n", 501)}}, "Send 1 to 500 recipients"},
		"too old": {url.Values{"names": {"x"}, "until": {day}}, "Choose a later time"},
		"no day":  {url.Values{"names": {"x"}, "until": {"soon"}}, "Write the day as"},
	} {
		page := d.Status(d.Post(here+"/recipients", c.form, cookie), 400).Text
		if !strings.Contains(page, c.says) || !strings.Contains(page, "New names, one on a line") {
			t.Errorf("%s: the page does not say %q", name, c.says)
		}
	}
	plans := d.Server.Uploads.Plans
	plans[d.Member.Plan] = vitrine.Limits{Recipients: 1}
	if page := d.Status(d.Post(here+"/recipients", url.Values{"names": {"a\nb"}}, cookie),
		403).Text; !strings.Contains(page, "at most 1 recipients") {
		t.Error("the page does not say the limit")
	}
	if rows, _ := rowsOf(d.Get(here+"/share", cookie)); rows != nil {
		t.Errorf("rows = %q, want none", rows)
	}
	d.Recipients(l, "Anna")
	stranger := d.SignIn(d.Join("stranger@example.org", vitrine.RoleMember))
	for _, path := range []string{"/share", "/recipients.csv"} {
		d.Status(d.Get(here+path, stranger), http.StatusNotFound)
	}
	d.Status(d.Post(here+"/recipients", url.Values{"names": {"x"}}, stranger), http.StatusNotFound)
	d.Status(d.Post(here+"/recipient", url.Values{"id": {"1"}, "do": {"revoke"}}, cookie), http.StatusNotFound)
}

// TestBrowserRecipients looks at the table of addresses, empty and full, and
// copies it.
func TestBrowserRecipients(t *testing.T) {
	d := webtest.NewDesk(t)
	l := d.Publish("report.pdf", webtest.Samples["report.pdf"])
	share := webtest.LinkPath(l) + "/share"
	tb := d.MemberTab(d.Member, share)
	tb.CheckWindows("no addresses")
	tb.Run(webtest.Type("#recipient-names", "Anna’s link\nLinkedIn"), chromedp.Submit("#recipient-names"))
	tb.Until(`document.querySelectorAll(".addresses tbody tr").length === 2`)
	list := d.Recipients(l, strings.Repeat("A very long name of an address ", 6), "Bob <bob@example.org>")
	for _, r := range list[:1] {
		d.Status(d.Get(l.For(r).Path(), webtest.ReaderChrome), 200)
	}
	tb.Visit(d.URL + share)
	tb.CheckWindows("addresses")
	tb.Run(chromedp.Click(".addresses .act a"))
	tb.Until(`document.querySelector("#recipient-label")?.value === "Anna’s link"`)
	tb.CheckWindows("one address")
	tb.Visit(d.URL + share)
	tb.Run(chromedp.Evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }; document.querySelector("[data-fetch]").click()`, nil))
	tb.Until(`window.copied?.startsWith("label,address") && window.copied.includes("LinkedIn,` + d.URL + `/p/")`)
	tb.Quiet()
	if n := len(d.Views(l)); n != 1 {
		t.Errorf("%d views, want 1", n)
	}
}

// TestVisitsNameTheRecipient checks that each place that lists a visit through
// the address of a recipient names the recipient to the owner, and the shared
// report does not.
func TestVisitsNameTheRecipient(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie, l := d.SignIn(d.Member), d.Publish("notes.txt", webtest.Samples["notes.txt"])
	d.Recipients(l, "Anna", "Eve Atomico")
	here := webtest.LinkPath(l)
	_, addresses := rowsOf(d.Status(d.Get(here+"/share", cookie), 200))
	d.Status(d.Get(addresses[1], webtest.ReaderChrome), 200)
	text := func(path string, class string) string {
		t.Helper()
		found := d.Parse(d.Status(d.Get(path, cookie), 200).Text).Class(class)
		if len(found) == 0 {
			t.Fatalf("%s has nothing of the class %s", path, class)
		}
		return found[len(found)-1].Text()
	}
	for _, path := range []string{"/dashboard", here, here + "/analytics", here + "/analytics/visits"} {
		if got := text(path, "visits"); !strings.Contains(got, "Eve Atomico") || strings.Contains(got, "Anna") {
			t.Errorf("the visits on %s are %q, want one of Eve Atomico", path, got)
		}
	}
	pick := d.Parse(d.Get(here+"/analytics", cookie).Text).ID("add-filter").Tags("a")
	at := slices.IndexFunc(pick, func(n webtest.Document) bool { return n.Text() == "Eve Atomico 1" })
	if at < 0 {
		t.Fatal("the report cannot be filtered by the recipient")
	}
	chips := d.Parse(d.Status(d.Get(pick[at].Attribute("href"), cookie), 200).Text).Class("conditions")[0].Text()
	if !strings.Contains(chips, "Recipient is") || !strings.Contains(chips, "Eve Atomico") {
		t.Errorf("the filter is %q", chips)
	}
	visit := d.Parse(d.Get(here+"/analytics/visits", cookie).Text).Class("when")
	page := d.Parse(d.Status(d.Get(visit[len(visit)-1].Tags("a")[0].Attribute("href"), cookie), 200).Text)
	webtest.Same(t, "heading of the visit", page.ID("visit-title").Text(), "Eve Atomico")
	shared := d.Status(d.Post(here+"/analytics/share", url.Values{}, cookie), 200)
	address := d.Parse(shared.Text).ID("shared-address").Text()
	r := d.Status(d.Get(strings.TrimPrefix(address, d.Server.PublicURL.String())), 200)
	if !strings.Contains(r.Text, "Recent visits") || strings.Contains(r.Text, "Atomico") {
		t.Error("the shared report lists no visits, or names a recipient")
	}
}
